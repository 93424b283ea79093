"""Whatever is asked, in whatever order, on a store that fails: what must always hold (W3, W4, W21)."""

import pytest

from tests.races.world import World
from tests.races.world import world as make_world
from tests.swf.agreeing import agree
from tests.swf.play import IDS, Play
from tests.swf.service import check, stream


def play(world: World, seed: int, **faults: float) -> None:
    """A play to its end, and what can be checked of every execution."""
    played = Play(world, seed, **faults)
    played.play(200)
    played.settle()
    check(world, *IDS)
    assert played.reactions() == []
    agree(world.process(), IDS)
    played.end()
    world.verify()
    left = {one: world.store.names_of(stream(one)) for one in IDS}
    assert all(names in ([], ["head"]) for names in left.values()), left


@pytest.mark.parametrize("seed", range(6))
def test_w3_invariants_without_faults(seed: int) -> None:
    """Ids without gaps, one decision task at a time, counts equal to a recount, views rebuilt."""
    with make_world("sqlite") as world:
        play(world, seed)


@pytest.mark.parametrize("seed", range(14))
def test_w3_invariants_with_faults_everywhere(seed: int) -> None:
    """Lost answers, throttling, unplaced rows, death at any step, lines that lag."""
    with make_world("sqlite") as world:
        play(world, seed, rate=0.02, lag=0.5)


@pytest.mark.parametrize("seed", range(1))
def test_w3_invariants_on_dynamodb(seed: int) -> None:
    """The same on the production store."""
    with make_world("dynamodb") as world:
        play(world, seed, rate=0.02)
