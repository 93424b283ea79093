"""Records and hits that arrive as JSON: the rules of files, without their spelling (M8). Pure."""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Any, cast

from workledger import jsontext
from workledger.errors import Refused
from workledger.jsontext import Entry, Raw
from workledger.manual_tasks import headers
from workledger.manual_tasks.arriving import Arranging
from workledger.manual_tasks.columns import ORDER_COLUMN
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

DATA, ATTRIBUTES = "data", "customAttributes"


def read(entries: Iterable[Any], started: str, zone: tzinfo) -> Records:
    """The records of a list of objects: what a row of a file is, its members are.

    An entry is a mapping, a `Raw` or an `Entry`; values are Python values or `Raw`, and are kept as
    they came. `started` as in `csvfile.read`. Raises Refused("invalid_records").
    """
    reading = _Reading(started, zone)
    for index, entry in enumerate(entries, 1):
        if not reading.room(index):
            break
        values = members_of(entry)
        if values is None:
            reading.wrong(index, None, entry, "not_an_object", "a record is an object of fields")
        elif not values:
            reading.wrong(index, None, None, "empty_record", "a record has at least one field")
        else:
            reading.record(index, values, values.get(ORDER_COLUMN), ORDER_COLUMN)
    return reading.done()


def read_hits(entries: Iterable[Any], started: str, zone: tzinfo) -> Records:
    """The records of hits that are created directly: `{data, customAttributes?}` (M8).

    What customAttributes leaves out is filled in: hitOrder with the number in the list,
    hitOrderDate with record_date, if data has one, or with the start. Raises as `read` does.
    """
    reading = _Reading(started, zone)
    for index, entry in enumerate(entries, 1):
        if not reading.room(index):
            break
        told = members_of(entry)
        if told is None:
            reading.wrong(index, None, entry, "not_an_object", "a hit is {data, customAttributes}")
        else:
            reading.hit(index, told)
    return reading.done()


def members_of(value: Any) -> Mapping[str, Any] | None:
    """The members of an object; None when it is none, or none that can be read."""
    if isinstance(value, Entry):
        return value.members
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    if isinstance(value, Raw) and value.text.startswith("{"):
        try:
            return jsontext.entry(value.text)[0].members
        except Refused:
            return None
    return None


class _Reading:
    def __init__(self, started: str, zone: tzinfo) -> None:
        self.problems = Problems()
        self._arranging = Arranging(started, zone, self.problems)
        self._records: list[Record] = []
        self._header = Header()
        self._columns: dict[str, None] = {}

    def done(self) -> Records:
        """All records, or the refusal."""
        if not self._records and not self.problems.total:
            hint = "the list has no records"
            self.problems.add(Problem(None, None, None, None, "no_records", hint))
        self.problems.check()
        names = tuple(name for name in self._columns if name != ORDER_COLUMN)
        return Records(names, self._records, self._arranging.report)

    def wrong(self, index: int, column: str | None, value: Any, code: str, hint: str) -> None:
        """One more problem."""
        value = value.raw if isinstance(value, Entry) else value
        told = None if value is None else shown(value)
        name = None if column is None else shown(column)
        self.problems.add(Problem(index, None, name, told, code, hint))

    def room(self, index: int) -> bool:
        """Whether a load may have so many records."""
        if index > MOST_RECORDS:
            hint = f"a load has at most {MOST_RECORDS} records: cut it into several"
            self.wrong(index, None, None, "too_many_records", hint)
        return index <= MOST_RECORDS

    def hit(self, index: int, told: Mapping[str, Any]) -> None:
        """A hit's record."""
        for name in told:
            if name not in (DATA, ATTRIBUTES):
                hint = f"a hit has only {DATA} and {ATTRIBUTES}: fields go into {DATA}"
                self.wrong(index, name, told[name], "unknown_member", hint)
        values = members_of(told.get(DATA))
        if values is None:
            hint = f"{DATA} is an object of the record's fields"
            self.wrong(index, DATA, told.get(DATA), "not_an_object", hint)
            return
        came, within = told.get(ATTRIBUTES), values.get(ORDER_COLUMN)
        if _missing(came):
            self.record(index, values, within, ORDER_COLUMN)
            return
        if _has_nul(came):
            self.wrong(index, ATTRIBUTES, came, "nul", "a text has no NUL")
        if not _missing(within):
            hint = f"the order stands in {ATTRIBUTES} too: leave one of them out"
            self.wrong(index, ORDER_COLUMN, within, "order_twice", hint)
        self.record(index, values, came, ATTRIBUTES)

    def record(self, index: int, values: Mapping[str, Any], came: Any, label: str) -> None:
        """A record, with the order that came with it."""
        size = 0
        for name, value in values.items():
            if name not in self._columns:
                self._column(index, name)
            if _has_nul(value):
                self.wrong(index, name, value, "nul", "a text has no NUL")
            size += len(name) + _length(value)
        if size * 4 > MOST_BYTES and _bytes(values) > MOST_BYTES:
            hint = f"a record has at most {MOST_BYTES} bytes, the names of its fields included"
            self.wrong(index, None, None, "record_too_large", hint)
            return
        order = self._arranging.order(index, None, values.get(DATE_COLUMN), came, label)
        kept = {name: value for name, value in values.items() if name != ORDER_COLUMN}
        self._records.append(Record(index, kept, order))

    def _column(self, index: int, name: str) -> None:
        self._columns[name] = None
        wrong = self._header.add(name)
        if "\0" in name:
            wrong = "nul", "a name has no NUL"
        if len(self._columns) == headers.MOST_COLUMNS + 1:
            wrong = "too_many_columns", f"a load has at most {headers.MOST_COLUMNS} columns"
        if wrong is not None:
            self.wrong(index, name, name, *wrong)


def _missing(value: Any) -> bool:
    return value.text == "null" if isinstance(value, Raw) else value is None


def _has_nul(value: Any) -> bool:
    if isinstance(value, Raw):
        return "\\u0000" in value.text and _has_nul(value.value())
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        told = cast("Mapping[str, Any]", value)
        return any(_has_nul(one) for pair in told.items() for one in pair)
    return isinstance(value, list) and any(map(_has_nul, cast("list[Any]", value)))


def _text(value: Any) -> str:
    if isinstance(value, Raw):
        return value.text
    return value if isinstance(value, str) else jsontext.dumps(value)


def _length(value: Any) -> int:
    return len(_text(value))


def _bytes(values: Mapping[str, Any]) -> int:
    return sum(bytes_of(name) + bytes_of(_text(value)) for name, value in values.items())
