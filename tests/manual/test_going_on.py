"""A record of a business process that people decided goes on at once, or by the clock (M10, M13)."""

import pytest

from tests.manual.people import name_of
from tests.manual.travels import Travel, gateway, make_task
from tests.races.world import Dies, World, each_death
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, worklist
from workledger.manual.assigning import Assigned
from workledger.service import sweeping
from workledger.stores.faults_plan import Crash

FILE = "name,kind\nr1,fast\nr2,slow\nr3,fast\nr4,slow\nr5,fast\n"


def listed(travel: Travel, worker: str = "W1") -> str:
    """What a worker sees."""
    page = worklist.page(travel.core, worker, travel.task, None, None, 100)
    return " ".join(name_of(one) for one in page.items)


def take(travel: Travel, worker: str = "W1") -> Assigned:
    """The next one."""
    found = assigning.next_of(travel.core, worker, travel.task)
    assert isinstance(found, Assigned)
    return found


def test_m10_the_documented_gateway_flow_as_workers_see_it(world: World) -> None:
    """(M10, M11, M12) Nothing has to run; bounds are inclusive; what is taken is not disturbed."""
    travel = gateway(world)
    travel.load(FILE)
    lists: dict[int, str] = {}
    for at, passed in ((9, 9), (10, 1), (20, 10), (30, 10), (59, 29), (60, 1)):
        world.clock.tick(passed)
        lists[at] = listed(travel)
    assert lists == {
        9: "",
        10: "r1",
        20: "r1 r3",
        30: "r1 r2 r3 r5",
        59: "r1 r2 r3 r5",
        60: "r1 r2 r3 r4 r5",
    }


def test_m12_a_record_that_is_taken_is_not_disturbed_by_late_ones(world: World) -> None:
    """(M11, M12)"""
    travel = gateway(world)
    travel.load(FILE)
    world.clock.tick(20)
    assert [name_of(take(travel)), name_of(take(travel))] == ["r1", "r3"]
    world.clock.tick(10)
    assert listed(travel) == "r2 r5"


def test_m13_a_decided_record_goes_on_at_once(world: World) -> None:
    """(M13) With the answer as its columns; from then on it is not rejected."""
    travel = gateway(world)
    travel.load(FILE)
    world.clock.tick(10)
    one = take(travel)
    answering.submit(travel.core, "W1", one.id, Raw('{"total":3}'))
    row = travel.results()["r1"]
    assert (row.step, row.columns["total"]) == ("done", Raw("3"))
    with pytest.raises(Refused) as refused:
        answering.reject(travel.core, "kai", one.id, "")
    assert refused.value.code == "already_routed"


def test_m13_a_record_whose_last_answerer_died_goes_on_by_the_clock() -> None:
    """(M13, M34) Before each of its calls of the store; never twice, never forgotten."""

    def attempt(world: World, dies: Dies) -> None:
        travel = gateway(world)
        travel.load(FILE)
        world.clock.tick(10)
        one = take(travel)
        core = world.process(before_each_step=dies)
        try:
            answering.submit(core, "W1", one.id, Raw('{"total":3}'))
        except Crash:
            world.heal()
            world.clock.tick(1)
            sweeping.sweep(world.process())
            answering.submit(travel.core, "W1", one.id, Raw('{"total":3}'))
        assert travel.results()["r1"].step == "done"

    assert each_death("sqlite", attempt) > 10


def test_m13_an_adjudicated_record_goes_on_too(world: World) -> None:
    """(M13, M23)"""
    travel = Travel(world)
    make_task(travel.core, answers=2)
    travel.define(
        "check", {"name": "check", "kind": "manual", "task": "Check", "next": "done"}, END
    )
    travel.load("name\nr1\n")
    for worker in ("W1", "W2"):
        one = take(travel, worker)
        answering.submit(travel.core, worker, one.id, Raw(f'{{"by":"{worker}"}}'))
    assert travel.results()["r1"].step == "check"
    answering.adjudicate(travel.core, "ann", one.hit, Raw('{"by":"ann"}'))
    row = travel.results()["r1"]
    assert (row.step, row.columns["by"]) == ("done", Raw('"ann"'))


END = {"name": "done", "kind": "end"}
