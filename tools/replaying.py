"""Does again what a recorded history tells that a decider, workers and others did.

Our service runs in this process, with its clock set to the moments of the recording. A recording
says what was answered, not what led to it: decisions, polls and results are read off the events.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from workledger import bootstrap
from workledger.stores.port import Store
from workledger.swf import protocol
from workledger.swf.entering import AnyKey
from workledger.swf.protocol import Asked
from workledger.swf.signing import Request
from workledger.times import to_text

Json = dict[str, Any]
Event = Json

ACCOUNT = "123456789012"


class CannotReplay(Exception):
    """A recording in which something happens that this does not know how to bring about."""


def attributes(event: Event) -> Json:
    """The attributes of an event."""
    kind: str = event["eventType"]
    return event[f"{kind[0].lower()}{kind[1:]}EventAttributes"]


class Service:
    """Our service, at a moment that is set."""

    def __init__(self, store: Store) -> None:
        self.now = 0.0
        self._app = bootstrap.build(store, clock=self._clock, door=AnyKey())

    def _clock(self) -> str:
        return to_text(datetime.fromtimestamp(self.now, UTC))

    def __call__(self, operation: str, **params: Any) -> Any:
        """Call an operation; a fault ends the replay."""
        headers = {"x-amz-target": f"com.amazonaws.swf.service.model.x.{operation}"}
        request = Request("POST", "/", "", headers, json.dumps(params).encode())
        answered = protocol.handle(self._app, Asked(request, ACCOUNT, str(uuid4())), 0)
        if answered.status != 200:
            raise CannotReplay(f"{operation}: {answered.body}")
        return json.loads(answered.body) if answered.body else None


DECISIONS: Mapping[str, tuple[str, Sequence[str]]] = {
    "ActivityTaskScheduled": (
        "ScheduleActivityTask",
        (
            *("activityType", "activityId", "input", "control", "taskList", "taskPriority"),
            *("scheduleToStartTimeout", "scheduleToCloseTimeout"),
            *("startToCloseTimeout", "heartbeatTimeout"),
        ),
    ),
    "TimerStarted": ("StartTimer", ("timerId", "startToFireTimeout", "control")),
    "TimerCanceled": ("CancelTimer", ("timerId",)),
    "MarkerRecorded": ("RecordMarker", ("markerName", "details")),
    "StartChildWorkflowExecutionInitiated": (
        "StartChildWorkflowExecution",
        (
            *("workflowType", "workflowId", "input", "control", "taskList", "taskPriority"),
            *("executionStartToCloseTimeout", "taskStartToCloseTimeout"),
            *("childPolicy", "tagList", "lambdaRole"),
        ),
    ),
    "WorkflowExecutionCompleted": ("CompleteWorkflowExecution", ("result",)),
    "WorkflowExecutionFailed": ("FailWorkflowExecution", ("reason", "details")),
    "WorkflowExecutionCanceled": ("CancelWorkflowExecution", ("details",)),
}
"""What a decider must have decided for an event, and which of its attributes say how."""

FOLLOWS = frozenset(
    {
        *("WorkflowExecutionStarted", "DecisionTaskScheduled", "ChildWorkflowExecutionStarted"),
        *("TimerFired", *DECISIONS),
    }
)
"""Events that come by themselves: of a decision, a start, the clock."""


@dataclass
class Replay:
    """One execution as it is lived through once more."""

    service: Service
    domain: str
    execution: Json
    events: Sequence[Event]
    shown: list[Json] = field(default_factory=list[Json])
    _tasks: dict[str, str] = field(default_factory=dict[str, str])
    _activities: dict[str, str] = field(default_factory=dict[str, str])
    _known: set[str] = field(default_factory=set[str])

    def run(self) -> None:
        """All events in order; how the execution is described after each."""
        for event in self.events:
            self.service.now = max(self.service.now, event["eventTimestamp"])
            act = _ACTS.get(event["eventType"])
            if act is not None:
                act(self, event)
            elif event["eventType"] not in FOLLOWS:
                raise CannotReplay(event["eventType"])
            self.shown.append(self.call("DescribeWorkflowExecution", execution=self.execution))

    def call(self, operation: str, **params: Any) -> Any:
        """An operation in the recording's domain."""
        return self.service(operation, domain=self.domain, **params)

    def event(self, number: int) -> Json:
        """The attributes of the event of an id."""
        return attributes(self.events[number - 1])

    # --- deciders ---
    def start_decision(self, event: Event) -> None:
        """Somebody takes the execution's decision task."""
        given = attributes(event)
        task_list = self.event(given["scheduledEventId"])["taskList"]
        identity = {"identity": given["identity"]} if "identity" in given else {}
        self._take(self.execution["workflowId"], task_list, identity)

    def _take(self, workflow_id: str, task_list: Json, identity: Json) -> None:
        """Take tasks of a list until one is this execution's; those of others are kept."""
        while workflow_id not in self._tasks:
            task = self.call("PollForDecisionTask", taskList=task_list, **identity)
            if "taskToken" not in task:
                raise CannotReplay(f"no decision task of {workflow_id} on {task_list['name']}")
            self._tasks[task["workflowExecution"]["workflowId"]] = task["taskToken"]

    def decide(self, event: Event) -> None:
        """The decider answers: what follows of it are the events that point to this one."""
        given = attributes(event)
        context = {"executionContext": given["executionContext"]} if _has_context(given) else {}
        self.service(
            "RespondDecisionTaskCompleted",
            taskToken=self._tasks.pop(self.execution["workflowId"]),
            decisions=list(self._decisions(event["eventId"])),
            **context,
        )

    def _decisions(self, completed: int) -> Iterator[Json]:
        for event in self.events:
            given = attributes(event)
            if given.get("decisionTaskCompletedEventId") == completed:
                if event["eventType"] not in DECISIONS:
                    raise CannotReplay(event["eventType"])
                self._register(given)
                kind, names = DECISIONS[event["eventType"]]
                attrs = {name: given[name] for name in names if name in given}
                member = f"{kind[0].lower()}{kind[1:]}DecisionAttributes"
                yield {"decisionType": kind, member: attrs}

    def _register(self, given: Json) -> None:
        """Types that decisions name were registered: without defaults, for all that we see."""
        for kind in ("activityType", "workflowType"):
            if kind in given and str(given[kind]) not in self._known:
                self._known.add(str(given[kind]))
                self.call(f"Register{kind[0].upper()}{kind[1:]}", **given[kind])

    def complete_child(self, event: Event) -> None:
        """A child's decider completes it."""
        given = attributes(event)
        workflow_id = given["workflowExecution"]["workflowId"]
        self._take(workflow_id, self.event(given["initiatedEventId"])["taskList"], {})
        result = {"result": given["result"]} if "result" in given else {}
        complete = {
            "decisionType": "CompleteWorkflowExecution",
            "completeWorkflowExecutionDecisionAttributes": result,
        }
        token = self._tasks.pop(workflow_id)
        self.service("RespondDecisionTaskCompleted", taskToken=token, decisions=[complete])

    # --- workers ---
    def start_activity(self, event: Event) -> None:
        """Somebody takes an activity task."""
        given = attributes(event)
        identity = {"identity": given["identity"]} if "identity" in given else {}
        task_list = self.event(given["scheduledEventId"])["taskList"]
        task = self.call("PollForActivityTask", taskList=task_list, **identity)
        self._activities[task["activityId"]] = task["taskToken"]

    def close_activity(self, event: Event) -> None:
        """A worker answers."""
        given = attributes(event)
        how = event["eventType"].removeprefix("ActivityTask")
        members = ("result", "reason", "details")
        said = {name: given[name] for name in members if name in given}
        token = self._activities.pop(self.event(given["scheduledEventId"])["activityId"])
        self.service(f"RespondActivityTask{how}", taskToken=token, **said)

    # --- others ---
    def signal(self, event: Event) -> None:
        """Somebody signals the execution."""
        given = attributes(event)
        said = {name: given[name] for name in ("signalName", "input") if name in given}
        self.call("SignalWorkflowExecution", workflowId=self.execution["workflowId"], **said)

    def request_cancel(self, _: Event) -> None:
        """Somebody asks for the execution's end."""
        self.call("RequestCancelWorkflowExecution", workflowId=self.execution["workflowId"])


