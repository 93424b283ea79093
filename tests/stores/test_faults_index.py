"""Lines and indexes that lag: a reader meets rows where they were (the embedded store inside)."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.kinds import sqlite
from tests.stores.writes import AT, LINE, added, standing
from workledger.errors import StoreBusy
from workledger.keys import due_line, due_shard
from workledger.stores.faults import FaultyStore
from workledger.stores.port import Store
from workledger.times import plus
from workledger.views.order import Place, Spot
from workledger.views.row import Keys

TAKEN = "q_a.1/in_progress#0"


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = AT

    def __call__(self) -> str:
        return self.now

    def move(self, seconds: float) -> None:
        self.now = plus(self.now, seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inner(tmp_path: Path) -> Iterator[Store]:
    with sqlite(tmp_path) as store:
        yield store


@pytest.fixture
def store(inner: Store, clock: Clock) -> FaultyStore:
    return FaultyStore(inner, clock=clock, lag=0.5, seed=7)


def spot(seq: int, place: Place | None = None) -> Spot:
    return Spot(*(place or standing(seq))[1:], f"item/{seq}", "head")


def test_a_new_row_is_met_after_half_a_second_at_the_latest(
    store: FaultyStore, clock: Clock
) -> None:
    """By key it is there at once, on its line later."""
    store.append([added("item/1", place=standing(1))])
    assert store.load("item/1")["head"].place == standing(1)
    assert store.read_line(LINE, limit=9) == []
    assert store.count_line(LINE, 9) == 0
    clock.move(0.5)
    assert store.read_line(LINE, limit=9) == [spot(1)]
    assert store.count_line(LINE, 9) == 1


def test_a_row_that_moved_is_met_where_it_was(store: FaultyStore, clock: Clock) -> None:
    """Not nowhere, not twice: the old position stays until the new one is seen."""
    store.append([added("item/1", place=standing(1), keys=Keys("q_a.1", 1, "ref", None))])
    clock.move(0.5)
    there = standing(1, TAKEN)
    store.append([added("item/1", 2, place=there, keys=Keys("q_a.1", 1, "ref", "r_1"))])
    assert store.read_line(LINE, limit=9) == [spot(1)]
    assert (store.count_line(LINE, 9), store.count_line(TAKEN, 9)) == (1, 0)
    assert store.read_index("run", "r_1", limit=9) == []
    assert len(store.read_index("number", "q_a.1", limit=9)) == 1
    clock.move(0.5)
    assert (store.read_line(LINE, limit=9), store.read_line(TAKEN, limit=9)) == (
        [],
        [spot(1, there)],
    )
    assert len(store.read_index("run", "r_1", limit=9)) == 1


def test_changes_of_a_row_are_seen_in_order(store: FaultyStore, clock: Clock) -> None:
    """A later change is never seen before an earlier one."""
    lines = [f"line{n}#0" for n in range(6)]
    for number, line in enumerate(lines, 1):
        store.append([added("item/1", number, place=standing(1, line))])
    met: list[str] = []
    for _ in range(600):
        on = [line for line in lines if store.read_line(line, limit=1)]
        assert len(on) <= 1
        met += on
        clock.move(0.001)
    assert met == sorted(met)
    assert met[-1] == lines[-1]


def test_a_due_row_lags_like_any_other(store: FaultyStore, clock: Clock) -> None:
    """The timekeeper meets it late, by key it is there."""
    store.append([added("item/1", due=AT)])
    line = due_line(due_shard("item/1"))
    assert store.due("item/1") is not None
    assert store.read_line(line, limit=9, until=AT) == []
    clock.move(0.5)
    assert len(store.read_line(line, limit=9, until=AT)) == 1
    assert store.look_at_due("item/1", AT, "me")
    assert store.rearm("item/1", "me", None)
    assert len(store.read_line(line, limit=9)) == 1
    clock.move(0.5)
    assert store.read_line(line, limit=9) == []


@pytest.mark.parametrize("seed", range(6))
def test_what_lags_is_read_in_order_and_in_pages_like_the_rest(
    inner: Store, clock: Clock, seed: int
) -> None:
    """Against a plain list of what each reader ought to meet."""
    drawn = random.Random(seed)
    store = FaultyStore(inner, clock=clock, lag=0.5, seed=seed)
    numbers = dict.fromkeys(range(8), 0)
    for _ in range(25):
        item = drawn.randrange(8)
        numbers[item] += 1
        place = standing(item, drawn.choice([LINE, TAKEN]), rank=drawn.randrange(-1, 2))
        keys = Keys("q_a.1", item, f"ref{item % 3}", drawn.choice([None, "r_1"]))
        store.append([added(f"item/{item}", numbers[item], place=place, keys=keys)])
        clock.move(drawn.choice([0, 0.05, 0.2]))
        check_pages(store)


def check_pages(store: FaultyStore) -> None:
    """Pages of every size and both ways make the same whole, which the counts agree with."""
    for line in (LINE, TAKEN):
        whole = store.read_line(line, limit=100)
        assert whole == sorted(set(whole))
        assert store.read_line(line, limit=100, backwards=True) == whole[::-1]
        assert store.count_line(line, 100) == len(whole)
        assert store.count_line(line, 2) == min(2, len(whole))
        for index, one in enumerate(whole):
            assert store.read_line(line, after=one, limit=100) == whole[index + 1 :]
            assert store.read_line(line, after=one, limit=2) == whole[index + 1 :][:2]
            lower = sum(other.rank < one.rank for other in whole)
            assert store.count_before(line, one, 100) == (lower, index - lower)
        until = store.read_line(line, limit=100, until=AT)
        assert until == [one for one in whole if one.rank == 0]
    for name, partition in (("number", "q_a.1"), ("ref", "q_a.1"), ("run", "r_1")):
        found = store.read_index(name, partition, limit=100)
        for index, one in enumerate(found):
            assert store.read_index(name, partition, after=one, limit=3) == found[index + 1 :][:3]


def test_a_partition_takes_so_many_writes_a_second(inner: Store, clock: Clock) -> None:
    """Beyond that rows are not placed: the commit stands, and `place` says that it is busy."""
    store = FaultyStore(inner, clock=clock, partition_limit=3)
    writes = [added(f"item/{n}", place=standing(n)) for n in range(5)]
    assert store.append(writes) == [None] * 5
    assert store.count_line(LINE, 9) == 3
    assert store.commits("item/4") == [writes[4].commit]
    with pytest.raises(StoreBusy):
        store.place(writes[3:])
    clock.move(1)
    store.place(writes[3:])
    assert store.count_line(LINE, 9) == 5
    store.append([added("item/0", 2, place=standing(0, rank=-1))])
    assert store.load("item/0")["head"].commit == 1, "out and in are two writes: four in a second"
    store.append([added("item/9", place=standing(9, TAKEN))])
    assert store.count_line(TAKEN, 9) == 1, "another partition"
