"""What may be added: envelope, reference, priority, moments, size (Q10 to Q15, Q31, Q80). Pure."""

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from workledger import times
from workledger.errors import Refused
from workledger.jsontext import Entry, Raw
from workledger.queues.item_commands import NewItem

MOST_ENTRIES = 5_000
"""Entries in one load (Q81)."""

MOST_BYTES = 256 * 1024
"""Data and result together, in UTF-8 bytes (Q14): what the field uses, below a row's 400 KB."""

REFERENCE_BYTES = 512
PRIORITY_RANGE = (-(2**31), 2**31 - 1)

_ENVELOPE = ("data", "reference", "priority", "notBefore", "due")


def new_items(entries: list[Entry]) -> list[NewItem]:
    """The items of a load: all of them, or Refused with the first bad index (Q81)."""
    return [_new_item(entry, index) for index, entry in enumerate(entries)]


def _new_item(entry: Entry, index: int) -> NewItem:
    members = entry.members
    if members is None or "data" not in members:
        _no_foreign_request(members, index)
        return NewItem(_data(entry.raw, index))
    unknown = [name for name in members if name not in _ENVELOPE]
    if unknown:
        raise Refused(
            "unknown_member",
            f"{json.dumps(unknown[0])} is no member of an entry with data "
            f"({', '.join(_ENVELOPE)}). If the whole object is the item's data, "
            'wrap it as {"data": ...}',
            field=unknown[0],
            index=index,
        )
    values = {name: members[name].value() for name in _ENVELOPE[1:] if name in members}
    return NewItem(
        _data(members["data"], index),
        reference(values.get("reference"), index),
        priority(values.get("priority", 0), index),
        moment(values.get("notBefore"), "notBefore", index),
        moment(values.get("due"), "due", index),
    )


def _no_foreign_request(members: Mapping[str, Raw] | None, index: int) -> None:
    if members is not None and "queueItems" in members:
        raise Refused(
            "foreign_request",
            "this looks like a bulk request of another product (queueItems): convert it first, "
            "with `workledger convert uipath FILE`, or send its items as a list of "
            '{"data": ..., "reference": ..., "priority": ...}',
            field="queueItems",
            index=index,
        )


def _data(raw: Raw, index: int) -> str:
    size = len(raw.text.encode())
    if size > MOST_BYTES:
        raise too_large(size, "data", index)
    return raw.text


def too_large(size: int, field: str, index: int | None = None) -> Refused:
    """The refusal of data and result that are together beyond the limit (Q14)."""
    return Refused(
        "too_large",
        f"data and result of an item may have {MOST_BYTES} bytes of UTF-8 together, "
        f"these have {size}: keep the document elsewhere and its address here",
        field=field,
        index=index,
        size=size,
        limit=MOST_BYTES,
    )


def reference(value: Any, index: int | None = None) -> str | None:
    """A reference as it is compared: text, NFC, 1 to 512 bytes, not blank (Q31)."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad("reference", "a reference is text (in quotes)", index)
    text = unicodedata.normalize("NFC", value)
    size = len(text.encode())
    if not text.strip():
        raise _bad("reference", "a reference may not be blank: leave it out instead", index)
    if size > REFERENCE_BYTES:
        raise _bad(
            "reference", f"a reference has at most {REFERENCE_BYTES} bytes, this one {size}", index
        )
    return text


def priority(value: Any, index: int | None = None) -> int:
    """A priority: an integer, or a number equal to one, of signed 32 bits (Q11)."""
    low, high = PRIORITY_RANGE
    whole = type(value) is int or (type(value) is float and math.floor(value) == value)
    if not whole or not low <= value <= high:
        raise _bad("priority", f"a priority is a whole number from {low} to {high}", index)
    return int(value)


def moment(value: Any, field: str, index: int | None = None) -> str | None:
    """A moment as it is kept (Q15)."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad(field, "a date and time is text, like 2026-03-11T10:15:55.935Z", index)
    try:
        return times.parse(value)
    except ValueError as error:
        raise _bad(field, str(error), index) from error


def _bad(field: str, detail: str, index: int | None) -> Refused:
    return Refused("invalid_value", detail, field=field, index=index)
