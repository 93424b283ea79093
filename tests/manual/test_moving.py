"""Records on their way: in time (M10 to M12, M14), and after what people decide (M13, M6)."""

from tests.manual.travels import (
    END,
    GATEWAY_FILE,
    GATEWAY_START,
    GATEWAY_STEPS,
    Travel,
    data_of,
    gateway,
    make_task,
    manual,
    routes,
    rule,
    timed,
)
from tests.races.world import World
from tests.races.world import world as make_world
from workledger import keys
from workledger.jsontext import Raw
from workledger.manual import answering, moving, processes
from workledger.manual_tasks.hit import Hit
from workledger.service import sweeping
from workledger.times import plus

ALL = ["r1", "r2", "r3", "r4", "r5"]

DOCUMENTED = {
    9: [],
    10: ["r1"],
    20: ["r1", "r3"],
    30: ["r1", "r2", "r3", "r5"],
    59: ["r1", "r2", "r3", "r5"],
    60: ALL,
}
"""The gateway flow's lists, by seconds since the start."""


def ahead(travel: Travel, start: str, seconds: float) -> None:
    """Time passes until so many seconds after the start."""
    travel.world.clock.now = plus(start, seconds)


def test_m10_the_gateway_flow_lists_what_the_documentation_lists(world: World) -> None:
    """(M10) A CSV file, a saved rule, and nothing but the clock moves; bounds are inclusive."""
    travel, start = gateway(world), world.clock.now
    travel.load(GATEWAY_FILE)
    lists: dict[int, list[str]] = {}
    for second in DOCUMENTED:
        ahead(travel, start, second)
        lists[second] = travel.list()
        print(f"t={second:>2}: {' '.join(lists[second]) or 'none'}")
    assert lists == DOCUMENTED
    world.verify()


def test_m10_the_lists_just_before_their_bounds(world: World) -> None:
    """(M10) A millisecond earlier the record is not there."""
    travel, start = gateway(world), world.clock.now
    travel.load(GATEWAY_FILE)
    for second, count in ((9.999, 0), (10, 1), (19.999, 1), (29.999, 2), (59.999, 4), (60, 5)):
        ahead(travel, start, second)
        assert len(travel.list()) == count


def test_m11_a_hit_that_comes_later_has_its_own_place(world: World) -> None:
    """(M11) r2 comes 20 s after r1, with the same hitOrderDate, and stands before r3."""
    travel, start = gateway(world), world.clock.now
    travel.load(GATEWAY_FILE)
    ahead(travel, start, 30)
    assert travel.list() == ["r1", "r2", "r3", "r5"]
    found: dict[str, Hit] = {
        travel.name_of(travel.core, stream): hit for stream, hit in travel.hits()
    }
    assert found["r1"].hit_order_date == found["r2"].hit_order_date == start[:-1]
    assert [found["r1"].visible_from, found["r2"].visible_from] == [
        plus(start, 10),
        plus(start, 30),
    ]


def test_m12_what_is_taken_is_not_disturbed_by_who_comes_late(world: World) -> None:
    """(M12) If r3 is taken at 30 s: r1 r2 r5."""
    travel, start = gateway(world), world.clock.now
    travel.load(GATEWAY_FILE)
    ahead(travel, start, 20)
    travel.take("r3", "W2")
    ahead(travel, start, 30)
    assert travel.list("W1") == ["r1", "r2", "r5"]
    travel.answer("r1", worker="W2")
    assert travel.list("W1") == ["r2", "r5"]
    ahead(travel, start, 60)
    assert travel.list("W1") == ["r2", "r4", "r5"]


def test_m14_an_hour_without_a_sweep_changes_no_list(world: World) -> None:
    """(M14) Nobody looked before; afterwards the lists are those of who looked each second."""
    travel, start = gateway(world), world.clock.now
    travel.load(GATEWAY_FILE)
    ahead(travel, start, 3_600)
    assert travel.list() == ALL
    ahead(travel, start, 59)
    assert travel.list() == DOCUMENTED[59]


def chain(world: World) -> Travel:
    """Two timed steps, one behind the other, then a task; a short way meets them in the middle."""
    travel = Travel(world, "Chain")
    make_task(travel.core)
    travel.define(
        routes(rule("kind", "short", "second"), other="first"),
        timed("first", 4, "second"),
        timed("second", 6, "check"),
        manual("check", "Check", "done"),
        END,
    )
    return travel


