"""Task tokens and page tokens: opaque to who holds them, checked when they come back (1.2, W22)."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.swf.histories import Range
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
    found: Any = json.loads(text)
    if not isinstance(found, list) or found[:1] != [kind]:
        raise invalid()
    return found[1:]  # pyright: ignore[reportUnknownVariableType]


def checked(parts: list[Any], *shape: type) -> list[Any]:
    """Parts of this shape: the seal keeps mistakes apart, not those who know how it is made."""
    if [type(part) for part in parts] != list(shape):
        raise invalid()
    return parts


def task(stream: str, token: Token) -> str:
    """The token of a decision or activity task."""
    return _encode("t", stream, token.run, token.scheduled_id, token.started_id, token.thing)


def task_of(token: str) -> tuple[str, Token]:
    """(stream, what it says) of a task token. Raises ValidationException."""
    parts = checked(_decode("t", token), str, int, int, int, str)
    stream, run, scheduled_id, started_id, thing = parts
    if keys.kind(stream) != "execution" or (thing and not thing.startswith(f"a.{run}.")):
        raise invalid()
    return stream, Token(run, scheduled_id, started_id, thing)


def page(now: str, *parts: Any) -> str:
    """The token of a list's next page."""
    return _encode("p", now, *parts)


def page_of(token: str, clock: Callable[[], str]) -> list[Any]:
    """The parts of a page token. Raises ValidationException, also after 24 hours."""
    parts = _decode("p", token)
    try:
        ends = plus(parts[0], PAGE_LIFE_SECONDS)
    except (IndexError, TypeError, ValueError, OverflowError) as error:
        raise invalid() from error
    if ends < clock():
        raise Refused("ValidationException", "Specified token has exceeded its maximum lifetime")
    return parts[1:]


def decision_page(token: str, clock: Callable[[], str]) -> tuple[Range, int, int, int, int]:
    """What the token of a decision task's next page says.

    Which part of a history, the task's scheduled and previous started event, where it goes on.
    """
    kind, *parts = checked(page_of(token, clock), str, str, *[int] * 9)
    if kind != "decision" or keys.kind(parts[0]) != "execution":
        raise invalid()
    scheduled, previous, commit, index = parts[6:]
    return Range(*parts[:6]), scheduled, previous, commit, index
