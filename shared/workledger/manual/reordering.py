"""Re-placing what waits when a task's order changes (M40 to M43).

The new ordering has a line of its own. A pass over the line that is read places every hit on the
new one too; then readers switch; half a minute later a second pass over the old line finds what an
index that lags had not shown. Who places a hit meanwhile places it in both orderings, and looks
again afterwards. Everything may be done twice, at once, and again after a crash.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from workledger import keys
from workledger.keys import HEAD, place_thing
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Event
from workledger.manual import common
from workledger.manual_tasks import hit_commands, task_commands
from workledger.manual_tasks import task as tasks
from workledger.manual_tasks.hit import OPEN, Hit, Placed
from workledger.manual_tasks.task import Task
from workledger.service.core import Core
from workledger.times import plus
from workledger.views.order import Spot

AT_ONCE = 100
"""Hits that are placed side by side."""

TASKS_AT_ONCE = 50

COUNT_LIMIT = 10_000
"""Progress is counted up to here."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of those that wait stand in the new order."""

    placed: int
    of: int


def progress(core: Core, stream: str, task: Task) -> Progress | None:
    """How far re-placing is; None where nothing changes (M40)."""
    if task.coming is None:
        return None
    versions = (task.coming.version, task.current.version)
    lines = [keys.work_list_line(keys.bare(stream), one) for one in versions]
    counts = [partial(core.store.count_line, line, COUNT_LIMIT) for line in lines]
    placed, of = core.store.together(counts)
    return Progress(min(placed, of), of)


# --- the passes ---------------------------------------------------------------------------------


def carry_on(core: Core, stream: str, until: str) -> Task:
    """Place what waits in the ordering that comes, and switch, as far as there is time.

    Answers the task as it is then. A hundred hits are placed at least.
    """
    task: Task = core.executor.read(stream).head
    coming = task.coming
    if coming is None:
        return task
    if core.store.lag:  # what was placed just before the change is to be seen
        core.sleep(core.store.lag)
    if not place_all(core, stream, _line(core, stream, task.current.version), until):
        return core.executor.read(stream).head
    if core.store.lag:  # and what was placed now, before anybody reads it
        core.sleep(core.store.lag)
    decide = partial(task_commands.switch, ordering=coming.version)
    return core.executor.run(core.command(stream, "system", decide)).head


def second_pass(core: Core, stream: str, ordering: int, until: str) -> bool:
    """Look through an old ordering's line once more; whether there was time for all of it."""
    if not place_all(core, stream, _line(core, stream, ordering), until):
        return False
    decide = partial(task_commands.swept, ordering=ordering)
    core.executor.run(core.command(stream, "system", decide))
    return True


def _line(core: Core, stream: str, ordering: int) -> Iterator[str]:
    """The hits on the line of an ordering."""
    line, after = keys.work_list_line(keys.bare(stream), ordering), None
    while True:
        spots: list[Spot] = core.store.read_line(line, after=after, limit=AT_ONCE)
        yield from [one.stream for one in spots]
        if len(spots) < AT_ONCE:
            return
        after = spots[-1]


def place_all(core: Core, task: str, streams: Iterable[str], until: str) -> bool:
    """Place these hits in the present orderings of their task (its stream), where they are not.

    False when there was no time for all; a hundred are placed at least.
    """
    source = iter(streams)
    while batch := list(islice(source, AT_ONCE)):
        placed = place_some(core, task, batch)
        if placed and core.clock() >= until:
            return next(source, None) is None
    return True


def place_some(core: Core, task: str, streams: Sequence[str]) -> int:
    """The same of a hundred or so, side by side; how many were not where they belong."""
    present: Task = core.executor.read(task).head
    rows = core.store.rows([(stream, HEAD) for stream in streams])
    found: list[tuple[str, Hit]] = []
    for stream in streams:
        hit: Hit | None = core.executor.state(rows.get((stream, HEAD)))
        if hit is not None and not common.is_placed(present, hit):
            found.append((stream, hit))
    if found:
        _place(core, found, common.places_of_many(core, present, found))
    return len(found)


def _place(
    core: Core, found: Sequence[tuple[str, Hit]], places: Sequence[tuple[Placed, ...]]
) -> None:
    """Side by side; whom somebody met meanwhile, alone."""
    again: dict[str, tuple[Placed, ...]] = {}
    commands: list[Command] = []
    for (stream, hit), there in zip(found, places, strict=True):
        things = _things(hit, there)
        decide = _guarded(stream, there, things, again)
        commands.append(core.command(stream, "system", decide, things))
    for result in core.executor.run_all(commands):
        result.unwrap()
    for stream, there in again.items():
        common.put(core, stream, there)


def _things(hit: Hit, places: Sequence[Placed]) -> tuple[str, ...]:
    new = (place_thing(one.ordering) for one in places)
    return tuple(dict.fromkeys((*hit.things, *new)))


def _guarded(
    stream: str,
    places: tuple[Placed, ...],
    things: Sequence[str],
    again: dict[str, tuple[Placed, ...]],
) -> Callable[[Seen], Sequence[Event]]:
    """Place it, unless somebody met it after its things were named."""

    def decide(seen: Seen) -> Sequence[Event]:
        hit: Hit | None = seen.head
        again.pop(stream, None)
        if hit is None or hit.state != OPEN:
            return []
        if not set(hit.things) <= set(things):
            again[stream] = places
            return []
        return hit_commands.place(seen, places)

    return decide


# --- the timekeeper -----------------------------------------------------------------------------


def sweep(core: Core, stream: str, now: str, seconds: float) -> str | None:
    """What is due of a task: re-placing goes on; what was switched is swept. The next moment."""
    task: Task | None = core.executor.read(stream).head
    if task is None:
        return None
    until = plus(core.clock(), seconds)
    if task.coming is not None:
        task = carry_on(core, stream, until)
        if task.coming is not None:
            return core.clock()
    for one in task.old:
        if plus(one.since, tasks.SECOND_PASS_SECONDS) <= now and core.clock() < until:
            second_pass(core, stream, one.ordering, until)
    return tasks.due(core.executor.read(stream).head)


def look_at_all(core: Core) -> int:
    """See that every task is in the order that the settings of this process want (M40).

    How many were not: the timekeeper goes on with them.
    """
    begun, after = 0, None
    while True:
        spots = core.store.read_line(keys.TASKS_LINE, after=after, limit=TASKS_AT_ONCE)
        rows = core.store.rows([(one.stream, HEAD) for one in spots]) if spots else {}
        for one in spots:
            task: Task | None = core.executor.state(rows.get((one.stream, HEAD)))
            begun += task is not None and common.reordered(core, one.stream, task) is not task
        if len(spots) < TASKS_AT_ONCE:
            return begun
        after = spots[-1]
