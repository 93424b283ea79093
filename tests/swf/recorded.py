"""What recordings of the service show, in a form of our own: events, links, members, moments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any

from tests.races.world import World
from tests.swf.service import attributes
from tests.swf.wire import DOMAIN, Wire, decision

FIRE = {"name": "fire", "version": "4"}
GLAZE = {"name": "glaze", "version": "4"}
LIMITS = {
    "scheduleToStartTimeout": "300",
    "scheduleToCloseTimeout": "300",
    "startToCloseTimeout": "300",
    "heartbeatTimeout": "300",
}
Answer = dict[str, Any]

LINKS: Mapping[str, str] = {
    "decisionTaskCompletedEventId": "decided",
    "initiatedEventId": "initiated",
    "scheduledEventId": "scheduled",
    "startedEventId": "started",
    "parentInitiatedEventId": "parent",
    "externalInitiatedEventId": "external",
}
"""Members that point to another event, and how a history is written here."""

SETTINGS = {"childPolicy", "executionStartToCloseTimeout", "taskList", "taskStartToCloseTimeout"}
MEMBERS: Mapping[str, set[str]] = {
    "WorkflowExecutionStarted": {*SETTINGS, "workflowType"},
    "WorkflowExecutionCompleted": set(),
    "WorkflowExecutionCanceled": set(),
    "WorkflowExecutionCancelRequested": set(),
    "WorkflowExecutionSignaled": {"signalName"},
    "DecisionTaskScheduled": {"taskList", "startToCloseTimeout", "scheduleToStartTimeout"},
    "DecisionTaskStarted": set(),
    "DecisionTaskCompleted": set(),
    "ActivityTaskScheduled": {"activityType", "activityId", "taskList", *LIMITS},
    "ActivityTaskStarted": set(),
    "ActivityTaskCompleted": set(),
    "ActivityTaskFailed": set(),
    "MarkerRecorded": {"markerName"},
    "TimerStarted": {"timerId", "startToFireTimeout"},
    "TimerFired": {"timerId"},
    "TimerCanceled": {"timerId"},
    "StartChildWorkflowExecutionInitiated": {*SETTINGS, "workflowId", "workflowType"},
    "ChildWorkflowExecutionStarted": {"workflowExecution", "workflowType"},
    "ChildWorkflowExecutionCompleted": {"workflowExecution", "workflowType"},
}
"""Members that an event has besides its links and what its maker gave."""

GIVEN = {"input", "result", "reason", "details", "identity", "executionContext", "tagList"}
"""Members that are there when somebody gave them, and only then."""


@dataclass
class Kiln:
    """One execution on a clock that moves by a second with every call."""

    world: World
    wire: Wire = field(init=False)
    workflow_id: str = "batch"
    run_id: str = ""

    def __post_init__(self) -> None:
        self.wire = Wire(self.world.process())
        self.wire("RegisterDomain", name=DOMAIN, workflowExecutionRetentionPeriodInDays="9")
        self.call(
            "RegisterWorkflowType",
            **FIRE,
            defaultTaskList={"name": "nobody"},
            defaultTaskStartToCloseTimeout="300",
            defaultExecutionStartToCloseTimeout="300",
            defaultChildPolicy="TERMINATE",
        )
        self.call("RegisterActivityType", **GLAZE)

    def call(self, operation: str, **params: Any) -> Any:
        """An operation in the domain."""
        answer = self.wire(operation, domain=DOMAIN, **params)
        self.world.clock.tick(1)
        return answer

    def start(self, **params: Any) -> None:
        """Start the execution on the potters' list."""
        given = {"workflowType": FIRE, "taskList": {"name": "potters"}, **params}
        started = self.call("StartWorkflowExecution", workflowId=self.workflow_id, **given)
        self.run_id = started["runId"]

    @property
    def execution(self) -> Answer:
        """The run."""
        return {"workflowId": self.workflow_id, "runId": self.run_id}

    def poll(self) -> Answer:
        """Take the decision task."""
        return self.call("PollForDecisionTask", taskList={"name": "potters"}, identity="decider")

    def answer(self, task: Answer, *decisions: Answer, **context: str) -> None:
        """Answer it."""
        self.wire(
            "RespondDecisionTaskCompleted",
            taskToken=task["taskToken"],
            decisions=list(decisions),
            **context,
        )
        self.world.clock.tick(1)

    def decide(self, *decisions: Answer, **context: str) -> None:
        """Take the decision task and answer it."""
        self.answer(self.poll(), *decisions, **context)

    def take(self) -> Answer:
        """Take an activity task."""
        return self.call("PollForActivityTask", taskList={"name": "glazers"}, identity="worker")

    def respond(self, how: str, task: Answer, **said: str) -> None:
        """Answer it."""
        self.wire(f"RespondActivityTask{how}", taskToken=task["taskToken"], **said)
        self.world.clock.tick(1)

    def describe(self) -> Answer:
        """The run as it is described."""
        return self.call("DescribeWorkflowExecution", execution=self.execution)

    def open(self) -> dict[str, int]:
        """What is open in it."""
        return {name: count for name, count in self.describe()["openCounts"].items() if count}

    def history(self) -> list[Answer]:
        """Its events, whose members and moments are looked at."""
        events = self.call("GetWorkflowExecutionHistory", execution=self.execution)["events"]
        for event, before in zip(events, [None, *events], strict=False):
            members = set(attributes(event)) - GIVEN - set(LINKS)
            assert members == MEMBERS[event["eventType"]], event
            if before and event["eventType"] == "DecisionTaskScheduled":
                assert event["eventTimestamp"] == before["eventTimestamp"], event
        return events

    def is_recorded(self, history: str) -> None:
        """The history is this one."""
        assert [line(event) for event in self.history()] == cleandoc(history).splitlines()


def line(event: Answer) -> str:
    """An event as a history is written here: id, type, links."""
    given = attributes(event)
    links = [f"{short}={given[name]}" for name, short in LINKS.items() if name in given]
    return " ".join([f"{event['eventId']:>2}", event["eventType"], *links])


def glaze(activity_id: str, **more: Any) -> Answer:
    """A decision to have something glazed."""
    given = {"activityType": GLAZE, "taskList": {"name": "glazers"}, **LIMITS, **more}
    return decision("ScheduleActivityTask", activityId=activity_id, **given)


def complete(result: str = "null") -> Answer:
    """A decision to complete the execution."""
    return decision("CompleteWorkflowExecution", result=result)


def timer(timer_id: str, seconds: str) -> Answer:
    """A decision to start a timer."""
    return decision("StartTimer", timerId=timer_id, startToFireTimeout=seconds)


def kinds(events: Sequence[Answer]) -> list[str]:
    """Types of events."""
    return [event["eventType"] for event in events]
