"""The two tables, in the words of CloudFormation: template.yaml says the same, and a test compares.

Used where no template is deployed: in tests, and by `serve` on an engine that has no tables yet.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any


def _key(hashed: str, *ranges: str) -> list[dict[str, str]]:
    keys = [{"AttributeName": hashed, "KeyType": "HASH"}]
    return keys + [{"AttributeName": name, "KeyType": "RANGE"} for name in ranges]


def _attributes(**types: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": type_} for name, type_ in types.items()]


def _index(name: str, hashed: str, *ranges: str) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": _key(hashed, *ranges),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }


LEDGER: Mapping[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": _attributes(stream="S", n="N"),
    "KeySchema": _key("stream", "n"),
    "StreamSpecification": {"StreamViewType": "KEYS_ONLY"},
}

VIEWS: Mapping[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": _attributes(
        stream="S",
        thing="S",
        line="S",
        rank="N",
        date="S",
        seq="N",
        tie="S",
        queue="S",
        number="N",
        ref="S",
        run="S",
    ),
    "KeySchema": _key("stream", "thing"),
    "GlobalSecondaryIndexes": [
        _index("line", "line", "rank", "date", "seq", "tie"),
        _index("number", "queue", "number"),
        _index("ref", "queue", "ref"),
        _index("run", "run", "stream"),
    ],
    "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
}


def create_tables(client: Any, ledger_table: str, views_table: str) -> None:
    """Create the tables that do not stand yet, and wait until both can be used."""
    for name, properties in ((ledger_table, LEDGER), (views_table, VIEWS)):
        stream = {**properties["StreamSpecification"], "StreamEnabled": True}
        with suppress(client.exceptions.ResourceInUseException):
            client.create_table(TableName=name, **{**properties, "StreamSpecification": stream})
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
