"""What every use case is given: the store, the clock, and the few things that are not pure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from workledger.errors import FunctionError
from workledger.ledger.aggregate import Command, Decide
from workledger.ledger.commit import Event
from workledger.ledger.execute import Executor
from workledger.ledger.merge import Merger
from workledger.ledger.recent import Recent
from workledger.stores.port import Store
from workledger.times import Clock
from workledger.views.claim import Memory

T = TypeVar("T")


class Waker(Protocol):
    """Has the timekeeper called at a moment."""

    def wake(self, at: str) -> None:
        """See that the timekeeper runs at `at`, or soon after."""
        ...


class Waiter(Protocol):
    """Waits for work."""

    def wait(self, line: str, seconds: float) -> None:
        """Return when something may have been placed on the line, after `seconds` at the latest."""
        ...


@dataclass(frozen=True, slots=True)
class PlainWaiter:
    """Looks again twice a second: for processes that nobody tells."""

    sleep: Callable[[float], None]

    def wait(self, line: str, seconds: float) -> None:  # noqa: ARG002 (one rhythm for all lines)
        """Wait half a second, or less if there is less."""
        self.sleep(min(seconds, 0.5))


@dataclass(frozen=True, slots=True)
class NoWaker:
    """For where a schedule alone keeps time."""

    def wake(self, at: str) -> None:
        """Do nothing."""


class Functions(Protocol):
    """Runs the Lambda functions that SWF deciders schedule (W27)."""

    def refusal(self, name: str, role: str) -> str | None:
        """Why a function cannot be started in a role; None when it can. Raises StoreBusy."""
        ...

    def invoke(self, name: str, text: str, role: str) -> str:
        """A function's answer to a JSON text, in a role. Raises FunctionError when it failed."""
        ...

    def begin(self, job: Callable[[], None], stream: str, thing: str) -> bool:
        """Have a reaction that invokes a function carried out; whether that is done elsewhere.

        Here it is `job()`; elsewhere it is `reacting.attempt` of the stream and thing.
        """
        ...


@dataclass(frozen=True, slots=True)
class NoFunctions:
    """For where nobody runs functions."""

    def refusal(self, name: str, role: str) -> str | None:  # noqa: ARG002 (whatever it is)
        """None can be started."""
        return f"no function {name!r} can be run here"

    def invoke(self, name: str, text: str, role: str) -> str:  # noqa: ARG002 (never called)
        """Nothing."""
        raise FunctionError("NotHere", name)

    def begin(self, job: Callable[[], None], stream: str, thing: str) -> bool:  # noqa: ARG002
        """At once: it will be refused."""
        job()
        return False


@dataclass(frozen=True, slots=True)
class Manual:
    """Settings of manual tasks: `core.task.queue.fifo.enabled` (M40), the zone of records' dates.

    A record_date with an offset is converted to the zone (M53).
    """

    fifo: bool = True
    zone: tzinfo = UTC


@dataclass(frozen=True)
class Core:
    """The use cases' surroundings. `new_id` gives 26 characters, `choose(n)` a number below n."""

    store: Store
    executor: Executor
    clock: Clock
    new_id: Callable[[], str]
    choose: Callable[[int], int]
    sleep: Callable[[float], None]
    waiter: Waiter
    waker: Waker = field(default_factory=NoWaker)
    memory: Memory = field(default_factory=Memory)
    functions: Functions = field(default_factory=NoFunctions)
    manual: Manual = field(default_factory=Manual)

    @cached_property
    def merger(self) -> Merger:
        """Runs the commands of streams with many writers."""
        return Merger(self.executor)

    @cached_property
    def recent(self) -> Recent:
        """The commits that this process has read lately."""
        return Recent(self.store)

    @cached_property
    def complete_loads(self) -> set[str]:
        """The loads that this process has seen to be complete: they stay so (M54)."""
        return set()

    @cached_property
    def task_rules(self) -> dict[tuple[str, int], Any]:
        """The versions of manual tasks that this process has met, by stream: they never change."""
        return {}

    @cached_property
    def moments(self) -> dict[str, str]:
        """When this process last did what it does now and then."""
        return {}

    def command(
        self,
        stream: str,
        actor: str,
        decide: Decide,
        things: tuple[str, ...] = (),
        command: str | None = None,
    ) -> Command:
        """A command of this moment, with a fresh id unless it has one of its own."""
        return Command(stream, command or self.new_id(), actor, self.clock(), decide, things)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Part of a list, and how to ask for the next part (None: there is none)."""

    items: list[T]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class EventShown:
    """One event with where it stands in the ledger and what caused it."""

    stream: str
    commit: int
    index: int
    event: Event
    at: str
    actor: str
    cause: str
