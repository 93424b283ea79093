"""The feed: every event, in order per stream, whatever happens to the projector (Q93)."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.races.world import MAKERS, Before, Dies, World, add, each_death, each_step, take
from tests.races.world import world as make_world
from workledger import keys
from workledger.queues.item_commands import Failure
from workledger.service import closing, feed, projecting
from workledger.service.projecting import FED_KINDS
from workledger.stores.faults_plan import Crash, Fault, Plan, Step, faults_of

EXAMPLES = {"sqlite": 80, "dynamodb": 4}


@dataclass
class Reader:
    """A client: holds back what comes before its turn, drops what it has seen."""

    position: str | None = None
    told: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    held: dict[tuple[str, int], Any] = field(default_factory=dict[tuple[str, int], Any])

    def read(self, world: World, limit: int) -> None:
        """Read on until nothing more comes."""
        while True:
            page = feed.page(world.process(), self.position, limit)
            if not page.items:
                return
            self.position = page.next_cursor
            for one in page.items:
                self.held[one.stream, one.commit] = one
                self._hand_on(one.stream)

    def _hand_on(self, stream: str) -> None:
        done = self.told.setdefault(stream, [])
        while (stream, len(done) + 1) in self.held:
            done.append(len(done) + 1)
            del self.held[stream, len(done)]


def made(world: World) -> dict[str, list[int]]:
    """What the feed is to tell."""
    found: dict[str, list[int]] = {}
    for commit in world.store.all_commits():
        if keys.kind(commit.stream) in FED_KINDS:
            found.setdefault(commit.stream, []).append(commit.number)
    return found


def work(world: World, queue: str, rounds: int) -> list[str]:
    """Some rounds; the streams that moved, in order."""
    moved: list[str] = []
    for _ in range(rounds):
        moved += [_stream(one.id) for one in add(world.process(), queue, "a", None).items]
        taken = take(world.process(), queue)
        moved.append(keys.run_stream(taken.run))
        for one in taken.items:
            failure = Failure("x", retry=False)
            closing.fail(world.process(), "rob", one.id, one.claim, failure)
            moved += [_stream(one.id)] * 2
    return moved


def _stream(item: str) -> str:
    located = keys.item_of(item)
    assert located is not None
    return located[0]


batches = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.permutations(range(6)),
        st.booleans(),
        st.sampled_from([1, 2, 3, 100]),
        st.dictionaries(st.integers(1, 12), st.sampled_from(Fault), max_size=2),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("kind", MAKERS)
def test_q93_delayed_swapped_repeated_batches_lose_nothing(kind: str) -> None:
    """The projector gets what moved in pieces, twice, out of order, and fails now and then.

    What failed comes again, as a stream's records do; a reader reads on all the while.
    """

    @settings(max_examples=EXAMPLES[kind], deadline=None, print_blob=True, database=None)
    @given(batches)
    def check(asked: Any) -> None:
        with make_world(kind) as world:
            fed_by(world, asked)

    check()


def fed_by(world: World, asked: Any) -> None:
    """One history."""
    queue = world.queue()
    reader = Reader()
    waiting = [keys.queue_stream("Invoices")]
    for rounds, order, twice, limit, faults in asked:
        waiting += work(world, queue, rounds)
        batch = [waiting[at % len(waiting)] for at in order] if waiting else []
        batch = batch * 2 if twice else batch
        try:
            failed = projecting.moved(world.process(plan=_plan(dict(faults))), batch)
        except Crash:
            failed = batch
        waiting = [one for one in waiting if one not in batch or one in failed]
        reader.read(world, limit)
        for stream, told in reader.told.items():
            assert told == list(range(1, len(told) + 1)), stream
    while waiting:
        waiting = projecting.moved(world.process(), waiting)
    reader.read(world, 3)
    assert reader.told == made(world)
    assert reader.held == {}


def _plan(faults: dict[int, Fault]) -> Plan:
    steps = count(1)

    def plan(step: Step) -> Fault | None:
        fault = faults.get(next(steps))
        return fault if fault in faults_of(step.method) else None

    return plan


def _scene(world: World, name: str = "Invoices") -> list[str]:
    return [keys.queue_stream(name), *work(world, world.queue(name), 1)]


def test_q93_nothing_is_lost_when_the_projector_dies_anywhere(kind: str) -> None:
    """Before each of its store calls; its batch comes again, to another process."""

    def attempt(world: World, dies: Dies) -> None:
        reader, moved = Reader(), _scene(world)
        with suppress(Crash):
            projecting.moved(world.process(before_each_step=dies), moved)
        reader.read(world, 5)
        assert projecting.moved(world.process(), moved) == []
        reader.read(world, 5)
        assert reader.held == {}
        assert reader.told == made(world)

    assert each_death(kind, attempt) > 10


def test_q93_two_projectors_at_once_feed_each_event_once(kind: str) -> None:
    """The second handles the same batch, backwards, before each step of the first."""

    def attempt(world: World, nth: int) -> bool:
        moved = _scene(world)
        hook = Before(nth, partial(projecting.moved, world.process(), moved[::-1]))
        assert projecting.moved(world.process(before_each_step=hook), moved) == []
        page = feed.page(world.process(), None, 1000)
        told = [(one.stream, one.commit) for one in page.items if one.index == 0]
        assert sorted(told) == sorted(
            (at, n) for at, numbers in made(world).items() for n in numbers
        )
        return hook.ran

    assert each_step(kind, attempt) > 10


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_q93_a_position_says_the_same_however_much_is_read_at_once(limit: int) -> None:
    """Pages of any size are one sequence per stream, and a position stays good while more comes."""
    with make_world("sqlite") as world:
        reader, other = Reader(), Reader()
        for name in "abc":
            projecting.moved(world.process(), _scene(world, name))
            reader.read(world, limit)
            again = feed.page(world.process(), reader.position, limit)
            assert (again.items, again.next_cursor) == ([], reader.position)
        other.read(world, 2)
        assert reader.told == other.told == made(world)
