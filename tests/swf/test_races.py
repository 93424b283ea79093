"""Two commands on one execution at once: the second runs whole before any step of the first.

What both answered and what can be seen afterwards must be what one of the two orders, one command
after the other, would have given (W3, W4, W8, W13 to W17, W19, W20).
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from tests.races.world import World
from tests.races.world import world as make_world
from tests.swf.service import (
    Answer,
    Service,
    check_counts,
    check_history,
    complete,
    decision,
    register,
    runs,
    schedule,
    stream,
    timer,
)
from workledger.errors import Refused
from workledger.service import projecting, sweeping
from workledger.stores.faults_plan import Interrupt

SHARE = 1 if os.environ.get("THOROUGH") else 4
"""One of so many points is tried: each pair has its turn at another one."""

_names = count()


@dataclass
class Stage:
    """One execution with task lists of its own, and who holds what of it."""

    world: World
    number: int = field(default_factory=lambda: next(_names))
    decision: Answer = field(default_factory=dict[str, Any])
    activity: Answer = field(default_factory=dict[str, Any])

    @property
    def id(self) -> str:
        """The workflow id."""
        return f"w{self.number}"

    @property
    def main(self) -> str:
        """The list of its decision tasks."""
        return f"main{self.number}"

    @property
    def work(self) -> dict[str, Any]:
        """The list of its activity tasks, as a decision names it."""
        return {"taskList": {"name": f"work{self.number}"}}

    def service(self, **faults: Any) -> Service:
        """A process."""
        return Service(self.world.process(**faults))

    def decide(self, *decisions: Answer) -> None:
        """Take a decision task and answer it."""
        self.service().decide(*decisions, task_list=self.main)

    def seen(self) -> Any:
        """Everything that an observer can tell, without moments."""
        service = self.service()
        assert projecting.moved(service.core, [stream(self.id)]) == []
        found: list[Any] = []
        for events in runs(service.core, self.id):
            check_history(events)
            found.append([(one.type, self._told(one.data["attrs"])) for one in events])
        run = service.head(self.id)
        if run is not None:
            check_counts(run, list(runs(service.core, self.id))[-1])
        pending = [
            service("CountPendingDecisionTasks", taskList={"name": self.main})["count"],
            service("CountPendingActivityTasks", **self.work)["count"],
        ]
        return found, pending, bool(run and run.started), bool(run and run.closed)

    def _told(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """Attributes without what differs from stage to stage."""
        kept = {name: value for name, value in attrs.items() if not name.endswith("RunId")}
        if "taskList" in kept:
            kept["taskList"] = kept["taskList"]["name"].removesuffix(f"{self.number}")
        return kept


# --- the states it can be in --------------------------------------------------------------------


def absent(stage: Stage) -> None:
    """Never started."""


def fresh(stage: Stage) -> None:
    """Its first decision task waits."""
    stage.service().start(stage.id, taskList={"name": stage.main})


def deciding(stage: Stage) -> None:
    """A decider works; nothing else is open."""
    fresh(stage)
    stage.decision = stage.service().poll(stage.main)


def waiting(stage: Stage) -> None:
    """A decider works; an activity and a timer are open, and nobody works on the activity."""
    fresh(stage)
    stage.decide(schedule("a", **stage.work), timer("t", "1000"))
    stage.service().signal(stage.id)
    stage.decision = stage.service().poll(stage.main)


def working(stage: Stage) -> None:
    """A worker works; no decision task."""
    fresh(stage)
    stage.decide(schedule("a", heartbeatTimeout="500", **stage.work))
    stage.activity = stage.service().take(f"work{stage.number}")


def both(stage: Stage) -> None:
    """A worker and a decider work."""
    working(stage)
    stage.service().signal(stage.id)
    stage.decision = stage.service().poll(stage.main)


def late(stage: Stage) -> None:
    """A decider and a worker work whose time is just over, and a timer is due."""
    fresh(stage)
    stage.decide(schedule("a", startToCloseTimeout="60", **stage.work), timer("t", "60"))
    stage.activity = stage.service().take(f"work{stage.number}")
    stage.service().signal(stage.id)
    stage.decision = stage.service().poll(stage.main)
    stage.world.clock.tick(60)


def over(stage: Stage) -> None:
    """The execution's time is just over."""
    stage.service().start(
        stage.id, taskList={"name": stage.main}, executionStartToCloseTimeout="50"
    )
    stage.decide(schedule("a", **stage.work))
    stage.service().signal(stage.id)
    stage.decision = stage.service().poll(stage.main)
    stage.world.clock.tick(50)


def closed(stage: Stage) -> None:
    """Completed, with an activity left that somebody works on and one that nobody does."""
    fresh(stage)
    stage.decide(schedule("a", **stage.work), schedule("b", **stage.work))
    stage.activity = stage.service().take(f"work{stage.number}")
    stage.service().signal(stage.id)
    stage.decide(complete())


# --- what can be asked of it --------------------------------------------------------------------


def start(service: Service, stage: Stage) -> Any:
    """Start the workflow id."""
    return service.start(stage.id, taskList={"name": stage.main})[-2:]


def poll(service: Service, stage: Stage) -> Any:
    """Poll for a decision task."""
    task = service.poll(stage.main)
    return task["startedEventId"], [one["eventType"] for one in task.get("events", [])]


def take(service: Service, stage: Stage) -> Any:
    """Poll for an activity task."""
    task = service.take(f"work{stage.number}")
    return task["startedEventId"], task.get("activityId")


def decide_nothing(service: Service, stage: Stage) -> Any:
    """Answer the decision task with nothing."""
    service.answer(stage.decision)


def decide_end(service: Service, stage: Stage) -> Any:
    """Complete the execution."""
    service.answer(stage.decision, complete())


