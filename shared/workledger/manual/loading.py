"""Loads: validated whole, then all records or none, once, also over a crash half-way (M54, M55).

The records are written to the ledger first, then LoadStarted names them, then the hits are made, a
hundred at a time, then LoadCompleted makes them visible together. Whoever finds a load half done
goes on: who sends it again with its key, or the timekeeper.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger.aggregate import Command
from workledger.manual import common, making, storing
from workledger.manual.storing import Stored
from workledger.manual_tasks import load as loads
from workledger.manual_tasks import task_commands
from workledger.manual_tasks.load import REQUEST_SECONDS, Load
from workledger.manual_tasks.records import Records
from workledger.service import paging
from workledger.service.core import Core, Page
from workledger.times import plus

BATCH = 100
"""Hits that are made side by side."""


@dataclass(frozen=True, slots=True)
class LoadShown:
    """A load, and how many of its records are there already."""

    id: str
    load: Load
    created: int


@dataclass(frozen=True, slots=True)
class Target:
    """What is loaded into: `id` is a task's or a process's, `version` what the records follow.

    `ordering` is a task's newest ordering.
    """

    id: str
    version: int
    ordering: int = 0

    @property
    def bare(self) -> str:
        """The 26 characters of the id."""
        return self.id.partition("_")[2]


def not_found(load: str) -> Refused:
    """The refusal for an id that no load has."""
    return Refused("load_not_found", f"there is no load {load!r}", load=load)


# --- starting -----------------------------------------------------------------------------------


def load(
    core: Core,
    actor: str,
    task: str,
    records: Records,
    key: str | None,
    body: str,
    started: str,
    *,
    seconds: float = REQUEST_SECONDS,
) -> LoadShown:
    """Load records into a manual task; `started` is the moment that undated ones count from (M2).

    What is not done `seconds` after that, the timekeeper does. With a key a repeat answers the same
    load. Raises Refused: task_not_found, task_archived, key_reused, invalid_records.
    """
    found = common.find_task(core, task)
    target = Target(found.id, found.task.hit_type, found.task.newest.version)
    earlier = _earlier(core, actor, target, key, body)
    if earlier is not None:
        return carry_on(core, earlier, plus(core.clock(), seconds))
    if found.task.settings.archived:
        detail = f"the task {found.task.name!r} is archived: nothing is loaded into it"
        raise Refused("task_archived", detail)
    _see_columns(core, actor, found, records.columns)
    return into(core, actor, target, records, key, body, started, seconds=seconds)


def _see_columns(core: Core, actor: str, found: common.Found, columns: Sequence[str]) -> None:
    known = set(found.task.columns)
    if any(one not in known for one in columns):
        decide = partial(task_commands.see_columns, columns=columns)
        core.executor.run(core.command(found.stream, actor, decide))


def into(
    core: Core,
    actor: str,
    target: Target,
    records: Records,
    key: str | None,
    body: str,
    started: str,
    *,
    seconds: float = REQUEST_SECONDS,
) -> LoadShown:
    """Load records into a task or a process that was found. Raises Refused as `load` does."""
    until = plus(started, seconds)
    earlier = _earlier(core, actor, target, key, body)
    if earlier is not None:
        return carry_on(core, earlier, plus(core.clock(), seconds))
    stream = _stream(core, actor, target, key)
    kept = storing.stored(records.records)
    chunks = storing.write(core, actor, stream, kept)
    first, _ = core.store.take_numbers(target.bare, len(kept), core.clock())
    data = _data(target, records, first, body, chunks)
    command = Command(stream, core.new_id(), actor, started, partial(loads.start, data=data))
    mine = core.executor.run(command).commit is not None
    return carry_on(core, stream, until, kept if mine else None)


def _data(
    target: Target, records: Records, first: int, body: str, chunks: storing.Chunks
) -> dict[str, Any]:
    return {
        "owner": target.id,
        "version": target.version,
        "ordering": target.ordering,
        "count": len(records.records),
        "first": first,
        "body": body,
        "columns": list(records.columns),
        "report": asdict(records.report),
        "chunks": [list(one) for one in chunks],
    }


def _stream(core: Core, actor: str, target: Target, key: str | None) -> str:
    """The stream of a load: of its key, so that there is one for each."""
    unique = core.new_id() if key is None else keys.digest("key", actor, key)
    return keys.load_stream(target.bare, unique)


def _earlier(core: Core, actor: str, target: Target, key: str | None, body: str) -> str | None:
    """The stream of the load that was started with this key before. Raises key_reused."""
    if key is None:
        return None
    stream = _stream(core, actor, target, key)
    found: Load | None = core.executor.read(stream).head
    if found is None:
        return None
    loads.same(found, body)
    return stream


# --- going on -----------------------------------------------------------------------------------


def carry_on(
    core: Core, stream: str, until: str, kept: Sequence[Stored] | None = None
) -> LoadShown:
    """Go on with a load until a moment, a hundred records at least; safe to do at once, twice.

    `kept` are its records where it has just been started.
    """
    found: Load = core.executor.read(stream).head
    if found.completed_at is not None:
        return LoadShown(keys.manual_id(stream), found, found.count)
    done = 0 if kept is not None else created(core, stream, found)
    done = done // BATCH * BATCH
    maker = making.maker(core, stream, found, kept, done)
    for batch in _batches(maker.records):
        maker.make(batch)
        done += len(batch)
        if core.clock() >= until and done < found.count:
            return LoadShown(keys.manual_id(stream), found, done)
    if not maker.finish(until):
        return LoadShown(keys.manual_id(stream), found, done)
    result = core.executor.run(core.command(stream, found.started_by, loads.complete))
    core.complete_loads.add(keys.bare(stream))
    return LoadShown(keys.manual_id(stream), result.head, found.count)


def _batches(records: Iterator[Stored]) -> Iterator[list[Stored]]:
    while batch := list(islice(records, BATCH)):
        yield batch


def created(core: Core, stream: str, load: Load) -> int:
    """How many records of a half load are there: batch comes after batch (M54)."""
    low, high = 0, -(-load.count // BATCH)
    while low < high:
        middle = (low + high) // 2
        if _there(core, stream, load, middle):
            low = middle + 1
        else:
            high = middle
    return (low - 1) * BATCH + _there(core, stream, load, low - 1) if low else 0


def _there(core: Core, stream: str, load: Load, batch: int) -> int:
    """How many of a batch are there, strongly read."""
    name = keys.hit_stream if load.owner.startswith("t_") else keys.record_stream
    first = batch * BATCH + 1
    indexes = range(first, min(first + BATCH, load.count + 1))
    return len(core.store.rows([(name(keys.bare(stream), one), HEAD) for one in indexes]))


def sweep(core: Core, stream: str, now: str, seconds: float) -> str | None:
    """Go on with a load whose request does no more (timekeeper); answers the next moment."""
    found: Load | None = core.executor.read(stream).head
    due = loads.due(found) if found is not None else None
    if due is None or now < due:
        return due
    shown = carry_on(core, stream, plus(core.clock(), seconds))
    return None if shown.load.completed_at is not None else core.clock()


# --- looking ------------------------------------------------------------------------------------


def show(core: Core, load_id: str) -> LoadShown:
    """A load, and how far it is (M54). Raises Refused("load_not_found")."""
    stream = keys.manual_stream("load", load_id)
    found: Load | None = core.executor.read(stream).head if stream is not None else None
    if stream is None or found is None:
        raise not_found(load_id)
    return _shown(core, stream, found)


def page(core: Core, task: str, cursor: str | None, limit: int) -> Page[LoadShown]:
    """The loads of a task, the newest first. Raises Refused: task_not_found, invalid_query."""
    return page_of(core, keys.bare(common.find_task(core, task).stream), cursor, limit)


def page_of(core: Core, owner: str, cursor: str | None, limit: int) -> Page[LoadShown]:
    """The loads of a task or process (its 26 characters), the newest first."""
    after = paging.spot(paging.decode(cursor, *paging.SPOT)) if cursor else None
    spots = core.store.read_line(keys.loads_line(owner), after=after, limit=limit, backwards=True)
    rows = core.store.rows([(one.stream, HEAD) for one in spots]) if spots else {}
    heads = [(one.stream, core.executor.state(rows.get((one.stream, HEAD)))) for one in spots]
    shown = [_shown(core, stream, head) for stream, head in heads if head is not None]
    return Page(shown, paging.encode(*spots[-1]) if len(spots) == limit else None)


def _shown(core: Core, stream: str, load: Load) -> LoadShown:
    complete = load.completed_at is not None
    made = load.count if complete else created(core, stream, load)
    return LoadShown(keys.manual_id(stream), load, made)
