"""Lines: the order is that of `views.order`, pages meet everything once, counts are exact."""

from itertools import chain, repeat
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.stores.fresh import fresh
from tests.stores.kinds import Kind
from tests.stores.writes import added, row, standing
from workledger.keys import HEAD
from workledger.stores.port import Store
from workledger.views import order
from workledger.views.order import BLANK, Place, Spot

EARLY, LATE = "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"
TEXT = st.characters(exclude_categories=["Cs"])
PARTS = st.tuples(
    st.integers(-(2**31), 2**31) | st.integers(-2, 2),
    st.sampled_from([BLANK, EARLY, LATE]),
    st.integers(0, 3) | st.integers(0, 10**12),
    st.text(TEXT, min_size=1, max_size=4)
    | st.text("aAäz\U0001f600\uffff%", min_size=1, max_size=3),
)
LINES = st.lists(PARTS, unique=True, max_size=12)


def _stand(store: Store, parts: list[tuple[Any, ...]]) -> tuple[str, list[Spot]]:
    """A line of its own with these places, and its spots in the order of Python's tuples."""
    line = fresh("line")
    places = [Place(line, *one) for one in parts]
    writes = [added(fresh("item"), place=place) for place in places]
    assert set(store.append(writes)) <= {None}
    stood = zip(places, writes, strict=True)
    return line, sorted(order.spot(place, write.commit.stream, HEAD) for place, write in stood)


def _pages(store: Store, line: str, limit: int, **how: Any) -> list[Spot]:
    found: list[Spot] = []
    page = store.read_line(line, limit=limit, **how)
    while page:
        found += page
        more = store.read_line(line, limit=limit, after=page[-1], **how)
        assert len(page) == limit or not more, "fewer than the limit only at the end"
        page = more
    return found


def test_q20_a_line_is_ordered_by_rank_date_sequence_and_tie(store: Store, kind: Kind):
    """Q20: highest priority first, then by arrival; pages meet every row exactly once (Q71)."""

    def check(parts: list[tuple[Any, ...]], limit: int) -> None:
        line, spots = _stand(store, parts)
        assert store.read_line(line, limit=100) == spots
        assert _pages(store, line, limit) == spots
        assert _pages(store, line, limit, backwards=True) == spots[::-1]

    kind.check(check, parts=LINES, limit=st.integers(1, 5))


def test_m38_a_line_without_another_has_no_streams_that_stand_there_too(store: Store, kind: Kind):
    """(M38) In order, page by page; where the store has such a read."""

    def check(parts: list[tuple[Any, ...]], also: list[bool], limit: int) -> None:
        line, other = fresh("line"), fresh("line")
        kept: list[Spot] = []
        for one, twice in zip(parts, chain(also, repeat(False))):  # noqa: B905
            stream, place = fresh("item"), Place(line, *one)
            mine = (row(stream, thing="w", place=Place(other, *one)),) if twice else ()
            # What stands at the same place and is another stream hides nothing.
            elsewhere = added(fresh("item"), place=Place(other, *one))
            assert store.append([added(stream, place=place, others=mine), elsewhere]) == [None] * 2
            kept += [] if twice else [order.spot(place, stream, HEAD)]
        page, found = store.read_line_without(line, other, limit=limit), list[Spot]()
        assert (page is None) == (kind.name == "dynamodb")
        while page:
            found += page
            page = store.read_line_without(line, other, after=page[-1], limit=limit)
        assert found == ([] if kind.name == "dynamodb" else sorted(kept))

    kind.check(check, parts=LINES, also=st.lists(st.booleans()), limit=st.integers(1, 5))


def test_until_keeps_to_rank_0_and_dates_up_to_it(store: Store, kind: Kind):
    def check(parts: list[tuple[Any, ...]], limit: int, until: str) -> None:
        line, spots = _stand(store, parts)
        due = [spot for spot in spots if spot.rank == 0 and spot.date <= until]
        assert _pages(store, line, limit, until=until) == due
        assert _pages(store, line, limit, until=until, backwards=True) == due[::-1]
        for after in spots:
            later = [spot for spot in due if spot > after]
            earlier = [spot for spot in due if spot < after][::-1]
            assert store.read_line(line, limit=20, until=until, after=after) == later
            found = store.read_line(line, limit=20, until=until, after=after, backwards=True)
            assert found == earlier

    ranks = st.sampled_from([-1, 0, 0, 0, 1])
    parts = st.tuples(ranks, st.sampled_from([BLANK, EARLY, LATE]), st.integers(0, 3), st.just("t"))
    kind.check(
        check,
        parts=st.lists(parts, unique=True, max_size=8),
        limit=st.integers(1, 4),
        until=st.sampled_from([EARLY, LATE, "2026-01-15T00:00:00.000Z", "2025"]),
    )


def test_pages_go_on_behind_a_row_that_has_gone(store: Store):
    line, spots = _stand(store, [(0, EARLY, number, "t") for number in range(6)])
    store.append([added(spots[2].stream, 2)])
    left = spots[:2] + spots[3:]
    assert store.read_line(line, after=spots[2], limit=9) == left[2:]
    assert store.read_line(line, after=spots[2], limit=9, backwards=True) == left[1::-1]


def test_lines_are_strangers_to_each_other(store: Store):
    for number, line in enumerate(["q#0", "q#1", "q#", "Q#0", "q#0 "]):
        store.append([added(f"item/{number}", place=standing(number, line=line))])
    assert [spot.seq for spot in store.read_line("q#0", limit=9)] == [0]
    assert store.read_line("q", limit=9) == []


def test_several_rows_of_a_stream_stand_on_one_line(store: Store):
    things = tuple(row("execution/a", 1, f"t{n}", standing(n)) for n in range(4))
    store.append([added("execution/a", others=things)])
    found = store.read_line(standing(0).line, limit=3)
    assert [(spot.stream, spot.thing) for spot in found] == [
        ("execution/a", f"t{n}") for n in range(3)
    ]


def test_q70_a_line_is_counted_up_to_a_limit(store: Store):
    """Q70: counts by status are the lengths of lines."""
    line, _ = _stand(store, [(0, EARLY, number, "t") for number in range(7)])
    assert [store.count_line(line, limit) for limit in (1, 6, 7, 8, 1000)] == [1, 6, 7, 7, 7]
    assert store.count_line("none", 10) == 0


def test_q90_what_stands_before_a_spot_is_counted_by_rank(store: Store, kind: Kind):
    """Q90: `place 38 of 214: 12 of higher priority, 25 earlier`."""

    def check(parts: list[tuple[Any, ...]], limit: int) -> None:
        line, spots = _stand(store, parts)
        for spot in spots:
            higher = sum(one.rank < spot.rank for one in spots)
            earlier = sum(one.rank == spot.rank and one < spot for one in spots)
            expected = (min(higher, limit), min(earlier, limit))
            assert store.count_before(line, spot, limit) == expected

    ranks = st.integers(-1, 1)
    parts = st.tuples(ranks, st.sampled_from([EARLY, LATE]), st.integers(0, 2), st.just("t"))
    kind.check(check, parts=st.lists(parts, unique=True, max_size=9), limit=st.integers(1, 9))


@pytest.mark.parametrize("tie", ["1", "01", "1.0", "1e3", "null", " ", "\t", "a\x00b", "'", "ß"])
def test_texts_are_texts(store: Store, tie: str):
    place = Place("line", 0, "2026", 1, tie)
    store.append([added("item/a", place=place)])
    assert store.read_line("line", limit=1) == [order.spot(place, "item/a", HEAD)]
    assert store.load("item/a")[HEAD].place == place
