"""Who may come in, and as whom.

A request with a token goes through the deployed system's authorizer. One without is let in on a
loopback address only, as `local` or whom `X-Workledger-Actor` names, with the role that `serve` was
started with. A browser on this machine can be made to send requests by any page it shows, so such a
request must name a loopback host (no DNS rebinding) and come from no other site's page.
"""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from workledger.local.events import Request
from workledger.local.problems import Problem

ACTOR = "local"
ACTOR_HEADER = "x-workledger-actor"
LONGEST_ACTOR = 128
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(:\d{1,5})?")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "via")


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine and nothing else."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def anonymous(request: Request, role: str) -> Mapping[str, Any]:
    """The authorizer's context for a request without a token. Raises Problem (403, 400)."""
    from_here(request)
    return {"actor": _actor(request), "role": role}


def from_here(request: Request) -> None:
    """Nothing but a program of this machine that means this server. Raises Problem (403)."""
    _refuse_other_hosts(request)
    _refuse_other_sites(request)


def unauthenticated() -> Problem:
    """A request without a token where one is needed."""
    detail = "send a token: Authorization: Bearer wl_... (made by `workledger token create`)"
    return Problem("unauthenticated", detail)


def unknown_token() -> Problem:
    """The authorizer did not know the token. API Gateway says 403 too."""
    return Problem("forbidden", "the token is unknown, expired or revoked")


def _refuse_other_hosts(request: Request) -> None:
    match = _HOST.fullmatch(request.header("host") or "")
    if match is None or not is_loopback(match["name"]):
        raise Problem("forbidden", "without a token the Host must be localhost, 127.0.0.1, ::1")
    if any(request.header(name) is not None for name in _FORWARDED):
        raise Problem("forbidden", "a request that was forwarded by a proxy needs a token")


def _refuse_other_sites(request: Request) -> None:
    origin = request.header("origin")
    site = request.header("sec-fetch-site")
    same = (
        origin is None or urlsplit(origin).netloc.lower() == (request.header("host") or "").lower()
    )
    if not same or site not in (None, "none", "same-origin"):
        raise Problem("forbidden", "a web page of another site sent this without a token")


def _actor(request: Request) -> str:
    given = request.header(ACTOR_HEADER)
    if given is None:
        return ACTOR
    try:
        actor = given.encode("latin-1").decode().strip()
    except UnicodeDecodeError as error:
        raise _no_actor() from error
    if not 1 <= len(actor) <= LONGEST_ACTOR or not actor.isprintable():
        raise _no_actor()
    return actor


def _no_actor() -> Problem:
    detail = f"{ACTOR_HEADER} must be 1 to {LONGEST_ACTOR} printable characters in UTF-8"
    return Problem("invalid_header", detail)
