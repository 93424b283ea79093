"""Loads: all records or none, once, whoever dies half-way (M2, M8, M54, M55)."""

import json
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from tests.manual.office import Office, StopsAfter, dying, names, rows
from tests.races.world import MAKERS, World, commits, engine
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Entry, Raw
from workledger.jsontext import entry as json_entry
from workledger.manual import loading, storing, worklist
from workledger.manual_tasks import jsonrecords
from workledger.manual_tasks.load import REQUEST_SECONDS
from workledger.manual_tasks.records import Order, Record, Records, Report
from workledger.service import rebuilding
from workledger.times import plus

GOLDEN = Path(__file__).parents[1] / "golden"
DATE = "2026-03-11T10:15:55.935"


@pytest.fixture(scope="module", autouse=True)
def _engine() -> Iterator[None]:
    with engine():
        yield


@pytest.fixture(params=MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    """One of the stores."""
    return request.param


@pytest.fixture
def office(kind: str) -> Iterator[Office]:
    """An empty task."""
    with make_world(kind) as world:
        made = Office(world)
        made.create()
        yield made
        world.verify()


def made(world: World) -> Office:
    """An empty task in a world."""
    one = Office(world)
    one.create()
    return one


# --- all goes well ------------------------------------------------------------------------------


def test_m54_a_load_makes_its_hits_and_completes(office: Office) -> None:
    """(M54) The records stand in the list, in order; the load tells how many they are."""
    shown = office.load()
    assert (shown.created, shown.load.count) == (5, 5)
    assert shown.load.completed_at is not None
    assert office.list() == "r1 r2 r3 r4 r5"
    assert office.show().counts == {"waiting": 5, "held": 0, "unresolved": 0, "done": 0}
    assert loading.show(office.world.process(), shown.id) == shown


def test_m2_undated_records_of_a_load_have_its_start(office: Office) -> None:
    """(M2, M3) One instant for all of them, their numbers from 1."""
    office.load()
    hits = office.hits().values()
    assert {(hit.hit_order_date, hit.hit_order) for hit in hits} == {(DATE, n) for n in range(1, 6)}


def test_m55_the_same_key_is_the_same_load(office: Office) -> None:
    """(M55) However much later; another body under the key is refused."""
    first = office.load()
    office.world.clock.tick(100)
    assert office.load() == first
    assert office.list() == "r1 r2 r3 r4 r5"
    with pytest.raises(Refused) as refused:
        office.load("name\nother\n")
    assert refused.value.code == "key_reused"
    assert office.load("name\nother\n", "k2").id != first.id
    assert len(office.hits()) == 6


def test_m55_a_load_without_a_key_is_one_of_its_own(office: Office) -> None:
    """(M55) As is one of another task with the same key."""
    other = Office(office.world, "Other")
    other.create()
    assert len({office.load(key=None).id for _ in range(2)} | {other.load().id}) == 3
    assert len(office.hits()) == 10


def test_m55_a_repeat_is_answered_although_the_task_was_archived(office: Office) -> None:
    """(M55) A new load of an archived task is refused, an old one is not begun."""
    first = office.load()
    office.change(archived=True)
    assert office.load() == first
    with pytest.raises(Refused) as refused:
        office.load(key="k2")
    assert refused.value.code == "task_archived"


def test_m8_hits_with_attributes_keep_them(office: Office) -> None:
    """(M8) Members that we do not know too, digit for digit."""
    core = office.world.process()
    body = '{"data":{"name":"r1","sum":1.50},"customAttributes":{"hitOrder":7,"x":{"y":2.0}}}'
    entries: list[Entry] = [json_entry(body)[0]]
    told = jsonrecords.read_hits(entries, core.clock(), UTC)
    loading.load(core, "kai", "Invoices", told, None, "b", core.clock())
    (stream,) = office.hits()
    (created,) = office.world.store.commits(stream)
    assert created.payload() == '{"data":{"name":"r1","sum":1.50},"more":{"x":{"y":2.0}}}'
    (hit,) = office.hits().values()
    assert (hit.hit_order, hit.hit_order_date) == (7, DATE)


def test_m43_the_task_learns_the_columns_of_its_loads(office: Office) -> None:
    """(M43) A comparator may name those, and no others."""
    office.load("name,amount\nr1,1\n", "a")
    office.load("name,city\nr1,Bonn\n", "b")
    office.load("city,name\nBonn,r1\n", "c")
    assert office.show().task.columns == ("name", "amount", "city")
    assert [one for one in office.events() if one == "ColumnsSeen"] == ["ColumnsSeen"] * 2


def test_m55_loads_are_listed_newest_first(office: Office) -> None:
    """(M55) Page by page, a half one with its progress."""
    ids: list[str] = []
    for key in "abc":
        ids.append(office.load(key=key).id)
        office.world.clock.tick(1)
    core = office.world.process()
    page = loading.page(core, "Invoices", None, 2)
    rest = loading.page(core, "Invoices", page.next_cursor, 2)
    assert [one.id for one in (*page.items, *rest.items)] == ids[::-1]
    assert rest.next_cursor is None
    with pytest.raises(Refused) as refused:
        loading.show(core, "l_" + "a" * 26)
    assert refused.value.code == "load_not_found"


# --- the records in the ledger ------------------------------------------------------------------


def test_m54_long_loads_stand_in_several_chunks(office: Office) -> None:
    """(M54) Each of at most 300 KB, however long one record is; all are read back as they were."""
    long = "x" * 120_000
    office.load("name,text\n" + "".join(f"r{n},{long}\n" for n in range(1, 6)), seconds=-1)
    chunks = commits(office.world.store, "chunk")
    assert len(chunks) == 3
    assert all(len(one.payload() or "") <= storing.CHUNK_BYTES for one in chunks)
    office.later()
    assert office.list() == "r1 r2 r3 r4 r5"


def test_m54_records_that_were_kept_once_are_read_for_good() -> None:
    """(M54, M6) As the golden file of a chunk has them, whatever writes newer ones."""
    golden = json.loads((GOLDEN / "chunk-v1-records.json").read_text())
    text = golden["commits"][0]["payload"]["0"]
    first, second = storing.parsed(text)
    assert (first.index, first.order) == (1, Order(1, "2020-01-01T10:15:55.935"))
    assert first.values["amount"] == "30.40"
    assert second.record.order.attributes() == {
        "hitOrder": 7,
        "hitOrderDate": "2026-03-11T10:15:56.935",
        "more": Raw("[1.0]"),
    }
    assert "".join(one.text for one in (first, second)) == text


def test_m54_a_record_nested_too_deep_for_its_hit_is_refused() -> None:
    """(M54) Before anything is written: what is kept can always be read again."""
    deep: object = 1
    for _ in range(64):
        deep = [deep]
    record = Record(1, {"name": "r1"}, Order(1, DATE, {"x": deep}))
    with make_world("sqlite") as world:
        office, core = made(world), world.process()
        told = Records(("name",), [record], Report())
        with pytest.raises(Refused) as refused:
            loading.load(core, "kai", office.name, told, None, "b", core.clock())
        assert refused.value.code == "invalid_records"
        assert commits(world.store, "load") == []


# --- not all in one request ---------------------------------------------------------------------


def test_m54_what_outlasts_the_request_is_done_by_the_timekeeper(office: Office) -> None:
    """(M54) Hidden until the last one is there; then all are seen, once."""
    shown = office.load(rows(101), seconds=0)
    assert (shown.created, shown.load.completed_at) == (100, None)
    assert office.list() == ""
    assert loading.show(office.world.process(), shown.id).created == 100
    office.sweep()
    assert office.list() == ""  # the request may still be at it
    office.world.clock.tick(REQUEST_SECONDS)
    office.sweep()
    assert office.list() == names(101)
    done = loading.show(office.world.process(), shown.id)
    assert (done.created, done.load.completed_at) == (101, office.world.clock())
    office.sweep()
    assert office.world.store.due(f"load/{shown.id[2:]}") is None


def test_m54_a_repeat_goes_on_with_a_half_load(office: Office) -> None:
    """(M54, M55) A hundred at least each time; undated records keep the first start."""
    first = office.load(rows(201), seconds=0)
    office.world.clock.tick(5)
    second = office.load(rows(201), seconds=0)
    third = office.load(rows(201), seconds=0)
    assert [one.created for one in (first, second, third)] == [100, 200, 201]
    assert third.load.completed_at is not None
    assert {hit.hit_order_date for hit in office.hits().values()} == {DATE}
    assert office.list() == names(201)


@pytest.mark.parametrize("there", [0, 1, 99, 100, 101, 199, 200, 201, 250])
def test_m54_progress_is_how_many_hits_there_are(there: int) -> None:
    """(M54) Found by looking at the hits themselves."""
    with make_world("sqlite") as world:
        office = made(world)
        core = world.process(before_each_step=StopsAfter(there))
        with dying():
            office.load(rows(250), core=core)
        (stream,) = [one.stream for one in commits(world.store, "load")][:1]
        load = core.executor.read(stream).head
        if there < 250:
            assert loading.created(world.process(), stream, load) == there
        assert len(office.hits()) == there


def test_q94_a_lost_counter_of_a_task_restarts_above_its_hits(office: Office) -> None:
    """(Q94) Numbers are never given twice."""
    office.load()
    core = office.world.process()
    rebuilding.rebuild(core)
    assert office.list() == names(5)
    assert core.store.take_numbers(office.bare, 1, core.clock())[0] > 5


def test_m54_ten_thousand_hidden_hits_hold_up_nobody() -> None:
    """(M54) A load that is complete is listed although a half one stands in front."""
    with make_world("sqlite") as world:
        office = made(world)
        office.load(rows(300), "half", seconds=0)
        world.clock.tick(1)
        office.load("name\nz\n", "z")
        core = world.process()
        page = worklist.page(core, "W1", "Invoices", None, None, 5)
        assert [one.data.value() for one in page.items] == [{"name": "z"}]


def test_m54_the_body_is_not_read_again() -> None:
    """(M54) A repeat goes on with what the ledger has: it is what was validated."""
    with make_world("sqlite") as world:
        office = made(world)
        office.load(rows(150), seconds=0, body="the same")
        office.load("name\nother\n", seconds=0, body="the same")
        assert office.list() == names(150)
        payloads = {world.store.commits(one)[0].payload() for one in office.hits()}
        assert {json.loads(one or "")["data"]["name"] for one in payloads} == set(
            names(150).split()
        )


def test_m54_started_is_the_moment_of_the_start(office: Office) -> None:
    """(M2, M54) Whatever the reading took: the load's start is what its records count from."""
    core = office.world.process()
    started = core.clock()
    told = Records(("name",), [Record(1, {"name": "r1"}, Order(1, DATE))], Report())
    office.world.clock.tick(3)
    shown = loading.load(core, "kai", "Invoices", told, None, "b", started)
    assert (shown.load.started_at, shown.load.completed_at) == (started, plus(started, 3))
    assert keys.manual_stream("load", shown.id) is not None
