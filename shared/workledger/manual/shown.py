"""A hit with what became of it: its content, everybody's assignments, the decision (M23, M60)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workledger import jsontext, keys
from workledger.jsontext import Raw
from workledger.keys import worker_thing
from workledger.ledger.commit import Commit
from workledger.manual_tasks.hit import OPEN, Assignment, Hit
from workledger.service.core import Core
from workledger.stores.port import Address


@dataclass(frozen=True, slots=True)
class AssignmentShown:
    """A worker's latest attempt at a hit, with the answer if one was given."""

    id: str
    worker: str
    status: str
    at: str
    deadline: str
    answer: Raw | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class DecisionShown:
    """What was decided, how (agreement, majority, adjudicator) and when."""

    answer: Raw
    by: str
    who: str | None
    at: str


@dataclass(frozen=True, slots=True)
class HitShown:
    """A hit with what became of it; ids as on the wire, `status` by time and not by a sweep."""

    id: str
    task: str
    version: int
    load: str
    record: int
    status: str
    data: Raw
    custom_attributes: dict[str, object]
    visible_from: str | None
    created_at: str
    assignments: tuple[AssignmentShown, ...]
    decision: DecisionShown | None


# --- what a hit holds ---------------------------------------------------------------------------


def contents_of(core: Core, streams: Sequence[str]) -> dict[str, str]:
    """What these hits were created with, {"data", "more"} as JSON text each."""
    commits = core.store.commits_at([(stream, 1) for stream in streams]) if streams else {}
    return {stream: _content(commits.get((stream, 1))) for stream in streams}


def _content(commit: Commit | None) -> str:
    text = commit.payload() if commit is not None else None
    return text if text is not None else '{"data":null,"more":{}}'


def attributes_and_data(hit: Hit, text: str) -> tuple[dict[str, object], Raw]:
    """A hit's customAttributes (M6) and its data, of the text it was created with."""
    members = jsontext.entry(text)[0].members or {}
    more = jsontext.entry(members["more"].text)[0].members if "more" in members else None
    own = {"hitOrder": hit.hit_order, "hitOrderDate": hit.hit_order_date}
    return {**own, **(more or {})}, members.get("data", Raw("null"))


def status_of(hit: Hit, now: str) -> str:
    """waiting, held, unresolved or done."""
    if hit.state != OPEN:
        return hit.state
    return "held" if hit.holder is not None and hit.holder.deadline > now else "waiting"


def status_of_assignment(one: Assignment, now: str) -> tuple[str, str]:
    """(status, since when): from its deadline on what was accepted is abandoned (M31)."""
    if one.status == "ACCEPTED" and one.deadline <= now:
        return "ABANDONED", one.deadline
    return one.status, one.at


# --- showing ------------------------------------------------------------------------------------


def shown_many(core: Core, found: Sequence[tuple[str, Hit]]) -> list[HitShown]:
    """Hits with their assignments and payloads, in a few requests however many they are."""
    wanted = [(stream, worker_thing(worker)) for stream, hit in found for worker in hit.met]
    rows = core.store.rows(wanted) if wanted else {}
    met: dict[str, list[Assignment]] = {stream: [] for stream, _ in found}
    for key in wanted:
        state: Assignment | None = core.executor.state(rows.get(key))
        if state is not None:
            met[key[0]].append(state)
    addresses = [at for stream, hit in found for at in _payloads(stream, hit, met[stream])]
    commits = core.store.commits_at(addresses) if addresses else {}
    now = core.clock()
    return [_shown(stream, hit, met[stream], commits, now) for stream, hit in found]


def _payloads(stream: str, hit: Hit, met: Sequence[Assignment]) -> set[Address]:
    numbers = {1, *(one.answer for one in met if one.answer is not None)}
    if hit.decision is not None:
        numbers.add(hit.decision.commit)
    return {(stream, number) for number in numbers}


def _shown(
    stream: str,
    hit: Hit,
    met: Sequence[Assignment],
    commits: Mapping[Address, Commit],
    now: str,
) -> HitShown:
    created = commits.get((stream, 1))
    attributes, data = attributes_and_data(hit, _content(created))
    return HitShown(
        id=keys.manual_id(stream),
        task=f"t_{hit.task}",
        version=hit.version,
        load=f"l_{hit.load}",
        record=hit.index,
        status=status_of(hit, now),
        data=data,
        custom_attributes=attributes,
        visible_from=hit.visible_from,
        created_at=created.at if created is not None else "",
        assignments=tuple(_assignment(stream, one, commits, now) for one in met),
        decision=_decision(stream, hit, commits),
    )


def _assignment(
    stream: str, one: Assignment, commits: Mapping[Address, Commit], now: str
) -> AssignmentShown:
    status, at = status_of_assignment(one, now)
    answer = _answer(commits.get((stream, one.answer))) if one.answer is not None else None
    return AssignmentShown(
        id=keys.assignment_id(stream, one.take),
        worker=one.worker,
        status=status,
        at=at,
        deadline=one.deadline,
        answer=answer,
        reason=one.reason,
    )


def _decision(stream: str, hit: Hit, commits: Mapping[Address, Commit]) -> DecisionShown | None:
    one = hit.decision
    if one is None:
        return None
    answer = _answer(commits.get((stream, one.commit))) or Raw("null")
    return DecisionShown(answer, one.by, one.who, one.at)


def _answer(commit: Commit | None) -> Raw | None:
    """The answer in the commit that gave it; None once it was purged."""
    events = commit.events if commit is not None else ()
    texts = (one.payload for one in events if one.payload is not None)
    return next((Raw(text) for text in texts), None)
