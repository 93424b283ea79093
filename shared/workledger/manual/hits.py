"""Hits as requesters and adjudicators see them: with everybody's answers (M23, M26, M60)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from workledger import jsontext, keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.keys import HEAD, worker_thing
from workledger.ledger.commit import Commit
from workledger.manual import common
from workledger.manual_tasks import hit as hit_rules
from workledger.manual_tasks.hit import DONE, NO_MAJORITY, Assignment, Hit
from workledger.manual_tasks.load import Load
from workledger.service import histories, paging
from workledger.service.core import Core, EventShown, Page
from workledger.stores.port import Address, Found
from workledger.views.order import Spot

MOST_BYTES = 4 * 1024 * 1024
"""A page's data stops here."""

CHUNK = 100

LANES: Mapping[str, tuple[str, ...]] = {
    "waiting": ("waiting", "timed", "held"),
    "held": ("held",),
    "unresolved": (NO_MAJORITY,),
    "done": (DONE,),
}
"""The lines on which hits of a status stand; whoever held one too long holds it no more (M34)."""


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


def not_found(hit: str) -> Refused:
    """The refusal for an id that no hit has."""
    return Refused("hit_not_found", f"there is no record {hit!r}", hit=hit)


def stream_of(hit: str) -> str:
    """The stream of a hit's id. Raises Refused("hit_not_found")."""
    stream = keys.manual_stream("hit", hit)
    if stream is None:
        raise not_found(hit)
    return stream


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
    if hit.state != hit_rules.OPEN:
        return hit.state
    return "held" if hit.holder is not None and hit.holder.deadline > now else "waiting"


def status_of_assignment(one: Assignment, now: str) -> tuple[str, str]:
    """(status, since when): from its deadline on what was accepted is abandoned (M31)."""
    if one.status == "ACCEPTED" and one.deadline <= now:
        return "ABANDONED", one.deadline
    return one.status, one.at


# --- showing ------------------------------------------------------------------------------------


def show(core: Core, hit: str) -> HitShown:
    """A hit with everybody's assignments. Raises Refused("hit_not_found")."""
    stream = stream_of(hit)
    found: Hit | None = core.executor.read(stream).head
    if found is None:
        raise not_found(hit)
    return shown_many(core, [(stream, found)])[0]


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


# --- lists --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Met:
    """A hit met while walking a list, and the cursor that goes on after it."""

    stream: str
    hit: Hit
    cursor: str


def page(
    core: Core, task: str, status: str | None, load: str | None, cursor: str | None, limit: int
) -> Page[HitShown]:
    """A task's hits: all by creation, of a load as in its file, of a status by record date.

    A page stops at 4 MB of data. Raises Refused: task_not_found, load_not_found, invalid_query.
    """
    found = common.find_task(core, task)
    met = islice(walk(core, keys.bare(found.stream), status, load, cursor, limit + 1), limit + 1)
    return paged(core, list(met), limit)


def paged(core: Core, met: Sequence[Met], limit: int) -> Page[HitShown]:
    """A page of what was met, which is one more than the limit when there is more."""
    shown = shown_many(core, [(one.stream, one.hit) for one in met[:limit]])
    kept = within(shown)
    more = len(met) > len(kept)
    return Page(kept, met[len(kept) - 1].cursor if more else None)


def within(shown: list[HitShown]) -> list[HitShown]:
    """As many as an answer may bear."""
    total = 0
    for index, one in enumerate(shown):
        answers = (each.answer for each in one.assignments if each.answer is not None)
        total += len(one.data.text) + sum(len(each.text) for each in answers) + 512
        if total > MOST_BYTES and index:
            return shown[:index]
    return shown


def walk(
    core: Core, task: str, status: str | None, load: str | None, cursor: str | None, chunk: int
) -> Iterator[Met]:
    """Every hit of a task (its 26 characters) that is meant, in the list's order."""
    chunk, now = min(chunk, CHUNK), core.clock()
    if load is not None:
        load_of(core, task, load)
    if status is not None and load is None:
        batches = _by_line(core, task, status, cursor, chunk)
    else:
        batches = _by_index(core, task, load, cursor, chunk)
    for batch in batches:
        met = dict(batch)  # an index that lags may show a hit twice
        rows = core.store.rows([(stream, HEAD) for stream in met]) if met else {}
        for stream, at in met.items():
            hit: Hit | None = core.executor.state(rows.get((stream, HEAD)))
            if hit is not None and status in (None, status_of(hit, now)):
                yield Met(stream, hit, at)


Batch = list[tuple[str, str]]


def load_of(core: Core, task: str, load: str) -> Load:
    """A load into a task, or into a process that it is a step of.

    Raises Refused("load_not_found").
    """
    stream = keys.manual_stream("load", load)
    found: Load | None = core.executor.read(stream).head if stream else None
    if found is None or (found.owner.startswith("t_") and found.owner != f"t_{task}"):
        raise Refused("load_not_found", f"there is no load {load!r} of this task", load=load)
    return found


def _by_index(
    core: Core, task: str, load: str | None, cursor: str | None, chunk: int
) -> Iterator[Batch]:
    kind, index, prefix = (int, "number", "") if load is None else (str, "ref", f"{load[2:]}/")
    after = Found(*paging.decode(cursor, kind, str, str)) if cursor else None
    while True:
        found = core.store.read_index(index, task, after=after, limit=chunk, prefix=prefix)
        yield [(one.stream, paging.encode(one.value, one.stream, one.thing)) for one in found]
        if len(found) < chunk:
            return
        after = found[-1]


def _by_line(core: Core, task: str, status: str, cursor: str | None, chunk: int) -> Iterator[Batch]:
    lanes = LANES[status]
    first, after = _line_cursor(cursor, lanes)
    for number in range(first, len(lanes)):
        line = keys.hits_line(task, lanes[number])
        while True:
            spots = core.store.read_line(line, after=after, limit=chunk)
            yield [(one.stream, paging.encode(number, *one)) for one in spots]
            if len(spots) < chunk:
                break
            after = spots[-1]
        after = None


def _line_cursor(cursor: str | None, lanes: Sequence[str]) -> tuple[int, Spot | None]:
    if cursor is None:
        return 0, None
    number, *parts = paging.decode(cursor, int, *paging.SPOT)
    if not 0 <= number < len(lanes):
        raise Refused("invalid_query", "this cursor is of another list", field="cursor")
    return number, paging.spot(parts)


def history(core: Core, hit: str, cursor: str | None, limit: int) -> Page[EventShown]:
    """Every event of a hit, oldest first. Raises Refused("hit_not_found")."""
    stream = stream_of(hit)
    if core.executor.read(stream).head is None:
        raise not_found(hit)
    return histories.page(core, stream, cursor, limit)
