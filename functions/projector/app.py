"""Follows the tables' streams: finishes, feeds and counts what moved."""

from typing import Any

from aws_lambda_powertools.logging import Logger

from functions.projector.records import again, is_purge
from workledger import bootstrap
from workledger.service import counting, projecting

logger = Logger()


def ledger_handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Project the streams that moved, and answer the first record that is to come again.

    A record only says which stream moved; Lambda comes again from the number that is named.
    """
    records: list[dict[str, Any]] = event.get("Records") or []
    core = bootstrap.app().core
    inserts = [record["dynamodb"] for record in records if record["eventName"] == "INSERT"]
    others = [record for record in records if record["eventName"] != "INSERT"]
    if not is_purge(core, others):
        logger.error("the ledger was changed", extra={"records": len(others)})
    streams = [record["Keys"]["stream"]["S"] for record in inserts]
    failed = projecting.moved(core, list(dict.fromkeys(streams)))
    first = [streams.index(stream) for stream in failed]
    return again(inserts[min(first)]["SequenceNumber"] if first else None)


def views_handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Count what moved between lines. A window makes the event name its shard."""
    records: list[dict[str, Any]] = event.get("Records") or []
    shard: str = event.get("shardId") or "-"
    core, moved = bootstrap.app().core, [record["dynamodb"] for record in records]
    if counting.is_late(core, moved):
        logger.error("counts may lack what was given up: recount", extra={"shard": shard})
    return again(counting.counted(core, shard, moved)) | {"state": {}}
