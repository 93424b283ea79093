"""Business processes as use cases: saved, changed, loaded into, looked at (M2, M6, M13, M54)."""

from contextlib import suppress
from datetime import UTC

import pytest

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
    timed,
)
from tests.races.world import Dies, World, each_death, each_step
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.manual import processes
from workledger.manual_tasks import csvfile
from workledger.service import sweeping
from workledger.stores.faults_plan import Crash, Fault, Step, faults_of
from workledger.times import plus


def refusal(call: object, *args: object) -> Refused:
    """What a use case refused."""
    with pytest.raises(Refused) as refused:
        call(*args)  # type: ignore[operator]
    return refused.value


# --- saving ---------------------------------------------------------------------------------------


def test_m13_a_process_is_shown_as_it_was_saved(world: World) -> None:
    """(M13) By its name or its id; a step names its task as it was named."""
    travel = gateway(world)
    shown = processes.show(travel.core, "Gateway")
    assert (shown.start, shown.steps) == (GATEWAY_START, GATEWAY_STEPS)
    assert processes.show(travel.core, shown.id) == shown
    assert (shown.process.version, shown.process.created_by) == (1, "kai")
    assert shown.id.startswith("b_")


def test_m13_a_task_may_be_named_by_its_id(world: World) -> None:
    """(M13)"""
    travel = Travel(world)
    task = f"t_{make_task(travel.core)}"
    travel.define("check", manual("check", task, "done"), END)
    assert processes.show(travel.core, "Gateway").steps[0]["task"] == task
    travel.load("name\nr1\n")
    assert travel.list() == ["r1"]


def test_m13_what_does_not_fit_is_refused_and_nothing_is_made(world: World) -> None:
    """(M13)"""
    core = world.process()
    steps = [manual("check", "Nothing", "done"), END]
    found = refusal(processes.create, core, "kai", "Gateway", "check", steps)
    assert (found.code, found.field) == ("invalid_value", "steps[0].task")
    assert refusal(processes.show, core, "Gateway").code == "process_not_found"
    assert refusal(processes.show, core, "b_" + "a" * 26).code == "process_not_found"
    assert refusal(processes.show, core, "").code == "process_not_found"


def test_m13_processes_are_listed_by_name(world: World) -> None:
    """(M13)"""
    core = world.process()
    make_task(core)
    for name in ("c", "a", "B"):
        processes.create(core, "kai", name, "check", GATEWAY_STEPS[2:])
    first = processes.page(core, None, None, 2)
    then = processes.page(core, None, first.next_cursor, 2)
    assert [one.process.name for one in (*first.items, *then.items)] == ["B", "a", "c"]
    assert then.next_cursor is None
    assert [one.process.name for one in processes.page(core, "a", None, 2).items] == ["a"]
    assert processes.page(core, "b", None, 2).items == []
    found = refusal(processes.create, core, "kai", "a", "check", GATEWAY_STEPS[2:])
    assert found.code == "process_exists"


def test_m13_a_change_is_based_on_a_version(world: World) -> None:
    """(M13) What is not given stays; what does not fit is refused."""
    travel = gateway(world)
    core = travel.core
    changed = processes.change(
        core, "eva", "Gateway", 1, start="ten", steps=[timed("ten", 5, "check"), *GATEWAY_STEPS[2:]]
    )
    assert (changed.process.version, changed.start) == (2, "ten")
    again = processes.change(core, "eva", "Gateway", 2, start="check", steps=GATEWAY_STEPS[2:])
    same = processes.change(core, "eva", "Gateway", 3, start="check")
    assert same.process.version == again.process.version == 3
    assert refusal(processes.change, core, "eva", "Gateway", 1, "check").code == "version_mismatch"
    assert refusal(processes.change, core, "eva", "Gateway", 3, "x").field == "start"
    types = [one.event.type for one in processes.history(core, "Gateway", None, 10).items]
    assert types == ["ProcessCreated", "ProcessChanged", "ProcessChanged"]
    world.verify()


# --- loading --------------------------------------------------------------------------------------


def test_m2_undated_records_have_the_processs_start(world: World) -> None:
    """(M2) One instant for all of them, in every step; dated ones have their own."""
    travel, start = gateway(world), world.clock.now
    travel.load("name,kind,record_date\na,fast,\nb,fast,2020-01-01T00:00:00\nc,slow,\n")
    world.clock.tick(100)
    assert travel.list() == ["b", "a", "c"]
    rows = travel.results()
    dates = {name: row.columns["_sys_record_order"]["hitOrderDate"] for name, row in rows.items()}
    assert dates == {"a": start[:-1], "b": "2020-01-01T00:00:00.000", "c": start[:-1]}


