"""What stream records say, and which of them are to come again."""

from typing import Any

from workledger.service import projecting
from workledger.service.core import Core


def is_purge(core: Core, records: list[dict[str, Any]]) -> bool:
    """Whether nothing but what a purge may remove was removed."""
    keys = [record["dynamodb"]["Keys"] for record in records if record["eventName"] == "REMOVE"]
    removed = [(key["stream"]["S"], int(key["n"]["N"])) for key in keys]
    return len(removed) == len(records) and projecting.is_purge(core, removed)


def again(number: str | None) -> dict[str, Any]:
    """The answer that has Lambda come again from a record, or none."""
    return {"batchItemFailures": [{"itemIdentifier": number}] if number else []}
