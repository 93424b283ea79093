"""Records as they are loaded, and what can be wrong with them (M1 to M8, M50 to M54). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from workledger.errors import Refused

ORDER_COLUMN = "_sys_record_order"
DATE_COLUMN = "record_date"
LISTED = 100
"""Problems that an answer lists; all are counted."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order that travels with a record from step to step (M6); `more` is kept and ignored."""

    hit_order: int
    hit_order_date: str
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def attributes(self) -> dict[str, Any]:
        """The hit's customAttributes."""
        own = {"hitOrder": self.hit_order, "hitOrderDate": self.hit_order_date}
        return {**own, **self.more}


@dataclass(frozen=True, slots=True)
class Record:
    """One row: its number from 1, its columns, its order."""

    index: int
    values: Mapping[str, Any]
    order: Order


@dataclass(frozen=True, slots=True)
class Report:
    """What reading has done: undated records, dates converted and cut, orders kept."""

    undated: int = 0
    converted: int = 0
    cut: int = 0
    kept_order: int = 0


@dataclass(frozen=True, slots=True)
class Records:
    """All records of a load."""

    columns: tuple[str, ...]
    records: Sequence[Record]
    report: Report = Report()


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do."""

    record: int | None
    line: int | None
    column: str | None
    value: str | None
    code: str
    hint: str


def refuse(problems: Sequence[Problem]) -> Refused:
    """The refusal of a whole file (M54): its first problems, and how many there are."""
    listed = [asdict(one) for one in problems[:LISTED]]
    detail = f"nothing was loaded: {len(problems)} problems in the records"
    return Refused("invalid_records", detail, problems=listed, total=len(problems))
