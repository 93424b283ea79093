"""What one execution must do to another: never twice, never forgotten (W19, W21, W24, W26, W27).

Each reaction dies at every call of the store; each is carried out by two processes at once, the
second one whole before every step of the first. The timekeeper does the rest.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.agreeing import agree
from tests.swf.dying import Dies, each_death
from tests.swf.service import (
    Answer,
    Service,
    child,
    complete,
    decision,
    register,
    runs,
    stream,
)
from workledger.errors import Refused
from workledger.service import projecting, sweeping
from workledger.stores.faults_plan import Crash, Interrupt
from workledger.swf.lambdas import Local

_names = count()


@dataclass
class Family:
    """An execution `p`, one of its own `q`, and up to two children, named apart from all others."""

    world: World
    number: int = field(default_factory=lambda: next(_names))
    invoked: list[Any] = field(default_factory=list[Any])

    def name(self, who: str) -> str:
        """A workflow id."""
        return f"{who}{self.number}"

    def line(self, who: str) -> str:
        """A task list."""
        return f"list-{self.name(who)}"

    def service(self, **faults: Any) -> Service:
        """A process; with faults, behind a store that fails."""
        functions = Local({"f": self._function})
        return Service(replace(self.world.process(**faults), functions=functions))

    def _function(self, asked: Any) -> str:
        self.invoked.append(asked)
        return "answer"

    def start(self, who: str, **params: Any) -> None:
        """Start an execution."""
        params = {"taskList": {"name": self.line(who)}, **params}
        self.service().start(self.name(who), **params)

    def decide(self, service: Service, who: str, *decisions: Answer) -> None:
        """Take a decision task of an execution, without faults, and answer it."""
        task = self.service().poll(self.line(who))
        service.answer(task, *decisions)

    def child(self, who: str, **attrs: Any) -> Answer:
        """A decision to start a child."""
        return child(self.name(who), taskList={"name": self.line(who)}, **attrs)

    def settle(self) -> None:
        """What the projector and the timekeeper do in time."""
        for _ in range(3):
            streams = [stream(self.name(who)) for who in "pqcd"]
            assert projecting.moved(self.world.process(), streams) == []
            sweeping.sweep(self.service().core)
            self.world.clock.tick(30)

    def happened(self, who: str, generation: int = -1) -> list[str]:
        """The types of the events of an execution, but for those of decision tasks."""
        every = list(runs(self.world.process(), self.name(who)))
        found = [event.type for event in every[generation]] if every else []
        return [kind for kind in found if not kind.startswith("DecisionTask")]

    def all_that_happened(self) -> list[list[str]]:
        """The same of all of them."""
        return [self.happened(who) for who in "pqcd"]

    def check(self) -> None:
        """What must hold of all of them, and nothing is left to be done."""
        core = self.world.process()
        agree(core, [self.name(who) for who in "pqcd"])
        left = [thing for who in "pqcd" for thing in core.store.things(stream(self.name(who)))]
        assert not [thing for thing in left if thing.startswith("r.")]


# --- what is done, and what must have come of it ------------------------------------------------


@dataclass(frozen=True)
class Case:
    """How it begins, what is then done by a process that may die, and what must be so at last."""

    begin: Callable[[Family], None]
    do: Callable[[Family, Service], None]
    then: Callable[[Family], None]


def parent(family: Family) -> None:
    """A parent with its first decision task."""
    family.start("p", lambdaRole="arn:aws:iam::123456789012:role/run")


def pair(family: Family) -> None:
    """Two executions that know nothing of each other."""
    parent(family)
    family.start("q")


def with_child(family: Family) -> None:
    """A parent with a child that has begun, and has heard of it."""
    parent(family)
    family.decide(family.service(), "p", family.child("c"))


def with_children(family: Family) -> None:
    """Two children, of which one has continued as new."""
    parent(family)
    family.decide(family.service(), "p", family.child("c"), family.child("d"))
    family.decide(family.service(), "d", decision("ContinueAsNewWorkflowExecution"))


def with_cancelled_children(family: Family) -> None:
    """The same; the parent's policy is to ask for a cancel."""
    family.start("p", childPolicy="REQUEST_CANCEL")
    family.decide(family.service(), "p", family.child("c"), family.child("d"))
    family.decide(family.service(), "d", decision("ContinueAsNewWorkflowExecution"))


