"""Lists of items, page by page, and what is done to all that match a filter (Q71, Q72)."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Command
from workledger.queues import item_commands
from workledger.queues.item import LINES, Completed, Failed, Held, Item
from workledger.service import items, paging, queues
from workledger.service.core import Core, Page
from workledger.service.items import DecideItem, ItemShown
from workledger.stores.port import Found
from workledger.views.order import Spot

MOST_BYTES = 4 * 1024 * 1024
"""A page's data stops here."""

CHUNK = 100

MATCHED_AT_ONCE = 1_000
"""A request on all that match stops here and answers where to go on."""

NEWEST_FIRST = ("completed", "failed")


@dataclass(frozen=True, slots=True)
class Met:
    """An item met while walking a list, and the cursor that goes on after it."""

    stream: str
    thing: str
    item: Item
    cursor: str


def page(
    core: Core,
    queue: str,
    status: str | None,
    reference: str | None,
    cursor: str | None,
    limit: int,
) -> Page[ItemShown]:
    """Items of a queue (Q71): All by arrival, New in the order of taking, closed newest first.

    With a reference's beginning: by reference. A page stops at 4 MB of data. An item that does not
    move while one pages appears exactly once. Raises Refused: queue_not_found, invalid_query.
    """
    found = queues.find(core, queue)
    prefix = unicodedata.normalize("NFC", reference) if reference is not None else None
    walk = _walk(core, found.id, status, prefix, cursor, limit + 1)
    met = list(islice(walk, limit + 1))
    shown = _within(met[:limit])
    more = len(met) > len(shown)
    answer = items.shown_many(core, found.queue.name, [(one.stream, one.item) for one in shown])
    return Page(answer, shown[-1].cursor if more else None)


def _within(met: list[Met]) -> list[Met]:
    total = 0
    for index, one in enumerate(met):
        total += one.item.size + 512
        if total > MOST_BYTES and index:
            return met[:index]
    return met


def _walk(
    core: Core, queue: str, status: str | None, prefix: str | None, cursor: str | None, chunk: int
) -> Iterator[Met]:
    """Every item that the filter names, in the list's order, from the cursor on."""
    status = None if status == "all" else status
    chunk = min(chunk, CHUNK)
    if prefix is not None:
        found = _by_index(core, "ref", queue, prefix, cursor, chunk)
    elif status is None:
        found = _by_index(core, "number", queue, "", cursor, chunk)
    else:
        found = _by_line(core, queue, status, cursor, chunk)
    for batch in found:
        rows = core.store.rows([(stream, thing) for stream, thing, _ in batch])
        for stream, thing, at in batch:
            item = items.item_in(core, rows.get((stream, thing)))
            if item is not None and _shows(item, status):
                yield Met(stream, thing, item, at)


def _shows(item: Item, status: str | None) -> bool:
    """An index may lag: what an item's row says decides."""
    return item.status_name == status if status else item.status_name in LINES


Batch = list[tuple[str, str, str]]


def _by_index(
    core: Core, index: Any, queue: str, prefix: str, cursor: str | None, chunk: int
) -> Iterator[Batch]:
    kind = int if index == "number" else str
    after = Found(*paging.decode(cursor, kind, str, str)) if cursor else None
    while True:
        found = core.store.read_index(index, queue, after=after, limit=chunk, prefix=prefix)
        yield [(one.stream, one.thing, _index_cursor(one)) for one in found]
        if len(found) < chunk:
            return
        after = found[-1]


def _index_cursor(found: Found) -> str:
    return paging.encode(found.value, found.stream, found.thing)


def _by_line(
    core: Core, queue: str, status: str, cursor: str | None, chunk: int
) -> Iterator[Batch]:
    lanes = LINES[status]
    first, after = _line_cursor(cursor, lanes)
    for number in range(first, len(lanes)):
        line = keys.queue_line(queue, lanes[number])
        while True:
            spots = core.store.read_line(
                line, after=after, limit=chunk, backwards=status in NEWEST_FIRST
            )
            yield [(one.stream, one.thing, paging.encode(number, *one)) for one in spots]
            if len(spots) < chunk:
                break
            after = spots[-1]
        after = None


