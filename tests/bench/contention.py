"""Many workers on one line: the real claim code over a distant store, in virtual time."""

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from tests.bench.distant import DistantStore
from tests.bench.table import Figure
from tests.bench.timing import memory_folder
from tests.bench.virtual import START, Simulation
from workledger import bootstrap
from workledger.queues.item_commands import NewItem
from workledger.queues.queue import Settings
from workledger.service import adding, queues, runs, taking
from workledger.service.core import Core
from workledger.stores.port import Store
from workledger.stores.sqlite import SqliteStore

ACTOR = "ada.lovelace@example.org"

BACKLOG = 1_000
"""Items on the line that are not taken in the end: it never runs empty."""


@dataclass
class Outcome:
    """What so many workers did on one line."""

    numbers: list[int] = field(default_factory=list)
    """The items' numbers in the order in which they were taken."""
    waits: list[float] = field(default_factory=list)
    """Seconds that each `next` took."""
    seconds: float = 0.0
    lost: int = 0
    contended: int = 0
    throttled: int = 0

    @property
    def per_second(self) -> float:
        """Items taken a second."""
        return len(self.numbers) / self.seconds

    @property
    def attempts(self) -> float:
        """Puts for each item taken."""
        return 1 + self.lost / len(self.numbers)

    @property
    def p99(self) -> float:
        """Seconds within which 99 of 100 requests were answered."""
        return sorted(self.waits)[int(len(self.waits) * 0.99)]


def figures() -> Iterator[Figure]:
    """Claims a second, puts for each, the slowest answers, with 1, 10 and 100 workers."""
    priorities = {"one priority": lambda _: 0, "all different": _shuffled}
    for word, priority in priorities.items():
        alone = simulate(1, 100, priority)
        expected = sorted(range(100), key=lambda number: (-priority(number), number))
        exact = [number - 1 for number in alone.numbers] == expected
        yield Figure(f"1 worker, {word}: in exact order", float(exact), "", at_least=1)
        for workers, items in ((10, 500), (100, 1_500)):
            met = simulate(workers, items, priority, backlog=BACKLOG)
            yield from _figures(f"{workers} workers, {word}", met, many=workers == 100)
    limited = simulate(100, 2_000, _shuffled, partition_limit=1_000, backlog=BACKLOG)
    name = "100 workers, index takes 1,000 changes/s"
    yield Figure(name, limited.per_second, "claims/s", at_least=450)


def _figures(name: str, met: Outcome, *, many: bool) -> Iterator[Figure]:
    yield Figure(name, met.per_second, "claims/s", at_least=800 if many else None)
    yield Figure(f"{name}: puts for each", met.attempts, "", at_most=5 if many else None)
    yield Figure(f"{name}: p99", met.p99, "s", at_most=0.5 if many else None)


def _shuffled(number: int) -> int:
    """A priority of its own for each item."""
    return number * 7_919 % 100_003


def simulate(
    workers: int,
    items: int,
    priority: Callable[[int], int],
    partition_limit: int | None = None,
    backlog: int = 0,
) -> Outcome:
    """Let the workers take so many items of a queue that holds a backlog besides."""
    folder = Path(tempfile.mkdtemp(dir=memory_folder()))
    try:
        inner = SqliteStore(str(folder / "line.db"))
        outcome = _simulate(inner, workers, items, items + backlog, priority, partition_limit)
        inner.close()
        return outcome
    finally:
        shutil.rmtree(folder)


def _simulate(
    inner: SqliteStore,
    workers: int,
    items: int,
    filled: int,
    priority: Callable[[int], int],
    partition_limit: int | None,
) -> Outcome:
    simulation = Simulation()
    near = bootstrap.build(inner, clock=lambda: START).core
    queue = queues.create(near, ACTOR, "Invoices", Settings()).id
    for start in range(0, filled, 1_000):
        numbers = range(start, min(start + 1_000, filled))
        entries = [NewItem("{}", f"R{number}", priority(number)) for number in numbers]
        adding.add(near, ACTOR, queue, entries)
    store = DistantStore(inner, simulation, partition_limit)
    outcome = Outcome()

    def worker(number: int) -> Callable[[], None]:
        drawn = random.Random(number)
        core: Core = bootstrap.build(
            cast("Store", store),
            clock=simulation.clock,
            sleep=simulation.sleep,
            choose=drawn.randrange,
            new_id=lambda: f"{drawn.getrandbits(104):026x}",
        ).core
        run = runs.start(near, ACTOR, None, 86_400).id

        def work() -> None:
            while len(outcome.numbers) < items:
                begun = simulation.now
                taken = taking.take(core, ACTOR, queue, taking.Wanted(run=run))
                outcome.waits.append(simulation.now - begun)
                outcome.contended += taken.reason is not None
                if len(outcome.numbers) < items:
                    outcome.numbers += [one.item.number for one in taken.items]
                    outcome.seconds = simulation.now

        return work

    simulation.run([worker(number) for number in range(workers)])
    outcome.lost, outcome.throttled = store.refused, store.throttled
    return outcome
