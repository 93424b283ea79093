"""Removes what is kept no more, when the schedule says so: the one function that may remove."""

from typing import Any

from aws_lambda_powertools.logging import Logger

from workledger import bootstrap
from workledger.swf import purging
from workledger.times import plus

SECONDS = 14 * 60
"""It stops a minute before its time-out; the next one goes on."""

logger = Logger()


def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Purge the executions whose domain keeps them no longer; it may run twice, late, or beside
    another."""
    core = bootstrap.app().core
    count = purging.purge(core, plus(core.clock(), SECONDS))
    logger.info("purged", extra={"executions": count})
    return {"purged": count}
