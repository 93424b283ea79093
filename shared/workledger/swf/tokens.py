"""Task tokens and page tokens: opaque to who holds them, checked when they come back (1.2, W22)."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.times import plus
from workledger.workflows.commands import Token

PAGE_LIFE_SECONDS = 24 * 3_600


def invalid() -> Refused:
    """The fault for a token that was never given out."""
    return Refused("ValidationException", "Invalid token")


def _encode(kind: str, *parts: Any) -> str:
    text = json.dumps([kind, *parts], separators=(",", ":"))
    sealed = f"{keys.digest('token', text)[:8]}{text}"
    return urlsafe_b64encode(sealed.encode()).decode()


def _decode(kind: str, token: str) -> list[Any]:
    try:
        sealed = urlsafe_b64decode(token.encode()).decode()
    except (binascii.Error, ValueError) as error:
        raise invalid() from error
    seal, text = sealed[:8], sealed[8:]
    if seal != keys.digest("token", text)[:8]:
        raise invalid()
    found: list[Any] = json.loads(text)
    if found[0] != kind:
        raise invalid()
    return found[1:]


def task(stream: str, token: Token) -> str:
    """The token of a decision or activity task."""
    return _encode("t", stream, token.run, token.scheduled_id, token.started_id, token.thing)


def task_of(token: str) -> tuple[str, Token]:
    """(stream, what it says) of a task token. Raises ValidationException."""
    stream, run, scheduled_id, started_id, thing = _decode("t", token)
    return stream, Token(run, scheduled_id, started_id, thing)


def page(now: str, *parts: Any) -> str:
    """The token of a list's next page."""
    return _encode("p", now, *parts)


def page_of(token: str, clock: Callable[[], str]) -> list[Any]:
    """The parts of a page token. Raises ValidationException, also after 24 hours."""
    given, *parts = _decode("p", token)
    if plus(given, PAGE_LIFE_SECONDS) < clock():
        raise Refused("ValidationException", "Specified token has exceeded its maximum lifetime")
    return parts
