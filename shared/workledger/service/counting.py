"""Counts by status for lists of queues and lines too long to count, fed from the views' stream.

A record says on which line a row stood and on which it stands now: the difference is added up. Each
shard's records are in order, and are counted once however often and overlapping they come. What was
given up, after hours of an outage, only a recount finds (design: Counts).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from workledger.errors import StoreError
from workledger.keys import queue_line, queue_of_line
from workledger.queues.item import LINES
from workledger.service.core import Core
from workledger.stores.port import Counters
from workledger.times import from_epoch, plus

STATUS: Mapping[str, str] = {lane: status for status, lanes in LINES.items() for lane in lanes}
"""Lane -> status on the wire."""

TRIES = 5
NO_LIMIT = (1 << 31) - 1
LATE_SECONDS = 5.5 * 3_600
"""Lambda gives up on records after six hours (template.yaml): others are gone by then."""
NUMBER_LENGTH = 40
"""Sequence numbers have up to 40 digits: filled up with zeros they compare as text."""

Deltas = dict[str, int]


def counted(core: Core, shard: str, records: Sequence[Mapping[str, Any]]) -> str | None:
    """Count a batch of a shard's records; answers the first that is to come again, if any.

    A record is what DynamoDB's stream calls `dynamodb`: SequenceNumber, OldImage, NewImage.
    """
    store = core.store
    if not isinstance(store, Counters):
        return None
    failed: list[str] = []
    for queue, moves in _by_queue(records).items():
        try:
            done = _count(core, store, queue, shard, moves)
        except StoreError:
            done = False
        if not done:
            failed.append(moves[0].number)
    first = min(failed, default=None)
    return next((_number(one) for one in records if _filled(one) == first), None)


def fed(core: Core, queues: Sequence[str]) -> dict[str, dict[str, int]]:
    """Counts of queues as they were fed, by status; never below 0.

    Queues that were never counted are left out: all of them where lines are counted exactly.
    """
    store = core.store
    if not isinstance(store, Counters) or not queues:
        return {}
    found = store.counts(queues)
    return {
        queue: {status: max(0, counts.get(status, 0)) for status in LINES}
        for queue, counts in found.items()
    }


def recount(core: Core, queue: str) -> dict[str, int] | None:
    """Count a queue's lines anew, whatever was fed; None where no counts are kept.

    What moves meanwhile, or within the second before, may be counted twice or not at all: for a
    quiet moment of the queue.
    """
    store = core.store
    if not isinstance(store, Counters):
        return None
    at = core.clock()
    reads = [partial(core.store.count_line, queue_line(queue, lane), NO_LIMIT) for lane in STATUS]
    counts = dict.fromkeys(LINES, 0)
    for status, count in zip(STATUS.values(), core.store.together(reads), strict=True):
        counts[status] += count
    store.set_counts(queue, counts, at)
    return counts


def is_late(core: Core, records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether records come so late that others may have been given up: counts need a recount."""
    limit = plus(core.clock(), -LATE_SECONDS)
    return any(_made(record) < limit for record in records)


class Move(NamedTuple):
    """What a record says of a queue, and when it was made, to the second."""

    number: str
    at: str
    deltas: Deltas


Moves = list[Move]


def _count(core: Core, store: Counters, queue: str, shard: str, moves: Moves) -> bool:
    """Add what this shard's row has not seen yet; who loses a race looks again."""
    for _ in range(TRIES):
        after = position, recounted = store.counted(queue, shard)
        if moves[-1].number <= position:
            return True
        new = [one.deltas for one in moves if one.number > position and one.at > recounted]
        if store.add_counts(queue, shard, after, moves[-1].number, _sum(new)):
            return True
        core.executor.pause(1)
    return False


def _by_queue(records: Iterable[Mapping[str, Any]]) -> dict[str, Moves]:
    moves: dict[str, Moves] = {}
    for record in records:
        old, new = _where(record.get("OldImage")), _where(record.get("NewImage"))
        if old == new:
            continue
        for place, delta in ((old, -1), (new, 1)):
            if place is not None:
                queue, status = place
                move = Move(_filled(record), _made(record), {status: delta})
                moves.setdefault(queue, []).append(move)
    return moves


def _where(image: Mapping[str, Any] | None) -> tuple[str, str] | None:
    """(queue, status) of a row that stands on a line of a queue."""
    line = (image or {}).get("line")
    located = queue_of_line(line["S"]) if line else None
    if located is None or located[1] not in STATUS:
        return None
    return located[0], STATUS[located[1]]


def _sum(parts: Iterable[Deltas]) -> Deltas:
    total: Deltas = {}
    for part in parts:
        for status, delta in part.items():
            total[status] = total.get(status, 0) + delta
    return {status: delta for status, delta in total.items() if delta}


def _made(record: Mapping[str, Any]) -> str:
    """When it was made; later than any recount where it does not say so."""
    made = record.get("ApproximateCreationDateTime")
    return "~" if made is None else from_epoch(float(made))


def _number(record: Mapping[str, Any]) -> str:
    return record["SequenceNumber"]


def _filled(record: Mapping[str, Any]) -> str:
    return _number(record).zfill(NUMBER_LENGTH)
