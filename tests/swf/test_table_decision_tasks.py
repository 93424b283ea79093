"""Defaults, decision tasks, and what is shown (tables 1.5, 1.6, 1.9 and 1.10)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.service import (
    DOMAIN,
    ORDER,
    Answer,
    Service,
    attributes,
    check,
    child,
    complete,
    decision,
    schedule,
    serving,
    timer,
    told,
)
from tests.swf.wire import Fault, Wire
from workledger.service import sweeping
from workledger.swf import histories
from workledger.swf.lambdas import Local

ROLE = "arn:aws:iam::123456789012:role/r"


def row(name: str) -> Any:
    """Says which row of the tables a test proves."""
    return pytest.mark.row(name)


def starting(world: World, **start: Any) -> Service:
    """An execution `w`."""
    service = serving(world)
    functions = Local({"f": lambda asked: asked})
    service = replace(service, core=replace(service.core, functions=functions))
    service.start("w", lambdaRole=ROLE, **start)
    return service


def scheduled(service: Service) -> list[int]:
    """The ids of the decision tasks that were scheduled."""
    events = service.history("w")
    return [one["eventId"] for one in events if one["eventType"] == "DecisionTaskScheduled"]


# --- 1.5 ----------------------------------------------------------------------------------------


@row("1.5 settings of an activity")
def test_w12_table_1_5_the_first_setting_that_an_activity_lacks_is_the_cause(world: World) -> None:
    """1.5: task list, schedule to start, schedule to close, start to close, heartbeat."""
    service = starting(world)
    service("RegisterActivityType", name="bare", version="1")
    of = {"name": "bare", "version": "1"}
    given: dict[str, Any] = {}
    causes: list[str] = []
    for name in (
        "taskList",
        "scheduleToStartTimeout",
        "scheduleToCloseTimeout",
        "startToCloseTimeout",
        "heartbeatTimeout",
    ):
        service.decide(decision("ScheduleActivityTask", activityType=of, activityId="a", **given))
        causes.append(attributes(service.history("w")[-2])["cause"])
        given[name] = {"name": "work"} if name == "taskList" else "60"
    assert causes == [
        "DEFAULT_TASK_LIST_UNDEFINED",
        "DEFAULT_SCHEDULE_TO_START_TIMEOUT_UNDEFINED",
        "DEFAULT_SCHEDULE_TO_CLOSE_TIMEOUT_UNDEFINED",
        "DEFAULT_START_TO_CLOSE_TIMEOUT_UNDEFINED",
        "DEFAULT_HEARTBEAT_TIMEOUT_UNDEFINED",
    ]


@row("1.5 lambdaRole")
def test_w27_table_1_5_a_types_role_is_that_of_its_executions(world: World) -> None:
    """1.5: the call's, else the type's."""
    service = serving(world)
    defaults = {"defaultTaskList": {"name": "main"}, "defaultChildPolicy": "ABANDON"}
    of = {"name": "other", "version": "1"}
    service(
        "RegisterWorkflowType",
        **of,
        **defaults,
        defaultLambdaRole=ROLE,
        defaultTaskStartToCloseTimeout="60",
        defaultExecutionStartToCloseTimeout="60",
    )
    service.start("w", workflowType=of)
    service.start("own", workflowType=of, lambdaRole=f"{ROLE}2")
    roles = [service.describe(one)["executionConfiguration"]["lambdaRole"] for one in ("w", "own")]
    assert roles == [ROLE, f"{ROLE}2"]


# --- 1.6 ----------------------------------------------------------------------------------------


@row("1.6 one that waits is enough")
def test_w3_table_1_6_while_one_waits_nothing_schedules_another(world: World) -> None:
    """1.6: further events add no DecisionTaskScheduled."""
    service = starting(world)
    for _ in range(3):
        service.signal("w")
    assert scheduled(service) == [2]
    task = service.poll()
    for _ in range(3):
        service.signal("w")
    assert len(scheduled(service)) == 2
    service.answer(task)
    assert len(scheduled(service)) == 2
    check(world, "w")


def fired(service: Service) -> None:
    """Time for a timer, or for an activity that nobody worked."""
    service.core.clock.tick(5)
    sweeping.sweep(service.core)


def worked(answer: str) -> Callable[[Service], None]:
    """A worker takes the activity and answers."""

    def work(service: Service) -> None:
        service(answer, taskToken=service.take()["taskToken"])

    return work


def nothing(_: Service) -> None:
    """What the batch did is all."""


def canceled(service: Service) -> None:
    """Somebody asks the execution to stop."""
    service("RequestCancelWorkflowExecution", workflowId="w")


def closed_child(service: Service) -> None:
    """The child's decider, whose start was told before, completes it."""
    service.decide()
    service.decide(complete(), task_list="kids")


def cancel(kind: str, name: str) -> Answer:
    """A decision to cancel what is not there."""
    member = "timerId" if kind == "CancelTimer" else "activityId"
    return decision(kind, **{member: name})


