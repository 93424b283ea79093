"""Beats: a deadline moves on while it has not passed (Q52)."""

from concurrent.futures import ThreadPoolExecutor

from tests.stores.writes import added
from workledger.stores.port import Beat, Store

T = "2026-03-11T10:15:{:02d}.000Z"


def _beat(store: Store, deadline: int, now: int, text: str = "") -> bool:
    return store.beat("run/a", T.format(deadline), T.format(now), {"text": text})


def _present(store: Store) -> Beat:
    return store.heads_and_beats(["run/a"])[1]["run/a"]


def test_q52_a_beat_moves_the_deadline(store: Store):
    """Q52: work that beats is never taken away."""
    assert _beat(store, 10, 5, "one")
    assert _present(store) == Beat(T.format(10), {"text": "one"})
    assert _beat(store, 15, 10, "two"), "at the deadline it has not passed"
    assert _present(store) == Beat(T.format(15), {"text": "two"})
    assert _beat(store, 15, 11, "three"), "an equal deadline brings its details"
    assert _present(store) == Beat(T.format(15), {"text": "three"})


def test_q52_a_beat_after_the_deadline_is_refused(store: Store):
    """Q52: no heartbeat of the run for its lease."""
    assert _beat(store, 10, 5)
    assert not _beat(store, 30, 11)
    assert not _beat(store, 9, 11)
    assert _present(store).deadline == T.format(10)


def test_q52_an_earlier_deadline_changes_nothing(store: Store):
    """Q52: two beats that pass each other on the way."""
    assert _beat(store, 20, 5, "later")
    assert _beat(store, 15, 6, "earlier")
    assert _beat(store, 15, 20, "earlier")
    assert _present(store) == Beat(T.format(20), {"text": "later"})


def test_q52_beats_side_by_side_leave_the_latest_deadline(store: Store):
    """Q52."""
    assert _beat(store, 10, 0)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda second: _beat(store, second, 5), range(10, 50, 2)))
    assert _present(store).deadline == T.format(48)


def test_heads_and_beats_are_read_together(store: Store):
    details = {"progress": "half — 50%", "n": 1.5, "deep": {"list": [1, None, True, "\x00"]}}
    store.append([added(f"run/{number}") for number in range(60)])
    for number in range(0, 60, 20):
        store.beat(f"run/{number}", T.format(9), T.format(1), details)
    store.beat("run/headless", T.format(9), T.format(1), {})

    streams = [f"run/{number}" for number in range(60)]
    heads, beats = store.heads_and_beats([*streams, "run/headless", "run/none"])
    assert sorted(heads) == sorted(streams)
    assert all(head.stream == stream and head.is_head for stream, head in heads.items())
    assert beats == {f"run/{number}": Beat(T.format(9), details) for number in (0, 20, 40)} | {
        "run/headless": Beat(T.format(9), {})
    }
    assert store.heads_and_beats([]) == ({}, {})


def test_a_beat_row_is_no_view(store: Store):
    _beat(store, 10, 5)
    assert list(store.all_rows()) == []
    store.drop_views()
    assert _present(store).deadline == T.format(10)
