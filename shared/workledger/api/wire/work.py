"""Adding, taking and closing on the wire."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Interval
from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import WHOLE, AnyJson, At, Body, Moment
from workledger.api.wire.items import Status
from workledger.queues.item_commands import Failure
from workledger.service.adding import Added
from workledger.service.closing import PROGRESS_LENGTH
from workledger.service.taking import Taken, TakenItem, Wanted

Claim = Annotated[
    str,
    Field(
        pattern=r"^i_[a-z2-7]{26}\.[1-9][0-9]{0,8}:[1-9][0-9]{0,11}$",
        description="What `next` gave: the token of one take.",
    ),
]
RunName = Annotated[str | None, Field(max_length=200)]
LeaseSeconds = Annotated[
    int,
    Interval(ge=1, le=86_400),
    WHOLE,
    Field(description="How long without a sign of life (Q52)."),
]
Reason = Annotated[str, Field(max_length=10_000)]


class TakeItems(Body):
    """What is wanted of a queue."""

    run: Annotated[
        str | None,
        Field(min_length=1, max_length=100, description="Without one, a run is started (Q53)."),
    ] = None
    wait_seconds: Annotated[
        float, Field(ge=0, le=20, description="How long to wait for an item (Q28).")
    ] = 0
    max_items: Annotated[
        Annotated[int, Interval(ge=1, le=100), WHOLE] | None,
        Field(description="Several items in one answer (Q27)."),
    ] = None
    run_name: Annotated[RunName, Field(description="Of the run that is started.")] = None
    lease_seconds: Annotated[LeaseSeconds, Field(description="Of the run that is started.")] = 300

    def wanted(self, key: str | None) -> Wanted:
        """What the service is asked for."""
        return Wanted(
            run=self.run,
            run_name=self.run_name,
            lease_seconds=self.lease_seconds,
            wait_seconds=self.wait_seconds,
            max_items=self.max_items,
            key=key,
        )


_Printed = Annotated[Any, Field(description="As `next` printed it; ignored.", repr=False)]


class Closing(Body):
    """A claim. The whole object that `next --json` printed is taken too (Q102)."""

    claim: Claim
    found: _Printed = None
    id: _Printed = None
    queue: _Printed = None
    number: _Printed = None
    reference: _Printed = None
    data: _Printed = None
    attempt: _Printed = None
    priority: _Printed = None
    due: _Printed = None
    run: _Printed = None


class CompleteItem(Closing):
    """The round went well."""

    result: Annotated[
        AnyJson | None, Field(description="Kept, and shown as Outcome.", repr=False)
    ] = None


class FailItem(Closing):
    """The round went wrong (Q41, Q42)."""

    reason: Reason = ""
    retry: Annotated[bool, Field(description="false: failed for good, whatever Retries says.")] = (
        True
    )
    not_before: Annotated[
        Moment | None, Field(description="If it is put back: not taken before then (Q47).")
    ] = None

    def failure(self) -> Failure:
        """What the service is told."""
        return Failure(self.reason, self.retry, self.not_before)


class BeatItem(Closing):
    """A sign of life."""

    progress: Annotated[str | None, Field(max_length=PROGRESS_LENGTH)] = None


class BeatAnswer(TypedDict):
    """Until when the run holds what it holds."""

    leaseUntil: At


class AddedEntry(TypedDict):
    """What became of one entry; `created` is false where its reference was known (Q12)."""

    index: int
    id: str
    created: bool
    status: Status


class AddedAnswer(TypedDict):
    """What became of the entries (Q82)."""

    added: int
    skipped: int
    items: list[AddedEntry]


class TakenOne(TypedDict):
    """An item that was taken: what a worker needs (Q22, Q64)."""

    id: str
    queue: str
    number: int
    reference: str | None
    data: AnyJson
    attempt: int
    priority: int
    due: At | None
    claim: Annotated[str, Field(description="Send it with complete, fail, beat.")]


class TakenAnswer(TakenOne):
    """The next item."""

    found: Literal[True]
    run: str


class TakenItems(TypedDict):
    """The next items, when `maxItems` was sent."""

    found: Literal[True]
    run: str
    items: list[TakenOne]


class NothingTaken(TypedDict):
    """Why there is none (Q22)."""

    found: Literal[False]
    reason: Annotated[str, Field(examples=["empty", "deferred", "paused", "contended"])]
    run: str
    retryAt: NotRequired[Annotated[At, Field(description="When to ask again.")]]


def added(of: Added) -> dict[str, Any]:
    """What became of the entries, as it is answered."""
    return {
        "added": of.added,
        "skipped": of.skipped,
        "items": [
            {"index": one.index, "id": one.id, "created": one.created, "status": one.status}
            for one in of.items
        ],
    }


def taken(of: Taken, *, several: bool) -> TakenAnswer | TakenItems | NothingTaken:
    """What a `next` brought, as it is answered."""
    if not of.items:
        nothing = NothingTaken(found=False, reason=of.reason or "empty", run=of.run)
        if of.retry_at is not None:
            nothing["retryAt"] = of.retry_at
        return nothing
    if several:
        return TakenItems(found=True, run=of.run, items=[_one(item) for item in of.items])
    return TakenAnswer(found=True, **_one(of.items[0]), run=of.run)


def _one(taken: TakenItem) -> TakenOne:
    of = taken.item
    return TakenOne(
        id=taken.id,
        queue=of.queue,
        number=of.number,
        reference=of.reference,
        data=taken.data,
        attempt=of.attempt,
        priority=of.priority,
        due=of.due,
        claim=taken.claim,
    )
