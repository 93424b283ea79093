"""Records from a CSV file, all or none (M50 to M54). Pure."""

import re
from collections.abc import Iterator
from datetime import tzinfo

from workledger.manual_tasks import csvtext, headers
from workledger.manual_tasks.arriving import Arranging
from workledger.manual_tasks.columns import ORDER_COLUMN
from workledger.manual_tasks.csvtext import Row
from workledger.manual_tasks.headers import Header
from workledger.manual_tasks.records import (
    DATE_COLUMN,
    MOST_BYTES,
    MOST_RECORDS,
    Problem,
    Problems,
    Record,
    Records,
    bytes_of,
    shown,
)

_NUL = "\0"
_FOREIGN = re.compile("[\0\udc80-\udcff]")


def read(body: bytes, started: str, zone: tzinfo, delimiter: str | None = None) -> Records:
    """The records of a file: its first row names the columns; values are kept as written (M51).

    `started` is the moment of the load's start: the date of undated records (M2). `delimiter` is
    , ; or a tab; None finds it from the header. Raises Refused("invalid_records") with every
    problem counted and the first of them listed, or Refused("invalid_value") of the delimiter.
    """
    told = csvtext.told(delimiter) if delimiter is not None else None
    text, clean = csvtext.decoded(body)
    lines = csvtext.lines_of(text)
    source = csvtext.rows(lines, told or csvtext.found(lines))
    reading = _Reading(started, zone, suspicious=not clean or _NUL in text)
    reading.header(next(source))
    reading.rows(source)
    reading.problems.check()
    names = tuple(name for name in reading.names if name != ORDER_COLUMN)
    return Records(names, reading.records, reading.arranging.report)


class _Reading:
    def __init__(self, started: str, zone: tzinfo, *, suspicious: bool) -> None:
        self.problems = Problems()
        self.arranging = Arranging(started, zone, self.problems)
        self.records: list[Record] = []
        self.names: list[str] = []
        self._suspicious = suspicious
        self._header_bytes = 0

    def header(self, row: Row) -> None:
        """The columns; refused at once where they can not be told."""
        self.names = row.cells
        if row.fault is not None:
            self._faulty(None, row)
        elif len(row.cells) > headers.MOST_COLUMNS:
            hint = f"a file has at most {headers.MOST_COLUMNS} columns, this one {len(row.cells)}"
            self.problems.add(Problem(None, row.line, None, None, "too_many_columns", hint))
        self.problems.check()
        header = Header()
        for cell, name in enumerate(self.names):
            wrong = header.add(name)
            if wrong is not None:
                self._at(None, row, cell, *wrong)
        self._foreign(None, row)
        self._header_bytes = bytes_of("".join(self.names))

    def rows(self, source: Iterator[Row]) -> None:
        """The records; those with problems too, so that all problems are found."""
        index = 0
        for index, row in enumerate(source, 1):
            if index > MOST_RECORDS:
                hint = f"a load has at most {MOST_RECORDS} records: cut it into several"
                self.problems.add(Problem(index, row.line, None, None, "too_many_records", hint))
                return
            if row.fault is not None:
                self._faulty(index, row)
            elif self._sound(index, row):
                self._record(index, row)
        if index == 0:
            hint = "there is a header, but no record below it"
            self.problems.add(Problem(None, None, None, None, "no_records", hint))

    def _record(self, index: int, row: Row) -> None:
        values: dict[str, str] = dict(zip(self.names, row.cells, strict=True))
        came = values.pop(ORDER_COLUMN, None)
        order = self.arranging.order(index, row.line, values.get(DATE_COLUMN), came)
        self.records.append(Record(index, values, order))

    def _sound(self, index: int, row: Row) -> bool:
        """The row has a cell for each column, and is not too large."""
        self._foreign(index, row)
        cells, columns = len(row.cells), len(self.names)
        if cells != columns:
            code = "too_few_cells" if cells < columns else "too_many_cells"
            hint = f"the row has {cells} cells, the header {columns}"
            self._at(index, row, min(cells, columns), code, hint)
            return False
        room = MOST_BYTES - self._header_bytes
        if sum(map(len, row.cells)) * 4 > room and bytes_of("".join(row.cells)) > room:
            largest = max(range(cells), key=lambda cell: len(row.cells[cell]))
            hint = f"a record has at most {MOST_BYTES} bytes, the names of its columns included"
            self._at(index, row, largest, "record_too_large", hint)
            return False
        return True

    def _foreign(self, index: int | None, row: Row) -> None:
        """NUL, and bytes that are no UTF-8."""
        if not self._suspicious:
            return
        for cell, value in enumerate(row.cells):
            match = _FOREIGN.search(value)
            if match is None:
                continue
            if match[0] == _NUL:
                self._at(index, row, cell, "nul", "a text has no NUL: is the file damaged?")
            else:
                hint = (
                    f"the byte 0x{ord(match[0]) - 0xDC00:02X} is no UTF-8: the file looks like "
                    "Latin-1 or Windows-1252, and is shown so: save it in UTF-8"
                )
                self._at(index, row, cell, "encoding", hint)

    def _faulty(self, index: int | None, row: Row) -> None:
        fault = row.fault
        if fault is not None:
            column = self._column(fault.cell)
            where = (index, row.line, column, shown(fault.value))
            self.problems.add(Problem(*where, fault.code, fault.hint))

    def _at(self, index: int | None, row: Row, cell: int, code: str, hint: str) -> None:
        value = shown(row.cells[cell]) if cell < len(row.cells) else None
        column = self._column(cell)
        self.problems.add(Problem(index, row.line, column, value, code, hint))

    def _column(self, cell: int) -> str:
        """The column's name, or its number where it has none."""
        name = self.names[cell] if cell < len(self.names) else ""
        return shown(name) if name.strip() else f"column {cell + 1}"
