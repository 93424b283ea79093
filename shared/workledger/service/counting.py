"""Counts by status for lines too long to count, fed from the views' stream (design: Counts).

A record says on which line a row stood and on which it stands now: the difference is added up. Each
shard's records are in order, and are counted once however often and overlapping they come.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workledger.errors import StoreError
from workledger.keys import queue_of_line
from workledger.queues.item import LINES
from workledger.service.core import Core
from workledger.stores.port import Counters

STATUS: Mapping[str, str] = {lane: status for status, lanes in LINES.items() for lane in lanes}
"""Lane -> status on the wire."""

TRIES = 5
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
            failed.append(moves[0][0])
    first = min(failed, default=None)
    return next((_number(one) for one in records if _filled(one) == first), None)


def beyond(core: Core, queue: str) -> Mapping[str, int]:
    """A queue's counts as they were fed; never below 0. Empty where a line is counted itself."""
    store = core.store
    if not isinstance(store, Counters):
        return {}
    return {status: max(0, count) for status, count in store.counts(queue).items()}


Moves = list[tuple[str, Deltas]]


def _count(core: Core, store: Counters, queue: str, shard: str, moves: Moves) -> bool:
    """Add what this shard's row has not seen yet; who loses a race looks again."""
    for _ in range(TRIES):
        after = store.counted(queue, shard)
        new = [deltas for number, deltas in moves if number > after]
        if not new:
            return True
        if store.add_counts(queue, shard, after, moves[-1][0], _sum(new)):
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
                moves.setdefault(queue, []).append((_filled(record), {status: delta}))
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


def _number(record: Mapping[str, Any]) -> str:
    return record["SequenceNumber"]


def _filled(record: Mapping[str, Any]) -> str:
    return _number(record).zfill(NUMBER_LENGTH)
