"""Each decision, and each cause for which one fails (table 1.3)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from tests.races.world import World
from tests.support import Surroundings, make_core
from tests.swf.service import (
    Answer,
    Service,
    attributes,
    check,
    child,
    complete,
    decision,
    schedule,
    serving,
    told,
)
from tests.swf.test_limits import Crowded
from workledger.service.core import NoFunctions
from workledger.swf import limits, shapes
from workledger.swf.lambdas import Local
from workledger.workflows.decisions import MOST_OPEN

NOBODY = {"name": "nobody", "version": "1"}
OLD = {"name": "old", "version": "1"}
BARE = {"name": "bare", "version": "1"}
WHOLE = {
    "executionStartToCloseTimeout": "60",
    "taskList": {"name": "next"},
    "taskStartToCloseTimeout": "60",
    "childPolicy": "ABANDON",
}
"""What an execution needs, in the order in which it is missed."""
TASK = {
    "taskList": {"name": "work"},
    "scheduleToStartTimeout": "60",
    "scheduleToCloseTimeout": "60",
    "startToCloseTimeout": "60",
    "heartbeatTimeout": "60",
}
"""What an activity needs, in the order in which it is missed."""
ROLE = "arn:aws:iam::123456789012:role/r"


def row(name: str) -> Any:
    """Says which row of the tables a test proves."""
    return pytest.mark.row(f"1.3 {name}")


def begun(world: World, workflow: dict[str, str] | None = None) -> Service:
    """An execution `w` and types: one that is whole, one without defaults, a deprecated one."""
    service = serving(world)
    service = replace(service, core=replace(service.core, functions=Local({"f": lambda it: it})))
    for kind in ("Activity", "Workflow"):
        service(f"Register{kind}Type", **BARE)
        service(f"Register{kind}Type", **OLD)
    what = {"workflowType": workflow or BARE, **WHOLE, "lambdaRole": ROLE}
    service.start("w", **{**what, "taskList": {"name": "main"}})
    service("DeprecateActivityType", activityType=OLD)
    service("DeprecateWorkflowType", workflowType=OLD)
    return service


def activity(of: dict[str, str], **attrs: Any) -> Answer:
    """A decision to schedule an activity of a type."""
    return decision("ScheduleActivityTask", activityType=of, activityId="a", **attrs)


def kid(of: dict[str, str] = BARE, **attrs: Any) -> Answer:
    """A decision to start a child of a type."""
    attrs = {"workflowType": of, "workflowId": "kid", **attrs}
    return decision("StartChildWorkflowExecution", **attrs)


def again(**attrs: Any) -> Answer:
    """A decision to continue as new."""
    return decision("ContinueAsNewWorkflowExecution", **attrs)


def timer(name: str = "t") -> Answer:
    """A decision to start a timer."""
    return decision("StartTimer", timerId=name, startToFireTimeout="600")


def function(name: str = "l") -> Answer:
    """A decision to schedule a function."""
    return decision("ScheduleLambdaFunction", id=name, name="f")


def external(kind: str, target: str = "nobody") -> Answer:
    """A decision about another execution."""
    more = {"signalName": "go"} if kind.startswith("Signal") else {}
    return decision(kind, workflowId=target, control="c", **more)


SIGNAL, CANCEL = "SignalExternalWorkflowExecution", "RequestCancelExternalWorkflowExecution"


# --- what succeeds ------------------------------------------------------------------------------

SUCCEED: dict[str, tuple[Answer, list[str]]] = {
    "ScheduleActivityTask": (activity(BARE, **TASK), ["ActivityTaskScheduled"]),
    "CompleteWorkflowExecution": (complete("r"), ["WorkflowExecutionCompleted"]),
    "FailWorkflowExecution": (
        decision("FailWorkflowExecution", reason="r", details="d"),
        ["WorkflowExecutionFailed"],
    ),
    "CancelWorkflowExecution": (
        decision("CancelWorkflowExecution", details="d"),
        ["WorkflowExecutionCanceled"],
    ),
    "ContinueAsNewWorkflowExecution": (again(**WHOLE), ["WorkflowExecutionContinuedAsNew"]),
    "RecordMarker": (decision("RecordMarker", markerName="m"), ["MarkerRecorded"]),
    "StartTimer": (timer(), ["TimerStarted"]),
    "SignalExternalWorkflowExecution": (
        external(SIGNAL, "w"),
        [
            "SignalExternalWorkflowExecutionInitiated",
            "WorkflowExecutionSignaled",
            "DecisionTaskScheduled",
            "ExternalWorkflowExecutionSignaled",
        ],
    ),
    "RequestCancelExternalWorkflowExecution": (
        external(CANCEL, "w"),
        [
            "RequestCancelExternalWorkflowExecutionInitiated",
            "WorkflowExecutionCancelRequested",
            "DecisionTaskScheduled",
            "ExternalWorkflowExecutionCancelRequested",
        ],
    ),
    "StartChildWorkflowExecution": (
        kid(**WHOLE),
        [
            "StartChildWorkflowExecutionInitiated",
            "ChildWorkflowExecutionStarted",
            "DecisionTaskScheduled",
        ],
    ),
    "ScheduleLambdaFunction": (
        function(),
        [
            "LambdaFunctionScheduled",
            "LambdaFunctionStarted",
            "LambdaFunctionCompleted",
            "DecisionTaskScheduled",
        ],
    ),
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=row(one)) for one in SUCCEED])
def test_w5_table_1_3_a_decision_that_succeeds(world: World, name: str) -> None:
    """1.3: its events, in order; of another execution or child, both sides of it."""
    service = begun(world)
    run_id = service.head("w").run_id
    one, expected = SUCCEED[name]
    service.decide(one)
    assert told(service.history("w", run_id))[4:] == expected
    check(world, "w")


@row("RequestCancelActivityTask")
def test_w20_table_1_3_a_cancel_of_an_activity(world: World) -> None:
    """1.3: canceled at once when nobody has started it; else its worker is asked to stop."""
    service = begun(world)
    cancel = decision("RequestCancelActivityTask", activityId="a")
    service.decide(activity(BARE, **TASK))
    service.signal("w")
    service.decide(cancel)
    events = service.history("w")[-3:]
    assert told(events) == [
        "ActivityTaskCancelRequested",
        "ActivityTaskCanceled",
        "DecisionTaskScheduled",
    ]
    assert attributes(events[1])["startedEventId"] == 0
    service.decide(activity(BARE, **TASK))
    service.take()
    service.signal("w")
    service.decide(cancel)
    assert told(service.history("w"))[-1] == "ActivityTaskCancelRequested"


@row("CancelTimer")
def test_w18_table_1_3_a_cancel_of_a_timer_brings_no_decision_task(world: World) -> None:
    """1.3: TimerCanceled, and nothing else."""
    service = begun(world)
    service.decide(timer())
    service.signal("w")
    service.decide(decision("CancelTimer", timerId="t"))
    assert told(service.history("w"))[-1] == "TimerCanceled"


# --- what fails ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    """A batch whose last decision fails, the event that says so, and its cause."""

    event: str
    cause: str
    decisions: tuple[Answer, ...]
    unseen: bool = False
    """Whether something happens that the decider has not seen."""
    of: dict[str, str] | None = None
    """The execution's type."""

    @property
    def row(self) -> str:
        """The row of the table."""
        return f"{self.event} {self.cause}"


