"""Streams of DynamoDB tables: shards in the order of their generations, faults in between; moto."""

from collections.abc import Callable
from typing import Any

import pytest

from workledger.local.deployed import Stream
from workledger.local.following import Follower, Source
from workledger.local.shards import REFRESHED_EVERY, TableStream


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Engine:
    """Streams with two generations of shards. An iterator is `shard:index`."""

    def __init__(self) -> None:
        self.shards: dict[str, list[str]] = {"old": ["1", "2", "3"]}
        self.parents: dict[str, str] = {}
        self.closed: set[str] = set()
        self.faults = 0
        self.page = 2

    def describe_table(self, **params: Any) -> dict[str, Any]:
        return {"Table": {"LatestStreamArn": f"arn:{params['TableName']}"}}

    def describe_stream(self, **params: Any) -> dict[str, Any]:
        names = list(self.shards)
        start = names.index(params["ExclusiveStartShardId"]) + 1 if len(params) > 1 else 0
        found = [{"ShardId": name} | self._parent(name) for name in names[start : start + 1]]
        last = {"LastEvaluatedShardId": names[start]} if start + 1 < len(names) else {}
        return {"StreamDescription": {"Shards": found, **last}}

    def _parent(self, name: str) -> dict[str, str]:
        return {"ParentShardId": self.parents[name]} if name in self.parents else {}

    def get_shard_iterator(self, **params: Any) -> dict[str, Any]:
        index = 0
        if params["ShardIteratorType"] == "AFTER_SEQUENCE_NUMBER":
            index = self.shards[params["ShardId"]].index(params["SequenceNumber"]) + 1
        return {"ShardIterator": f"{params['ShardId']}:{index}"}

    def get_records(self, **params: Any) -> dict[str, Any]:
        if self.faults:
            self.faults -= 1
            raise RuntimeError("ExpiredIteratorException")
        shard, _, index = params["ShardIterator"].partition(":")
        end = min(int(index) + self.page, len(self.shards[shard]))
        numbers = self.shards[shard][int(index) : end]
        answer = {"Records": [{"dynamodb": {"SequenceNumber": number}} for number in numbers]}
        if shard in self.closed and end == len(self.shards[shard]):
            return answer
        return answer | {"NextShardIterator": f"{shard}:{end}"}


class Followed:
    def __init__(self, engine: Any) -> None:
        self.told: list[tuple[str, str]] = []
        self.clock = Clock()
        stream = Stream("LedgerTable", "Projector", 10, named_shards=True)

        def project(name: str, event: dict[str, Any]) -> None:
            for record in event["Records"]:
                self.told.append((event["shardId"], record["dynamodb"]["SequenceNumber"]))

        def follow(source: Source) -> Follower:
            return Follower(stream, source, project, self.clock)

        self.table = TableStream(engine, "ledger", follow, self.clock, poll=0.25)

    def step(self, times: int = 1) -> float:
        pause = 0.0
        for _ in range(times):
            pause = self.table.step()
        return pause


@pytest.fixture
def engine() -> Engine:
    return Engine()


def test_a_stream_begins_with_its_oldest_record(engine: Engine) -> None:
    followed = Followed(engine)
    assert [followed.step() for _ in range(3)] == [0, 0, 0.25]
    assert followed.told == [("old", "1"), ("old", "2"), ("old", "3")]
    engine.shards["old"].append("4")
    followed.step()
    assert followed.told[-1] == ("old", "4")


def test_a_shard_begins_when_its_parent_has_ended(engine: Engine) -> None:
    engine.shards |= {"left": ["5"], "right": ["6"]}
    engine.parents = {"left": "old", "right": "old"}
    followed = Followed(engine)
    followed.step(5)
    assert [shard for shard, _ in followed.told] == ["old"] * 3
    engine.closed = {"old"}
    followed.step(5)
    assert followed.told[3:] == [("left", "5"), ("right", "6")]


def test_new_shards_are_found_at_once_when_a_parent_ends(engine: Engine) -> None:
    followed = Followed(engine)
    followed.step(3)
    engine.shards["new"] = ["5"]
    engine.parents = {"new": "old"}
    engine.closed = {"old"}
    followed.step(4)
    assert followed.told[-1] == ("new", "5")


def test_new_shards_are_found_now_and_then(engine: Engine) -> None:
    followed = Followed(engine)
    followed.step(3)
    engine.shards["other"] = ["5"]
    followed.step(2)
    assert ("other", "5") not in followed.told
    followed.clock.now = REFRESHED_EVERY
    followed.step()
    assert ("other", "5") in followed.told


def test_after_a_fault_reading_goes_on_behind_the_last_record(engine: Engine) -> None:
    followed = Followed(engine)
    followed.step()
    engine.faults = 1
    with pytest.raises(RuntimeError):
        followed.step()
    followed.step(2)
    assert followed.told == [("old", "1"), ("old", "2"), ("old", "3")]


def test_motos_streams_are_followed(on_moto: Callable[[], tuple[Any, Any]]) -> None:
    client, streams = on_moto()
    client.put_item(TableName="ledger", Item={"stream": {"S": "item/a"}, "n": {"N": "1"}})
    followed = Followed(streams)
    followed.step(2)
    client.put_item(TableName="ledger", Item={"stream": {"S": "item/a"}, "n": {"N": "2"}})
    followed.step(2)
    assert len(followed.told) == 2
    assert followed.told[0][0].startswith("shardId-")
