"""Every event of the service: how it comes about, and what it tells (table 1.4)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.races.world import World
from tests.races.world import world as make_world
from tests.swf.service import (
    ORDER,
    Answer,
    Service,
    attributes,
    child,
    decision,
    register,
    schedule,
    timer,
)
from workledger.service import sweeping
from workledger.swf import shapes
from workledger.swf.lambdas import Local
from workledger.workflows.events import HISTORY

ROLE = "arn:aws:iam::123456789012:role/r"
SIGNAL, CANCEL = "SignalExternalWorkflowExecution", "RequestCancelExternalWorkflowExecution"
CLOSING = (
    "CompleteWorkflowExecution",
    "FailWorkflowExecution",
    "CancelWorkflowExecution",
    "ContinueAsNewWorkflowExecution",
)
PRIORITY = "7"

NEVER = "RecordMarkerFailed"
"""Its only cause is that a decision is forbidden, which none is here."""

PRIORITIES = {
    "WorkflowExecutionStarted",
    "DecisionTaskScheduled",
    "ActivityTaskScheduled",
    "WorkflowExecutionContinuedAsNew",
    "StartChildWorkflowExecutionInitiated",
}
"""The events that bear a priority."""


def row(name: str) -> Any:
    """Says which row of the tables a test proves."""
    return pytest.mark.row(f"1.4 {name}")


def fail(_: Any) -> None:
    """A function that fails."""
    raise LookupError("no")


@dataclass
class Everything:
    """Executions in which everything happens that can happen."""

    world: World
    service: Service
    events: list[Answer] = field(default_factory=list[Answer])

    def run(self, workflow_id: str, *batches: list[Answer], **start: Any) -> None:
        """An execution with a task list of its own, whose decider answers these."""
        start = {"lambdaRole": ROLE, "taskPriority": PRIORITY, **start}
        self.service.start(workflow_id, taskList={"name": workflow_id}, **start)
        for batch in batches:
            self.decide(workflow_id, *batch)

    def decide(self, workflow_id: str, *decisions: Answer) -> None:
        """Its decider answers once more."""
        self.service.decide(*decisions, task_list=workflow_id)

    def later(self, seconds: float) -> None:
        """What the timekeeper does, that much later."""
        self.world.clock.tick(seconds)
        sweeping.sweep(self.service.core)

    def unhandled(self) -> None:
        """Each closing decision while there is something that the decider has not seen."""
        self.run("unhandled", [])
        for kind in CLOSING:
            self.service.signal("unhandled")
            task = self.service.poll("unhandled")
            self.service.signal("unhandled")
            self.service.answer(task, decision(kind))
            self.decide("unhandled")

    def kid(self, number: int) -> Answer:
        """A decision to start a child with a task list of its own."""
        name = f"kid {number}"
        return child(name, taskList={"name": name}, taskPriority=PRIORITY, tagList=["t"])

    def ends(self) -> None:
        """Each way to close, of a child too."""
        for kind in CLOSING:
            more = {"input": "i", "taskPriority": PRIORITY} if kind.startswith("Cont") else {}
            self.run(kind, [decision(kind, **more)])
        self.run("parent", [self.kid(number) for number in range(5)])
        for number in range(3):
            self.decide(f"kid {number}", decision(CLOSING[number]))
        self.service("TerminateWorkflowExecution", workflowId="kid 3", reason="r", details="d")
        self.decide("parent", child("kid 4"), child("late", executionStartToCloseTimeout="5"))
        self.later(5)
        self.decide("parent")

    def activities(self) -> None:
        """Each way in which an activity may end or not begin."""
        limits = {"startToCloseTimeout": "5"}
        names = ("a", "b", "c", "d")
        self.run("activities", [schedule(one, input="i", control="c", **limits) for one in names])
        for answer in ("Completed", "Failed", "Canceled"):
            token = self.service.take()["taskToken"]
            if answer == "Canceled":
                self.decide("activities", decision("RequestCancelActivityTask", activityId="c"))
            self.service(f"RespondActivityTask{answer}", taskToken=token)
        self.service.take()
        self.later(5)
        unknown = decision("RequestCancelActivityTask", activityId="z")
        self.decide("activities", schedule("e"), schedule("e"), unknown)

    def timers(self) -> None:
        """Timers, and a marker; a decider that dies."""
        cancel = decision("CancelTimer", timerId="u")
        self.run(
            "timers",
            [timer("t", "5"), timer("t", "5"), timer("u", "9"), cancel, cancel],
            [decision("RecordMarker", markerName="m", details="d")],
        )
        self.later(5)
        self.service.poll("timers")
        self.later(61)
        self.decide("timers")

    def others(self) -> None:
        """Signals and cancel requests to others, there and not."""
        self.run(
            "others",
            [decision(SIGNAL, workflowId=one, signalName="s", control="c") for one in WHO],
            [decision(CANCEL, workflowId=one, control="c") for one in WHO],
            [],
        )

    def functions(self) -> None:
        """Functions that answer, fail, cannot start, and one that is never heard of again."""
        self.run(
            "functions",
            [
                decision("ScheduleLambdaFunction", id=name, name=name, input="1", control="c")
                for name in ("good", "bad", "nobody")
            ],
        )
        slow = decision("ScheduleLambdaFunction", id="slow", name="slow", startToCloseTimeout="5")
        self.decide("functions", slow, slow)

    def collect(self) -> None:
        """All events of all executions."""
        for one in ("OpenWorkflowExecutions", "ClosedWorkflowExecutions"):
            asked = {"startTimeFilter": {"oldestDate": 0}}
            for info in self.service(f"List{one}", **asked)["executionInfos"]:
                execution = info["execution"]
                self.events += self.service.history(execution["workflowId"], execution["runId"])

    def of(self, kind: str) -> list[Answer]:
        """The attributes of all events of a type."""
        return [attributes(one) for one in self.events if one["eventType"] == kind]


WHO = ("others", "nobody")


@pytest.fixture(scope="module")
def everything() -> Iterator[Everything]:
    """What happens when all of it happens."""
    with make_world("sqlite") as world:
        functions = Local({"good": lambda _: 1, "bad": fail, "slow": lambda _: world.clock.tick(5)})
        service = Service(replace(world.process(), functions=functions))
        register(service, defaultTaskPriority=PRIORITY)
        made = Everything(world, service)
        parts: list[Callable[[], None]] = [
            made.unhandled,
            made.activities,
            made.timers,
            made.others,
            made.functions,
            made.ends,
        ]
        for part in parts:
            part()
        made.run("late", executionStartToCloseTimeout="5", workflowType=ORDER)
        made.later(90_000)
        made.collect()
        yield made


def shape_of(kind: str) -> shapes.Shape:
    """The members of an event's attributes, as the model has them."""
    output = shapes.operations()["GetWorkflowExecutionHistory"].output
    events = cast("shapes.Shape", output).members["events"]
    members = cast("shapes.Shape", events.item).members
    return members[f"{kind[0].lower()}{kind[1:]}EventAttributes"]


