"""Taking the next record, or a named one; what one holds (M20, M30 to M36, M44, M54)."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.manual.people import (
    HOUR,
    Floor,
    complete_load,
    floor,
    load_records,
    make_task,
    name_of,
)
from tests.races.world import MAKERS, Before, World
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning
from workledger.manual.assigning import Assigned, Nothing
from workledger.manual_tasks.answers import Adjudication
from workledger.stores.faults_plan import Crash
from workledger.times import plus

ONE = Adjudication(1, 0)
both = pytest.mark.parametrize("kind", MAKERS)


@both
def test_m33_next_is_the_first_of_the_list(kind: str):
    """(M33) Until there is none."""
    with make_world(kind) as world:
        at = floor(world, 3)
        for name in ("1", "2", "3", "empty"):
            assert at.next("W1") == name
            world.clock.tick(1)
        assert at.active("W1") == "1 2 3"


def test_m60_an_assignment_has_all_that_is_needed_to_work(world: World):
    """(M6, M60) And an hour, from the moment at which it was found."""
    at = floor(world, 1, schema='{"type":"object"}')
    one = at.take_next("W1")
    assert isinstance(one, Assigned)
    now = world.clock.now
    assert (one.accepted_at, one.deadline, one.status) == (now, plus(now, HOUR), "ACCEPTED")
    assert (one.task_name, one.version, one.worker) == ("Check", 1, "W1")
    assert (one.instructions, one.data.text) == ("Look at it.", '{"name":"1","total":1.50}')
    assert one.schema is not None
    assert one.schema.text == '{"type":"object"}'
    assert one.custom_attributes["hitOrder"] == 1
    assert assigning.assigned(at.core(), "W1", one.id) == one
    assert assigning.active(at.core(), "W1", None, 10).items == [one]


def test_m36_taking_what_one_holds_is_the_same_assignment(world: World):
    """(M36) Also when the task was paused meanwhile."""
    at = floor(world)
    first = at.take("W1", "2")
    at.set(paused=True)
    assert at.take("W1", "2") == first


def test_m36_what_another_holds_is_not_to_be_had(world: World):
    """(M36)"""
    at = floor(world)
    at.take("W1", "2")
    refuses("hit_taken", lambda: at.take("W2", "2"))
    at.submit("W1", "2")
    refuses("hidden", lambda: at.take("W1", "2"))
    refuses("hit_not_found", lambda: assigning.take(at.core(), "W1", "h_" + "a" * 26))
    refuses("hit_not_found", lambda: assigning.take(at.core(), "W1", "nonsense"))


def refuses(code: str, ask: Callable[[], object]) -> None:
    """It is refused with this code."""
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.code == code


def test_m34_what_nobody_swept_is_taken_by_the_next(world: World):
    """(M34) The commit says first that the deadline had passed."""
    at = floor(world, 1)
    at.take("W1", "1")
    world.clock.tick(HOUR)
    assert at.next("W2") == "1"
    assert [one.status for one in at.shown("1").assignments] == ["ABANDONED", "ACCEPTED"]


def test_m34_after_the_deadline_one_takes_it_again_oneself(world: World):
    """(M31, M36) It is another assignment; the first one is over."""
    at = floor(world, 1)
    first = at.take("W1", "1")
    world.clock.tick(HOUR)
    second = at.take_next("W1")
    assert isinstance(second, Assigned)
    assert second.id != first.id
    assert assigning.assigned(at.core(), "W1", first.id).status == "ABANDONED"
    refuses("assignment_over", lambda: answering.skip(at.core(), "W1", first.id))


def test_m62_only_who_is_on_the_roster_takes(world: World):
    """(M62)"""
    at = floor(world, 2, roster=["W1"])
    assert at.next("W1") == "1"
    refuses("not_on_roster", lambda: at.next("W2"))
    refuses("not_on_roster", lambda: at.take("W2", "2"))
    assert assigning.next_of(at.core(), "W2") == Nothing("empty")


def test_m60_nothing_is_offered_of_a_task_that_is_paused_or_archived(world: World):
    """(M60) By no way."""
    at = floor(world, 2)
    at.set(paused=True)
    assert at.next("W1") == "paused"
    refuses("hidden", lambda: at.take("W1", "1"))
    assert assigning.next_of(at.core(), "W1") == Nothing("empty")
    at.set(archived=True)
    assert at.next("W1") == "archived"
    refuses("task_archived", lambda: at.take("W1", "1"))
    at.set()
    assert at.next("W1") == "1"


def test_m30_next_of_a_version(world: World):
    """(M30)"""
    at = floor(world, 2)
    assert assigning.next_of(at.core(), "W1", at.name, 2) == Nothing("empty")
    assert isinstance(assigning.next_of(at.core(), "W1", at.name, 1), Assigned)


def test_m44_any_work_is_by_the_tasks_priority_then_name(world: World):
    """(M44) Higher first; a record's place in its own list is never changed by it."""
    core = world.process()
    for name, priority in (("b", 0), ("a", 0), ("high", 5), ("low", -5)):
        task = make_task(core, name, ONE, priority=priority)
        load_records(core, task, [f"{name}1", f"{name}2"])
    make_task(core, "void", ONE, priority=9)
    paused = make_task(core, "paused", ONE, priority=8, paused=True)
    load_records(core, paused, ["p1"])
    taken: list[str] = []
    while isinstance(one := assigning.next_of(world.process(), "W1"), Assigned):
        taken.append(name_of(one))
    assert taken == ["high1", "high2", "a1", "a2", "b1", "b2", "low1", "low2"]


