"""Settles what is due, when a message or the schedule says so."""

from typing import Any

from aws_lambda_powertools.logging import Logger

from workledger import bootstrap
from workledger.service import sweeping

logger = Logger()


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Do everything that is due, and have this called again when the next thing will be.

    The event says nothing that matters: a schedule's tick and any number of wake messages are one
    sweep. It may run twice, late, or beside another.
    """
    upcoming = sweeping.sweep(bootstrap.app().core)
    logger.info("swept", extra={"next": upcoming, "messages": len(event.get("Records") or [])})
    return {"batchItemFailures": []}
