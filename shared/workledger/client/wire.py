"""JSON as it travels: bodies from Python values, and the exact text of any part of an answer."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

from workledger.jsontext import Raw, dumps

__all__ = ["UNSET", "Raw", "Source", "Unset", "body_of", "encode", "given", "moment"]


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
"""Stands for a member that is left out, where None is a value of its own (null)."""

_decoder = json.JSONDecoder()
_SPACE = " \t\n\r"


def encode(value: Any) -> bytes:
    """UTF-8 JSON of a value; `Raw` parts stand in it as they were written, digit for digit."""
    return dumps(value).encode()


def body_of(**members: Any) -> dict[str, Any]:
    """A body of the members that are set."""
    return {name: value for name, value in members.items() if value is not UNSET}


def given(value: Any) -> Any:
    """A member that None leaves out."""
    return UNSET if value is None else value


def moment(value: str | datetime | None) -> str | None:
    """A moment as the API takes it. A datetime must know its zone."""
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError("a moment needs a time zone: datetime.now(UTC), or text that ends in Z")
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Source:
    """A place in the text of an answer."""

    text: str = ""
    path: tuple[str | int, ...] = ()

    def at(self, *steps: str | int) -> "Source":
        """The place so many steps further in: members by name, elements by number."""
        return Source(self.text, (*self.path, *steps))

    def exact(self) -> str:
        """The JSON text that stands there, as the server wrote it. Raises KeyError, IndexError."""
        at = _skip(self.text, 0)
        for step in self.path:
            at = _enter(self.text, at, step)
        _, end = _decoder.raw_decode(self.text, at)
        return self.text[at:end]


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _enter(text: str, at: int, step: str | int) -> int:
    """Where the value of a member or element starts."""
    at, position = _skip(text, at + 1), 0
    while text[at] not in "]}":
        name: str | int = position
        if isinstance(step, str):
            name, at = _decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if name == step:
            return at
        _, at = _decoder.raw_decode(text, at)
        at, position = _skip(text, at), position + 1
        if text[at] == ",":
            at = _skip(text, at + 1)
    raise KeyError(step) if isinstance(step, str) else IndexError(step)
