"""Virtual time: threads that run one at a time, while the clock jumps to whoever wakes next.

The code under test is ordinary blocking code. It waits by `sleep`, which gives the baton to the
thread that wakes first; so an hour of waiting takes no time, and each run is the same.
"""

import heapq
import threading
from collections.abc import Callable, Sequence
from typing import Any

from workledger.times import plus

START = "2026-03-11T10:15:55.935Z"


class Simulation:
    """A clock and the threads that wait for it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleeping: list[tuple[float, int, threading.Lock]] = []
        self._count = 0
        self._alive = 0
        self._over = _taken_lock()
        self._errors: list[BaseException] = []

    def clock(self) -> str:
        """The virtual moment."""
        return plus(START, self.now)

    def run(self, workers: Sequence[Callable[[], None]]) -> None:
        """Run the workers, all of which begin at this moment, until the last one ends."""
        for work in workers:
            self._begin(work)
        self._pass_on()
        self._over.acquire()
        if self._errors:
            raise self._errors[0]

    def sleep(self, seconds: float) -> None:
        """Let the caller wait, and others run meanwhile."""
        mine = _taken_lock()
        self._wake(seconds, mine)
        self._pass_on()
        mine.acquire()

    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """The calls' answers; side by side they take as long as the longest of them."""
        answers: list[Any] = [None] * len(calls)
        left = len(calls)
        mine = _taken_lock()

        def run(index: int) -> None:
            nonlocal left
            try:
                answers[index] = calls[index]()
            finally:
                left -= 1
                if not left:
                    self._wake(0, mine)

        for index in range(len(calls)):
            self._begin(lambda index=index: run(index))
        if calls:
            self._pass_on()
            mine.acquire()
        return answers

    def _begin(self, work: Callable[[], None]) -> None:
        turn = _taken_lock()
        self._alive += 1
        self._wake(0, turn)
        threading.Thread(target=self._live, args=(work, turn), daemon=True).start()

    def _live(self, work: Callable[[], None], turn: threading.Lock) -> None:
        turn.acquire()
        try:
            work()
        except BaseException as error:
            self._errors.append(error)
        self._alive -= 1
        self._pass_on()

    def _wake(self, seconds: float, turn: threading.Lock) -> None:
        self._count += 1
        heapq.heappush(self._sleeping, (self.now + seconds, self._count, turn))

    def _pass_on(self) -> None:
        """Let the thread run that wakes first."""
        if self._errors or not self._sleeping:
            self._over.release()
            return
        self.now, _, turn = heapq.heappop(self._sleeping)
        turn.release()


def _taken_lock() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock
