"""Seven batches of decisions: what of each is recorded, and when nothing is (W5, W6)."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.service import attributes, check
from tests.swf.wire import DOMAIN, Fault, Wire, decision, schedule

OLD = {"name": "stamp", "version": "0"}
WORK = {"taskList": {"name": "work"}}


def marker(name: str) -> dict[str, Any]:
    """A decision to record a marker."""
    return decision("RecordMarker", markerName=name)


def timer(timer_id: str) -> dict[str, Any]:
    """A decision to start a timer."""
    return decision("StartTimer", timerId=timer_id, startToFireTimeout="30")


@dataclass(frozen=True)
class Met:
    """An execution with a timer and an activity open, and a decision task that a decider has."""

    world: World
    wire: Wire
    run_id: str
    token: str

    def answer(self, *decisions: Any) -> None:
        """Answer the task. Raises Fault."""
        self.wire("RespondDecisionTaskCompleted", taskToken=self.token, decisions=list(decisions))

    def history(self) -> list[dict[str, Any]]:
        """All events."""
        execution = {"workflowId": "letter", "runId": self.run_id}
        return self.wire("GetWorkflowExecutionHistory", domain=DOMAIN, execution=execution)[
            "events"
        ]

    def since(self, number: int) -> list[str]:
        """Type, and cause if there is one, of the events after the first so many."""
        return [_told(event) for event in self.history()[number:]]


def _told(event: dict[str, Any]) -> str:
    cause = attributes(event).get("cause")
    return f"{event['eventType']}:{cause}" if cause else event["eventType"]


@pytest.fixture
def met(world: World) -> Met:
    """What each batch meets."""
    wire = Wire(world.process()).begin()
    wire("RegisterActivityType", domain=DOMAIN, **OLD)
    wire("DeprecateActivityType", domain=DOMAIN, activityType=OLD)
    run_id = wire.start("letter")
    wire.decide(timer("open-timer"), schedule("open-activity"))
    wire("SignalWorkflowExecution", domain=DOMAIN, workflowId="letter", signalName="go")
    return Met(world, wire, run_id, wire.poll()["taskToken"])


@stores
@pytest.mark.row("1.6 several failures in one batch")
def test_w5_one_of_several_fails_on_its_meaning(met: Met) -> None:
    """W5: the others are carried out; both failures bring one new decision task."""
    before = len(met.history())
    of_old = decision("ScheduleActivityTask", activityId="a", activityType=OLD, **WORK)
    lowest = schedule("b", taskPriority="-2147483648", **WORK)
    met.answer(marker("begun"), of_old, lowest, timer("open-timer"))
    assert met.since(before) == [
        "DecisionTaskCompleted",
        "MarkerRecorded",
        "ScheduleActivityTaskFailed:ACTIVITY_TYPE_DEPRECATED",
        "ActivityTaskScheduled",
        "StartTimerFailed:TIMER_ID_ALREADY_IN_USE",
        "DecisionTaskScheduled",
    ]
    kept = attributes(met.history()[before + 3])
    assert kept["taskPriority"] == "-2147483648"
    check(met.world, "letter")


def test_w5_an_id_in_use_and_two_unknown_ones(met: Met) -> None:
    """W5, W4: three failures, one new decision task."""
    before = len(met.history())
    met.answer(
        schedule("open-activity", **WORK),
        decision("CancelTimer", timerId="never-set"),
        decision("RequestCancelActivityTask", activityId="never-scheduled"),
    )
    assert met.since(before) == [
        "DecisionTaskCompleted",
        "ScheduleActivityTaskFailed:ACTIVITY_ID_ALREADY_IN_USE",
        "CancelTimerFailed:TIMER_ID_UNKNOWN",
        "RequestCancelActivityTaskFailed:ACTIVITY_ID_UNKNOWN",
        "DecisionTaskScheduled",
    ]


NO_ATTRIBUTES = (
    "2 validation errors detected: Value null at "
    "'decisions.2.member.startTimerDecisionAttributes.startToFireTimeout' failed to satisfy "
    "constraint: Member must not be null; Value null at "
    "'decisions.2.member.startTimerDecisionAttributes.timerId' failed to satisfy constraint: "
    "Member must not be null"
)
NO_SUCH_TYPE = (
    "1 validation error detected: Value 'ForgetWorkflowExecution' at "
    "'decisions.2.member.decisionType' failed to satisfy constraint: Member must satisfy enum "
    "value set: [CompleteWorkflowExecution, StartTimer, "
    "RequestCancelExternalWorkflowExecution, SignalExternalWorkflowExecution, CancelTimer, "
    "RecordMarker, ScheduleActivityTask, ContinueAsNewWorkflowExecution, "
    "ScheduleLambdaFunction, FailWorkflowExecution, RequestCancelActivityTask, "
    "StartChildWorkflowExecution, CancelWorkflowExecution]"
)
"""As the service writes them: problems in the reverse of the model's order, types in its own."""

WRONG_IN_FORM = {
    "a closing decision is not the last": (
        [decision("CompleteWorkflowExecution", result="sent"), marker("after")],
        "Close must be last decision in list",
    ),
    "the second has no attributes": (
        [marker("begun"), {"decisionType": "StartTimer"}],
        NO_ATTRIBUTES,
    ),
    "a type that nobody knows": (
        [marker("begun"), {"decisionType": "ForgetWorkflowExecution"}],
        NO_SUCH_TYPE,
    ),
    "a priority that no 32 bits hold": ([schedule("b", taskPriority="2147483648", **WORK)], ""),
}


@pytest.mark.parametrize("name", WRONG_IN_FORM)
@pytest.mark.row("1.3 a batch that is wrong in form")
@stores
def test_w6_a_batch_wrong_in_form_is_refused_whole(met: Met, name: str) -> None:
    """W6: nothing is recorded, and the token can still be used."""
    decisions, message = WRONG_IN_FORM[name]
    before = met.history()
    with pytest.raises(Fault) as fault:
        met.answer(*decisions)
    assert (fault.value.status, fault.value.code) == (400, "ValidationException")
    assert fault.value.message == message or not message
    assert met.history() == before
    met.answer(marker("still usable"))
    assert met.since(len(before)) == ["DecisionTaskCompleted", "MarkerRecorded"]


@pytest.mark.row("1.6 an empty list of decisions")
def test_w5_an_empty_batch_completes_the_task_and_nothing_else(met: Met) -> None:
    """W5, 1.6: no new decision task either."""
    before = len(met.history())
    met.answer()
    assert met.since(before) == ["DecisionTaskCompleted"]
    assert "taskToken" not in met.wire.poll()