def undefined(event: str, make: Callable[..., Answer], settings: dict[str, Any]) -> list[Failure]:
    """One setting missing after the other."""
    found: list[Failure] = []
    for name in settings:
        cause = "".join(f"_{one}" if one.isupper() else one for one in name).upper()
        given = {key: value for key, value in settings.items() if key != name}
        found.append(Failure(event, f"DEFAULT_{cause}_UNDEFINED", (make(**given),)))
    return found


CLOSING = {
    "CompleteWorkflowExecution": complete(),
    "FailWorkflowExecution": decision("FailWorkflowExecution"),
    "CancelWorkflowExecution": decision("CancelWorkflowExecution"),
    "ContinueAsNewWorkflowExecution": again(**WHOLE),
}
OF_ACTIVITIES = "ScheduleActivityTaskFailed"
OF_CHILDREN = "StartChildWorkflowExecutionFailed"
OF_RUNS = "ContinueAsNewWorkflowExecutionFailed"

FAILURES = [
    Failure(OF_ACTIVITIES, "ACTIVITY_TYPE_DOES_NOT_EXIST", (activity(NOBODY, **TASK),)),
    Failure(OF_ACTIVITIES, "ACTIVITY_TYPE_DEPRECATED", (activity(OLD, **TASK),)),
    Failure(OF_ACTIVITIES, "ACTIVITY_ID_ALREADY_IN_USE", (activity(BARE, **TASK),) * 2),
    Failure(
        OF_ACTIVITIES,
        "OPEN_ACTIVITIES_LIMIT_EXCEEDED",
        tuple(schedule(f"{number}") for number in range(MOST_OPEN + 1)),
    ),
    *undefined(OF_ACTIVITIES, lambda **given: activity(BARE, **given), TASK),
    Failure(
        "RequestCancelActivityTaskFailed",
        "ACTIVITY_ID_UNKNOWN",
        (decision("RequestCancelActivityTask", activityId="a"),),
    ),
    *(
        Failure(f"{kind}Failed", "UNHANDLED_DECISION", (one,), unseen=True)
        for kind, one in CLOSING.items()
    ),
    Failure(OF_RUNS, "WORKFLOW_TYPE_DOES_NOT_EXIST", (again(workflowTypeVersion="9", **WHOLE),)),
    Failure(OF_RUNS, "WORKFLOW_TYPE_DEPRECATED", (again(**WHOLE),), of=OLD),
    *undefined(OF_RUNS, again, WHOLE),
    Failure("StartTimerFailed", "TIMER_ID_ALREADY_IN_USE", (timer(), timer())),
    Failure(
        "StartTimerFailed",
        "OPEN_TIMERS_LIMIT_EXCEEDED",
        tuple(timer(f"{number}") for number in range(MOST_OPEN + 1)),
    ),
    Failure("CancelTimerFailed", "TIMER_ID_UNKNOWN", (decision("CancelTimer", timerId="t"),)),
    Failure(f"{SIGNAL}Failed", "UNKNOWN_EXTERNAL_WORKFLOW_EXECUTION", (external(SIGNAL),)),
    Failure(f"{CANCEL}Failed", "UNKNOWN_EXTERNAL_WORKFLOW_EXECUTION", (external(CANCEL),)),
    Failure(OF_CHILDREN, "WORKFLOW_TYPE_DOES_NOT_EXIST", (kid(NOBODY, **WHOLE),)),
    Failure(OF_CHILDREN, "WORKFLOW_TYPE_DEPRECATED", (kid(OLD, **WHOLE),)),
    Failure(OF_CHILDREN, "WORKFLOW_ALREADY_RUNNING", (kid(workflowId="w", **WHOLE),)),
    *undefined(OF_CHILDREN, kid, WHOLE),
    Failure("ScheduleLambdaFunctionFailed", "ID_ALREADY_IN_USE", (function(), function())),
    Failure(
        "ScheduleLambdaFunctionFailed",
        "OPEN_LAMBDA_FUNCTIONS_LIMIT_EXCEEDED",
        tuple(function(f"{number}") for number in range(MOST_OPEN + 1)),
    ),
]


