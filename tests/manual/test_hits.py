"""Hits as requesters see them; what a dead writer left (M23, M26, M43, M60)."""

from functools import partial

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
from workledger.jsontext import Raw
from workledger.ledger.commit import Event
from workledger.manual import answering, assigning, common, hits, results
from workledger.manual_tasks import task as tasks
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.hit import Hit
from workledger.manual_tasks.ordering import FIFO, Kind, Ordering, dump
from workledger.service import projecting, rebuilding
from workledger.times import plus

ONE = Adjudication(1, 0)
both = pytest.mark.parametrize("kind", MAKERS)


def names(at: Floor, status: str | None = None, load: str | None = None) -> str:
    """The names of the task's hits of a status."""
    page = hits.page(at.core(), at.name, status, load, None, 100)
    assert page.next_cursor is None
    return " ".join(name_of(one) for one in page.items)


@both
def test_m60_hits_are_listed_by_status(kind: str):
    """(M60) By time: who held one too long holds it no more, although nothing was written."""
    with make_world(kind) as world:
        at = floor(world, 6, rule=Adjudication(2, 0))
        at.answer("W1", "1", "1")
        at.answer("W2", "1", "1")
        at.answer("W1", "2", "1")
        at.answer("W2", "2", "2")
        at.take("W1", "3")
        world.clock.tick(60)
        at.take("W1", "4")
        at.answer("W1", "5", "1")
        assert names(at) == "1 2 3 4 5 6"
        assert (names(at, "waiting"), names(at, "held")) == ("5 6", "3 4")
        assert (names(at, "unresolved"), names(at, "done")) == ("2", "1")
        world.clock.tick(HOUR - 60)
        assert (names(at, "waiting"), names(at, "held")) == ("5 6 3", "4")


@both
def test_m54_hits_of_half_a_load_are_in_no_list(kind: str):
    """(M54) Of requesters neither: all of them are there at once, by status and in the results."""
    with make_world(kind) as world:
        at = floor(world, 2)
        load = load_records(world.process(), at.task, ["h1", "h2"], complete=False)
        bare = keys.manual_id(load)
        assert (names(at), names(at, "waiting"), names(at, load=bare)) == ("1 2", "1 2", "")
        assert len(results.rows(at.core(), at.name, None, None, 100).items) == 2
        complete_load(world.process(), load)
        assert (names(at), names(at, load=bare)) == ("1 2 h1 h2", "h1 h2")
        assert len(results.rows(at.core(), at.name, None, None, 100).items) == 4


def test_m60_a_hit_is_shown_with_all_that_became_of_it(world: World):
    """(M6, M60)"""
    at = floor(world, 1, rule=Adjudication(2, 1))
    start = world.clock.now
    world.clock.tick(1)
    at.answer("W1", "1", '{"a":1.50}')
    taken = at.take("W2", "1")
    shown = at.shown("1")
    assert (shown.task, shown.load) == (f"t_{at.task}", f"l_{keys.bare(at.load)}")
    assert (shown.version, shown.record, shown.status) == (1, 1, "held")
    assert (shown.created_at, shown.visible_from, shown.decision) == (start, None, None)
    assert shown.data.text == '{"name":"1","total":1.50}'
    assert shown.custom_attributes == {
        "hitOrder": 1,
        "hitOrderDate": DATE,
        "note": Raw('"kept"'),
    }
    one, two = shown.assignments
    assert (one.worker, one.status, one.answer) == ("W1", "SUBMITTED", Raw('{"a":1.50}'))
    assert (two.id, two.worker, two.status, two.answer) == (taken.id, "W2", "ACCEPTED", None)
    assert (two.deadline, two.at) == (plus(world.clock.now, HOUR), world.clock.now)
    world.clock.tick(HOUR)
    overdue = at.shown("1").assignments[1]
    assert (overdue.status, overdue.at) == ("ABANDONED", taken.deadline)


def test_m60_hits_of_a_load_are_in_the_order_of_its_file(world: World):
    """(M60) Of one load only; with a status, those of it that have it."""
    at = floor(world, 3, rule=ONE)
    other = load_records(world.process(), at.task, ["x", "y", "z"], date="2019")
    load = keys.manual_id(other)
    at.answer("W1", "y")
    assert names(at, load=load) == "x y z"
    assert names(at, "done", load) == "y"
    foreign = make_task(world.process(), "Other")
    theirs = load_records(world.process(), foreign, ["a"])
    for wrong in ("nonsense", "l_" + "a" * 26, keys.manual_id(theirs)):
        with pytest.raises(Refused) as refused:
            hits.page(at.core(), at.name, None, wrong, None, 10)
        assert refused.value.code == "load_not_found"


