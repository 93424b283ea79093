"""In which order a manual task's hits are offered (M1, M40 to M45). Pure.

FIFO: by record date, then by record order. DTR: by the task's comparator, ties as FIFO would have
them. Legacy (FIFO switched off for all): by creation. An ordering has a version, which is part of
the name of its line: a change places what waits on the next version's line, and readers switch
when that is complete (M43).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, NamedTuple

from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks.comparator import Comparator
from workledger.manual_tasks.records import Order
from workledger.views.order import BLANK

FIFO = "fifo"
DTR = "dtr"
LEGACY = "legacy"


class Position(NamedTuple):
    """Where a hit stands in its work list, apart from the tie: creation breaks ties (M4)."""

    date: str
    seq: int


@dataclass(frozen=True, slots=True)
class Kind:
    """What an ordering compares; two of the same kind give the same list."""

    name: str
    comparator: Comparator | None = None
    fifo_ties: bool = True


@dataclass(frozen=True, slots=True)
class Ordering:
    """One version of a task's order."""

    version: int
    kind: Kind

    def position(
        self, order: Order, values: Mapping[str, Any], number: int, zone: tzinfo = UTC
    ) -> Position:
        """Where a record stands; `number` counts a task's hits in the order of creation.

        `zone` is what a compared date with an offset is converted to, as record_date is (M53).
        """
        kind = self.kind
        if kind.comparator is not None:
            key = comparators.key(kind.comparator, values, zone)
            if kind.fifo_ties:
                return Position(key + order.hit_order_date, order.hit_order)
            return Position(key, number)
        if kind.name == FIFO:
            return Position(order.hit_order_date, order.hit_order)
        return Position(BLANK, number)


def wanted(dtr: bool, comparator: Comparator | None, fifo: bool) -> Kind:
    """The order that the settings ask for; `fifo` is core.task.queue.fifo.enabled (M40, M41)."""
    if dtr and comparator is not None:
        return Kind(DTR, comparator, fifo)
    return Kind(FIFO) if fifo else Kind(LEGACY)


def dump(ordering: Ordering) -> list[Any]:
    """The ordering as a JSON value."""
    kind = ordering.kind
    fields = comparators.dump(kind.comparator) if kind.comparator else None
    return [ordering.version, kind.name, fields, int(kind.fifo_ties)]


def load(stored: list[Any]) -> Ordering:
    """The ordering from its JSON value."""
    version, name, fields, ties = stored
    comparator = comparators.load(fields) if fields is not None else None
    return Ordering(version, Kind(name, comparator, bool(ties)))