@pytest.mark.parametrize(
    "case", [pytest.param(one, marks=row(one.row), id=one.row) for one in FAILURES]
)
def test_w5_table_1_3_a_decision_that_fails_says_why(world: World, case: Failure) -> None:
    """1.3: an event with the cause, one new decision task, and the execution stays open."""
    service = begun(world, case.of)
    service = replace(service, core=replace(service.core, functions=NoFunctions()))
    task = service.poll()
    if case.unseen:
        service.signal("w")
    service.answer(task, *case.decisions)
    events = service.history("w")
    (failed,) = [one for one in events if one["eventType"] == case.event]
    told_ = attributes(failed)
    assert told_["cause"] == case.cause
    completed = events[told_["decisionTaskCompletedEventId"] - 1]
    assert completed["eventType"] == "DecisionTaskCompleted"
    named = case.decisions[-1]
    given = next(value for name, value in named.items() if name != "decisionType")
    for member in ("activityId", "timerId", "workflowId", "control", "id"):
        assert told_.get(member) == given.get(member), member
    if case.event == OF_CHILDREN:
        initiated = [one["eventId"] for one in events if one["eventType"].endswith("Initiated")]
        assert told_["initiatedEventId"] == (initiated[0] if initiated else 0)
        assert bool(initiated) == (case.cause == "WORKFLOW_ALREADY_RUNNING")
    assert not service.head("w").closed
    assert service.head("w").scheduled
    check(world, "w")


