"""The Amazon SWF service: one route, `POST /`; the signature is verified here, not before."""

import base64
import os
import time
import uuid
from typing import Any

from workledger import bootstrap
from workledger.api import logs
from workledger.swf import protocol
from workledger.swf.protocol import Answered, Asked
from workledger.swf.signing import Request


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer a request of the HTTP API (payload 2.0)."""
    started, asked = time.perf_counter(), _asked(event, context)
    try:
        answered = protocol.handle(bootstrap.app(), asked, _poll_seconds())
    except Exception as error:  # noqa: BLE001 - whatever it was, the sender gets an answer
        logs.incident(error)
        answered = protocol.internal_failure(asked)
    _log(answered, started)
    return _event(answered)


def _poll_seconds() -> float:
    """How long a poll is held: API Gateway ends a request after 30 seconds."""
    return float(os.environ.get("POLL_SECONDS", "20"))


def _asked(event: dict[str, Any], context: Any) -> Asked:
    at = event["requestContext"]
    body = event.get("body") or ""
    sent: dict[str, str] = event.get("headers") or {}
    headers = {name.lower(): value for name, value in sent.items()}
    request = Request(
        method=at["http"]["method"],
        path=event.get("rawPath") or "/",
        query=event.get("rawQueryString") or "",
        headers=headers,
        body=base64.b64decode(body) if event.get("isBase64Encoded") else body.encode(),
    )
    account = os.environ.get("SWF_ACCOUNT") or at["accountId"]
    return Asked(request, account, str(uuid.uuid4()), getattr(context, "connected", _always))


def _always() -> bool:
    return True


def _log(answered: Answered, started: float) -> None:
    """One line: never what was asked or answered."""
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


def _event(answered: Answered) -> dict[str, Any]:
    return {
        "statusCode": answered.status,
        "headers": dict(answered.headers),
        "body": answered.body,
    }
