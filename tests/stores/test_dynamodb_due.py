"""The due row under races: what is placed while the timekeeper moves the row on is never lost."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.stores.writes import AT, added
from workledger.errors import StoreBusy
from workledger.keys import DUE
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.port import Due

LATER = "2026-03-11T12:00:00.000Z"
LATEST = "2026-03-11T13:00:00.000Z"


class Between:
    """A client that lets something happen before each update of a due row."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.happens: list[Callable[[], Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def update_item(self, **params: Any) -> Any:
        if params["Key"]["thing"]["S"] == DUE and self.happens:
            self.happens.pop(0)()
        return self._client.update_item(**params)


@pytest.fixture
def between(client: Any) -> Between:
    return Between(client)


@pytest.fixture
def placer(between: Between) -> DynamoStore:
    return DynamoStore(between, "ledger", "views", threads=2)


@pytest.fixture
def timekeeper(client: Any) -> DynamoStore:
    store = DynamoStore(client, "ledger", "views", threads=2)
    store.append([added("item/a", due=AT)])
    assert store.look_at_due("item/a", AT, "me")
    return store


def test_a_placement_takes_the_mark_so_that_the_timekeeper_looks_again(
    placer: DynamoStore, timekeeper: DynamoStore
) -> None:
    """He read the deadlines before this one was placed."""
    placer.append([added("item/a", 2, due=LATER)])
    assert not timekeeper.rearm("item/a", "me", None)
    assert timekeeper.due("item/a") == Due(AT)


@pytest.mark.parametrize(("rearmed", "left"), [(None, LATER), (LATEST, LATER), (AT, AT)])
def test_a_row_moved_on_between_the_refusal_and_the_unmarking_is_put_again(
    placer: DynamoStore,
    timekeeper: DynamoStore,
    between: Between,
    rearmed: str | None,
    left: str,
) -> None:
    """Removed, moved beyond, or left where it was by the one who was looking."""
    between.happens = [lambda: timekeeper.rearm("item/a", "me", rearmed)]
    placer.append([added("item/a", 2, due=LATER)])
    assert between.happens == []
    assert timekeeper.due("item/a") == Due(left)


def test_a_row_that_keeps_changing_leaves_the_head_unplaced(
    placer: DynamoStore, timekeeper: DynamoStore, between: Between
) -> None:
    """Somebody else finishes the commit: the moment is not lost with it."""
    marks = iter(range(100))
    between.happens = [lambda: timekeeper.look_at_due("item/a", AT, f"m{next(marks)}")] * 100
    assert placer.append([added("item/a", 2, due=LATER)]) == [None]
    assert timekeeper.load("item/a")["head"].commit == 1
    with pytest.raises(StoreBusy):
        placer.place([added("item/a", 2, due=LATER)])
    between.happens = []
    placer.place([added("item/a", 2, due=LATER)])
    assert timekeeper.load("item/a")["head"].commit == 2
    assert timekeeper.due("item/a") == Due(AT)
