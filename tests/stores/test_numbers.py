"""Counters: numbers are never given twice, dates never run back (Q20)."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import strategies as st

from tests.stores.fresh import fresh
from tests.stores.kinds import Kind
from workledger.stores.port import Store

T = "2026-03-11T10:15:{:02d}.000Z"


def test_q13_numbers_begin_at_1_and_are_taken_in_blocks(store: Store):
    """Q13: per queue, rising, never used twice."""
    assert store.take_numbers("queue/a", 1, T.format(1)) == (1, T.format(1))
    assert store.take_numbers("queue/a", 5, T.format(2)) == (2, T.format(2))
    assert store.take_numbers("queue/a", 1, T.format(3)) == (7, T.format(3))
    assert store.take_numbers("queue/b", 2, T.format(0)) == (1, T.format(0))


def test_q20_dates_never_run_back_whatever_the_clocks_say(store: Store, kind: Kind):
    """Q20: arrival is the store's."""

    def check(takes: list[tuple[int, int]]) -> None:
        counter, expected, latest = fresh("queue"), 1, ""
        for count, second in takes:
            latest = max(latest, T.format(second))
            assert store.take_numbers(counter, count, T.format(second)) == (expected, latest)
            expected += count

    kind.check(check, takes=st.lists(st.tuples(st.integers(1, 5), st.integers(0, 59)), max_size=9))


def test_q13_a_number_is_never_given_twice_under_threads(store: Store, kind: Kind):
    """Q13, Q20: no number twice, and dates in the order of numbers."""
    rounds = 25 if kind.examples > 20 else 3

    def take(worker: int) -> list[tuple[int, int, str]]:
        counts = [(worker + n) % 3 + 1 for n in range(rounds)]
        now = T.format(worker)
        return [(*store.take_numbers("queue/a", count, now), count) for count in counts]

    with ThreadPoolExecutor(8) as pool:
        taken = sorted(one for some in pool.map(take, range(8)) for one in some)
    given = [first + n for first, _, count in taken for n in range(count)]
    assert given == list(range(1, len(given) + 1))
    dates = [date for _, date, _ in taken]
    assert dates == sorted(dates)


def test_q94_a_rebuilt_counter_begins_above_what_was_seen(store: Store):
    """Q94: a counter row is no view; a rebuild keeps it or restarts it higher."""
    store.restart_numbers("queue/a", 10_042)
    assert store.take_numbers("queue/a", 1, T.format(5)) == (10_043, T.format(5))
    store.restart_numbers("queue/a", 7)
    assert store.take_numbers("queue/a", 1, T.format(4)) == (10_044, T.format(5))
