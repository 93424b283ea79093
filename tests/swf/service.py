"""The service as tests use it: its operations over one process's core, deciders and workers."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.races.world import World
from workledger import keys
from workledger.ledger.commit import Event
from workledger.service.core import Core
from workledger.swf import timing
from workledger.swf.call import Call
from workledger.swf.operations import OPERATIONS
from workledger.workflows.execution import Run
from workledger.workflows.folding import ACTIVITY_CLOSED, CHILD_CLOSED, CLOSINGS, LAMBDA_CLOSED

REGION, ACCOUNT = "eu-west-1", "123456789012"
SCOPE = f"{REGION}/{ACCOUNT}"
DOMAIN = "orders"

ORDER = {"name": "order", "version": "1"}
POST = {"name": "post", "version": "1"}

RUN_DEFAULTS: Mapping[str, Any] = {
    "defaultTaskList": {"name": "main"},
    "defaultExecutionStartToCloseTimeout": "86400",
    "defaultTaskStartToCloseTimeout": "60",
    "defaultChildPolicy": "TERMINATE",
}
TASK_DEFAULTS: Mapping[str, Any] = {
    "defaultTaskList": {"name": "work"},
    "defaultTaskScheduleToStartTimeout": "NONE",
    "defaultTaskScheduleToCloseTimeout": "NONE",
    "defaultTaskStartToCloseTimeout": "NONE",
    "defaultTaskHeartbeatTimeout": "NONE",
}

Answer = dict[str, Any]


def decision(kind: str, **attrs: Any) -> Answer:
    """A decision."""
    return {"decisionType": kind, f"{kind[0].lower()}{kind[1:]}DecisionAttributes": attrs}


def schedule(activity_id: str, **attrs: Any) -> Answer:
    """A decision to schedule an activity."""
    return decision("ScheduleActivityTask", activityId=activity_id, activityType=POST, **attrs)


def timer(timer_id: str, seconds: str) -> Answer:
    """A decision to start a timer."""
    return decision("StartTimer", timerId=timer_id, startToFireTimeout=seconds)


def child(workflow_id: str, **attrs: Any) -> Answer:
    """A decision to start a child, whose decision tasks stand on a list of their own."""
    attrs = {"workflowType": ORDER, "taskList": {"name": "kids"}, **attrs}
    return decision("StartChildWorkflowExecution", workflowId=workflow_id, **attrs)


def complete(result: str | None = None) -> Answer:
    """A decision to complete the execution."""
    return decision("CompleteWorkflowExecution", **({"result": result} if result else {}))


@dataclass(frozen=True)
class Service:
    """One process that serves Amazon SWF."""

    core: Core
    actor: str = "kai"

    def __call__(self, operation: str, **params: Any) -> Any:
        """Call an operation in the tests' domain; polls do not wait."""
        named = {"name", "resourceArn", "taskToken"} & set(params)
        asked = params if named - {"name"} else {"domain": DOMAIN, **params}
        call = Call(self.core, REGION, ACCOUNT, self.actor, asked, poll_seconds=0)
        return OPERATIONS[operation].run(call)

    def start(self, workflow_id: str, **params: Any) -> str:
        """Start an execution; answers its run id."""
        asked = {"workflowId": workflow_id, "workflowType": ORDER, **params}
        return self("StartWorkflowExecution", **asked)["runId"]

    def poll(self, task_list: str = "main", **params: Any) -> Answer:
        """Poll for a decision task."""
        return self("PollForDecisionTask", taskList={"name": task_list}, **params)

    def decide(self, *decisions: Answer, task_list: str = "main", **answer: Any) -> Answer:
        """Take a decision task, which must be there, and answer it."""
        task = self.poll(task_list)
        assert "taskToken" in task, f"no decision task on {task_list}"
        self.answer(task, *decisions, **answer)
        return task

    def answer(self, task: Answer, *decisions: Answer, **answer: Any) -> None:
        """Answer a decision task."""
        token = task["taskToken"]
        self("RespondDecisionTaskCompleted", taskToken=token, decisions=list(decisions), **answer)

    def take(self, task_list: str = "work") -> Answer:
        """Poll for an activity task."""
        return self("PollForActivityTask", taskList={"name": task_list})

    def work(self, task_list: str = "work", result: str = "done") -> Answer:
        """Take an activity task, which must be there, and complete it."""
        task = self.take(task_list)
        assert "taskToken" in task, f"no activity task on {task_list}"
        self("RespondActivityTaskCompleted", taskToken=task["taskToken"], result=result)
        return task

    def beat(self, task: Answer, details: str | None = None) -> bool:
        """Tell that a worker is alive; answers whether it is to stop."""
        told = {"details": details} if details is not None else {}
        return self("RecordActivityTaskHeartbeat", taskToken=task["taskToken"], **told)[
            "cancelRequested"
        ]

    def signal(self, workflow_id: str, name: str = "go") -> None:
        """Signal an execution."""
        self("SignalWorkflowExecution", workflowId=workflow_id, signalName=name)

    def head(self, workflow_id: str) -> Run:
        """The newest run of a workflow id, without settling anything."""
        return self.core.executor.read(stream(workflow_id)).head

    def describe(self, workflow_id: str) -> Answer:
        """The newest run as the service describes it: what is due in it is done."""
        execution = {"workflowId": workflow_id, "runId": self.head(workflow_id).run_id}
        return self("DescribeWorkflowExecution", execution=execution)

    def history(self, workflow_id: str, run_id: str | None = None) -> list[Answer]:
        """Every event of a run (the newest), page after page: what is due in it is done."""
        run_id = run_id or self.head(workflow_id).run_id
        asked = {"execution": {"workflowId": workflow_id, "runId": run_id}}
        page = self("GetWorkflowExecutionHistory", **asked)
        events = page["events"]
        while "nextPageToken" in page:
            token = page["nextPageToken"]
            page = self("GetWorkflowExecutionHistory", **asked, nextPageToken=token)
            events += page["events"]
        return events


