"""Five people at processes whose lines lag: what was loaded a second ago is offered in truth."""

import random
from collections.abc import Callable

import pytest

from tests.manual.people import HOUR, Floor, floor, name_of
from tests.races.world import World
from workledger.jsontext import Raw
from workledger.manual import answering, assigning
from workledger.manual.assigning import Assigned, Nothing
from workledger.service.core import Core

WORKERS = ("W1", "W2", "W3", "W4", "W5")

Act = Callable[[Core, str, str], object]
ACTS: tuple[Act, ...] = (
    lambda core, worker, one: answering.submit(core, worker, one, Raw("1")),
    lambda core, worker, one: answering.submit(core, worker, one, Raw("2")),
    answering.skip,
    answering.give_back,
)


@pytest.mark.parametrize("seed", range(6))
def test_m33_next_is_the_first_of_the_true_list_although_lines_lag(world: World, seed: int) -> None:
    """(M33, M38) Lines give candidates; the hit and one's own assignment decide."""
    drawn = random.Random(seed)
    at = floor(world, 12)
    world.clock.tick(1.1)
    cores = {one: world.process(lag=0.5, seed=seed) for one in WORKERS}
    for _ in range(150):
        worker = drawn.choice(WORKERS)
        expected = at.list(worker).split()
        found = assigning.next_of(cores[worker], worker, at.name)
        if isinstance(found, Nothing):
            assert (found.reason, expected) == ("empty", [])
        else:
            assert name_of(found) == expected[0]
        if isinstance(found, Assigned) and drawn.random() < 0.8:
            drawn.choice(ACTS)(cores[worker], worker, found.id)
        world.clock.tick(drawn.choice([0, 0.01, 0.3, HOUR / 20]))
    world.verify()


@pytest.mark.parametrize("seed", range(3))
def test_m35_what_one_took_is_shown_by_who_took_it_at_once(world: World, seed: int) -> None:
    """(M35) And what one gave up is not, whatever the line shows."""
    at = Floor(world, task=floor(world, 5).task)
    core = world.process(lag=0.5, seed=seed)
    for count in range(1, 4):
        assert isinstance(at.take_next("W1", core), Assigned)
        assert len(assigning.active(core, "W1", None, 9).items) == count
    first = assigning.active(core, "W1", None, 9).items[0]
    answering.skip(core, "W1", first.id)
    assert first.id not in [one.id for one in assigning.active(core, "W1", None, 9).items]
    assert answering.sign_out(core, "W1") == 2
    assert assigning.active(core, "W1", None, 9).items == []