SIGNAL, CANCEL = "SignalExternalWorkflowExecution", "RequestCancelExternalWorkflowExecution"
SHORT = schedule("a", startToCloseTimeout="5", scheduleToStartTimeout="5")
LAMBDA = decision("ScheduleLambdaFunction", id="l", name="f")
CAUSES: dict[str, tuple[list[Answer], Callable[[Service], None], int]] = {
    "an activity completed": ([SHORT], worked("RespondActivityTaskCompleted"), 1),
    "an activity failed": ([SHORT], worked("RespondActivityTaskFailed"), 1),
    "an activity canceled": ([SHORT], worked("RespondActivityTaskCanceled"), 1),
    "an activity timed out": ([SHORT], fired, 1),
    "a timer fired": ([timer("t", "5")], fired, 1),
    "a signal": ([], lambda service: service.signal("w"), 1),
    "a cancel request": ([], canceled, 1),
    "a child started": ([child("kid")], nothing, 1),
    "a child closed": ([child("kid")], closed_child, 2),
    "an external execution that is not there": (
        [decision(SIGNAL, workflowId="no", signalName="s")],
        nothing,
        1,
    ),
    "a failed decision about a timer": ([cancel("CancelTimer", "no")], nothing, 1),
    "a failed decision about an activity": (
        [cancel("RequestCancelActivityTask", "no")],
        nothing,
        1,
    ),
    "a failed start of a child": ([child("kid"), child("kid")], nothing, 1),
    "a function closed": ([LAMBDA], nothing, 1),
    "no marker": ([decision("RecordMarker", markerName="m")], nothing, 0),
    "no timer that starts": ([timer("t", "5")], nothing, 0),
    "no timer that is canceled": ([timer("t", "5"), cancel("CancelTimer", "t")], nothing, 0),
    "no activity that is scheduled": ([SHORT], nothing, 0),
    "no activity that starts": ([SHORT], lambda service: service.take(), 0),
}


@row("1.6 what brings a decision task")
@pytest.mark.parametrize("name", CAUSES)
def test_w3_table_1_6_what_brings_a_decision_task(world: World, name: str) -> None:
    """1.6: everything that a decider must hear of, and nothing of what it did itself."""
    batch, then, more = CAUSES[name]
    service = starting(world)
    service.decide(*batch)
    then(service)
    assert len(scheduled(service)) == 1 + more
    check(world, "w")


@row("1.6 what brings a decision task")
@pytest.mark.parametrize("what", [SIGNAL, CANCEL])
def test_w19_table_1_6_who_asked_another_execution_hears_of_it(world: World, what: str) -> None:
    """1.6: external signaled, external cancel requested."""
    service = starting(world)
    service.start("other", taskList={"name": "elsewhere"})
    more = {"signalName": "s"} if what == SIGNAL else {}
    service.decide(decision(what, workflowId="other", **more))
    assert len(scheduled(service)) == 2
    assert told(service.history("w"))[-2].startswith("ExternalWorkflowExecution")


@row("1.6 what brings a decision task")
def test_w20_table_1_6_a_cancel_request_of_a_started_activity_brings_none(world: World) -> None:
    """1.6: its worker is told, the decider hears when it has stopped."""
    service = starting(world)
    service.decide(SHORT)
    service.take()
    service.signal("w")
    service.decide(cancel("RequestCancelActivityTask", "a"))
    assert told(service.history("w"))[-1] == "ActivityTaskCancelRequested"


@row("1.6 closing with an unseen event")
@pytest.mark.parametrize(
    "closing",
    [
        "CompleteWorkflowExecution",
        "FailWorkflowExecution",
        "CancelWorkflowExecution",
        "ContinueAsNewWorkflowExecution",
    ],
)
def test_w14_table_1_6_closing_fails_while_something_is_unseen_and_the_others_apply(
    world: World, closing: str
) -> None:
    """1.6, W14: UNHANDLED_DECISION; the execution stays open, the timer runs."""
    service = starting(world)
    task = service.poll()
    service.signal("w")
    service.answer(task, timer("t", "60"), decision(closing))
    assert told(service.history("w"))[-2:] == ["TimerStarted", f"{closing}Failed"]
    assert attributes(service.history("w")[-1])["cause"] == "UNHANDLED_DECISION"
    assert service.describe("w")["openCounts"]["openTimers"] == 1
    service.decide(decision(closing))
    first = task["workflowExecution"]["runId"]
    execution = {"workflowId": "w", "runId": first}
    info = service("DescribeWorkflowExecution", execution=execution)["executionInfo"]
    assert info["executionStatus"] == "CLOSED"


@row("1.6 previousStartedEventId")
def test_w3_table_1_6_the_previous_start_is_there_and_advances(world: World) -> None:
    """1.6: 0 first; then the start of the last task that was completed, not of one that died."""
    service = starting(world)
    first = service.decide()
    assert first["previousStartedEventId"] == 0
    service.signal("w")
    lost = service.poll()
    assert lost["previousStartedEventId"] == first["startedEventId"]
    world.clock.tick(61)
    sweeping.sweep(service.core)
    again = service.poll()
    assert again["previousStartedEventId"] == first["startedEventId"]
    assert again["startedEventId"] > lost["startedEventId"]


