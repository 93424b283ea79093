"""Items as CSV (Q75): a header row, one row an item, data and result as JSON text.

Spreadsheets run what looks like a formula. A cell that begins with = + - @ or a control character
gets an apostrophe in front, which they take as "this is text"; a negative number is left alone.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from workledger.api.wire.items import Item
from workledger.jsontext import Raw

CONTENT_TYPE = "text/csv"

COLUMNS = (
    "id",
    "number",
    "reference",
    "status",
    "attempt",
    "priority",
    "addedAt",
    "addedBy",
    "notBefore",
    "due",
    "run",
    "claimedAt",
    "closedAt",
    "outcome",
    "data",
)

_RISKY = re.compile(r"[=+\-@\t\r\n\0]")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def rows(items: Sequence[Item]) -> Iterator[str]:
    """The lines of the table, the header first."""
    yield line(COLUMNS)
    for item in items:
        yield line([cell(_value(item, column)) for column in COLUMNS])


def line(cells: Sequence[str]) -> str:
    """One line of a table."""
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def _value(item: Item, column: str) -> Any:
    if column != "outcome":
        return item.get(column)
    match item["outcome"]:
        case {"kind": "result", "result": result}:
            return result
        case {"kind": "error", "reason": reason}:
            return reason
        case {"kind": "run", "run": run}:
            return run
        case _:
            return None


def cell(value: Any) -> str:
    """A value as a cell: nothing that a spreadsheet would run."""
    if value is None:
        return ""
    text = value.text if isinstance(value, Raw) else str(value)
    return f"'{text}" if _RISKY.match(text) and not _NUMBER.fullmatch(text) else text
