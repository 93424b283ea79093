"""What a worker sees: the documented lists, and what hides a record from whom (M20 to M38)."""

from functools import partial
from typing import Any

import pytest

from tests.manual.people import (
    DATE,
    HOUR,
    Floor,
    complete_load,
    floor,
    load_records,
    make_task,
    name_of,
)
from tests.races.world import MAKERS, World
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.keys import worker_thing
from workledger.manual import assigning, worklist
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.answers import Adjudication
from workledger.service import paging
from workledger.times import plus

ONE = Adjudication(1, 0)

both = pytest.mark.parametrize("kind", MAKERS)


@both
def test_m20_the_documented_adjudication_flow(kind: str):
    """(M20, M21, M22, M28) Its lists, one after the other, on both stores."""
    with make_world(kind) as world:
        at = floor(world)
        assert (at.list("W1"), at.list("W2")) == ("1 2 3 4 5", "1 2 3 4 5")
        at.take("W1", "1")
        assert at.list("W2") == "2 3 4 5"
        at.take("W2", "2")
        at.submit("W1", "1")
        assert at.list("W1") == "3 4 5"
        at.take("W1", "3")
        assert at.list("W1") == "4 5"
        assert (at.list("W2"), at.list("W3")) == ("1 4 5", "1 4 5")
        at.submit("W2", "2")
        assert at.list("W1") == "2 4 5"


def test_m28_two_alone_answer_every_record_once_each(world: World):
    """(M28) To the end: both lists are empty, every record is decided."""
    at = floor(world)
    for worker in ("W1", "W2"):
        while at.next(worker) != "empty":
            at.submit(worker, at.active(worker))
    assert (at.list("W1"), at.list("W2")) == ("", "")
    for name in "12345":
        shown = at.shown(name)
        assert [one.worker for one in shown.assignments] == ["W1", "W2"]
        assert shown.decision is not None
        assert shown.decision.by == "agreement"


def test_m21_a_submitted_record_is_offered_to_others_and_never_again_to_oneself(world: World):
    """(M21, M23) Where it stood before."""
    at = floor(world)
    at.answer("W1", "2")
    world.clock.tick(10 * HOUR)
    assert (at.list("W1"), at.list("W2")) == ("1 3 4 5", "1 2 3 4 5")


def test_m7_returns_and_late_arrivals_never_change_the_order(world: World):
    """(M1, M7)"""
    at = floor(world)
    for worker, name in (("W1", "1"), ("W2", "2"), ("W3", "3")):
        at.take(worker, name)
    for worker, name in (("W3", "3"), ("W1", "1"), ("W2", "2")):
        at.give_back(worker, name)
    load_records(world.process(), at.task, ["early"], date="2019-01-01T00:00:00.000")
    assert at.list("W4") == "early 1 2 3 4 5"


def test_m4_a_full_tie_is_in_the_order_of_creation(world: World):
    """(M4) The same date and the same order, by loads one after the other."""
    at = Floor(world, task=make_task(world.process()))
    for name in ("z", "m", "a", "k"):
        load_records(world.process(), at.task, [name])
    assert at.list("W1") == "z m a k"


def test_m26_a_record_that_nobody_left_may_answer_blocks_no_other(world: World):
    """(M26) Two on the roster do not agree: it waits, and is not lost."""
    at = floor(world, 2, roster=["W1", "W2"])
    for worker in ("W1", "W2"):
        at.answer(worker, "1", f'"{worker}"')
    assert (at.list("W1"), at.list("W2"), at.shown("1").status) == ("2", "2", "waiting")
    at.answer("W1", "2")
    at.answer("W2", "2")
    assert (at.next("W1"), at.next("W2")) == ("empty", "empty")


def test_m5_a_record_dated_in_the_future_is_listed(world: World):
    """(M5) After the others."""
    at = floor(world, 2)
    load_records(world.process(), at.task, ["late"], date="2999-01-01T00:00:00.000")
    load_records(world.process(), at.task, ["same"], date=DATE)
    assert at.list("W1") == "1 same 2 late"


def test_m35_a_skipped_record_is_hidden_for_good(world: World):
    """(M35) From this worker only."""
    at = floor(world)
    at.take("W1", "3")
    at.skip("W1", "3")
    world.clock.tick(10 * HOUR)
    assert (at.list("W1"), at.list("W2")) == ("1 2 4 5", "1 2 3 4 5")


