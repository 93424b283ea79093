"""Cursors: opaque to who holds them, checked when they come back."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from workledger.errors import Refused
from workledger.views.order import Spot


def encode(*parts: Any) -> str:
    """The cursor of these parts."""
    text = json.dumps(parts, separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str, *shape: type) -> list[Any]:
    """The parts of a cursor of this shape. Raises Refused("invalid_query")."""
    try:
        parts = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _invalid() from error
    if not isinstance(parts, list):
        raise _invalid()
    found: list[Any] = parts  # pyright: ignore[reportUnknownVariableType]
    if [type(part) for part in found] != list(shape):
        raise _invalid()
    return found


def _invalid() -> Refused:
    return Refused(
        "invalid_query", "this cursor is not one that was given out here", field="cursor"
    )


SPOT = (int, str, int, str, str, str)
"""The shape of a spot in a cursor."""


def spot(parts: list[Any]) -> Spot:
    """The spot in a cursor's parts. Raises Refused: the parts of a key are never empty."""
    found = Spot(*parts)
    if not (found.date and found.tie and found.stream and found.thing):
        raise _invalid()
    return found
