"""DynamoDB in memory: moto in this process, for tests and `serve --store moto`.

moto is not safe under threads: two of them can both win a conditional write. So there is one lock
around every call, in the whole process. It is slow by design: never judge speed by it.
"""

from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock
from typing import Any, cast

from moto import mock_aws

from workledger.stores.dynamodb_requests import Client, make_client

LOCK = RLock()
REGION = "us-east-1"


class Locked:
    """A boto3 client whose calls hold the lock."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._client, name)
        if not callable(member) or isinstance(member, type):
            return member

        def locked(*args: Any, **params: Any) -> Any:
            with LOCK:
                return member(*args, **params)

        return locked


@contextmanager
def moto_client() -> Generator[Client]:
    """An empty DynamoDB; it is gone at the end, also where another one goes on around it."""
    with mock_aws():
        client = Locked(make_client(region=REGION))
        others = _tables(client)
        try:
            yield cast("Client", client)
        finally:
            for name in _tables(client) - others:
                client.delete_table(TableName=name)


def _tables(client: Any) -> set[str]:
    pages = client.get_paginator("list_tables").paginate()
    return {name for page in pages for name in page["TableNames"]}