def _has_context(given: Json) -> bool:
    return "executionContext" in given


_ACTS: Mapping[str, Callable[[Replay, Event], None]] = {
    "DecisionTaskStarted": Replay.start_decision,
    "DecisionTaskCompleted": Replay.decide,
    "ActivityTaskStarted": Replay.start_activity,
    "ActivityTaskCompleted": Replay.close_activity,
    "ActivityTaskFailed": Replay.close_activity,
    "WorkflowExecutionSignaled": Replay.signal,
    "WorkflowExecutionCancelRequested": Replay.request_cancel,
    "ChildWorkflowExecutionCompleted": Replay.complete_child,
}


def in_our_order(events: Sequence[Event]) -> list[Event]:
    """Two workers that take two tasks at one moment: whichever came first, here the first task did.

    Tasks that start one right after the other are put in the order in which they were scheduled,
    and what points to their starts follows them.
    """
    ordered, moved = list(events), dict[int, int]()
    for start, end in _starts(events):
        first = ordered[start]["eventId"]
        batch = sorted(ordered[start:end], key=lambda one: attributes(one)["scheduledEventId"])
        moved |= {one["eventId"]: first + place for place, one in enumerate(batch)}
        ordered[start:end] = batch
    return [_renumbered(event, moved) for event in ordered]


def _starts(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    start = 0
    for end in range(len(events) + 1):
        if end == len(events) or events[end]["eventType"] != "ActivityTaskStarted":
            if end - start > 1:
                yield start, end
            start = end + 1


def _renumbered(event: Event, moved: Mapping[int, int]) -> Event:
    kind: str = event["eventType"]
    given = dict(attributes(event))
    if kind.startswith("ActivityTask") and "startedEventId" in given:
        given["startedEventId"] = moved.get(given["startedEventId"], given["startedEventId"])
    number = moved.get(event["eventId"], event["eventId"])
    member = f"{kind[0].lower()}{kind[1:]}EventAttributes"
    return {**event, "eventId": number, member: given}
