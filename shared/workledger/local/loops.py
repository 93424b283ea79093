"""A thread that works when there is something to do, and sleeps otherwise."""

import logging
import time
from collections.abc import Callable
from threading import Event, Thread

_log = logging.getLogger("workledger.serve")

Step = Callable[[], float]
"""Does what is to be done now; answers after how many seconds to be called again at the latest."""

AFTER_A_FAULT = 1.0


class Loop:
    """Calls a step when the time it gave is over, or soon after `poke`.

    `linger` is how long a poke waits for others: what comes together is done together.
    """

    def __init__(self, name: str, step: Step, linger: float = 0.0) -> None:
        self._step = step
        self._linger = linger
        self._poked = Event()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin, with a first step at once."""
        self._thread.start()

    def poke(self) -> None:
        """There is something to do."""
        self._poked.set()

    def stop(self, seconds: float) -> bool:
        """Let the present step end; whether it did within the time."""
        self._stopping.set()
        self._poked.set()
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._poked.clear()
            try:
                pause = self._step()
            except Exception:  # noqa: BLE001 - a fault must not end the loop
                _log.exception("%s failed", self._thread.name)
                pause = AFTER_A_FAULT
            if pause > 0 and self._poked.wait(pause) and self._linger:
                self._stopping.wait(self._linger)


def earliest(*steps: Step) -> Step:
    """One step of several: all are done, the first that is due again counts."""
    return lambda: min((step() for step in steps), default=60.0)


def monotonic() -> float:
    """The clock for pauses: it never jumps."""
    return time.monotonic()
