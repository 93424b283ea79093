"""The deployed waker: a delayed message calls the timekeeper at second granularity."""

import logging
import math
from collections.abc import Callable
from threading import Lock
from typing import Any

from workledger.times import Clock, seconds_between

LONGEST_DELAY = 900
"""Seconds that a message can be delayed; beyond it the schedule is enough: it runs more often."""

_MOST_REMEMBERED = 1_000

_log = logging.getLogger(__name__)


class WakeQueue:
    """Sends a message for each moment, once per second and process.

    A message that cannot be sent is no failure of the request: the schedule makes up for it.
    `client` makes the SQS client when it is first needed.
    """

    def __init__(self, client: Callable[[], Any], url: str, clock: Clock) -> None:
        self._make, self._url, self._clock = client, url, clock
        self._client: Any = None
        self._sent: set[str] = set()
        self._lock = Lock()

    def wake(self, at: str) -> None:
        """See that the timekeeper runs at `at`, or up to a second later."""
        delay = max(0, math.ceil(seconds_between(self._clock(), at)))
        second = at[:19]
        if delay > LONGEST_DELAY or not self._first(second):
            return
        try:
            self._sqs().send_message(QueueUrl=self._url, MessageBody=at, DelaySeconds=delay)
        except Exception as error:  # noqa: BLE001 - whatever SQS raises: the schedule makes up for it
            self._sent.discard(second)
            _log.warning("no wake message: %s", type(error).__name__)

    def _first(self, second: str) -> bool:
        with self._lock:
            if second in self._sent:
                return False
            if len(self._sent) >= _MOST_REMEMBERED:
                self._sent.clear()
            self._sent.add(second)
            return True

    def _sqs(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._make()
            return self._client
