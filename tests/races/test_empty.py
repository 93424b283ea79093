"""`empty` is said only if nothing was New for longer than an index lags (Q22), with lagging indexes."""

import pytest

from tests.races.world import Once, World, add, references, take
from tests.races.world import world as make_world
from tests.support import FakeClock
from workledger.errors import StoreError
from workledger.service import closing, items, queues, runs, sweeping
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import Fault, script
from workledger.times import plus

LAG = 0.5


def later(clock: FakeClock) -> str:
    """In a minute."""
    return plus(clock.now, 60)


def lagging(world: World, seed: int = 0) -> FaultyStore:
    """The world's store behind indexes that lag."""
    return FaultyStore(world.store, clock=world.clock, lag=LAG, seed=seed)


def shared(world: World, seed: int = 0) -> World:
    """The same world for several processes whose indexes lag together."""
    return World(lagging(world, seed), world.clock)


@pytest.mark.parametrize("seed", range(5))
def test_q22_an_item_added_a_second_ago_is_found_by_another_process(
    world: World, seed: int
) -> None:
    """The promise in its plain form."""
    world = shared(world, seed)
    queue = world.queue()
    add(world.process(), queue, "a")
    world.clock.tick(1)
    assert references(take(world.process(), queue)) == ["a"]


def test_q22_an_item_just_added_is_found_by_the_process_that_added_it(world: World) -> None:
    """A process counts what it placed itself, whatever the index shows."""
    world = shared(world)
    queue = world.queue()
    core = world.process()
    add(core, queue, "a")
    assert references(take(core, queue)) == ["a"]


@pytest.mark.parametrize("priority", [-5, 5])
def test_q22_an_item_whose_priority_another_process_changed_is_found_where_it_stood(
    world: World, priority: int
) -> None:
    """The index shows the old position for a while: the item has been New all along."""
    world = shared(world)
    queue = world.queue()
    added = add(world.process(), queue, "a").items[0]
    world.clock.tick(10)
    items.change(world.process(), "kai", added.id, {"priority": priority})
    taken = take(world.process(), queue)
    assert references(taken) == ["a"]
    assert taken.items[0].item.priority == priority


def test_q20_an_item_met_at_an_old_position_is_taken_in_its_true_order(world: World) -> None:
    """It was first, was made last a moment ago, and the index does not know yet."""
    world = shared(world)
    queue = world.queue()
    first = add(world.process(), queue, "first", priority=9).items[0]
    add(world.process(), queue, "second", priority=5)
    world.clock.tick(10)
    items.change(world.process(), "kai", first.id, {"priority": 0})
    assert references(take(world.process(), queue)) == ["second"]


def test_q22_a_deferred_item_that_another_process_made_ready_is_found(world: World) -> None:
    """It was New all along and may be taken: neither `empty` nor `deferred` is true."""
    world = shared(world)
    queue = world.queue()
    add(world.process(), queue, "a", not_before=later(world.clock))
    world.clock.tick(60)
    sweeping.sweep(world.process())
    assert references(take(world.process(), queue)) == ["a"]


def test_q22_a_deferred_item_is_told_with_its_moment(world: World) -> None:
    """Found false carries the reason, and until when."""
    queue = world.queue()
    moment = later(world.clock)
    add(world.process(), queue, "a", not_before=moment)
    taken = take(world.process(), queue)
    assert (taken.items, taken.reason, taken.retry_at) == ([], "deferred", moment)


def test_q22_a_taker_that_loses_to_a_change_takes_the_item_at_its_next_try(world: World) -> None:
    """Losing a race to something else than a take does not make an item taken."""
    queue = world.queue()
    added = add(world.process(), queue, "a").items[0]
    world.clock.tick(10)
    other = world.process()
    change = Once("append", "item/", lambda: items.change(other, "kai", added.id, {"priority": 3}))
    taken = take(world.process(before_each_step=change), queue)
    assert change.done
    assert references(taken) == ["a"]


@pytest.mark.parametrize("fault", [Fault.BUSY, Fault.UNSENT])
def test_q22_a_claim_that_failed_does_not_hide_its_item_from_the_process(
    world: World, fault: Fault
) -> None:
    """All tries of the put are throttled; a moment later another thread asks."""
    queue = world.queue()
    add(world.process(), queue, "a")
    run = runs.start(world.process(), "rob", None, 300).id
    world.clock.tick(10)
    core = world.process(plan=script({("append", n): fault for n in range(1, 13)}))
    with pytest.raises(StoreError):
        take(core, queue, run=run)
    assert references(take(core, queue, run=run)) == ["a"]


def test_q22_contended_is_said_while_a_thread_of_this_process_is_claiming_the_last_item(
    world: World,
) -> None:
    """Its claim may fail yet: the item is New until it stands."""
    queue = world.queue()
    add(world.process(), queue, "a")
    run = runs.start(world.process(), "rob", None, 300).id
    world.clock.tick(10)
    said: list[str | None] = []
    ask = Once("append", "item/", lambda: said.append(take(core, queue, run=run).reason))
    core = world.process(before_each_step=ask)
    assert references(take(core, queue, run=run)) == ["a"]
    assert said == ["contended"]
    assert take(core, queue, run=run).reason == "empty"


def behind_taken_pages(world: World, stale: int) -> None:
    """An item behind `stale` ones that a rival has taken, of which the index does not tell yet.

    One that this process placed a moment ago stands far behind.
    """
    world = shared(world)
    queue = world.queue()
    add(world.process(), queue, *[f"r{n:03}" for n in range(stale + 10)])
    world.clock.tick(10)
    core = world.process()
    run = runs.start(world.process(), "rob", None, 300).id
    mine = add(core, queue, "mine").items[0]
    rival = world.process()
    while take(rival, queue, run=run).items[0].item.number < stale:
        pass
    items.delete(world.process(), "kai", mine.id)
    assert references(take(core, queue, run=run)) == [f"r{stale:03}"]


def test_q22_items_behind_a_page_that_rivals_have_taken_are_found(world: World) -> None:
    """A page of an index holds 40."""
    behind_taken_pages(world, 40)


def test_q22_items_behind_several_pages_that_rivals_have_taken_are_found() -> None:
    """Page after page, and none of the spots between them is left out."""
    with make_world("sqlite") as world:
        behind_taken_pages(world, 100)


def test_q22_nothing_is_found_when_all_is_taken(world: World) -> None:
    """Then `empty` is right, whatever the index still shows."""
    world = shared(world)
    queue = world.queue()
    add(world.process(), queue, "a", "b")
    world.clock.tick(1)
    core = world.process()
    run = runs.start(core, "rob", None, 300).id
    taken = [take(core, queue, run=run) for _ in range(3)]
    assert [one.reason for one in taken] == [None, None, "empty"]
    assert queues.count(core, queue)["all"] <= 2
    for one in taken[:2]:
        closing.complete(core, "rob", one.items[0].id, one.items[0].claim, None)
