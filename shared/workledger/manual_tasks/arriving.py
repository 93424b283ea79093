"""The order that a record gets when it is loaded (M2, M3, M6, M8). Pure.

What came with the record goes first, then its record_date, then the moment of the load's start.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, cast

from workledger import jsontext
from workledger.errors import Refused, WorkledgerError
from workledger.jsontext import Raw
from workledger.manual_tasks.columns import ORDER_COLUMN
from workledger.manual_tasks.dates import BadDate, Date, record_date, started_text
from workledger.manual_tasks.records import (
    DATE_COLUMN,
    HIT_ORDER,
    HIT_ORDER_DATE,
    LARGEST_ORDER,
    Order,
    Problem,
    Problems,
    Report,
    shown,
    value_of,
)


class BadOrder(WorkledgerError):
    """An order is malformed: in which member, `code` for programs, `hint` for people."""

    def __init__(self, member: str | None, value: Any, code: str, hint: str) -> None:
        super().__init__(hint)
        self.member, self.value, self.code, self.hint = member, value, code, hint


@dataclass(frozen=True, slots=True)
class Given:
    """The order that a record arrives with; a part that is missing is filled in (M8)."""

    hit_order: int | None
    date: Date | None
    more: Mapping[str, Any]


def given(value: Any, zone: tzinfo) -> Given | None:
    """The order in a text or an object; None when blank or null. Raises BadOrder (M6, M8)."""
    value = value_of(value) if isinstance(value, Raw) and value.text[:1] != "{" else value
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    members = _members(value)
    number, date = (value_of(members.pop(name, None)) for name in (HIT_ORDER, HIT_ORDER_DATE))
    return Given(_number(number), _date(date, zone), members)


def _members(value: Any) -> dict[str, Any]:
    """The members of an order, those of a text as they are written there."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    if not isinstance(value, str | Raw):
        raise _malformed(value, "it is an object")
    text = value if isinstance(value, str) else value.text
    try:
        found, end = jsontext.entry(text)
    except Refused as refused:
        raise _malformed(text, refused.detail) from refused
    if found.members is None or text[end:].strip():
        raise _malformed(text, "it is one object")
    return dict(found.members)


def _malformed(value: Any, what: str) -> BadOrder:
    example = '{"hitOrder":1,"hitOrderDate":"2020-03-11T10:15:55.935"}'
    return BadOrder(None, value, "order_malformed", f"{what}: expected JSON like {example}")


def _number(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        hint = f"{HIT_ORDER} is an integer, like 1, not in quotes"
        raise BadOrder(HIT_ORDER, value, "hit_order_malformed", hint)
    if abs(value) > LARGEST_ORDER:
        hint = f"{HIT_ORDER} is at most {LARGEST_ORDER}"
        raise BadOrder(HIT_ORDER, value, "hit_order_malformed", hint)
    return value


def _date(value: Any, zone: tzinfo) -> Date | None:
    try:
        return date_of(value, zone)
    except BadDate as bad:
        raise BadOrder(HIT_ORDER_DATE, value, bad.code, bad.hint) from bad


def date_of(value: Any, zone: tzinfo) -> Date | None:
    """The date in a value; None when it is null or blank (M2). Raises BadDate (M53)."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return record_date(value if isinstance(value, str) else shown(value), zone)


class Arranging:
    """Gives each record of a load its order, and counts what was made of their dates."""

    def __init__(self, started: str, zone: tzinfo, problems: Problems) -> None:
        """`started` is the moment of the load's start, or that as a date in the zone."""
        self._started = started_text(started, zone) if started.endswith("Z") else started
        self._zone, self._problems = zone, problems
        self._undated = self._converted = self._cut = self._kept = 0

    @property
    def report(self) -> Report:
        """The counts so far."""
        return Report(self._undated, self._converted, self._cut, self._kept)

    def order(
        self, index: int, line: int | None, date: Any, came: Any, label: str = ORDER_COLUMN
    ) -> Order:
        """The order of a record with this record_date, which came with that order (or None).

        Malformed ones become problems; `label` is where the order came.
        """
        own, kept = None, None
        try:
            own = date_of(value_of(date), self._zone)
        except BadDate as bad:
            where = (index, line, DATE_COLUMN, shown(date))
            self._problems.add(Problem(*where, bad.code, bad.hint))
        try:
            kept = given(came, self._zone)
        except BadOrder as bad:
            column = f"{label}.{bad.member}" if bad.member else label
            self._problems.add(Problem(index, line, column, shown(bad.value), bad.code, bad.hint))
        return self._filled(index, own, kept)

    def _filled(self, index: int, date: Date | None, kept: Given | None) -> Order:
        number, more = index, dict[str, Any]()
        if kept is not None:
            self._kept += 1
            number = index if kept.hit_order is None else kept.hit_order
            date, more = kept.date or date, dict(kept.more)
        if date is None:
            self._undated += 1
            return Order(number, self._started, more)
        self._converted += date.converted
        self._cut += date.cut
        return Order(number, date.text, more)
