"""Reads of the multi-attribute index: pages, starts that the service would refuse, empty pages."""

from typing import Any

import pytest

from tests.stores.writes import LINE, added, standing
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.port import Found
from workledger.views.order import Spot
from workledger.views.row import Keys

EARLY, LATE = "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"


class Pages:
    """A client whose queries end early: pages of `size`, the first of them empty.

    It refuses what the service refuses of a start and moto lets pass.
    """

    def __init__(self, client: Any, size: int) -> None:
        self._client = client
        self._size = size
        self.queries: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def query(self, **params: Any) -> Any:
        self.queries.append(params)
        self._check_start(params)
        if len(self.queries) == 1:
            start = params.get("ExclusiveStartKey") or {"stream": {"S": "nothing yet"}}
            return {"Items": [], "Count": 0, "LastEvaluatedKey": start}
        if params.get("ExclusiveStartKey", {}).get("stream") == {"S": "nothing yet"}:
            params.pop("ExclusiveStartKey")
        params["Limit"] = min(self._size, params["Limit"])
        return self._client.query(**params)

    def _check_start(self, params: dict[str, Any]) -> None:
        start, values = params.get("ExclusiveStartKey", {}), params["ExpressionAttributeValues"]
        if "line" in start and ":date" in values:
            assert start["rank"] == {"N": "0"}, "outside of the range"
            assert start["date"]["S"] <= values[":date"]["S"], "outside of the range"
        if "ref" in start and ":prefix" in values:
            assert start["ref"]["S"].startswith(values[":prefix"]["S"]), "outside of the range"


@pytest.fixture
def pages(client: Any) -> Pages:
    return Pages(client, 3)


@pytest.fixture
def store(pages: Pages) -> DynamoStore:
    return DynamoStore(pages, "ledger", "views", together=lambda calls: [call() for call in calls])


def fill(store: DynamoStore) -> list[Spot]:
    """Ten rows on a line, in three ranks and two dates; their spots in order."""
    places = [standing(n, rank=n % 3 - 1, date=(EARLY, LATE)[n % 2]) for n in range(10)]
    store.append([added(f"item/{place.seq}", place=place) for place in places])
    return sorted(Spot(*place[1:], f"item/{place.seq}", "head") for place in places)


def test_an_empty_page_is_not_the_end(store: DynamoStore, pages: Pages) -> None:
    """Pages are followed until the limit is reached or the service says that nothing is left."""
    spots = fill(store)
    assert store.read_line(LINE, limit=7) == spots[:7]
    assert [query["Limit"] for query in pages.queries[:3]] == [7, 3, 3]
    pages.queries.clear()
    assert store.read_line(LINE, limit=100) == spots
    pages.queries.clear()
    assert store.count_line(LINE, limit=8) == 8
    pages.queries.clear()
    assert store.count_line(LINE, limit=100) == 10


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("limit", [1, 4, 9, 10, 11])
def test_pages_of_a_line_meet_each_spot_once_q20(
    store: DynamoStore, limit: int, backwards: bool
) -> None:
    """Both ways, also when a page ends exactly where the line does."""
    spots = fill(store)
    met: list[Spot] = []
    while page := store.read_line(
        LINE, after=met[-1] if met else None, limit=limit, backwards=backwards
    ):
        met += page
    assert met == (spots[::-1] if backwards else spots)


@pytest.mark.parametrize("backwards", [False, True])
def test_reading_goes_on_behind_a_row_that_has_left_the_line(
    store: DynamoStore, backwards: bool
) -> None:
    """A position is a position, whoever stands there now."""
    spots = fill(store)
    gone = spots[4]
    store.append([added(gone.stream, 2)])
    behind = spots[3::-1] if backwards else spots[5:]
    assert store.read_line(LINE, after=gone, limit=100, backwards=backwards) == behind
    assert store.count_before(LINE, gone, 100) == (4, 0)


@pytest.mark.parametrize("backwards", [False, True])
def test_until_with_any_start_q21(store: DynamoStore, backwards: bool) -> None:
    """The service refuses a start outside of the range: before it all is ahead, beyond it none."""
    spots = fill(store)
    within = [one for one in spots if one.rank == 0 and one.date <= EARLY]
    assert len(within) in range(1, len(spots) - 2)
    for after in spots:
        ahead = [one for one in within if (one < after if backwards else one > after)]
        got = store.read_line(LINE, after=after, limit=9, backwards=backwards, until=EARLY)
        assert got == sorted(ahead, reverse=backwards)


def test_counts_before_a_spot_q28(store: DynamoStore) -> None:
    """Of higher priority, and of the same priority but earlier; each stops at the limit."""
    spots = fill(store)
    for one in spots:
        lower = sum(other.rank < one.rank for other in spots)
        earlier = sum(other.rank == one.rank and other < one for other in spots)
        assert store.count_before(LINE, one, 100) == (lower, earlier)
        assert store.count_before(LINE, one, 2) == (min(lower, 2), min(earlier, 2))


def test_a_prefix_with_any_start(store: DynamoStore) -> None:
    """As for `until`: a start before the prefix begins with it, one behind finds nothing."""
    refs = ["a", "b", "b1", "b2", "c"]
    store.append([added(f"item/{ref}", keys=Keys(queue="q_a.1", ref=ref)) for ref in refs])
    for after in ("a", "b", "b1", "b2", "c"):
        found = store.read_index(
            "ref", "q_a.1", after=Found(after, f"item/{after}", "head"), limit=9, prefix="b"
        )
        assert [one.value for one in found] == [r for r in refs if r[0] == "b" and r > after]
