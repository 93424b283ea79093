"""Time-outs and timers: by time, whoever comes by (W16 to W18, W28, table 1.7)."""

from collections.abc import Callable

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.service import (
    Answer,
    Service,
    attributes,
    check,
    complete,
    decision,
    schedule,
    serving,
    stream,
    timer,
    told,
)
from workledger.errors import Refused
from workledger.service import sweeping
from workledger.swf.call import epoch
from workledger.times import plus

FAR = 10_000
"""Seconds by which a limit is discovered late."""

# --- who may discover that a limit was reached --------------------------------------------------


def sweep(service: Service) -> None:
    """The timekeeper."""
    sweeping.sweep(service.core)


def describe(service: Service) -> None:
    """Somebody who looks."""
    service.describe("w")


def look_back(service: Service) -> None:
    """Somebody who reads the history."""
    service.history("w")


def respond_late(service: Service) -> None:
    """Somebody who answers with a token that was never that of a task here."""
    open_run = service.head("w")
    with pytest.raises(Refused):
        service("TerminateWorkflowExecution", workflowId="w", runId=f"not-{open_run.run_id}")


DISCOVERERS = [sweep, describe, look_back, respond_late]


@pytest.fixture(params=DISCOVERERS, ids=lambda one: one.__name__)
def discover(request: pytest.FixtureRequest) -> Callable[[Service], None]:
    """One of those who may come by."""
    return request.param


def moments(service: Service, kind: str) -> list[float]:
    """When events of a type happened."""
    return [one["eventTimestamp"] for one in service.history("w") if one["eventType"] == kind]


def last(service: Service, kind: str) -> Answer:
    """The attributes of the last event of a type."""
    return attributes([one for one in service.history("w") if one["eventType"] == kind][-1])


def unknown(ask: Callable[[], object]) -> str:
    """The message of an UnknownResourceFault."""
    with pytest.raises(Refused) as caught:
        ask()
    assert caught.value.code == "UnknownResourceFault"
    return caught.value.detail


def answers(service: Service, task: Answer) -> list[Callable[[], object]]:
    """Everything that a worker may say of a task."""
    token = task["taskToken"]
    return [
        lambda: service("RespondActivityTaskCompleted", taskToken=token),
        lambda: service("RespondActivityTaskFailed", taskToken=token, reason="r"),
        lambda: service("RespondActivityTaskCanceled", taskToken=token),
        lambda: service.beat(task),
    ]


# --- activities: W16 ----------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["scheduleToStartTimeout", "scheduleToCloseTimeout"])
@pytest.mark.row("1.7 activity SCHEDULE_TO_START", "1.7 activity SCHEDULE_TO_CLOSE")
def test_w16_a_task_that_nobody_starts_times_out_at_its_moment(
    world: World, discover: Callable[[Service], None], limit: str
) -> None:
    """SCHEDULE_TO_START and SCHEDULE_TO_CLOSE of an unstarted task: startedEventId 0."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", **{limit: "30"}))
    scheduled = world.clock.now
    world.clock.tick(FAR)
    discover(service)
    timed_out = last(service, "ActivityTaskTimedOut")
    kind = "SCHEDULE_TO_START" if "Start" in limit else "SCHEDULE_TO_CLOSE"
    assert timed_out == {"timeoutType": kind, "scheduledEventId": 5, "startedEventId": 0}
    assert moments(service, "ActivityTaskTimedOut") == [epoch(plus(scheduled, 30))]
    assert moments(service, "DecisionTaskScheduled")[-1] == epoch(plus(scheduled, 30))
    assert service.take() == {"startedEventId": 0}
    check(world, "w")


@pytest.mark.parametrize(
    ("limit", "of", "since"),
    [
        ("startToCloseTimeout", "START_TO_CLOSE", "start"),
        ("scheduleToCloseTimeout", "SCHEDULE_TO_CLOSE", "schedule"),
        ("heartbeatTimeout", "HEARTBEAT", "start"),
    ],
)
@pytest.mark.row(
    "1.7 activity SCHEDULE_TO_CLOSE",
    "1.7 activity START_TO_CLOSE",
    "1.7 activity HEARTBEAT",
    "1.7 late answers",
    "1.7 the moment of an event",
)
def test_w16_a_started_task_times_out_at_its_moment_and_a_late_answer_is_refused(
    world: World, discover: Callable[[Service], None], limit: str, of: str, since: str
) -> None:
    """The worker of a task that timed out gets UnknownResourceFault, whatever it says."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", **{limit: "30"}))
    clock = {"schedule": world.clock.now}
    world.clock.tick(7)
    clock["start"] = world.clock.now
    task = service.take()
    world.clock.tick(FAR)
    discover(service)
    assert last(service, "ActivityTaskTimedOut") == {
        "timeoutType": of,
        "scheduledEventId": 5,
        "startedEventId": 6,
    }
    assert moments(service, "ActivityTaskTimedOut") == [epoch(plus(clock[since], 30))]
    for say in answers(service, task):
        assert unknown(say) == "Unknown activity, scheduledEventId = 5"
    check(world, "w")


