"""The ledger: a commit stands or falls alone, once, and never changes."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests.stores.writes import added, commit
from workledger.keys import HEAD
from workledger.ledger.commit import Commit, Event
from workledger.stores.port import Store, Write


def test_a_commit_stands_once_and_the_standing_one_is_answered_with_its_payloads(store: Store):
    events = (
        Event("Added", {"n": 1}, payload='{"total": 30.40}'),
        Event("Moved", {"to": "ä"}, ("g1", HEAD), version=1),
        Event("Noted", {}, payload='""'),
    )
    first = commit("item/a", events=events)
    second = commit("item/a", id="other", actor="bob")

    assert store.append([Write(first)]) == [None]
    assert store.append([Write(second)]) == [first]
    assert store.commits("item/a") == [first]


def test_a_repeat_finds_its_own_id(store: Store):
    write = added("item/a")
    store.append([write])
    (standing,) = store.append([write])
    assert isinstance(standing, Commit)
    assert standing.id == write.commit.id


def test_each_write_stands_or_falls_alone(store: Store):
    taken = added("item/b")
    store.append([taken])
    outcomes = store.append([added("item/a"), added("item/b"), added("item/c")])
    assert outcomes == [None, taken.commit, None]
    assert set(store.rows([(f"item/{name}", HEAD) for name in "abc"])) == {
        (f"item/{name}", HEAD) for name in "abc"
    }


def test_a_refused_write_leaves_the_rows_alone(store: Store):
    store.append([added("item/a")])
    before = store.load("item/a")
    store.append([Write(commit("item/a", id="late"), added("item/a", 7).rows, due="2026")])
    assert store.load("item/a") == before
    assert store.due("item/a") is None


def test_nothing_to_write_is_nothing(store: Store):
    assert store.append([]) == []
    assert store.commits("item/a") == []
    assert store.commits_at([]) == {}


def test_commits_come_in_order_from_a_number_on(store: Store):
    written = [commit("item/a", number) for number in range(1, 13)]
    for one in written:
        assert store.append([Write(one)]) == [None]
    store.append([Write(commit("item/aa", 3))])

    assert store.commits("item/a") == written
    assert store.commits("item/a", after=9) == written[9:]
    assert store.commits("item/a", after=3, limit=2) == written[3:5]
    assert store.commits("item/a", after=12) == []


def test_commits_are_found_by_address(store: Store):
    for name in "ab":
        store.append([Write(commit(name, 1))])
        store.append([Write(commit(name, 2))])
    found = store.commits_at([("a", 2), ("b", 1), ("b", 3), ("c", 1)])
    assert found == {("a", 2): commit("a", 2), ("b", 1): commit("b", 1)}


def test_place_false_leaves_the_rows_to_others(store: Store):
    write = added("item/a", due="2026-01-01T00:00:00.000Z")
    assert store.append([write], place=False) == [None]
    assert store.load("item/a") == {}
    assert store.due("item/a") is None

    store.place([write])
    assert store.load("item/a") == {HEAD: write.rows[0]}
    assert store.due("item/a") is not None


@pytest.mark.parametrize("number", [1, 2])
def test_q23_of_twenty_who_race_for_a_number_exactly_one_wins(store: Store, number: int):
    """Q23: the put that is refused where a commit stands is what gives an item to one only."""
    store.append([added("item/a")] if number == 2 else [])
    start = Barrier(20)

    def put(racer: int):
        start.wait()
        (outcome,) = store.append([Write(commit("item/a", number, id=f"racer {racer}"))])
        return outcome

    with ThreadPoolExecutor(20) as pool:
        outcomes = list(pool.map(put, range(20)))

    (winner,) = store.commits("item/a", after=number - 1)
    assert outcomes.count(None) == 1
    assert outcomes.index(None) == int(winner.id.removeprefix("racer "))
    assert [outcome for outcome in outcomes if outcome] == [winner] * 19
