"""Records: rows of data with their order, and what can be wrong with them (M1 to M8, M54). Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from workledger import jsontext
from workledger.errors import Refused
from workledger.jsontext import Raw

DATE_COLUMN = "record_date"
HIT_ORDER, HIT_ORDER_DATE = "hitOrder", "hitOrderDate"

MOST_SHOWN = 100
"""Problems that an answer lists (M54)."""

LONGEST_VALUE = 100
"""Characters of a value that a problem shows."""

MOST_RECORDS = 100_000
"""Records of a load; more go into several."""

MOST_BYTES = 256 * 1024
"""Bytes of a record in UTF-8, its columns' names included."""

LARGEST_ORDER = 2**53 - 1
"""The largest hitOrder: the largest integer that every reader of JSON keeps."""


@dataclass(frozen=True, slots=True)
class Order:
    """A record's order (M6): `more` are the members that are kept and ignored, `Raw` or values."""

    hit_order: int
    hit_order_date: str
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def attributes(self) -> dict[str, Any]:
        """As customAttributes and `_sys_record_order`; rendered with `jsontext.dumps`."""
        return {
            HIT_ORDER: self.hit_order,
            HIT_ORDER_DATE: self.hit_order_date,
            **self.more,
        }

    @classmethod
    def of(cls, stored: str | Mapping[str, Any]) -> "Order":
        """The order that `attributes` gave, as JSON text or as an object."""
        if isinstance(stored, str):
            stored = jsontext.entry(stored)[0].members or {}
        members = dict(stored)
        number, date = value_of(members.pop(HIT_ORDER)), value_of(members.pop(HIT_ORDER_DATE))
        return cls(number, date, members)


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a load: `index` from 1, its columns' values, its order.

    The values are the columns but `_sys_record_order`, which is the order. Of a CSV file they are
    texts as they were written; of JSON they are as they came, `Raw` or Python values.
    """

    index: int
    values: Mapping[str, Any]
    order: Order

    @property
    def columns(self) -> dict[str, Raw]:
        """The values as JSON text, those that came as text as they were written there."""
        return {
            name: value if isinstance(value, Raw) else Raw(jsontext.dumps(value))
            for name, value in self.values.items()
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What was made of the records' dates: how many were undated, and so on (M2, M53)."""

    undated: int = 0
    converted: int = 0
    cut: int = 0
    kept_order: int = 0


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a load, in their order in the file; the columns but `_sys_record_order`."""

    columns: tuple[str, ...]
    records: list[Record]
    report: Report


def value_of(value: Any) -> Any:
    """The Python value of what may be `Raw`."""
    return value.value() if isinstance(value, Raw) else value


# --- problems -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: in which record (from 1), on which line it begins, and what."""

    record: int | None
    line: int | None
    column: str | None
    value: str | None
    code: str
    hint: str


class Problems:
    """Problems found so far: all are counted, the first `MOST_SHOWN` kept."""

    def __init__(self) -> None:
        self.total = 0
        self.first: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """One more."""
        self.total += 1
        if len(self.first) < MOST_SHOWN:
            self.first.append(problem)

    def check(self) -> None:
        """Raises Refused("invalid_records") when there are any."""
        if self.total:
            raise refuse(self.first, self.total)


def refuse(problems: Iterable[Problem], total: int | None = None) -> Refused:
    """The refusal of a whole load (M54): the first problems, and how many there are."""
    found = list(problems)
    total = len(found) if total is None else total
    count = "1 problem" if total == 1 else f"{total} problems"
    return Refused(
        "invalid_records",
        f"nothing was loaded: {count}, the first: {_place(found[0])}{found[0].hint}",
        problems=[asdict(problem) for problem in found[:MOST_SHOWN]],
        total=total,
    )


def _place(problem: Problem) -> str:
    parts = [
        f"{name} {value}"
        for name, value in (
            ("record", problem.record),
            ("line", problem.line),
            ("column", problem.column),
        )
        if value is not None
    ]
    return ", ".join(parts) + ": " if parts else ""


_LATIN = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
"""Bytes that were no UTF-8, as they were most likely meant."""


def shown(value: Any) -> str:
    """A value as a problem shows it: short, and such that it can be written."""
    if isinstance(value, Raw):
        value = value.value() if value.text.startswith('"') else value.text
    text = value if isinstance(value, str) else _written(value)
    text = text[: LONGEST_VALUE + 1].translate(_LATIN).encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "\u2026"


def _written(value: Any) -> str:
    try:
        return jsontext.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__})"


def bytes_of(text: str) -> int:
    """The bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))