def _line_cursor(cursor: str | None, lanes: Sequence[str]) -> tuple[int, Spot | None]:
    if not cursor:
        return 0, None
    number, *parts = paging.decode(cursor, int, *paging.SPOT)
    if not 0 <= number < len(lanes):
        raise Refused("invalid_query", "this cursor is of another list", field="cursor")
    return number, paging.spot(parts)


# --- all that match -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items: by status, closed (or, if open, added) since, a reason's beginning."""

    status: str | None = None
    since: str | None = None
    reason_prefix: str | None = None

    def matches(self, item: Item) -> bool:
        """Whether an item is meant."""
        status = item.status
        moment = status.at if isinstance(status, Completed | Failed) else item.arrived
        if self.since is not None and moment < self.since:
            return False
        if self.reason_prefix is None:
            return True
        return isinstance(status, Failed) and status.reason.startswith(self.reason_prefix)


@dataclass(frozen=True, slots=True)
class Matched:
    """What a request on all that match did: `ids` are those it did, or would do."""

    matched: int
    done: int
    skipped: int
    ids: list[str]
    next_cursor: str | None


def requeue_matching(
    core: Core, actor: str, queue: str, wanted: Filter, dry_run: bool, cursor: str | None
) -> Matched:
    """Back to the queue for all failed items that match; those that cannot are skipped (Q34)."""
    if wanted.status not in (None, "failed"):
        raise Refused(
            "invalid_value", "only failed items go back to the queue", field="filter.status"
        )
    failed = Filter("failed", wanted.since, wanted.reason_prefix)
    return _for_all(core, actor, queue, failed, dry_run, cursor, item_commands.requeue)


def delete_matching(
    core: Core, actor: str, queue: str, wanted: Filter, dry_run: bool, cursor: str | None
) -> Matched:
    """Delete all items that match and are not in progress (Q72)."""
    return _for_all(core, actor, queue, wanted, dry_run, cursor, item_commands.delete)


def _for_all(
    core: Core,
    actor: str,
    queue: str,
    wanted: Filter,
    dry_run: bool,
    cursor: str | None,
    decide: DecideItem,
) -> Matched:
    found = queues.find(core, queue)
    walk = _walk(core, found.id, wanted.status, None, cursor, CHUNK)
    matching = (one for one in walk if wanted.matches(one.item))
    met = list(islice(matching, MATCHED_AT_ONCE + 1))
    more, met = len(met) > MATCHED_AT_ONCE, met[:MATCHED_AT_ONCE]
    free = [one for one in met if not isinstance(one.item.status, Held)]
    done = free if dry_run else _run_all(core, actor, free, decide)
    ids = [keys.item_id(one.stream, one.item.generation) for one in done]
    return Matched(
        matched=len(met),
        done=0 if dry_run else len(done),
        skipped=len(met) - len(done),
        ids=ids,
        next_cursor=met[-1].cursor if more else None,
    )


def _run_all(core: Core, actor: str, met: Sequence[Met], decide: DecideItem) -> list[Met]:
    """One stream may be met more than once (its generations): those go in rounds of their own."""
    done: set[tuple[str, str]] = set()
    waiting: list[Met] = list(met)
    while waiting:
        batch: dict[str, Met] = {one.stream: one for one in reversed(waiting)}
        waiting = [one for one in waiting if batch[one.stream] is not one]
        commands = [_command(core, actor, one, decide) for one in batch.values()]
        results = core.executor.run_all(commands)
        ran = zip(batch.values(), results, strict=True)
        done |= {(one.stream, one.thing) for one, result in ran if result.commit}
    return [one for one in met if (one.stream, one.thing) in done]


def _command(core: Core, actor: str, one: Met, decide: DecideItem) -> Command:
    things = () if one.thing == keys.HEAD else (one.thing,)
    return core.command(one.stream, actor, lambda seen: decide(seen, one.item.generation), things)
