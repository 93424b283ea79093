"""The rules of a record's way through a process: given events, when command, then events."""

import json
from typing import Any

from tests.support import START
from tests.unit.spec import Given, given
from workledger import keys
from workledger.keys import HEAD, MOVING_THING
from workledger.manual_tasks import columns, process_sent
from workledger.manual_tasks import record as records
from workledger.manual_tasks.process import Definition
from workledger.manual_tasks.record import Record, Way
from workledger.times import plus

LOAD, PROCESS, TASK = "l" * 26, "b" * 26, "t" * 26
STREAM = keys.record_stream(LOAD, 3)
PAYLOAD = '{"data":{"kind":"slow"},"more":{"color":"red"}}'

STEPS: list[dict[str, Any]] = [
    {"name": "ten", "kind": "timed", "seconds": 10, "next": "check"},
    {"name": "five", "kind": "timed", "seconds": 5, "next": "six"},
    {"name": "six", "kind": "timed", "seconds": 6, "next": "done"},
    {
        "name": "check",
        "kind": "manual",
        "task": "Check",
        "next": {
            "rules": [{"field": "ok", "op": "eq", "value": "no", "step": "ten"}],
            "else": "five",
        },
    },
    {"name": "done", "kind": "end"},
]

DATA: dict[str, Any] = {
    "process": PROCESS,
    "version": 1,
    "load": LOAD,
    "index": 3,
    "number": 103,
    "hitOrder": 3,
    "hitOrderDate": "2020-03-11T10:15:55.935",
}


def definition(start: str) -> Definition:
    """A process of these steps that begins at one of them."""
    reach = {
        "rules": [
            {"field": "x", "op": "eq", "value": "x", "step": name} for name in ("ten", "check")
        ],
        "else": start,
    }
    return process_sent.parse(reach, STEPS, lambda _: TASK)


def way(start: str, step: str | None = None, at: float = 0, leave: float = 0, **values: Any) -> Way:
    """Where a record goes to from a step."""
    found = records.way(definition(start), step, values, plus(START, at))
    return found._replace(leave=plus(START, leave) if leave else None)


def started(there: Way) -> Given:
    """A record that has set out."""
    first = given(STREAM).when(records.start, DATA, PAYLOAD, there)
    events = tuple(first.events)
    assert (events[0].type, events[0].payload) == (records.STARTED, PAYLOAD)
    return first.then(*(one.type for one in events))


def hit_of(visit: int) -> str:
    """The hit of a record's visit to a step."""
    return keys.bare(keys.hit_stream(keys.bare(STREAM), visit))


def routes(after: Given) -> Record:
    """The record."""
    record: Record = after.state
    return record


def test_m13_routing_is_an_event_of_the_record() -> None:
    """(M13)"""
    first = given(STREAM).when(records.start, DATA, PAYLOAD, way("check"))
    first.then(records.STARTED, records.ROUTED, records.OFFERED)
    assert first.events[1].data == {"from": None, "to": "check", "at": START}
    assert first.events[2].data == {"step": "check", "task": TASK, "hit": hit_of(1)}


def test_m14_the_hit_behind_a_timed_step_is_known_when_the_record_enters_it() -> None:
    """(M14) It is there from the leave time on, and nothing has to run for it."""
    record = routes(started(way("ten", leave=10)))
    assert (record.step, record.before, record.since) == ("check", "ten", plus(START, 10))
    assert record.hit == hit_of(2)
    assert record.step_at(plus(START, 9.999)) == "ten"
    assert record.step_at(plus(START, 10)) == "check"


def test_m14_a_record_that_goes_on_by_more_than_time_stands_on_the_moving_line() -> None:
    """(M14) From a timed step to a timed step, from there to an end."""
    after = started(way("five", leave=5))
    moving = after.seen.states[MOVING_THING]
    standing = records.place(STREAM, MOVING_THING, moving)
    assert standing.place is not None
    assert (standing.place.line, standing.place.date) == (keys.MOVING_LINE, plus(START, 5))
    assert standing.due == plus(START, 5)
    onward = way("five", "five", at=5, leave=11)
    moved = after.when(records.move, 1, onward).then(records.ROUTED, records.DELAYED)
    assert moved.seen.states[MOVING_THING].leave == plus(START, 11)
    assert (routes(moved).step, routes(moved).until) == ("six", plus(START, 11))
    moved.when(records.move, 1, onward).then_nothing()
    ended = moved.when(records.move, 2, way("five", "six", at=11)).then(
        records.ROUTED, records.FINISHED
    )
    assert ended.seen.states[MOVING_THING] is None
    assert routes(ended).finished_at == plus(START, 11)


