"""A `next` that waits is woken when something is placed on its line (Q28)."""

from collections import defaultdict, deque
from collections.abc import Mapping
from threading import Event, Lock, local

from workledger.errors import StoreBusy

MOST_LINES = 10_000


class _Seen(local):
    """What the present thread has looked for already: line -> its number of placings."""

    def __init__(self) -> None:
        self.placings: dict[str, int] = {}


class LineWaiter:
    """The `Waiter` of one process.

    As many are woken as rows were placed, in the order in which they came. Something that was
    placed between a thread's look at the line and its wait must not be missed: so a wait returns at
    once when there were placings that nobody was woken for since the thread last came here.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[str, deque[Event]] = defaultdict(deque)
        self._placings: dict[str, int] = {}
        self._seen = _Seen()
        self._closed = False

    def wait(self, line: str, seconds: float) -> None:
        """Return when something may have been placed on the line, or after `seconds`.

        Raises StoreBusy when the server is stopping.
        """
        with self._lock:
            if self._closed:
                raise StoreBusy("the server is stopping: try again")
            placings = self._placings.get(line, 0)
            if self._seen.placings.get(line, 0) != placings:
                self._seen.placings = {line: placings}
                return
            woken = Event()
            self._waiting[line].append(woken)
        if not woken.wait(seconds):
            self._give_up(line, woken)

    def placed(self, lines: Mapping[str, int]) -> None:
        """So many rows were placed on these lines."""
        with self._lock:
            for line, count in lines.items():
                woken = min(count, len(self._waiting.get(line, ())))
                for _ in range(woken):
                    self._wake(line)
                if woken < count:
                    self._remember(line)

    def placed_elsewhere(self) -> None:
        """Another process placed something somewhere: everybody looks."""
        with self._lock:
            for line in list(self._waiting):
                while line in self._waiting:
                    self._wake(line)

    def close(self) -> None:
        """Wake everybody; nobody waits from now on."""
        with self._lock:
            self._closed = True
        self.placed_elsewhere()

    def _wake(self, line: str) -> None:
        waiting = self._waiting[line]
        waiting.popleft().set()
        if not waiting:
            del self._waiting[line]

    def _remember(self, line: str) -> None:
        if len(self._placings) >= MOST_LINES:
            self._placings.clear()
        self._placings[line] = self._placings.get(line, 0) + 1

    def _give_up(self, line: str, woken: Event) -> None:
        with self._lock:
            waiting = self._waiting.get(line)
            if waiting is None or woken not in waiting:
                return
            waiting.remove(woken)
            if not waiting:
                del self._waiting[line]
