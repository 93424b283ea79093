"""Heartbeats in the background: they keep a run's lease alive while an item is held (Q46, Q52)."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from workledger.client.errors import Conflict, NotFound
from workledger.errors import WorkledgerError

BEATS_PER_LEASE = 3

log = logging.getLogger("workledger")

Pause = Callable[[threading.Event, float], bool]
"""Waits so long, or until the event is set: then it is true and the thread ends."""


class Beating(Protocol):
    """A held item, as far as the beats know it."""

    def beat(self) -> None:
        """Say that the item is still worked on."""

    def tell_lost(self) -> None:
        """Note that the claim is gone."""


class Beats:
    """One thread that does nothing but beat for the item that is held, if any."""

    def __init__(self, interval: float, pause: Pause = threading.Event.wait) -> None:
        self._interval = interval
        self._pause = pause
        self._stop = threading.Event()
        self._held: Beating | None = None
        self._thread: threading.Thread | None = None

    def hold(self, item: Beating) -> None:
        """Beat for this item from now on."""
        self._held = item
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="workledger-beats", daemon=True)
            self._thread.start()

    def let_go(self) -> None:
        """The item is not held any more."""
        self._held = None

    def close(self) -> None:
        """End the thread."""
        self._held = None
        self._stop.set()

    def _run(self) -> None:
        while not self._pause(self._stop, self._interval):
            self.once()

    def once(self) -> None:
        """One beat, if an item is held. A server that is away is tried again at the next one."""
        item = self._held
        if item is None:
            return
        try:
            item.beat()
        except (Conflict, NotFound):
            if self._held is item:
                self._held = None
                item.tell_lost()
        except (WorkledgerError, RuntimeError) as error:
            # RuntimeError: the client was closed in the middle of a beat.
            if not self._stop.is_set():
                log.warning("a beat did not arrive: %s", error)
