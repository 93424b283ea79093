"""Results on the wire, as JSON and as a table (M60)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import Field
from typing_extensions import TypedDict

from workledger import jsontext
from workledger.api import table
from workledger.api.wire.base import AnyJson, At
from workledger.api.wire.manual.hits import Attributes, Decision, Status, decision
from workledger.api.wire.manual.processes import StepAnswer, step_answer
from workledger.jsontext import Raw
from workledger.manual.processes import Row
from workledger.manual.results import Result as Found
from workledger.manual_tasks.columns import ORDER_COLUMN

Data = Annotated[dict[str, Any], Field(description="The record's columns, as they were written.")]


class GivenAnswer(TypedDict):
    """An answer that counts."""

    worker: str
    answer: AnyJson
    at: At
    approved: bool


class Result(TypedDict):
    """A record and what became of it."""

    hit: str
    load: str
    record: int
    status: Status
    data: Data
    customAttributes: Attributes
    answers: list[GivenAnswer]
    decision: Decision | None


class Travelled(TypedDict):
    """A record of a process and what became of it."""

    id: str
    load: str
    record: int
    status: Literal["moving", "finished"]
    step: str
    data: Data
    customAttributes: Attributes
    answers: list[StepAnswer]
    finishedAt: At | None


def result(of: Found) -> Result:
    """A record's result as it is answered."""
    return Result(
        hit=of.hit,
        load=of.load,
        record=of.record,
        status=cast("Status", of.status),
        data=dict(of.values),
        customAttributes=dict(of.order),
        answers=[
            GivenAnswer(worker=one.worker, answer=one.answer, at=one.at, approved=one.approved)
            for one in of.answers
        ],
        decision=decision(of.decision),
    )


def travelled(of: Row) -> Travelled:
    """A record's result in a process as it is answered."""
    return Travelled(
        id=of.record,
        load=of.load,
        record=of.index,
        status=cast("Any", of.status),
        step=of.step,
        data={name: one for name, one in of.columns.items() if name != ORDER_COLUMN},
        customAttributes=of.columns[ORDER_COLUMN],
        answers=[step_answer(one.step, one.hit, one.by) for one in of.answers],
        finishedAt=of.finished_at,
    )


# --- tables -------------------------------------------------------------------------------------


def result_table(columns: Sequence[str], found: Iterable[Found]) -> Iterator[str]:
    """The results of a task: its columns, then what we say of each record."""
    rows = [(one.values, one.order, _about(one)) for one in found]
    names = ("_hit", "_load", "_record", "_status", "_decision", "_decided_by", "_answers")
    return _table(columns, names, rows)


def _about(of: Found) -> tuple[Any, ...]:
    told = of.decision
    answers = [{"worker": one.worker, "answer": one.answer} for one in of.answers]
    return (
        of.hit,
        of.load,
        of.record,
        of.status,
        told.answer.text if told is not None else None,
        told.by if told is not None else None,
        jsontext.dumps(answers),
    )


def travelled_table(found: Sequence[Row]) -> Iterator[str]:
    """The results of a process: every column that its records have by now."""
    columns = dict.fromkeys(name for one in found for name in one.columns if name != ORDER_COLUMN)
    rows = [(one.columns, one.columns[ORDER_COLUMN], _where(one)) for one in found]
    return _table(tuple(columns), ("_id", "_load", "_record", "_status", "_step"), rows)


def _where(of: Row) -> tuple[Any, ...]:
    return (of.record, of.load, of.index, of.status, of.step)


Line = tuple[Mapping[str, Any], Mapping[str, Any], tuple[Any, ...]]


def _table(columns: Sequence[str], names: Sequence[str], rows: Iterable[Line]) -> Iterator[str]:
    own = {*columns, ORDER_COLUMN}
    header = [*columns, ORDER_COLUMN, *(_free(name, own) for name in names)]
    yield table.line([table.cell(name) for name in header])
    for values, order, about in rows:
        told = [_plain(values.get(name)) for name in columns]
        yield table.line([table.cell(one) for one in (*told, jsontext.dumps(dict(order)), *about)])


def _free(name: str, taken: set[str]) -> str:
    """A name that no column has."""
    while name in taken:
        name = f"_{name}"
    return name


def _plain(value: Any) -> Any:
    """A text as it is; other values as JSON text; nothing for null."""
    if not isinstance(value, Raw):
        return value
    read = value.value() if value.text[:1] in ('"', "n") else value
    return read if isinstance(read, str) else read and value