@pytest.mark.parametrize("name", [pytest.param(one, marks=row(one)) for one in sorted(HISTORY)])
def test_w3_table_1_4_an_event_tells_what_it_must(everything: Everything, name: str) -> None:
    """1.4: every member that the model requires, none that it does not know; ids point back."""
    shape = shape_of(name)
    found = everything.of(name)
    assert found, f"{name} did not happen"
    for attrs in found:
        assert shape.required <= set(attrs) <= set(shape.members)
    if name in PRIORITIES:
        assert PRIORITY in {attrs.get("taskPriority") for attrs in found}
        assert "taskPriority" in shape.members
    else:
        assert "taskPriority" not in shape.members
    for event in everything.events:
        if event["eventType"] == name:
            ids = [value for key, value in attributes(event).items() if key.endswith("EventId")]
            outside = [key for key in attributes(event) if key.startswith(("external", "parent"))]
            assert outside or all(0 <= one < event["eventId"] for one in ids)


@row(NEVER)
def test_w5_table_1_4_a_marker_never_fails(everything: Everything) -> None:
    """1.4: the model knows RecordMarkerFailed, whose only cause never comes."""
    assert shape_of(NEVER).members["cause"].enum == ("OPERATION_NOT_PERMITTED",)
    assert everything.of(NEVER) == []
    assert NEVER not in HISTORY


@row("ids that point to nothing")
def test_w3_table_1_4_an_id_that_points_to_nothing_is_zero(everything: Everything) -> None:
    """1.4: present, not left out: Started, Signaled, CancelRequested, unstarted activities."""
    assert 0 in {one["parentInitiatedEventId"] for one in everything.of("WorkflowExecutionStarted")}
    signaled = everything.of("WorkflowExecutionSignaled")
    assert {one["externalInitiatedEventId"] == 0 for one in signaled} == {True, False}
    assert [one["initiatedEventId"] for one in everything.of("StartChildWorkflowExecutionFailed")]


@row("a decision task that waits without limit")
def test_w12_table_1_4_a_scheduled_decision_task_tells_that_it_waits_without_limit(
    everything: Everything,
) -> None:
    """1.4: scheduleToStartTimeout NONE, as the service tells since 2023."""
    waits = {one["scheduleToStartTimeout"] for one in everything.of("DecisionTaskScheduled")}
    assert waits == {"NONE"}
