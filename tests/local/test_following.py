"""Streams are played in order; what failed comes again from the first failed record on."""

from collections.abc import Sequence
from typing import Any

import pytest

from workledger.local.deployed import Stream
from workledger.local.following import LONGEST_PAUSE, Follower, Read, Record


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Numbers:
    """A source: records 1, 2, 3, ..."""

    shard = "shard-7"
    poll = 0.2
    short_pages = False

    def __init__(self, count: int) -> None:
        self.count = count
        self.position = 0

    def read(self, limit: int) -> Sequence[Read]:
        numbers = range(self.position + 1, min(self.count, self.position + limit) + 1)
        return [Read(number, record(number)) for number in numbers]

    def done(self, position: int) -> None:
        assert position > self.position
        self.position = position

    def tidy(self, *, ending: bool = False) -> None:
        pass


class Projector:
    """A function that fails the records it is told to."""

    def __init__(self) -> None:
        self.failing: set[int] = set()
        self.raising: set[int] = set()
        self.batches: list[list[int]] = []
        self.events: list[dict[str, Any]] = []

    def __call__(self, name: str, event: dict[str, Any]) -> Any:
        assert name == "Projector"
        numbers = [int(each["dynamodb"]["SequenceNumber"]) for each in event["Records"]]
        self.batches.append(numbers)
        self.events.append(event)
        if self.raising & set(numbers):
            raise RuntimeError("poison")
        failed = [number for number in numbers if number in self.failing]
        return {"batchItemFailures": [{"itemIdentifier": str(number)} for number in failed]}


def record(number: int) -> Record:
    kind = "feed" if number % 10 == 0 else "item"
    return {
        "eventName": "INSERT",
        "dynamodb": {"SequenceNumber": str(number), "Keys": {"stream": {"S": f"{kind}/{number}"}}},
    }


class Played:
    """A follower of a source, with everything at hand."""

    def __init__(self, count: int, **stream: Any) -> None:
        self.clock = Clock()
        self.source = Numbers(count)
        self.projector = Projector()
        options = {"batch_size": 3} | stream
        described = Stream("LedgerTable", "Projector", **options)
        self.follower = Follower(described, self.source, self.projector, self.clock)

    def run(self, steps: int) -> list[float]:
        pauses: list[float] = []
        for _ in range(steps):
            pauses.append(self.follower.step())
            self.clock.now += pauses[-1]
        return pauses


def test_q93_records_are_played_in_order_in_batches() -> None:
    played = Played(7)
    assert played.run(4) == [0, 0, 0.2, 0.2]
    assert played.projector.batches == [[1, 2, 3], [4, 5, 6], [7]]


def test_q93_a_failed_batch_comes_again_from_the_first_failed_record_on() -> None:
    played = Played(5)
    played.projector.failing = {2, 3}
    played.run(2)
    played.projector.failing = set()
    played.run(3)
    assert played.projector.batches == [[1, 2, 3], [2, 3, 4], [2, 3, 4], [5]]


def test_pauses_grow_up_to_a_limit_and_end_with_the_failure() -> None:
    played = Played(2)
    played.projector.failing = {1}
    pauses = played.run(10)
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses[-1] == LONGEST_PAUSE
    played.projector.failing = set()
    assert played.run(1) == [0.2]
    played.projector.failing = {3}
    played.source.count = 3
    assert played.run(1) == [0.1]


def test_a_poke_does_not_cut_a_pause_short() -> None:
    played = Played(1)
    played.projector.failing = {1}
    assert played.follower.step() == 0.1
    assert played.follower.step() == pytest.approx(0.1)
    assert len(played.projector.batches) == 1


def test_a_batch_whose_function_raises_is_halved_until_the_record_is_alone() -> None:
    played = Played(4, batch_size=4)
    played.projector.raising = {3}
    played.run(6)
    assert played.projector.batches[:5] == [[1, 2, 3, 4], [1, 2], [3, 4], [3], [3]]
    played.projector.raising = set()
    played.run(2)
    assert played.projector.batches[-2:] == [[3], [4]]


def test_what_fails_for_too_long_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    played = Played(2, batch_size=1, max_age=60)
    played.projector.raising = {1}
    while played.source.position == 0:
        played.run(1)
    assert 160 < played.clock.now < 160 + 2 * LONGEST_PAUSE
    assert "given up on {'stream': {'S': 'item/1'}}" in caplog.text
    played.run(2)
    assert played.projector.batches[-1] == [2]


def test_records_that_no_filter_wants_are_passed_over() -> None:
    pattern = {"dynamodb": {"Keys": {"stream": {"S": [{"prefix": "item/"}]}}}}
    played = Played(21, batch_size=9, filters=(pattern,))
    played.projector.failing = {11}
    played.run(3)
    assert played.projector.batches[:2] == [[*range(1, 10)], [11, 12, 13, 14, 15, 16, 17, 18]]
    assert played.source.position == 10
    played.projector.failing = set()
    played.run(4)
    assert played.source.position == 21
    assert not [
        number for batch in played.projector.batches for number in batch if number % 10 == 0
    ]


def test_an_answer_that_names_an_unknown_record_fails_the_batch() -> None:
    played = Played(2)
    follower = Follower(
        Stream("LedgerTable", "Projector", 3),
        played.source,
        lambda name, event: {"batchItemFailures": [{"itemIdentifier": ""}]},
        played.clock,
    )
    assert follower.step() == 0.1
    assert played.source.position == 0


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": []}, "ok"])
def test_any_other_answer_is_success(answer: object) -> None:
    played = Played(2)
    stream = Stream("LedgerTable", "Projector", 3)
    Follower(stream, played.source, lambda name, event: answer, played.clock).step()
    assert played.source.position == 2


def test_q70_a_window_makes_the_event_name_its_shard() -> None:
    played = Played(1, named_shards=True)
    played.run(1)
    assert played.projector.events[0]["shardId"] == "shard-7"
    plain = Played(1)
    plain.run(1)
    assert plain.projector.events[0].keys() == {"Records"}
