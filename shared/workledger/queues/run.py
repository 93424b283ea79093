"""A run: who works, under which lease. Pure.

A run holds items, so the lease is the run's. Heartbeats are no events: the deadline here is the
first one, a lower bound, which beats move (Q52).
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.times import plus
from workledger.views import order
from workledger.views.row import Standing

STARTED = "RunStarted"
ENDED = "RunEnded"
SWEPT = "RunSwept"

LEASE_SECONDS = 300
LEASE_RANGE = (1, 86_400)

LOST = "No sign of life within the lease."
"""The reason of a run that the timekeeper ended (Q52)."""

GRACE_SECONDS = 1
"""What beats is timed out this long after its deadline at the earliest."""

SECOND_SWEEP_SECONDS = 30
"""An index may lag: what an ended run held is released once more this much later (Q50)."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `swept` is true once its items have been released for the second time."""

    name: str | None
    actor: str
    lease_seconds: int
    started_at: str
    ended_at: str | None = None
    end_reason: str | None = None
    lost: bool = False
    swept: bool = False

    @property
    def first_deadline(self) -> str:
        """The deadline while no beat has moved it."""
        return plus(self.started_at, self.lease_seconds)


def start(seen: Seen, name: str | None, lease_seconds: int) -> list[Event]:
    """Start a run; repeat-safe, since its id is its stream."""
    if seen.head is not None:
        return []
    return [Event(STARTED, {"name": name, "leaseSeconds": lease_seconds})]


def end(seen: Seen, reason: str, *, lost: bool = False) -> list[Event]:
    """End a run; nothing when it has ended (Q50). Raises Refused("run_not_found")."""
    run: Run | None = seen.head
    if run is None:
        raise not_found(keys.run_id(seen.stream))
    return [] if run.ended_at else [Event(ENDED, {"reason": reason, "lost": lost})]


def sweep(seen: Seen) -> list[Event]:
    """Record that an ended run's items were released for the second time."""
    run: Run | None = seen.head
    return [Event(SWEPT)] if run is not None and run.ended_at and not run.swept else []


def not_found(run: str) -> Refused:
    """The refusal for an id that no run has."""
    return Refused("run_not_found", f"there is no run {run}", run=run)


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Run | None) -> Run:
    """The run after an event."""
    if event.type == STARTED:
        data = event.data
        return Run(data["name"], commit.actor, data["leaseSeconds"], commit.at)
    if head is None:
        raise ValueError(f"{event.type} on no run: {commit.stream} {thing} {state}")
    if event.type == ENDED:
        data = event.data
        return replace(head, ended_at=commit.at, end_reason=data["reason"], lost=data["lost"])
    if event.type == SWEPT:
        return replace(head, swept=True)
    raise ValueError(f"no such event of a run: {event.type}")


def place(stream: str, thing: str, run: Run) -> Standing:
    """Active runs by their start, ended ones by their end; due at the deadline, then to sweep."""
    tie = keys.run_id(stream)
    if run.ended_at is None:
        due = plus(run.first_deadline, GRACE_SECONDS)
        where = order.by_date(keys.runs_line("active"), run.started_at, 0, tie)
        return Standing(where, due=due)
    where = order.by_date(keys.runs_line("ended"), run.ended_at, 0, tie)
    return Standing(where, due=None if run.swept else plus(run.ended_at, SECOND_SWEEP_SECONDS))


def dump(run: Run) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(run)


def load(stored: dict[str, Any]) -> Run:
    """The state from its JSON value."""
    return Run(**stored)
