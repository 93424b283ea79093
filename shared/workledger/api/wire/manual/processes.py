"""Business processes on the wire: as they are created, changed, shown; records on their way."""

from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import At, Body
from workledger.api.wire.manual import schemas
from workledger.api.wire.manual.hits import Attributes
from workledger.manual.processes import ProcessShown, RecordShown
from workledger.manual_tasks.process_commands import NAME_LENGTH
from workledger.manual_tasks.records import Order


class CreateProcess(Body):
    """A new business process (M13)."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_000,
            json_schema_extra={"maxLength": NAME_LENGTH},
            description="1 to 128 printable characters; trimmed, NFC, unique, exact.",
            examples=["Claims"],
        ),
    ]
    start: schemas.Routes
    steps: schemas.Steps


class ChangeProcess(Body):
    """Another definition; what is left out stays as it is."""

    start: schemas.Routes = None
    steps: schemas.Steps = None


class Step(TypedDict):
    """A step of a process."""

    name: str
    kind: Literal["manual", "timed", "end"]
    task: NotRequired[Annotated[str, Field(description="A manual step's task, as it was named.")]]
    seconds: NotRequired[Annotated[float, Field(description="How long a timed step takes.")]]
    next: NotRequired[schemas.Routes]


class Process(TypedDict):
    """A business process."""

    id: Annotated[str, Field(examples=["b_" + "a" * 26])]
    name: str
    version: Annotated[int, Field(description="Of the definition; also the ETag.")]
    start: schemas.Routes
    steps: list[Step]
    createdAt: At
    createdBy: str
    changedAt: At


class StepAnswer(TypedDict):
    """What was decided at a manual step: see its hit."""

    step: str
    hit: str
    by: Literal["agreement", "majority", "adjudicator"]


class Way(TypedDict):
    """A record on its way through a process (M13, M14)."""

    id: Annotated[str, Field(examples=["d_" + "a" * 26])]
    process: str
    version: Annotated[int, Field(description="Of the process, which it follows to its end.")]
    load: str
    record: Annotated[int, Field(description="Its number in the load, from 1 (M3).")]
    status: Literal["moving", "finished"]
    step: Annotated[str, Field(description="Where it is.")]
    since: Annotated[At, Field(description="Since when, or until when it is in a timed step.")]
    hit: Annotated[str | None, Field(description="The hit that it waits for.")]
    answers: list[StepAnswer]
    finishedAt: At | None
    data: Annotated[dict[str, Any], Field(description="Its columns, with the steps' results.")]
    customAttributes: Attributes


def process(shown: ProcessShown) -> Process:
    """A process as it is answered."""
    of = shown.process
    steps: list[Any] = shown.steps
    return Process(
        id=shown.id,
        name=of.name,
        version=of.version,
        start=shown.start,
        steps=steps,
        createdAt=of.created_at,
        createdBy=of.created_by,
        changedAt=of.changed_at,
    )


def step_answer(step: str, hit: str, by: str) -> StepAnswer:
    """What was decided at a step as it is answered."""
    return StepAnswer(step=step, hit=hit, by=cast("Any", by))


def way(shown: RecordShown) -> Way:
    """A record on its way as it is answered."""
    of = shown.record
    more = shown.content.more.value()
    return Way(
        id=shown.id,
        process=f"b_{of.process}",
        version=of.version,
        load=f"l_{of.load}",
        record=of.index,
        status="moving" if of.finished_at is None else "finished",
        step=shown.step,
        since=of.since,
        hit=f"h_{of.hit}" if of.hit is not None else None,
        answers=[step_answer(one.step, f"h_{one.hit}", one.by) for one in of.answers],
        finishedAt=of.finished_at,
        data=dict(shown.content.columns),
        customAttributes=Order(of.hit_order, of.hit_order_date, more).attributes(),
    )