@pytest.mark.parametrize("status", [None, "waiting", "load"])
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_m60_pages_make_the_whole_list(world: World, status: str | None, limit: int):
    """(M60) Each hit once, in every list."""
    at = floor(world, 7)
    at.take("W1", "2")
    world.clock.tick(HOUR)
    timed = plus(world.clock.now, 60)
    load_records(world.process(), at.task, ["t1", "t2"], visible_from=timed)
    load = keys.manual_id(at.load) if status == "load" else None
    wanted = None if status == "load" else status
    found: list[str] = []
    cursor = None
    while True:
        page = hits.page(at.core(), at.name, wanted, load, cursor, limit)
        found += [name_of(one) for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    expected = [str(n) for n in range(1, 8)]
    assert sorted(found) == expected if load else sorted([*expected, "t1", "t2"])


def test_m60_what_is_no_hit_is_not_found(world: World):
    """(M60) Nor a cursor of another list."""
    at = floor(world, 2)
    for wrong in ("nonsense", "h_" + "a" * 26):
        for ask in (hits.show, partial(hits.history, cursor=None, limit=10)):
            with pytest.raises(Refused) as refused:
                ask(at.core(), wrong)
            assert refused.value.code == "hit_not_found"
    with pytest.raises(Refused) as refused:
        hits.page(at.core(), at.name, "done", None, "nonsense", 10)
    assert refused.value.code == "invalid_query"


def test_m60_the_history_of_a_hit(world: World):
    """(M60) Every event, oldest first, page by page."""
    at = floor(world, 1, rule=ONE)
    at.answer("W1", "1")
    page = hits.history(at.core(), at.hit("1"), None, 2)
    rest = hits.history(at.core(), at.hit("1"), page.next_cursor, 10)
    types = [one.event.type for one in (*page.items, *rest.items)]
    assert types == ["HitCreated", "AssignmentAccepted", "AnswerSubmitted", "HitDecided"]
    assert [one.actor for one in rest.items] == ["W1", "W1"]


# --- the order changes --------------------------------------------------------------------------


def change_order(at: Floor) -> None:
    """A second ordering begins to be filled."""
    coming = Event(tasks.ORDERING_CHANGED, {"ordering": dump(Ordering(2, Kind(FIFO)))})
    core = at.core()
    core.executor.run(core.command(f"task/{at.task}", "system", lambda _: [coming]))


def placed(at: Floor, name: str) -> list[int]:
    """In which orderings a hit stands."""
    hit: Hit = at.core().executor.read(at.stream(name)).head
    return [one.ordering for one in hit.places]


@both
def test_m43_what_waits_and_was_not_placed_is_placed_by_the_projector(kind: str):
    """(M43) Its writer had read the order before, and died."""
    with make_world(kind) as world:
        at = floor(world, 3, rule=ONE)
        at.answer("W1", "3")
        at.take("W1", "2")
        change_order(at)
        streams = [at.stream(name) for name in "123"]
        assert projecting.moved(world.process(), streams) == []
        assert [placed(at, name) for name in "123"] == [[1, 2], [1, 2], []]
        assert at.active("W1") == "2"
        assert rebuilding.check(world.process()) == []


def test_m43_a_record_that_is_open_again_stands_in_the_newest_order(world: World):
    """(M43, M60) Also when the order changed while it was being rejected."""
    at = floor(world, 2, rule=ONE)
    one = at.take("W1", "1")
    answering.submit(at.core(), "W1", one.id, Raw("1"))
    change_order(at)
    answering.reject(at.core(), "kai", one.id, "")
    assert placed(at, "1") == [1, 2]
    assert common.is_placed(common.find_task(at.core(), at.name).task, hit_of(at, "1"))
    assert assigning.next_of(at.core(), "W2", at.name) != assigning.Nothing("empty")


def hit_of(at: Floor, name: str) -> Hit:
    """A hit's state."""
    return at.core().executor.read(at.stream(name)).head
