"""Parents and children that begin and end past each other (W21, W24, W26)."""

from contextlib import suppress

import pytest

from tests.races.world import Once, World
from tests.swf.agreeing import agree
from tests.swf.service import (
    Service,
    attributes,
    check,
    child,
    complete,
    decision,
    serving,
    stream,
    told,
)
from workledger.errors import Refused
from workledger.service import sweeping
from workledger.stores.faults_plan import Crash

AGAIN = decision("ContinueAsNewWorkflowExecution")
ON_KIDS = decision("ContinueAsNewWorkflowExecution", taskList={"name": "kids"})


def crash() -> None:
    """The process dies."""
    raise Crash("here")


def begun_unheard(world: World, service: Service, **attrs: str) -> None:
    """A parent `p` whose process died when its child `c` had begun, before it could be told."""
    service.start("p")
    task = service.poll()
    begun: list[str] = []

    def die_when_told(step: str, args: tuple[object, ...]) -> None:
        if begun and step == "append" and args[0].commit.stream == stream("p"):  # type: ignore[attr-defined]
            raise Crash("before the parent was told")
        if step == "append" and args[0].commit.stream == stream("c"):  # type: ignore[attr-defined]
            begun.append(step)

    with suppress(Crash):
        Service(world.process(before_each_step=die_when_told)).answer(task, child("c", **attrs))
    assert begun
    assert told(service.history("p"))[-1] == "StartChildWorkflowExecutionInitiated"


def initiated_unbegun(world: World, service: Service) -> None:
    """A parent `p` whose process died before its child `c` began."""
    service.start("p")
    task = service.poll()
    with suppress(Crash):
        core = world.process(before_each_step=Once("append", stream("c"), crash))
        Service(core).answer(task, child("c"))
    assert service.head("c") is None


def later(world: World, service: Service) -> None:
    """The timekeeper comes by."""
    world.clock.tick(3)
    sweeping.sweep(service.core)


def test_w21_a_child_that_ends_before_its_start_was_told_tells_both(world: World) -> None:
    """First ChildWorkflowExecutionStarted, then its end, whose startedEventId is right."""
    service = serving(world)
    begun_unheard(world, service)
    service.decide(complete("early"), task_list="kids")
    events = service.history("p")[5:]
    assert told(events) == [
        "ChildWorkflowExecutionStarted",
        "ChildWorkflowExecutionCompleted",
        "DecisionTaskScheduled",
    ]
    assert attributes(events[1])["startedEventId"] == events[0]["eventId"]
    assert attributes(events[1])["result"] == "early"
    later(world, service)
    assert told(service.history("p")[5:]) == told(events)
    agree(service.core, ["p", "c"])
    check(world, "p", "c")


def test_w21_a_child_whose_start_was_not_told_is_not_started_again(world: World) -> None:
    """The timekeeper finds that it has begun."""
    service = serving(world)
    begun_unheard(world, service)
    later(world, service)
    assert told(service.history("p")[5:]) == [
        "ChildWorkflowExecutionStarted",
        "DecisionTaskScheduled",
    ]
    assert service.head("c").generation == 1
    agree(service.core, ["p", "c"])


def test_w21_a_child_that_ended_is_not_started_again_for_a_parent_that_has_ended(
    world: World,
) -> None:
    """Neither knew of the other's end."""
    service = serving(world)
    begun_unheard(world, service, childPolicy="ABANDON")
    service("TerminateWorkflowExecution", workflowId="p", childPolicy="ABANDON")
    service.decide(complete(), task_list="kids")
    service.start("p")
    later(world, service)
    assert service.head("c").generation == 1
    assert told(service.history("p")) == ["WorkflowExecutionStarted", "DecisionTaskScheduled"]
    assert not [one for one in world.store.things(stream("p")) if one.startswith("r.")]
    agree(service.core, ["p", "c"])
    check(world, "p", "c")


@pytest.mark.parametrize("policy", ["TERMINATE", "REQUEST_CANCEL", "ABANDON"])
@pytest.mark.parametrize("when", ["unbegun", "unheard", "known", "continued"])
@pytest.mark.row("1.7 child policies")
def test_w24_the_policy_reaches_a_child_wherever_it_is(
    world: World, policy: str, when: str
) -> None:
    """Terminate's own childPolicy counts; a child that begins afterwards gets it too."""
    service = serving(world)
    if when == "unbegun":
        initiated_unbegun(world, service)
    elif when == "unheard":
        begun_unheard(world, service)
    else:
        service.start("p")
        service.decide(child("c"))
    if when == "continued":
        service.decide(ON_KIDS, task_list="kids")
        service.decide(ON_KIDS, task_list="kids")
    service("TerminateWorkflowExecution", workflowId="p", childPolicy=policy)
    later(world, service)
    found = service.history("c")
    expected = {
        "TERMINATE": ["WorkflowExecutionTerminated"],
        "REQUEST_CANCEL": ["WorkflowExecutionCancelRequested"],
        "ABANDON": [],
    }[policy]
    assert told(found)[2:] == expected
    if expected:
        assert attributes(found[-1])["cause"] == "CHILD_POLICY_APPLIED"
    agree(service.core, ["p", "c"])
    check(world, "p", "c")