def test_w16_an_answer_at_the_limit_is_late_even_if_nobody_saw_it(world: World) -> None:
    """The limit itself is reached at its very millisecond: it is decided by time."""
    service = serving(world)
    service.start("w")
    limits = ("startToCloseTimeout", "heartbeatTimeout", "scheduleToCloseTimeout")
    service.decide(*(schedule(limit, **{limit: "30"}) for limit in limits))
    tasks = [service.take() for _ in limits]
    world.clock.tick(29.999)
    assert [service.beat(task) for task in (tasks[0], tasks[2])] == [False, False]
    world.clock.tick(0.001)
    for task in tasks:
        for say in answers(service, task):
            unknown(say)
    world.clock.tick(1)
    assert len(moments(service, "ActivityTaskTimedOut")) == 3
    check(world, "w")


@pytest.mark.row("1.7 activity START_TO_CLOSE", "1.7 activity HEARTBEAT")
def test_w16_each_heartbeat_sets_its_clock_back_and_no_other(world: World) -> None:
    """HEARTBEAT starts anew with each beat; START_TO_CLOSE does not."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", heartbeatTimeout="10", startToCloseTimeout="35"))
    task, started = service.take(), world.clock.now
    for number in range(4):
        world.clock.tick(8)
        assert service.beat(task, f"step {number}") is False
        sweep(service)
    world.clock.tick(8)
    sweep(service)
    assert last(service, "ActivityTaskTimedOut")["timeoutType"] == "START_TO_CLOSE"
    assert moments(service, "ActivityTaskTimedOut") == [epoch(plus(started, 35))]
    check(world, "w")


@stores
@pytest.mark.row("1.7 activity HEARTBEAT")
def test_w16_a_heartbeat_timeout_tells_the_last_details(world: World) -> None:
    """`details` of the time-out are those of the last beat, at the last beat's moment plus limit."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", heartbeatTimeout="10"))
    task = service.take()
    world.clock.tick(4)
    service.beat(task, "first")
    world.clock.tick(6)
    service.beat(task, "second")
    beaten = world.clock.now
    world.clock.tick(10.5)
    sweep(service)
    assert moments(service, "ActivityTaskTimedOut") == []  # a beat in time may still be on its way
    world.clock.tick(0.5)
    sweep(service)
    assert last(service, "ActivityTaskTimedOut")["details"] == "second"
    assert moments(service, "ActivityTaskTimedOut") == [epoch(plus(beaten, 10))]


