"""Statistics of a manual task on both stores: M26, M61, M63."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.manual.office import deaths, each
from tests.manual.people import HOUR, Floor, floor, load_records
from tests.races.world import MAKERS, Before, Dies, World
from tests.races.world import world as make_world
from workledger import keys
from workledger.manual import counting, statistics
from workledger.manual.statistics import Sla, Statistics, WorkerCounts
from workledger.manual_tasks import statistics as rules
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.statistics import Share, Times, Upto, Worker
from workledger.service import projecting
from workledger.stores.faults_plan import Crash, Fault, Plan, Step, faults_of
from workledger.times import plus

ONE = Adjudication(1, 0)


@pytest.fixture(params=MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    """Either kind of store."""
    return request.param


@pytest.fixture
def place(kind: str) -> Iterator[World]:
    """An empty world on either store."""
    with make_world(kind) as made:
        yield made
        made.verify()


def of(here: Floor) -> Statistics:
    """The task's statistics once the projector has been."""
    here.world.heal()
    return statistics.of(here.core(), here.name)


def test_m61_what_stands_where(place: World) -> None:
    """(M61) Waiting, held, cooling, unresolved, done; who did what."""
    here = floor(place, 6, ONE)
    here.take("ann", "1")
    here.answer("ann", "2")
    here.take("bob", "3")
    here.skip("bob", "3")
    here.take("bob", "4")
    here.give_back("bob", "4")
    found = of(here)
    assert (found.waiting, found.held, found.cooling, found.done) == (4, 1, 1, 1)
    assert found.workers == (
        WorkerCounts("ann", 2, 1, 0, 0, 0),
        WorkerCounts("bob", 2, 0, 1, 0, 1),
    )
    place.clock.tick(HOUR)
    later = of(here)
    assert (later.waiting, later.held, later.cooling) == (5, 0, 0)


def test_m61_hits_of_a_load_that_is_not_complete_do_not_wait(place: World) -> None:
    """(M61, M54) Nor are they the oldest; one whose moment has come waits."""
    here = floor(place, 0, ONE)
    load_records(here.core(), here.task, ["a", "b"], complete=False)
    assert (of(here).waiting, of(here).oldest_waiting_at) == (0, None)
    moment = plus(place.clock(), 60)
    load_records(here.core(), here.task, ["c"], visible_from=moment)
    assert of(here).waiting == 0
    place.clock.tick(60)
    assert (of(here).waiting, of(here).oldest_waiting_at) == (1, moment)


def test_m61_times_are_within_two_and_a_half_percent(place: World) -> None:
    """(M61) A minute until somebody took it, five to answer."""
    here = floor(place, 2, ONE)
    created = here.world.store.commits(here.stream("1"), 0)[0].at
    assert of(here).oldest_waiting_at == created
    place.clock.tick(60)
    here.take("ann", "1")
    place.clock.tick(300)
    here.submit("ann", "1")
    found = of(here)
    assert found.waiting_seconds.p50 == pytest.approx(60, rel=0.03)
    assert found.handling_seconds.p95 == pytest.approx(300, rel=0.03)


def test_m26_starved_is_not_lost_and_blocks_no_other(place: World) -> None:
    """(M26) Both of the roster have had record 1; record 2 is worked as ever."""
    here = floor(place, 2, roster=["ann", "bob"])
    here.take("ann", "1")
    here.skip("ann", "1")
    assert of(here).starved == 0
    here.answer("bob", "1")
    assert (of(here).starved, of(here).waiting) == (1, 2)
    assert here.next("ann") == "2"
    here.submit("ann", "2")
    assert here.next("bob") == "2"
    assert of(here).starved == 1


def test_m63_met_missed_at_risk(place: World) -> None:
    """(M63) An SLA of 100 s from hitOrderDate; the last fifth is at risk."""
    here = floor(place, 0, ONE, sla_seconds=100)
    date = place.clock().removesuffix("Z")
    load_records(here.core(), here.task, ["1", "2", "3"], date=date)
    place.clock.tick(10)
    here.answer("ann", "1")
    place.clock.tick(75)
    assert of(here).sla == Sla(1, 0, 2)
    place.clock.tick(20)
    assert of(here).sla == Sla(1, 2, 0)
    here.answer("ann", "2")
    assert of(here).sla == Sla(1, 2, 0)
    here.set(sla_seconds=1_000)
    assert of(here).sla == Sla(2, 0, 0)
    here.set()
    assert of(here).sla is None


# --- counted once -------------------------------------------------------------------------------


