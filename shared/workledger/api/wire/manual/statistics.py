"""Statistics of a manual task on the wire (M26, M61, M63)."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import At
from workledger.manual import statistics as found


class Percentiles(TypedDict):
    """Seconds, within 2.5 %; null where there is nothing to say."""

    p50: float | None
    p95: float | None


class Sla(TypedDict):
    """Hits against the task's time from hitOrderDate on (M63)."""

    met: int
    missed: Annotated[int, Field(description="Decided late, or not decided and too late.")]
    atRisk: Annotated[int, Field(description="Not decided, in the last fifth of the time.")]


class WorkerCounts(TypedDict):
    """What one worker did."""

    worker: str
    accepted: int
    submitted: int
    returned: int
    abandoned: int
    skipped: int


Waiting = Annotated[int, Field(description="Those that somebody holds too long wait, too.")]
Cooling = Annotated[int, Field(description="Assignments that still hide a hit from their worker.")]
Starved = Annotated[int, Field(description="Open, and nobody on the roster may answer (M26).")]
Oldest = Annotated[
    At | None, Field(description="Since when the oldest that waits could be worked.")
]


class Statistics(TypedDict):
    """How a manual task is doing."""

    waiting: Waiting
    held: int
    cooling: Cooling
    starved: Starved
    unresolved: int
    done: int
    oldestWaitingAt: Oldest
    waitingSeconds: Percentiles
    handlingSeconds: Percentiles
    sla: Sla | None
    workers: list[WorkerCounts]


def statistics(of: found.Statistics) -> Statistics:
    """A task's statistics as they are answered."""
    sla = of.sla
    return Statistics(
        waiting=of.waiting,
        held=of.held,
        cooling=of.cooling,
        starved=of.starved,
        unresolved=of.unresolved,
        done=of.done,
        oldestWaitingAt=of.oldest_waiting_at,
        waitingSeconds=_percentiles(of.waiting_seconds),
        handlingSeconds=_percentiles(of.handling_seconds),
        sla=Sla(met=sla.met, missed=sla.missed, atRisk=sla.at_risk) if sla is not None else None,
        workers=[
            WorkerCounts(
                worker=one.worker,
                accepted=one.accepted,
                submitted=one.submitted,
                returned=one.returned,
                abandoned=one.abandoned,
                skipped=one.skipped,
            )
            for one in of.workers
        ],
    )


def _percentiles(of: found.Percentiles) -> Percentiles:
    return Percentiles(p50=of.p50, p95=of.p95)