def test_m32_what_one_gave_back_comes_again_at_the_old_deadline(world: World):
    """(M32, M34) To the millisecond; others see it at once."""
    at = floor(world)
    at.take("W1", "1")
    at.give_back("W1", "1")
    world.clock.tick(HOUR - 0.001)
    assert (at.list("W1"), at.list("W2")) == ("2 3 4 5", "1 2 3 4 5")
    world.clock.tick(0.001)
    assert at.list("W1") == "1 2 3 4 5"


def test_m34_from_the_deadline_on_everybody_sees_it_without_a_sweep(world: World):
    """(M31, M34) Nothing was written meanwhile."""
    at = floor(world)
    at.take("W1", "1")
    world.clock.tick(HOUR - 0.001)
    assert at.list("W2") == "2 3 4 5"
    world.clock.tick(0.001)
    assert (at.list("W1"), at.list("W2")) == ("1 2 3 4 5", "1 2 3 4 5")
    assert at.active("W1") == ""


def test_m14_a_record_is_listed_from_its_moment_on(world: World):
    """(M14, M33) Nothing has to run: the moment stands in its place."""
    at = floor(world, 2)
    moment = plus(world.clock.now, 10)
    load_records(world.process(), at.task, ["timed"], visible_from=moment, date=DATE)
    world.clock.tick(9.999)
    assert at.list("W1") == "1 2"
    world.clock.tick(0.001)
    assert at.list("W1") == "1 timed 2"


def test_m54_records_of_a_load_are_seen_together(world: World):
    """(M54) When it is complete, not before; also by a process that looked before."""
    at = floor(world, 1)
    core = world.process()
    half = load_records(world.process(), at.task, ["a", "b"], complete=False)
    assert at.list("W1", core) == "1"
    with pytest.raises(Refused) as refused:
        assigning.take(at.core(), "W1", keys.manual_id(keys.hit_stream(half, 1)))
    assert refused.value.code == "hidden"
    complete_load(world.process(), half)
    assert at.list("W1", core) == "1 a b"


def test_m30_only_the_version_that_is_asked_for(world: World):
    """(M30) All versions share one list."""
    at = floor(world, 2)
    assert at.list("W1", version=1) == "1 2"
    assert at.list("W1", version=2) == ""


def test_m62_who_is_not_on_the_roster_sees_nothing(world: World):
    """(M62)"""
    at = floor(world, 2, roster=["W1"])
    assert at.list("W1") == "1 2"
    with pytest.raises(Refused) as refused:
        at.list("W2")
    assert refused.value.code == "not_on_roster"


def test_m30_an_archived_task_offers_nothing(world: World):
    """(M30) Of a task that nobody knows: 404."""
    at = floor(world, 2)
    at.set(archived=True)
    assert at.list("W1") == ""
    with pytest.raises(Refused) as refused:
        worklist.page(world.process(), "W1", "Nowhere", None, None, 10)
    assert refused.value.code == "task_not_found"


def test_m6_a_listed_record_carries_its_order(world: World):
    """(M6) Its customAttributes, with what else came with it; the data digit for digit."""
    one = floor(world, 1).page("W1").items[0]
    assert list(one.custom_attributes) == ["hitOrder", "hitOrderDate", "note"]
    assert one.custom_attributes["hitOrder"] == 1
    assert one.data.text == '{"name":"1","total":1.50}'


def test_m27_a_list_says_nothing_of_what_others_did(world: World):
    """(M27) Not even how many answers there are."""
    at = floor(world, 1)
    before = at.page("W3").items
    at.answer("W1", "1", '"no"')
    at.answer("W2", "1", '"secret"')
    assert at.page("W3").items == before


# --- paging -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 7, 100])
def test_m37_pages_make_the_whole_list(world: World, limit: int):
    """(M37) Each record once, whatever lies between."""
    at = floor(world, 30, rule=ONE)
    for name in ("2", "3", "4", "17"):
        at.take("W1", name)
        at.skip("W1", name)
    at.take("W2", "9")
    names: list[str] = []
    cursor = None
    while True:
        page = at.page("W1", cursor=cursor, limit=limit)
        names += [name_of(one) for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.items) == limit
    hidden = {2, 3, 4, 9, 17}
    assert names == [str(n) for n in range(1, 31) if n not in hidden]


def test_m37_a_page_that_ends_the_list_says_so(world: World):
    """(M37)"""
    assert floor(world, 3).page("W1", limit=3).next_cursor is None


def test_m43_a_cursor_of_another_order_is_refused(world: World):
    """(M43)"""
    at = floor(world, 3)
    cursor = at.page("W1", limit=1).next_cursor
    assert cursor is not None
    other = paging.encode(2, *paging.decode(cursor, int, *paging.SPOT)[1:])
    for wrong in (other, "nonsense"):
        with pytest.raises(Refused) as refused:
            at.page("W1", cursor=wrong)
        assert refused.value.code == "invalid_query"


