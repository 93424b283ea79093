"""Re-placing what waits when a task's order changes, whoever dies or comes between (M40 to M43)."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.manual.office import AMOUNTS, BY_AMOUNT, DTR, Office, deaths, dying, each, legacy, rows
from tests.races.world import MAKERS, Dies, World, engine
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, hits, reordering, worklist
from workledger.manual_tasks import ordering as orderings
from workledger.manual_tasks.hit import OPEN
from workledger.manual_tasks.task import Task
from workledger.service.core import Core
from workledger.stores.faults_plan import Interrupt

DATED = "name,record_date\nr1,2020-01-03\nr2,2020-01-02\nr3,2020-01-01\nr4,2020-01-02\n"
LAST = "9999"
SORTED = "r2 r1 r4 r3"
"""AMOUNTS by amount, the largest first, missing ones last."""


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


def loaded(world: World, text: str = AMOUNTS, **values: Any) -> Office:
    """A task with records."""
    one = Office(world)
    one.create(columns=["amount"], **values)
    one.load(text)
    return one


def settled(office: Office) -> None:
    """Nothing changes any more, and every open hit stands in the order that is read."""
    office.later()
    task = office.show().task
    assert (task.coming, task.old) == (None, ())
    for hit in office.hits().values():
        if hit.state == OPEN:
            assert task.current.version in {one.ordering for one in hit.places}


# --- the orders ---------------------------------------------------------------------------------


def test_m41_dtr_switches_fifo_off_and_on_again(office: Office) -> None:
    """(M41) For this task; disabling it restores the very same order."""
    before = office.list()
    shown = office.change(**DTR)
    assert (shown.task.current.kind.name, shown.progress) == (orderings.DTR, None)
    assert office.list() == SORTED
    office.later()
    shown = office.change(dtr=False)
    assert shown.task.settings.comparator is not None
    assert office.list() == before == "r1 r2 r3 r4"
    settled(office)


@pytest.mark.parametrize("seed", range(5))
def test_m41_whatever_came_between_the_fifo_order_is_the_same(seed: int) -> None:
    """(M41, M43) Comparators come and go, records are loaded: the order is that of a fresh task."""
    drawn = random.Random(seed)
    lines = [f"r{n},{drawn.randint(1, 9)},2020-01-0{drawn.randint(1, 4)}\n" for n in range(1, 41)]
    texts = ["name,amount,record_date\n" + "".join(lines[at : at + 10]) for at in (0, 10, 20, 30)]
    with make_world("sqlite") as world:
        plain, moved = Office(world, "Plain"), Office(world, "Moved")
        for one in (plain, moved):
            one.create(columns=["amount"])
        for at, text in enumerate(texts):
            for one in (plain, moved):
                one.load(text, f"k{at}")
            values = [
                DTR,
                {"dtr": False},
                {"comparator": [{"field": "name", "type": "text"}], "dtr": True},
            ][drawn.randrange(3)]
            moved.change(**values)
            world.clock.tick(drawn.choice([0, 1, 40]))
            moved.sweep()
        moved.change(dtr=False)
        assert moved.list() == plain.list()
        settled(moved)
        world.verify()


def test_m42_dtr_needs_a_comparator(office: Office) -> None:
    """(M42) Enabling without one names it; one that a task has stays."""
    with pytest.raises(Refused) as refused:
        office.change(dtr=True)
    assert (refused.value.code, refused.value.field) == ("comparator_needed", "comparator")
    office.change(comparator=BY_AMOUNT, priority=3)
    assert office.list() == "r1 r2 r3 r4"
    office.change(dtr=True)
    assert office.list() == SORTED


def test_m43_an_unknown_column_is_refused(office: Office) -> None:
    """(M43) When it is saved, with the field named."""
    with pytest.raises(Refused) as refused:
        office.change(comparator=[{"field": "amuont", "type": "number"}])
    assert (refused.value.code, refused.value.field) == ("invalid_value", "comparator[0].field")


def test_m43_another_comparator_re_places_what_waits(office: Office) -> None:
    """(M43) Events carry the computed key; the ordering's version is part of the line's name."""
    office.change(**DTR)
    office.later()
    office.change(comparator=[{**BY_AMOUNT[0], "direction": "asc", "missing": "first"}])
    assert office.list() == "r3 r4 r1 r2"
    settled(office)
    (stream, *_) = office.hits()
    assert office.events(stream) == ["HitCreated", "HitPlaced", "HitPlaced"]
    assert office.show().task.current.version == 3


def test_m40_fifo_off_is_the_order_of_creation(office: Office) -> None:
    """(M40, M45) For all tasks, by an environment setting; the timekeeper sees to it."""
    office.load(DATED, "d")
    before = office.list()
    off = legacy(office.world.process())
    office.sweep(off)
    office.sweep(off)
    assert office.show(off).task.current.kind.name == orderings.LEGACY
    assert office.list(off) == "r1 r2 r3 r4 r1 r2 r3 r4"
    office.later(31, times=1)
    office.sweep(times=2)
    assert office.list() == before
    settled(office)


def test_m40_whoever_meets_a_task_begins(office: Office) -> None:
    """(M40) Progress is shown; until all stand in the new order, the old one is read."""
    office.load("name,record_date\nfirst,2020-01-01\n", "f")
    off = legacy(office.world.process())
    assert office.list(off) == "first r1 r2 r3 r4"
    shown = office.show(off)
    assert shown.progress == reordering.Progress(0, 5)
    office.sweep(off, times=2)
    assert office.show(off).progress is None
    assert office.list(off) == "r1 r2 r3 r4 first"


def test_m45_a_task_made_while_fifo_is_off_is_legacy(kind: str) -> None:
    """(M45) Order of creation; DTR is for ties too."""
    with make_world(kind) as world:
        office, off = Office(world), legacy(world.process())
        from workledger.manual import tasks  # noqa: PLC0415

        tasks.create(off, "kai", office.name, {"columns": ["amount"]})
        office.load(DATED, core=off)
        assert office.list(off) == "r1 r2 r3 r4"


def test_m43_ties_are_as_fifo_has_them(office: Office) -> None:
    """(M43) While the setting is true; else as they were created."""
    office.load("name,amount,record_date\nlate,10,2030-01-01\nearly,10,2020-01-01\n", "t")
    office.change(**DTR)
    assert office.list() == "early r2 late r1 r4 r3"
    off = legacy(office.world.process())
    office.sweep(off, times=3)
    assert office.list(off) == "r2 late early r1 r4 r3"


def test_m43_a_quick_change_of_mind_ends_in_the_last_order(office: Office) -> None:
    """(M43) Whatever was half placed."""
    core = office.world.process()
    for values in (DTR, {"dtr": False}, DTR, {"dtr": False}, DTR):
        office.change(core, **values)
    assert office.list() == SORTED
    settled(office)
    assert office.list() == SORTED


# --- people meanwhile ---------------------------------------------------------------------------


def test_m43_accepted_assignments_are_untouched(office: Office) -> None:
    """(M43) Who works on a record keeps it; its place when it comes back is the new one."""
    core = office.world.process()
    taken = assigning.next_of(core, "W2", office.name)
    assert isinstance(taken, assigning.Assigned)
    office.change(**DTR)
    assert office.list() == "r2 r4 r3"
    assert assigning.assigned(core, "W2", taken.id) == taken
    answering.give_back(core, "W2", taken.id)
    assert office.list() == SORTED
    assert office.list(worker="W2") == "r2 r4 r3"
    settled(office)


def test_m43_what_a_worker_is_not_to_see_again_moves_along(office: Office) -> None:
    """(M38, M43) The worker's own line follows the new order."""
    core = office.world.process()
    for _ in range(2):
        taken = assigning.next_of(core, "W2", office.name)
        assert isinstance(taken, assigning.Assigned)
        answering.skip(core, "W2", taken.id)
    office.change(**DTR)
    assert office.list(worker="W2") == "r4 r3"
    line = keys.excluded_line(office.bare, 2, "W2")
    assert len(core.store.read_line(line, limit=10)) == 2
    settled(office)


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


def begun(world: World, text: str = AMOUNTS) -> Office:
    """A task whose order is to change; nobody has begun to place."""
    office = loaded(world, text)
    off = legacy(world.process())
    office.show(off)
    assert office.show(off).task.coming is not None
    return office


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


# --- many ---------------------------------------------------------------------------------------


def test_m43_many_are_placed_in_turns() -> None:
    """(M43) A hundred at least each time; progress is told; the old order is read until then."""
    with make_world("sqlite") as world:
        office = begun(world, rows(250))
        core = legacy(world.process())
        placed = []
        for _ in range(3):
            progress = office.show(core).progress
            assert progress is not None
            placed.append((progress.placed, progress.of))
            task = reordering.carry_on(core, office.stream, world.clock())
        assert placed == [(0, 250), (100, 250), (200, 250)]
        assert task.coming is None
        assert office.show(core).progress is None
