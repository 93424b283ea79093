"""What a `next` sees: the queue, the run, and the items that can be tried, in order."""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from workledger import keys
from workledger.errors import StoreError
from workledger.ledger import fold
from workledger.ledger.aggregate import Command
from workledger.ledger.commit import Commit
from workledger.ledger.execute import Result
from workledger.queues import item_commands
from workledger.queues import queue as queue_rules
from workledger.queues.item import Item, Waiting, ready_place
from workledger.queues.queue import Queue
from workledger.service import queues, runs
from workledger.service.core import Core
from workledger.service.runs import Lease
from workledger.stores.port import Beat
from workledger.views import claim as memory
from workledger.views.order import Spot, spot
from workledger.views.row import Row

SETTLE = 25
"""Overdue things that a taker settles itself; the timekeeper does the rest."""

MOST_BYTES = 4 * 1024 * 1024
"""An answer's data stops here, decided before anything is claimed (Q27)."""


@dataclass(frozen=True, slots=True)
class Line:
    """The lines of a queue that a taker looks at."""

    queue: str

    @property
    def name(self) -> str:
        """The ready line."""
        return keys.queue_line(self.queue, "new")

    @property
    def deferred(self) -> str:
        """The line of what is not to be taken yet."""
        return keys.queue_line(self.queue, "deferred")

    @property
    def in_progress(self) -> str:
        """The line of what runs hold."""
        return keys.queue_line(self.queue, "in_progress")


