"""Time: messages at a moment, schedules every so often, with a clock that the test owns."""

from typing import Any

import pytest

from workledger import times
from workledger.local.alarm import LONGEST_SLEEP, Alarm, Every
from workledger.local.deployed import Queue, Schedule


class Clock:
    """Both clocks, moved by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def text(self) -> str:
        return times.plus("2026-03-11T10:00:00.000Z", self.seconds)

    def monotonic(self) -> float:
        return 50 + self.seconds


class Timekeeper:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.failing = False

    def __call__(self, name: str, event: dict[str, Any]) -> None:
        assert name == "Timekeeper"
        self.events.append(event)
        if self.failing:
            raise RuntimeError("the store is away")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keeper() -> Timekeeper:
    return Timekeeper()


@pytest.fixture
def alarm(clock: Clock, keeper: Timekeeper) -> Alarm:
    return Alarm(Queue("Wakes", "Timekeeper", batch_size=10, receives=3), keeper, clock.text)


def at(seconds: float) -> str:
    return times.plus("2026-03-11T10:00:00.000Z", seconds)


def test_q52_a_wake_comes_at_its_moment_and_not_before(
    alarm: Alarm, clock: Clock, keeper: Timekeeper
) -> None:
    alarm.wake(at(3))
    assert alarm.step() == pytest.approx(3.1)
    clock.seconds = 2.9
    alarm.step()
    assert keeper.events == []
    clock.seconds = 3.1
    assert alarm.step() == LONGEST_SLEEP
    (record,) = keeper.events[0]["Records"]
    assert (record["eventSource"], record["body"]) == ("aws:sqs", at(3))


def test_a_wake_is_never_early_by_part_of_a_tenth(
    alarm: Alarm, clock: Clock, keeper: Timekeeper
) -> None:
    alarm.wake(at(3.09))
    clock.seconds = 3.05
    pause = alarm.step()
    assert keeper.events == []
    clock.seconds += pause
    assert clock.text() >= at(3.09)
    alarm.step()
    assert len(keeper.events) == 1


def test_wakes_of_one_moment_are_one_message_and_of_one_look_one_event(
    alarm: Alarm, clock: Clock, keeper: Timekeeper
) -> None:
    for seconds in (1, 1, 1.04, 1.5, 2):
        alarm.wake(at(seconds))
    clock.seconds = 5
    alarm.step()
    assert [len(event["Records"]) for event in keeper.events] == [3]


def test_more_than_a_batch_are_several_events(
    alarm: Alarm, clock: Clock, keeper: Timekeeper
) -> None:
    for tenths in range(25):
        alarm.wake(at(tenths / 10))
    clock.seconds = 5
    while alarm.step() == 0:
        pass
    assert [len(event["Records"]) for event in keeper.events] == [10, 10, 5]


def test_an_earlier_wake_pokes_the_sleeper_and_a_later_one_does_not(alarm: Alarm) -> None:
    pokes: list[int] = []
    alarm.poke = lambda: pokes.append(1)
    alarm.wake(at(20))
    alarm.wake(at(10))
    alarm.wake(at(15))
    alarm.wake(at(10))
    assert len(pokes) == 2
    assert alarm.step() == pytest.approx(10.1)


def test_a_message_that_fails_comes_again_a_few_times(
    alarm: Alarm, clock: Clock, keeper: Timekeeper
) -> None:
    keeper.failing = True
    alarm.wake(at(0))
    clock.seconds = 1
    pauses = [alarm.step()]
    for _ in range(3):
        clock.seconds += pauses[-1]
        pauses.append(alarm.step())
    assert pauses[:2] == [pytest.approx(1.1), pytest.approx(2.1)]
    assert pauses[2:] == [LONGEST_SLEEP, LONGEST_SLEEP]
    assert len(keeper.events) == 3


def test_a_far_wake_is_looked_at_now_and_then_for_clocks_that_are_set(alarm: Alarm) -> None:
    alarm.wake(at(86_400))
    assert alarm.step() == LONGEST_SLEEP


def test_q52_a_schedule_runs_at_the_start_and_every_period(
    clock: Clock, keeper: Timekeeper
) -> None:
    every = Every(Schedule("FiveMinutes", "Timekeeper", 300), keeper, clock.text, clock.monotonic)
    assert every.step() == 300
    clock.seconds = 299
    assert every.step() == 1
    clock.seconds = 300
    assert every.step() == 300
    assert [event["time"] for event in keeper.events] == [
        "2026-03-11T10:00:00Z",
        "2026-03-11T10:05:00Z",
    ]
    assert keeper.events[0]["detail-type"] == "Scheduled Event"
    assert keeper.events[0]["resources"][0].endswith("rule/FiveMinutes")


def test_a_schedule_that_fails_is_tried_again_sooner(clock: Clock, keeper: Timekeeper) -> None:
    every = Every(Schedule("FiveMinutes", "Timekeeper", 300), keeper, clock.text, clock.monotonic)
    keeper.failing = True
    assert every.step() == 2
    clock.seconds = 2
    assert every.step() == 4
    keeper.failing = False
    clock.seconds = 6
    assert every.step() == 300
