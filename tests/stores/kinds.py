"""The stores that the conformance suite runs on: add one line to KINDS for each.

A kind makes a fresh, empty store in an empty folder and cleans up behind it. What it makes must
answer reads by line at once: delays are the business of the wrapper in `stores.faults`, which has
tests of its own.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from workledger.stores.port import Store


@dataclass(frozen=True)
class Kind:
    """A way to make a store, and how many examples of a property it can afford."""

    name: str
    make: Callable[[Path], AbstractContextManager[Store]]
    examples: int = 50

    def check(self, prop: Callable[..., None], **strategies: SearchStrategy[Any]) -> None:
        """Check a property on as many examples as this store can afford."""
        profile = settings(
            max_examples=self.examples,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        profile(given(**strategies)(prop))()


@contextmanager
def sqlite(folder: Path) -> Iterator[Store]:
    """The embedded store: one file."""
    from workledger.stores.sqlite import SqliteStore  # noqa: PLC0415

    store = SqliteStore(str(folder / "workledger.db"))
    yield store
    store.close()


@contextmanager
def dynamodb(folder: Path) -> Iterator[Store]:
    """The production store, on moto in this process."""
    from tests.tables import fresh_tables  # noqa: PLC0415
    from workledger.stores.dynamodb import DynamoStore  # noqa: PLC0415
    from workledger.stores.moto import moto_client  # noqa: PLC0415

    with moto_client() as client:
        fresh_tables(client)
        yield DynamoStore(client, "ledger", "views", threads=4)


@contextmanager
def faulty(folder: Path) -> Iterator[Store]:
    """The wrapper that injects faults, with none: it takes DynamoDB's steps on the embedded store."""
    from workledger.stores.faults import FaultyStore  # noqa: PLC0415

    with sqlite(folder) as store:
        yield FaultyStore(store)


KINDS = [
    Kind("sqlite", sqlite, examples=100),
    Kind("faulty", faulty, examples=20),
    Kind("dynamodb", dynamodb, examples=5),
]
