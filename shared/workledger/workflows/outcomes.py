"""What comes back to a run from what it asked of others: the outcomes of its reactions. Pure.

Each ends the reaction's row. A run that has closed meanwhile hears no more: then only the row is
ended, by an event that no history shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.workflows.commands import Asking
from workledger.workflows.draft import Draft
from workledger.workflows.execution import (
    Child,
    Done,
    Lambda,
    Reaction,
    Run,
    child_thing,
    done_thing,
    is_late,
    is_over,
    lambda_deadline,
    lambda_thing,
    reaction_thing,
)

EXTERNAL: Mapping[str, tuple[str, str]] = {
    "signal": ("ExternalWorkflowExecutionSignaled", "SignalExternalWorkflowExecutionFailed"),
    "cancel": (
        "ExternalWorkflowExecutionCancelRequested",
        "RequestCancelExternalWorkflowExecutionFailed",
    ),
}
"""Kind of reaction -> the event of its success and of its failure."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The event that asked: which run's, its id, its attributes (with its payload's members)."""

    run: int
    event_id: int
    kind: str
    attrs: Mapping[str, Any]

    @property
    def thing(self) -> str:
        """The reaction's row."""
        return reaction_thing(self.run, self.event_id, self.kind)


def external(seen: Seen, asked: Asked, run_id: str | None, asking: Asking) -> list[Event]:
    """A signal or cancel request arrived (`run_id` of the target) or had no open target (None)."""
    if not _pending(seen, asked.thing):
        return []
    draft = asking.draft(seen)
    if not _hears(draft, asked.run):
        return _end(draft, asked)
    arrived, failed = EXTERNAL[asked.kind]
    workflow_id = asked.attrs["workflowId"]
    if run_id is not None:
        execution = {"workflowId": workflow_id, "runId": run_id}
        attrs = {"workflowExecution": execution, "initiatedEventId": asked.event_id}
        draft.add(arrived, attrs, asked.thing)
    else:
        attrs = {
            "workflowId": workflow_id,
            "runId": asked.attrs.get("runId"),
            "cause": "UNKNOWN_EXTERNAL_WORKFLOW_EXECUTION",
            "initiatedEventId": asked.event_id,
            "decisionTaskCompletedEventId": asked.attrs["decisionTaskCompletedEventId"],
        }
        draft.add(failed, attrs, asked.thing, payload={"control": asked.attrs.get("control")})
    draft.schedule_decision()
    return draft.finish()


def child_started(seen: Seen, asked: Asked, run_id: str, asking: Asking) -> list[Event]:
    """A child was started; nothing if the run has closed, for its child policy comes first."""
    draft = asking.draft(seen)
    if not _pending(seen, asked.thing) or not _hears(draft, asked.run):
        return []
    _add_started(draft, asked.run, asked.attrs["workflowId"], run_id)
    draft.schedule_decision()
    return draft.finish()


def _add_started(draft: Draft, run: int, workflow_id: str, run_id: str) -> None:
    thing = child_thing(run, workflow_id)
    child: Child = draft.states[thing]
    draft.add(
        "ChildWorkflowExecutionStarted",
        {
            "workflowExecution": {"workflowId": workflow_id, "runId": run_id},
            "workflowType": {"name": child.type_name, "version": child.type_version},
            "initiatedEventId": child.initiated_id,
        },
        thing,
        reaction_thing(run, child.initiated_id, "child"),
    )