def scene(world: World) -> tuple[Floor, list[str]]:
    """Some work, seen by the projector halfway; what moved, in order."""
    here = floor(world, 3)
    here.answer("ann", "1")
    first = [here.stream("1")]
    assert projecting.moved(world.process(), first) == []
    world.clock.tick(30)
    here.answer("bob", "1")
    here.take("ann", "2")
    here.skip("ann", "2")
    return here, [here.stream("2"), *first, here.stream("3")]


def counted(here: Floor) -> Mapping[str, Any]:
    """What stands in the statistics' stream."""
    stream, core = keys.statistics_stream(here.task), here.core()
    rows = here.world.store.things(stream)
    return {thing: core.executor.state(row) for thing, row in rows.items()}


def recount(here: Floor) -> Mapping[str, Any]:
    """The same from the ledger of hits alone."""
    shares: list[Share] = []
    found: dict[str, Any] = {}
    read = counting.instant(here.core().manual.zone)
    for name in "123":
        commits = here.world.store.commits(here.stream(name))
        share = rules.share(commits, len(commits), read)
        if share != Share():
            shares.append(share)
            found[here.stream(name)] = Upto(here.task, len(commits), share.took)
    waiting = {at: sum(one.waiting[at] for one in shares) for each in shares for at in each.waiting}
    handling = {
        at: sum(one.handling[at] for one in shares) for each in shares for at in each.handling
    }
    found["head"] = Times(dict(sorted(waiting.items())), dict(sorted(handling.items())))
    for worker in {name for one in shares for name in one.workers}:
        mine = [one.workers[worker] for one in shares if worker in one.workers]
        counts = tuple(sum(one[at] for one in mine) for at in range(len(rules.KINDS)))
        found[keys.worker_thing(worker)] = Worker(here.task, worker, counts)
    return found


def test_m61_counted_once_when_the_projector_dies_anywhere(kind: str) -> None:
    """(M61) Before each of its store calls; its batch comes again, backwards."""

    def attempt(world: World, dies: Dies) -> None:
        here, moved = scene(world)
        with suppress(Crash):
            projecting.moved(world.process(before_each_step=dies), moved)
        assert projecting.moved(world.process(), moved[::-1]) == []
        assert counted(here) == recount(here)

    assert deaths(kind, attempt) > 10


def test_m61_two_projectors_at_once_count_once(kind: str) -> None:
    """(M61) The second handles the same batch before each step of the first."""

    def attempt(world: World, nth: int) -> bool:
        here, moved = scene(world)
        hook = Before(nth, partial(projecting.moved, world.process(), moved[::-1]))
        assert projecting.moved(world.process(before_each_step=hook), moved) == []
        assert counted(here) == recount(here)
        return hook.ran

    assert each(kind, attempt) > 10


def test_m61_a_batch_is_one_commit_and_a_load_is_none(place: World) -> None:
    """(M61) Records that nobody has met contribute nothing; again is nothing."""
    here, moved = scene(place)
    stream = keys.statistics_stream(here.task)
    assert len(place.store.commits(stream)) == 1
    for _ in range(2):
        assert projecting.moved(place.process(), moved) == []
        assert len(place.store.commits(stream)) == 2


batches = st.lists(
    st.tuples(
        st.permutations("123"),
        st.booleans(),
        st.dictionaries(st.integers(1, 12), st.sampled_from(Fault), max_size=2),
    ),
    min_size=1,
    max_size=4,
)
EXAMPLES = {"sqlite": 25, "dynamodb": 3}


def test_m61_whatever_comes_twice_late_or_swapped_equals_a_recount(kind: str) -> None:
    """(M61) Work goes on between batches, whose store fails now and then."""

    @settings(max_examples=EXAMPLES[kind], deadline=None, print_blob=True, database=None)
    @given(batches)
    def check(asked: Any) -> None:
        with make_world(kind) as world:
            here = floor(world, 3)
            for turn, (order, twice, faults) in enumerate(asked):
                here.take(f"w{turn}", order[0])
                (here.submit if turn % 2 else here.skip)(f"w{turn}", order[0])
                world.clock.tick(7)
                batch = [here.stream(name) for name in order] * (1 + twice)
                with suppress(Crash):
                    projecting.moved(world.process(plan=failing(faults)), batch[1:])
            world.verify()
            assert counted(here) == recount(here)

    check()


def failing(faults: Mapping[int, Fault]) -> Plan:
    """A store that fails at these steps."""
    steps = count(1)

    def plan(step: Step) -> Fault | None:
        fault = faults.get(next(steps))
        return fault if fault in faults_of(step.method) else None

    return plan
