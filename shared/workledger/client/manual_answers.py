"""What the server answers about manual tasks and business processes, typed and frozen.

`data`, `custom_attributes` and answers are Python values; `data_text` is the data as JSON text,
digit for digit, `json_text` the whole object as the server wrote it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workledger.client.answers import Answer

HitStatus = Literal["waiting", "held", "unresolved", "done"]
AssignmentStatus = Literal[
    "ACCEPTED", "SUBMITTED", "APPROVED", "REJECTED", "RETURNED", "SKIPPED", "ABANDONED"
]


# --- tasks --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Adjudication:
    """`answers` that have to agree in `fields` (none: in all), up to `more` while they do not."""

    answers: int = 1
    more: int = 0
    fields: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """The rule as it is sent."""
        return {"answers": self.answers, "more": self.more, "fields": list(self.fields)}


@dataclass(frozen=True, slots=True)
class SortBy:
    """One field of a Task Comparator (M43)."""

    field: str
    type: Literal["text", "number", "date"] = "text"
    direction: Literal["asc", "desc"] = "asc"
    missing: Literal["first", "last"] = "last"

    def body(self) -> dict[str, Any]:
        """The field as it is sent."""
        return {
            "field": self.field,
            "type": self.type,
            "direction": self.direction,
            "missing": self.missing,
        }


@dataclass(frozen=True, slots=True)
class Ordering:
    """The order that holds; while it changes, how many stand in the new one (M43)."""

    kind: Literal["fifo", "dtr", "legacy"]
    changing: bool
    placed: int | None
    of: int | None


@dataclass(frozen=True, slots=True)
class HitCounts:
    """Records by status."""

    waiting: int = 0
    held: int = 0
    unresolved: int = 0
    done: int = 0


@dataclass(frozen=True, slots=True)
class Task(Answer):
    """A manual task. `version` goes into `change`; `hit_type` is the version of what people do."""

    id: str
    name: str
    version: int
    hit_type: int
    description: str
    instructions: str
    priority: int
    deadline_seconds: int
    adjudication: Adjudication
    schema: Any
    dtr: bool
    comparator: tuple[SortBy, ...] | None
    columns: tuple[str, ...]
    sla_seconds: int | None
    paused: bool
    archived: bool
    roster: tuple[str, ...]
    ordering: Ordering
    counts: HitCounts
    created_at: str
    created_by: str
    changed_at: str


@dataclass(frozen=True, slots=True)
class Roster(Answer):
    """Who may work a task; nobody named: every worker (M62)."""

    workers: tuple[str, ...]


# --- loads --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Report:
    """What was made of the records' dates: how many were undated, converted, cut (M2, M53)."""

    undated: int = 0
    converted: int = 0
    cut: int = 0
    kept_order: int = 0


@dataclass(frozen=True, slots=True)
class Load(Answer):
    """One start over a list of records, of a task or a process; `created` of them are there."""

    id: str
    task: str | None
    process: str | None
    state: Literal["loading", "complete"]
    records: int
    created: int
    started_at: str
    started_by: str
    completed_at: str | None
    columns: tuple[str, ...]
    report: Report

    @property
    def complete(self) -> bool:
        """Whether its records may be seen (M54)."""
        return self.state == "complete"


# --- hits ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WithData(Answer):
    """What shows a record's data."""

    @property
    def data_text(self) -> str:
        """The data as JSON text, digit for digit."""
        return self.source.at("data").exact()


@dataclass(frozen=True, slots=True)
class Listed(WithData):
    """A record that a worker may take (M33)."""

    hit: str
    data: Any
    custom_attributes: Mapping[str, Any]
    version: int


@dataclass(frozen=True, slots=True)
class HitAssignment:
    """A worker's latest attempt at a hit, as a requester sees it."""

    id: str
    worker: str
    status: AssignmentStatus
    at: str
    deadline: str
    answer: Any = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, by agreement, by majority, or by an adjudicator: `who` (M23)."""

    answer: Any
    by: Literal["agreement", "majority", "adjudicator"]
    who: str | None
    at: str


@dataclass(frozen=True, slots=True)
class Hit(WithData):
    """A record offered to people, with what became of it."""

    id: str
    task: str
    version: int
    load: str
    record: int
    status: HitStatus
    data: Any
    custom_attributes: Mapping[str, Any]
    visible_from: str | None
    created_at: str
    assignments: tuple[HitAssignment, ...]
    decision: Decision | None


# --- what came of it ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that counts."""

    worker: str
    answer: Any
    at: str
    approved: bool


@dataclass(frozen=True, slots=True)
class TaskResult(WithData):
    """A record with all answers and the decision (M60)."""

    hit: str
    load: str
    record: int
    status: HitStatus
    data: Mapping[str, Any]
    custom_attributes: Mapping[str, Any]
    answers: tuple[GivenAnswer, ...]
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Seconds; None where there is nothing to measure."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class SlaCounts:
    """Against the task's time from hitOrderDate on (M63)."""

    met: int
    missed: int
    at_risk: int


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """What one worker did."""

    worker: str
    accepted: int
    submitted: int
    returned: int
    abandoned: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Statistics(Answer):
    """How a manual task is doing (M61); `starved`: nobody is left to answer (M26)."""

    waiting: int
    held: int
    cooling: int
    starved: int
    unresolved: int
    done: int
    oldest_waiting_at: str | None
    waiting_seconds: Percentiles
    handling_seconds: Percentiles
    sla: SlaCounts | None
    workers: tuple[WorkerCounts, ...]


# --- business processes -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a process: manual (`task`), timed (`seconds`), or an end."""

    name: str
    kind: Literal["manual", "timed", "end"]
    task: str | None = None
    seconds: float | None = None
    next: Any = None


@dataclass(frozen=True, slots=True)
class Process(Answer):
    """A business process (M13): `start` and each step's `next` are a step's name, or rules."""

    id: str
    name: str
    version: int
    start: Any
    steps: tuple[Step, ...]
    created_at: str
    created_by: str
    changed_at: str


@dataclass(frozen=True, slots=True)
class Way(WithData):
    """A record on its way through a process: at which step, since (or in a timed one, until)."""

    id: str
    process: str
    version: int
    load: str
    record: int
    status: Literal["moving", "finished"]
    step: str
    since: str
    hit: str | None
    finished_at: str | None
    data: Mapping[str, Any]
    custom_attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """What decided at a manual step."""

    step: str
    hit: str
    by: str


@dataclass(frozen=True, slots=True)
class Travelled(WithData):
    """A record of a process with the columns that its steps' results made."""

    id: str
    load: str
    record: int
    status: Literal["moving", "finished"]
    step: str
    data: Mapping[str, Any]
    custom_attributes: Mapping[str, Any]
    answers: tuple[StepAnswer, ...]
    finished_at: str | None
