"""Invokes the Lambda functions that SWF deciders schedule: it has as long as those (W27)."""

from typing import Any

from aws_lambda_powertools.logging import Logger

from workledger import bootstrap
from workledger.swf import reacting

logger = Logger()


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Carry out one reaction: `{"stream": ..., "thing": ...}`. A repeated event does nothing."""
    stream, thing = event["stream"], event["thing"]
    reacting.carry_out(bootstrap.app().core, stream, thing)
    logger.info("invoked", extra={"stream": stream, "thing": thing})
    return {}
