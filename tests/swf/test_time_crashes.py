"""A timekeeper that dies anywhere: nothing is lost, nothing happens twice (W16 to W18)."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.dying import Dies, each_death
from tests.swf.service import (
    Answer,
    Service,
    check,
    child,
    register,
    schedule,
    stream,
    timer,
    told,
)
from workledger.errors import StoreError
from workledger.service import sweeping
from workledger.stores.faults_plan import Crash, Fault, Interrupt, Step, faults_of

_names = count()


def much_is_due(world: World) -> str:
    """An execution in which something of every kind has come to its limit."""
    name, service = f"w{next(_names)}", Service(world.process())
    lists = {"taskList": {"name": f"work-{name}"}}
    service.start(name, taskList={"name": f"main-{name}"}, executionStartToCloseTimeout="1000")
    service.decide(
        timer("t", "50"),
        timer("u", "20"),
        timer("far", "2000"),
        schedule("a", scheduleToStartTimeout="30", **lists),
        schedule("b", startToCloseTimeout="40", taskPriority="1", **lists),
        schedule("c", heartbeatTimeout="45", taskPriority="1", **lists),
        child(f"child-{name}"),
        task_list=f"main-{name}",
    )
    service.take(f"work-{name}")
    service.beat(service.take(f"work-{name}"), "alive")
    service.poll(f"main-{name}")
    world.clock.tick(61)
    return name


EXPECTED = [
    "TimerFired",
    "DecisionTaskScheduled",
    "ActivityTaskTimedOut",
    "ActivityTaskTimedOut",
    "ActivityTaskTimedOut",
    "TimerFired",
    "DecisionTaskTimedOut",
]


def happened(world: World, name: str) -> list[str]:
    """What came of all that was due, as the ledger has it."""
    commits = world.store.commits(stream(name))
    events = [event.type for commit in commits for event in commit.events if event.type[0] != "_"]
    return events[events.index("TimerFired") :]


def test_w18_a_sweep_that_died_anywhere_is_made_up_for_by_the_next(world: World) -> None:
    """Before each of its calls of the store."""
    register(Service(world.process()))

    def attempt(dies: Dies) -> None:
        name = much_is_due(world)
        with suppress(Crash):
            sweeping.sweep(world.process(before_each_step=dies))
        for _ in range(2):
            world.clock.tick(1)
            sweeping.sweep(world.process())
        assert happened(world, name) == EXPECTED
        check(world, name)

    assert each_death(attempt) > 25


@pytest.mark.parametrize("fault", [one for one in Fault if not one.name.startswith("CRASH")])
def test_w18_a_sweep_with_one_fault_anywhere_is_made_up_for(world: World, fault: Fault) -> None:
    """Lost answers, throttling, unplaced rows: at each call of the store, one by one."""
    register(Service(world.process()))
    seen: list[Step] = []
    much_is_due(world)
    sweeping.sweep(world.process(plan=seen.append))
    for step in [one for one in seen if fault in faults_of(one.method)]:
        name = much_is_due(world)
        plan: Callable[[Step], Any] = lambda at, step=step: fault if at == step else None  # noqa: E731
        sweep_once(world, plan=plan)
        for _ in range(2):
            world.clock.tick(1)
            sweeping.sweep(world.process())
        assert happened(world, name) == EXPECTED
    world.verify()


def sweep_once(world: World, **faults: Any) -> None:
    """A sweep that may fail."""
    with suppress(StoreError):
        sweeping.sweep(world.process(**faults))


def test_w18_two_timekeepers_at_once_are_as_one(world: World) -> None:
    """The second runs whole before every step of the first."""
    register(Service(world.process()))
    nth = 1
    while True:
        name = much_is_due(world)
        hook = Interrupt(nth, lambda: sweeping.sweep(world.process()))
        sweeping.sweep(world.process(before_each_step=hook))
        assert happened(world, name) == EXPECTED
        if not hook.ran:
            break
        nth += 1
    assert nth > 25
    world.verify()


def test_w18_a_deadline_set_while_a_timekeeper_looks_is_kept(world: World) -> None:
    """A decision with an early timer is answered before every step of a sweep."""
    register(Service(world.process()))
    nth = 1
    while True:
        name = f"w{next(_names)}"
        service = Service(world.process())
        service.start(name, taskList={"name": name})
        service.decide(timer("due", "10"), task_list=name)
        service.signal(name)
        task = service.poll(name)
        world.clock.tick(10)

        def answer(service: Service = service, task: Answer = task) -> None:
            service.answer(task, timer("early", "7"), timer("late", "900"))

        hook = Interrupt(nth, answer)
        sweeping.sweep(world.process(before_each_step=hook))
        check(world, name)
        world.clock.tick(7)
        sweeping.sweep(world.process())
        events = told(service.history(name))
        assert events.count("TimerFired") == (2 if hook.ran else 1)
        if not hook.ran:
            break
        nth += 1
    assert nth > 20
