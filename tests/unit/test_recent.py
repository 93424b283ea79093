"""What was read lately is not read again."""

from collections import Counter
from typing import Any

import pytest

from tests.stores.writes import commit
from workledger.ledger.commit import Event
from workledger.ledger.recent import Recent


class Ledger:
    """A store that counts what it is asked for."""

    def __init__(self) -> None:
        self.asked: Counter[Any] = Counter()

    def commits_at(self, addresses: Any) -> Any:
        self.asked.update(addresses)
        found = [(stream, number) for stream, number in addresses if number < 100]
        return {one: commit(*one, events=(Event("Happened"),) * one[1]) for one in found}


def test_w29_a_commit_is_read_once():
    store = Ledger()
    recent = Recent(store)  # type: ignore[arg-type]
    assert recent.at(("execution/a", 3)) is recent.at(("execution/a", 3))
    assert store.asked == {("execution/a", 3): 1}


def test_w29_what_was_not_asked_for_longest_is_forgotten():
    store = Ledger()
    recent = Recent(store, most=10)  # type: ignore[arg-type]
    for number in (4, 5, 4, 6, 4, 5):
        assert recent.at(("execution/a", number)).number == number
    assert store.asked == {("execution/a", 4): 1, ("execution/a", 5): 2, ("execution/a", 6): 1}


def test_w29_a_commit_larger_than_all_is_read_each_time():
    store = Ledger()
    recent = Recent(store, most=10)  # type: ignore[arg-type]
    for _ in range(2):
        assert len(recent.at(("execution/a", 50)).events) == 50
    assert store.asked == {("execution/a", 50): 2}


def test_w29_what_is_not_there_is_not_remembered():
    recent = Recent(Ledger())  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        recent.at(("execution/a", 100))
