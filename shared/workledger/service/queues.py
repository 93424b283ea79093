"""Queues: create, show, list, change, delete, count (Q1 to Q8, Q70)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.queues import queue as queues
from workledger.queues.item import LINES
from workledger.queues.queue import Queue, Settings
from workledger.service import counting, histories, paging
from workledger.service.core import Core, EventShown, Page
from workledger.views.order import BLANK, Spot

COUNT_LIMIT = 10_000
"""On a store whose lines lag, one queue's lines are counted up to here; beyond, as fed."""

PRIORITIES_LOOKED_AT = 16
"""The oldest waiting item is exact for this many different priorities."""


@dataclass(frozen=True, slots=True)
class Found:
    """A live queue: its id, its stream, its settings."""

    id: str
    stream: str
    queue: Queue


@dataclass(frozen=True, slots=True)
class QueueShown:
    """A queue as people see it."""

    id: str
    queue: Queue
    counts: Mapping[str, int]
    oldest_waiting_at: str | None


def locate(queue: str) -> tuple[str, int | None]:
    """(stream, generation) of a queue's id, or (stream, None) of its name."""
    by_id = keys.queue_of(queue)
    if by_id is not None:
        return by_id
    try:
        return keys.queue_stream(queues.clean_name(queue)), None
    except Refused as refused:
        raise queues.not_found(queue) from refused


def find(core: Core, queue: str) -> Found:
    """The live queue of a name or id. Raises Refused("queue_not_found") (Q5)."""
    stream, generation = locate(queue)
    seen = fold.seen(core.executor.aggregates, stream, core.store.load(stream))
    found = queues.live(seen, generation) or queues.live(core.executor.read(stream), generation)
    if found is None:
        raise queues.not_found(queue)
    return Found(keys.queue_id(stream, found.generation), stream, found)


def create(core: Core, actor: str, name: str, settings: Settings) -> QueueShown:
    """Create a queue. Raises Refused: invalid_value, queue_exists."""
    name = queues.clean_name(name)
    command = core.new_id()
    stream = keys.queue_stream(name)
    decide = partial(queues.create, name=name, settings=settings, command=command)
    result = core.executor.run(core.command(stream, actor, decide, command=command))
    return _shown(core, stream, result.head)


def show(core: Core, queue: str, as_of: str | None = None) -> QueueShown:
    """A queue as it is, or its settings as they were at a moment (Q92)."""
    if as_of is not None:
        return _as_of(core, queue, as_of)
    found = find(core, queue)
    return _shown(core, found.stream, found.queue)


def _as_of(core: Core, queue: str, as_of: str) -> QueueShown:
    stream, generation = locate(queue)
    states: Mapping[str, Any] = {}
    for commit in core.store.commits(stream):
        if commit.at > as_of:
            break
        states = fold.after(core.executor.aggregates["queue"], commit, states)
    was: Queue | None = states.get(keys.HEAD)
    if was is None or was.deleted_at or generation not in (None, was.generation):
        raise queues.not_found(queue)
    return QueueShown(keys.queue_id(stream, was.generation), was, {}, None)


def page(core: Core, name: str | None, cursor: str | None, limit: int) -> Page[QueueShown]:
    """Live queues by name; with `name`, exactly that one (Q3)."""
    if name is not None:
        try:
            found = find(core, name)
        except Refused:
            return Page([])
        return Page([_shown(core, found.stream, found.queue)] if found.queue.name == name else [])
    after_spot = paging.spot(paging.decode(cursor, *paging.SPOT)) if cursor else None
    spots = core.store.read_line(keys.QUEUES_LINE, after=after_spot, limit=limit)
    reads = [partial(core.executor.read, spot.stream) for spot in spots]
    seen = core.store.together(reads)
    live = [(one.stream, queue) for one in seen if (queue := queues.live(one)) is not None]
    ids = [keys.queue_id(stream, queue.generation) for stream, queue in live]
    fed = counting.fed(core, ids)
    shown = [
        _shown(core, stream, queue, fed.get(queue_id))
        for (stream, queue), queue_id in zip(live, ids, strict=True)
    ]
    return Page(shown, paging.encode(*spots[-1]) if len(spots) == limit else None)


