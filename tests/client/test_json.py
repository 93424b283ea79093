"""What comes back is equal to what went in, digit for digit (Q10)."""

import json
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.scripted import ADDED, TAKEN, client_of, reply
from workledger.client import Claim, Error, HeldBy, NewItem, Raw, Result
from workledger.client.answers import Counts
from workledger.client.wire import Source, moment

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_q10_data_goes_out_equal(data: object) -> None:
    """Q10: the body holds the data as it is, whatever it is."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    client, script = client_of(reply(ADDED))
    client.queue("Invoices").add_one(data)
    assert script.bodies[0] == {"data": data}


@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(0, 4), st.booleans())
def test_q10_the_exact_text_of_any_part_is_found(
    parts: list[object], at: int, ascii_only: bool
) -> None:
    """Q10: members before and after do not matter."""
    at = at % len(parts)
    text = json.dumps(
        {"a": 1, "items": [{"data": one} for one in parts], "z": {}},
        ensure_ascii=ascii_only,
        indent=1,
    )
    found = Source(text).at("items", at, "data").exact()
    assert found in text
    assert json.loads(found) == parts[at]


@pytest.mark.parametrize(
    "text",
    [
        "30.40",
        "9007199254740993",
        "1e-7",
        "0.1000000000000000055511151231257827",
        '""',
        "null",
        "[]",
        '{"S":"x"}',
        "1E5",
    ],
)
def test_q10_data_text_is_what_the_server_wrote(text: str) -> None:
    """Q10: a float of Python may not hold all digits; the text does."""
    raw = json.dumps(TAKEN | {"data": 0}).replace('"data": 0', f'"data": {text}')
    client, _ = client_of(lambda _: reply_text(raw))
    taken = client.queue("Invoices").next()
    assert taken
    assert taken.data_text == text
    assert taken.json_text == raw


def reply_text(text: str) -> httpx.Response:
    return httpx.Response(200, text=text)


def test_q10_raw_text_goes_out_as_it_is() -> None:
    """Q10: what another program wrote is not written anew."""
    client, script = client_of(reply(ADDED), reply(ADDED))
    client.queue("Invoices").add_one(Raw('{"total": 30.40}'))
    client.queue("Invoices").add([Raw('{"total": 1E5}'), 2])
    assert script.requests[0].content == b'{"data":{"total": 30.40}}'
    assert script.requests[1].content == b'[{"total": 1E5},2]'


def test_q11_q15_an_envelope_holds_what_was_given() -> None:
    """Q11, Q15: what is not given is left out."""
    client, script = client_of(reply(ADDED))
    due = datetime(2026, 12, 1, 9, 30, tzinfo=timezone(timedelta(hours=1)))
    client.queue("Invoices").add([NewItem({"data": 1}, "A-17", 5, due=due), {"plain": 1}])
    assert script.bodies[0] == [
        {
            "data": {"data": 1},
            "reference": "A-17",
            "priority": 5,
            "due": "2026-12-01T08:30:00.000Z",
        },
        {"plain": 1},
    ]


def test_a_moment_without_zone_is_refused() -> None:
    """Nobody can say which moment that is."""
    with pytest.raises(ValueError, match="time zone"):
        moment(datetime(2026, 12, 1))  # noqa: DTZ001 - that is the point
    assert moment(datetime(2026, 12, 1, tzinfo=UTC)) == "2026-12-01T00:00:00.000Z"
    assert moment("2026-12-01T00:00:00Z") == "2026-12-01T00:00:00Z"


@pytest.mark.parametrize(
    ("wire", "typed"),
    [
        (None, None),
        ({"kind": "result", "result": {"a": 1}}, Result({"a": 1})),
        ({"kind": "error", "reason": "no"}, Error("no")),
        ({"kind": "run", "run": "r_1", "since": "2026"}, HeldBy("r_1", "2026")),
    ],
)
def test_q71_an_outcome_is_one_of_three(wire: object, typed: object) -> None:
    """Q71: error, result, or the run that holds it."""
    client, _ = client_of(reply({"id": "i_a.1", "outcome": wire, "claimOverdue": False}))
    assert client.items.get("i_a.1").outcome == typed


def test_q10_a_result_has_its_text_too() -> None:
    """Q10: results are kept digit for digit like data."""
    client, _ = client_of(
        lambda _: reply_text(
            '{"outcome": {"kind": "result", "result": 30.40}, "data": {"x": 1.50}}'
        )
    )
    item = client.items.get("i_a.1")
    assert (item.result_text, item.data_text) == ("30.40", '{"x": 1.50}')


def test_q40_no_result_and_a_result_of_null_differ() -> None:
    """Q40: a result is optional; null is one."""
    client, script = client_of(reply({}), reply({}))
    held = Claim("i_a.1", "i_a.1:2")
    client.items.complete(held)
    client.items.complete(held, None)
    assert script.bodies == [{"claim": "i_a.1:2"}, {"claim": "i_a.1:2", "result": None}]


def test_q22_nothing_is_false_and_has_a_reason() -> None:
    """Q22: found false, and why."""
    told = {
        "found": False,
        "reason": "deferred",
        "retryAt": "2026-12-01T00:00:00.000Z",
        "run": "r_1",
    }
    client, _ = client_of(reply(told))
    nothing = client.queue("Invoices").next(wait_seconds=20)
    assert not nothing
    assert nothing.reason == "deferred"
    assert nothing.retry_at == told["retryAt"]


def test_q27_items_of_one_call_know_their_run() -> None:
    """Q27: several items in one call."""
    one = {name: value for name, value in TAKEN.items() if name not in {"found", "run"}}
    client, script = client_of(reply({"found": True, "run": "r_9", "items": [one, one]}))
    taken = client.queue("Invoices").next_items(2)
    assert taken
    assert [item.run for item in taken] == ["r_9", "r_9"]
    assert json.loads(taken.items[1].data_text) == TAKEN["data"]
    assert script.bodies[0] == {"maxItems": 2}


def test_q70_counts_add_up() -> None:
    """Q70: All is the sum of the four."""
    told = {
        "count": 10,
        "counts": {"new": 1, "inProgress": 2, "completed": 3, "failed": 4, "all": 10},
    }
    client, _ = client_of(reply(told), reply(told))
    assert client.queue("Invoices").counts() == Counts(1, 2, 3, 4)
    assert client.queue("Invoices").counts().all == 10


def test_q71_a_list_goes_on_over_an_empty_page() -> None:
    """Q71: only a missing cursor is the end."""
    item = {"id": "i_a.1"}
    client, script = client_of(
        reply({"items": [item], "nextCursor": "c1"}),
        reply({"items": [], "nextCursor": "c2"}),
        reply({"items": [item], "nextCursor": None}),
    )
    assert len(list(client.queue("Invoices").items("failed", reference="A-"))) == 2
    assert script.paths[1] == "GET /queues/Invoices/items?status=failed&reference=A-&cursor=c1"


def test_q72_a_filter_is_carried_out_to_its_end() -> None:
    """Q72: the server answers in stretches."""
    part = {"matched": 2, "done": 1, "skipped": 1, "ids": ["i_a.1"]}
    client, script = client_of(
        reply(part | {"nextCursor": "c1"}), reply(part | {"nextCursor": None})
    )
    matched = client.queue("Invoices").requeue(reason_prefix="Time", dry_run=True)
    assert (matched.matched, matched.done, matched.skipped, len(matched.ids)) == (4, 2, 2, 2)
    assert script.bodies[0] == {"filter": {"reasonPrefix": "Time"}, "dryRun": True}
