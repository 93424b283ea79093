"""`kind` and `store`: every test that takes one of them runs on every store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stores.kinds import KINDS, Kind
from workledger.stores.port import Store


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    """One of the stores' makers."""
    return request.param


@pytest.fixture
def store(kind: Kind, tmp_path: Path) -> Iterator[Store]:
    """A fresh, empty store."""
    with kind.make(tmp_path) as made:
        yield made


@pytest.fixture
def client() -> Iterator[Any]:
    """A DynamoDB client on moto, with the two tables `ledger` and `views`."""
    from tests.tables import fresh_tables  # noqa: PLC0415
    from workledger.stores.moto import moto_client  # noqa: PLC0415

    with moto_client() as made:
        fresh_tables(made)
        yield made