def change(
    core: Core, actor: str, queue: str, version: int, values: Mapping[str, Any]
) -> QueueShown:
    """Change settings based on a version (Q4). Raises queue_not_found, version_mismatch."""
    found = find(core, queue)
    command = core.new_id()
    decide = partial(
        queues.change,
        generation=found.queue.generation,
        version=version,
        new=values,
        command=command,
    )
    result = core.executor.run(core.command(found.stream, actor, decide, command=command))
    return _shown(core, found.stream, result.head)


def delete(core: Core, actor: str, queue: str, version: int | None) -> None:
    """Delete a queue and with it all its items (Q5)."""
    found = find(core, queue)
    command = core.new_id()
    decide = partial(
        queues.delete, generation=found.queue.generation, version=version, command=command
    )
    core.executor.run(core.command(found.stream, actor, decide, command=command))


def restore(core: Core, actor: str, queue: str) -> QueueShown:
    """Undo the delete of a queue, of a name or id, with all its items (Q95).

    Raises Refused: queue_not_found, queue_exists, too_late.
    """
    stream, generation = locate(queue)
    command, now = core.new_id(), core.clock()
    decide = partial(queues.restore, generation=generation, now=now, command=command)
    result = core.executor.run(core.command(stream, actor, decide, command=command))
    return _shown(core, stream, result.head)


def count(core: Core, queue: str) -> dict[str, int]:
    """Items by status, and all of them (Q70)."""
    counts = counts_of(core, find(core, queue).id)
    return {"all": sum(counts.values()), **counts}


def counts_of(core: Core, queue: str, limit: int = COUNT_LIMIT) -> dict[str, int]:
    """Items by status of a queue id: the lines counted; beyond `limit`, where they lag, as fed."""
    lines = [keys.queue_line(queue, lane) for lanes in LINES.values() for lane in lanes]
    limit = limit if core.store.lag else 1 << 60
    reads = [partial(core.store.count_line, line, limit) for line in lines]
    counted = dict(zip(lines, core.store.together(reads), strict=True))
    capped = max(counted.values()) >= limit
    fed = counting.fed(core, [queue]).get(queue, {}) if capped else {}
    found: dict[str, int] = {}
    for status, lanes in LINES.items():
        parts = [counted[keys.queue_line(queue, lane)] for lane in lanes]
        found[status] = max(sum(parts), fed.get(status, 0) if max(parts) >= limit else 0)
    return found


def history(core: Core, queue: str, cursor: str | None, limit: int) -> Page[EventShown]:
    """Every event of a queue's settings, oldest first (Q91)."""
    stream, _ = locate(queue)
    if core.executor.read(stream).head is None:
        raise queues.not_found(queue)
    return histories.page(core, stream, cursor, limit)


def _shown(
    core: Core, stream: str, queue: Queue, counts: Mapping[str, int] | None = None
) -> QueueShown:
    """A queue with these counts, or else with its lines counted."""
    queue_id = keys.queue_id(stream, queue.generation)
    counts = counts_of(core, queue_id) if counts is None else counts
    return QueueShown(queue_id, queue, counts, _oldest(core, queue_id))


def _oldest(core: Core, queue: str) -> str | None:
    """The earliest arrival on the ready line: the first of each priority, skipping the others."""
    line = keys.queue_line(queue, "new")
    oldest: str | None = None
    after_spot: Spot | None = None
    for _ in range(PRIORITIES_LOOKED_AT):
        spots = core.store.read_line(line, after=after_spot, limit=1)
        if not spots:
            break
        spot = spots[0]
        oldest = min(oldest or spot.date, spot.date)
        after_spot = Spot(spot.rank, "~", 0, BLANK, BLANK, BLANK)
    return oldest
