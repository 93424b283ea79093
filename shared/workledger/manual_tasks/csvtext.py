"""The rows of a CSV text, strictly: the csv module's, with what it can not say about faults (M51).

Its reader goes on behind a fault with the next line, so that one answer can name many of them.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import NamedTuple

from workledger.errors import Refused
from workledger.manual_tasks.columns import ORDER_COLUMN
from workledger.manual_tasks.records import DATE_COLUMN, Problem, refuse, shown

_TOLD = {",": ",", ";": ";", "\t": "\t", "comma": ",", "semicolon": ";", "tab": "\t"}
DELIMITERS = (",", ";", "\t")

_NO_LIMIT = 2**31 - 1

_FOREIGN = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_NOT_CSV = (
    (b"PK\x03\x04", "an Excel workbook or another ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"%PDF", "a PDF document"),
)
_LOOKED_AT = 4096

_OTHER_TEXT = re.compile(r"(?i)\s*(?:(\{\s*[\"}]|\[\s*[\[{\"])|<(?:!doctype|html|\?xml))")
_SEP = re.compile(r"(?i)\"?sep=.?\"?\s*")


class Fault(NamedTuple):
    """A row that can not be read: in which of its cells (from 0), what stands there, and why."""

    cell: int
    value: str
    code: str
    hint: str


class Row(NamedTuple):
    """A row: the line it begins on (from 1), and its cells or what is wrong."""

    line: int
    cells: list[str]
    fault: Fault | None = None


def decoded(body: bytes) -> tuple[str, bool]:
    """The text of a file, and whether it was UTF-8 throughout.

    If it was not, the bytes that are none stand in the text as lone surrogates, so that the cells
    can be named. Raises Refused("invalid_records") when it is no text, or one of wide characters.
    """
    for start, kind in _NOT_CSV:
        if body.startswith(start):
            raise _refused("not_csv", f"the file is {kind}: save it as CSV, in UTF-8")
    wide = _wide(body)
    if wide:
        raise _refused("encoding", f"the file is in {wide}: save it in UTF-8")
    try:
        text, clean = body.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        text, clean = body.decode("utf-8-sig", "surrogateescape"), False
    other = _OTHER_TEXT.match(text)
    if other is not None:
        what = "JSON: send it as application/json" if other[1] else "HTML or XML: save it as CSV"
        raise _refused("not_csv", f"the file is {what}", 1, shown(text))
    if not text.strip():
        raise _refused("empty_file", "a file has a row with the names of the columns, then records")
    return text, clean


def _wide(body: bytes) -> str | None:
    for mark, name in _FOREIGN:
        if body.startswith(mark):
            return name
    some = body[:_LOOKED_AT]
    odd, even = some[1::2].count(0), some[::2].count(0)
    return "UTF-16 or UTF-32" if max(odd, even) * 3 > len(some) else None


def _refused(code: str, hint: str, line: int | None = 1, value: str | None = None) -> Refused:
    return refuse([Problem(None, line, None, value, code, hint)])


def lines_of(text: str) -> list[str]:
    """The lines, ends included: LF, CR LF or CR; other separators are part of a value."""
    return list(StringIO(text, newline=""))


def rows(lines: Sequence[str], delimiter: str) -> Iterator[Row]:
    """The rows but the blank ones, which have only white space (M3)."""
    # The module's limit is the process's; ours is on the record, and counts bytes.
    csv.field_size_limit(_NO_LIMIT)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raw = "".join(lines[start : reader.line_num])
            yield Row(start + 1, [], _fault(raw, delimiter) or _unreadable(raw, error))
            continue
        raw = "".join(lines[start : reader.line_num])
        if not raw.isspace():
            doubtful = ' "' in raw or '\u00a0"' in raw
            yield Row(start + 1, cells, _fault(raw, delimiter) if doubtful else None)


def _fault(raw: str, delimiter: str) -> Fault | None:
    """The first cell with quotes that are not right: the module's reader does not say which."""
    cell = at = 0
    while True:
        value = raw[at : at + 200].rstrip("\r\n")
        if raw.startswith('"', at):
            end = _closing(raw, at + 1)
            if end < 0:
                return Fault(cell, value, "quote_not_closed", f"a quote is not closed: {_TWICE}")
            if raw[end + 1 : end + 2] not in (delimiter, "\r", "\n", ""):
                return Fault(cell, value, "text_after_quote", f"text after a quote: {_TWICE}")
            at = end + 1
        elif _SPACED.match(raw, at):
            return Fault(cell, value, "space_before_quote", "write no blank before a quote")
        at = raw.find(delimiter, at) + 1
        if at == 0:
            return None
        cell += 1


def _unreadable(raw: str, error: csv.Error) -> Fault:
    return Fault(0, raw[:200], "unreadable", f"the row can not be read: {error}")


_SPACED = re.compile(r'[^\S\r\n\t]+"')
_TWICE = 'inside a quoted value, write a quote twice ("")'


def _closing(raw: str, at: int) -> int:
    """Where the quote closes that was opened before `at`; -1 when nowhere."""
    while True:
        end = raw.find('"', at)
        if end < 0 or raw[end + 1 : end + 2] != '"':
            return end
        at = end + 2


def told(delimiter: str) -> str:
    """The delimiter that was told, as itself or by name; raises Refused("invalid_value")."""
    if delimiter not in _TOLD:
        names = "comma, semicolon, tab, or the character"
        raise Refused("invalid_value", f"the delimiter is one of {names}", field="delimiter")
    return _TOLD[delimiter]


def found(lines: Sequence[str]) -> str:
    """The delimiter that the header uses; refused when that is not certain: nothing is guessed."""
    start = next(index for index, line in enumerate(lines) if not line.isspace())
    if _SEP.fullmatch(lines[start]):
        hint = "this line is for Excel only: take it out (a delimiter can be told)"
        raise _refused("sep_line", hint, start + 1, shown(lines[start].strip()))
    fits = {one: cells for one in DELIMITERS if len(cells := _first(lines[start:], one)) > 1}
    known = [one for one in fits if {DATE_COLUMN, ORDER_COLUMN} & set(fits[one])]
    several = known or list(fits)
    if len(several) > 1:
        hint = "more than one of , ; and tab fits: say which one it is (delimiter), or quote"
        raise _refused("delimiter_unclear", hint, start + 1, shown(lines[start]))
    if not several and "|" in lines[start]:
        hint = "the delimiter is a comma, a semicolon or a tab"
        raise _refused("delimiter_unknown", hint, start + 1, shown(lines[start]))
    return several[0] if several else ","


def _first(lines: Sequence[str], delimiter: str) -> list[str]:
    row = next(rows(lines, delimiter), None)
    return row.cells if row else []
