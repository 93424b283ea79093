"""What the server answers, typed and frozen. Times are ISO-8601 text in UTC, which sorts as time.

`data`, `result` and `payload` are Python values; the text they were written in, digit for digit,
is behind `data_text`, `result_text` (Q10). `json_text` is the whole object as the server wrote it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from workledger.client.wire import Source

T = TypeVar("T")

Status = Literal["new", "inProgress", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What all answers share: where they stand in the text that came."""

    source: Source = field(default=Source(), kw_only=True, repr=False, compare=False)

    @property
    def json_text(self) -> str:
        """The JSON as the server wrote it."""
        return self.source.exact()


@dataclass(frozen=True, slots=True)
class Page(Answer, Generic[T]):
    """One page of a list; `next_cursor` is None on the last one."""

    items: tuple[T, ...]
    next_cursor: str | None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Counts:
    """Items by status."""

    new: int = 0
    in_progress: int = 0
    completed: int = 0
    failed: int = 0

    @property
    def all(self) -> int:
        """The sum of the four (Q70)."""
        return self.new + self.in_progress + self.completed + self.failed


@dataclass(frozen=True, slots=True)
class Counted(Answer):
    """The answer to a count: the number that was asked for, and all of them (Q70)."""

    count: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Queue(Answer):
    """A queue with its settings and counts (Q1, Q3). `version` goes into `change` (Q4)."""

    id: str
    name: str
    description: str
    retries: int
    retry_delay_seconds: int
    paused: bool
    counts: Counts
    oldest_waiting_at: str | None
    created_at: str
    created_by: str
    changed_at: str
    version: int


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a completed item."""

    result: Any


@dataclass(frozen=True, slots=True)
class Error:
    """The outcome of a failed item, or of the last round of one that was put back."""

    reason: str


@dataclass(frozen=True, slots=True)
class HeldBy:
    """The run that holds an item in progress, and since when."""

    run: str
    since: str | None


Outcome = Result | Error | HeldBy


@dataclass(frozen=True, slots=True)
class Item(Answer):
    """A work item as it is shown (Q71). `queue` is the queue's id, `queue_name` its name."""

    id: str
    queue: str
    queue_name: str
    number: int
    reference: str | None
    priority: int
    status: Status
    attempt: int
    data: Any
    added_at: str
    added_by: str
    not_before: str | None
    due: str | None
    run: str | None
    claimed_at: str | None
    closed_at: str | None
    claim_overdue: bool
    progress: str | None
    outcome: Outcome | None

    @property
    def data_text(self) -> str | None:
        """The data as JSON text, digit for digit; None when it was purged."""
        try:
            return self.source.at("data").exact()
        except KeyError:
            return None

    @property
    def result_text(self) -> str | None:
        """The result of a completed item as JSON text; None when it has none."""
        if not isinstance(self.outcome, Result):
            return None
        return self.source.at("outcome", "result").exact()


@dataclass(frozen=True, slots=True)
class Taken(Answer):
    """An item that was taken (Q22). `claim` is what completes or fails it (Q25, Q43)."""

    id: str
    queue: str
    number: int
    reference: str | None
    data: Any
    attempt: int
    priority: int
    due: str | None
    claim: str
    run: str

    @property
    def data_text(self) -> str:
        """The data as JSON text, digit for digit."""
        return self.source.at("data").exact()


@dataclass(frozen=True, slots=True)
class Nothing(Answer):
    """Nothing to take, and why: `empty`, `deferred` or `contended` (until `retry_at`), `paused`.

    It is false, so that `if item := queue.next():` reads as it should.
    """

    reason: str
    retry_at: str | None = None
    run: str | None = None

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class TakenItems(Answer):
    """Several items taken in one call (Q27)."""

    run: str
    items: tuple[Taken, ...]

    def __iter__(self) -> Iterator[Taken]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Beaten(Answer):
    """The answer to a beat: until when the run's lease is good now (Q46)."""

    lease_until: str


@dataclass(frozen=True, slots=True)
class AddedItem:
    """What became of one entry: its new item, or the one that bears its reference (Q12)."""

    index: int
    id: str
    created: bool
    status: Status


@dataclass(frozen=True, slots=True)
class Added(Answer):
    """How many entries became items, how many were skipped, and each entry's item (Q82)."""

    added: int
    skipped: int
    items: tuple[AddedItem, ...]


@dataclass(frozen=True, slots=True)
class Matched(Answer):
    """What a requeue or purge by filter did; on a dry run what it would do (Q72)."""

    matched: int
    done: int
    skipped: int
    ids: tuple[str, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Run(Answer):
    """A run: who works, under which lease, holding how many items (Q52)."""

    id: str
    name: str | None
    actor: str
    status: Literal["active", "ended"]
    started_at: str
    lease_seconds: int
    lease_until: str | None
    ended_at: str | None
    end_reason: str | None
    overdue: bool
    holding: int


@dataclass(frozen=True, slots=True)
class Event(Answer):
    """Something that happened (Q91). (stream, commit, index) is its place, and unique."""

    stream: str
    commit: int
    index: int
    type: str
    version: int
    at: str
    actor: str
    cause: str | None
    data: Mapping[str, Any]
    payload: Any = None


@dataclass(frozen=True, slots=True)
class Explanation(Answer):
    """Why an item stands where it stands (Q90); not `exact` beyond 1,000 ahead."""

    id: str
    status: Status
    place: int | None
    of: int | None
    higher_priority: int | None
    earlier: int | None
    exact: bool
    text: str


@dataclass(frozen=True, slots=True)
class AuditEntry(Answer):
    """Who changed what about queues and access (Q6)."""

    at: str
    actor: str
    action: str
    subject: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