@dataclass(frozen=True, slots=True)
class Sight:
    """What one look brought: the queue's settings and the head of what is ready.

    `ready` are the first `asked` spots of the line, `unseen` those that it may not show yet.
    `moving`: something that is due was being moved by another at that moment.
    """

    queue: Queue
    ready: list[Spot]
    asked: int
    unseen: list[Spot]
    moving: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready item, strongly read; `ahead` is how many stand before it on the line."""

    spot: Spot
    row: Row
    item: Item
    ahead: int = 0


def look(core: Core, actor: str, line: Line, run: str, most: int) -> Sight:
    """Read side by side the queue and the run, what is deferred and due, and the ready line.

    Due items are settled and count as ready. Raises Refused: queue_not_found, run_ended,
    foreign_run.
    """
    now = core.clock()
    asked = _asked(core, line, most, now)
    lookups = core.store.together(
        [
            partial(core.store.heads_and_beats, _streams(line, run)),
            partial(core.store.read_line, line.deferred, limit=SETTLE, until=now),
            partial(core.store.read_line, line.name, limit=asked),
        ]
    )
    (heads, beats), due, ready = lookups
    queue, lease = _admitted(core, actor, line, run, heads, beats)
    runs.beat_if_half_gone(core, lease)
    settled, moving = ([], False) if queue.settings.paused else _settle_due(core, due, now)
    recent = core.memory.recent(line.name, now) if core.store.lag else []
    return Sight(queue, ready, asked, sorted({*settled, *recent}), moving)


def _asked(core: Core, line: Line, most: int, now: str) -> int:
    """Spots to read. Where lines never lag: what may be taken, beyond what others here take."""
    spread = 1 << core.memory.k(line.name, now)
    if core.store.lag:
        return max(most, memory.PAGE, 2 * spread)
    return most + core.memory.claiming() + spread


def admit(core: Core, actor: str, line: Line, run: str) -> Queue:
    """The queue, if this run may take from it: all that a repeat needs to know.

    Raises Refused: queue_not_found, run_ended, foreign_run.
    """
    heads, beats = core.store.heads_and_beats(_streams(line, run))
    return _admitted(core, actor, line, run, heads, beats)[0]


def _streams(line: Line, run: str) -> list[str]:
    located = keys.queue_of(line.queue)
    if located is None:
        raise queue_rules.not_found(line.queue)
    return [located[0], keys.run_stream(run)]


def _admitted(
    core: Core,
    actor: str,
    line: Line,
    run: str,
    heads: Mapping[str, Row],
    beats: Mapping[str, Beat],
) -> tuple[Queue, Lease]:
    stream, generation = queues.locate(line.queue)
    seen = fold.seen(core.executor.aggregates, stream, _head(heads.get(stream)))
    queue = queue_rules.live(seen, generation)
    queue = queue or queue_rules.live(core.executor.read(stream), generation)
    if queue is None:
        raise queue_rules.not_found(line.queue)
    return queue, runs.check_own(core, actor, run, runs.lease_of(core, run, heads, beats))


def _head(row: Row | None) -> dict[str, Row]:
    return {keys.HEAD: row} if row is not None else {}


def _settle_due(core: Core, due: Sequence[Spot], now: str) -> tuple[list[Spot], bool]:
    """Move what is due to its place on the ready line; answers where it now stands.

    Who was faster may be the timekeeper, whose work the line does not show yet: then another look
    is needed, and what is ready already counts although the line still shows it as deferred.
    """
    rows = core.store.rows([(one.stream, keys.HEAD) for one in due]) if due else {}
    ready: list[Spot] = []
    commands: list[tuple[Command, dict[str, Row]]] = []
    for (stream, thing), row in rows.items():
        item: Item = fold.state(core.executor.aggregates["item"], row)
        if item.status == Waiting():
            ready.append(spot(ready_place(stream, item), stream, thing))
        elif isinstance(item.status, Waiting) and str(item.status.not_before) <= now:
            decide = partial(item_commands.ready, generation=item.generation, now=now)
            commands.append((core.command(stream, "system", decide), _head(row)))
    results = core.executor.once_all(commands) if commands else []
    for one in results:
        if isinstance(one, Commit):
            heal(core, one, now)
        elif one.commit is not None:
            stream = one.commit.stream
            ready.append(spot(ready_place(stream, one.head), stream, keys.HEAD))
    return ready, not all(isinstance(one, Result) for one in results)


def heal(core: Core, commit: Commit, now: str) -> None:
    """Finish the commit that a race was lost to, unless its writer is at it this moment.

    A store that is too busy for that leaves it to others: the loser came for something else.
    """
    if memory.should_heal(commit.at, now):
        with suppress(StoreError):
            core.executor.finish(commit)


def candidates(core: Core, line: Line, sight: Sight, most: int) -> list[Candidate]:
    """The items to try: the first `most`, or after lost races those from one of the first 2^k on.

    An index may still show where an item stood before: only what its row says counts, and what
    stands further on in truth waits for its turn.
    """
    spread = min(1 << core.memory.k(line.name, core.clock()), len(sight.ready) - most + 1)
    start = core.choose(spread) if spread > 1 else 0
    size = max(most, memory.WINDOW if core.store.lag else 1)
    found: dict[Spot, Candidate] = {}
    beyond: dict[Spot, Candidate] = {}
    for spots in _windows(core, line, sight, start, size):
        met = beyond | {one.spot: one for one in _ready(core, spots)}
        found |= {spot: met[spot] for spot in sorted(met) if spot <= spots[-1]}
        beyond = {spot: one for spot, one in met.items() if spot > spots[-1]}
        if len(found) >= most:
            break
    else:
        found |= {spot: beyond[spot] for spot in sorted(beyond)}
    chosen = _within(list(found.values())[:most])
    passed = sight.ready[:start]
    return [
        replace(one, ahead=bisect(passed, one.spot) + at) if start or at else one
        for at, one in enumerate(chosen)
    ]


def _within(chosen: list[Candidate]) -> list[Candidate]:
    """As many as the answer may bear."""
    total = 0
    for index, one in enumerate(chosen):
        total += one.item.size + 1024
        if total > MOST_BYTES and index:
            return chosen[:index]
    return chosen


def being_claimed(core: Core, line: Line, sight: Sight) -> bool:
    """Whether an item is ready and only passed over because this process is claiming it."""
    for page in _pages(core, line, sight):
        free = set(core.memory.free(page, core.clock()))
        if _ready(core, [one for one in page if one not in free]):
            return True
    return False


def _windows(core: Core, line: Line, sight: Sight, start: int, size: int) -> Iterator[list[Spot]]:
    """The spots of the line in windows, from one on; those before it come last.

    What this process is claiming is passed over.
    """
    before: list[Spot] = []
    for page in _pages(core, line, sight):
        free = core.memory.free(page, core.clock())
        if start:
            before, free, start = free[:start], free[start:], 0
        yield from _cut(free, size)
    yield from _cut(before, size)


def _cut(spots: list[Spot], size: int) -> Iterator[list[Spot]]:
    for start in range(0, len(spots), size):
        yield spots[start : start + size]


def _pages(core: Core, line: Line, sight: Sight) -> Iterator[list[Spot]]:
    """The spots of the line, page by page; what it does not show yet stands where it belongs."""
    page, asked, unseen = sight.ready, sight.asked, sight.unseen
    while len(page) == asked:
        end = page[-1]
        yield sorted({*page, *(one for one in unseen if one <= end)})
        unseen = [one for one in unseen if one > end]
        asked = memory.PAGE
        page = core.store.read_line(line.name, after=end, limit=asked)
    yield sorted({*page, *unseen})


def _ready(core: Core, spots: Sequence[Spot]) -> list[Candidate]:
    """Those that are still ready, read consistently in one batch, at their true place."""
    rows = core.store.rows([(one.stream, one.thing) for one in spots]) if spots else {}
    found: list[Candidate] = []
    for (stream, thing), row in rows.items():
        item: Item | None = fold.state(core.executor.aggregates["item"], row)
        if item is not None and item.status == Waiting():
            found.append(Candidate(spot(ready_place(stream, item), stream, thing), row, item))
    return found
