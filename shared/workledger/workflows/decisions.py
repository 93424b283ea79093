"""The thirteen decisions and what each leaves in the history (1.3). Pure.

A decision that cannot be carried out is an event that says why; it never spoils the others of its
batch. Several failures give one new decision task (1.6).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workledger.workflows.draft import Draft
from workledger.workflows.execution import (
    NONE,
    Activity,
    Child,
    Timer,
    activity_thing,
    child_thing,
    lambda_thing,
    reaction_thing,
    timer_thing,
)
from workledger.workflows.settings import (
    ACTIVITY_DEFAULTS,
    RUN_DEFAULTS,
    TypeInfo,
    activity_settings,
    missing,
    run_attributes,
    run_settings,
)

MOST_OPEN = 1_000
"""Open activities, timers, children or Lambda functions of one run (1.10)."""

Attrs = Mapping[str, Any]
TypeKey = tuple[str, str, str]
"""(kind, name, version)."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a decider answered, with all that must be looked up or drawn for it.

    `types` has every type that a decision names; `run_id` is that of the run which a
    continue-as-new would start; `completed_id` is the event of this answer. `full`: the domain has
    as many open executions as it may.
    """

    decisions: Sequence[Mapping[str, Any]]
    types: Mapping[TypeKey, TypeInfo]
    run_id: str
    completed_id: int
    retention: str = NONE
    full: bool = False


def things_of(run: int, decisions: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The things whose state the decisions depend on."""
    named = [_thing_of(run, decision) for decision in decisions]
    return tuple(dict.fromkeys(thing for thing in named if thing is not None))


def _thing_of(run: int, decision: Mapping[str, Any]) -> str | None:
    kind, attrs = decision["decisionType"], attributes(decision)
    match kind:
        case "ScheduleActivityTask" | "RequestCancelActivityTask":
            return activity_thing(run, attrs["activityId"])
        case "StartTimer" | "CancelTimer":
            return timer_thing(run, attrs["timerId"])
        case "StartChildWorkflowExecution":
            return child_thing(run, attrs["workflowId"])
        case "ScheduleLambdaFunction":
            return lambda_thing(run, attrs["id"])
        case _:
            return None


def attributes(decision: Mapping[str, Any]) -> Attrs:
    """The attributes of a decision."""
    kind: str = decision["decisionType"]
    return decision.get(f"{kind[0].lower()}{kind[1:]}DecisionAttributes") or {}


def apply(draft: Draft, batch: Batch) -> None:
    """Carry out a batch in order; one new decision task if anything in it asks for one."""
    wants_decision = False
    for decision in batch.decisions:
        if _DECISIONS[decision["decisionType"]](draft, attributes(decision), batch):
            wants_decision = True
    if wants_decision:
        draft.schedule_decision()


# --- activities ---------------------------------------------------------------------------------


