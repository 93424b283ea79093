"""What may be asked of an execution, from the API, from its workers, from other executions. Pure.

Refusals bear the service's fault names and messages (1.2).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.workflows.decisions import Batch, apply
from workledger.workflows.draft import Draft
from workledger.workflows.execution import (
    Activity,
    DecisionTask,
    Done,
    Parent,
    Run,
    activity_deadline,
    decision_deadline,
    decision_thing,
    done_thing,
    is_late,
    is_over,
    is_purged,
)
from workledger.workflows.settings import run_attributes


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, when, by which command."""

    now: str
    command: str
    actor: str

    def draft(self, seen: Seen) -> Draft:
        """A draft of this command's commit."""
        return Draft(seen, self.now, self.command, self.actor)


def unknown(workflow_id: str, run_id: str | None = None) -> Refused:
    """The fault for an execution that is not there, or not open."""
    if run_id is None:
        return Refused("UnknownResourceFault", f"Unknown execution, workflowId = {workflow_id}")
    return Refused(
        "UnknownResourceFault",
        f"Unknown execution: WorkflowExecution=[workflowId={workflow_id}, runId={run_id}]",
    )


def open_run(seen: Seen, workflow_id: str, run_id: str | None, now: str) -> Run:
    """The open run of a workflow id (and run id, if one is named). Raises UnknownResourceFault."""
    run: Run | None = seen.head
    if run is None or is_over(run, now) or run_id not in (None, "", run.run_id):
        raise unknown(workflow_id, run_id or None)
    return run


# --- start, signal, cancel, terminate -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Start:
    """A run to be started: effective settings, and for a child who its parent is.

    `run_id` is the fresh part of its id; the generation is added, so that a run is found by its id.
    """

    scope: str
    domain: str
    workflow_id: str
    run_id: str
    type_name: str
    type_version: str
    settings: Mapping[str, Any]
    tags: tuple[str, ...] | None = None
    input: str | None = None
    retention: str = "NONE"
    parent: Mapping[str, Any] | None = None
    parent_initiated_id: int = 0


def start(seen: Seen, new: Start, asking: Asking) -> list[Event]:
    """Start a run. Raises WorkflowExecutionAlreadyStartedFault while one is open (W13)."""
    old: Run | None = seen.head
    if _done(seen, asking):
        return []
    if old is not None and not old.closed:
        raise Refused("WorkflowExecutionAlreadyStartedFault", "Already Started")
    draft = asking.draft(seen)
    generation = old.generation + 1 if old else 1
    superseded = (f"g{old.generation}",) if old and not is_purged(old) else ()
    memory = (done_thing(asking.command),) if new.parent else ()
    draft.add(
        "WorkflowExecutionStarted",
        {
            **run_attributes(new.settings),
            "workflowType": {"name": new.type_name, "version": new.type_version},
            "tagList": list(new.tags) if new.tags else None,
            "parentInitiatedEventId": new.parent_initiated_id,
            "parentWorkflowExecution": new.parent,
        },
        *superseded,
        *memory,
        payload={"input": new.input},
        id=1,
        gen=generation,
        scope=new.scope,
        domain=new.domain,
        workflowId=new.workflow_id,
        runId=f"{new.run_id}.{generation}",
        retention=new.retention,
        ordered=True,
    )
    draft.schedule_decision()
    return draft.finish()


@dataclass(frozen=True, slots=True)
class External:
    """The execution that a signal or cancel request comes from, and its event that asked."""

    workflow_id: str
    run_id: str
    event_id: int

    def attributes(self) -> dict[str, Any]:
        """As the target's event shows it."""
        execution = {"workflowId": self.workflow_id, "runId": self.run_id}
        return {"externalWorkflowExecution": execution, "externalInitiatedEventId": self.event_id}


@dataclass(frozen=True, slots=True)
class Target:
    """An execution as it is named: the run id may be left out."""

    workflow_id: str
    run_id: str | None = None


def signal(
    seen: Seen,
    target: Target,
    name: str,
    text: str | None,
    asking: Asking,
    external: External | None = None,
) -> list[Event]:
    """Record a signal; a decision task follows (W19)."""
    if _done(seen, asking):
        return []
    open_run(seen, target.workflow_id, target.run_id, asking.now)
    draft = asking.draft(seen)
    source = external.attributes() if external else {"externalInitiatedEventId": 0}
    draft.add(
        "WorkflowExecutionSignaled",
        {"signalName": name, **source},
        *_memory(asking, external),
        payload={"input": text},
        runId=draft.run.run_id,
    )
    draft.schedule_decision()
    return draft.finish()