def decide_again(service: Service, stage: Stage) -> Any:
    """Continue as new."""
    again = {"taskList": {"name": stage.main}}
    service.answer(stage.decision, decision("ContinueAsNewWorkflowExecution", **again))


def decide_much(service: Service, stage: Stage) -> Any:
    """Reuse or cancel what is open."""
    service.answer(
        stage.decision,
        schedule("a", **stage.work),
        decision("RequestCancelActivityTask", activityId="a"),
        decision("CancelTimer", timerId="t"),
        schedule("b", **stage.work),
    )


def finish(service: Service, stage: Stage) -> Any:
    """The worker is done."""
    service("RespondActivityTaskCompleted", taskToken=stage.activity["taskToken"], result="r")


def fail(service: Service, stage: Stage) -> Any:
    """The worker has failed."""
    service("RespondActivityTaskFailed", taskToken=stage.activity["taskToken"], reason="r")


def beat(service: Service, stage: Stage) -> Any:
    """The worker is alive."""
    return service.beat(stage.activity)


def signal(service: Service, stage: Stage) -> Any:
    """Signal the execution."""
    service.signal(stage.id)


def cancel(service: Service, stage: Stage) -> Any:
    """Request a cancel."""
    service("RequestCancelWorkflowExecution", workflowId=stage.id)


def terminate(service: Service, stage: Stage) -> Any:
    """Terminate the execution."""
    service("TerminateWorkflowExecution", workflowId=stage.id)


def sweep(service: Service, stage: Stage) -> Any:
    """The timekeeper comes by."""
    sweeping.sweep(service.core)


def look(service: Service, stage: Stage) -> Any:
    """Somebody looks."""
    service.describe(stage.id)


Ask = Callable[[Service, Stage], Any]
Begin = Callable[[Stage], None]

OUTSIDE: Sequence[Ask] = (signal, cancel, terminate)
DECIDER: Sequence[Ask] = (decide_nothing, decide_end, decide_again, decide_much)

ASKED: Mapping[Begin, Sequence[Ask]] = {
    absent: (start, signal, poll),
    fresh: (poll, start, *OUTSIDE),
    deciding: (*DECIDER, *OUTSIDE, poll, start),
    waiting: (*DECIDER, *OUTSIDE, take, poll),
    working: (finish, fail, beat, take, *OUTSIDE, poll),
    both: (*DECIDER, finish, fail, beat, signal, terminate, poll, take),
    late: (sweep, look, decide_end, decide_much, finish, beat, poll, *OUTSIDE, take),
    over: (sweep, look, decide_end, take, poll, *OUTSIDE, start),
    closed: (start, take, finish, signal, poll, sweep),
}
"""In which state what is asked."""


def answer(ask: Ask, service: Service, stage: Stage) -> Any:
    """The answer, or the fault."""
    try:
        return ask(service, stage)
    except Refused as refused:
        return refused.code


def in_turn(world: World, begin: Begin, *asked: Ask) -> tuple[list[Any], Any]:
    """The answers of commands one after the other, and what can be seen then."""
    stage = Stage(world)
    begin(stage)
    answers = [answer(one, stage.service(), stage) for one in asked]
    sweeping.sweep(stage.service().core)
    return answers, stage.seen()


def legal(world: World, begin: Begin, first: Ask, second: Ask) -> list[Any]:
    """The outcomes of the two orders: (first's answer, second's answer, what can be seen)."""
    (one, two), seen = in_turn(world, begin, first, second)
    outcomes = [(one, two, seen)]
    (two, one), seen = in_turn(world, begin, second, first)
    return [*outcomes, (one, two, seen)]


def pairs() -> Iterator[Any]:
    """State, first command, second command."""
    for begin, asked in ASKED.items():
        for first in asked:
            yield pytest.param(begin, first, id=f"{begin.__name__}-{first.__name__}")


def race(world: World, begin: Begin, first: Ask, second: Ask, nth: int) -> tuple[bool, Any]:
    """The second command runs whole before the nth step of the first; whether it came to that."""
    stage = Stage(world)
    begin(stage)
    meanwhile: list[Any] = []
    other = stage.service()
    hook = Interrupt(nth, lambda: meanwhile.append(answer(second, other, stage)))
    mine = answer(first, stage.service(before_each_step=hook), stage)
    sweeping.sweep(stage.service().core)
    return hook.ran, (mine, *meanwhile, stage.seen())


def try_all(world: World, begin: Begin, first: Ask, share: int) -> None:
    """Each second command at one of `share` steps, beginning with another one each time."""
    for offset, second in enumerate(ASKED[begin]):
        outcomes = legal(world, begin, first, second)
        for nth in range(1 + offset % share, 100, share):
            ran, outcome = race(world, begin, first, second, nth)
            if not ran:
                break
            assert outcome in outcomes, (second.__name__, nth)


@pytest.mark.parametrize(("begin", "first"), list(pairs()))
def test_w3_two_commands_at_once_are_one_of_the_two_orders(begin: Begin, first: Ask) -> None:
    """At every step of the first."""
    with make_world("sqlite") as world:
        register(Service(world.process()), defaultTaskStartToCloseTimeout="NONE")
        try_all(world, begin, first, SHARE)
        world.verify()


@pytest.mark.parametrize("begin", [waiting, both, late], ids=lambda one: one.__name__)
def test_w3_two_commands_at_once_on_dynamodb(begin: Begin) -> None:
    """A few points on the production store."""
    with make_world("dynamodb") as world:
        register(Service(world.process()))
        first, *_, second = ASKED[begin]
        outcomes = legal(world, begin, first, second)
        for nth in range(1, 100, 4):
            ran, outcome = race(world, begin, first, second, nth)
            if not ran:
                break
            assert outcome in outcomes, nth
        world.verify()
