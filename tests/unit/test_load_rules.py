"""The rules of a load: given events, when command, then events (M54, M55)."""

from typing import Any

from tests.support import START
from tests.unit.spec import Given, given
from workledger.keys import load_stream, loads_line
from workledger.manual_tasks import load as loads
from workledger.manual_tasks.load import REQUEST_SECONDS, Load
from workledger.times import plus

TASK = "t" * 26
STREAM = load_stream(TASK, "k")
DATA: dict[str, Any] = {
    "owner": f"t_{TASK}",
    "version": 2,
    "ordering": 1,
    "count": 5,
    "first": 11,
    "body": "hash",
    "columns": ["name"],
    "report": {"undated": 5},
    "chunks": [["chunk/a", 3], ["chunk/b", 2]],
}


def started() -> Given:
    """A load that was just started."""
    return given(STREAM).when(loads.start, DATA).then(loads.STARTED)


def test_m54_a_load_says_where_its_records_are() -> None:
    """(M54) With its first event: whoever finds it half done can go on."""
    load: Load = started().state
    assert load.chunks == (("chunk/a", 3), ("chunk/b", 2))
    assert (load.started_at, load.started_by, load.completed_at) == (START, "kai", None)


def test_m55_a_load_is_started_once() -> None:
    """(M55) The same again is the same load; another body under its key is refused."""
    started().when(loads.start, {**DATA, "first": 99, "chunks": []}).then_nothing()
    refused = started().when(loads.start, {**DATA, "body": "other"}).then_refused("key_reused")
    assert refused.field == "Idempotency-Key"


def test_m54_a_load_completes_once() -> None:
    """(M54) By its last event, at which all of its hits become visible; never before its first."""
    given(STREAM).when(loads.complete).then_nothing()
    done = started().when(loads.complete).then(loads.COMPLETED)
    assert done.state.completed_at == START
    done.when(loads.complete).then_nothing()


def test_m54_a_half_load_is_due_when_its_request_is_over() -> None:
    """(M54) Then the timekeeper goes on with it."""
    load = started()
    standing = loads.place(STREAM, "head", load.state)
    assert standing.due == loads.due(load.state) == plus(START, REQUEST_SECONDS)
    assert standing.place is not None
    assert standing.place.line == loads_line(TASK)
    done = load.when(loads.complete).then(loads.COMPLETED)
    assert loads.place(STREAM, "head", done.state).due is None


def test_a_load_is_stored_and_read_as_it_was() -> None:
    """Whatever it has."""
    for given_ in (started(), started().when(loads.complete).then(loads.COMPLETED)):
        assert loads.load(loads.dump(given_.state)) == given_.state