@row(f"{OF_CHILDREN} OPEN_CHILDREN_LIMIT_EXCEEDED")
@pytest.mark.row("1.10 open children")
def test_w5_table_1_3_a_thousand_children_may_be_open(world: World) -> None:
    """1.3, 1.10: the next one fails, without an Initiated event."""
    service = serving(world)
    service.start("w")
    service.decide(*(child(f"kid {number}") for number in range(MOST_OPEN + 1)))
    events = service.history("w")
    (failed,) = [attributes(one) for one in events if one["eventType"] == OF_CHILDREN]
    assert failed["cause"] == "OPEN_CHILDREN_LIMIT_EXCEEDED"
    assert (failed["initiatedEventId"], failed["workflowId"]) == (0, f"kid {MOST_OPEN}")


@row(f"{OF_CHILDREN} OPEN_WORKFLOWS_LIMIT_EXCEEDED")
def test_w5_table_1_3_a_full_domain_starts_no_children(world: World) -> None:
    """1.3, 1.10."""
    service = begun(world)
    crowded = cast("Any", Crowded(world.store, limits.MOST_OPEN))
    full = Service(make_core(crowded, Surroundings(world.clock), "x"))
    full.decide(kid(**WHOLE))
    (failed,) = [one for one in service.history("w") if one["eventType"] == OF_CHILDREN]
    assert attributes(failed)["cause"] == "OPEN_WORKFLOWS_LIMIT_EXCEEDED"


@row("StartLambdaFunctionFailed ASSUME_ROLE_FAILED")
@pytest.mark.row("1.5 lambdaRole")
def test_w27_table_1_3_a_function_without_a_role_is_not_started(world: World) -> None:
    """1.3, 1.5: neither the execution nor its type has one."""
    service = serving(world)
    service.start("w")
    service.decide(function())
    failed = service.history("w")[5]
    assert failed["eventType"] == "StartLambdaFunctionFailed"
    assert attributes(failed)["cause"] == "ASSUME_ROLE_FAILED"


NEVER = {
    "OPERATION_NOT_PERMITTED",
    "ACTIVITY_CREATION_RATE_EXCEEDED",
    "CHILD_CREATION_RATE_EXCEEDED",
    "CONTINUE_AS_NEW_WORKFLOW_EXECUTION_RATE_EXCEEDED",
    "LAMBDA_FUNCTION_CREATION_RATE_EXCEEDED",
    "LAMBDA_SERVICE_NOT_AVAILABLE_IN_REGION",
    "REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_RATE_EXCEEDED",
    "SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_RATE_EXCEEDED",
    "TIMER_CREATION_RATE_EXCEEDED",
}
"""No decision is forbidden here by itself, none comes too often, and functions are everywhere."""

ELSEWHERE = {
    (OF_CHILDREN, "OPEN_CHILDREN_LIMIT_EXCEEDED"),
    (OF_CHILDREN, "OPEN_WORKFLOWS_LIMIT_EXCEEDED"),
    ("StartLambdaFunctionFailed", "ASSUME_ROLE_FAILED"),
}


@row("causes that are never emitted")
def test_w5_table_1_3_every_other_cause_of_the_model_has_a_test() -> None:
    """1.3: what the model allows is tested above, or is one of those that never come."""
    events = shapes.operations()["GetWorkflowExecutionHistory"].output
    assert events is not None
    members = cast("Any", events.members["events"].item).members
    possible = {
        (f"{name[0].upper()}{name[1:].removesuffix('EventAttributes')}", cause)
        for name, shape in members.items()
        if name.endswith("FailedEventAttributes") and "cause" in shape.members
        for cause in shape.members["cause"].enum
        if cause not in NEVER
    }
    tested = {(one.event, one.cause) for one in FAILURES} | ELSEWHERE
    assert possible - tested == set()
