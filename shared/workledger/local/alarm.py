"""Time: schedules, and messages that come when something is due."""

import hashlib
import heapq
import logging
import uuid
from collections.abc import Callable
from threading import Lock
from typing import Any, cast

from workledger import times
from workledger.local.deployed import Queue, Schedule
from workledger.local.events import Event

_log = logging.getLogger("workledger.serve")

LONGEST_SLEEP = 30.0
"""Seconds: a clock that was set, or a machine that slept, is noticed after that."""

_SLOT = len("2026-03-11T10:15:55.9")
"""Wakes in the same tenth of a second are one message."""

Call = Callable[[str, Event], Any]


class Alarm:
    """The `Waker` of one process: a delayed message for each moment, kept in memory.

    What is lost when the process ends is found again by the schedule, which runs at the start.
    """

    def __init__(self, queue: Queue, call: Call, clock: times.Clock) -> None:
        self._queue = queue
        self._call = call
        self._clock = clock
        self._lock = Lock()
        self._slots: list[tuple[str, int]] = []
        self._known: set[str] = set()
        self.poke: Callable[[], None] = lambda: None

    def wake(self, at: str) -> None:
        """Have the timekeeper called at `at`, or up to a tenth of a second later."""
        slot = at[:_SLOT]
        with self._lock:
            if slot in self._known:
                return
            self._known.add(slot)
            heapq.heappush(self._slots, (slot, 1))
            first = self._slots[0][0] == slot
        if first:
            self.poke()

    def step(self) -> float:
        """Send the messages that are due; answers the seconds until the next."""
        now = self._clock()
        due = self._due(now)
        if due and not self._send([slot for slot, _ in due], now):
            self._again(due, now)
        with self._lock:
            if not self._slots:
                return LONGEST_SLEEP
            opens = times.plus(f"{self._slots[0][0]}00Z", 0.1)
        return min(LONGEST_SLEEP, max(0.0, times.seconds_between(self._clock(), opens)))

    def _due(self, now: str) -> list[tuple[str, int]]:
        due: list[tuple[str, int]] = []
        limit = self._queue.batch_size
        with self._lock:
            while self._slots and self._slots[0][0] < now[:_SLOT] and len(due) < limit:
                due.append(heapq.heappop(self._slots))
                self._known.discard(due[-1][0])
        return due

    def _send(self, slots: list[str], now: str) -> bool:
        event = {"Records": [_message(self._queue, slot, now) for slot in slots]}
        try:
            answer = self._call(self._queue.function, event)
        except Exception:  # noqa: BLE001 - a function may raise anything
            _log.exception("%s failed", self._queue.function)
            return False
        return not (isinstance(answer, dict) and cast("Event", answer).get("batchItemFailures"))

    def _again(self, due: list[tuple[str, int]], now: str) -> None:
        """Messages that failed come again a little later, a few times; then the schedule sees."""
        with self._lock:
            for _, receives in due:
                if receives < self._queue.receives:
                    slot = times.plus(now, 2 ** (receives - 1))[:_SLOT]
                    self._known.add(slot)
                    heapq.heappush(self._slots, (slot, receives + 1))


class Every:
    """A schedule: the first event at once, then every so many seconds; a failed one sooner."""

    def __init__(
        self, schedule: Schedule, call: Call, clock: times.Clock, monotonic: Callable[[], float]
    ) -> None:
        self._schedule = schedule
        self._call = call
        self._clock = clock
        self._monotonic = monotonic
        self._next = monotonic()
        self._failures = 0

    def step(self) -> float:
        """Send the event if it is time; answers the seconds until the next."""
        now = self._monotonic()
        if now >= self._next:
            self._next = now + self._send()
        return self._next - now

    def _send(self) -> float:
        try:
            self._call(self._schedule.function, _scheduled(self._schedule, self._clock()))
        except Exception:  # noqa: BLE001 - a function may raise anything
            _log.exception("%s failed", self._schedule.function)
            self._failures += 1
            return min(self._schedule.seconds, float(2 ** min(self._failures, 8)))
        self._failures = 0
        return self._schedule.seconds


def _message(queue: Queue, slot: str, now: str) -> dict[str, Any]:
    body = f"{slot}00Z"
    sent = str(int(times.to_datetime(now).timestamp() * 1000))
    return {
        "messageId": str(uuid.uuid4()),
        "receiptHandle": "local",
        "body": body,
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": sent,
            "SenderId": "local",
            "ApproximateFirstReceiveTimestamp": sent,
        },
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:local:000000000000:{queue.name}",
        "awsRegion": "local",
    }


def _scheduled(schedule: Schedule, now: str) -> Event:
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": f"{now[:19]}Z",
        "region": "local",
        "resources": [f"arn:aws:events:local:000000000000:rule/{schedule.name}"],
        "detail": {},
    }
