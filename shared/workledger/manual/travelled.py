"""What became of a process's records: a row for each (M60)."""

from dataclasses import dataclass
from typing import Any

from workledger.manual.travelling import RecordShown
from workledger.manual_tasks.columns import ORDER_COLUMN


@dataclass(frozen=True, slots=True)
class Given:
    """What was decided at a manual step."""

    step: str
    hit: str
    by: str


@dataclass(frozen=True, slots=True)
class Row:
    """A record's result: its columns with its order, what was decided, where it is."""

    record: str
    index: int
    load: str
    columns: dict[str, Any]
    status: str
    step: str
    answers: tuple[Given, ...]
    finished_at: str | None


def row(one: RecordShown) -> Row:
    """The row of a record."""
    own = one.record
    answers = tuple(Given(each.step, f"h_{each.hit}", each.by) for each in own.answers)
    return Row(
        record=one.id,
        index=own.index,
        load=f"l_{own.load}",
        columns={**one.content.columns, ORDER_COLUMN: one.custom_attributes},
        status=one.status,
        step=one.step,
        answers=answers,
        finished_at=own.finished_at,
    )
