"""Re-placing what waits when a task's order changes, whoever dies or comes between (M40 to M43)."""

import random
from collections.abc import Iterator

import pytest

from tests.manual.office import (
    AMOUNTS,
    BY_AMOUNT,
    DATED,
    DTR,
    SORTED,
    Office,
    legacy,
    loaded,
    rows,
    settled,
)
from tests.races.world import MAKERS, World, engine
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.manual import answering, assigning, reordering
from workledger.manual_tasks import ordering as orderings


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


def begun(world: World, text: str = AMOUNTS) -> Office:
    """A task whose order is to change; nobody has begun to place."""
    office = loaded(world, text)
    off = legacy(world.process())
    office.show(off)
    assert office.show(off).task.coming is not None
    return office


# --- many ---------------------------------------------------------------------------------------


def test_m43_many_are_placed_in_turns() -> None:
    """(M43) A hundred at least each time; progress is told; the old order is read until then."""
    with make_world("sqlite") as world:
        office = begun(world, rows(250))
        core = legacy(world.process())
        placed: list[tuple[int, int]] = []
        for _ in range(3):
            progress = office.show(core).progress
            assert progress is not None
            placed.append((progress.placed, progress.of))
            reordering.carry_on(core, office.stream, world.clock())
        assert placed == [(0, 250), (100, 250), (200, 250)]
        assert office.show(core).task.coming is None
        assert office.show(core).progress is None