def test_m13_a_decided_answer_sends_the_record_on_once() -> None:
    """(M13) Asked again, or by a hit of another visit, nothing happens."""
    after = started(way("check"))
    back = way("check", "check", at=20, leave=30, ok="no")
    answered = after.when(records.answer, hit_of(1), "agreement", '{"ok":"no"}', back)
    assert answered.events[0].payload == '{"ok":"no"}'
    on = answered.then(
        records.ANSWERED, records.ROUTED, records.DELAYED, records.ROUTED, records.OFFERED
    )
    assert routes(on).hit == hit_of(3)
    assert routes(on).answers[0][:2] == ("check", hit_of(1))
    on.when(records.answer, hit_of(1), "agreement", '{"ok":"no"}', back).then_nothing()
    on.when(records.answer, "x" * 26, "agreement", "{}", back).then_nothing()
    given(STREAM).when(records.answer, hit_of(1), "agreement", "{}", back).then_nothing()


def test_m6_the_order_is_the_same_at_every_step() -> None:
    """(M6)"""
    after = started(way("check"))
    on = after.when(
        records.answer,
        hit_of(1),
        "agreement",
        "{}",
        way("check", "check", at=20, leave=30, ok="no"),
    ).then(records.ANSWERED, records.ROUTED, records.DELAYED, records.ROUTED, records.OFFERED)
    orders = {(one.hit_order, one.hit_order_date) for one in (routes(after), routes(on))}
    assert orders == {(3, "2020-03-11T10:15:55.935")}


def test_m14_of_those_who_leave_at_once_the_order_of_the_records_decides() -> None:
    """(M14, M1) By date, then by number, 2 before 10."""
    ties = [
        records.tie(10, "2020-01-01T00:00:00.000", LOAD, 1),
        records.tie(2, "2020-01-01T00:00:00.000", LOAD, 9),
        records.tie(1, "2020-01-02T00:00:00.000", LOAD, 2),
        records.tie(-5, "2020-01-01T00:00:00.000", LOAD, 3),
    ]
    assert sorted(ties) == [ties[3], ties[1], ties[0], ties[2]]


def test_m54_a_record_is_started_once() -> None:
    """(M54)"""
    started(way("check")).when(records.start, DATA, PAYLOAD, way("check")).then_nothing()


def test_m13_an_answers_fields_become_columns_as_they_were_written() -> None:
    """(M13) Digit for digit; a later one replaces an earlier, the order's column stays (M6)."""
    own, more = columns.split('{"data":{"amount":"12","n":1.50},"more":{"color":"red"}}')
    answers = [
        ("a", '{"amount":12.30,"_sys_record_order":{"hitOrder":9}}'),
        ("b", '"yes"'),
        ("c", "null"),
        ("d", '{"x":1,"x":2}'),
    ]
    found = columns.joined(own, answers)
    texts = {name: raw.text for name, raw in found.items()}
    assert texts == {"amount": "12.30", "n": "1.50", "b": '"yes"', "x": "2"}
    assert more.text == '{"color":"red"}'
    assert columns.payload(found, more).startswith('{"data":{"amount":12.30,"n":1.50')


def test_m13_an_answer_too_deep_for_a_payload_is_kept_as_text() -> None:
    """(M13) Nothing that a person answers makes the next hit unreadable."""
    for depth in (62, 63, 64):
        text = "[" * depth + "1" + "]" * depth
        found = columns.joined({}, [("check", text)])
        again, _ = columns.split(columns.payload(found, {}))
        assert again == found
        assert found["check"].text == (text if depth == 62 else json.dumps(text))
    flat = json.dumps(["["] * 100)
    assert columns.joined({}, [("check", flat)])["check"].text == flat


def test_m13_stored_states_are_read_as_they_were_written() -> None:
    """(M13)"""
    for start, leave in (("check", 0), ("ten", 10), ("five", 5), ("done", 0)):
        after = started(way(start, leave=leave))
        for thing in (HEAD, MOVING_THING):
            state = after.seen.states.get(thing)
            if state is not None:
                assert records.load(records.dump(state)) == state
