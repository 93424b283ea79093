"""Retention: what has closed leaves lists, history and store after the domain's days (W31)."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.dying import Dies, each_death
from tests.swf.service import (
    Service,
    child,
    complete,
    decision,
    register,
    schedule,
    serving,
    stream,
    timer,
    told,
)
from workledger.errors import Refused
from workledger.keys import kind as kind_of
from workledger.service import projecting, rebuilding, sweeping
from workledger.stores.faults_plan import Crash, Interrupt
from workledger.swf import purging
from workledger.times import plus

DAY, HOUR = 86_400, 3_600

_names = count()


def purge(world: World, **faults: Any) -> int:
    """A purge that has all the time it needs."""
    return purging.purge(world.process(**faults), plus(world.clock.now, 600))


@dataclass
class Life:
    """A run of a workflow id of its own, with something of everything in it."""

    world: World
    name: str = field(default_factory=lambda: f"w{next(_names)}")

    def service(self) -> Service:
        """A process."""
        return Service(self.world.process())

    @property
    def main(self) -> str:
        """The list of its decision tasks."""
        return f"main-{self.name}"

    def live(self) -> str:
        """Start a run, fill it, close it; answers its run id."""
        service, lists = self.service(), {"taskList": {"name": f"work-{self.name}"}}
        run_id = service.start(self.name, taskList={"name": self.main}, input="i" * 5_000)
        service.decide(
            schedule("a", heartbeatTimeout="100", input="x" * 3_000, **lists),
            schedule("b", **lists),
            timer("t", "1000"),
            decision("SignalExternalWorkflowExecution", workflowId=self.name, signalName="s"),
            task_list=self.main,
        )
        task = service.take(f"work-{self.name}")
        service.beat(task, "alive")
        service("RespondActivityTaskCompleted", taskToken=task["taskToken"], result="r" * 3_000)
        service.decide(complete("done" * 1_000), task_list=self.main)
        return run_id

    def commits(self) -> list[int]:
        """The numbers of the commits that there are."""
        return [one.number for one in self.world.store.commits(stream(self.name))]

    def names(self) -> list[str]:
        """The names of its rows and tombstones."""
        return sorted(self.world.store.names_of(stream(self.name)))

    def is_gone(self) -> None:
        """One marker commit and one row are all that is left."""
        assert len(self.commits()) == 1
        assert self.names() == ["head"]


def chunks(world: World) -> int:
    """How many long payloads there are."""
    return sum(kind_of(one.stream) == "chunk" for one in world.store.all_commits())


def is_known(service: Service, name: str, run_id: str) -> bool:
    """Whether a run can be described, read and listed; all of it or nothing."""
    execution = {"workflowId": name, "runId": run_id}
    found: list[bool] = []
    for operation in ("DescribeWorkflowExecution", "GetWorkflowExecutionHistory"):
        try:
            service(operation, execution=execution)
        except Refused as refused:
            found.append(refused.code != "UnknownResourceFault")
        else:
            found.append(True)
    for times in ("startTimeFilter", "closeTimeFilter"):
        listed = service(
            "ListClosedWorkflowExecutions",
            **{times: {"oldestDate": 0}},
            executionFilter={"workflowId": name},
        )["executionInfos"]
        found.append(run_id in [one["execution"]["runId"] for one in listed])
    assert len(set(found)) == 1, found
    return found[0]


# --- what can be seen ---------------------------------------------------------------------------


@stores
def test_w31_a_closed_run_is_kept_for_its_domains_days(world: World) -> None:
    """To the millisecond, whether a purge came or not; then it leaves the store too."""
    service = serving(world, retention="2")
    life = Life(world)
    run_id = life.live()
    world.clock.tick(2 * DAY - 0.001)
    assert purge(world) == 0
    assert is_known(service, life.name, run_id)
    world.clock.tick(0.001)
    assert not is_known(service, life.name, run_id)
    assert purge(world) == 0
    world.clock.tick(HOUR)
    before = [(stream(life.name), number) for number in life.commits()]
    assert len(before) > 8
    assert not projecting.is_purge(service.core, before[:1])
    assert purge(world) == 1
    assert projecting.is_purge(service.core, before)
    life.is_gone()
    (marker,) = life.commits()
    assert not projecting.is_purge(service.core, [(stream(life.name), marker)])
    assert chunks(world) == 0
    assert not is_known(service, life.name, run_id)
    world.verify()
    assert purge(world) == 0


@pytest.mark.parametrize("days", ["0", "NONE"])
@pytest.mark.row("1.10 retention")
def test_w31_without_retention_a_run_is_gone_when_it_closes(world: World, days: str) -> None:
    """ "0" and NONE: deleted at close."""
    service = serving(world, retention=days)
    life = Life(world)
    run_id = life.live()
    assert not is_known(service, life.name, run_id)
    world.clock.tick(HOUR)
    assert purge(world) == 1
    life.is_gone()
    world.verify()


@stores
def test_w31_a_workflow_id_goes_on_after_a_purge(world: World) -> None:
    """Its next run has a number of its own; old tokens and run ids mean nothing."""
    service = serving(world, retention="0")
    life = Life(world)
    first = life.live()
    old = service.take(f"work-{life.name}")
    assert old == {"startedEventId": 0}
    world.clock.tick(HOUR)
    purge(world)
    second = life.live()
    assert (first[-2:], second[-2:]) == (".1", ".2")
    world.verify()
    world.clock.tick(HOUR)
    assert purge(world) == 1
    life.is_gone()
    third = service.start(life.name, taskList={"name": life.main})
    assert is_open(service, life.name)
    assert third.endswith(".3")
    world.verify()


def is_open(service: Service, name: str) -> bool:
    """Whether the newest run is open."""
    return service.describe(name)["executionInfo"]["executionStatus"] == "OPEN"


@stores
def test_w31_a_run_that_goes_on_is_kept_and_those_before_it_go(world: World) -> None:
    """Continued as new twice: the two that have closed are purged, the third works on."""
    service = serving(world, retention="1")
    limit = {"executionStartToCloseTimeout": "999999"}
    again = decision("ContinueAsNewWorkflowExecution", input="n" * 2_000, **limit)
    service.start("w", **limit)
    runs = [service.head("w").run_id]
    for _ in range(2):
        service.decide(schedule("a", heartbeatTimeout="9999"), child("c"), again)
        runs.append(service.head("w").run_id)
        world.clock.tick(HOUR)
    service.decide(schedule("a"), schedule("b"))
    world.clock.tick(DAY)
    assert purge(world) == 1
    assert world.store.commits(stream("w"), limit=1)[0].number == service.head("w").first
    assert not [one for one in world.store.names_of(stream("w")) if ".1" in one or ".2." in one]
    assert told(service.history("w"))[:2] == ["WorkflowExecutionStarted", "DecisionTaskScheduled"]
    assert not is_known(service, "w", runs[0])
    assert not is_known(service, "w", runs[1])
    service.work()
    service.decide(complete())
    assert is_known(service, "w", runs[2])
    world.verify()
    world.clock.tick(DAY + HOUR)
    assert purge(world) >= 1
    assert world.store.names_of(stream("w")) == ["head"]
    world.verify()


def test_w31_only_what_is_old_enough_goes(world: World) -> None:
    """Two runs that closed a day apart: the older one is purged, the younger one is kept."""
    service = serving(world, retention="3")
    life = Life(world)
    first = life.live()
    world.clock.tick(DAY)
    second = life.live()
    world.clock.tick(2 * DAY + HOUR)
    assert purge(world) == 1
    assert not is_known(service, life.name, first)
    assert is_known(service, life.name, second)
    assert len(told(service.history(life.name, second))) > 10
    world.verify()


def test_w31_open_runs_are_never_purged(world: World) -> None:
    """However old they are."""
    service = serving(world, retention="0")
    service.start("w", executionStartToCloseTimeout="31536000")
    service.decide(schedule("a"))
    world.clock.tick(300 * DAY)
    assert purge(world) == 0
    service.work()
    assert is_open(service, "w")


def test_w31_a_run_with_something_to_do_waits_until_it_is_done(world: World) -> None:
    """A parent that was never told of its child's end: first that, then the purge."""
    service = serving(world, retention="0")
    service.start("p")
    service.decide(child("c"))

    def dies(step: str, args: tuple[Any, ...]) -> None:
        if step == "append" and args[0].commit.stream == stream("p"):
            raise Crash("before the parent is told")

    task = service.poll("kids")
    with suppress(Crash):
        Service(world.process(before_each_step=dies)).answer(task, complete())
    world.clock.tick(HOUR)
    assert purge(world) == 0
    sweeping.sweep(service.core)
    assert told(service.history("p"))[-1] == "ChildWorkflowExecutionCompleted"
    assert purge(world) == 1
    assert world.store.names_of(stream("c")) == ["head"]
    world.verify()