def child_not_started(seen: Seen, asked: Asked, cause: str, asking: Asking) -> list[Event]:
    """A child could not be started."""
    if not _pending(seen, asked.thing):
        return []
    draft = asking.draft(seen)
    if not _hears(draft, asked.run):
        return _end(draft, asked)
    draft.add(
        "StartChildWorkflowExecutionFailed",
        {
            "workflowId": asked.attrs["workflowId"],
            "workflowType": asked.attrs["workflowType"],
            "cause": cause,
            "initiatedEventId": asked.event_id,
            "decisionTaskCompletedEventId": asked.attrs["decisionTaskCompletedEventId"],
        },
        child_thing(asked.run, asked.attrs["workflowId"]),
        asked.thing,
        payload={"control": asked.attrs.get("control")},
    )
    draft.schedule_decision()
    return draft.finish()


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended: its ids, the event for its parent, and what that event tells."""

    workflow_id: str
    run_id: str
    parent_run: int
    initiated_id: int
    event: str
    attrs: Mapping[str, Any]
    payload: Mapping[str, str | None]

    def things(self, command: str) -> tuple[str, ...]:
        """The things of the parent that this depends on."""
        return (
            child_thing(self.parent_run, self.workflow_id),
            reaction_thing(self.parent_run, self.initiated_id, "child"),
            done_thing(command),
        )


def child_closed(seen: Seen, end: ChildEnd, asking: Asking) -> list[Event]:
    """A child has closed: its parent is told, unless it has closed too or was told before.

    A child may close before its parent has heard of its start: then that is told first. A parent
    that hears no more has nothing to start or end there either.
    """
    thing, reaction, memory = end.things(asking.command)
    child = seen.states.get(thing)
    run: Run | None = seen.head
    if run is None or isinstance(seen.states.get(memory), Done):
        return []
    draft = asking.draft(seen)
    if not _hears(draft, end.parent_run):
        return done(seen, end.parent_run, reaction, asking)
    if not isinstance(child, Child) or child.initiated_id != end.initiated_id:
        return []
    if child.run_id is None and isinstance(seen.states.get(reaction), Reaction):
        _add_started(draft, end.parent_run, end.workflow_id, end.run_id)
    child = draft.states[thing]
    draft.add(
        end.event,
        {
            "workflowExecution": {"workflowId": end.workflow_id, "runId": end.run_id},
            "workflowType": {"name": child.type_name, "version": child.type_version},
            "initiatedEventId": child.initiated_id,
            "startedEventId": child.started_id,
            **end.attrs,
        },
        thing,
        memory,
        payload=end.payload,
    )
    draft.schedule_decision()
    return draft.finish()


def lambda_started(seen: Seen, asked: Asked, asking: Asking) -> list[Event]:
    """A Lambda function is about to be invoked, by whoever wrote this: nobody else will.

    That ends the reaction; should the invoker die, there is the function's time-out.
    """
    if not _pending(seen, asked.thing):
        return []
    thing = lambda_thing(asked.run, asked.attrs["id"])
    state: Lambda = seen.states[thing]
    draft = asking.draft(seen)
    if not _hears(draft, asked.run):
        return _end(draft, asked)
    draft.add("LambdaFunctionStarted", {"scheduledEventId": state.id}, thing, asked.thing)
    return draft.finish()


def lambda_not_started(
    seen: Seen, asked: Asked, cause: str, text: str, asking: Asking
) -> list[Event]:
    """A Lambda function cannot be invoked."""
    if not _pending(seen, asked.thing):
        return []
    draft = asking.draft(seen)
    if not _hears(draft, asked.run):
        return _end(draft, asked)
    attrs = {"scheduledEventId": asked.event_id, "cause": cause, "message": text}
    thing = lambda_thing(asked.run, asked.attrs["id"])
    draft.add("StartLambdaFunctionFailed", attrs, thing, asked.thing)
    draft.schedule_decision()
    return draft.finish()


def lambda_closed(
    seen: Seen, asked: Asked, event: str, payload: Mapping[str, str | None], asking: Asking
) -> list[Event]:
    """A Lambda function ended (`event`: LambdaFunctionCompleted, ...Failed), unless too late."""
    thing = lambda_thing(asked.run, asked.attrs["id"])
    state = seen.states.get(thing)
    draft = asking.draft(seen)
    if not isinstance(state, Lambda) or state.id != asked.event_id or state.started is None:
        return []
    if not _hears(draft, asked.run) or is_late(lambda_deadline(state), asking.now):
        return []
    attrs = {"scheduledEventId": state.id, "startedEventId": state.started[0]}
    draft.add(event, attrs, thing, payload=payload)
    draft.schedule_decision()
    return draft.finish()


def done(seen: Seen, run: int, thing: str, asking: Asking) -> list[Event]:
    """A reaction without an event of its own is carried out: end its row."""
    if not _pending(seen, thing):
        return []
    draft = asking.draft(seen)
    draft.note("_ReactionDone", run, thing)
    return draft.finish()


def retried(seen: Seen, run: int, thing: str, due: str, asking: Asking) -> list[Event]:
    """A reaction could not be carried out now: try again later."""
    if not _pending(seen, thing):
        return []
    draft = asking.draft(seen)
    draft.note("_ReactionRetried", run, thing, due=due)
    return draft.finish()


def _pending(seen: Seen, thing: str) -> bool:
    return isinstance(seen.states.get(thing), Reaction)


def _hears(draft: Draft, run: int) -> bool:
    return draft.run.generation == run and not is_over(draft.run, draft.now)


def _end(draft: Draft, asked: Asked) -> list[Event]:
    draft.note("_ReactionDone", asked.run, asked.thing)
    return draft.finish()
