"""The ledger on DynamoDB: pages, scans that meet a stream in parts, what is stored."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stores.writes import AT, added, commit, row, standing
from workledger.ledger.commit import Commit, Event
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.dynamodb_items import commit_item, commit_of, row_item, row_of
from workledger.stores.port import Write
from workledger.views.order import Place
from workledger.views.row import Keys, Row


@pytest.fixture
def store(client: Any) -> DynamoStore:
    return DynamoStore(client, "ledger", "views", threads=2)


def large(stream: str, number: int) -> Write:
    """A commit of 300 KB: the service gives at most 1 MB a page."""
    return Write(commit(stream, number, payload=f'"{number}{"x" * 300_000}"'))


def test_commits_are_read_page_by_page(store: DynamoStore) -> None:
    """Whole, from a number on, and up to a limit that lies beyond a page."""
    store.append([large("item/a", number) for number in range(1, 9)])
    assert [one.number for one in store.commits("item/a")] == list(range(1, 9))
    assert [one.number for one in store.commits("item/a", 2, 5)] == [3, 4, 5, 6, 7]
    assert len(store.commits_at([("item/a", number) for number in range(1, 9)])) == 8
    assert len(list(store.all_commits())) == 8


class Shuffled:
    """A client whose scan meets one stream in parts, the later part first."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def scan(self, **params: Any) -> Any:
        items = self._client.scan(**params)["Items"]
        late = [item for item in items if item["stream"]["S"] == "item/b" and item["n"]["N"] > "3"]
        return {"Items": late + [item for item in items if item not in late]}


def test_each_streams_commits_come_in_order_even_from_a_split_partition(client: Any) -> None:
    """The service may split a stream over partitions and scan the later one first."""
    store = DynamoStore(Shuffled(client), "ledger", "views", threads=2)
    streams = ["item/a", "item/b", "item/c"]
    store.append([Write(commit(stream, n)) for stream in streams for n in range(1, 7)])
    met: dict[str, list[int]] = {}
    for one in store.all_commits():
        met.setdefault(one.stream, []).append(one.number)
    assert met == {stream: [1, 2, 3, 4, 5, 6] for stream in streams}


def test_views_never_go_back_q100(store: DynamoStore) -> None:
    """Placed twice, late or swapped: the newest stands."""
    old, new = added("item/a", place=standing(1)), added("item/a", 2)
    store.place([new, old])
    store.place([old])
    assert store.load("item/a")["head"] == new.rows[0]
    assert store.count_line(standing(1).line, 9) == 0


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
NUMBERS = st.integers(-(10**12), 10**12)


@settings(max_examples=100, deadline=None)
@given(
    place=st.none() | st.builds(Place, TEXTS, NUMBERS, TEXTS, NUMBERS, TEXTS),
    keys=st.builds(
        Keys, st.none() | TEXTS, st.none() | NUMBERS, st.none() | TEXTS, st.none() | TEXTS
    ),
    state=TEXTS,
)
def test_a_row_comes_back_as_it_was_stored(place: Place | None, keys: Keys, state: str) -> None:
    """Every part, present or absent."""
    stored = Row("item/a", "head", 7, state, place, keys)
    assert row_of(row_item(stored)) == stored


@settings(max_examples=100, deadline=None)
@given(payloads=st.lists(st.none() | TEXTS, min_size=1, max_size=4))
def test_a_commit_comes_back_as_it_was_stored(payloads: list[str | None]) -> None:
    """Payloads stand apart from the events, and find back to theirs."""
    events = tuple(
        Event("Happened", {"n": n}, ("head", f"g{n}"), payload)
        for n, payload in enumerate(payloads)
    )
    stored = Commit("item/a", 3, "c", AT, "ada", events)
    item = commit_item(stored)
    assert commit_of(item) == stored
    assert ("payload" in item) == any(payload is not None for payload in payloads)
    without = {name: value for name, value in item.items() if name != "payload"}
    assert all(event.payload is None for event in commit_of(without).events)


def test_a_tombstone_is_a_row_and_no_view(store: DynamoStore) -> None:
    """It is read by key and not listed."""
    tombstone = row("item/a", 1, "g1", state="null")
    store.append([added("item/a", others=(tombstone,))])
    assert store.load("item/a", ["g1"])["g1"] == tombstone
    assert [one.thing for one in store.all_rows()] == ["head"]
