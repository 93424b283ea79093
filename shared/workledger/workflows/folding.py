"""The aggregate of executions: how a run and its things change with each event. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from workledger import keys
from workledger.keys import HEAD
from workledger.ledger.commit import Commit, Event
from workledger.times import plus
from workledger.workflows.execution import (
    NONE,
    Activity,
    Child,
    ClosedRun,
    Config,
    DecisionTask,
    Done,
    Lambda,
    Parent,
    Reaction,
    Run,
    Scheduled,
    Started,
    Thing,
    Timer,
    deadline,
    decision_deadline,
    dump,
    load,
    place,
    purged_run,
)

__all__ = ["dump", "evolve", "load", "place"]

RETRY_SECONDS = 2
"""A reaction that was not carried out at once is tried again this much later, then doubling."""

STARTED, PURGED = "WorkflowExecutionStarted", "_Purged"

CLOSINGS: Mapping[str, str] = {
    "WorkflowExecutionCompleted": "COMPLETED",
    "WorkflowExecutionFailed": "FAILED",
    "WorkflowExecutionCanceled": "CANCELED",
    "WorkflowExecutionTerminated": "TERMINATED",
    "WorkflowExecutionContinuedAsNew": "CONTINUED_AS_NEW",
    "WorkflowExecutionTimedOut": "TIMED_OUT",
}
"""Event that closes a run -> its close status."""

ACTIVITY_CLOSED = (
    "ActivityTaskCompleted",
    "ActivityTaskFailed",
    "ActivityTaskTimedOut",
    "ActivityTaskCanceled",
)
CHILD_CLOSED = (
    "ChildWorkflowExecutionCompleted",
    "ChildWorkflowExecutionFailed",
    "ChildWorkflowExecutionTimedOut",
    "ChildWorkflowExecutionCanceled",
    "ChildWorkflowExecutionTerminated",
)
LAMBDA_CLOSED = (
    "LambdaFunctionCompleted",
    "LambdaFunctionFailed",
    "LambdaFunctionTimedOut",
    "StartLambdaFunctionFailed",
)

ASKS = frozenset(
    {
        "StartChildWorkflowExecutionInitiated",
        "SignalExternalWorkflowExecutionInitiated",
        "RequestCancelExternalWorkflowExecutionInitiated",
        "LambdaFunctionScheduled",
        *CLOSINGS,
    }
)
"""Events that ask for something outside the run; every other that names a reaction ends it."""


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Run | None) -> Any:
    """The thing's state after an event.

    An event of a run whose start was purged tells nothing: what it was about is gone.
    """
    if head is None and event.type not in (STARTED, PURGED):
        return None
    if thing == HEAD:
        return _run(head, event, commit)
    if thing[0] == "g":
        return head if event.type == STARTED else state
    kind = thing.split(".", 1)[0]
    return _THINGS[kind](thing, state, event, commit, head)


# --- the run ------------------------------------------------------------------------------------


def _run(run: Run | None, event: Event, commit: Commit) -> Run:
    if event.type == STARTED:
        return _started(event, commit, run.purged if run else (0, 1))
    if event.type == PURGED:
        return _purged(run, event, commit)
    if run is None:
        raise ValueError(f"{event.type} on no run: {commit.stream}")
    if event.data["gen"] != run.generation:
        return run
    if not event.type.startswith("_"):
        at = shown_at(event) if run.last_at else None
        run = replace(run, next_id=event.data["id"] + 1, last_at=at)
    if event.type in CLOSINGS:
        status = CLOSINGS[event.type]
        closed, policy = (status, shown_at(event)), event.data.get("policy")
        run = replace(run, closed=closed, policy=policy, last_at=None)
        return replace(run, scheduled=None, started=None)
    change = _RUN.get(event.type)
    return change(run, event, commit) if change else run


def shown_at(event: Event) -> str:
    """The time of a history event as it is shown: later than its moment after a faster clock."""
    return event.data.get("shown") or event.data["at"]


def _purged(run: Run | None, event: Event, commit: Commit) -> Run:
    """The runs up to one are gone: the newest one, which is kept, or nothing but their number."""
    data = event.data
    if run is None or run.generation <= data["gen"]:
        return purged_run(data["scope"], data["domain"], data["gen"], commit.number, commit.at)
    return replace(run, purged=(data["gen"], data["from"]))


def _started(event: Event, commit: Commit, purged: tuple[int, int]) -> Run:
    data, attrs = event.data, event.data["attrs"]
    parent = attrs.get("parentWorkflowExecution")
    return Run(
        scope=data["scope"],
        domain=data["domain"],
        workflow_id=data["workflowId"],
        run_id=data["runId"],
        generation=data["gen"],
        type_name=attrs["workflowType"]["name"],
        type_version=attrs["workflowType"]["version"],
        config=Config(
            attrs["taskList"]["name"],
            attrs["taskStartToCloseTimeout"],
            attrs["executionStartToCloseTimeout"],
            attrs["childPolicy"],
            attrs.get("taskPriority"),
            attrs.get("lambdaRole"),
        ),
        started_at=data["at"],
        first=commit.number,
        next_id=data["id"] + 1,
        tags=tuple(attrs.get("tagList", ())),
        parent=Parent(parent["workflowId"], parent["runId"], attrs["parentInitiatedEventId"])
        if parent
        else None,
        retention=data["retention"],
        purged=purged,
        last_at=data["at"] if data.get("ordered") else None,
    )


def _decision_scheduled(run: Run, event: Event, _: Commit) -> Run:
    attrs = event.data["attrs"]
    wait = attrs["scheduleToStartTimeout"]
    scheduled = Scheduled(event.data["id"], event.data["at"], attrs["taskList"]["name"], wait)
    return replace(run, scheduled=scheduled)


def _decision_started(run: Run, event: Event, commit: Commit) -> Run:
    waiting = run.scheduled
    if waiting is None:
        raise ValueError("a decision task started that was not scheduled")
    started = Started(
        event.data["id"], event.data["at"], waiting.id, waiting.task_list, commit.number
    )
    return replace(run, scheduled=None, started=started)


def _decision_completed(run: Run, event: Event, commit: Commit) -> Run:
    attrs = event.data["attrs"]
    previous = (run.started.id, run.started.commit) if run.started else run.previous
    context = (commit.number, event.data["index"]) if event.data.get("context") else run.context
    sticky = run.sticky
    if "taskList" in attrs:
        sticky = (attrs["taskList"]["name"], attrs.get("taskListScheduleToStartTimeout", NONE))
    return replace(run, started=None, previous=previous, context=context, sticky=sticky)


def _decision_timed_out(run: Run, event: Event, _: Commit) -> Run:
    if event.data["attrs"]["timeoutType"] == "SCHEDULE_TO_START":
        return replace(run, scheduled=None, sticky=None)
    return replace(run, started=None, sticky=None)


def _counting(name: str, step: int) -> Callable[[Run, Event, Commit], Run]:
    def change(run: Run, event: Event, _: Commit) -> Run:
        run = replace(run, **{name: getattr(run, name) + step})
        return replace(run, latest_activity_at=event.data["at"]) if name == "activities" else run

    return change


def _child_not_started(run: Run, event: Event, _: Commit) -> Run:
    """Only a child that was initiated was counted: other failures have no such event."""
    initiated = event.data["attrs"]["initiatedEventId"]
    return replace(run, children=run.children - 1) if initiated else run


def _activity_started(run: Run, event: Event, _: Commit) -> Run:
    return replace(run, latest_activity_at=event.data["at"])


def _cancel_requested(run: Run, _: Event, __: Commit) -> Run:
    return replace(run, cancel_requested=True)


_RUN: Mapping[str, Callable[[Run, Event, Commit], Run]] = {
    "DecisionTaskScheduled": _decision_scheduled,
    "DecisionTaskStarted": _decision_started,
    "DecisionTaskCompleted": _decision_completed,
    "DecisionTaskTimedOut": _decision_timed_out,
    "ActivityTaskScheduled": _counting("activities", 1),
    "ActivityTaskStarted": _activity_started,
    **{name: _counting("activities", -1) for name in ACTIVITY_CLOSED},
    "TimerStarted": _counting("timers", 1),
    "TimerFired": _counting("timers", -1),
    "TimerCanceled": _counting("timers", -1),
    "StartChildWorkflowExecutionInitiated": _counting("children", 1),
    "StartChildWorkflowExecutionFailed": _child_not_started,
    **{name: _counting("children", -1) for name in CHILD_CLOSED},
    "LambdaFunctionScheduled": _counting("lambdas", 1),
    **{name: _counting("lambdas", -1) for name in LAMBDA_CLOSED},
    "WorkflowExecutionCancelRequested": _cancel_requested,
}

# --- the things of a run ------------------------------------------------------------------------


def _decision(_: str, __: Any, event: Event, commit: Commit, head: Run | None) -> Any:
    """The decision task that is started, else the one that waits: the run says which (W3).

    It is made of the run alone, so no command needs to read it before it schedules one.
    """
    run = _run(head, event, commit)
    if run.started is not None:
        return _working(run, run.started)
    if run.scheduled is None or run.closed:
        return None
    return _waiting(run, run.scheduled, since=event.data["at"])


def _working(run: Run, task: Started) -> DecisionTask:
    line = keys.tasks_line(run.scope, run.domain, "decision", task.task_list)
    at, due = task.at, decision_deadline(run)
    return DecisionTask(line, run.priority, at, task.scheduled_id, False, due)


def _waiting(run: Run, task: Scheduled, since: str) -> DecisionTask:
    """Its schedule-to-start clock begins when it can be started: not while another one is."""
    line = keys.tasks_line(run.scope, run.domain, "decision", task.task_list)
    due = deadline(since, task.schedule_to_start)
    return DecisionTask(line, run.priority, task.at, task.id, True, due)


def _activity(_: str, state: Any, event: Event, commit: Commit, head: Run | None) -> Any:
    data = event.data
    if event.type == "ActivityTaskScheduled" and head is not None:
        attrs = data["attrs"]
        return Activity(
            line=keys.tasks_line(head.scope, head.domain, "activity", attrs["taskList"]["name"]),
            priority=int(attrs.get("taskPriority", 0)),
            activity_id=attrs["activityId"],
            type_name=attrs["activityType"]["name"],
            type_version=attrs["activityType"]["version"],
            at=data["at"],
            id=data["id"],
            schedule_to_start=attrs["scheduleToStartTimeout"],
            schedule_to_close=attrs["scheduleToCloseTimeout"],
            start_to_close=attrs["startToCloseTimeout"],
            heartbeat=attrs["heartbeatTimeout"],
            event=(commit.number, data["index"]),
        )
    if event.type == "ActivityTaskStarted":
        return replace(state, started=(data["id"], data["at"]))
    if event.type == "ActivityTaskCancelRequested":
        return replace(state, cancel_requested=data["id"])
    return None


def _timer(_: str, __: Any, event: Event, ___: Commit, ____: Run | None) -> Any:
    if event.type != "TimerStarted":
        return None
    data, attrs = event.data, event.data["attrs"]
    return Timer(attrs["timerId"], data["id"], plus(data["at"], int(attrs["startToFireTimeout"])))


def _child(_: str, state: Any, event: Event, __: Commit, ___: Run | None) -> Any:
    data, attrs = event.data, event.data.get("attrs", {})
    if event.type == "StartChildWorkflowExecutionInitiated":
        of = attrs["workflowType"]
        return Child(
            attrs["workflowId"], of["name"], of["version"], data["id"], attrs["childPolicy"]
        )
    if event.type == "ChildWorkflowExecutionStarted":
        run_id = attrs["workflowExecution"]["runId"]
        return replace(state, run_id=run_id, started_id=data["id"])
    return None


def _lambda(_: str, state: Any, event: Event, commit: Commit, __: Run | None) -> Any:
    data, attrs = event.data, event.data.get("attrs", {})
    if event.type == "LambdaFunctionScheduled":
        timeout = attrs["startToCloseTimeout"]
        at = (commit.number, data["index"])
        return Lambda(attrs["id"], attrs["name"], data["id"], timeout, at)
    if event.type == "LambdaFunctionStarted":
        return replace(state, started=(data["id"], data["at"]))
    return None


def _reaction(thing: str, state: Any, event: Event, commit: Commit, _: Run | None) -> Any:
    """Asked for by one event, ended by another; tried again in between."""
    if event.type == "_ReactionRetried" and state is not None:
        return replace(state, due=event.data["due"], tries=state.tries + 1)
    if event.type not in ASKS:
        return None
    kind = thing.rsplit(".", 1)[1]
    due = plus(commit.at, RETRY_SECONDS)
    return Reaction(kind, (commit.number, event.data["index"]), due)


def _done(_: str, __: Any, event: Event, ___: Commit, ____: Run | None) -> Any:
    return Done(event.data.get("runId", ""), event.data["gen"])


def _closed(_: str, __: Any, event: Event, ___: Commit, head: Run | None) -> Any:
    if head is None:
        return None
    return ClosedRun(head.scope, head.domain, head.run_id, shown_at(event))


_THINGS: Mapping[str, Callable[[str, Any, Event, Commit, Run | None], Thing | None]] = {
    "decision": _decision,
    "a": _activity,
    "t": _timer,
    "c": _child,
    "l": _lambda,
    "r": _reaction,
    "m": _done,
    "closed": _closed,
}