def request_cancel(
    seen: Seen,
    target: Target,
    asking: Asking,
    external: External | None = None,
    cause: str | None = None,
) -> list[Event]:
    """Record a cancel request; a decision task follows (W19)."""
    if _done(seen, asking):
        return []
    open_run(seen, target.workflow_id, target.run_id, asking.now)
    draft = asking.draft(seen)
    source = external.attributes() if external else {"externalInitiatedEventId": 0}
    draft.add(
        "WorkflowExecutionCancelRequested",
        {**source, "cause": cause},
        *_memory(asking, external or cause),
        runId=draft.run.run_id,
    )
    draft.schedule_decision()
    return draft.finish()


POLICY_APPLIED = "CHILD_POLICY_APPLIED"


@dataclass(frozen=True, slots=True)
class Termination:
    """Why a run is terminated."""

    cause: str
    reason: str | None = None
    details: str | None = None
    child_policy: str | None = None


def terminate(seen: Seen, target: Target, why: Termination, asking: Asking) -> list[Event]:
    """Close a run now; its children get the child policy (W24)."""
    if _done(seen, asking):
        return []
    run = open_run(seen, target.workflow_id, target.run_id, asking.now)
    draft = asking.draft(seen)
    policy = why.child_policy or run.config.child_policy
    draft.close(
        "WorkflowExecutionTerminated",
        {"childPolicy": policy, "cause": why.cause},
        payload={"reason": why.reason, "details": why.details},
        child_policy=policy,
    )
    return draft.finish()


def apply_policy(seen: Seen, parent: Parent, policy: str, asking: Asking) -> list[Event]:
    """Do to a run that has not closed what its parent's end asks for its children (W24).

    It is found by its parent: a child that continued as new is still that child.
    """
    run: Run | None = seen.head
    if run is None or is_over(run, asking.now) or run.parent != parent:
        return []
    target = Target(run.workflow_id, run.run_id)
    if policy == "TERMINATE":
        return terminate(seen, target, Termination(POLICY_APPLIED), asking)
    return request_cancel(seen, target, asking, cause=POLICY_APPLIED)


def _memory(asking: Asking, from_outside: object) -> tuple[str, ...]:
    """Another stream's request is remembered, so that its repeat does nothing."""
    return (done_thing(asking.command),) if from_outside else ()


def _done(seen: Seen, asking: Asking) -> bool:
    return isinstance(seen.states.get(done_thing(asking.command)), Done)


# --- decision tasks -----------------------------------------------------------------------------


def start_decision(
    seen: Seen, scheduled_id: int, identity: str | None, asking: Asking
) -> list[Event]:
    """Give a decision task to a decider. Raises Refused("gone") when it does not wait any more."""
    run: Run | None = seen.head
    if run is None or is_over(run, asking.now) or run.started or not run.scheduled:
        raise gone()
    thing = decision_thing(run.generation)
    task = seen.states.get(thing)
    if run.scheduled.id != scheduled_id or not isinstance(task, DecisionTask):
        raise gone()
    if is_late(task.due, asking.now):
        raise gone()
    draft = asking.draft(seen)
    attrs = {"identity": identity, "scheduledEventId": scheduled_id}
    draft.add("DecisionTaskStarted", attrs, thing)
    return draft.finish()


def gone() -> Refused:
    """The refusal for a task that does not wait any more: the poller takes the next one."""
    return Refused("gone", "the task does not wait any more")


@dataclass(frozen=True, slots=True)
class Token:
    """What a task token says: the task, and for an activity its thing."""

    run: int
    scheduled_id: int
    started_id: int
    thing: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A decider's answer besides its decisions."""

    context: str | None = None
    task_list: str | None = None
    schedule_to_start: str | None = None


def complete_decision(
    seen: Seen, token: Token, answer: Answer, batch: Batch, asking: Asking
) -> list[Event]:
    """Close a decision task and carry out the decisions. Raises UnknownResourceFault."""
    run = _run_of(seen, token, asking.now)
    late = is_late(decision_deadline(run), asking.now)
    if run.started is None or run.started.id != token.started_id or late:
        raise Refused(
            "UnknownResourceFault",
            f"Unknown decision task, scheduledEventId = {token.scheduled_id}",
        )
    draft = asking.draft(seen)
    completed = draft.add(
        "DecisionTaskCompleted",
        {
            "scheduledEventId": run.started.scheduled_id,
            "startedEventId": run.started.id,
            "taskList": {"name": answer.task_list} if answer.task_list else None,
            "taskListScheduleToStartTimeout": answer.schedule_to_start,
        },
        decision_thing(run.generation),
        payload={"executionContext": answer.context},
        context=answer.context is not None,
    )
    apply(draft, replace(batch, completed_id=completed))
    return draft.finish()


