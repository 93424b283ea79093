"""Due rows: a lower bound that placements may only move earlier, and the timekeeper's mark."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event

from tests.stores.writes import added
from workledger import keys
from workledger.stores.port import Due, Store
from workledger.views.order import Spot

T = "2026-03-11T10:15:{:02d}.000Z"
STREAM = "run/a"
LINE = keys.due_line(keys.due_shard(STREAM))


def _place(store: Store, number: int, second: int | None) -> None:
    due = None if second is None else T.format(second)
    assert store.append([added(STREAM, number, due=due)]) == [None]


def _look(store: Store, second: int, mark: str = "k1") -> bool:
    return store.look_at_due(STREAM, T.format(second), mark)


def _rearm(store: Store, mark: str, second: int | None) -> bool:
    return store.rearm(STREAM, mark, None if second is None else T.format(second))


def test_a_placement_moves_the_due_row_only_earlier(store: Store):
    assert store.due(STREAM) is None
    _place(store, 1, 20)
    assert store.due(STREAM) == Due(T.format(20))
    _place(store, 2, 30)
    assert store.due(STREAM) == Due(T.format(20))
    _place(store, 3, 10)
    assert store.due(STREAM) == Due(T.format(10))
    _place(store, 4, None)
    assert store.due(STREAM) == Due(T.format(10))


def test_a_due_row_stands_on_its_due_line(store: Store):
    _place(store, 1, 20)
    expected = Spot(0, T.format(20), 0, STREAM, STREAM, keys.DUE)
    assert store.read_line(LINE, limit=9, until=T.format(20)) == [expected]
    assert store.read_line(LINE, limit=9, until=T.format(19)) == []
    _place(store, 2, 10)
    found = store.read_line(LINE, limit=9)
    assert found == [Spot(0, T.format(10), 0, STREAM, STREAM, keys.DUE)]
    assert _look(store, 10)
    assert _rearm(store, "k1", 40)
    assert [spot.date for spot in store.read_line(LINE, limit=9)] == [T.format(40)]
    assert _look(store, 40)
    assert _rearm(store, "k1", None)
    assert store.read_line(LINE, limit=9) == []
    assert store.due(STREAM) is None


def test_a_mark_is_set_only_while_the_row_says_the_same(store: Store):
    assert not _look(store, 20), "no row"
    _place(store, 1, 20)
    assert not _look(store, 21)
    assert store.due(STREAM) == Due(T.format(20))
    assert _look(store, 20, "k1")
    assert store.due(STREAM) == Due(T.format(20), "k1")
    assert _look(store, 20, "k2"), "a mark that was left behind is replaced"
    assert not _rearm(store, "k1", 40)
    assert _rearm(store, "k2", 40)
    assert store.due(STREAM) == Due(T.format(40))


def test_who_bears_no_mark_cannot_re_arm(store: Store):
    assert not _rearm(store, "k1", 5)
    _place(store, 1, 20)
    assert not _rearm(store, "k1", 40)
    assert not _rearm(store, "k1", None)
    assert store.due(STREAM) == Due(T.format(20))


def test_a_placement_removes_the_mark_so_that_the_timekeeper_looks_again(store: Store):
    for number, (placed, left) in enumerate(((30, 20), (20, 20), (10, 10)), 1):
        _place(store, number * 2 - 1, 20)
        at = store.due(STREAM)
        assert at is not None
        assert store.look_at_due(STREAM, at.at, "k")
        _place(store, number * 2, placed)
        assert not _rearm(store, "k", 50), f"placed {placed}"
        assert not _rearm(store, "k", None), f"placed {placed}"
        assert store.due(STREAM) == Due(T.format(left))


def test_a_placement_without_a_moment_leaves_the_mark(store: Store):
    _place(store, 1, 20)
    _look(store, 20)
    _place(store, 2, None)
    assert _rearm(store, "k1", 30)


def test_placing_again_is_harmless(store: Store):
    write = added(STREAM, due=T.format(20))
    store.append([write])
    _look(store, 20)
    _rearm(store, "k1", None)
    store.place([write])
    assert store.due(STREAM) == Due(T.format(20)), "a lower bound: looked at once more"


def test_no_deadline_is_forgotten_while_the_timekeeper_looks(store: Store):
    """A timekeeper that removes the row, racing a writer: what was placed last is still due."""
    ended = Event()

    def keep() -> None:
        for turn in count():
            due = store.due(STREAM)
            if due and store.look_at_due(STREAM, due.at, f"k{turn}"):
                newest = store.commits(STREAM)[-1].number  # placed or not: see the port
                store.rearm(STREAM, f"k{turn}", None if newest % 2 else T.format(newest))
            if ended.is_set():
                return

    with ThreadPoolExecutor(1) as pool:
        keeper = pool.submit(keep)
        try:
            for number in range(1, 21):
                _place(store, number, number if number % 2 == 0 else None)
        finally:
            ended.set()
        keeper.result(60)
    due = store.due(STREAM)
    assert due is not None
    assert due.at <= T.format(20)


def test_a_due_row_is_no_view(store: Store):
    _place(store, 1, 20)
    assert [one.thing for one in store.all_rows()] == [keys.HEAD]
    store.drop_views()
    assert list(store.all_rows()) == []
    assert store.due(STREAM) == Due(T.format(20))
