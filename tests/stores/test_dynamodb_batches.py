"""Batches that DynamoDB carries out in part, chunks, and reads in steps (no row is taken for lost)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.stores.writes import AT, added, row
from workledger.errors import StoreBusy
from workledger.keys import BEAT, HEAD
from workledger.stores.dynamodb import DynamoStore


class Loaded:
    """A client under load: of each batch it does `share` items and hands the others back."""

    def __init__(self, client: Any, share: int) -> None:
        self._client = client
        self._share = share
        self.batches: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def batch_get_item(self, **params: Any) -> Any:
        [(table, wanted)] = params["RequestItems"].items()
        self.batches.append(len(wanted["Keys"]))
        now, later = wanted["Keys"][: self._share], wanted["Keys"][self._share :]
        answer: dict[str, Any] = {"Responses": {}}
        if now:
            answer = self._client.batch_get_item(RequestItems={table: {**wanted, "Keys": now}})
        return answer | {"UnprocessedKeys": {table: {**wanted, "Keys": later}} if later else {}}

    def batch_write_item(self, **params: Any) -> Any:
        [(table, wanted)] = params["RequestItems"].items()
        self.batches.append(len(wanted))
        now, later = wanted[: self._share], wanted[self._share :]
        self._client.batch_write_item(RequestItems={table: now})
        return {"UnprocessedItems": {table: later} if later else {}}


Make = Callable[[int], tuple[DynamoStore, Loaded, list[float]]]


@pytest.fixture
def make(client: Any) -> Make:
    def loaded(share: int) -> tuple[DynamoStore, Loaded, list[float]]:
        slept: list[float] = []
        watched = Loaded(client, share)
        together = lambda calls: [call() for call in calls]  # noqa: E731
        store = DynamoStore(watched, "ledger", "views", together=together, sleep=slept.append)
        return store, watched, slept

    return loaded


STREAMS = [f"item/{n}" for n in range(130)]


def test_what_a_batch_left_undone_is_asked_for_again(make: Make) -> None:
    """UnprocessedKeys are not "not there"; between the tries it waits."""
    store, watched, slept = make(30)
    store.append([added(stream) for stream in STREAMS[:70]])
    found = store.rows([(stream, HEAD) for stream in STREAMS[:75]])
    assert found.keys() == {(stream, HEAD) for stream in STREAMS[:70]}
    assert watched.batches == [75, 45, 15]
    assert len(slept) == 2


def test_a_batch_without_headway_is_busy_after_growing_pauses(make: Make) -> None:
    """Throttled through and through: the caller is told, in under a second."""
    store, watched, slept = make(0)
    with pytest.raises(StoreBusy):
        store.commits_at([("item/1", 1)])
    assert slept == sorted(set(slept))
    assert sum(slept) < 1
    assert len(watched.batches) == len(slept) + 1


def test_batches_are_of_100_and_no_key_stands_twice(make: Make) -> None:
    """The service refuses more, and doubles."""
    store, watched, _ = make(100)
    store.append([added(stream) for stream in STREAMS])
    watched.batches.clear()
    assert len(store.rows([(stream, HEAD) for stream in STREAMS * 2])) == 130
    assert len(store.commits_at([(stream, 1) for stream in STREAMS * 2])) == 130
    assert watched.batches == [100, 30, 100, 30]


def test_heads_and_beats_are_one_request_for_50_streams(make: Make) -> None:
    """A run's head and its lease."""
    store, watched, _ = make(100)
    store.append([added(stream) for stream in STREAMS[:60]])
    store.beat(STREAMS[3], AT, AT, {"done": 1})
    watched.batches.clear()
    heads, beats = store.heads_and_beats(STREAMS[:50])
    assert watched.batches == [100]
    assert heads.keys() == set(STREAMS[:50])
    assert beats.keys() == {STREAMS[3]}


def test_drop_views_deletes_all_of_a_batch(make: Make) -> None:
    """UnprocessedItems too; numbers, beats and due rows stay."""
    store, _, _ = make(9)
    store.append([added(stream, due=AT) for stream in STREAMS[:40]])
    store.place([added("item/x", others=(row("item/x", 1, "g1", state="null"),))])
    store.beat("run/1", AT, AT, {})
    store.take_numbers("queue/1", 3, AT)
    store.drop_views()
    assert list(store.all_rows()) == []
    assert store.rows([("item/x", "g1"), ("run/1", BEAT)][:1]) == {}
    assert store.due(STREAMS[0]) is not None
    assert store.heads_and_beats(["run/1"])[1].keys() == {"run/1"}
    assert store.take_numbers("queue/1", 1, AT) == (4, AT)