def test_w16_a_reused_id_does_not_inherit_heartbeats(world: World) -> None:
    """A new task of an old activity id begins with its own clock."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", heartbeatTimeout="10"))
    task = service.take()
    world.clock.tick(9)
    service.beat(task, "old")
    service("RespondActivityTaskCompleted", taskToken=task["taskToken"])
    service.decide(schedule("a", heartbeatTimeout="100"))
    service.take()
    started = world.clock.now
    world.clock.tick(200)
    sweep(service)
    assert moments(service, "ActivityTaskTimedOut") == [epoch(plus(started, 100))]
    assert "details" not in last(service, "ActivityTaskTimedOut")


@pytest.mark.row("1.7 a duration of 0")
def test_w16_zero_is_a_legal_duration(world: World) -> None:
    """A schedule-to-start of 0 closes the task at its own moment; a worker never sees it."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a", scheduleToStartTimeout="0"))
    assert moments(service, "ActivityTaskTimedOut") == moments(service, "ActivityTaskScheduled")
    assert service.take() == {"startedEventId": 0}
    check(world, "w")


# --- decisions and executions: W17 --------------------------------------------------------------


@pytest.mark.row("1.7 decision START_TO_CLOSE")
def test_w17_a_decision_task_times_out_and_comes_again(
    world: World, discover: Callable[[Service], None]
) -> None:
    """START_TO_CLOSE: DecisionTaskTimedOut, then a new one; the old token is refused."""
    service = serving(world)
    service.start("w")
    task, started = service.poll(), world.clock.now
    world.clock.tick(61)
    discover(service)
    assert last(service, "DecisionTaskTimedOut") == {
        "timeoutType": "START_TO_CLOSE",
        "scheduledEventId": 2,
        "startedEventId": 3,
    }
    assert moments(service, "DecisionTaskTimedOut") == [epoch(plus(started, 60))]
    late = unknown(lambda: service.answer(task))
    assert late == "Unknown decision task, scheduledEventId = 2"
    again = service.poll()
    assert (again["startedEventId"], again["previousStartedEventId"]) == (6, 0)
    service.answer(again, complete())
    check(world, "w")


@stores
def test_w17_a_decision_task_times_out_with_another_one_waiting(world: World) -> None:
    """The one that waited already is not scheduled twice; nothing of its clock is lost."""
    service = serving(world)
    service.start("w")
    task = service.poll()
    service.signal("w")
    service.signal("w")
    world.clock.tick(60)
    sweep(service)
    assert told(service.history("w"))[3:] == [
        "WorkflowExecutionSignaled",
        "DecisionTaskScheduled",
        "WorkflowExecutionSignaled",
        "DecisionTaskTimedOut",
    ]
    unknown(lambda: service.answer(task))
    assert service.poll()["startedEventId"] == 8
    check(world, "w")


def test_w17_a_decision_at_its_limit_is_late_even_if_nobody_saw_it(world: World) -> None:
    """The whole batch is refused and the task comes again."""
    service = serving(world)
    service.start("w")
    task = service.poll()
    world.clock.tick(60)
    unknown(lambda: service.answer(task, complete()))
    assert service.describe("w")["executionInfo"]["executionStatus"] == "OPEN"
    service.decide(complete())
    check(world, "w")


@pytest.mark.row("1.7 execution START_TO_CLOSE")
def test_w17_an_execution_times_out_at_its_moment_and_ends_what_is_open(
    world: World, discover: Callable[[Service], None]
) -> None:
    """START_TO_CLOSE of the execution: nothing that is due later happens; later calls fail."""
    service = serving(world)
    service.start("w", executionStartToCloseTimeout="100")
    began = world.clock.now
    service.decide(
        schedule("a", startToCloseTimeout="200"), schedule("b"), timer("t", "90"), timer("u", "101")
    )
    task = service.take()
    world.clock.tick(FAR)
    discover(service)
    assert told(service.history("w"))[-3:] == [
        "TimerFired",
        "DecisionTaskScheduled",
        "WorkflowExecutionTimedOut",
    ]
    assert moments(service, "WorkflowExecutionTimedOut") == [epoch(plus(began, 100))]
    assert last(service, "WorkflowExecutionTimedOut") == {
        "timeoutType": "START_TO_CLOSE",
        "childPolicy": "TERMINATE",
    }
    for say in answers(service, task):
        assert "Unknown execution" in unknown(say)
    unknown(lambda: service.signal("w"))
    assert service.poll() == {"previousStartedEventId": 0, "startedEventId": 0}
    assert service.take() == {"startedEventId": 0}
    check(world, "w")