def test_m14_from_timed_step_to_timed_step_in_the_order_of_time(world: World) -> None:
    """(M14) c is in the second step from 0 to 6, a (4) waits for it, b (8) for a, d (12) for b."""
    travel, start = chain(world), world.clock.now
    travel.load("name,kind\na,long\nb,long\nc,short\nd,long\n")
    for second, names in ((5.9, ""), (6, "c"), (11.9, "c"), (12, "ac"), (18, "abc"), (24, "abcd")):
        ahead(travel, start, second)
        assert "".join(travel.list()) == names
    world.verify()


def comings(looks: list[float]) -> dict[str, str | None]:
    """When each record comes to the task, if somebody looks at these seconds only."""
    with make_world("sqlite") as world:
        travel, start = chain(world), world.clock.now
        travel.load("name,kind\na,long\nb,long\nc,short\nd,long\n")
        for second in looks:
            ahead(travel, start, second)
            travel.list()
        ahead(travel, start, 3_600)
        assert len(travel.list()) == 4
        core = travel.core
        return {travel.name_of(core, stream): hit.visible_from for stream, hit in travel.hits(core)}


def test_m14_when_somebody_looks_changes_no_moment() -> None:
    """(M14) Looked at twice a second, or once after an hour: the same moments."""
    assert comings([second / 2 for second in range(1, 60)]) == comings([]) == comings([11.5])


def test_m14_a_record_that_comes_from_elsewhere_waits_behind_those_before_it(world: World) -> None:
    """(M14) What is due on the way is done before a new record enters, as if all had been watched."""
    travel, start = chain(world), world.clock.now
    travel.load("name,kind\na,long\n")
    ahead(travel, start, 5)
    travel.load("name,kind\nz,short\n")
    ahead(travel, start, 10)
    assert travel.list() == ["a"]
    ahead(travel, start, 15.9)
    assert travel.list() == ["a"]
    ahead(travel, start, 16)
    assert travel.list() == ["a", "z"]


def test_m14_steps_of_no_seconds_take_no_time(world: World) -> None:
    """(M14) Through two of them, to a task and to an end: all at once."""
    travel = Travel(world)
    make_task(travel.core)
    travel.define(
        routes(rule("kind", "end", "last"), other="first"),
        timed("first", 0, "second"),
        timed("second", 0, "check"),
        manual("check", "Check", "done"),
        timed("last", 0, "done"),
        END,
    )
    travel.load("name,kind\na,x\nb,x\nc,end\n")
    assert travel.list() == ["a", "b"]
    row = travel.results()["c"]
    assert (row.status, row.step, row.finished_at) == ("finished", "done", world.clock.now)


def test_m14_records_enter_in_their_order_whatever_the_files(world: World) -> None:
    """(M14, M1) The older record is first in the timed step, and in the list."""
    travel, start = gateway(world), world.clock.now
    travel.load(
        "name,kind,record_date\nnew,fast,2020-03-02T00:00:00.000\nold,fast,2020-03-01T00:00:00.000\n"
    )
    ahead(travel, start, 10)
    assert travel.list() == ["old"]
    ahead(travel, start, 20)
    assert travel.list() == ["old", "new"]


def test_m14_two_loads_share_a_timed_step(world: World) -> None:
    """(M14) One record at a time, whatever load it came with."""
    travel, start = gateway(world), world.clock.now
    travel.load("name,kind\na,fast\n")
    travel.load("name,kind\nb,fast\n")
    ahead(travel, start, 19)
    assert travel.list() == ["a"]
    ahead(travel, start, 20)
    assert travel.list() == ["a", "b"]


def test_m14_the_timekeeper_does_what_nobody_looked_at(world: World) -> None:
    """(M14) A record that ends by time alone is finished without a reader; nothing stays due."""
    travel = Travel(world)
    make_task(travel.core)
    travel.define("a", timed("a", 5, "b"), timed("b", 5, "done"), END)
    travel.load("name\nr1\n")
    start = world.clock.now
    wake = sweeping.sweep(travel.core)
    assert wake == plus(start, 5)
    for seconds, wanted in ((5, plus(start, 10)), (10, plus(start, 20)), (20, None)):
        ahead(travel, start, seconds)  # at 20 the timekeeper looks after the load
        sweeping.sweep(travel.core)
        assert sweeping.sweep(travel.core) == wanted
    assert moving.settle(travel.core) == 0
    assert travel.results()["r1"].finished_at == plus(start, 10)
    world.verify()


# --- after people ---------------------------------------------------------------------------------


def rework(world: World) -> Travel:
    """A first task, a second one for what it says is unclear, and a way back."""
    travel = Travel(world, "Rework", "First")
    make_task(travel.core, "First")
    make_task(travel.core, "Second")
    travel.define(
        "first",
        manual("first", "First", routes(rule("clear", "no", "second"), other="done")),
        manual("second", "Second", routes(rule("again", "yes", "rest"), other="done")),
        timed("rest", 10, "first"),
        END,
    )
    return travel


