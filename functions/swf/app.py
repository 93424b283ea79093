"""The Amazon SWF service: one route, `POST /`; the signature is verified here, not before."""

import os
from typing import Any

from workledger import bootstrap
from workledger.api import swf_event


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer a request of the HTTP API (payload 2.0)."""
    account = os.environ.get("SWF_ACCOUNT", "")
    return swf_event.answer(bootstrap.app, event, context, account, _poll_seconds())


def _poll_seconds() -> float:
    """How long a poll is held: API Gateway ends a request after 30 seconds."""
    return float(os.environ.get("POLL_SECONDS", "20"))