def start_child(family: Family, service: Service) -> None:
    """The parent starts a child."""
    family.decide(service, "p", family.child("c"))


def child_is_there(family: Family) -> None:
    """One child, one start, and a decision task for the parent."""
    assert family.happened("c") == ["WorkflowExecutionStarted"]
    assert family.happened("p")[1:] == [
        "StartChildWorkflowExecutionInitiated",
        "ChildWorkflowExecutionStarted",
    ]


def start_taken_child(family: Family, service: Service) -> None:
    """The parent starts a child whose workflow id is taken."""
    family.decide(service, "p", child(family.name("q"), taskList={"name": "x"}))


def child_is_refused(family: Family) -> None:
    """WORKFLOW_ALREADY_RUNNING, and the stranger is left alone."""
    assert family.happened("q") == ["WorkflowExecutionStarted"]
    assert family.happened("p")[-1] == "StartChildWorkflowExecutionFailed"


def end_child(family: Family, service: Service) -> None:
    """The child completes."""
    family.decide(service, "c", complete("r" * 5_000))


def parent_knows(family: Family) -> None:
    """The parent was told once."""
    assert family.happened("p")[2:] == [
        "ChildWorkflowExecutionStarted",
        "ChildWorkflowExecutionCompleted",
    ]


def start_and_complete(family: Family, service: Service) -> None:
    """The parent starts a child and completes in the same breath."""
    family.decide(service, "p", family.child("c"), complete())


def child_goes_on(family: Family) -> None:
    """Completing asks nothing of children: it began and is open."""
    assert family.happened("c") == ["WorkflowExecutionStarted"]
    assert family.happened("p")[-1] == "WorkflowExecutionCompleted"


def signal_other(family: Family, service: Service) -> None:
    """A signal to another execution."""
    target = {"workflowId": family.name("q"), "signalName": "go", "input": "i" * 3_000}
    family.decide(service, "p", decision("SignalExternalWorkflowExecution", **target))


def signaled(family: Family) -> None:
    """It arrived once and that was told once."""
    assert family.happened("q") == ["WorkflowExecutionStarted", "WorkflowExecutionSignaled"]
    assert family.happened("p")[-1] == "ExternalWorkflowExecutionSignaled"


def signal_itself(family: Family, service: Service) -> None:
    """A signal to itself."""
    target = {"workflowId": family.name("p"), "signalName": "go"}
    family.decide(service, "p", decision("SignalExternalWorkflowExecution", **target))


def itself_signaled(family: Family) -> None:
    """Both in one history."""
    assert family.happened("p")[2:] == [
        "WorkflowExecutionSignaled",
        "ExternalWorkflowExecutionSignaled",
    ]


def signal_nobody(family: Family, service: Service) -> None:
    """A signal to an execution that is not there."""
    target = {"workflowId": family.name("q"), "signalName": "go"}
    family.decide(service, "p", decision("SignalExternalWorkflowExecution", **target))


def nobody_signaled(family: Family) -> None:
    """UNKNOWN_EXTERNAL_WORKFLOW_EXECUTION."""
    assert family.happened("p")[-1] == "SignalExternalWorkflowExecutionFailed"


def cancel_other(family: Family, service: Service) -> None:
    """A cancel request to another execution."""
    target = {"workflowId": family.name("q")}
    family.decide(service, "p", decision("RequestCancelExternalWorkflowExecution", **target))


def cancel_requested(family: Family) -> None:
    """It arrived once and that was told once."""
    assert family.happened("q")[1:] == ["WorkflowExecutionCancelRequested"]
    assert family.happened("p")[-1] == "ExternalWorkflowExecutionCancelRequested"


def terminate(family: Family, service: Service) -> None:
    """The parent is terminated."""
    with suppress(Refused):  # a process that died had done it
        service("TerminateWorkflowExecution", workflowId=family.name("p"))


def all_terminated(family: Family) -> None:
    """Each child is, whichever run it is at."""
    assert family.happened("c")[-1] == family.happened("d")[-1] == "WorkflowExecutionTerminated"


def all_asked_to_cancel(family: Family) -> None:
    """Each child was asked once, whichever run it is at."""
    for who in "cd":
        assert family.happened(who)[1:] == ["WorkflowExecutionCancelRequested"]


def invoke(family: Family, service: Service) -> None:
    """The parent schedules a Lambda function."""
    asked = {"id": "l", "name": "f", "input": '"x"', "startToCloseTimeout": "20"}
    family.decide(service, "p", decision("ScheduleLambdaFunction", **asked))


