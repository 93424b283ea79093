"""A record's way through a business process: a stream of its own (M13, M14). Pure.

The head says at which step the record is, or comes to at the moment `since`: where it comes from
a timed step, it was there until then, and nothing has to run for it to arrive. A thing `m` stands
on the moving line while, at its moment, more is to be done: a further timed step, or an end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any, NamedTuple

from workledger import keys
from workledger.keys import HEAD, MOVING_THING
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks.process import END, MANUAL, TIMED, Definition, Step
from workledger.views import order
from workledger.views.row import Keys, Standing

# --- events: stored names, never to be renamed -------------------------------------------------

STARTED = "RecordStarted"
ANSWERED = "RecordAnswered"
ROUTED = "RecordRouted"
DELAYED = "RecordDelayed"
OFFERED = "RecordOffered"
FINISHED = "RecordFinished"

# --- state --------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What was decided at a manual step: the payload of the record's commit `commit`."""

    step: str
    hit: str
    commit: int
    by: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record; process, load are the 26 characters of their ids.

    `step` is where it is from `since` on, `before` where it was until then. `until` is when it
    leaves a timed step, `hit` what it waits for at a manual one. `visit` counts the steps it has
    come to.
    """

    process: str
    version: int
    load: str
    index: int
    number: int
    hit_order: int
    hit_order_date: str
    step: str = ""
    since: str = ""
    before: str | None = None
    visit: int = 0
    until: str | None = None
    hit: str | None = None
    answers: tuple[Answer, ...] = ()
    finished_at: str | None = None

    def step_at(self, now: str) -> str:
        """The step at which the record is at a moment."""
        return self.before if self.before is not None and now < self.since else self.step


@dataclass(frozen=True, slots=True)
class Moving:
    """A record that leaves a timed step, and goes on by more than time alone."""

    leave: str
    tie: str


def tie(hit_order: int, hit_order_date: str, load: str, index: int) -> str:
    """Of those who leave at once, the order of the records decides, as M1 has it."""
    return f"{hit_order_date}_{hit_order + 10**19:020d}_{load}_{index:08d}"


# --- a way: what happens to a record from a step on -----------------------------------------------


class Way(NamedTuple):
    """A record leaves a step (None: it starts) at a moment, and comes to `target`.

    `leave` is when it leaves the target, where that is timed; `then` what comes after, and is
    known at once because nothing changes a record's fields there.
    """

    at: str
    target: Step
    leave: str | None = None
    then: Step | None = None


def way(
    definition: Definition,
    step: str | None,
    values: Mapping[str, Any],
    at: str,
    zone: tzinfo = UTC,
) -> Way:
    """Where a record with these values goes to; when it leaves a timed step is still to be told."""
    target = definition.after(step, values, zone)
    then = definition.after(target.name, values, zone) if target.kind == TIMED else None
    return Way(at, target, None, then)


def _walk(
    stream: str, way: Way, before: str | None, visit: int, things: tuple[str, ...] = (HEAD,)
) -> list[Event]:
    """The events of a way: routing is one (M13)."""
    told: dict[str, Any] = {"from": before, "to": way.target.name, "at": way.at}
    routed = Event(ROUTED, told, things)
    if way.target.kind == END:
        return [routed, Event(FINISHED, {"step": way.target.name, "at": way.at})]
    if way.target.kind == MANUAL:
        return [routed, _offered(way.target, visit + 1, stream)]
    if way.leave is None or way.then is None:
        raise ValueError(f"no moment to leave {way.target.name}")
    delayed = {"step": way.target.name, "arrived": way.at, "leave": way.leave}
    if way.then.kind != MANUAL:
        return [routed, Event(DELAYED, {**delayed, "moving": True}, (MOVING_THING, HEAD))]
    onward = {"from": way.target.name, "to": way.then.name, "at": way.leave}
    offered = _offered(way.then, visit + 2, stream)
    return [routed, Event(DELAYED, delayed), Event(ROUTED, onward), offered]


def _offered(step: Step, visit: int, stream: str) -> Event:
    hit = keys.bare(keys.hit_stream(keys.bare(stream), visit))
    return Event(OFFERED, {"step": step.name, "task": step.task, "hit": hit})


# --- commands -----------------------------------------------------------------------------------


def start(seen: Seen, data: Mapping[str, Any], payload: str, way: Way) -> list[Event]:
    """Start a record on its way. `data` has process, version, load, index, number, hitOrder,
    hitOrderDate; `payload` is {"data", "more"} as JSON.
    """
    if seen.head is not None:
        return []
    return [Event(STARTED, data, payload=payload), *_walk(seen.stream, way, None, 0)]


def answer(seen: Seen, hit: str, by: str, payload: str | None, way: Way) -> list[Event]:
    """Go on with what was decided at a hit; nothing when the record went on from it before."""
    record: Record | None = seen.head
    if record is None or record.hit != hit:
        return []
    answered = Event(ANSWERED, {"step": record.step, "hit": hit, "by": by}, payload=payload)
    return [answered, *_walk(seen.stream, way, record.step, record.visit)]


def move(seen: Seen, visit: int, way: Way) -> list[Event]:
    """Leave a timed step for a further one or an end; nothing when the record has left it."""
    record: Record | None = seen.head
    if record is None or record.visit != visit or record.until is None:
        return []
    return _walk(seen.stream, way, record.step, visit, (MOVING_THING, HEAD))


# --- after an event -----------------------------------------------------------------------------


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Record | None) -> Any:
    """The record, or its place on the moving line, after an event."""
    if thing == MOVING_THING:
        return _moving(event, head) if event.type == DELAYED else None
    data = event.data
    if event.type == STARTED:
        return Record(
            process=data["process"],
            version=data["version"],
            load=data["load"],
            index=data["index"],
            number=data["number"],
            hit_order=data["hitOrder"],
            hit_order_date=data["hitOrderDate"],
        )
    record: Record | None = state
    if record is None:
        raise ValueError(f"{event.type} on no record: {commit.stream}")
    match event.type:
        case "RecordAnswered":
            answer = Answer(data["step"], data["hit"], commit.number, data["by"])
            return replace(record, answers=(*record.answers, answer))
        case "RecordRouted":
            return _routed(record, data)
        case "RecordDelayed":
            return replace(record, until=data["leave"])
        case "RecordOffered":
            return replace(record, hit=data["hit"])
        case _:  # finished
            return replace(record, finished_at=data["at"])


def _routed(record: Record, data: Mapping[str, Any]) -> Record:
    return replace(
        record,
        step=data["to"],
        since=data["at"],
        before=data["from"],
        visit=record.visit + 1,
        until=None,
        hit=None,
    )


def _moving(event: Event, head: Record | None) -> Moving | None:
    if head is None or not event.data.get("moving"):
        return None
    return Moving(
        event.data["leave"], tie(head.hit_order, head.hit_order_date, head.load, head.index)
    )


# --- where it stands ----------------------------------------------------------------------------


def place(stream: str, thing: str, state: Any) -> Standing:  # noqa: ARG001 (an aggregate's shape)
    """A record on the line of its step; one that moves on, due at that moment."""
    if isinstance(state, Moving):
        where = order.by_date(keys.MOVING_LINE, state.leave, 0, state.tie)
        return Standing(where, due=state.leave)
    record: Record = state
    found = Keys(record.process, record.number, f"{record.load}/{record.index:08d}")
    line = keys.records_line(record.process, record.step)
    where = order.by_record(
        line, record.hit_order_date, record.hit_order, f"{record.number:012d}/{record.load}"
    )
    return Standing(where, found)


# --- stored form --------------------------------------------------------------------------------


def dump(state: Record | Moving) -> Any:
    """The state as a JSON value."""
    if isinstance(state, Moving):
        return {"m": [state.leave, state.tie]}
    return {
        "b": [state.process, state.version],
        "l": [state.load, state.index, state.number],
        "o": [state.hit_order, state.hit_order_date],
        "s": [state.step, state.since, state.before, state.visit, state.until],
        "h": state.hit,
        "ans": [list(one) for one in state.answers],
        "f": state.finished_at,
    }


def load(stored: Any) -> Record | Moving:
    """The state from its JSON value."""
    if "m" in stored:
        return Moving(*stored["m"])
    process, version = stored["b"]
    load, index, number = stored["l"]
    hit_order, hit_order_date = stored["o"]
    step, since, before, visit, until = stored["s"]
    return Record(
        process=process,
        version=version,
        load=load,
        index=index,
        number=number,
        hit_order=hit_order,
        hit_order_date=hit_order_date,
        step=step,
        since=since,
        before=before,
        visit=visit,
        until=until,
        hit=stored["h"],
        answers=tuple(Answer(*one) for one in stored["ans"]),
        finished_at=stored["f"],
    )
