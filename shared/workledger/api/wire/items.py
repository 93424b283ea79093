"""Items on the wire: as they are shown, changed, and matched by a filter."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Interval
from pydantic import Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from workledger.api.wire.base import WHOLE, AnyJson, At, Body, Moment
from workledger.jsontext import Raw
from workledger.queues.item import Completed, Failed, Held, Waiting
from workledger.queues.item import Item as State
from workledger.service.items import ItemShown
from workledger.service.listing import Filter, Matched

Status = Literal["new", "inProgress", "completed", "failed"]
AnyStatus = Literal["all", "new", "inProgress", "completed", "failed"]

Priority = Annotated[
    int,
    Interval(ge=-(2**31), le=2**31 - 1),
    WHOLE,
    Field(description="Higher is taken first (Q11)."),
]


class ChangeItem(Body):
    """New values for a waiting item; what is left out stays as it is (Q16)."""

    priority: Priority = 0
    not_before: Annotated[
        Moment | None, Field(description="Not taken before then; null: at once (Q15).")
    ] = None
    due: Annotated[Moment | None, Field(description="Shown, never a filter; null: none.")] = None

    def values(self) -> Mapping[str, Any]:
        """The values that were sent."""
        return {to_camel(name): getattr(self, name) for name in self.model_fields_set}


class Conditions(Body):
    """Which items are meant; all conditions must hold."""

    since: Annotated[
        Moment | None, Field(description="Closed since then; those that are open: added since.")
    ] = None
    reason_prefix: Annotated[
        str | None, Field(max_length=1_000, description="How the reason of the failure begins.")
    ] = None


class FailedFilter(Conditions):
    """Which failed items are meant; all conditions must hold."""

    status: Literal["failed"] | None = None


class AnyFilter(Conditions):
    """Which items are meant; all conditions must hold."""

    status: Status | None = None


class MatchItems(Body):
    """Whether to try it first, and where to go on (Q72)."""

    dry_run: Annotated[bool, Field(description="Only say what would be done.")] = False
    cursor: Annotated[
        str | None, Field(description="nextCursor of the answer before: go on there.")
    ] = None


class RequeueItems(MatchItems):
    """A filter, and whether to try it first (Q72)."""

    filter: FailedFilter


class PurgeItems(MatchItems):
    """A filter, and whether to try it first (Q72)."""

    filter: AnyFilter


def wanted(body: FailedFilter | AnyFilter) -> Filter:
    """The filter as the service takes it."""
    return Filter(body.status, body.since, body.reason_prefix)


class MatchedAnswer(TypedDict):
    """What became of the items that match."""

    matched: int
    done: Annotated[int, Field(description="0 in a dry run.")]
    skipped: Annotated[int, Field(description="Matched, but could not be done.")]
    ids: Annotated[list[str], Field(description="The first 100 that were, or would be, done.")]
    nextCursor: Annotated[str | None, Field(description="Not null: send it as `cursor`.")]


class ResultOutcome(TypedDict):
    """Of a completed item (Q40)."""

    kind: Literal["result"]
    result: AnyJson | None


class ErrorOutcome(TypedDict):
    """Of a failed item (Q41)."""

    kind: Literal["error"]
    reason: str


class RunOutcome(TypedDict):
    """Of an item in progress: who holds it (Q25)."""

    kind: Literal["run"]
    run: str
    since: At


Outcome = Annotated[ResultOutcome | ErrorOutcome | RunOutcome | None, Field(discriminator=None)]


class Item(TypedDict):
    """A work item (Q71)."""

    id: str
    queue: Annotated[str, Field(description="The queue's id.")]
    queueName: str
    number: Annotated[int, Field(description="Per queue, rising in the order of arrival (Q13).")]
    reference: str | None
    priority: int
    status: Status
    attempt: Annotated[int, Field(description="How often it was taken (Q24).")]
    data: NotRequired[AnyJson]
    addedAt: At
    addedBy: str
    notBefore: At | None
    due: At | None
    run: Annotated[str | None, Field(description="The run that holds it.")]
    claimedAt: At | None
    closedAt: At | None
    claimOverdue: Annotated[
        bool, Field(description="Its run's lease has passed: it will be released.")
    ]
    progress: Annotated[str | None, Field(description="What its holder last told (Q46).")]
    outcome: Outcome


def item(shown: ItemShown) -> Item:
    """An item as it is answered; without `data` when that was purged."""
    of, status = shown.item, shown.item.status
    held = status if isinstance(status, Held) else None
    answer = Item(
        id=shown.id,
        queue=of.queue,
        queueName=shown.queue_name,
        number=of.number,
        reference=of.reference,
        priority=of.priority,
        status=_status(of),
        attempt=of.attempt,
        addedAt=of.arrived,
        addedBy=of.added_by,
        notBefore=status.not_before if isinstance(status, Waiting) else None,
        due=of.due,
        run=held.run if held else None,
        claimedAt=held.since if held else None,
        closedAt=status.at if isinstance(status, Completed | Failed) else None,
        claimOverdue=shown.overdue,
        progress=shown.progress,
        outcome=_outcome(of, shown.result),
    )
    if shown.data is not None:
        answer["data"] = shown.data
    return answer


def _status(of: State) -> Status:
    match of.status:
        case Held():
            return "inProgress"
        case Completed():
            return "completed"
        case Failed():
            return "failed"
        case _:
            return "new"


def _outcome(of: State, result: Raw | None) -> Outcome:
    match of.status:
        case Completed():
            return ResultOutcome(kind="result", result=result)
        case Failed(_, reason):
            return ErrorOutcome(kind="error", reason=reason)
        case Held(run, _, since):
            return RunOutcome(kind="run", run=run, since=since)
        case _:
            return None


def matched(of: Matched) -> MatchedAnswer:
    """What became of the items that match, as it is answered."""
    return MatchedAnswer(
        matched=of.matched,
        done=of.done,
        skipped=of.skipped,
        ids=of.ids[:100],
        nextCursor=of.next_cursor,
    )
