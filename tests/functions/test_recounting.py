"""Counts in lists of queues: as fed, or recounted after the stream lost something (Q70)."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from functions.projector.app import views_handler
from tests.functions.calling import Caller
from tests.functions.test_streams import NOTHING, batch, moves
from workledger.service import counting, recounting
from workledger.stores.port import Counters
from workledger.times import plus, to_datetime

pytestmark = pytest.mark.parametrize("store", ["dynamodb"], indirect=True)
TEMPLATE = Path(__file__).parents[2] / "template.yaml"
SHARD = "shardId-0000000{}-abcdef12"
DAY_MS = 86_400_000
BORN = 1_773_000_000_000


def listed(caller: Caller) -> list[dict[str, int]]:
    """The counts in a list of queues."""
    return [one["counts"] for one in caller.get("/queues")["items"]]


def at(records: list[dict[str, Any]], moment: str) -> list[dict[str, Any]]:
    """The records, made at a moment, which a stream tells to the second."""
    made = int(to_datetime(moment).timestamp())
    for one in records:
        one["dynamodb"]["ApproximateCreationDateTime"] = made
    return records


def recount(caller: Caller, *names: str) -> dict[str, Any]:
    return dict(recounting.recount(caller.core, names))


def test_q70_lists_show_what_was_fed_and_count_what_never_was(caller: Caller) -> None:
    """Q70: one queue's own count stays exact; a queue without a counter row falls back to lines."""
    fed, other = caller.queue(), caller.queue("Orders")
    caller.add(fed, 1)
    caller.add(other, 1, 2)
    views_handler(batch(moves(None, "new", "completed", queue=fed)), None)
    views_handler(batch(moves(None, "new", queue=fed, first=5)), None)
    shown = {one["id"]: one["counts"] for one in caller.get("/queues")["items"]}
    assert shown == {
        fed: {**NOTHING, "new": 1, "completed": 1},
        other: {**NOTHING, "new": 2},
    }
    assert caller.get("/queues/{queue}", queue=fed)["counts"] == {**NOTHING, "new": 1}


def test_q70_a_recount_makes_up_for_what_the_stream_lost(caller: Caller) -> None:
    """Q70: what it counted is not counted again when its records come late; what follows is."""
    queue = caller.queue()
    caller.add(queue, 1, 2, 3)
    views_handler(batch(moves(None, "new", queue=queue)), None)
    assert listed(caller) == [{**NOTHING, "new": 1}]
    now = caller.core.clock()
    assert list(recount(caller).values()) == [{**NOTHING, "new": 3}]
    views_handler(batch(at(moves(None, "new", queue=queue, first=2), now)), None)
    assert listed(caller) == [{**NOTHING, "new": 3}]
    later = at(moves("new", "in_progress", queue=queue, first=3), plus(now, 60))
    views_handler(batch(later), None)
    views_handler(batch(later), None)
    assert listed(caller) == [{**NOTHING, "new": 2, "inProgress": 1}]


def test_q70_a_recount_of_one_queue_by_name_or_id(caller: Caller) -> None:
    """Q70: a queue that was never counted has a counter row from then on."""
    queue, other = caller.queue(), caller.queue("Orders")
    caller.add(queue, 1)
    assert list(recount(caller, queue).values()) == [{**NOTHING, "new": 1}]
    assert isinstance(caller.core.store, Counters)
    assert list(caller.core.store.counts([queue, other])) == [queue]


def test_q70_a_recount_between_look_and_count_makes_the_projector_look_again(
    caller: Caller,
) -> None:
    """Q70: it must not add to the new counts what these already have in them."""
    queue = caller.queue()
    store: Any = caller.core.store
    looked = store.counted(queue, "s1")
    store.set_counts(queue, NOTHING, caller.core.clock())
    add = partial(store.add_counts, queue, "s1")
    assert not add(looked, "1", {"new": 1})
    assert add(store.counted(queue, "s1"), "1", {"new": 1})
    assert not add((*store.counted(queue, "s1")[:1], ""), "2", {"new": 1})
    assert store.counts([queue])[queue] == {**NOTHING, "new": 1}


def test_q70_shards_that_are_long_gone_are_forgotten(caller: Caller) -> None:
    """Their records can come no more; the counts stay."""
    queue = caller.queue()
    store: Any = caller.core.store
    shards = [SHARD.format(BORN + days * DAY_MS) for days in range(6)]
    for shard in shards:
        views_handler(batch(moves(None, "new", queue=queue), shard), None)
    assert [store.counted(queue, shard)[0] != "" for shard in shards] == [False] * 2 + [True] * 4
    assert store.counts([queue])[queue] == {"new": 6}


def test_q70_records_that_come_almost_too_late_raise_an_alarm(
    caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    """Others may have been given up by then: the log says what to do."""
    given_up = re.findall(r"MaximumRecordAgeInSeconds: (\d+)", TEMPLATE.read_text())
    assert min(map(int, given_up)) > counting.LATE_SECONDS
    now = caller.core.clock()
    views_handler(batch(at(moves(None, "new"), plus(now, -3_600))), None)
    assert not caplog.records
    views_handler(
        batch(at(moves("new", "failed", first=2), plus(now, -counting.LATE_SECONDS - 1))), None
    )
    assert "counts may lack what was given up: recount" in [one.message for one in caplog.records]
