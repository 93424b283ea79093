"""What a worker sees: the list, assignments of one's own. Nobody else's answers (M27)."""

from typing import Annotated, Literal, cast

from annotated_types import Interval
from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import WHOLE, AnyJson, At, Body
from workledger.api.wire.manual.hits import AssignmentStatus, Attributes
from workledger.manual.assigned import Assigned
from workledger.manual.claiming import Nothing
from workledger.manual.worklist import Listed as OnList

LONGEST_REASON = 10_000

Version = Annotated[
    Annotated[int, Interval(ge=1, le=999_999_999), WHOLE] | None,
    Field(description="Only records of this version of the task (M30)."),
]


class NextOfTask(Body):
    """What is wanted of a task."""

    version: Version = None


class Submit(Body):
    """The answer to a record (M60)."""

    answer: Annotated[AnyJson, Field(repr=False, description="Checked against the schema.")]


class Reject(Body):
    """Why an answer is rejected: its worker, and who answers next, are to know (M60)."""

    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]


class Listed(TypedDict):
    """A record that a worker may take."""

    hit: str
    data: AnyJson
    customAttributes: Attributes
    version: int


def listed(one: OnList) -> Listed:
    """A record on the list as it is answered."""
    return Listed(
        hit=one.hit,
        data=one.data,
        customAttributes=one.custom_attributes,
        version=one.version,
    )


class Assignment(TypedDict):
    """A worker's own attempt at a record, with what is needed to work it."""

    id: Annotated[str, Field(examples=["a_" + "a" * 26 + ".2"])]
    hit: str
    task: str
    taskName: str
    version: int
    worker: str
    status: AssignmentStatus
    acceptedAt: At
    deadline: Annotated[At, Field(description="From then on it is abandoned (M31).")]
    data: AnyJson
    customAttributes: Attributes
    instructions: str
    schema: AnyJson | None


class NextAssignment(Assignment):
    """The next record, taken."""

    found: Literal[True]


class NothingNext(TypedDict):
    """Why there is none."""

    found: Literal[False]
    reason: Annotated[str, Field(examples=["empty", "paused", "archived", "contended"])]


class SignedOut(TypedDict):
    """What signing out abandoned (M34)."""

    abandoned: int


def assignment(one: Assigned) -> Assignment:
    """One's own assignment as it is answered."""
    return Assignment(
        id=one.id,
        hit=one.hit,
        task=one.task,
        taskName=one.task_name,
        version=one.version,
        worker=one.worker,
        status=cast("AssignmentStatus", one.status),
        acceptedAt=one.accepted_at,
        deadline=one.deadline,
        data=one.data,
        customAttributes=one.custom_attributes,
        instructions=one.instructions,
        schema=one.schema,
    )


def next_of(found: Assigned | Nothing) -> NextAssignment | NothingNext:
    """What a `next` brought, as it is answered."""
    if isinstance(found, Nothing):
        return NothingNext(found=False, reason=found.reason)
    return NextAssignment(found=True, **assignment(found))
