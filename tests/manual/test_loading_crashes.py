"""Loads while processes die, stores fail, and others do the same (M54, M55)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.manual.office import FIVE, Office, StopsAfter, deaths, dying, each, names, rows
from tests.races.world import MAKERS, Dies, World, commits, engine
from tests.races.world import world as make_world
from workledger.manual_tasks.load import REQUEST_SECONDS
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import Fault, Interrupt, Step, faults_of

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


# --- crashes ------------------------------------------------------------------------------------


def recovered(office: Office, text: str = FIVE, count: int = 5) -> None:
    """All records are there, once; the load is complete."""
    assert office.list() == names(count)
    assert len(office.hits()) == count
    started = [one for one in commits(office.world.store, "load") if one.number == 1]
    assert len(started) == 1
    assert office.load(text).load.completed_at is not None
    assert len(office.hits()) == count


def test_m54_who_dies_anywhere_repeats_with_the_key(kind: str) -> None:
    """(M54, M55) A crash at every call to the store: then exactly the records, once."""

    def attempt(world: World, dies: Dies) -> None:
        office = made(world)
        with dying():
            office.load(core=world.process(before_each_step=dies))
        world.clock.tick(7)
        assert office.list() in ("", names(5))
        assert office.load().created == 5
        world.heal()
        recovered(office)

    assert deaths(kind, attempt) > 25


def test_m54_who_dies_anywhere_is_followed_by_the_timekeeper(kind: str) -> None:
    """(M54) All or nothing: once the load was started, all."""

    def attempt(world: World, dies: Dies) -> None:
        office = made(world)
        with dying():
            office.load(core=world.process(before_each_step=dies))
        started = bool(commits(world.store, "load"))
        office.later()
        assert office.list() == (names(5) if started else "")
        office.load()
        recovered(office)

    assert deaths(kind, attempt) > 25


def test_m54_the_timekeeper_dies_too(kind: str) -> None:
    """(M54) While it goes on with a half load, at every call; the next one ends it."""

    def attempt(world: World, dies: Dies) -> None:
        office = made(world)
        with dying():
            office.load(core=world.process(before_each_step=StopsAfter(2)))
        world.clock.tick(REQUEST_SECONDS)
        with dying():
            office.sweep(world.process(before_each_step=dies))
        office.later()
        recovered(office)

    assert deaths(kind, attempt) > 20


def test_m54_a_long_load_dies_here_and_there() -> None:
    """(M54) Between batches and within them."""
    for nth in range(1, 900, 61):
        with make_world("sqlite") as world:
            office = made(world)
            with dying():
                office.load(rows(205), core=world.process(before_each_step=Dies(nth)))
            office.load(rows(205))
            world.heal()
            recovered(office, rows(205), 205)
            world.verify()


FAULTS = [
    (method, fault)
    for method in ("append", "take_numbers", "load", "rows", "commits_at", "place")
    for fault in sorted(faults_of(method), key=lambda one: one.name)
]


@pytest.mark.parametrize(("method", "fault"), FAULTS, ids=lambda one: getattr(one, "name", one))
def test_m54_whatever_the_store_answers(method: str, fault: Fault) -> None:
    """(M54, M55) Each kind of failure of each call: a repeat ends with the records, once."""

    def attempt(world: World, nth: int) -> bool:
        office = made(world)
        core = world.process(plan={Step(method, nth): fault}.get)
        assert isinstance(core.store, FaultyStore)
        with dying():
            office.load(core=core)
        office.load()
        world.heal()
        recovered(office)
        return bool(core.store.faults)

    each("sqlite", attempt)


# --- two at once --------------------------------------------------------------------------------


def test_m55_the_same_load_sent_twice_at_once(kind: str) -> None:
    """(M55) The second one before each step of the first: one load, its records once."""

    def attempt(world: World, nth: int) -> bool:
        office = made(world)
        meanwhile = Interrupt(nth, office.load)
        shown = office.load(core=world.process(before_each_step=meanwhile))
        assert shown.created == 5
        recovered(office)
        return meanwhile.ran

    assert each(kind, attempt) > 25


def test_m54_the_timekeeper_and_the_request_at_once() -> None:
    """(M54) A request that outlasts its time: both make the same hits."""

    def attempt(world: World, nth: int) -> bool:
        office = made(world)

        def other() -> None:
            world.clock.tick(REQUEST_SECONDS)
            office.sweep()

        meanwhile = Interrupt(nth, other)
        office.load(core=world.process(before_each_step=meanwhile))
        office.load()
        recovered(office)
        return meanwhile.ran

    assert each("sqlite", attempt) > 25


def test_m54_nobody_sees_a_part_of_a_load(kind: str) -> None:
    """(M54) Looked at before each step: none of the records, or all."""
    seen: set[str] = set()

    def attempt(world: World, nth: int) -> bool:
        office = made(world)
        meanwhile = Interrupt(nth, lambda: seen.add(office.list()))
        office.load(core=world.process(before_each_step=meanwhile))
        return meanwhile.ran

    each(kind, attempt)
    assert seen <= {"", names(5)}