def invoked_at_most_once(family: Family) -> None:
    """It ended or timed out, and was never invoked twice."""
    assert len(family.invoked) <= 1
    assert family.happened("p")[1:3] == ["LambdaFunctionScheduled", "LambdaFunctionStarted"]
    assert family.happened("p")[3] in ("LambdaFunctionCompleted", "LambdaFunctionTimedOut")
    assert len(family.happened("p")) == 4
    if family.happened("p")[3] == "LambdaFunctionCompleted":
        assert family.invoked == ["x"]


def invoke_unknown(family: Family, service: Service) -> None:
    """A Lambda function that nobody knows here."""
    family.decide(service, "p", decision("ScheduleLambdaFunction", id="l", name="nobody"))


def not_invoked(family: Family) -> None:
    """Told at once, and never started."""
    assert family.happened("p")[2:] == ["StartLambdaFunctionFailed"]


CASES = {
    "child starts": Case(parent, start_child, child_is_there),
    "child is refused": Case(pair, start_taken_child, child_is_refused),
    "child ends": Case(with_child, end_child, parent_knows),
    "parent completes at once": Case(parent, start_and_complete, child_goes_on),
    "signal": Case(pair, signal_other, signaled),
    "signal to itself": Case(parent, signal_itself, itself_signaled),
    "signal to nobody": Case(parent, signal_nobody, nobody_signaled),
    "cancel": Case(pair, cancel_other, cancel_requested),
    "policy terminates": Case(with_children, terminate, all_terminated),
    "policy cancels": Case(with_cancelled_children, terminate, all_asked_to_cancel),
    "function": Case(parent, invoke, invoked_at_most_once),
    "unknown function": Case(parent, invoke_unknown, not_invoked),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    """One of the cases."""
    return CASES[request.param]


def test_w21_a_reaction_that_died_anywhere_is_made_up_for(world: World, case: Case) -> None:
    """The process dies before each of its store calls; what was not committed is asked again."""
    register(Service(world.process()))

    def attempt(dies: Dies) -> None:
        family = Family(world)
        case.begin(family)
        before = family.all_that_happened()
        with suppress(Crash):
            case.do(family, family.service(before_each_step=dies))
        family.settle()
        if family.all_that_happened() == before:  # it died before its first commit
            case.do(family, family.service())
            family.settle()
        case.then(family)
        family.check()

    assert each_death(attempt) > 8
    world.verify()


def test_w21_a_reaction_by_two_processes_at_once_happens_once(world: World, case: Case) -> None:
    """The timekeeper runs whole before each step of the process that does it at once."""
    register(Service(world.process()))
    nth = 1
    while True:
        family = Family(world)
        case.begin(family)
        other = family.service()

        def come_by(other: Service = other) -> None:
            world.clock.tick(2)
            sweeping.sweep(other.core)

        hook = Interrupt(nth, come_by)
        case.do(family, family.service(before_each_step=hook))
        family.settle()
        case.then(family)
        family.check()
        if not hook.ran:
            break
        nth += 1
    assert nth > 8
    world.verify()


def test_w21_two_timekeepers_at_once_carry_out_once(world: World, case: Case) -> None:
    """A process died right after its commit; two timekeepers find what it left."""
    register(Service(world.process()))
    nth = 1
    while True:
        family = Family(world)
        case.begin(family)
        death = DiesAfterCommit()
        with suppress(Crash):
            case.do(family, family.service(before_each_step=death))
        family.world.clock.tick(3)
        for who in "pqcd":
            world.process().executor.read(stream(family.name(who)))
        hook = Interrupt(nth, lambda family=family: sweeping.sweep(family.service().core))
        sweeping.sweep(family.service(before_each_step=hook).core)
        family.settle()
        case.then(family)
        family.check()
        if not hook.ran:
            break
        nth += 1
    assert nth > 15
    world.verify()


@dataclass
class DiesAfterCommit:
    """A hook by which the process dies when its first commit of an execution is placed."""

    committed: bool = False

    def __call__(self, step: str, args: tuple[Any, ...]) -> None:
        """See one step."""
        if self.committed and not step.startswith("append"):
            raise Crash("after the commit")
        if step == "append.head" and args[0].commit.stream.startswith("execution/"):
            self.committed = True
