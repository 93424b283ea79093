"""Two processes whose clocks are ten minutes apart: order is the store's, nothing is lost (Q20)."""

from dataclasses import dataclass

import pytest

from tests.races.world import Once, World, add, references, take
from tests.races.world import world as make_world
from tests.support import FakeClock
from workledger import keys
from workledger.service import closing, items, queues, rebuilding, runs
from workledger.service.core import Core
from workledger.stores.faults_plan import Crash
from workledger.times import plus

APART = 600


def slow_clock(world: World) -> FakeClock:
    """A clock that is ten minutes behind."""
    return FakeClock(plus(world.clock.now, -APART))


def apart(world: World) -> tuple[Core, Core]:
    """A process that is right, and one that is ten minutes behind."""
    return world.process(), world.process(clock=slow_clock(world))


def test_q20_arrival_is_the_stores_whatever_the_clocks_say(world: World) -> None:
    """An add that was answered before another began stands before it, in number and in date."""
    queue = world.queue()
    right, behind = apart(world)
    ids: list[str] = []
    for number in range(6):
        core = (right, behind)[number % 2]
        ids.append(add(core, queue, f"r{number}").items[0].id)
    found = [items.show(right, one).item for one in ids]
    assert [one.number for one in found] == [1, 2, 3, 4, 5, 6]
    assert [one.arrived for one in found] == sorted(one.arrived for one in found)
    line = world.store.read_line(keys.queue_line(queue, "new"), limit=10)
    assert [one.tie for one in line] == ids
    run = runs.start(right, "rob", None, 86_400).id
    taken = [references(take((behind, right)[n % 2], queue, run=run))[0] for n in range(6)]
    assert taken == [f"r{number}" for number in range(6)]


def test_q23_no_item_is_lost_or_given_twice(world: World) -> None:
    """Both add, take, close, put back, in turn; each item is completed once."""
    queue = world.queue(retries=3)
    cores = apart(world)
    started = [runs.start(core, "rob", None, 86_400).id for core in cores]
    for number in range(10):
        add(cores[number % 2], queue, f"r{number}")
    done: list[str | None] = []
    for number in range(20):
        core, run = cores[number % 2], started[number % 2]
        for one in take(core, queue, run=run).items:
            other = cores[(number + 1) % 2]
            closing.complete(other, "rob", one.id, one.claim, None)
            done.append(one.item.reference)
    assert sorted(map(str, done)) == sorted(f"r{number}" for number in range(10))
    assert queues.count(world.process(), queue)["completed"] == 10
    world.verify()


@dataclass
class Ticking(FakeClock):
    """Each look at it takes a millisecond."""

    def __call__(self) -> str:
        self.tick(0.001)
        return self.now


def test_q47_time_that_passes_within_a_request_leaves_no_empty_commit() -> None:
    """An item becomes due between any two looks at the clock."""
    with make_world("sqlite") as world:
        for ahead in range(1, 40):
            queue = world.queue(f"Q{ahead}")
            clock = Ticking(world.clock.now)
            add(world.process(), queue, "a", not_before=plus(clock.now, ahead / 1000))
            core = world.process(clock=clock)
            while not take(core, queue).items:
                pass
        assert all(commit.events for commit in world.store.all_commits())


def test_q47_who_is_ahead_makes_ready_and_who_is_behind_takes(world: World) -> None:
    """A deferred item is due by the clock of whoever looks; once ready it is ready for all."""
    queue = world.queue()
    right, behind = apart(world)
    add(behind, queue, "a", not_before=plus(world.clock.now, -60))
    assert take(behind, queue).reason == "deferred"
    assert references(take(right, queue)) == ["a"]


@pytest.mark.parametrize("ago", [0, APART])
def test_q26_what_a_dead_writer_left_is_finished_by_either(world: World, ago: int) -> None:
    """Died between commit and placing: by the finder's clock it was long ago, or is yet to come."""
    queue = world.queue()
    right, behind = apart(world)
    add(right, queue, "a", "b")
    clock = FakeClock(plus(world.clock.now, -ago))
    run = runs.start(world.process(clock=clock), "eve", None, 86_400).id
    dies = Once(("append.head", "place"), "item/", _die)
    with pytest.raises(Crash):
        take(world.process(clock=clock, before_each_step=dies), queue, "eve", run=run)
    finder = right if ago else behind
    run = runs.start(finder, "rob", None, 86_400).id
    taken = [references(take(finder, queue, run=run)) for _ in range(3)]
    assert sorted(map(str, taken)) == ["['b']", "[]", "[]"]
    assert rebuilding.check(world.process()) == []
    assert [one.number for one in world.store.commits(keys.item_stream(queue, "a"))] == [1, 2]


def _die() -> None:
    raise Crash


def test_q52_a_run_that_beats_is_not_taken_away_by_a_clock_within_its_lease(world: World) -> None:
    """A lease that is longer than the clocks are apart holds against both."""
    queue = world.queue(retries=1)
    slow = slow_clock(world)
    right, behind = world.process(), world.process(clock=slow)
    add(right, queue, "a")
    taken = take(behind, queue, lease_seconds=APART * 2)
    for _ in range(5):
        world.clock.tick(APART - 10)
        slow.tick(APART - 10)
        runs.heartbeat(behind, "rob", taken.run)
        assert take(right, queue, "eve").reason == "empty"
    one = taken.items[0]
    assert closing.complete(behind, "rob", one.id, one.claim, None).item.status_name == "completed"
