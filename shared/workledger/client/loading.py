"""Entries on their way in: the envelope, and large loads cut into parts (Q80 to Q84). Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workledger.client.answers import Added, AddedItem
from workledger.client.wire import Raw, body_of, encode, given, moment

PART_ENTRIES = 5_000
"""Entries in one request (Q81)."""

PART_BYTES = 5_500_000
"""Size of one request: below the 6 MB that reach a function (Q84), with room for its headers."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """An entry with its data wrapped: that may be any JSON value, also one with a key `data`."""

    data: Any
    reference: str | None = None
    priority: int | None = None
    not_before: str | datetime | None = None
    due: str | datetime | None = None

    def envelope(self) -> dict[str, Any]:
        """The entry as it is sent (Q80)."""
        return body_of(
            data=self.data,
            reference=given(self.reference),
            priority=given(self.priority),
            notBefore=given(moment(self.not_before)),
            due=given(moment(self.due)),
        )


def entry_text(entry: Any) -> bytes:
    """The JSON of an entry: a `NewItem`, `Raw` JSON text, or any JSON value."""
    return encode(entry.envelope() if isinstance(entry, NewItem) else entry)


def body(entries: Any) -> bytes:
    """The JSON of an add: a list is a list of entries, everything else is one entry."""
    if isinstance(entries, list | tuple):
        return whole(entry_text(entry) for entry in entries)  # pyright: ignore[reportUnknownVariableType]
    return entry_text(entries)


def whole(texts: Iterable[bytes]) -> bytes:
    """The JSON list of texts."""
    return b"[" + b",".join(texts) + b"]"


@dataclass(frozen=True, slots=True)
class Part:
    """One request of a load: its number from 1, the index of its first entry, its entries."""

    number: int
    first: int
    texts: tuple[bytes, ...]


def parts(
    entries: Iterable[Any], *, most: int = PART_ENTRIES, size: int = PART_BYTES
) -> Iterator[Part]:
    """Cut entries into requests; the same entries are always cut in the same way.

    An entry larger than `size` gets a part of its own, for the server to refuse.
    """
    number, first, held, held_size = 1, 0, list[bytes](), 2
    for entry in entries:
        text = entry_text(entry)
        if held and (len(held) == most or held_size + _size(text) > size):
            yield Part(number, first, tuple(held))
            number, first, held, held_size = number + 1, first + len(held), [], 2
        held.append(text)
        held_size += _size(text)
    if held or number == 1:
        yield Part(number, first, tuple(held))


def _size(text: bytes) -> int:
    """Bytes in the event that reaches a function: a body stands in it as a string, escaped."""
    return len(text) + text.count(b'"') + text.count(b"\\") + 1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: entries answered so far, of them added and skipped."""

    parts: int
    entries: int
    added: int
    skipped: int


def together(answers: Iterable[tuple[Part, Added]]) -> Added:
    """One answer for a load in parts: indexes count through."""
    added = skipped = 0
    items: list[AddedItem] = []
    for part, answer in answers:
        added, skipped = added + answer.added, skipped + answer.skipped
        items += (
            AddedItem(one.index + part.first, one.id, one.created, one.status)
            for one in answer.items
        )
    return Added(added, skipped, tuple(items))


__all__ = ["NewItem", "Part", "Progress", "Raw", "body", "parts", "together", "whole"]
