"""Two commands at once: the second runs whole before any step of the first (Q23, Q33, Q43, Q51).

Every such point of every ordered pair. What both answered and what can be seen afterwards must be
what one of the two orders, one command after the other, would have given.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any
from zlib import crc32

import pytest

from tests.races.stage import (
    ASKED,
    SETTINGS,
    TAKERS,
    Answer,
    Ask,
    Stage,
    Start,
    absent,
    answer,
    end_run,
    sweep,
    unreleased,
    vanished,
)
from tests.races.world import MAKERS, World
from tests.races.world import world as make_world
from workledger.service import rebuilding
from workledger.stores.faults_plan import Interrupt

THOROUGH = bool(os.environ.get("THOROUGH"))
"""Try every point on moto too, which takes a quarter of an hour."""

_names = count()


def pairs() -> Iterator[Any]:
    """State, first command, and all second ones."""
    for start, asked in ASKED.items():
        for first in asked:
            yield pytest.param(start, first, asked, id=f"{start.__name__}-{first.__name__}")
    for first in SETTINGS:
        yield pytest.param(absent, first, SETTINGS, id=f"settings-{first.__name__}")


def set_up(world: World, start: Start) -> Stage:
    """A stage of its own for each try, in one store."""
    stage = Stage(world, f"Q{next(_names)}")
    start(stage)
    return stage


def points(kind: str, start: Start, first: Ask, second: Ask) -> Iterable[int]:
    """The steps of the first before which the second runs: all of them.

    moto is slow: there every other pair has its turn, at one of the first dozen steps.
    """
    if kind == "sqlite" or THOROUGH:
        return count(1)
    turn = crc32(f"{start.__name__} {first.__name__} {second.__name__}".encode())
    return [1 + turn % 12] if turn % 24 < 12 else []


Outcome = tuple[Answer, Answer, Any]
"""What the first answered, what the second did, and what can be seen afterwards."""


def in_turn(world: World, start: Start, *asked: Ask) -> tuple[list[Answer], Any]:
    """The answers of commands one after the other, and what can be seen then."""
    stage = set_up(world, start)
    answers = [answer(one, stage.core(), stage) for one in asked]
    return answers, stage.seen()


def legal(world: World, start: Start, first: Ask, second: Ask) -> list[Outcome]:
    """The outcomes of the two orders, and of a take that lost a race (Q22).

    It may answer `contended`, or go to the next item, as if the first were not there.
    """
    (one, two), seen = in_turn(world, start, first, second)
    outcomes: list[Outcome] = [(one, two, seen)]
    (two, one), seen = in_turn(world, start, second, first)
    outcomes.append((one, two, seen))
    if start in RELEASES:  # a take of what an ended run holds is two steps, the first is a release
        (_, two, one), seen = in_turn(world, start, RELEASES[start], second, first)
        outcomes.append((one, two, seen))
        (_, one, two), seen = in_turn(world, start, RELEASES[start], first, second)
        outcomes.append((one, two, seen))
    if first in TAKERS:
        [told], seen = in_turn(world, start, second)
        outcomes += [(CONTENDED, told, seen), (NEXT, told, _next_taken(seen))]
    if second in TAKERS:
        [told], seen = in_turn(world, start, first)
        outcomes += [(told, CONTENDED, seen), (told, NEXT, _next_taken(seen))]
    return outcomes


RELEASES: Mapping[Start, Ask] = {vanished: sweep, unreleased: end_run}
"""What else gives the item back, by state."""

CONTENDED = ("nothing", "contended")
NEXT = ("took", "b", 1, 1, 0)


def _next_taken(seen: Any) -> Any:
    events = seen.get("events of b", [])
    return seen | {"events of b": [*events, "ItemTaken"], "b.1": ("inProgress", 1, 0, "eve")}


@pytest.mark.parametrize(("start", "first", "asked"), list(pairs()))
@pytest.mark.parametrize("kind", MAKERS)
def test_q23_two_commands_at_once_are_one_after_the_other(
    kind: str, start: Start, first: Ask, asked: list[Ask]
) -> None:
    """Paused before each of its steps, the first sees a world in which the second has happened."""
    with make_world(kind) as world, make_world("sqlite") as quick:
        for second in asked:
            outcomes: list[Outcome] = []
            for nth in points(kind, start, first, second):
                stage = set_up(world, start)
                second_answer: list[Answer] = []
                hook = Interrupt(
                    nth,
                    lambda stage=stage, second=second, into=second_answer: into.append(
                        answer(second, stage.core(), stage)
                    ),
                )
                first_answer = answer(first, world.process(before_each_step=hook), stage)
                if not hook.ran:
                    break
                outcomes = outcomes or legal(quick, start, first, second)
                found = (first_answer, second_answer[0], stage.seen())
                at = f"{second.__name__} before {hook.steps[-1]} ({nth}) of {first.__name__}"
                assert found in outcomes, f"{at}\n{_told(found)}\n{''.join(map(_told, outcomes))}"
        assert rebuilding.check(world.process()) == []


def _told(outcome: Outcome) -> str:
    first, second, seen = outcome
    return f"first {first}, second {second}\n" + "".join(f"  {k}: {v}\n" for k, v in seen.items())
