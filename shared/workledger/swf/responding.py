"""What deciders and workers answer (W4 to W6, W14, W15, W20, W29)."""

from collections.abc import Mapping
from typing import Any

from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.service.core import Core
from workledger.swf import limits, reacting, timing, tokens, types
from workledger.swf.call import Answer, Call, glance, run
from workledger.times import plus
from workledger.workflows import commands, decisions
from workledger.workflows.commands import Answer as Decided
from workledger.workflows.commands import Asking, Token
from workledger.workflows.decisions import Batch, TypeKey
from workledger.workflows.execution import NONE, Activity, Run, decision_thing
from workledger.workflows.settings import TypeInfo
from workledger.workflows.type import Named

FAR_SECONDS = 366 * 86_400
"""A heartbeat of an activity that need not send any is kept this long: longer than a run lasts."""


def respond_decision_task_completed(call: Call) -> None:
    """Close a decision task and carry out its decisions, each or none (W5, W6)."""
    params, core = call.params, call.core
    stream, token = tokens.task_of(params["taskToken"])
    timing.settle(core, stream)
    head = _head(call, stream)
    batch_of: list[Mapping[str, Any]] = params.get("decisions") or []
    known = _types(core, head, batch_of)
    run_id = core.new_id()
    things = (decision_thing(token.run), *decisions.things_of(token.run, batch_of))
    answer = Decided(
        params.get("executionContext"),
        params["taskList"]["name"] if params.get("taskList") else None,
        params.get("taskListScheduleToStartTimeout"),
    )

    full = _too_many_children(core, head, batch_of)

    def decide(seen: Seen, asking: Asking) -> list[Event]:
        newest: Run = seen.head
        next_run = f"{run_id}.{newest.generation + 1}"
        batch = Batch(batch_of, known, next_run, 0, newest.retention, full)
        return commands.complete_decision(seen, token, answer, batch, asking)

    result = run(core, stream, call.actor, decide, things)
    reacting.react_to(core, result)
    timing.settle(core, stream)


def _head(call: Call, stream: str) -> Run:
    head: Run | None = glance(call.core, stream).head
    if head is None or head.scope != call.scope:
        raise tokens.invalid()
    return head


def _too_many_children(core: Core, head: Run, batch: list[Mapping[str, Any]]) -> bool:
    """Whether the domain has no room for the children that a batch would start (1.10)."""
    children = sum(one["decisionType"] == "StartChildWorkflowExecution" for one in batch)
    return children > 0 and limits.is_full(core, head.scope, head.domain, children)


def _types(core: Core, head: Run, batch: list[Mapping[str, Any]]) -> dict[TypeKey, TypeInfo]:
    """Every type that the decisions name."""
    wanted = {named for decision in batch if (named := _named(head, decision)) is not None}
    looked_up = [(named, types.lookup(core, head.scope, head.domain, named)) for named in wanted]
    return {
        (named.kind, named.name, named.version): info
        for named, info in looked_up
        if info is not None
    }


def _named(head: Run, decision: Mapping[str, Any]) -> Named | None:
    attrs = decisions.attributes(decision)
    match decision["decisionType"]:
        case "ScheduleActivityTask":
            return Named("activity", **attrs["activityType"])
        case "StartChildWorkflowExecution":
            return Named("workflow", **attrs["workflowType"])
        case "ContinueAsNewWorkflowExecution":
            return Named(
                "workflow", head.type_name, attrs.get("workflowTypeVersion", head.type_version)
            )
        case _:
            return None


def respond_activity_task_completed(call: Call) -> None:
    """A worker's result."""
    _close(call, "ActivityTaskCompleted", "result")


def respond_activity_task_failed(call: Call) -> None:
    """A worker's failure."""
    _close(call, "ActivityTaskFailed", "reason", "details")


def respond_activity_task_canceled(call: Call) -> None:
    """A worker confirms that it stopped (W20)."""
    _close(call, "ActivityTaskCanceled", "details")


def _close(call: Call, event: str, *members: str) -> None:
    stream, token = _activity_token(call)
    timing.settle(call.core, stream)
    beaten = _beaten(call.core, stream, token)
    payload = {member: call.params.get(member) for member in members}

    def decide(seen: Seen, asking: Asking) -> list[Event]:
        return commands.close_activity(seen, token, event, payload, beaten, asking)

    result = run(call.core, stream, call.actor, decide, (token.thing, f"g{token.run}"))
    reacting.react_to(call.core, result)


def _activity_token(call: Call) -> tuple[str, Token]:
    stream, token = tokens.task_of(call.params["taskToken"])
    if not token.thing:
        raise tokens.invalid()
    _head(call, stream)
    return stream, token


def _beaten(core: Core, stream: str, token: Token) -> str | None:
    beat = timing.last_beat(core, stream, token.thing, token.scheduled_id)
    return beat.at if beat else None


def _open_activity(core: Core, stream: str, token: Token, now: str) -> Activity:
    """The started activity of a token; a refusal is given only after a settled look."""
    things, beaten = (token.thing, f"g{token.run}"), _beaten(core, stream, token)
    try:
        return commands.open_activity(glance(core, stream, things), token, now, beaten)
    except Refused:
        return commands.open_activity(core.executor.read(stream, things), token, now, beaten)


def record_activity_task_heartbeat(call: Call) -> Answer:
    """A sign of life: the heartbeat's clock starts anew; answers whether to stop (1.7)."""
    core = call.core
    stream, token = _activity_token(call)
    timing.settle(core, stream)
    now = core.clock()
    activity = _open_activity(core, stream, token, now)
    seconds = FAR_SECONDS if activity.heartbeat == NONE else int(activity.heartbeat)
    details = {"at": now, "details": call.params.get("details")}
    key = timing.beat_key(stream, token.thing, activity.id)
    if not core.store.beat(key, plus(now, seconds), now, details):
        raise commands.unknown_activity(token)
    return {"cancelRequested": activity.cancel_requested > 0}