def test_w31_a_purge_stops_when_its_time_is_over_and_goes_on_later(world: World) -> None:
    """What it did not reach is met again."""
    serving(world, retention="0")
    lives = [Life(world) for _ in range(3)]
    for life in lives:
        life.live()
    world.clock.tick(HOUR)
    assert purging.purge(world.process(), world.clock.now) == 0
    assert purge(world) == 3
    for life in lives:
        life.is_gone()


def test_w31_regions_and_domains_are_purged_alike(world: World) -> None:
    """Every domain of every account, deprecated ones too."""
    service = serving(world, retention="0")
    service.start("w")
    service.decide(complete())
    service("DeprecateDomain", name="orders")
    world.clock.tick(HOUR)
    assert purge(world) == 1


# --- faults -------------------------------------------------------------------------------------


def twice(life: Life) -> None:
    """Two closed runs: all of it goes."""
    life.live()
    life.live()


def and_open(life: Life) -> None:
    """Two closed runs, and one that is open: that one stays."""
    life.live()
    life.live()
    service = life.service()
    service.start(life.name, taskList={"name": life.main})
    service.decide(schedule("z"), task_list=life.main)


def twice_and_open_after_a_purge(life: Life) -> None:
    """The same, after an earlier purge."""
    life.live()
    life.world.clock.tick(HOUR)
    purge(life.world)
    and_open(life)