def _run_of(seen: Seen, token: Token, now: str) -> Run:
    run: Run | None = seen.head
    if run is None or is_over(run, now) or run.generation != token.run:
        workflow_id = run.workflow_id if run else ""
        raise unknown(workflow_id, _run_id(seen, token.run))
    return run


def _run_id(seen: Seen, generation: int) -> str:
    older: Run | None = seen.states.get(f"g{generation}")
    newest: Run | None = seen.head
    run = older or newest
    return run.run_id if run else ""


# --- activity tasks -----------------------------------------------------------------------------


def start_activity(
    seen: Seen, thing: str, scheduled_id: int, identity: str | None, asking: Asking
) -> list[Event]:
    """Give an activity task to a worker. Raises Refused("gone") when it does not wait any more."""
    run: Run | None = seen.head
    activity = seen.states.get(thing)
    if run is None or is_over(run, asking.now):
        raise gone()
    if not isinstance(activity, Activity) or activity.started:
        raise gone()
    if activity.id != scheduled_id or thing.split(".")[1] != str(run.generation):
        raise gone()
    if is_late(activity_deadline(activity)[0], asking.now):
        raise gone()
    draft = asking.draft(seen)
    attrs = {"identity": identity, "scheduledEventId": activity.id}
    draft.add("ActivityTaskStarted", attrs, thing)
    return draft.finish()


def open_activity(seen: Seen, token: Token, now: str, beaten: str | None = None) -> Activity:
    """The started activity of a token. Raises UnknownResourceFault (1.2), also once overdue."""
    _run_of(seen, token, now)
    activity = seen.states.get(token.thing)
    late = unknown_activity(token)
    if not isinstance(activity, Activity) or activity.id != token.scheduled_id:
        raise late
    if activity.started is None or activity.started[0] != token.started_id:
        raise late
    if is_late(activity_deadline(activity, beaten)[0], now):
        raise late
    return activity


def unknown_activity(token: Token) -> Refused:
    """The fault for an activity task that is not open, or not this one (1.2)."""
    return Refused(
        "UnknownResourceFault", f"Unknown activity, scheduledEventId = {token.scheduled_id}"
    )


def close_activity(
    seen: Seen,
    token: Token,
    event: str,
    payload: Mapping[str, str | None],
    beaten: str | None,
    asking: Asking,
) -> list[Event]:
    """A worker's answer (`event`: ActivityTaskCompleted, ...); a decision task follows."""
    activity = open_activity(seen, token, asking.now, beaten)
    draft = asking.draft(seen)
    cancel = activity.cancel_requested or None
    draft.add(
        event,
        {
            "scheduledEventId": activity.id,
            "startedEventId": token.started_id,
            "latestCancelRequestedEventId": cancel if event == "ActivityTaskCanceled" else None,
        },
        token.thing,
        payload=payload,
    )
    draft.schedule_decision()
    return draft.finish()


def drop_tasks(seen: Seen, things: Collection[str], asking: Asking) -> list[Event]:
    """Take tasks of closed runs off their lists: nobody will work them any more."""
    run: Run | None = seen.head
    if run is None:
        return []
    dead = [
        thing
        for thing in things
        if seen.states.get(thing) is not None
        and (run.closed or thing.split(".")[1] != str(run.generation))
    ]
    if not dead:
        return []
    draft = asking.draft(seen)
    draft.note("_TasksDropped", run.generation, *dead)
    return draft.finish()


def purge(seen: Seen, upto: int, kept_from: int | None, asking: Asking) -> list[Event]:
    """Mark the runs up to one as gone, before they are removed (W31).

    `kept_from` is the first commit of the run after them; None when there is none.
    """
    run: Run | None = seen.head
    if run is None or run.purged[0] >= upto or (run.generation <= upto and not run.closed):
        return []
    if run.generation > upto and kept_from is None:  # begun just now: the next purge knows it
        return []
    first = kept_from if run.generation > upto else seen.number + 1
    draft = asking.draft(seen)
    draft.note("_Purged", upto, scope=run.scope, domain=run.domain, **{"from": first})
    return draft.finish()
