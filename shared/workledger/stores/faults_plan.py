"""What shall go wrong, and when: named faults, and plans that choose among them."""

import random
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any, NamedTuple


class Crash(BaseException):
    """The process dies here. No handler of errors may catch it, as none could in truth."""


class Fault(Enum):
    """One way to fail."""

    BUSY = "throttled: nothing was done"
    UNSENT = "not done, but the answer says only that it was lost"
    LOST = "done, but the answer was lost; of a commit no row is placed"
    REPEATED = "done twice by the client library, because it missed the first answer"
    UNPLACED = "the commit stands, none of its rows does, and the answer is a success"
    HEADLESS = "the commit stands with all rows but the head, and the answer is a success"
    CRASH_BEFORE = "the process dies before anything is done"
    CRASH_COMMITTED = "the process dies between the commit and its rows"
    CRASH_HEADLESS = "the process dies between the rows and the head"
    CRASH_AFTER = "the process dies when all is done, before it can answer"


CRASHES = frozenset(fault for fault in Fault if fault.name.startswith("CRASH"))

OF_READS = frozenset({Fault.BUSY, Fault.CRASH_BEFORE})
OF_WRITES = OF_READS | {Fault.UNSENT, Fault.LOST, Fault.REPEATED, Fault.CRASH_AFTER}
OF_APPEND = frozenset(Fault)

_WRITES = {
    "place",
    "take_numbers",
    "restart_numbers",
    "beat",
    "look_at_due",
    "rearm",
    "remove_commits",
    "remove_rows",
}


class Step(NamedTuple):
    """The nth call of a method, from 1; of `append` and `place`, the nth write."""

    method: str
    nth: int


Plan = Callable[[Step], Fault | None]
"""What shall go wrong with a step."""


def faults_of(method: str) -> frozenset[Fault]:
    """The faults that make sense for a method."""
    if method == "append":
        return OF_APPEND
    return OF_WRITES if method in _WRITES else OF_READS


def no_faults(_step: Step) -> None:
    """All goes well."""


def script(faults: Mapping[tuple[str, int], Fault]) -> Plan:
    """Exactly these faults: `script({("append", 2): Fault.LOST})`."""
    for (method, nth), fault in faults.items():
        if fault not in faults_of(method):
            raise ValueError(f"{fault.name} cannot happen to {method} ({nth})")
    return faults.get


def at_random(
    seed: int,
    rate: float,
    *,
    faults: Collection[Fault] = tuple(Fault),
    methods: Collection[str] | None = None,
) -> Plan:
    """A share of all steps fails in a way drawn from the seed."""
    drawn = random.Random(seed)  # noqa: S311

    def plan(step: Step) -> Fault | None:
        fails = drawn.random() < rate
        possible = [fault for fault in faults if fault in faults_of(step.method)]
        if not fails or not possible or (methods is not None and step.method not in methods):
            return None
        return drawn.choice(possible)

    return plan


class Interrupt:
    """A hook that runs something else, whole, before the nth step: a race without threads.

    What it runs may use the same store: those steps are not counted.
    """

    def __init__(self, nth: int, action: Callable[[], Any]) -> None:
        self._nth = nth
        self._action = action
        self._running = False
        self.steps: list[str] = []
        """The steps of the interrupted so far."""

    @property
    def ran(self) -> bool:
        """Whether the step was reached."""
        return len(self.steps) >= self._nth

    def __call__(self, step: str, _args: tuple[Any, ...]) -> None:
        """See one step."""
        if self._running:
            return
        self.steps.append(step)
        if len(self.steps) == self._nth:
            self._running = True
            try:
                self._action()
            finally:
                self._running = False
