"""Queues on the wire."""

from collections.abc import Mapping
from typing import Annotated, Any

from annotated_types import Interval
from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import WHOLE, At, Body
from workledger.keys import queue_id
from workledger.queues.item import LINES
from workledger.queues.queue import NAME_LENGTH, Settings
from workledger.service.queues import QueueShown

Description = Annotated[str, Field(max_length=2_000)]
Retries = Annotated[
    int,
    Interval(ge=0, le=100),
    WHOLE,
    Field(description="How often a failed item is put back (Q1, Q42)."),
]
RetryDelay = Annotated[
    int,
    Interval(ge=0, le=604_800),
    WHOLE,
    Field(description="How long an item that was put back waits (Q47)."),
]
Paused = Annotated[bool, Field(description="A paused queue takes items but gives none (Q8).")]


class CreateQueue(Body):
    """A new queue."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_000,
            json_schema_extra={"maxLength": NAME_LENGTH},
            description="1 to 128 printable characters; trimmed, NFC, unique, exact (Q2).",
            examples=["Invoices"],
        ),
    ]
    description: Description = ""
    retries: Retries = 0
    retry_delay_seconds: RetryDelay = 0
    paused: Paused = False

    def settings(self) -> Settings:
        """The settings in it."""
        return Settings(self.description, self.retries, self.retry_delay_seconds, self.paused)


class ChangeQueue(Body):
    """New settings; what is left out stays as it is. The name cannot change (Q4)."""

    description: Description = ""
    retries: Retries = 0
    retry_delay_seconds: RetryDelay = 0
    paused: Paused = False

    def values(self) -> Mapping[str, Any]:
        """The settings that were sent."""
        return self.model_dump(exclude_unset=True)


class Counts(TypedDict):
    """Items by status."""

    new: int
    inProgress: int
    completed: int
    failed: int


class CountAnswer(TypedDict):
    """How many items there are: of the status asked for, and of each."""

    count: int
    counts: Annotated[dict[str, int], Field(description="all, new, inProgress, completed, failed")]


class Queue(TypedDict):
    """A queue with its settings and counts (Q3)."""

    id: Annotated[str, Field(examples=[queue_id("queue/" + "a" * 26, 1)])]
    name: str
    description: str
    retries: int
    retryDelaySeconds: int
    paused: bool
    counts: Annotated[Counts, Field(description="All 0 in an answer to `asOf`.")]
    oldestWaitingAt: Annotated[At | None, Field(description="When its oldest waiting item came.")]
    createdAt: At
    createdBy: str
    changedAt: At
    version: Annotated[int, Field(description="Of the settings; also the ETag (Q4).")]


def queue(shown: QueueShown) -> Queue:
    """A queue as it is answered."""
    of, settings = shown.queue, shown.queue.settings
    counts = {status: shown.counts.get(status, 0) for status in LINES}
    return Queue(
        id=shown.id,
        name=of.name,
        description=settings.description,
        retries=settings.retries,
        retryDelaySeconds=settings.retry_delay_seconds,
        paused=settings.paused,
        counts=Counts(**counts),
        oldestWaitingAt=shown.oldest_waiting_at,
        createdAt=of.created_at,
        createdBy=of.created_by,
        changedAt=of.changed_at,
        version=of.version,
    )