def test_m6_a_record_that_arrives_with_its_order_keeps_it(world: World) -> None:
    """(M6) With unknown members, digit for digit, through a step and to the results."""
    travel = gateway(world)
    order = '{"hitOrder":7,"hitOrderDate":"2020-03-11T10:15:55.935","weight":1.50}'
    doubled = order.replace('"', '""')
    travel.load(f'name,kind,_sys_record_order\na,fast,"{doubled}"\n')
    world.clock.tick(10)
    assert travel.list() == ["a"]
    shown = processes.records(travel.core, "Gateway", None, None, None, 10).items[0]
    assert shown.content.more.text == '{"weight":1.50}'
    (created,) = world.store.commits(travel.hit("a"), 0, 1)
    assert '"more":{"weight":1.50}' in (created.payload() or "")
    assert data_of(travel.core, travel.hit("a")) == {"name": "a", "kind": "fast"}
    first = shown.custom_attributes
    assert (first["hitOrder"], first["hitOrderDate"]) == (7, "2020-03-11T10:15:55.935")


def load_again(travel: Travel, start: str) -> None:
    """Send the load again with its key; then the whole flow is there, once."""
    world = travel.world
    world.heal()
    load = travel.load(GATEWAY_FILE, key="once")
    process = keys.bare(keys.process_stream("Gateway"))
    for step, entered, until in (("ten", 3, 30), ("thirty", 2, 60)):
        busy = travel.core.executor.read(keys.step_stream(process, step)).head
        assert (busy.entered, busy.until) == (entered, plus(start, until))
    for second, names in ((29, ["r1", "r3"]), (60, ["r1", "r2", "r3", "r4", "r5"])):
        world.clock.now = plus(start, second)
        assert travel.list() == names
    assert list(travel.results(load)) == ["r1", "r2", "r3", "r4", "r5"]
    assert len(travel.results()) == 5


def test_m54_who_dies_while_loading_is_made_up_for_by_who_sends_it_again() -> None:
    """(M54, M55, M14) Before each call of the store: all together, nothing twice."""

    def attempt(world: World, dies: Dies) -> None:
        travel, start = gateway(world), world.clock.now
        with suppress(Crash):
            travel.load(GATEWAY_FILE, world.process(before_each_step=dies), "once")
        world.clock.tick(60)
        assert len(travel.list()) in (0, 5)
        assert len(travel.results()) in (0, 5)
        world.clock.now = start
        load_again(travel, start)

    assert each_death("sqlite", attempt) > 20


@pytest.mark.parametrize("fault", [one for one in Fault if not one.name.startswith("CRASH")])
def test_m54_one_fault_anywhere_is_made_up_for_by_who_sends_it_again(fault: Fault) -> None:
    """(M54, M14) Lost answers, throttling, unplaced rows: at each call of the store, one by one."""
    seen: list[Step] = []
    with make_world("sqlite") as world:
        gateway(world).load(GATEWAY_FILE, world.process(plan=seen.append), "once")
    steps = iter([one for one in seen if fault in faults_of(one.method)])

    def attempt(world: World, _nth: int) -> bool:
        step = next(steps, None)
        if step is None:
            return False
        travel, start = gateway(world), world.clock.now
        with suppress(StoreError):
            core = world.process(plan=lambda at: fault if at == step else None)
            travel.load(GATEWAY_FILE, core, "once")
        load_again(travel, start)
        return True

    assert each_step("sqlite", attempt) > 5


def test_m54_the_timekeeper_ends_a_load_whose_sender_died() -> None:
    """(M54) From the moment on at which its records are in the ledger."""

    def attempt(world: World, dies: Dies) -> None:
        travel, start = gateway(world), world.clock.now
        with suppress(Crash):
            travel.load(GATEWAY_FILE, world.process(before_each_step=dies), "once")
        begun = any(one.stream.startswith("load/") for one in world.store.all_commits())
        for _ in range(3):
            world.clock.tick(20)
            world.heal()
            sweeping.sweep(travel.core)
        if begun:
            assert travel.list() == ["r1", "r2", "r3", "r4", "r5"]
            world.clock.now = start
            load_again(travel, start)

    assert each_death("sqlite", attempt) > 20


def test_m54_what_outlasts_the_request_goes_on_and_is_seen_when_all_is_there(world: World) -> None:
    """(M54, M14) The leave times are those of one load, however often it is gone on with."""
    travel, start = gateway(world), world.clock.now
    rows = "".join(f"r{number},fast\n" for number in range(1, 251))
    read = csvfile.read(f"name,kind\n{rows}".encode(), start, UTC)
    shown = processes.load(travel.core, "kai", "Gateway", read, "k", "b", start, seconds=0)
    assert (shown.created, shown.load.completed_at) == (100, None)
    world.clock.tick(15)
    assert travel.list() == []
    assert travel.results() == {}
    again = processes.load(travel.core, "kai", "Gateway", read, "k", "b", start, seconds=-60)
    assert again.load.completed_at is None
    world.clock.tick(5)
    for _ in range(3):
        sweeping.sweep(travel.core)
    assert travel.list() == ["r1", "r2"]
    step = keys.step_stream(keys.bare(keys.process_stream("Gateway")), "ten")
    busy = travel.core.executor.read(step).head
    assert (busy.entered, busy.until) == (250, plus(start, 2_500))
    (load,) = processes.loads(travel.core, "Gateway", None, 10).items
    assert (load.id, load.created, load.load.owner) == (shown.id, 250, travel_id(travel))
    world.verify()


