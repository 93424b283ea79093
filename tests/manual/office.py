"""A manual task as its requesters use it: made, loaded, changed; on either store."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import count
from typing import Any

from tests.races.world import Dies, World, each_step
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import StoreError
from workledger.keys import HEAD
from workledger.manual import loading, tasks, worklist
from workledger.manual.loading import LoadShown
from workledger.manual_tasks import csvfile
from workledger.manual_tasks.hit import OPEN, Hit
from workledger.manual_tasks.records import Records
from workledger.service import sweeping
from workledger.service.core import Core
from workledger.stores.faults_plan import Crash

FIVE = "name\nr1\nr2\nr3\nr4\nr5\n"
AMOUNTS = "name,amount\nr1,5\nr2,10\nr3,\nr4,2\n"
BY_AMOUNT = [{"field": "amount", "type": "number", "direction": "desc"}]
DTR: Mapping[str, Any] = {"dtr": True, "comparator": BY_AMOUNT}
DATED = "name,record_date\nr1,2020-01-03\nr2,2020-01-02\nr3,2020-01-01\nr4,2020-01-02\n"
LAST = "9999"
SORTED = "r2 r1 r4 r3"
"""AMOUNTS by amount, the largest first, missing ones last."""


def records(text: str, started: str) -> Records:
    """The records of a file."""
    return csvfile.read(text.encode(), started, UTC)


def rows(many: int) -> str:
    """A file of so many records."""
    return "name\n" + "".join(f"r{n}\n" for n in range(1, many + 1))


def names(many: int) -> str:
    """What its records are called, in order."""
    return " ".join(f"r{n}" for n in range(1, many + 1))


@dataclass
class Office:
    """A task in a world; each look is by a process of its own, unless one is given."""

    world: World
    name: str = "Invoices"

    @property
    def stream(self) -> str:
        """The task's stream."""
        return keys.task_stream(self.name)

    @property
    def bare(self) -> str:
        """The 26 characters of its id."""
        return keys.bare(self.stream)

    def create(self, **values: Any) -> tasks.TaskShown:
        """Make the task."""
        return tasks.create(self.world.process(), "kai", self.name, values)

    def load(
        self,
        text: str = FIVE,
        key: str | None = "k",
        core: Core | None = None,
        *,
        body: str | None = None,
        seconds: float = 20,
    ) -> LoadShown:
        """Load a file."""
        core = core or self.world.process()
        started = core.clock()
        told = records(text, started)
        body = keys.digest(body or text)
        return loading.load(core, "kai", self.name, told, key, body, started, seconds=seconds)

    def list(self, core: Core | None = None, worker: str = "W1") -> str:
        """What a worker may take, in order: `r1 r2`."""
        core, cursor = core or self.world.process(), None
        found: list[str] = []
        while True:
            page = worklist.page(core, worker, self.name, None, cursor, 100)
            found += [str(one.data.value()["name"]) for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                return " ".join(found)

    def show(self, core: Core | None = None) -> tasks.TaskShown:
        """The task."""
        return tasks.show(core or self.world.process(), self.name)

    def change(self, core: Core | None = None, **values: Any) -> tasks.TaskShown:
        """Change it, whatever its version."""
        version = self.show().task.version
        return tasks.change(core or self.world.process(), "kai", self.name, version, values)

    def sweep(self, core: Core | None = None, times: int = 1) -> None:
        """The timekeeper comes round."""
        for _ in range(times):
            sweeping.sweep(core or self.world.process())

    def later(self, seconds: float = 60, times: int = 3) -> None:
        """Time passes; projector and timekeeper do what they do."""
        for _ in range(times):
            self.world.clock.tick(seconds / times)
            self.world.heal()
            self.sweep()

    def hits(self) -> dict[str, Hit]:
        """All hits of the task, by stream."""
        core = self.world.process()
        found = core.store.read_index("number", self.bare, limit=100_000)
        rows = core.store.rows([(one.stream, HEAD) for one in found])
        return {stream: core.executor.state(row) for (stream, _), row in rows.items()}

    def events(self, stream: str | None = None) -> Sequence[str]:
        """The events of a stream."""
        commits = self.world.store.commits(stream or self.stream)
        return [event.type for commit in commits for event in commit.events]


@contextmanager
def office(kind: str = "sqlite", **values: Any) -> Generator[Office]:
    """A task in a world of its own."""
    with make_world(kind) as world:
        made = Office(world)
        made.create(**values)
        yield made


def legacy(core: Core) -> Core:
    """The process with core.task.queue.fifo.enabled=false."""
    return replace(core, manual=replace(core.manual, fifo=False))


@contextmanager
def dying() -> Generator[None]:
    """Whatever a process dies of."""
    with suppress(Crash, StoreError):
        yield


THOROUGH = bool(os.environ.get("THOROUGH"))
"""Try every point, on moto too."""

ON_MOTO = 27
"""One step in so many is tried there."""


def each(kind: str, attempt: Callable[[World, int], bool]) -> int:
    """`each_step`; on moto, which is slow, for one step in so many; how many."""
    if kind == "sqlite" or THOROUGH:
        return each_step(kind, attempt)
    nth = 1 + next(_turns) % ON_MOTO
    while True:
        with make_world(kind) as world:
            reached = attempt(world, nth)
            world.verify()
        if not reached:
            return nth - 1
        nth += ON_MOTO


_turns = count()


def deaths(kind: str, attempt: Callable[[World, Dies], None]) -> int:
    """Have a process die before these steps, each in a world of its own; how many there are."""

    def once(world: World, nth: int) -> bool:
        dies = Dies(nth)
        attempt(world, dies)
        return dies.ran

    return each(kind, once)


class StopsAfter:
    """The process dies once so many hits are placed."""

    def __init__(self, hits: int) -> None:
        self._hits, self._seen = hits, 0

    def __call__(self, step: str, args: tuple[object, ...]) -> None:
        commit = getattr(args[0], "commit", None) if args else None
        if step == "append" and commit is not None and commit.stream.startswith("hit/"):
            self._seen += 1
            if self._seen > self._hits:
                Dies(1)("append", args)


def loaded(world: World, text: str = AMOUNTS, **values: Any) -> Office:
    """A task with records."""
    one = Office(world)
    one.create(columns=["amount"], **values)
    one.load(text)
    return one


def settled(office: Office) -> None:
    """Nothing changes any more, and every open hit stands in the order that is read."""
    office.later()
    task = office.show().task
    assert (task.coming, task.old) == (None, ())
    for hit in office.hits().values():
        if hit.state == OPEN:
            assert task.current.version in {one.ordering for one in hit.places}
