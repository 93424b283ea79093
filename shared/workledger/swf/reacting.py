"""Reactions: what a run must do to other streams, tried at once and again until it is done.

Each is an event in the first stream that names the target, a row there that is due until there is
an outcome, and a command to the second whose id the target remembers: never twice, never forgotten.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.ledger.execute import Result
from workledger.service.core import Core
from workledger.swf import histories, lambdas
from workledger.swf.call import run
from workledger.times import plus
from workledger.workflows import commands, outcomes
from workledger.workflows.commands import Asking, External, Start, Target
from workledger.workflows.execution import (
    Child,
    Parent,
    Reaction,
    Run,
    child_thing,
    done_thing,
    lambda_thing,
)
from workledger.workflows.folding import ASKS, RETRY_SECONDS
from workledger.workflows.outcomes import Asked, ChildEnd

LONGEST_PAUSE_SECONDS = 300

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Job:
    """A reaction to be carried out: the run that asked, and the event that did."""

    core: Core
    stream: str
    run: Run
    thing: str
    event: Event
    asked: Asked

    @property
    def command(self) -> str:
        """The id that the target remembers."""
        return f"{self.stream}/{self.asked.run}/{self.asked.event_id}/{self.asked.kind}"

    def target(self, workflow_id: str) -> str:
        """The stream of another execution of the same domain."""
        return keys.execution_stream(self.run.scope, self.run.domain, workflow_id)

    def tell(self, decide: Callable[[Seen, Asking], list[Event]], *things: str) -> Result:
        """Carry out a command on the run that asked."""
        result = run(self.core, self.stream, "system", decide, (self.thing, *things))
        react_to(self.core, result)
        return result


def react_to(core: Core, result: Result) -> None:
    """Carry out at once what a commit asked for; what fails now is tried again by the clock."""
    for event in result.events:
        if result.commit is not None and event.type in ASKS:
            for thing in event.things:
                if thing.startswith("r."):
                    attempt(core, result.commit.stream, thing)


def attempt(core: Core, stream: str, thing: str) -> None:
    """Carry out a reaction if it is still to be; never raises a store's fault.

    One that invokes a function may be carried out elsewhere: it is looked after until it began.
    """
    if thing.rsplit(".", 1)[1] != "lambda":
        carry_out(core, stream, thing)
        return
    try:
        elsewhere = core.functions.begin(partial(carry_out, core, stream, thing), stream, thing)
    except StoreError as error:
        _log.warning("%s of %s could not be begun: %s", thing, stream, error)
        elsewhere = True
    if elsewhere:
        _later(core, stream, thing)


def carry_out(core: Core, stream: str, thing: str) -> None:
    """Carry out a reaction here and now."""
    try:
        _react(core, stream, thing)
    except StoreError:
        _later(core, stream, thing)


def _later(core: Core, stream: str, thing: str) -> None:
    try:
        seen = core.executor.read(stream, (thing,))
        state = seen.states.get(thing)
        if isinstance(state, Reaction):
            pause = min(RETRY_SECONDS << min(state.tries, 8), LONGEST_PAUSE_SECONDS)
            decide = partial(
                outcomes.retried,
                run=int(thing.split(".")[1]),
                thing=thing,
                due=plus(core.clock(), pause),
            )
            run(core, stream, "system", lambda seen, asking: decide(seen, asking=asking), (thing,))
    except StoreError:
        return


def _react(core: Core, stream: str, thing: str) -> None:
    _, generation, _, kind = thing.split(".")
    older = f"g{generation}"
    seen = core.executor.read(stream, (thing, older))
    state = seen.states.get(thing)
    if not isinstance(state, Reaction):
        return
    run_: Run = seen.states.get(older) or seen.head
    event, attrs = histories.event_at(core, stream, state.event)
    asked = Asked(int(generation), event.data["id"], kind, attrs)
    _KINDS[kind](_Job(core, stream, run_, thing, event, asked))


# --- signal and cancel another execution ---------------------------------------------------------


def _external(job: _Job) -> None:
    attrs = job.asked.attrs
    target = Target(attrs["workflowId"], attrs.get("runId"))
    source = External(job.run.workflow_id, job.run.run_id, job.asked.event_id)
    if job.asked.kind == "signal":
        decide = partial(
            commands.signal,
            target=target,
            name=attrs["signalName"],
            text=attrs.get("input"),
            external=source,
        )
    else:
        decide = partial(commands.request_cancel, target=target, external=source)
    run_id = _reach(job, target.workflow_id, lambda seen, asking: decide(seen, asking=asking))
    job.tell(lambda seen, asking: outcomes.external(seen, job.asked, run_id, asking))


def _reach(
    job: _Job, workflow_id: str, decide: Callable[[Seen, Asking], list[Event]]
) -> str | None:
    """Carry out a command on another execution; the run it reached, None if none was open."""
    memory = done_thing(job.command)
    try:
        result = run(
            job.core, job.target(workflow_id), "system", decide, (memory,), command=job.command
        )
    except Refused:
        return None
    react_to(job.core, result)
    return result.states[memory].run_id


# --- children -----------------------------------------------------------------------------------


def _child(job: _Job) -> None:
    """Start a child; its own values, none inherited (W11, W21)."""
    attrs, workflow_id = job.asked.attrs, job.asked.attrs["workflowId"]
    parent = {"workflowId": job.run.workflow_id, "runId": job.run.run_id}
    new = Start(
        scope=job.run.scope,
        domain=job.run.domain,
        workflow_id=workflow_id,
        run_id=job.core.new_id(),
        type_name=attrs["workflowType"]["name"],
        type_version=attrs["workflowType"]["version"],
        settings={**dict.fromkeys(("taskPriority", "lambdaRole")), **attrs},
        tags=tuple(attrs["tagList"]) if attrs.get("tagList") else None,
        input=attrs.get("input"),
        retention=job.run.retention,
        parent=parent,
        parent_initiated_id=job.asked.event_id,
    )
    run_id = _reach(job, workflow_id, lambda seen, asking: commands.start(seen, new, asking))
    child = child_thing(job.asked.run, workflow_id)
    if run_id is None:
        cause = "WORKFLOW_ALREADY_RUNNING"
        job.tell(
            lambda seen, asking: outcomes.child_not_started(seen, job.asked, cause, asking), child
        )
        return
    job.tell(lambda seen, asking: outcomes.child_started(seen, job.asked, run_id, asking), child)
    _after_the_end(job, workflow_id)


def _after_the_end(job: _Job, workflow_id: str) -> None:
    """A run that has ended before its child began: its child policy holds for that child too."""
    older = f"g{job.asked.run}"
    seen = job.core.executor.read(job.stream, (job.thing, older))
    ended: Run = seen.states.get(older) or seen.head
    if ended.closed and isinstance(seen.states.get(job.thing), Reaction):
        if ended.policy:
            _apply_policy(job, ended.policy, workflow_id, job.asked.event_id)
        _end(job)


_TELLS: Mapping[str, tuple[str, ...]] = {
    "Completed": ("result",),
    "Failed": ("reason", "details"),
    "TimedOut": (),
    "Canceled": ("details",),
    "Terminated": (),
}
"""How a child may end, and what its parent is told of it."""


def _parent(job: _Job) -> None:
    """Tell the parent how its child ended (W21)."""
    parent = job.run.parent
    if parent is None:
        return
    how = job.event.type.removeprefix("WorkflowExecution")
    attrs = job.asked.attrs
    end = ChildEnd(
        workflow_id=job.run.workflow_id,
        run_id=job.run.run_id,
        parent_run=int(parent.run_id.rpartition(".")[2]),
        initiated_id=parent.initiated_id,
        event=f"ChildWorkflowExecution{how}",
        attrs={"timeoutType": attrs["timeoutType"]} if how == "TimedOut" else {},
        payload={member: attrs.get(member) for member in _TELLS[how]},
    )
    result = run(
        job.core,
        job.target(parent.workflow_id),
        "system",
        lambda seen, asking: outcomes.child_closed(seen, end, asking),
        end.things(job.command),
        command=job.command,
    )
    react_to(job.core, result)
    _end(job)


def _policy(job: _Job) -> None:
    """Apply the child policy to every child that is open (W24)."""
    rows = job.core.store.things(job.stream)
    part = f"c.{job.asked.run}."
    for thing, row in rows.items():
        if thing.startswith(part):
            child: Child = job.core.executor.state(row)
            _apply_policy(job, job.event.data["policy"], child.workflow_id, child.initiated_id)
    _end(job)


def _apply_policy(job: _Job, policy: str, workflow_id: str, initiated_id: int) -> None:
    """Do it to one child; to one that has not begun it is done when it begins."""
    parent = Parent(job.run.workflow_id, job.run.run_id, initiated_id)
    command = f"{job.stream}/{job.asked.run}/{initiated_id}/policy"
    result = run(
        job.core,
        job.target(workflow_id),
        "system",
        lambda seen, asking: commands.apply_policy(seen, parent, policy, asking),
        (done_thing(command),),
        command=command,
    )
    react_to(job.core, result)


def _end(job: _Job) -> None:
    job.tell(lambda seen, asking: outcomes.done(seen, job.asked.run, job.thing, asking))


# --- Lambda functions ---------------------------------------------------------------------------


def _lambda(job: _Job) -> None:
    """Invoke a function and record how it ended (W27)."""
    thing = lambda_thing(job.asked.run, job.asked.attrs["id"])
    refusal = lambdas.refusal(job.core, job.run, job.asked.attrs)
    if refusal is not None:
        job.tell(
            lambda seen, asking: outcomes.lambda_not_started(
                seen, job.asked, "ASSUME_ROLE_FAILED", refusal, asking
            ),
            thing,
        )
        return
    told = job.tell(lambda seen, asking: outcomes.lambda_started(seen, job.asked, asking), thing)
    if "LambdaFunctionStarted" not in {event.type for event in told.events}:
        return
    ended = lambdas.invoke(job.core, job.run, job.asked.attrs)
    job.tell(
        lambda seen, asking: outcomes.lambda_closed(
            seen, job.asked, ended.event, ended.payload, asking
        ),
        thing,
    )


_KINDS: Mapping[str, Callable[[_Job], None]] = {
    "signal": _external,
    "cancel": _external,
    "child": _child,
    "parent": _parent,
    "policy": _policy,
    "lambda": _lambda,
}