def stream(workflow_id: str) -> str:
    """The stream of a workflow id in the tests' domain."""
    return keys.execution_stream(SCOPE, DOMAIN, workflow_id)


def register(service: Service, retention: str = "30", **defaults: Any) -> None:
    """Register the domain and its types; `defaults` go to whichever type knows them."""
    service("RegisterDomain", name=DOMAIN, workflowExecutionRetentionPeriodInDays=retention)
    mine = {name: value for name, value in defaults.items() if name in RUN_DEFAULTS}
    service("RegisterWorkflowType", **ORDER, **{**RUN_DEFAULTS, **mine})
    others = {name: value for name, value in defaults.items() if name not in RUN_DEFAULTS}
    service("RegisterActivityType", **POST, **{**TASK_DEFAULTS, **others})


def serving(world: World, **defaults: Any) -> Service:
    """A process without faults, in a world that has the domain and its types."""
    service = Service(world.process())
    register(service, **defaults)
    return service


def told(events: list[Answer]) -> list[str]:
    """The types of shown events."""
    return [event["eventType"] for event in events]


def attributes(event: Answer) -> Answer:
    """The attributes of a shown event."""
    kind = event["eventType"]
    return event[f"{kind[0].lower()}{kind[1:]}EventAttributes"]


# --- what must always hold ----------------------------------------------------------------------


def runs(core: Core, workflow_id: str) -> Iterator[list[Event]]:
    """The history events of each run of a workflow id, as the ledger has them."""
    commits = core.store.commits(stream(workflow_id))
    events = [event for commit in commits for event in commit.events if event.type[0] != "_"]
    for generation in sorted({event.data["gen"] for event in events}):
        yield [event for event in events if event.data["gen"] == generation]


def check_history(events: list[Event]) -> None:
    """Ids without gaps, times that never run back; one decision task at a time; what is open
    closes at most once (W3, W4, 1.7)."""
    assert [event.data["id"] for event in events] == list(range(1, len(events) + 1))
    moments = [event.data.get("shown") or event.data["at"] for event in events]
    assert moments == sorted(moments)
    open_things: dict[tuple[str, Any], str] = {}
    for event in events:
        assert open_things.get(("run", 1)) != "closed", event
        for key, change in _changes(event):
            before = open_things.pop(key, None)
            assert before in _LEGAL[change], (event, before)
            if change not in ENDS:
                open_things[key] = change
    assert sum(change == "decision started" for change in open_things.values()) <= 1


