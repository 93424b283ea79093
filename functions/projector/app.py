"""Follows the tables' streams: finishes and feeds what moved in the ledger, counts what moved."""

from typing import Any

from aws_lambda_powertools.logging import Logger

from workledger import bootstrap
from workledger.service import counting, projecting

logger = Logger()


def ledger_handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Project the streams that moved; answers the first record that is to come again.

    A record only says which stream moved. Lambda comes again from the lowest number that is named.
    """
    records: list[dict[str, Any]] = event.get("Records") or []
    inserts = [record for record in records if record["eventName"] == "INSERT"]
    if len(inserts) < len(records):
        logger.error("the ledger was changed", extra={"records": len(records) - len(inserts)})
    streams = [_stream(record) for record in inserts]
    failed = projecting.moved(bootstrap.app().core, list(dict.fromkeys(streams)))
    first = [r for r, stream in zip(inserts, streams, strict=True) if stream in failed][:1]
    return _again([record["dynamodb"]["SequenceNumber"] for record in first])


def views_handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Count what moved between lines. A window makes the event name its shard."""
    records: list[dict[str, Any]] = event.get("Records") or []
    shard: str = event.get("shardId") or "-"
    moved = [record["dynamodb"] for record in records]
    failed = counting.counted(bootstrap.app().core, shard, moved)
    return {**_again([failed] if failed else []), "state": {}}


def _stream(record: dict[str, Any]) -> str:
    return record["dynamodb"]["Keys"]["stream"]["S"]


def _again(numbers: list[str]) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": number} for number in numbers]}
