"""How a hit and its things change, where they stand, and how they are stored. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from workledger import keys
from workledger.keys import HEAD
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.hit import (
    ACCEPTED,
    CREATED,
    DECIDED,
    DONE,
    FOR_GOOD,
    NO_MAJORITY,
    OPEN,
    STATUS,
    SUBMITTED,
    UNRESOLVED,
    Answer,
    Assignment,
    Decision,
    Hit,
    Holder,
    Placed,
    Spotted,
)
from workledger.views import order
from workledger.views.row import NOWHERE, Keys, Standing


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Hit | None) -> Any:
    """The hit, an assignment, or a place after an event."""
    if thing == HEAD:
        return _head(state, event, commit)
    if thing.startswith("p"):
        return _spotted(int(thing[1:]), event, head)
    return _assignment(state, event, commit, head)


def _head(hit: Hit | None, event: Event, commit: Commit) -> Hit:
    data = event.data
    if event.type == CREATED:
        return _created(data)
    if hit is None:
        raise ValueError(f"{event.type} on no hit: {commit.stream}")
    match event.type:
        case "HitPlaced":
            return replace(hit, places=_places(data))
        case "HitReopened":
            return replace(hit, places=_places(data), state=OPEN, decision=None)
        case "HitUnresolved":
            return replace(hit, places=(), state=NO_MAJORITY)
        case "HitDecided":
            decision = Decision(commit.at, data["by"], data["answer"], data.get("who"))
            return replace(hit, places=(), state=DONE, decision=decision)
        case "HitRouted":
            return replace(hit, routed=True)
        case _:
            return _worked(hit, event, commit)


def _created(data: Mapping[str, Any]) -> Hit:
    return Hit(
        task=data["task"],
        version=data["version"],
        load=data["load"],
        index=data["index"],
        number=data["number"],
        hit_order=data["hitOrder"],
        hit_order_date=data["hitOrderDate"],
        rule=Adjudication(data["answers"], data["more"], ()),
        places=_places(data),
        visible_from=data.get("visibleFrom"),
        way=tuple(data["way"]) if "way" in data else None,
    )


def _places(data: Mapping[str, Any]) -> tuple[Placed, ...]:
    return tuple(Placed(*one) for one in data["places"])


def _worked(hit: Hit, event: Event, commit: Commit) -> Hit:
    """The hit after something happened to an assignment."""
    data, worker = event.data, event.data["worker"]
    met = hit.met if worker in hit.met else (*hit.met, worker)
    match event.type:
        case "AssignmentAccepted":
            return replace(hit, met=met, holder=Holder(worker, commit.number, data["deadline"]))
        case "AssignmentExtended":
            return replace(hit, holder=Holder(worker, data["take"], data["deadline"]))
        case "AnswerSubmitted":
            answer = Answer(worker, data["take"], data["digest"], commit.number)
            return replace(hit, holder=None, answers=(*hit.answers, answer))
        case "AnswerApproved":
            answers = (
                one._replace(approved=True) if one.take == data["take"] else one
                for one in hit.answers
            )
            return replace(hit, answers=tuple(answers))
        case "AnswerRejected":
            kept = tuple(one for one in hit.answers if one.take != data["take"])
            return replace(hit, answers=kept)
        case _:  # returned, skipped, abandoned
            return replace(hit, holder=None)


def _spotted(ordering: int, event: Event, head: Hit | None) -> Spotted | None:
    if event.type in (DECIDED, UNRESOLVED):
        return None
    placed = next((one for one in _places(event.data) if one.ordering == ordering), None)
    if placed is None:
        return None
    of = _created(event.data) if head is None else head
    return Spotted(of.task, placed, of.tie)


def _assignment(
    state: Assignment | None, event: Event, commit: Commit, head: Hit | None
) -> Assignment:
    if head is None:
        raise ValueError(f"{event.type} on no hit: {commit.stream}")
    data = event.data
    if event.type == ACCEPTED:
        return Assignment(
            worker=data["worker"],
            take=commit.number,
            status="ACCEPTED",
            accepted_at=commit.at,
            at=commit.at,
            deadline=data["deadline"],
            task=head.task,
            place=_newest(head.places, head.tie),
        )
    if state is None:
        raise ValueError(f"{event.type} on no assignment: {commit.stream}")
    match event.type:
        case "HitPlaced" | "HitReopened":
            return replace(state, place=_newest(_places(data), head.tie))
        case "HitDecided" | "HitUnresolved":
            return replace(state, place=None)
        case "AssignmentExtended":
            return replace(state, deadline=data["deadline"], at=commit.at)
        case _:
            changed = replace(state, status=STATUS[event.type], at=commit.at)
            if event.type == SUBMITTED:
                return replace(changed, answer=commit.number)
            return replace(changed, reason=data.get("reason", state.reason))


def _newest(places: tuple[Placed, ...], of: str) -> tuple[int, str, int, str] | None:
    """Where an assignment follows its hit: into the newest ordering, at once."""
    newest = max(places, default=None)
    return (newest.ordering, newest.date, newest.seq, of) if newest is not None else None


# --- where it stands ----------------------------------------------------------------------------


def place(stream: str, thing: str, state: Any) -> Standing:  # noqa: ARG001 (an aggregate's shape)
    """A hit on a line of its status, in its task's list, and off its workers' lists."""
    if isinstance(state, Hit):
        return _place_hit(stream, state)
    if isinstance(state, Spotted):
        line = keys.work_list_line(state.task, state.placed.ordering)
        return Standing(order.by_record(line, state.placed.date, state.placed.seq, state.tie))
    return _place_assignment(stream, state)


def _place_hit(stream: str, hit: Hit) -> Standing:
    found = Keys(hit.task, hit.number, f"{hit.load}/{hit.index:08d}")
    where, due = hit.hit_order_date, None
    status = hit.state
    if hit.state == OPEN:
        status, due = ("waiting", None) if hit.holder is None else ("held", hit.holder.deadline)
        if hit.holder is None and hit.visible_from is not None:
            status, where = "timed", hit.visible_from
    elif hit.decision is not None:
        where = hit.decision.at
        due = where if hit.way is not None and not hit.routed else None
    line = keys.hits_line(hit.task, status)
    return Standing(order.by_date(line, where, hit.number, keys.manual_id(stream)), found, due)


def _place_assignment(stream: str, one: Assignment) -> Standing:
    if one.status == "ACCEPTED":
        line = keys.active_line(one.worker)
        return Standing(order.by_date(line, one.accepted_at, one.take, keys.bare(stream)))
    if one.place is None:
        return NOWHERE
    ordering, date, seq, of = one.place
    if one.status in FOR_GOOD:
        line = keys.excluded_line(one.task, ordering, one.worker)
        return Standing(order.by_record(line, date, seq, of))
    line = keys.hits_line(one.task, "cooling")
    return Standing(
        order.by_date(line, one.deadline, one.take, f"{keys.bare(stream)}/{one.worker}")
    )


# --- stored form --------------------------------------------------------------------------------


def dump(state: Hit | Assignment | Spotted) -> Any:
    """The state as a JSON value."""
    if isinstance(state, Spotted):
        return [state.task, list(state.placed), state.tie]
    if isinstance(state, Assignment):
        return {
            "w": state.worker,
            "t": state.take,
            "s": state.status,
            "f": state.accepted_at,
            "a": state.at,
            "d": state.deadline,
            "k": state.task,
            "p": list(state.place) if state.place else None,
            **({"r": state.reason} if state.reason is not None else {}),
            **({"c": state.answer} if state.answer is not None else {}),
        }
    return _dump_hit(state)


def _dump_hit(hit: Hit) -> dict[str, Any]:
    return {
        "task": hit.task,
        "v": hit.version,
        "load": hit.load,
        "i": hit.index,
        "n": hit.number,
        "o": [hit.hit_order, hit.hit_order_date],
        "rule": [hit.rule.answers, hit.rule.more],
        "p": [list(one) for one in hit.places],
        "from": hit.visible_from,
        "way": list(hit.way) if hit.way else None,
        "met": list(hit.met),
        "ans": [list(one) for one in hit.answers],
        "by": list(hit.holder) if hit.holder else None,
        "s": hit.state,
        "d": list(hit.decision) if hit.decision else None,
        "r": int(hit.routed),
    }


def load(stored: Any) -> Hit | Assignment | Spotted:
    """The state from its JSON value."""
    if isinstance(stored, list):
        task, placed, of = cast("list[Any]", stored)
        return Spotted(task, Placed(*placed), of)
    if "w" in stored:
        return Assignment(
            stored["w"],
            stored["t"],
            stored["s"],
            stored["f"],
            stored["a"],
            stored["d"],
            stored["k"],
            tuple(stored["p"]) if stored["p"] else None,
            stored.get("r"),
            stored.get("c"),
        )
    return _load_hit(stored)


def _load_hit(stored: dict[str, Any]) -> Hit:
    hit_order, hit_order_date = stored["o"]
    answers, more = stored["rule"]
    return Hit(
        task=stored["task"],
        version=stored["v"],
        load=stored["load"],
        index=stored["i"],
        number=stored["n"],
        hit_order=hit_order,
        hit_order_date=hit_order_date,
        rule=Adjudication(answers, more),
        places=tuple(Placed(*one) for one in stored["p"]),
        visible_from=stored["from"],
        way=tuple(stored["way"]) if stored["way"] else None,
        met=tuple(stored["met"]),
        answers=tuple(Answer(*one) for one in stored["ans"]),
        holder=Holder(*stored["by"]) if stored["by"] else None,
        state=stored["s"],
        decision=Decision(*stored["d"]) if stored["d"] else None,
        routed=bool(stored["r"]),
    )
