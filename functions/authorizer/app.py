"""Who a bearer token belongs to: API Gateway asks before any request gets through."""

from typing import Any

from workledger import bootstrap
from workledger.errors import StoreBusy
from workledger.service import tokens

TRIES = 3


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer whether the request may come in, and as whom (payload 2.0, simple response).

    A refusal is remembered by the gateway for a minute. So when the store is busy, and nothing is
    known about the token, this raises instead: the gateway answers 500, and the sender tries again.
    """
    token = _check(_bearer(event))
    if token is None:
        return {"isAuthorized": False}
    return {"isAuthorized": True, "context": {"actor": token.owner, "role": token.role}}


def _bearer(event: dict[str, Any]) -> str:
    headers: dict[str, Any] = event.get("headers") or {}
    named = {name.lower(): value for name, value in headers.items()}
    scheme, _, token = str(named.get("authorization")).strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _check(bearer: str, tried: int = 1) -> Any:
    core = bootstrap.app().core
    try:
        return tokens.check(core, bearer)
    except StoreBusy:
        if tried == TRIES:
            raise
        core.executor.pause(tried)
        return _check(bearer, tried + 1)
