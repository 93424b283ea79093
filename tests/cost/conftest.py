"""`costs`: what every operation sends to DynamoDB, measured once on moto."""

from collections.abc import Mapping

import pytest

from tests.cost.operations import Cost, operations


@pytest.fixture(scope="package")
def costs() -> Mapping[str, Cost]:
    """Operation -> its cost."""
    from workledger.stores.moto import moto_client  # noqa: PLC0415
    from workledger.stores.tables import create_tables  # noqa: PLC0415

    with moto_client() as client:
        create_tables(client, "ledger", "views")
        return dict(operations(client))
