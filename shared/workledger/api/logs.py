"""One line of JSON a request; never a payload, a token, a query."""

import secrets
import time
import traceback
from typing import Any

from aws_lambda_powertools.logging import Logger

from workledger.api.resolver import Told

logger = Logger()


def incident(error: Exception) -> str:
    """Log an unexpected error and answer its id.

    Where it happened is told, not its message: messages may repeat what they were about.
    """
    name = secrets.token_hex(6)
    frames = traceback.extract_tb(error.__traceback__)
    logger.error(
        "unexpected error",
        extra={
            "incident": name,
            "error": type(error).__name__,
            "trace": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-12:]],
        },
    )
    return name


def request(event: dict[str, Any], status: int, told: Told) -> None:
    """Log how a request went."""
    found: dict[str, Any] = event.get("requestContext") or {}
    http: dict[str, Any] = found.get("http") or {}
    logger.info(
        "request",
        extra={
            "operation": told.operation,
            "method": http.get("method"),
            "status": status,
            "code": told.code,
            "ms": round((time.perf_counter() - told.started) * 1_000, 1),
            "request": found.get("requestId"),
        },
    )
