"""Counts what the DynamoDB store really sends: requests, round trips, write units.

For budget tests and benchmarks: `recorded` gives a store whose client is watched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from workledger.stores import tables
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.dynamodb_items import Item
from workledger.stores.dynamodb_requests import Client
from workledger.stores.units import write_units

_T = TypeVar("_T")

_WRITES = {"put_item", "update_item", "delete_item"}


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `trip` counts from 1: requests made side by side share it.

    `units` are write units with indexes; 0 for reads and for the batches of maintenance.
    """

    operation: str
    params: Mapping[str, Any]
    trip: int
    units: int
    refused: bool


@dataclass(slots=True)
class Recorder:
    """What was sent since the last `clear`. It makes calls in turn, and knows which belong
    side by side: so the number of round trips does not depend on threads."""

    requests: list[Request] = field(default_factory=list[Request])
    trips: int = 0
    """Round trips: the longest chain of requests that had to wait for each other."""

    def clear(self) -> None:
        """Forget."""
        self.requests.clear()
        self.trips = 0

    @property
    def reads(self) -> int:
        """How many requests were reads."""
        return sum(request.operation not in _WRITES for request in self.requests)

    @property
    def writes(self) -> int:
        """How many requests were writes."""
        return len(self.requests) - self.reads

    @property
    def units(self) -> int:
        """Write units of all requests, with indexes."""
        return sum(request.units for request in self.requests)

    def together(self, calls: Sequence[Callable[[], _T]], /) -> list[_T]:
        """Make calls that take as many trips as the longest of them."""
        begun = deepest = self.trips
        answers: list[_T] = []
        for call in calls:
            self.trips = begun
            answers.append(call())
            deepest = max(deepest, self.trips)
        self.trips = deepest
        return answers


class RecordingClient:
    """A client that tells a recorder of every request."""

    def __init__(
        self, client: Client, recorder: Recorder, specs: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._specs = specs

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def recorded(**params: Any) -> Any:
            self._recorder.trips += 1
            before, refused = self._item(name, params), True
            try:
                answer = call(**params)
                refused = False
                return answer
            finally:
                self._tell(name, params, before, refused)

        return recorded

    def _tell(self, name: str, params: dict[str, Any], before: Item | None, refused: bool) -> None:
        cost = 0
        if name in _WRITES:
            cost = write_units(self._specs[params["TableName"]], before, self._item(name, params))
        trip = self._recorder.trips
        self._recorder.requests.append(Request(name, params, trip, cost, refused))

    def _item(self, name: str, params: dict[str, Any]) -> Item | None:
        """The item that a write is about."""
        if name not in _WRITES:
            return None
        table = params["TableName"]
        schema = self._specs[table]["KeySchema"]
        source: Item = params.get("Key") or params["Item"]
        key = {part["AttributeName"]: source[part["AttributeName"]] for part in schema}
        return self._client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def recorded(client: Client, ledger_table: str, views_table: str) -> tuple[DynamoStore, Recorder]:
    """A store and the recorder of its requests."""
    recorder = Recorder()
    specs = {ledger_table: tables.LEDGER, views_table: tables.VIEWS}
    watched = cast("Client", RecordingClient(client, recorder, specs))
    store = DynamoStore(watched, ledger_table, views_table, together=recorder.together)
    return store, recorder
