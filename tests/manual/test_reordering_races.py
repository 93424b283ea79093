"""Re-placing while processes die, and people come between (M43)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.manual.office import (
    DTR,
    LAST,
    SORTED,
    Office,
    deaths,
    dying,
    each,
    legacy,
    loaded,
    settled,
)
from tests.races.world import MAKERS, Dies, World, engine
from tests.races.world import world as make_world
from workledger import keys
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, hits, reordering, worklist
from workledger.manual_tasks import ordering as orderings
from workledger.manual_tasks.hit import OPEN
from workledger.manual_tasks.task import Task
from workledger.service.core import Core
from workledger.stores.faults_plan import Interrupt


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
    """A task with four records."""
    with make_world(kind) as world:
        yield loaded(world)
        world.verify()


# --- crashes ------------------------------------------------------------------------------------


def test_m43_who_changes_the_order_dies_anywhere(kind: str) -> None:
    """(M43) At every call to the store; the timekeeper ends it."""

    def attempt(world: World, dies: Dies) -> None:
        office = loaded(world)
        with dying():
            office.change(world.process(before_each_step=dies), **DTR)
        assert office.list() in (SORTED, "r1 r2 r3 r4")
        settled(office)
        assert office.list() == (SORTED if office.show().task.settings.dtr else "r1 r2 r3 r4")

    assert deaths(kind, attempt) > 25


def test_m43_the_timekeeper_dies_anywhere(kind: str) -> None:
    """(M43) In either pass, at every call."""

    def attempt(world: World, dies: Dies) -> None:
        office = loaded(world)
        office.change(**DTR)
        office.change(dtr=False)
        world.clock.tick(31)
        off = legacy(world.process(before_each_step=dies))
        with dying():
            office.sweep(off)
            office.sweep(off)
        calm = legacy(world.process())
        assert office.list(calm) == "r1 r2 r3 r4"
        for _ in range(4):
            world.clock.tick(20)
            world.heal()
            office.sweep(calm)
        task = office.show(calm).task
        assert (task.coming, task.old, task.current.kind.name) == (None, (), orderings.LEGACY)
        assert office.list(calm) == "r1 r2 r3 r4"

    assert deaths(kind, attempt) > 40


# --- two at once --------------------------------------------------------------------------------

Ask = Callable[[Core, Office], Any]


def take(core: Core, office: Office) -> None:
    """Somebody takes the first."""
    assigning.next_of(core, "W3", office.name)


def load_more(core: Core, office: Office) -> None:
    """More records."""
    office.load("name,amount\nr5,7\n", "more", core)


def reject(core: Core, office: Office) -> None:
    """What was decided is open again."""
    done = next(one for one in office.hits() if office.events(one)[-1] == "HitDecided")
    taken = hits.show(core, keys.manual_id(done)).assignments[0]
    answering.reject(core, "kai", taken.id, "no")


def skip(core: Core, office: Office) -> None:
    """Somebody skips what they hold."""
    for one in assigning.active(core, "W2", None, 10).items:
        answering.skip(core, "W2", one.id)


def answer(core: Core, office: Office) -> None:
    """Somebody answers what they hold."""
    for one in assigning.active(core, "W2", None, 10).items:
        answering.submit(core, "W2", one.id, Raw("1"))


def look(core: Core, office: Office) -> None:
    """Somebody looks, with another setting: it is wanted back."""
    office.show(core)


def sweep(core: Core, office: Office) -> None:
    """The timekeeper comes round."""
    office.sweep(core)


ASKED = (take, load_more, reject, skip, answer, look, sweep)


def people(world: World) -> Office:
    """r1 was decided, W2 holds r2, r3 and r4 wait."""
    office = loaded(world)
    core = world.process()
    for _ in range(2):
        taken = assigning.next_of(core, "W2", office.name)
        assert isinstance(taken, assigning.Assigned)
        if taken.data.value()["name"] == "r1":
            answering.submit(core, "W2", taken.id, Raw("1"))
    return office


def in_order(office: Office, worker: str) -> list[str]:
    """What is to be listed: the open hits in the order that is read, checked one by one."""
    core = office.world.process()
    task: Task = office.show(core).task
    sight = worklist.look(core, worker, office.name, None)
    found = [one.spot.stream for one in worklist.candidates(core, sight, wanted=100)]
    version = task.current.version
    places = {
        stream: next(one for one in hit.places if one.ordering == version)
        for stream, hit in office.hits().items()
        if hit.state == OPEN and hit.holder is None
    }
    assert found == sorted(places, key=lambda one: places[one])
    return found


@pytest.mark.parametrize("ask", ASKED, ids=lambda one: one.__name__)
def test_m43_something_happens_while_the_order_changes(kind: str, ask: Ask) -> None:
    """(M43) Before each step of the change: nothing is lost, all is in order in the end."""

    def attempt(world: World, nth: int) -> bool:
        office = people(world)
        meanwhile = Interrupt(nth, lambda: ask(world.process(), office))
        office.change(world.process(before_each_step=meanwhile), **DTR)
        settled(office)
        assert office.show().task.current.kind.name == orderings.DTR
        in_order(office, "W9")
        return meanwhile.ran

    assert each(kind, attempt) > 30


@pytest.mark.parametrize("ask", ASKED, ids=lambda one: one.__name__)
def test_m43_the_order_changes_while_something_happens(kind: str, ask: Ask) -> None:
    """(M43) Before each step of it, the whole change: nothing stands in the old order only."""

    def attempt(world: World, nth: int) -> bool:
        office = people(world)
        meanwhile = Interrupt(nth, lambda: office.change(**DTR))
        ask(world.process(before_each_step=meanwhile), office)
        if not meanwhile.ran:
            return False
        settled(office)
        in_order(office, "W9")
        return True

    each(kind, attempt)


def change_whole(office: Office) -> None:
    """Both passes come and go, and the timekeeper has seen to nothing else."""
    office.change(**DTR)
    assert reordering.second_pass(office.world.process(), office.stream, 1, LAST)
    assert office.show().task.old == ()


@pytest.mark.parametrize("ask", [load_more, reject], ids=lambda one: one.__name__)
def test_m43_a_writer_that_slept_through_it_all(ask: Ask) -> None:
    """(M43) It read the old order; both passes came and went; then it places, and looks again."""

    def attempt(world: World, nth: int) -> bool:
        office = people(world)

        meanwhile = Interrupt(nth, lambda: change_whole(office))
        ask(world.process(before_each_step=meanwhile), office)
        if not meanwhile.ran:
            return False
        in_order(office, "W9")
        settled(office)
        return True

    each("sqlite", attempt)


@pytest.mark.parametrize("ask", [load_more, reject], ids=lambda one: one.__name__)
def test_m43_a_writer_that_slept_and_died(ask: Ask) -> None:
    """(M43) Before it could look again: the projector, or who goes on with the load, does."""
    for sleeps in range(1, 60, 4):
        for dies in range(sleeps, sleeps + 24, 5):
            with make_world("sqlite") as world:
                office = people(world)
                meanwhile = Interrupt(sleeps, partial(change_whole, office))
                death = Dies(dies)

                def hook(
                    step: str,
                    args: tuple[Any, ...],
                    first: Interrupt = meanwhile,
                    then: Dies = death,
                ) -> None:
                    first(step, args)
                    then(step, args)

                with dying():
                    ask(world.process(before_each_step=hook), office)
                if meanwhile.ran:
                    settled(office)
                    in_order(office, "W9")
                    world.verify()
