"""Records on their way while processes die and stores fail: never twice, never forgotten (M13, M14).

Each time everything is done again by the timekeeper, or by who reads a list.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest

from tests.manual.travels import (
    END,
    Travel,
    happened,
    make_task,
    manual,
    routes,
    rule,
    timed,
)
from tests.races.world import Dies, World, each_death, each_step
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import StoreError
from workledger.manual import moving, tasks
from workledger.manual_tasks.hit import Hit
from workledger.service import sweeping
from workledger.service.core import Core
from workledger.stores.faults_plan import Crash, Fault, Interrupt, Step, faults_of
from workledger.times import plus

STARTED = ["RecordStarted", "RecordRouted", "RecordOffered"]

ONWARD = {
    "task": ["RecordAnswered", "RecordRouted", "RecordOffered"],
    "rest": [
        *("RecordAnswered", "RecordRouted", "RecordDelayed", "RecordRouted", "RecordOffered"),
    ],
    "two": [
        *("RecordAnswered", "RecordRouted", "RecordDelayed"),
        *("RecordRouted", "RecordDelayed", "RecordRouted", "RecordOffered"),
    ],
    "end": ["RecordAnswered", "RecordRouted", "RecordFinished"],
    "late": ["RecordAnswered", "RecordRouted", "RecordDelayed", "RecordRouted", "RecordFinished"],
}
"""What happens to a record whose answer sends it this way, in the end."""

STEPS = {
    "task": {},
    "rest": {"rest": 5},
    "two": {"one": 3, "rest": 8},
    "end": {},
    "late": {"last": 2},
}
"""The timed steps it goes through, and when it leaves them."""


def crossroads(world: World) -> Travel:
    """A task whose answer says where to."""
    travel = Travel(world, "Crossroads", "First")
    make_task(travel.core, "First")
    make_task(travel.core, "Second")
    ways = [rule("to", "task", "second"), rule("to", "rest", "rest"), rule("to", "two", "one")]
    travel.define(
        "first",
        manual("first", "First", routes(*ways, rule("to", "late", "last"), other="done")),
        timed("one", 3, "rest"),
        timed("rest", 5, "second"),
        timed("last", 2, "done"),
        manual("second", "Second", "done"),
        END,
    )
    travel.load("name\nr1\n")
    return travel


def decided(travel: Travel, to: str) -> str:
    """Somebody answers; nobody has gone on with it yet."""
    return travel.decide("r1", f'{{"to":"{to}"}}')


def caught_up(travel: Travel, hit: str, to: str, begun: str) -> None:
    """Time passes, the timekeeper sweeps; then all has happened once."""
    world = travel.world
    for _ in range(3):
        world.clock.tick(10)
        world.heal()
        sweeping.sweep(travel.core)
    settled: Hit = travel.core.executor.read(hit).head
    assert settled.routed
    record = f"record/{(settled.way or ('', ''))[0]}"
    assert happened(world, record) == [*STARTED, *ONWARD[to]]
    process = keys.bare(keys.process_stream(travel.name))
    for step, seconds in STEPS[to].items():
        busy = travel.core.executor.read(keys.step_stream(process, step)).head
        assert (busy.until, busy.entered) == (plus(begun, seconds), 1)
    travel.task = "Second"
    assert travel.list() == ([] if to in ("end", "late") else ["r1"])
    for stream in (hit, record):
        due = world.store.due(stream)
        assert due is None, (stream, due)


@pytest.mark.parametrize("to", ONWARD)
def test_m13_who_dies_while_a_record_goes_on_is_made_up_for(to: str) -> None:
    """(M13) Before each call of the store."""

    def attempt(world: World, dies: Dies) -> None:
        travel = crossroads(world)
        hit, begun = decided(travel, to), world.clock.now
        with suppress(Crash):
            moving.go_on(world.process(before_each_step=dies), hit)
        caught_up(travel, hit, to, begun)

    assert each_death("sqlite", attempt) > 8


@pytest.mark.parametrize("to", ["two", "late"])
def test_m14_who_dies_while_settling_is_made_up_for(to: str) -> None:
    """(M14) A reader of a list, before each call of the store."""

    def attempt(world: World, dies: Dies) -> None:
        travel = crossroads(world)
        hit, begun = decided(travel, to), world.clock.now
        moving.go_on(world.process(), hit)
        world.clock.tick(4)
        with suppress(Crash):
            moving.settle(world.process(before_each_step=dies))
        caught_up(travel, hit, to, begun)

    assert each_death("sqlite", attempt) > 8


def test_m14_a_timekeeper_that_dies_is_made_up_for() -> None:
    """(M14) Before each call of the store; nobody reads a list."""

    def attempt(world: World, dies: Dies) -> None:
        travel = crossroads(world)
        hit, begun = decided(travel, "two"), world.clock.now
        moving.go_on(world.process(), hit)
        world.clock.tick(4)
        with suppress(Crash):
            sweeping.sweep(world.process(before_each_step=dies))
        caught_up(travel, hit, "two", begun)

    assert each_death("sqlite", attempt) > 20


def going_on(hit: str) -> Callable[[Core], None]:
    """What fails."""

    def go(core: Core) -> None:
        moving.go_on(core, hit)
        core.sleep(4)
        moving.settle(core)

    return go


@pytest.mark.parametrize("fault", [one for one in Fault if not one.name.startswith("CRASH")])
@pytest.mark.parametrize("to", ["rest", "two"])
def test_m13_one_fault_anywhere_is_made_up_for(fault: Fault, to: str) -> None:
    """(M13) Lost answers, throttling, unplaced rows: at each call of the store, one by one."""
    seen: list[Step] = []
    with make_world("sqlite") as world:
        travel = crossroads(world)
        going_on(decided(travel, to))(world.process(plan=seen.append))
    steps = iter([one for one in seen if fault in faults_of(one.method)])

    def attempt(world: World, _nth: int) -> bool:
        step = next(steps, None)
        if step is None:
            return False
        travel = crossroads(world)
        hit, begun = decided(travel, to), world.clock.now
        with suppress(StoreError):
            going_on(hit)(world.process(plan=lambda at: fault if at == step else None))
        caught_up(travel, hit, to, begun)
        return True

    assert each_step("sqlite", attempt) >= 4


@pytest.mark.parametrize("to", ["rest", "two"])
def test_m13_two_who_go_on_at_once_are_as_one(to: str) -> None:
    """(M13) The second runs whole before every call of the first."""
    for nth in count(1):
        with make_world("sqlite") as world:
            travel = crossroads(world)
            hit, begun = decided(travel, to), world.clock.now
            hook = Interrupt(nth, lambda: moving.go_on(world.process(), hit))  # noqa: B023
            moving.go_on(world.process(before_each_step=hook), hit)
            caught_up(travel, hit, to, begun)
            world.verify()
        if not hook.ran:
            assert nth > 8
            return


def test_m14_two_who_settle_at_once_are_as_one() -> None:
    """(M14) The second runs whole before every call of the first."""
    for nth in count(1):
        with make_world("sqlite") as world:
            travel = crossroads(world)
            hit, begun = decided(travel, "two"), world.clock.now
            moving.go_on(world.process(), hit)
            world.clock.tick(4)
            hook = Interrupt(nth, lambda: moving.settle(world.process()))
            moving.settle(world.process(before_each_step=hook))
            caught_up(travel, hit, "two", begun)
            world.verify()
        if not hook.ran:
            assert nth > 8
            return


def other_order(world: World, task: str) -> None:
    """Somebody switches the task to a custom order; it is done at once, as little waits."""
    core = world.process()
    comparator = [{"field": "name", "type": "text", "direction": "desc"}]
    tasks.change(core, "kai", task, 1, {"dtr": True, "comparator": comparator})


def test_m43_a_record_that_comes_while_the_order_changes_stands_in_the_new_one() -> None:
    """(M43, M13) The order changes before each call of the store of who goes on."""
    for nth in count(1):
        with make_world("sqlite") as world:
            travel = crossroads(world)
            hit, begun = decided(travel, "rest"), world.clock.now
            hook = Interrupt(nth, lambda: other_order(world, "Second"))
            moving.go_on(world.process(before_each_step=hook), hit)
            if not hook.ran:
                assert nth > 8
                return
            world.clock.tick(60)
            sweeping.sweep(travel.core)
            caught_up(travel, hit, "rest", begun)
            world.verify()


def test_m43_records_of_a_process_stand_in_a_custom_order(world: World) -> None:
    """(M43, M13) The columns of a process may be named by its tasks; answers are columns too."""
    travel = crossroads(world)
    travel.load("name\nr2\nr3\n")
    for name in ("r1", "r2", "r3"):
        travel.answer(name, '{"to":"task","rank":' + name[1] + "}")
    travel.task = "Second"
    assert travel.list() == ["r1", "r2", "r3"]
    other_order(world, "Second")
    assert travel.list() == ["r3", "r2", "r1"]
    travel.load("name\nr4\n")
    travel.task = "First"
    travel.answer("r4", '{"to":"task"}')
    travel.task = "Second"
    assert travel.list() == ["r4", "r3", "r2", "r1"]
