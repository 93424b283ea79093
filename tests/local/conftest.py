"""What the tests of `serve` share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from workledger.stores.moto import moto_client
from workledger.stores.streams import moto_streams
from workledger.stores.tables import create_tables


@pytest.fixture
def on_moto() -> Iterator[Callable[[], tuple[Any, Any]]]:
    """Makes an empty DynamoDB in memory: its client, and its streams."""
    with ExitStack() as stack:

        def make() -> tuple[Any, Any]:
            client = stack.enter_context(moto_client())
            create_tables(client, "ledger", "views")
            return client, moto_streams()

        yield make