ENDS = {"ended", "decision ended"}
_LEGAL: Mapping[str, set[str | None]] = {
    "scheduled": {None},
    "started": {"scheduled"},
    "ended": {"scheduled", "started"},
    "decision scheduled": {None},
    "decision started": {"decision scheduled"},
    "decision ended": {"decision started", "decision scheduled"},
    "closed": {None},
}


def _changes(event: Event) -> Iterator[tuple[tuple[str, Any], str]]:
    """What an event does to what is open in a run: (its kind and key, what becomes of it)."""
    kind, attrs, number = event.type, event.data["attrs"], event.data["id"]
    if kind in CLOSINGS:
        yield ("run", 1), "closed"
    elif kind.startswith("DecisionTask"):
        yield from _decision_changes(kind, attrs, number)
    elif kind in ("ActivityTaskScheduled", "LambdaFunctionScheduled", "TimerStarted"):
        yield (kind[:4], number), "scheduled"
    elif kind == "StartChildWorkflowExecutionInitiated":
        yield ("Child", number), "scheduled"
    elif kind in ("ActivityTaskStarted", "LambdaFunctionStarted"):
        yield (kind[:4], attrs["scheduledEventId"]), "started"
    elif kind == "ChildWorkflowExecutionStarted":
        yield ("Child", attrs["initiatedEventId"]), "started"
    elif kind in ACTIVITY_CLOSED:
        yield ("Acti", attrs["scheduledEventId"]), "ended"
    elif kind in LAMBDA_CLOSED:
        yield ("Lamb", attrs["scheduledEventId"]), "ended"
    elif kind in CHILD_CLOSED or (
        kind == "StartChildWorkflowExecutionFailed" and attrs["initiatedEventId"]
    ):
        yield ("Child", attrs["initiatedEventId"]), "ended"
    elif kind in ("TimerFired", "TimerCanceled"):
        yield ("Time", attrs["startedEventId"]), "ended"


def _decision_changes(
    kind: str, attrs: Mapping[str, Any], number: int
) -> Iterator[tuple[tuple[str, Any], str]]:
    if kind == "DecisionTaskScheduled":
        yield ("waiting", 1), "decision scheduled"
    elif kind == "DecisionTaskStarted":
        yield ("waiting", 1), "decision ended"
        yield ("working", 1), "decision scheduled"
        yield ("working", 1), "decision started"
    elif attrs.get("startedEventId"):
        yield ("working", 1), "decision ended"
    else:
        yield ("waiting", 1), "decision ended"


COUNTED: Mapping[str, tuple[set[str], set[str]]] = {
    "activities": ({"ActivityTaskScheduled"}, set(ACTIVITY_CLOSED)),
    "timers": ({"TimerStarted"}, {"TimerFired", "TimerCanceled"}),
    "children": ({"StartChildWorkflowExecutionInitiated"}, set(CHILD_CLOSED)),
    "lambdas": ({"LambdaFunctionScheduled"}, set(LAMBDA_CLOSED)),
}


def check_counts(run: Run, events: list[Event]) -> None:
    """What a run says is open is what its history leaves open."""
    found = Counter(event.type for event in events)
    failed = sum(
        event.type == "StartChildWorkflowExecutionFailed"
        and event.data["attrs"]["initiatedEventId"] > 0
        for event in events
    )
    for name, (opens, closes) in COUNTED.items():
        count = sum(found[kind] for kind in opens) - sum(found[kind] for kind in closes)
        assert getattr(run, name) == count - (failed if name == "children" else 0), name
    assert run.next_id == len(events) + 1


def check(world: World, *workflow_ids: str) -> None:
    """Everything that must hold of these executions, and of the rows of the whole store."""
    world.verify()
    core = world.process()
    for workflow_id in workflow_ids:
        check_due(core, workflow_id)
        newest = core.executor.read(stream(workflow_id)).head
        for number, events in enumerate(runs(core, workflow_id), 1):
            check_history(events)
            if number == newest.generation:
                check_counts(newest, events)


def check_due(core: Core, workflow_id: str) -> None:
    """A stream's due row never says something later than what is due in it."""
    at = timing.sweep(core, stream(workflow_id))
    due = core.store.due(stream(workflow_id))
    assert at is None or (due is not None and due.at <= at)