def test_w17_an_overdue_execution_is_over_before_anybody_says_so(world: World) -> None:
    """No poll hands out its tasks, nothing can be asked of it, its id is free."""
    service = serving(world)
    service.start("w", executionStartToCloseTimeout="100")
    service.decide(schedule("a"), schedule("b"))
    task = service.take()
    world.clock.tick(100)
    assert service.take() == {"startedEventId": 0}
    unknown(lambda: service.signal("w"))
    unknown(lambda: service("RequestCancelWorkflowExecution", workflowId="w"))
    unknown(lambda: service("TerminateWorkflowExecution", workflowId="w"))
    for say in answers(service, task):
        unknown(say)
    service.start("w")
    assert service.describe("w")["executionInfo"]["executionStatus"] == "OPEN"
    check(world, "w")


# --- a task list that is only borrowed: 1.6, 1.7 ------------------------------------------------


def borrowing(world: World) -> Service:
    """An execution whose decider wants its next tasks on a list of its own, for 10 seconds."""
    service = serving(world)
    service.start("w")
    service.decide(taskList={"name": "mine"}, taskListScheduleToStartTimeout="10")
    return service


@stores
@pytest.mark.row("1.6 another task list", "1.7 decision SCHEDULE_TO_START")
def test_w26_a_borrowed_task_list_is_used_until_it_is_not_polled_in_time(world: World) -> None:
    """DecisionTaskTimedOut SCHEDULE_TO_START, then back to the execution's own list."""
    service = borrowing(world)
    service.signal("w")
    assert service.decide(task_list="mine")
    service.signal("w")
    signaled = world.clock.now
    world.clock.tick(11)
    assert service.poll("mine") == {"previousStartedEventId": 0, "startedEventId": 0}
    assert last(service, "DecisionTaskTimedOut") == {
        "timeoutType": "SCHEDULE_TO_START",
        "scheduledEventId": 10,
        "startedEventId": 0,
    }
    assert moments(service, "DecisionTaskTimedOut") == [epoch(plus(signaled, 10))]
    assert service.decide()["previousStartedEventId"] == 7
    service.signal("w")
    service.decide(complete())
    check(world, "w")


@pytest.mark.row("1.6 another task list")
def test_w26_a_decider_that_dies_gives_a_borrowed_list_back(world: World) -> None:
    """START_TO_CLOSE reverts to the execution's own list too."""
    service = borrowing(world)
    service.signal("w")
    service.poll("mine")
    world.clock.tick(60)
    sweep(service)
    service.decide(complete())
    check(world, "w")


def test_w26_a_task_that_waits_behind_a_started_one_is_not_late_yet(world: World) -> None:
    """Its schedule-to-start clock begins when it can be started."""
    service = borrowing(world)
    service.signal("w")
    task = service.poll("mine")
    service.signal("w")
    world.clock.tick(30)
    service.answer(task)
    assert service.decide(task_list="mine")
    assert "DecisionTaskTimedOut" not in told(service.history("w"))
    check(world, "w")


# --- timers: W18 --------------------------------------------------------------------------------


@pytest.mark.row("1.7 timer", "1.7 the moment of an event")
def test_w18_a_timer_fires_at_its_moment_with_one_decision_task(
    world: World, discover: Callable[[Service], None]
) -> None:
    """TimerFired and DecisionTaskScheduled bear the same moment, however late they are seen."""
    service = serving(world)
    service.start("w")
    service.decide(timer("t", "2"), timer("u", "3"))
    began = world.clock.now
    world.clock.tick(30)
    discover(service)
    assert told(service.history("w"))[6:] == ["TimerFired", "DecisionTaskScheduled", "TimerFired"]
    assert moments(service, "TimerFired") == [epoch(plus(began, 2)), epoch(plus(began, 3))]
    assert moments(service, "DecisionTaskScheduled")[-1] == epoch(plus(began, 2))
    check(world, "w")


