"""Commits of any size: thousands of events, long payloads, whatever a row of the store holds."""

import random

from tests.stores.fresh import fresh
from tests.stores.writes import AT, row
from workledger.ledger.commit import Commit, Event
from workledger.stores.port import Store, Write


def events(count: int, noise: int = 0, payload: int = 0) -> tuple[Event, ...]:
    """Many events; `noise` characters of each cannot be compressed."""
    drawn = random.Random(7)
    return tuple(
        Event(
            "Happened",
            {
                "id": number,
                "name": "".join(chr(drawn.randrange(0x4E00, 0x9FFF)) for _ in range(noise)),
            },
            ("head", f"a.{number}"),
            f'"{"ä" * payload}"' if payload else None,
        )
        for number in range(count)
    )


def check(store: Store, happened: tuple[Event, ...]) -> None:
    """A commit of these events is kept, read in every way, and met by who comes too late."""
    stream = fresh("execution")
    commit = Commit(stream, 1, "c1", AT, "ada", happened)
    assert store.append([Write(commit, (row(stream),))]) == [None]
    assert store.append([Write(commit, (row(stream),))]) == [commit]
    assert store.commits(stream) == [commit]
    assert store.commits_at([(stream, 1)]) == {(stream, 1): commit}
    assert [one for one in store.all_commits() if one.stream == stream] == [commit]
    store.remove_commits([(stream, 1)])
    assert store.commits(stream) == []


def test_w29_thousands_of_events_in_one_commit(store: Store) -> None:
    """A megabyte and a half of events, of which much is alike."""
    check(store, events(10_000))


def test_w29_thousands_of_payloads_in_one_commit(store: Store) -> None:
    """Two megabytes of payloads that are too short to be kept apart."""
    check(store, events(1_000, payload=1_000))


def test_w29_names_that_nothing_makes_shorter(store: Store) -> None:
    """What does not fit even compressed; nothing is left of it afterwards."""
    check(store, events(1_500, noise=250))


def test_w29_a_commit_as_large_as_a_row_may_be(store: Store) -> None:
    """On either side of what fits as it is."""
    for payload in (94_000, 95_500, 180_000, 195_000):
        check(store, events(1, payload=payload))
