"""The Amazon SWF service as an HTTP API calls it (payload 2.0): one route, `POST /`."""

import base64
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from workledger.api import logs
from workledger.swf import protocol
from workledger.swf.protocol import Answered, Asked, Service
from workledger.swf.signing import Request


def answer(
    service: Callable[[], Service],
    event: Mapping[str, Any],
    context: Any,
    account: str,
    poll_seconds: float,
) -> dict[str, Any]:
    """The answer to an event, whatever happens; one line of log, never what was asked."""
    started, asked = time.perf_counter(), asked_of(event, context, account)
    try:
        answered = protocol.handle(service(), asked, poll_seconds)
    except Exception as error:  # noqa: BLE001 - whatever it was, the sender gets an answer
        logs.incident(error)
        answered = protocol.internal_failure(asked)
    _log(answered, started)
    return {
        "statusCode": answered.status,
        "headers": dict(answered.headers),
        "body": answered.body,
    }


def asked_of(event: Mapping[str, Any], context: Any, account: str) -> Asked:
    """What was asked; `context.connected` tells, where that is known, if the sender is there."""
    at = event["requestContext"]
    body: str = event.get("body") or ""
    sent: Mapping[str, str] = event.get("headers") or {}
    request = Request(
        method=at["http"]["method"],
        path=event.get("rawPath") or "/",
        query=event.get("rawQueryString") or "",
        headers={name.lower(): value for name, value in sent.items()},
        body=base64.b64decode(body) if event.get("isBase64Encoded") else body.encode(),
    )
    connected = getattr(context, "connected", _always)
    return Asked(request, account or at["accountId"], str(uuid.uuid4()), connected)


def _always() -> bool:
    return True


def _log(answered: Answered, started: float) -> None:
    logs.logger.info(
        "request",
        extra={
            "operation": answered.operation,
            "status": answered.status,
            "code": answered.code,
            "ms": round((time.perf_counter() - started) * 1_000, 1),
            "request": answered.headers["x-amzn-RequestId"],
        },
    )