def travel_id(travel: Travel) -> str:
    """The process's id."""
    return processes.show(travel.core, travel.name).id


# --- looking --------------------------------------------------------------------------------------


def test_m13_records_are_found_by_load_and_by_the_step_where_they_are_now(world: World) -> None:
    """(M13) Time alone moves them; nothing has to be written."""
    travel, start = gateway(world), world.clock.now
    first = travel.load(GATEWAY_FILE)
    second = travel.load("name,kind\nr6,slow\n")

    def at(step: str | None, load: str | None = None) -> list[str]:
        found = processes.records(travel.core, "Gateway", load, step, None, 100).items
        return [str(one.content.columns["name"].value()) for one in found]

    assert at("ten") == ["r1", "r3", "r5"]
    assert at("thirty") == ["r6", "r2", "r4"]  # r6 is the first of its file
    assert at("check") == []
    assert at("thirty", second) == ["r6"]
    assert at(None, first) == ["r1", "r2", "r3", "r4", "r5"]
    assert at(None) == ["r1", "r2", "r3", "r4", "r5", "r6"]
    world.clock.now = plus(start, 30)
    assert at("check") == ["r1", "r2", "r3", "r5"]
    assert at("ten") == []
    assert at("done") == at("no such step") == []
    travel.answer("r1")
    assert at("done") == ["r1"]
    for wrong in ("x", "l_" + "a" * 26):
        found = refusal(processes.records, travel.core, "Gateway", wrong, None, None, 1)
        assert found.code == "load_not_found"


@pytest.mark.parametrize("step", [None, "ten", "check"])
def test_m13_pages_of_records_go_on_where_they_ended(world: World, step: str | None) -> None:
    """(M13)"""
    travel = gateway(world)
    rows = "".join(f"r{number:03},fast\n" for number in range(1, 151))
    load = travel.load(f"name,kind\n{rows}")
    world.clock.tick(750)
    for asked in (None, load):
        met, cursor = list[int](), None
        while True:
            page = processes.records(travel.core, "Gateway", asked, step, cursor, 40)
            met += [one.record.index for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        wanted = (
            range(1, 151) if step is None else range(76, 151) if step == "ten" else range(1, 76)
        )
        assert met == list(wanted)


def test_m13_a_page_of_records_stops_at_four_megabytes(world: World) -> None:
    """(M13)"""
    travel = gateway(world)
    rows = "".join(f"r{number},{'x' * 60_000}\n" for number in range(80))
    travel.load(f"name,kind\n{rows}")
    first = processes.records(travel.core, "Gateway", None, None, None, 100)
    assert 60 < len(first.items) < 80
    then = processes.records(travel.core, "Gateway", None, None, first.next_cursor, 100)
    assert len(first.items) + len(then.items) == 80
    assert then.next_cursor is None


def test_m13_one_record_and_what_happened_to_it(world: World) -> None:
    """(M13) Its events, routing among them."""
    travel = gateway(world)
    travel.load("name,kind\nr1,fast\n")
    (row,) = travel.results().values()
    shown = processes.record(travel.core, row.record)
    assert (shown.step, shown.status, shown.record.index) == ("ten", "moving", 1)
    events = processes.record_history(travel.core, row.record, None, 10).items
    ways = [
        (one.event.data["from"], one.event.data["to"])
        for one in events
        if one.event.type == "RecordRouted"
    ]
    assert ways == [(None, "ten"), ("ten", "check")]
    for wrong in ("d_" + "a" * 26, "x"):
        assert refusal(processes.record, travel.core, wrong).code == "record_not_found"


def test_m60_results_have_the_columns_the_order_the_answers_and_where_it_ended(
    world: World,
) -> None:
    """(M60, M13)"""
    travel = gateway(world)
    load = travel.load(GATEWAY_FILE)
    world.clock.tick(60)
    hit = travel.answer("r2", '{"total":1.50}')
    row = travel.results(load)["r2"]
    assert list(row.columns) == ["name", "kind", "total", "_sys_record_order"]
    assert row.columns["total"].text == "1.50"
    assert row.columns["_sys_record_order"]["hitOrder"] == 2
    assert (row.status, row.step, row.finished_at) == ("finished", "done", world.clock.now)
    assert [(one.step, one.hit, one.by) for one in row.answers] == [
        ("check", keys.manual_id(hit), "agreement")
    ]
    assert travel.results(load)["r1"].answers == ()


def test_m54_a_file_with_a_bad_row_starts_nothing(world: World) -> None:
    """(M54)"""
    travel = gateway(world)
    bad = "name,kind,record_date\nr1,fast,\nr2,slow,yesterday\n"
    assert refusal(travel.load, bad).code == "invalid_records"
    assert travel.results() == {}
    assert travel.core.executor.read(keys.process_stream("Gateway")).number == 1
