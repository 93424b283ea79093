"""Manual tasks on the wire: as they are created, changed, shown."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from annotated_types import Interval
from pydantic import AfterValidator, Field, WithJsonSchema
from typing_extensions import TypedDict

from workledger.api.wire.base import WHOLE, AnyJson, At, Body
from workledger.api.wire.manual import schemas
from workledger.jsontext import Raw
from workledger.manual.tasks import TaskShown
from workledger.manual_tasks import answers
from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks.task_commands import NAME_LENGTH, ROSTER_LENGTH
from workledger.service.tokens import LONGEST_OWNER

LONGEST_TEXT = 20_000
LONGEST_COLUMN = 1_000
MOST_COLUMNS = 1_000
YEAR = 366 * 86_400

Description = Annotated[str, Field(max_length=2_000)]
Instructions = Annotated[
    str, Field(max_length=LONGEST_TEXT, description="What people are shown beside a record.")
]
Priority = Annotated[
    int,
    Interval(ge=-(2**31), le=2**31 - 1),
    WHOLE,
    Field(description="Orders tasks for who asks for any work, higher first; no records (M44)."),
]
Deadline = Annotated[
    int,
    Interval(ge=1, le=YEAR),
    WHOLE,
    Field(description="How long an assignment runs before it is abandoned (M34)."),
]
Sla = Annotated[
    Annotated[int, Interval(ge=1, le=10 * YEAR), WHOLE] | None,
    Field(description="From hitOrderDate on; statistics show it, the order never uses it (M63)."),
]
Dtr = Annotated[
    bool, Field(description="Dynamic Task Rendering: the comparator's order, not FIFO (M41).")
]
Paused = Annotated[bool, Field(description="A paused task takes loads but gives no work.")]
Archived = Annotated[bool, Field(description="Nothing is offered, nothing is loaded.")]
Columns = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=LONGEST_COLUMN)]],
    Field(
        max_length=MOST_COLUMNS,
        description="Columns that records will have: a comparator may name them. Loads add theirs.",
    ),
]
Schema = Annotated[
    Raw | None,
    Field(repr=False),
    WithJsonSchema(
        {
            "anyOf": [{"type": "object"}, {"type": "null"}],
            "description": "A JSON Schema that answers have to fit (M60); null: none.",
        }
    ),
]


def _owner(name: str) -> str:
    """A worker is the owner of a token: the same form."""
    text = name.strip()
    if not text or not text.isprintable():
        raise ValueError("a worker's name is printable")
    return text


Worker = Annotated[str, Field(min_length=1, max_length=LONGEST_OWNER), AfterValidator(_owner)]


class TaskSettings(Body):
    """What a task is like."""

    description: Description = ""
    instructions: Instructions = ""
    priority: Priority = 0
    deadline_seconds: Deadline = 3_600
    adjudication: schemas.Adjudication = None
    answer_schema: Annotated[Schema, Field(alias="schema")] = None
    dtr: Dtr = False
    comparator: schemas.MaybeComparator = None
    columns: Columns = Field(default_factory=list[str])
    sla_seconds: Sla = None
    paused: Paused = False

    def values(self) -> Mapping[str, Any]:
        """What was sent, by the names of the fields here."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class CreateTask(TaskSettings):
    """A new manual task."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_000,
            json_schema_extra={"maxLength": NAME_LENGTH},
            description="1 to 128 printable characters; trimmed, NFC, unique, exact.",
            examples=["Invoices"],
        ),
    ]


class ChangeTask(TaskSettings):
    """New settings; what is left out stays as it is. The name cannot change."""

    archived: Archived = False


class SetRoster(Body):
    """Who may work a task (M62)."""

    workers: Annotated[
        list[Worker],
        Field(max_length=ROSTER_LENGTH, description="Owners of tokens; none: every worker."),
    ]


class Roster(TypedDict):
    """Who may work a task; nobody named: every worker (M62)."""

    workers: list[str]


class ComparatorField(TypedDict):
    """One field to sort by (M43)."""

    field: str
    type: Literal["text", "number", "date"]
    direction: Literal["asc", "desc"]
    missing: Literal["first", "last"]


class Adjudication(TypedDict):
    """N answers, up to M more while they do not agree, by these fields."""

    answers: int
    more: int
    fields: list[str]


class Ordering(TypedDict):
    """In which order the task's records are offered; while that changes, how far it is."""

    kind: Literal["fifo", "dtr", "legacy"]
    changing: Annotated[bool, Field(description="What waits is being placed anew (M43).")]
    placed: Annotated[int | None, Field(description="So many stand in the new order.")]
    of: int | None


class TaskCounts(TypedDict):
    """Records by status; those that are done are in statistics and results."""

    waiting: int
    held: int
    unresolved: int
    done: int


class Task(TypedDict):
    """A manual task."""

    id: Annotated[str, Field(examples=["t_" + "a" * 26])]
    name: str
    version: Annotated[int, Field(description="Of the settings; also the ETag.")]
    hitType: Annotated[int, Field(description="The version of what people do, which loads keep.")]
    description: str
    instructions: str
    priority: int
    deadlineSeconds: int
    adjudication: Adjudication
    schema: AnyJson | None
    dtr: bool
    comparator: list[ComparatorField] | None
    columns: list[str]
    slaSeconds: int | None
    paused: bool
    archived: bool
    roster: Annotated[list[str], Field(description="Who may work it; none: every worker (M62).")]
    ordering: Ordering
    counts: TaskCounts
    createdAt: At
    createdBy: str
    changedAt: At


def task(shown: TaskShown) -> Task:
    """A task as it is answered."""
    of, progress = shown.task, shown.progress
    settings, rules = of.settings, of.rules
    fields: Any = comparators.dump(settings.comparator) if settings.comparator else None
    return Task(
        id=shown.id,
        name=of.name,
        version=of.version,
        hitType=of.hit_type,
        description=settings.description,
        instructions=rules.instructions,
        priority=settings.priority,
        deadlineSeconds=rules.deadline_seconds,
        adjudication=cast("Adjudication", answers.dump(rules.adjudication)),
        schema=shown.schema,
        dtr=settings.dtr,
        comparator=fields,
        columns=list(of.columns),
        slaSeconds=settings.sla_seconds,
        paused=settings.paused,
        archived=settings.archived,
        roster=list(of.roster),
        ordering=Ordering(
            kind=cast("Any", of.current.kind.name),
            changing=of.coming is not None,
            placed=progress.placed if progress is not None else None,
            of=progress.of if progress is not None else None,
        ),
        counts=cast("TaskCounts", dict(shown.counts)),
        createdAt=of.created_at,
        createdBy=of.created_by,
        changedAt=of.changed_at,
    )


def roster(shown: TaskShown) -> Roster:
    """Who may work a task, as it is answered."""
    return Roster(workers=list(shown.task.roster))