def test_w18_a_timer_of_zero_fires_at_once_without_a_sweep(world: World) -> None:
    """`"0"` is due when it is started."""
    service = serving(world)
    service.start("w")
    service.decide(timer("t", "0"))
    assert told(service.decide()["events"])[4:7] == [
        "TimerStarted",
        "TimerFired",
        "DecisionTaskScheduled",
    ]


def test_w18_a_cancelled_timer_never_fires_and_its_id_is_free(world: World) -> None:
    """TimerCanceled asks for no decision; the same id can be started again."""
    service = serving(world)
    service.start("w")
    service.decide(timer("t", "5"))
    service.signal("w")
    service.decide(decision("CancelTimer", timerId="t"), timer("t", "50"))
    began = world.clock.now
    world.clock.tick(FAR)
    sweep(service)
    assert moments(service, "TimerFired") == [epoch(plus(began, 50))]
    assert last(service, "TimerFired")["startedEventId"] == 11
    check(world, "w")


@stores
@pytest.mark.row("1.7 the earliest first")
def test_w18_the_earliest_is_first_when_several_are_due(world: World) -> None:
    """Time-outs of any kind, in the order of their moments."""
    service = serving(world)
    service.start("w")
    service.decide(
        timer("late", "40"),
        schedule("a", scheduleToStartTimeout="30"),
        timer("early", "10"),
        schedule("b", scheduleToCloseTimeout="20"),
    )
    world.clock.tick(FAR)
    sweep(service)
    events = service.history("w")[8:]
    assert told(events) == [
        "TimerFired",
        "DecisionTaskScheduled",
        "ActivityTaskTimedOut",
        "ActivityTaskTimedOut",
        "TimerFired",
    ]
    assert [one["eventTimestamp"] for one in events] == sorted(
        one["eventTimestamp"] for one in events
    )
    check(world, "w")


# --- what never comes back by itself: W28 -------------------------------------------------------


def test_w28_a_task_without_any_timeout_has_no_way_back(world: World) -> None:
    """As in the service itself: all time-outs NONE, and the worker is gone for good."""
    service = serving(world)
    service.start("w")
    service.decide(schedule("a"))
    service.take()
    world.clock.tick(86_000)
    sweep(service)
    assert told(service.history("w"))[-1] == "ActivityTaskStarted"


@stores
def test_w28_the_due_row_follows_what_is_open(world: World) -> None:
    """It never says something later than the earliest deadline, and a sweep makes it exact."""
    service = serving(world)
    service.start("w", executionStartToCloseTimeout="500")
    began = world.clock.now
    service.decide(schedule("a", heartbeatTimeout="10"), timer("t", "100"))
    task = service.take()
    due = service.core.store.due
    at = due(stream("w"))
    assert at is not None
    assert at.at == plus(began, 10)
    for _ in range(20):
        world.clock.tick(9)
        service.beat(task)
        sweep(service)
    world.clock.tick(1)
    sweep(service)
    at = due(stream("w"))
    assert at is not None
    assert at.at == plus(world.clock.now, 10)


def test_w18_what_an_earlier_run_left_is_due_no_more(world: World) -> None:
    """A timer and an activity of a run that has closed keep no timekeeper busy."""
    service = serving(world)
    service.start("w")
    service.decide(timer("t", "30"), schedule("a", scheduleToStartTimeout="30"), complete())
    service.start("w")
    began = world.clock.now
    world.clock.tick(60)
    assert sweeping.sweep(service.core) is None
    at = service.core.store.due(stream("w"))
    assert at is not None
    assert at.at == plus(began, 86_400)
    check(world, "w")
