"""The two tables of a test on moto, which is one for the whole process."""

from contextlib import suppress
from typing import Any

from workledger.stores.tables import create_tables

NAMES = ("ledger", "views")


def fresh_tables(client: Any) -> None:
    """Makes the tables `ledger` and `views`, empty whatever an earlier test left in them."""
    for name in NAMES:
        with suppress(client.exceptions.ResourceNotFoundException):
            client.delete_table(TableName=name)
    create_tables(client, *NAMES)