@pytest.mark.parametrize("end", ["CompleteWorkflowExecution", "CancelWorkflowExecution"])
@pytest.mark.row("1.7 child policies")
def test_w24_the_policy_is_for_termination_and_timeouts_only(world: World, end: str) -> None:
    """A parent that completes, fails or is cancelled leaves its children alone."""
    service = serving(world)
    service.start("p")
    service.decide(child("c"), decision(end))
    service.start("q")
    service.decide(child("d"))
    service.decide(decision(end))
    later(world, service)
    assert [service.head(one).closed for one in "cd"] == [None, None]


@pytest.mark.row("1.7 child policies")
def test_w24_the_policy_of_a_timeout_is_the_executions_own(world: World) -> None:
    """Whoever sees the time-out; grandchildren too, by their parent's policy."""
    service = serving(world)
    service.start("p", executionStartToCloseTimeout="50", childPolicy="TERMINATE")
    service.decide(child("c"))
    service.decide(child("g", taskList={"name": "grand"}), task_list="kids")
    world.clock.tick(50)
    service.describe("p")
    assert [told(service.history(one))[-1] for one in "pcg"] == [
        "WorkflowExecutionTimedOut",
        "WorkflowExecutionTerminated",
        "WorkflowExecutionTerminated",
    ]
    agree(service.core, ["p", "c", "g"])


def test_w24_a_stranger_with_the_childs_workflow_id_is_left_alone(world: World) -> None:
    """The child has ended, unheard; somebody else runs under its id when the parent is terminated."""
    service = serving(world)
    initiated_unbegun(world, service)
    service.start("c")
    service("TerminateWorkflowExecution", workflowId="p")
    later(world, service)
    assert service.head("c").closed is None
    assert service.head("c").parent is None
    agree(service.core, ["p", "c"])


@pytest.mark.row("1.7 a child that continues as new")
def test_w26_a_child_that_continues_as_new_stays_the_child(world: World) -> None:
    """Its parent hears of the last run only, once."""
    service = serving(world)
    service.start("p")
    service.decide(child("c"))
    parent = service.head("c").parent
    for _ in range(2):
        service.decide(ON_KIDS, task_list="kids")
        assert service.head("c").parent == parent
        started = attributes(service.history("c")[0])
        assert started["parentInitiatedEventId"] == 5
        assert started["parentWorkflowExecution"]["workflowId"] == "p"
    assert told(service.history("p"))[5:] == [
        "ChildWorkflowExecutionStarted",
        "DecisionTaskScheduled",
    ]
    last = service.head("c").run_id
    service.decide(decision("FailWorkflowExecution", reason="why"), task_list="kids")
    failed = attributes(service.history("p")[-1])
    assert failed["workflowExecution"] == {"workflowId": "c", "runId": last}
    assert (failed["initiatedEventId"], failed["startedEventId"], failed["reason"]) == (5, 6, "why")
    agree(service.core, ["p", "c"])


def test_w21_a_parents_next_run_hears_nothing_of_the_last_ones_children(world: World) -> None:
    """A child of a run that has closed ends: the run after it is not told."""
    service = serving(world)
    service.start("p")
    service.decide(child("c"))
    service.decide(AGAIN)
    service.decide(complete(), task_list="kids")
    assert told(service.history("p")) == ["WorkflowExecutionStarted", "DecisionTaskScheduled"]
    agree(service.core, ["p", "c"])
    check(world, "p", "c")


def test_w21_a_child_may_be_started_again_once_it_has_ended(world: World) -> None:
    """The same workflow id, two children one after the other, each with its own ids."""
    service = serving(world)
    service.start("p")
    service.decide(child("c"))
    service.decide(complete("one"), task_list="kids")
    service.decide(child("c"), child("c"))
    service.decide(complete("two"), task_list="kids")
    causes = [attributes(one).get("cause") for one in service.history("p")]
    assert [one for one in causes if one] == ["WORKFLOW_ALREADY_RUNNING"]
    ended = [one for one in service.history("p") if "ExecutionCompleted" in one["eventType"]]
    assert [attributes(one)["result"] for one in ended] == ["one", "two"]
    agree(service.core, ["p", "c"])
    with pytest.raises(Refused):
        service.signal("c")
