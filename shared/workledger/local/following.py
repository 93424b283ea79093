"""Plays a stream to a function, as Lambda does for a DynamoDB stream.

In order, in batches; a batch that failed is sent again from its first failed record on, after a
pause that grows. A batch whose function raised is halved, to find the record. A record that fails
for longer than the template allows is given up, with an error in the log.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, Protocol, cast

from workledger.local import patterns
from workledger.local.deployed import Stream
from workledger.local.events import Event

_log = logging.getLogger("workledger.serve")

SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 10.0

Record = dict[str, Any]
"""A record of a DynamoDB stream, as it stands in the event."""


class Read(NamedTuple):
    """A record and the position behind it."""

    position: Any
    record: Record


class Source(Protocol):
    """One ordered sequence of records: a shard."""

    shard: str
    poll: float
    """Seconds after which to look again where nothing was."""

    short_pages: bool
    """Whether a page that is not full says nothing: only an empty one is the end."""

    def read(self, limit: int) -> Sequence[Read]:
        """The next records beyond those that are done."""
        ...

    def done(self, position: Any) -> None:
        """Everything up to this position is done: it need not come again."""
        ...

    def tidy(self, *, ending: bool = False) -> None:
        """Called now and then, and at the end: remember what is done."""
        ...


class Follower:
    """Plays one source to one function."""

    def __init__(
        self,
        stream: Stream,
        source: Source,
        call: Callable[[str, Event], Any],
        clock: Callable[[], float],
    ) -> None:
        self._stream = stream
        self._source = source
        self._call = call
        self._clock = clock
        self._size = stream.batch_size
        self._failures = 0
        self._failing_since = 0.0
        self._resting_until = 0.0

    def step(self) -> float:
        """Send one batch; answers after how many seconds to come again."""
        now = self._clock()
        if now < self._resting_until:
            return self._resting_until - now
        self._source.tidy()
        batch = self._source.read(self._size)
        if not batch:
            return self._source.poll
        wanted = [one.record for one in batch if patterns.wanted(self._stream.filters, one.record)]
        failed = self._send(wanted) if wanted else None
        done = list(takewhile(lambda one: _sequence(one.record) != failed, batch))
        if done:
            self._source.done(done[-1].position)
            self._failures = 0
        if failed is None:
            full = len(batch) == self._size
            self._size = self._stream.batch_size
            return 0.0 if full or self._source.short_pages else self._source.poll
        return self._rest(now, batch[len(done)])

    def _send(self, records: Sequence[Record]) -> str | None:
        """The sequence number of the first failed record; None when there is none."""
        event: Event = {"Records": list(records)}
        if self._stream.named_shards:
            event |= {"shardId": self._source.shard, "state": {}, "isFinalInvokeForWindow": False}
        try:
            answer = self._call(self._stream.function, event)
        except Exception:  # noqa: BLE001 - a function may raise anything
            _log.exception("%s failed", self._stream.function)
            self._size = max(1, len(records) // 2)
            return _sequence(records[0])
        return _first_failed(records, answer)

    def _rest(self, now: float, first: Read) -> float:
        """After a failure: a pause, or the end of a record that failed for too long."""
        if self._failures == 0:
            self._failing_since = now
        self._failures += 1
        if now - self._failing_since > self._stream.max_age:
            keys = first.record["dynamodb"]["Keys"]
            _log.error("%s: given up on %s", self._stream.function, keys)
            self._source.done(first.position)
            self._failures = 0
            return 0.0
        pause = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** (self._failures - 1))
        self._resting_until = now + pause
        return pause


def _sequence(record: Mapping[str, Any]) -> str:
    return record["dynamodb"]["SequenceNumber"]


def _first_failed(records: Sequence[Record], answer: Any) -> str | None:
    """Partial batch response: an answer that names no record of the batch fails all of it."""
    if not isinstance(answer, Mapping):
        return None
    failures: list[dict[str, Any]] = cast("Event", answer).get("batchItemFailures") or []
    if not failures:
        return None
    failed = {failure.get("itemIdentifier") for failure in failures}
    numbers = [_sequence(record) for record in records]
    if not failed <= set(numbers):
        return numbers[0]
    return next(number for number in numbers if number in failed)