SHAPES: list[Callable[[Life], None]] = [twice, and_open, twice_and_open_after_a_purge]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("rebuilt", [False, True], ids=["", "rebuilt"])
def test_w31_a_purge_that_died_anywhere_is_made_up_for_by_the_next(
    world: World, shape: Callable[[Life], None], rebuilt: bool
) -> None:
    """Before each of its calls; also if the views were rebuilt from what it had left."""
    register(Service(world.process()), retention="0")

    def attempt(dies: Dies) -> None:
        life = Life(world)
        shape(life)
        world.clock.tick(HOUR)
        with suppress(Crash):
            purge(world, before_each_step=dies)
        if rebuilt:
            rebuilding.rebuild(world.process())
        purge(world)
        if shape is twice:
            life.is_gone()
        else:
            is_kept(life)
        assert rebuilding.check(world.process()) == []

    assert each_death(attempt) > 12
    assert chunks(world) == 0
    world.verify()


def is_kept(life: Life) -> None:
    """The open run is all there."""
    service = life.service()
    assert is_open(service, life.name)
    assert told(service.history(life.name))[:3] == [
        "WorkflowExecutionStarted",
        "DecisionTaskScheduled",
        "DecisionTaskStarted",
    ]
    newest = service.head(life.name)
    names = set(life.world.store.things(stream(life.name)))
    kept = {one for one in names if one.startswith(f"a.{newest.generation}.")}
    assert names - kept == {"head"}
    assert life.commits()[0] == newest.purged[1] <= newest.first


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.__name__)
def test_w31_a_run_that_begins_during_a_purge_is_kept(
    world: World, shape: Callable[[Life], None]
) -> None:
    """Something happens to the workflow id before each step of the purge."""
    register(Service(world.process()), retention="0")
    nth = 1
    while True:
        life = Life(world)
        shape(life)
        world.clock.tick(HOUR)

        def meanwhile(life: Life = life) -> None:
            service = life.service()
            with suppress(Refused):
                service.start(life.name, taskList={"name": life.main})
                service.decide(schedule("z"), task_list=life.main)

        hook = Interrupt(nth, meanwhile)
        purge(world, before_each_step=hook)
        purge(world)
        if hook.ran or shape is not twice:
            is_kept(life)
        world.verify()
        if not hook.ran:
            break
        nth += 1
    assert nth > 12


def test_w31_two_purges_at_once_are_as_one(world: World) -> None:
    """The second runs whole before each step of the first."""
    register(Service(world.process()), retention="0")
    nth = 1
    while True:
        life = Life(world)
        twice(life)
        world.clock.tick(HOUR)
        hook = Interrupt(nth, lambda: purge(world))
        purge(world, before_each_step=hook)
        life.is_gone()
        if not hook.ran:
            break
        nth += 1
    world.verify()