@row("1.6 startAtPreviousStartedEvent")
def test_w22_table_1_6_a_task_may_begin_at_the_previous_start(world: World) -> None:
    """1.6: from that event on, itself included."""
    service = starting(world)
    first = service.decide()
    service.signal("w")
    task = service.poll(startAtPreviousStartedEvent=True)
    ids = [one["eventId"] for one in task["events"]]
    assert ids == list(range(first["startedEventId"], task["startedEventId"] + 1))


@row("1.6 further pages of a task")
def test_w22_table_1_6_a_page_of_a_task_is_never_a_new_claim(world: World) -> None:
    """1.6: the same token and start; what happened since is on no page of it."""
    service = starting(world)
    service.start("other", taskPriority="9")
    task = service.poll(maximumPageSize=1)
    if task["workflowExecution"]["workflowId"] == "other":
        task = service.poll(maximumPageSize=1)
    service.signal("w")
    page, events = task, list(task["events"])
    while "nextPageToken" in page:
        page = service.poll(nextPageToken=page["nextPageToken"], maximumPageSize=1)
        assert page["taskToken"] == task["taskToken"]
        assert page["startedEventId"] == task["startedEventId"]
        events += page["events"]
    assert [one["eventId"] for one in events] == [1, 2, 3]


@row("1.6 size of a page")
@pytest.mark.parametrize("asked", [{}, {"maximumPageSize": 0}])
def test_w22_table_1_6_a_page_has_up_to_1_000_events(world: World, asked: Answer) -> None:
    """1.6: where nobody asks for less."""
    service = starting(world)
    markers = [decision("RecordMarker", markerName=f"{number}") for number in range(1_000)]
    service.decide(*markers)
    service.signal("w")
    task = service.poll(**asked)
    assert len(task["events"]) == histories.PAGE == 1_000
    rest = service.poll(nextPageToken=task["nextPageToken"])
    assert len(task["events"]) + len(rest["events"]) == task["startedEventId"]


# --- 1.7, 1.9, 1.10 -----------------------------------------------------------------------------


@row("1.7 causes of a termination")
def test_w24_table_1_7_a_termination_tells_who_asked_for_it(world: World) -> None:
    """1.7: OPERATOR_INITIATED from the API, CHILD_POLICY_APPLIED for its children."""
    service = starting(world)
    service.decide(child("kid"))
    service("TerminateWorkflowExecution", workflowId="w")
    causes = [attributes(service.history(one)[-1])["cause"] for one in ("w", "kid")]
    assert causes == ["OPERATOR_INITIATED", "CHILD_POLICY_APPLIED"]


@row("1.9 what an execution's description has")
def test_w23_table_1_9_an_execution_tells_how_it_closed_once_it_has(world: World) -> None:
    """1.9: closeStatus and closeTimestamp only then, cancelRequested always, tags if there are."""
    service = starting(world, tagList=["t"])
    wire = Wire(service.core)

    def shown(name: str) -> Answer:
        execution = {"workflowId": name, "runId": service.head(name).run_id}
        asked = {"domain": DOMAIN, "execution": execution}
        return wire("DescribeWorkflowExecution", **asked)["executionInfo"]

    info = shown("w")
    assert not {"closeStatus", "closeTimestamp", "parent"} & set(info)
    assert (info["cancelRequested"], info["tagList"]) == (False, ["t"])
    service.decide(complete())
    info = shown("w")
    assert info["closeStatus"] == "COMPLETED"
    assert info["closeTimestamp"] >= info["startTimestamp"]
    service.start("plain")
    assert "tagList" not in shown("plain")


@row("1.10 retention")
@pytest.mark.parametrize(
    ("days", "good"), [("90", True), ("0", True), ("NONE", True), ("91", False)]
)
def test_w31_table_1_10_a_domain_keeps_what_has_closed_for_at_most_90_days(
    world: World, days: str, good: bool
) -> None:
    """1.10."""
    wire = Wire(world.process())

    def ask() -> None:
        wire("RegisterDomain", name="d", workflowExecutionRetentionPeriodInDays=days)

    if good:
        ask()
    else:
        with pytest.raises(Fault):
            ask()


@row("1.10 tasks scheduled in a second")
def test_w26_table_1_10_no_rate_is_too_high(world: World) -> None:
    """1.10: 3,000 tasks within one moment, in three executions; none fails."""
    service = serving(world)
    for number in range(3):
        service.start(f"{number}", workflowType=ORDER)
    for _ in range(3):
        service.decide(*(schedule(f"{number}") for number in range(1_000)))
    pending = service("CountPendingActivityTasks", taskList={"name": "work"})
    assert pending["count"] == 3_000
