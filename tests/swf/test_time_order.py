"""The times of a history never run back, whatever the clocks of those who write it (1.7, W16)."""

from itertools import cycle

import pytest

from tests.races.world import World
from tests.support import FakeClock
from tests.swf.conftest import stores
from tests.swf.service import Service, attributes, check, complete, schedule, serving, timer, told
from workledger.service import sweeping
from workledger.swf.call import epoch
from workledger.times import plus


def moments(service: Service) -> list[float]:
    """The times of the events of `w`, in the order of their ids."""
    return [one["eventTimestamp"] for one in service.history("w")]


@pytest.mark.row("1.7 times never run back")
@stores
def test_w16_table_1_7_times_never_run_back_whatever_the_clocks(world: World) -> None:
    """Processes whose clocks are ten seconds apart write one history in turns."""
    first = serving(world)
    slow = Service(world.process(clock=FakeClock(plus(world.clock.now, -10))))
    fast = Service(world.process(clock=FakeClock(plus(world.clock.now, 10))))
    turns = cycle((fast, first, slow))
    first.start("w")
    next(turns).decide(timer("t", "900"), schedule("a"), schedule("b", startToCloseTimeout="900"))
    for _ in range(4):
        next(turns).signal("w")
        next(turns).decide(schedule("more"))
    next(turns).work()
    next(turns).work()
    next(turns).decide(complete())
    found = moments(first)
    assert found == sorted(found)
    assert found[-1] >= epoch(plus(world.clock.now, 10))
    check(world, "w")


@pytest.mark.row("1.7 times never run back")
def test_w16_table_1_7_a_limit_that_was_passed_over_bears_the_time_of_what_came_after(
    world: World,
) -> None:
    """A heartbeat's limit counts a second late, for it may have been written late: what happened
    in that second stands before it, and its time is not earlier than that."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", heartbeatTimeout="30"))
    service.take()
    began = world.clock.now
    world.clock.tick(30.5)
    service.signal("w")
    world.clock.tick(60)
    sweeping.sweep(service.core)
    assert told(service.history("w"))[-3:] == [
        "WorkflowExecutionSignaled",
        "DecisionTaskScheduled",
        "ActivityTaskTimedOut",
    ]
    assert attributes(service.history("w")[-1])["timeoutType"] == "HEARTBEAT"
    assert moments(service)[-3:] == [epoch(plus(began, 30.5))] * 3
    check(world, "w")


@pytest.mark.row("1.7 times never run back")
def test_w16_table_1_7_a_next_run_begins_a_history_of_its_own(world: World) -> None:
    """A run that ended in the time of a fast clock says nothing of the next one's."""
    service = serving(world)
    fast = Service(world.process(clock=FakeClock(plus(world.clock.now, 10))))
    service.start("w")
    fast.decide(complete())
    service.start("w")
    assert moments(service)[0] == epoch(world.clock.now)
    service.decide(complete())
    check(world, "w")