# --- how many requests --------------------------------------------------------------------------


def requests(at: Floor, worker: str, lag: float = 0.0) -> tuple[str, int]:
    """What `next` gives a worker in a fresh process, and the calls of the store for it.

    A store whose lines lag reads both lines, page by page.
    """
    steps: list[object] = []
    found = at.next(worker, at.world.process(plan=steps.append, lag=lag))
    return found, len(steps)


@pytest.mark.parametrize("lag", [0.0, 0.5])
def test_m54_ten_thousand_records_of_a_load_that_is_not_complete_cost_few_requests(
    world: World, lag: float
):
    """(M54) They stand in front, and are dropped by what their place tells."""
    at = floor(world, 1)
    _, usual = requests(at, "W0", lag)
    names = [f"n{index}" for index in range(10_000)]
    early = "2019-01-01T00:00:00.000"
    load_records(world.process(), at.task, names, complete=False, date=early)
    load_records(world.process(), at.task, names[:3_000], visible_from="2999", date=early)
    at.submit("W0", "1")
    found, asked = requests(at, "W1", lag)
    assert found == "1"
    assert asked <= usual + 10


def test_m37_next_is_flat(world: World):
    """(M37) As many requests at 20,000 waiting as at 1,000."""
    at = Floor(world, task=make_task(world.process(), rule=ONE))
    load_records(world.process(), at.task, [f"a{n}" for n in range(1_000)])
    found, usual = requests(at, "W1")
    assert found == "a0"
    load_records(world.process(), at.task, [f"b{n}" for n in range(20_000)])
    assert requests(at, "W2") == ("b0", usual)


@pytest.mark.parametrize("lag", [0.0, 0.5])
@pytest.mark.parametrize("how", [hit_commands.skip, hit_commands.give_back])
def test_m37_who_excluded_five_thousand_is_served_by_few_requests(
    world: World, how: Any, lag: float
):
    """(M37, M38) Both lines are read in order and page by page; what cools is read strongly."""
    at = Floor(world, task=make_task(world.process(), rule=ONE))
    names = [f"a{n}" for n in range(5_100)]
    at.load = load_records(world.process(), at.task, names)
    _, usual = requests(at, "W0", lag)
    count = 5_000 if how is hit_commands.skip else 500
    give_up(at, "busy", range(2, count + 1), how)
    found, asked = requests(at, "busy", lag)
    assert found == f"a{count}"
    assert asked <= usual + (10 if how is hit_commands.skip else 25)


def test_m37_exclusions_of_records_that_are_closed_cost_nothing(world: World):
    """(M37, M38) What is decided stands on no list, nor on the lists of those who answered."""
    at = Floor(world, task=make_task(world.process(), rule=ONE))
    at.load = load_records(world.process(), at.task, [f"a{n}" for n in range(1_000)])
    _, usual = requests(at, "W0")
    done = partial(hit_commands.submit, digest="d", payload="1")
    give_up(at, "busy", range(2, 900), done)
    assert requests(at, "busy") == ("a899", usual)


def test_m20_records_that_are_in_work_are_passed_in_few_requests(world: World):
    """(M20) A hundred people hold the first hundred."""
    at = Floor(world, task=make_task(world.process(), rule=ONE))
    load_records(world.process(), at.task, [f"a{n}" for n in range(150)])
    _, usual = requests(at, "W0")
    for n in range(1, 100):
        assert at.next(f"W{n}", world.process()) == f"a{n}"
    found, asked = requests(at, "late")
    assert found == "a100"
    assert asked <= usual + 5


def give_up(at: Floor, worker: str, indexes: range, how: Any) -> None:
    """Have a worker take these records of the load, and end it in this way."""
    core, things = at.world.process(), (worker_thing(worker), "p1")
    now = core.clock()
    streams = [keys.hit_stream(at.load, index) for index in indexes]
    take = partial(hit_commands.take, worker=worker, deadline=plus(now, HOUR), now=now)
    for chunk in (streams[one : one + 500] for one in range(0, len(streams), 500)):
        taken = core.executor.run_all([core.command(one, worker, take, things) for one in chunk])
        numbers = [one.head.holder.take for one in taken]
        end = [partial(how, worker=worker, take=one, now=now) for one in numbers]
        commands = [
            core.command(one, worker, decide, things)
            for one, decide in zip(chunk, end, strict=True)
        ]
        for result in core.executor.run_all(commands):
            result.unwrap()