def test_m13_a_result_becomes_columns_of_the_next_step(world: World) -> None:
    """(M13) The decided answer's fields, as they were written, beside the original columns."""
    travel = rework(world)
    load = travel.load("name,amount\nr1,007\nr2,8\n")
    travel.answer("r1", '{"clear":"no","total":12.50}')
    travel.answer("r2", '{"clear":"yes"}')
    assert travel.where() == {"r1": "second", "r2": "done"}
    travel.task = "Second"
    (found,) = travel.hits()
    shown = data_of(travel.core, found[0])
    assert shown == {"name": "r1", "amount": "007", "clear": "no", "total": 12.5}
    (created,) = world.store.commits(found[0], 0, 1)
    assert '"total":12.50' in (created.payload() or "")
    rows = travel.results(load)
    assert rows["r1"].columns["total"].text == "12.50"
    assert rows["r2"].status == "finished"
    world.verify()


def test_m6_the_order_is_the_same_at_every_step(world: World) -> None:
    """(M6) hitOrder, hitOrderDate and unknown members travel to the hit of the next step."""
    travel, start = rework(world), world.clock.now
    travel.load("name\nr1\nr2\n")
    ahead(travel, start, 100)
    travel.answer("r2", '{"clear":"no"}')
    travel.answer("r1", '{"clear":"no"}')
    travel.task = "Second"
    assert travel.list() == ["r1", "r2"]
    orders = [(hit.hit_order, hit.hit_order_date) for _, hit in travel.hits()]
    assert orders == [(1, start[:-1]), (2, start[:-1])]


def test_m13_a_record_may_come_back_to_a_step(world: World) -> None:
    """(M13) By a rule, through a timed step: a new hit, which everybody may take again."""
    travel, start = rework(world), world.clock.now
    travel.load("name\nr1\n")
    first = travel.answer("r1", '{"clear":"no"}')
    travel.task = "Second"
    travel.answer("r1", '{"again":"yes"}')
    travel.task = "First"
    assert travel.list() == []
    ahead(travel, start, 10)
    assert travel.list() == ["r1"]
    assert travel.hit("r1") != first
    travel.answer("r1", '{"clear":"yes"}')
    row = travel.results()["r1"]
    assert [one.step for one in row.answers] == ["first", "second", "first"]
    assert (row.status, row.columns["clear"].text) == ("finished", '"yes"')


def test_m23_an_unresolved_record_waits_for_its_adjudicator(world: World) -> None:
    """(M23, M13) Without a majority it stays where it is."""
    travel = Travel(world)
    make_task(travel.core, answers=2)
    travel.define("check", manual("check", "Check", "done"), END)
    travel.load("name\nr1\n")
    travel.answer("r1", '{"a":1}', "W1")
    stream = travel.answer("r1", '{"a":2}', "W2")
    moving.go_on(travel.core, stream)
    assert travel.where() == {"r1": "check"}
    assert travel.list("W3") == []
    answering.adjudicate(travel.core, "boss", keys.manual_id(stream), Raw('{"a":3}'))
    row = travel.results()["r1"]
    assert (row.step, row.answers[0].by, row.columns["a"].text) == ("done", "adjudicator", "3")


def test_m13_records_follow_the_version_they_were_loaded_with(world: World) -> None:
    """(M13) A change is for later loads."""
    travel, start = gateway(world), world.clock.now
    travel.load("name,kind\na,fast\n")
    processes.change(travel.core, "kai", "Gateway", 1, start="check", steps=GATEWAY_STEPS[2:])
    travel.load("name,kind\nb,fast\n")
    assert travel.list() == ["b"]
    ahead(travel, start, 10)
    assert travel.list() == ["a", "b"]
    processes.change(travel.core, "kai", "Gateway", 2, start=GATEWAY_START, steps=GATEWAY_STEPS)
    assert travel.results()["a"].step == "check"


def test_m10_the_same_lists_on_dynamodb() -> None:
    """(M10, M14) Through a chain of steps too, settled by who reads."""
    with make_world("dynamodb") as world:
        travel, start = gateway(world), world.clock.now
        travel.load(GATEWAY_FILE)
        for second, names in DOCUMENTED.items():
            ahead(travel, start, second)
            assert travel.list() == names
        travel.answer("r2")
        assert travel.where()["r2"] == "done"
        world.verify()
    with make_world("dynamodb") as world:
        travel, start = chain(world), world.clock.now
        travel.load("name,kind\na,long\nb,long\nc,short\nd,long\n")
        ahead(travel, start, 24)
        assert travel.list() == ["a", "b", "c", "d"]
        world.verify()