def _schedule_activity(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    of = attrs["activityType"]
    thing = activity_thing(draft.run.generation, attrs["activityId"])
    info = batch.types.get(("activity", of["name"], of["version"]))
    settings = activity_settings(attrs, info)
    cause = _type_cause(info, "ACTIVITY_TYPE")
    if cause is None and isinstance(draft.states.get(thing), Activity):
        cause = "ACTIVITY_ID_ALREADY_IN_USE"
    if cause is None and draft.run.activities >= MOST_OPEN:
        cause = "OPEN_ACTIVITIES_LIMIT_EXCEEDED"
    cause = cause or missing(settings, ACTIVITY_DEFAULTS)
    if cause is not None:
        failed = {"activityType": of, "activityId": attrs["activityId"], "cause": cause}
        return _failed(draft, "ScheduleActivityTaskFailed", failed, batch)
    draft.add(
        "ActivityTaskScheduled",
        {
            "activityType": of,
            "activityId": attrs["activityId"],
            **settings,
            "decisionTaskCompletedEventId": batch.completed_id,
        },
        thing,
        payload={"input": attrs.get("input"), "control": attrs.get("control")},
    )
    return False


def _cancel_activity(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    thing = activity_thing(draft.run.generation, attrs["activityId"])
    activity = draft.states.get(thing)
    if not isinstance(activity, Activity):
        failed = {"activityId": attrs["activityId"], "cause": "ACTIVITY_ID_UNKNOWN"}
        return _failed(draft, "RequestCancelActivityTaskFailed", failed, batch)
    requested = draft.add(
        "ActivityTaskCancelRequested",
        {
            "decisionTaskCompletedEventId": batch.completed_id,
            "activityId": attrs["activityId"],
        },
        thing,
    )
    if activity.started:
        return False
    draft.add(
        "ActivityTaskCanceled",
        {
            "scheduledEventId": activity.id,
            "startedEventId": 0,
            "latestCancelRequestedEventId": requested,
        },
        thing,
    )
    return True


# --- closing decisions --------------------------------------------------------------------------


def _closing(event: str, failed: str, *members: str) -> "Handler":
    def handle(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
        if draft.run.scheduled:
            return _failed(draft, failed, {"cause": "UNHANDLED_DECISION"}, batch)
        payload = {member: attrs.get(member) for member in members}
        draft.close(event, {"decisionTaskCompletedEventId": batch.completed_id}, payload=payload)
        return False

    return handle


def _continue_as_new(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    run = draft.run
    version = attrs.get("workflowTypeVersion", run.type_version)
    info = batch.types.get(("workflow", run.type_name, version))
    settings = run_settings(attrs, info)
    cause = "UNHANDLED_DECISION" if run.scheduled else _type_cause(info, "WORKFLOW_TYPE")
    cause = cause or missing(settings, RUN_DEFAULTS)
    if cause is not None:
        failed = {"cause": cause}
        return _failed(draft, "ContinueAsNewWorkflowExecutionFailed", failed, batch)
    tags = attrs.get("tagList")
    of = {"name": run.type_name, "version": version}
    shown = {**run_attributes(settings), "workflowType": of, "tagList": tags}
    payload = {"input": attrs.get("input")}
    draft.close(
        "WorkflowExecutionContinuedAsNew",
        {
            **shown,
            "decisionTaskCompletedEventId": batch.completed_id,
            "newExecutionRunId": batch.run_id,
        },
        payload=payload,
    )
    parent = run.parent
    draft.add(
        "WorkflowExecutionStarted",
        {
            **shown,
            "continuedExecutionRunId": run.run_id,
            "parentInitiatedEventId": parent.initiated_id if parent else 0,
            "parentWorkflowExecution": {"workflowId": parent.workflow_id, "runId": parent.run_id}
            if parent
            else None,
        },
        f"g{run.generation}",
        payload=payload,
        id=1,
        gen=run.generation + 1,
        scope=run.scope,
        domain=run.domain,
        workflowId=run.workflow_id,
        runId=batch.run_id,
        retention=batch.retention,
        ordered=True,
    )
    return True


# --- markers and timers -------------------------------------------------------------------------


def _record_marker(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    draft.add(
        "MarkerRecorded",
        {
            "markerName": attrs["markerName"],
            "decisionTaskCompletedEventId": batch.completed_id,
        },
        payload={"details": attrs.get("details")},
    )
    return False


def _start_timer(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    thing = timer_thing(draft.run.generation, attrs["timerId"])
    cause = None
    if isinstance(draft.states.get(thing), Timer):
        cause = "TIMER_ID_ALREADY_IN_USE"
    elif draft.run.timers >= MOST_OPEN:
        cause = "OPEN_TIMERS_LIMIT_EXCEEDED"
    if cause is not None:
        failed = {"timerId": attrs["timerId"], "cause": cause}
        return _failed(draft, "StartTimerFailed", failed, batch)
    draft.add(
        "TimerStarted",
        {
            "timerId": attrs["timerId"],
            "startToFireTimeout": attrs["startToFireTimeout"],
            "decisionTaskCompletedEventId": batch.completed_id,
        },
        thing,
        payload={"control": attrs.get("control")},
    )
    return False


def _cancel_timer(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    thing = timer_thing(draft.run.generation, attrs["timerId"])
    timer = draft.states.get(thing)
    if not isinstance(timer, Timer):
        failed = {"timerId": attrs["timerId"], "cause": "TIMER_ID_UNKNOWN"}
        return _failed(draft, "CancelTimerFailed", failed, batch)
    draft.add(
        "TimerCanceled",
        {
            "timerId": timer.timer_id,
            "startedEventId": timer.id,
            "decisionTaskCompletedEventId": batch.completed_id,
        },
        thing,
    )
    return False


# --- other executions ---------------------------------------------------------------------------


def _initiate(event: str, kind: str, *members: str) -> "Handler":
    """Ask something of another execution: a reaction carries it there."""

    def handle(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
        run = draft.run
        draft.add(
            event,
            {
                "workflowId": attrs["workflowId"],
                "runId": attrs.get("runId"),
                "signalName": attrs.get("signalName"),
                "decisionTaskCompletedEventId": batch.completed_id,
            },
            reaction_thing(run.generation, run.next_id, kind),
            payload={member: attrs.get(member) for member in members},
        )
        return False

    return handle


def _start_child(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    run, of = draft.run, attrs["workflowType"]
    thing = child_thing(run.generation, attrs["workflowId"])
    info = batch.types.get(("workflow", of["name"], of["version"]))
    settings = run_settings(attrs, info)
    cause = _type_cause(info, "WORKFLOW_TYPE")
    if cause is None and run.children >= MOST_OPEN:
        cause = "OPEN_CHILDREN_LIMIT_EXCEEDED"
    if cause is None and batch.full:
        cause = "OPEN_WORKFLOWS_LIMIT_EXCEEDED"
    if cause is None and isinstance(draft.states.get(thing), Child):
        cause = "WORKFLOW_ALREADY_RUNNING"
    cause = cause or missing(settings, RUN_DEFAULTS)
    if cause is not None:
        failed = {
            "workflowType": of,
            "cause": cause,
            "workflowId": attrs["workflowId"],
            "initiatedEventId": 0,
        }
        payload = {"control": attrs.get("control")}
        return _failed(draft, "StartChildWorkflowExecutionFailed", failed, batch, payload)
    draft.add(
        "StartChildWorkflowExecutionInitiated",
        {
            "workflowId": attrs["workflowId"],
            "workflowType": of,
            **run_attributes(settings),
            "tagList": attrs.get("tagList"),
            "decisionTaskCompletedEventId": batch.completed_id,
        },
        thing,
        reaction_thing(run.generation, run.next_id, "child"),
        payload={"input": attrs.get("input"), "control": attrs.get("control")},
    )
    return False


def _schedule_lambda(draft: Draft, attrs: Attrs, batch: Batch) -> bool:
    run = draft.run
    thing = lambda_thing(run.generation, attrs["id"])
    cause = None
    if draft.states.get(thing) is not None:
        cause = "ID_ALREADY_IN_USE"
    elif run.lambdas >= MOST_OPEN:
        cause = "OPEN_LAMBDA_FUNCTIONS_LIMIT_EXCEEDED"
    if cause is not None:
        failed = {"id": attrs["id"], "name": attrs["name"], "cause": cause}
        return _failed(draft, "ScheduleLambdaFunctionFailed", failed, batch)
    draft.add(
        "LambdaFunctionScheduled",
        {
            "id": attrs["id"],
            "name": attrs["name"],
            "startToCloseTimeout": attrs.get("startToCloseTimeout", "900"),
            "decisionTaskCompletedEventId": batch.completed_id,
        },
        thing,
        reaction_thing(run.generation, run.next_id, "lambda"),
        payload={"input": attrs.get("input"), "control": attrs.get("control")},
    )
    return False


# --- what the decisions share -------------------------------------------------------------------

Handler = Callable[[Draft, Attrs, Batch], bool]
"""Carries out one decision; answers whether it asks for a new decision task."""


def _failed(
    draft: Draft,
    event: str,
    attrs: Attrs,
    batch: Batch,
    payload: Mapping[str, str | None] | None = None,
) -> bool:
    completed = {"decisionTaskCompletedEventId": batch.completed_id}
    draft.add(event, {**attrs, **completed}, payload=payload)
    return True


def _type_cause(info: TypeInfo | None, kind: str) -> str | None:
    if info is None:
        return f"{kind}_DOES_NOT_EXIST"
    return f"{kind}_DEPRECATED" if info.deprecated else None


_DECISIONS: Mapping[str, Handler] = {
    "ScheduleActivityTask": _schedule_activity,
    "RequestCancelActivityTask": _cancel_activity,
    "CompleteWorkflowExecution": _closing(
        "WorkflowExecutionCompleted", "CompleteWorkflowExecutionFailed", "result"
    ),
    "FailWorkflowExecution": _closing(
        "WorkflowExecutionFailed", "FailWorkflowExecutionFailed", "reason", "details"
    ),
    "CancelWorkflowExecution": _closing(
        "WorkflowExecutionCanceled", "CancelWorkflowExecutionFailed", "details"
    ),
    "ContinueAsNewWorkflowExecution": _continue_as_new,
    "RecordMarker": _record_marker,
    "StartTimer": _start_timer,
    "CancelTimer": _cancel_timer,
    "SignalExternalWorkflowExecution": _initiate(
        "SignalExternalWorkflowExecutionInitiated", "signal", "input", "control"
    ),
    "RequestCancelExternalWorkflowExecution": _initiate(
        "RequestCancelExternalWorkflowExecutionInitiated", "cancel", "control"
    ),
    "StartChildWorkflowExecution": _start_child,
    "ScheduleLambdaFunction": _schedule_lambda,
}

CLOSING = (
    "CompleteWorkflowExecution",
    "FailWorkflowExecution",
    "CancelWorkflowExecution",
    "ContinueAsNewWorkflowExecution",
)
"""Decisions that must be the last of their batch."""
