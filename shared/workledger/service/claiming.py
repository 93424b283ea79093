"""The claim of work items: look, choose, put once; the steps of a `next`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.ledger.aggregate import Command
from workledger.ledger.commit import Commit
from workledger.ledger.execute import Result
from workledger.queues import item_commands
from workledger.queues import queue as queue_rules
from workledger.queues import run as run_rules
from workledger.queues.choices import Choice
from workledger.queues.item import Held, Item, Waiting, ready_place
from workledger.queues.queue import Queue
from workledger.service import runs
from workledger.service.core import Core
from workledger.times import plus
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
    """What one look brought: the queue's settings and the head of what is ready."""

    queue: Queue
    ready: list[Spot]
    complete: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready item, strongly read; `ahead` is how many ready ones stand before it."""

    spot: Spot
    row: Row
    item: Item
    ahead: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """A take that stands, and the item as the take made it."""

    commit: Commit
    item: Item


def look(core: Core, actor: str, line: Line, run: str) -> Sight:
    """Read side by side the queue and the run, what is deferred and due, and the ready line.

    Due items are settled and count as ready. Raises Refused: queue_not_found, run_ended,
    foreign_run.
    """
    located = keys.queue_of(line.queue)
    if located is None:
        raise queue_rules.not_found(line.queue)
    stream, generation = located
    now = core.clock()
    lookups = core.store.together(
        [
            partial(core.store.heads_and_beats, [stream, keys.run_stream(run)]),
            partial(core.store.read_line, line.deferred, limit=SETTLE, until=now),
            partial(core.store.read_line, line.name, limit=_page(core)),
        ]
    )
    (heads, beats), due, ready = lookups
    seen = fold.seen(core.executor.aggregates, stream, _head(heads.get(stream)))
    queue = queue_rules.live(seen, generation)
    queue = queue or queue_rules.live(core.executor.read(stream), generation)
    if queue is None:
        raise queue_rules.not_found(line.queue)
    lease = runs.check_own(core, actor, run, runs.lease_of(core, run, heads, beats))
    runs.beat_if_half_gone(core, lease)
    settled = _settle_due(core, due) if due and not queue.settings.paused else []
    recent = core.memory.recent(line.name, now) if core.store.lag else []
    return Sight(queue, sorted({*ready, *settled, *recent}), len(ready) < _page(core))


def _page(core: Core) -> int:
    return memory.PAGE if core.store.lag else memory.PAGE // 4


def _head(row: Row | None) -> dict[str, Row]:
    return {keys.HEAD: row} if row is not None else {}


def _settle_due(core: Core, due: Sequence[Spot]) -> list[Spot]:
    """Move what is due to its place on the ready line; answers where it now stands."""
    rows = core.store.rows([(one.stream, keys.HEAD) for one in due])
    commands: list[tuple[Command, dict[str, Row]]] = []
    for (stream, _), row in rows.items():
        item: Item = fold.state(core.executor.aggregates["item"], row)
        decide = partial(item_commands.ready, generation=item.generation, now=core.clock())
        status = item.status
        if isinstance(status, Waiting) and status.not_before and status.not_before <= core.clock():
            commands.append((core.command(stream, "system", decide), _head(row)))
    results = core.executor.once_all(commands)
    return [
        spot(ready_place(one.commit.stream, one.head), one.commit.stream, keys.HEAD)
        for one in results
        if isinstance(one, Result) and one.commit is not None
    ]


def candidates(core: Core, line: Line, sight: Sight, most: int) -> list[Candidate]:
    """The items to try: the first `most`, or after lost races some of the first 2^k."""
    k = core.memory.k(line.name, core.clock())
    size = max(memory.window(k), most)
    for spots in _windows(core, line, sight, size):
        ready = _ready(core, spots)
        if ready:
            spread = min(1 << k, len(ready))
            start = core.choose(spread) if spread > 1 else 0
            return _within(ready[start : start + most] if most > 1 else [ready[start]])
    return []


def _within(chosen: list[Candidate]) -> list[Candidate]:
    """As many as the answer may bear."""
    total = 0
    for index, one in enumerate(chosen):
        total += one.item.size + 1024
        if total > MOST_BYTES and index:
            return chosen[:index]
    return chosen


def _windows(core: Core, line: Line, sight: Sight, size: int) -> Iterator[list[Spot]]:
    """The spots of the line in windows, passing over what this process is claiming."""
    spots, complete = sight.ready, sight.complete
    while True:
        free = core.memory.free(spots)
        for start in range(0, len(free), size):
            yield free[start : start + size]
        if complete or not spots:
            return
        spots = core.store.read_line(line.name, after=spots[-1], limit=memory.PAGE)
        complete = len(spots) < memory.PAGE


def _ready(core: Core, spots: Sequence[Spot]) -> list[Candidate]:
    """Those that are still ready, in order, read consistently in one batch."""
    rows = core.store.rows([(one.stream, one.thing) for one in spots])
    found: list[Candidate] = []
    for one in spots:
        row = rows.get((one.stream, one.thing))
        item: Item | None = fold.state(core.executor.aggregates["item"], row)
        if row is not None and item is not None and _stands_at(item, one):
            found.append(Candidate(one, row, item, len(found)))
    return found


def _stands_at(item: Item, here: Spot) -> bool:
    ready = item.status == Waiting()
    return ready and spot(ready_place(here.stream, item), here.stream, here.thing) == here


def claim(
    core: Core,
    actor: str,
    line: Line,
    run: str,
    chosen: Sequence[Candidate],
    ids: Sequence[str],
) -> list[Claimed]:
    """Put each take once; who loses goes elsewhere."""
    now = core.clock()
    mine = set(core.memory.reserve([one.spot for one in chosen], now))
    commands = [
        (_take(core, actor, run, one, command), {keys.HEAD: one.row})
        for one, command in zip(chosen, ids, strict=True)
        if one.spot in mine
    ]
    results = core.executor.once_all(commands)
    claimed = [_claimed(one) for one in results if isinstance(one, Result)]
    for one in results:
        if isinstance(one, Commit):
            _lost(core, line, one)
    if claimed and len(claimed) == len(results):
        core.memory.won(line.name)
    if not core.store.lag:
        core.memory.release(mine)
    return [one for one in claimed if one is not None]


def _take(core: Core, actor: str, run: str, one: Candidate, command: str) -> Command:
    decide = partial(item_commands.take, run=run, ahead=one.ahead)
    return core.command(one.row.stream, actor, decide, command=command)


def _claimed(result: Result) -> Claimed | None:
    """The take; when an answer was lost, the item may have moved on since."""
    if result.commit is None:
        return None
    return Claimed(result.commit, at_round(result.head, result.commit))


def at_round(item: Item, commit: Commit) -> Item:
    """The item as it was in the round that a take began."""
    data = commit.events[0].data
    held = Held(data["run"], commit.number, commit.at)
    return replace(item, attempt=data["attempt"], status=held)


def _lost(core: Core, line: Line, commit: Commit) -> None:
    now = core.clock()
    core.memory.lost(line.name, now)
    if memory.should_heal(commit.at, now):
        core.executor.finish(commit)


def put_choice(core: Core, actor: str, run: str, choice: Choice) -> Commit | None:
    """Put a choice that an earlier sending made and did not put, if it still can be."""
    rows = core.store.load(choice.stream)
    row = rows.get(keys.HEAD)
    if row is None or row.commit != choice.number - 1:
        return core.store.commits_at([(choice.stream, choice.number)]).get(
            (choice.stream, choice.number)
        )
    decide = partial(item_commands.take, run=run, ahead=0)
    command = core.command(choice.stream, actor, decide, command=choice.command)
    try:
        result = core.executor.once(command, rows)
    except Refused:
        return None
    return result if isinstance(result, Commit) else result.commit


def settle_vanished(core: Core, line: Line) -> bool:
    """Release the oldest items whose run has ended or vanished (Q52); whether there were any."""
    spots = core.store.read_line(line.in_progress, limit=SETTLE)
    if not spots:
        return False
    rows = core.store.rows([(one.stream, one.thing) for one in spots])
    holders: dict[str, list[str]] = {}
    for (stream, _), row in rows.items():
        item: Item | None = fold.state(core.executor.aggregates["item"], row)
        if item is not None and isinstance(item.status, Held):
            holders.setdefault(item.status.run, []).append(stream)
    leases = runs.leases(core, list(holders)) if holders else {}
    released = 0
    for run, streams in holders.items():
        lease = leases.get(run)
        if lease is not None and lease.run.ended_at is not None:
            released += runs.release(core, run, streams)
        elif lease is not None and core.clock() > plus(lease.until, run_rules.GRACE_SECONDS):
            runs.finish(core, "system", lease.stream, run_rules.LOST, lost=True)
            released += 1
    return released > 0
