"""The ready line, the list of what is New, and explain tell one order, on both stores (Q20, Q90)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.races.world import MAKERS, World, take
from tests.races.world import world as make_world
from workledger import keys
from workledger.queues.item_commands import NewItem
from workledger.service import adding, explaining, items, listing
from workledger.times import plus

entries = st.lists(st.tuples(st.integers(-1, 1), st.booleans()), min_size=1, max_size=4)
loads = st.lists(st.tuples(entries, st.sampled_from([0, 0, 0.001, 5])), min_size=1, max_size=5)
changes = st.lists(st.tuples(st.integers(0, 30), st.sampled_from([-3, 0, 3])), max_size=3)
EXAMPLES = {"sqlite": 60, "dynamodb": 4}


@pytest.mark.parametrize("kind", MAKERS)
def test_q20_what_waits_stands_by_priority_then_arrival_then_number(kind: str) -> None:
    """Loads of any priorities at any moments, changed afterwards, taken one by one."""

    @settings(max_examples=EXAMPLES[kind], deadline=None, print_blob=True, database=None)
    @given(loads, changes)
    def check(loaded: Any, changed: Any) -> None:
        with make_world(kind) as world:
            in_order(world, loaded, changed)

    check()


def in_order(world: World, loaded: Any, changed: Any) -> None:
    """One history."""
    queue = world.queue()
    expected: dict[str, tuple[int, int]] = {}
    for ranks, passed in loaded:
        news = [
            NewItem("1", None, rank, plus(world.clock.now, 60) if deferred else None)
            for rank, deferred in ranks
        ]
        added = adding.add(world.process(), "kai", queue, news)
        world.clock.tick(passed)
        for new, one in zip(news, added.items, strict=True):
            expected[one.id] = (-new.priority, len(expected))
    ids = list(expected)
    for at, rank in changed:
        one = ids[at % len(ids)]
        items.change(world.process(), "kai", one, {"priority": rank, "notBefore": None})
        expected[one] = (-rank, expected[one][1])
    world.clock.tick(61)
    in_turn = sorted(expected, key=expected.__getitem__)
    first = take(world.process(), queue, max_items=1)  # settles what is due
    assert [one.id for one in first.items] == in_turn[:1]
    left = in_turn[1:]
    line = world.store.read_line(keys.queue_line(queue, "new"), limit=100)
    assert [one.tie for one in line] == left
    page = listing.page(world.process(), queue, "new", None, None, 100)
    assert [one.id for one in page.items] == left
    for place, one in enumerate(left[:6], 1):
        told = explaining.explain(world.process(), one)
        higher = sum(expected[other][0] < expected[one][0] for other in left)
        assert (told.place, told.of) == (place, len(left))
        assert (told.higher_priority, told.earlier) == (higher, place - 1 - higher)
    taken = [take(world.process(), queue, run=first.run) for _ in left]
    assert [one.items[0].id for one in taken] == left
