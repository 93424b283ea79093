"""A core for tests: any store, a clock that only tests move, ids that only count."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from workledger.aggregates import AGGREGATES
from workledger.keys import is_claimed
from workledger.ledger.execute import Executor
from workledger.service.core import Core
from workledger.stores.port import Store, Write
from workledger.times import plus
from workledger.views.claim import Memory
from workledger.views.order import spot

START = "2026-03-11T10:15:55.935Z"
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass
class FakeClock:
    """Time that moves only when told, or when somebody sleeps."""

    now: str = START

    def __call__(self) -> str:
        return self.now

    def tick(self, seconds: float) -> None:
        """Let time pass."""
        self.now = plus(self.now, seconds)


@dataclass
class Ids:
    """Ids that count, in the form of real ones; `space` keeps two processes' ids apart."""

    space: str = "a"
    given: int = 0

    def __call__(self) -> str:
        self.given += 1
        number, text = self.given, ""
        while number:
            number, digit = divmod(number, 32)
            text = ALPHABET[digit] + text
        return self.space + text.rjust(26 - len(self.space), "a")


@dataclass
class Surroundings:
    """What a test holds besides the core."""

    clock: FakeClock = field(default_factory=FakeClock)
    woken: list[str] = field(default_factory=list)
    waited: list[tuple[str, float]] = field(default_factory=list)
    on_wait: Callable[[], None] | None = None

    def wake(self, at: str) -> None:
        """The waker's side."""
        self.woken.append(at)

    def wait(self, line: str, seconds: float) -> None:
        """The waiter's side: time passes, and the test may do something meanwhile."""
        self.waited.append((line, seconds))
        self.clock.tick(seconds)
        if self.on_wait:
            self.on_wait()


def no_pause(_attempt: int) -> None:
    """Conflicts are tried again at once."""


def make_core(
    store: Store,
    around: Surroundings | None = None,
    space: str = "a",
    pause: Callable[[int], None] = no_pause,
) -> Core:
    """A core as bootstrap wires it, with everything that is not pure in the test's hands."""
    around = around or Surroundings()
    memory = Memory()
    rng = random.Random(7)

    def placed(write: Write) -> None:
        for row in write.rows:
            if row.place is not None and is_claimed(row.place.line):
                here = spot(row.place, row.stream, row.thing)
                memory.placed(row.place.line, here, around.clock())
        if write.due is not None:
            around.wake(write.due)

    return Core(
        store=store,
        executor=Executor(store, AGGREGATES, pause, placed),
        clock=around.clock,
        new_id=Ids(space),
        choose=rng.randrange,
        sleep=around.clock.tick,
        waiter=around,
        waker=around,
        memory=memory,
    )
