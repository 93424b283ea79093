"""Runs on the wire."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import At, Body
from workledger.api.wire.work import LeaseSeconds, Reason, RunName
from workledger.service.runs import RunShown

RunStatus = Literal["active", "ended"]


class StartRun(Body):
    """A new run."""

    name: Annotated[RunName, Field(description="For people.")] = None
    lease_seconds: LeaseSeconds = 300


class EndRun(Body):
    """Why the run ends."""

    reason: Reason = ""


class Run(TypedDict):
    """A run: who works, under which lease (Q53)."""

    id: str
    name: str | None
    actor: str
    status: RunStatus
    startedAt: At
    leaseSeconds: int
    leaseUntil: At
    endedAt: At | None
    endReason: str | None
    overdue: Annotated[bool, Field(description="Its lease has passed: it will be ended.")]
    holding: Annotated[int, Field(description="Items that it holds; 100 means 100 or more.")]


def run(shown: RunShown) -> Run:
    """A run as it is answered."""
    of = shown.run
    return Run(
        id=shown.id,
        name=of.name,
        actor=of.actor,
        status="active" if of.ended_at is None else "ended",
        startedAt=of.started_at,
        leaseSeconds=of.lease_seconds,
        leaseUntil=shown.lease_until,
        endedAt=of.ended_at,
        endReason=of.end_reason,
        overdue=shown.overdue,
        holding=shown.holding,
    )
