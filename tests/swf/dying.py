"""Processes that die before their first step, their second, ... in one world."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workledger.stores.faults_plan import Crash


@dataclass
class Dies:
    """A hook by which the process dies before its nth step."""

    nth: int
    steps: int = 0

    def __call__(self, step: str, args: tuple[Any, ...]) -> None:
        """See one step."""
        self.steps += 1
        if self.steps == self.nth:
            raise Crash(f"before {step}")

    @property
    def reached(self) -> bool:
        """Whether it came to that."""
        return self.steps >= self.nth


def each_death(attempt: Callable[[Dies], None]) -> int:
    """Have an attempt die before its first step, its second, ... until it lives; how many."""
    nth = 1
    while True:
        dies = Dies(nth)
        attempt(dies)
        if not dies.reached:
            return nth - 1
        nth += 1
