"""A table's stream on DynamoDB, or on an engine that speaks like it: its shards as sources.

Begins with the oldest record at every start: what the functions were told before, they are told
again, which is harmless. A shard begins when its parent has ended.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from workledger.local.following import Follower, Read, Record, Source
from workledger.stores.streams import Streams

REFRESHED_EVERY = 10.0
"""Seconds between two looks for new shards."""

_PAGE = 1000


class Shard:
    """One shard: what was read and is not done waits in memory."""

    short_pages = True

    def __init__(self, streams: Streams, arn: str, shard: str, poll: float) -> None:
        self.shard = shard
        self.poll = poll
        self._streams = streams
        self._arn = arn
        self._ahead: list[Read] = []
        self._last: str | None = None
        self._iterator: str | None = None
        self._closed = False

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to come, and all of it is done."""
        return self._closed and not self._ahead

    def read(self, limit: int) -> Sequence[Read]:
        """The next records."""
        if not self._ahead and not self._closed:
            self._fetch()
        return self._ahead[:limit]

    def done(self, position: str) -> None:
        """Forget the records up to this one."""
        positions = [one.position for one in self._ahead]
        self._ahead = self._ahead[positions.index(position) + 1 :]

    def tidy(self, *, ending: bool = False) -> None:
        """Nothing is kept."""

    def _fetch(self) -> None:
        iterator = self._iterator or self._new_iterator()
        self._iterator = None  # after a fault, an expired one among them: a new one from the last
        answer = self._streams.get_records(ShardIterator=iterator, Limit=_PAGE)
        records = [_record(record, self._arn) for record in answer["Records"]]
        self._ahead = [Read(record["dynamodb"]["SequenceNumber"], record) for record in records]
        if self._ahead:
            self._last = self._ahead[-1].position
        self._iterator = answer.get("NextShardIterator")
        self._closed = self._iterator is None

    def _new_iterator(self) -> str:
        start: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if self._last is not None:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self._last}
        answer = self._streams.get_shard_iterator(StreamArn=self._arn, ShardId=self.shard, **start)
        return answer["ShardIterator"]


class TableStream:
    """All shards of a table's stream, each with a follower of its own."""

    def __init__(
        self,
        streams: Streams,
        table: str,
        follow: Callable[[Source], Follower],
        clock: Callable[[], float],
        poll: float,
    ) -> None:
        self._streams = streams
        self._table = table
        self._follow = follow
        self._clock = clock
        self._poll = poll
        self._shards: dict[str, tuple[Shard, Follower]] = {}
        self._parents: dict[str, str | None] = {}
        self._refresh_at = clock()

    def step(self) -> float:
        """One batch of each shard that has begun; the seconds until the next."""
        now = self._clock()
        if now >= self._refresh_at:
            self._refresh()
            self._refresh_at = now + REFRESHED_EVERY
        pauses = [REFRESHED_EVERY]
        for name, (shard, follower) in self._shards.items():
            if not shard.ended and self._begun(name):
                pauses.append(follower.step())
                if shard.ended:
                    self._refresh_at = now  # its children
        return min(pauses)

    def _begun(self, name: str) -> bool:
        parent = self._shards.get(self._parents[name] or "")
        return parent is None or parent[0].ended

    def _refresh(self) -> None:
        table = self._streams.describe_table(TableName=self._table)["Table"]
        arn = table["LatestStreamArn"]
        for found in self._described(arn):
            name = found["ShardId"]
            if name not in self._shards:
                shard = Shard(self._streams, arn, name, self._poll)
                self._parents[name] = found.get("ParentShardId")
                self._shards[name] = (shard, self._follow(shard))

    def _described(self, arn: str) -> list[dict[str, Any]]:
        shards: list[dict[str, Any]] = []
        start: dict[str, Any] = {}
        while True:
            described = self._streams.describe_stream(StreamArn=arn, **start)["StreamDescription"]
            shards += described["Shards"]
            last = described.get("LastEvaluatedShardId")
            if last is None:
                return shards
            start = {"ExclusiveStartShardId": last}


def _record(record: Record, arn: str) -> Record:
    """A record as Lambda passes it on."""
    made = record["dynamodb"].get("ApproximateCreationDateTime")
    if isinstance(made, datetime):
        record["dynamodb"]["ApproximateCreationDateTime"] = made.timestamp()
    return record | {"eventSourceARN": arn}
