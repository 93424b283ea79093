"""Hits as requesters and adjudicators see them: with everybody's answers (M23, M26, M60)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.manual import common
from workledger.manual.shown import (
    AssignmentShown,
    DecisionShown,
    HitShown,
    shown_many,
    status_of,
)
from workledger.manual_tasks.hit import DONE, NO_MAJORITY, Hit
from workledger.manual_tasks.load import Load
from workledger.service import histories, paging
from workledger.service.core import Core, EventShown, Page
from workledger.stores.port import Found
from workledger.views.order import Spot

__all__ = ["AssignmentShown", "DecisionShown", "HitShown", "history", "page", "show"]

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


def not_found(hit: str) -> Refused:
    """The refusal for an id that no hit has."""
    return Refused("hit_not_found", f"there is no record {hit!r}", hit=hit)


def stream_of(hit: str) -> str:
    """The stream of a hit's id. Raises Refused("hit_not_found")."""
    stream = keys.manual_stream("hit", hit)
    if stream is None:
        raise not_found(hit)
    return stream


def show(core: Core, hit: str) -> HitShown:
    """A hit with everybody's assignments. Raises Refused("hit_not_found")."""
    stream = stream_of(hit)
    found: Hit | None = core.executor.read(stream).head
    if found is None:
        raise not_found(hit)
    return shown_many(core, [(stream, found)])[0]


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
    """Every hit of a task (its 26 characters) that is meant, in the list's order.

    Those of a load that is not complete are not there yet (M54).
    """
    chunk, now = min(chunk, CHUNK), core.clock()
    if load is not None:
        load_of(core, task, load)
    if status is not None and load is None:
        batches = _by_line(core, task, status, cursor, chunk)
    else:
        batches = _by_index(core, task, load, cursor, chunk)
    half = set[str]()
    for batch in batches:
        met = dict(batch)  # an index that lags may show a hit twice
        rows = core.store.rows([(stream, HEAD) for stream in met]) if met else {}
        for stream, at in met.items():
            hit: Hit | None = core.executor.state(rows.get((stream, HEAD)))
            if hit is None or status not in (None, status_of(hit, now)) or hit.load in half:
                continue
            if common.is_complete(core, hit.load):
                yield Met(stream, hit, at)
            else:
                half.add(hit.load)


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