def test_m54_a_load_that_is_not_complete_is_not_taken_from(world: World):
    """(M54) The take looks at the load itself."""
    at = floor(world, 0)
    half = load_records(world.process(), at.task, ["a"], complete=False)
    core = world.process()
    assert at.next("W1", core) == "empty"
    refuses("hidden", lambda: at.take("W1", "a", core))
    complete_load(world.process(), half)
    assert at.next("W1", core) == "a"


# --- a lagging index ----------------------------------------------------------------------------


def test_m33_what_this_process_placed_is_taken_although_the_index_lags(world: World):
    """(M33) It remembers what it wrote."""
    core = world.process(lag=0.5, seed=1)
    task = make_task(core, rule=ONE)
    at = Floor(world, task=task)
    load_records(core, task, ["1", "2"])
    assert at.list("W1", core) == "1 2"
    assert (at.next("W1", core), at.next("W2", core)) == ("1", "2")
    assert [name_of(one) for one in assigning.active(core, "W1", None, 9).items] == ["1"]
    assert answering.sign_out(core, "W1") == 1
    assert at.next("W2", core) == "1"


def test_m33_empty_is_said_after_a_second_look(world: World):
    """(M33) A tenth of a second later, when the index may show what was just loaded."""
    at = floor(world, 0)
    core = world.process(lag=0.05, seed=1)
    before = world.clock.now
    assert at.next("W1", core) == "empty"
    assert world.clock.now == plus(before, 0.1)


# --- repeats ------------------------------------------------------------------------------------


@both
def test_m36_a_keyed_next_repeated_is_the_same_assignment(kind: str):
    """(M36) Whatever became of it since; another key takes another one."""
    with make_world(kind) as world:
        at = floor(world, 3, rule=ONE)
        first = at.take_next("W1", key="k")
        assert isinstance(first, Assigned)
        assert at.take_next("W1", key="k") == first
        answering.submit(at.core(), "W1", first.id, Raw("1"))
        assert at.take_next("W1", key="k") == first
        assert name_of(at.take_next("W1", key="l")) == "2"
        assert name_of(at.take_next("W2", key="k")) == "3"


def test_m36_a_keyed_next_of_any_task_is_repeated(world: World):
    """(M36, M44)"""
    at = floor(world, 3)
    first = assigning.next_of(at.core(), "W1", key="k")
    assert isinstance(first, Assigned)
    at.set(paused=True)
    assert assigning.next_of(at.core(), "W1", key="k") == first


def test_m36_a_key_that_brought_nothing_may_bring_something_later(world: World):
    """(M36)"""
    at = floor(world, 0)
    assert at.next("W1", key="k") == "empty"
    load_records(world.process(), at.task, ["1"])
    assert name_of(at.take_next("W1", key="k")) == "1"


@pytest.mark.parametrize("meanwhile", ["nothing", "rival", "paused"])
def test_m36_a_next_that_died_anywhere_is_answered_by_its_repeat(meanwhile: str):
    """(M36) Before each of its calls of the store; one assignment, whoever came between."""
    nth, died = 1, True
    while died:
        with make_world("sqlite") as world:
            at = floor(world, 3)
            hook = Before(nth, die)
            with suppress(Crash):
                at.next("W1", world.process(before_each_step=hook), key="k")
            died = hook.ran
            if meanwhile == "rival":
                at.next("W2")
            if meanwhile == "paused":
                at.set(paused=True)
            repeated = at.take_next("W1", key="k")
            assert at.take_next("W1", key="k") == repeated
            assert isinstance(repeated, Assigned) or meanwhile == "paused"
            world.heal()
            held = assigning.active(at.core(), "W1", None, 9).items
            assert held == ([repeated] if isinstance(repeated, Assigned) else [])
        nth += 1
    assert nth > 8


def die() -> None:
    """The process dies."""
    raise Crash


# --- one's own ----------------------------------------------------------------------------------


def test_m35_what_one_holds_is_shown_longest_held_first(world: World):
    """(M35) Of all tasks, page by page, without what is overdue."""
    at = floor(world, 5)
    for name in ("3", "1", "5"):
        at.take("W1", name)
        world.clock.tick(60)
    other = make_task(world.process(), "Other", ONE)
    load_records(world.process(), other, ["x"])
    assert name_of(assigning.next_of(at.core(), "W1", "Other")) == "x"
    at.take("W2", "2")
    assert at.active("W1") == "3 1 5 x"
    first = assigning.active(at.core(), "W1", None, 3)
    assert [name_of(one) for one in first.items] == ["3", "1", "5"]
    rest = assigning.active(at.core(), "W1", first.next_cursor, 3)
    assert ([name_of(one) for one in rest.items], rest.next_cursor) == (["x"], None)
    world.clock.tick(HOUR - 180)
    assert at.active("W1") == "1 5 x"


def test_m27_another_workers_assignment_is_not_shown(world: World):
    """(M27) Nor one that does not exist."""
    at = floor(world)
    one = at.take("W1", "1")
    refuses("not_yours", lambda: assigning.assigned(at.core(), "W2", one.id))
    for wrong in ("nonsense", keys.assignment_id("hit/" + "a" * 26, 2), f"{one.id}9"):
        refuses(
            "assignment_not_found", lambda wrong=wrong: assigning.assigned(at.core(), "W1", wrong)
        )
    at.give_back("W1", "1")
    assert assigning.assigned(at.core(), "W1", one.id).status == "RETURNED"
