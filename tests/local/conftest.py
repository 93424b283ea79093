"""What the tests of `serve` share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.tables import fresh_tables
from workledger.stores.moto import moto_client
from workledger.stores.streams import moto_streams


@pytest.fixture
def on_moto() -> Iterator[Callable[[], tuple[Any, Any]]]:
    """Makes an empty DynamoDB in memory: its client, and its streams."""
    with ExitStack() as stack:

        def make() -> tuple[Any, Any]:
            client = stack.enter_context(moto_client())
            fresh_tables(client)
            return client, moto_streams()

        yield make
