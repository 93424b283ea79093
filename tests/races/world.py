"""One store and the processes that use it, each with its own ids, memory and luck."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.support import FakeClock, Surroundings, make_core, no_pause
from workledger.ledger.commit import Commit
from workledger.queues.item import Item, Waiting
from workledger.queues.item_commands import NewItem
from workledger.queues.queue import Settings
from workledger.queues.run import Run
from workledger.service import adding, projecting, queues, rebuilding, taking
from workledger.service.adding import Added
from workledger.service.core import Core
from workledger.service.taking import Taken, Wanted
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import Crash, Interrupt
from workledger.stores.moto import moto_client
from workledger.stores.port import Store, Write
from workledger.stores.sqlite import SqliteStore
from workledger.stores.tables import create_tables
from workledger.times import plus

SHARED_MEMORY = Path("/dev/shm")
"""Where files cost no wait for a disk; what a loss of power leaves is tested elsewhere."""


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder in memory, where the machine has such a thing."""
    folder = Path(tempfile.mkdtemp(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@dataclass
class World:
    """A store without faults, the common clock, and how many processes there are."""

    store: Store
    clock: FakeClock = field(default_factory=FakeClock)
    processes: int = 0
    healed: dict[str, int] = field(default_factory=dict[str, int])

    def process(
        self,
        *,
        clock: FakeClock | None = None,
        pause: Callable[[int], None] = no_pause,
        **faults: Any,
    ) -> Core:
        """A further process: its own ids and memory; with `faults`, behind a FaultyStore."""
        self.processes += 1
        space = f"{self.processes:05}"
        clock = clock or self.clock
        store = FaultyStore(self.store, clock=clock, **faults) if faults else self.store
        return make_core(store, Surroundings(clock), space, pause)

    def queue(self, name: str = "Invoices", **settings: Any) -> str:
        """A queue's id, made by a process of its own."""
        return queues.create(self.process(), "kai", name, Settings(**settings)).id

    def heal(self) -> None:
        """What the projector does in time: every stream that moved is finished and fed."""
        heads = {one.stream: one.number for one in self.store.all_commits()}
        moved = [stream for stream, head in heads.items() if self.healed.get(stream) != head]
        assert projecting.moved(self.process(), moved) == []
        self.healed = heads

    def forgotten(self, streams: Sequence[str]) -> list[str]:
        """Streams with a deadline that no due row would remind the timekeeper of."""
        core = self.process()
        found: list[str] = []
        for stream in streams:
            wanted = _deadline(core.executor.read(stream).head)
            due = self.store.due(stream)
            if wanted is not None and (due is None or due.at > wanted):
                found.append(stream)
        return found

    def verify(self) -> None:
        """Once healed, the live rows are those that the ledger makes (Q94)."""
        self.heal()
        assert rebuilding.check(self.process()) == []


def _deadline(state: Any) -> str | None:
    """When a stream needs attention; a run whose beats have moved its lease is only looked at."""
    if isinstance(state, Item):
        return state.status.not_before if isinstance(state.status, Waiting) else None
    if not isinstance(state, Run) or state.swept:
        return None
    return plus(state.ended_at, 30) if state.ended_at else "9999"


@dataclass
class Once:
    """A hook that runs something before the first such step on such a stream, once."""

    step: str | tuple[str, ...]
    stream: str
    action: Callable[[], Any]
    done: bool = False

    def __call__(self, step: str, args: tuple[Any, ...]) -> None:
        """See one step."""
        steps = (self.step,) if isinstance(self.step, str) else self.step
        if self.done or step not in steps or not _stream_of(args).startswith(self.stream):
            return
        self.done = True
        self.action()


def _stream_of(args: tuple[Any, ...]) -> str:
    about = args[0] if args else ""
    return about.commit.stream if isinstance(about, Write) else str(about)


class Before(Interrupt):
    """Runs something before the nth step; steps of names in `but` are not counted."""

    def __init__(self, nth: int, action: Callable[[], Any], but: Sequence[str] = ()) -> None:
        super().__init__(nth, action)
        self._but = but

    def __call__(self, step: str, args: tuple[Any, ...]) -> None:
        """See one step."""
        if step not in self._but:
            super().__call__(step, args)


class Dies(Before):
    """A hook by which the process dies before its nth step."""

    def __init__(self, nth: int, but: Sequence[str] = ()) -> None:
        super().__init__(nth, self._die, but)

    def _die(self) -> None:
        raise Crash(f"before {self.steps[-1]}")


@contextmanager
def sqlite() -> Iterator[Store]:
    """An empty file."""
    with quick_folder() as folder:
        store = SqliteStore(str(folder / "workledger.db"))
        yield store
        store.close()


@contextmanager
def dynamodb() -> Iterator[Store]:
    """Two empty tables, on the engine in memory that goes on around it, or on one of its own."""
    number = next(_numbers)
    with ExitStack() as stack:
        client = _engines[-1] if _engines else stack.enter_context(moto_client())
        names = [f"{name}-races-{number}" for name in ("ledger", "views")]
        create_tables(client, *names)
        yield DynamoStore(client, *names, threads=4)
        for name in names:
            client.delete_table(TableName=name)


@contextmanager
def engine() -> Iterator[None]:
    """Worlds on DynamoDB share one engine inside: making one takes longer than most tests."""
    with moto_client() as client:
        _engines.append(client)
        yield
        _engines.pop()


_engines: list[Any] = []
_numbers = count()

MAKERS = {"sqlite": sqlite, "dynamodb": dynamodb}


@contextmanager
def world(kind: str) -> Iterator[World]:
    """An empty world on a kind of store."""
    with MAKERS[kind]() as store:
        yield World(store)


def each_step(kind: str, attempt: Callable[[World, int], bool]) -> int:
    """Make an attempt for the first step, the second, ... until it says there is none; how many.

    Each in a world of its own, which is verified at its end.
    """
    nth = 1
    while True:
        with world(kind) as made:
            reached = attempt(made, nth)
            made.verify()
        if not reached:
            return nth - 1
        nth += 1


def each_death(kind: str, attempt: Callable[[World, Dies], None], but: Sequence[str] = ()) -> int:
    """Have a process die before its first step, its second, ... until it lives; how often."""

    def once(made: World, nth: int) -> bool:
        dies = Dies(nth, but)
        attempt(made, dies)
        return dies.ran

    return each_step(kind, once)


def commits(store: Store, kind: str) -> list[Commit]:
    """Every commit of a kind of stream."""
    return [one for one in store.all_commits() if one.stream.startswith(f"{kind}/")]


def add(core: Core, queue: str, *references: str | None, **values: Any) -> Added:
    """Add an item for each reference, whose data is the reference."""
    key, body = values.pop("key", None), values.pop("body", "")
    entries = [NewItem(f'"{one}"', one, **values) for one in references]
    return adding.add(core, "kai", queue, entries, key, body)


def take(core: Core, queue: str, actor: str = "rob", **wanted: Any) -> Taken:
    """Take what there is."""
    return taking.take(core, actor, queue, Wanted(**wanted))


def references(taken: Taken) -> Sequence[str | None]:
    """What was taken."""
    return [one.item.reference for one in taken.items]
