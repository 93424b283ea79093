"""How a manual task is doing (M26, M61, M63).

What waits or is held now is counted on lines; what was done is what the projector has counted.
Where a line is read, and not only counted, it is read up to READ rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.keys import HEAD, hits_line
from workledger.manual import common
from workledger.manual.tasks import COUNT_LIMIT
from workledger.manual_tasks import dates
from workledger.manual_tasks import statistics as figures
from workledger.manual_tasks.hit import Hit
from workledger.manual_tasks.load import Load
from workledger.manual_tasks.task import Task
from workledger.service.core import Core
from workledger.times import plus
from workledger.views.order import Spot

READ = 10_000
LAST_PART = 0.2
"""An open hit is at risk in the last fifth of its time."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Seconds, within 2.5 %; None where there is nothing to say."""

    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Sla:
    """Hits against the task's time from hitOrderDate on (M63).

    `missed` was decided late, or is not decided and too late; `at_risk` is in the last fifth.
    """

    met: int
    missed: int
    at_risk: int


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """What a worker did."""

    worker: str
    accepted: int
    submitted: int
    returned: int
    abandoned: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """How a task is doing; `cooling` counts assignments, the others hits."""

    waiting: int
    held: int
    cooling: int
    starved: int
    unresolved: int
    done: int
    oldest_waiting_at: str | None
    waiting_seconds: Percentiles
    handling_seconds: Percentiles
    sla: Sla | None
    workers: tuple[WorkerCounts, ...]


@dataclass(frozen=True, slots=True)
class _Task:
    """A task at a moment, and what was read of its lines."""

    core: Core
    id: str
    task: Task
    now: str

    def line(self, status: str) -> str:
        return hits_line(self.id, status)

    def count(self, status: str) -> int:
        limit = COUNT_LIMIT if self.core.store.lag else 1 << 60
        return self.core.store.count_line(self.line(status), limit)

    def upto(self, status: str, date: str) -> int:
        """How many stand on a line at dates up to and including this one."""
        limit = COUNT_LIMIT if self.core.store.lag else 1 << 60
        spot = Spot(0, date, 1 << 52, "~", "", "")
        return sum(self.core.store.count_before(self.line(status), spot, limit))

    def spots(self, status: str) -> list[Spot]:
        return self.core.store.read_line(self.line(status), limit=READ)

    def hits(self, status: str) -> list[Hit]:
        """The hits on a line."""
        at = [(one.stream, HEAD) for one in self.spots(status)]
        rows = self.core.store.rows(at) if at else {}
        states = (self.core.executor.state(row) for row in rows.values())
        return [one for one in states if isinstance(one, Hit)]


def of(core: Core, task: str) -> Statistics:
    """A task's statistics. Raises Refused("task_not_found").

    A hit whose holder is too late waits, as does one whose moment has come. Hits of a load that is
    not complete do not wait. `oldest_waiting_at` is the moment from which the waiting hit that was
    created first could be worked: created, or visible.
    """
    found = common.find_task(core, task)
    here = _Task(core, keys.bare(found.stream), found.task, core.clock())
    held, timed = here.hits("held"), here.hits("timed")
    overdue = sum(one.holder is not None and one.holder.deadline <= here.now for one in held)
    hidden = _hidden(here)
    waiting = here.spots("waiting")
    spots = [one for one in waiting if not _within(one.seq, hidden)]
    come = [
        one.visible_from
        for one in timed
        if one.visible_from and one.visible_from <= here.now and not _within(one.number, hidden)
    ]
    times = _times(here)
    return Statistics(
        waiting=here.count("waiting") - len(waiting) + len(spots) + len(come) + overdue,
        held=here.count("held") - overdue,
        cooling=here.count("cooling") - here.upto("cooling", here.now),
        starved=_starved(here),
        unresolved=here.count("unresolved"),
        done=here.count("done"),
        oldest_waiting_at=_oldest(here, spots, held, come),
        waiting_seconds=_percentiles(times.waiting),
        handling_seconds=_percentiles(times.handling),
        sla=_sla(here, timed),
        workers=_workers(here),
    )


# --- what waits ---------------------------------------------------------------------------------


def _hidden(here: _Task) -> list[range]:
    """The numbers of hits whose load is not complete."""
    loads = here.core.store.read_line(keys.loads_line(here.id), limit=READ, backwards=True)
    bare = [one for one in loads if keys.bare(one.stream) not in here.core.complete_loads]
    rows = here.core.store.rows([(one.stream, HEAD) for one in bare]) if bare else {}
    hidden: list[range] = []
    for (stream, _), row in rows.items():
        load: Load | None = here.core.executor.state(row)
        if load is not None and load.completed_at is None:
            hidden.append(range(load.first, load.first + load.count))
        elif load is not None:
            here.core.complete_loads.add(keys.bare(stream))
    return hidden


def _within(number: int, ranges: Sequence[range]) -> bool:
    return any(number in one for one in ranges)


def _oldest(
    here: _Task, spots: Sequence[Spot], held: Sequence[Hit], come: Sequence[str]
) -> str | None:
    """The numbers are given as hits are created: the lowest is the oldest."""
    moments = list(come)
    if spots:
        first = min(spots, key=lambda one: one.seq)
        created = here.core.store.commits_at([(first.stream, 1)])
        moments += [one.at for one in created.values()]
    moments += [
        one.holder.deadline for one in held if one.holder and one.holder.deadline <= here.now
    ]
    return min(moments, default=None)


def _starved(here: _Task) -> int:
    """Open hits that everybody on the roster is excluded from for good (M26)."""
    store, roster = here.core.store, here.task.roster
    if not roster:
        return 0
    lines = {
        worker: [keys.excluded_line(here.id, one.version, worker) for one in here.task.orderings]
        for worker in roster
    }
    sizes = {
        worker: sum(store.count_line(line, READ) for line in mine) for worker, mine in lines.items()
    }
    left: set[str] | None = None
    for worker in sorted(roster, key=lambda one: sizes[one]):
        if left is not None and not left:
            return 0
        reads = [partial(store.read_line, line, limit=READ) for line in lines[worker]]
        mine: set[str] = {spot.stream for found in store.together(reads) for spot in found}
        left = mine if left is None else left & mine
    return len(left or ())


# --- what was done ------------------------------------------------------------------------------


def _times(here: _Task) -> figures.Times:
    at = (keys.statistics_stream(here.id), HEAD)
    return here.core.executor.state(here.core.store.rows([at]).get(at)) or figures.Times()


def _percentiles(histogram: figures.Histogram) -> Percentiles:
    return Percentiles(figures.quantile(histogram, 0.5), figures.quantile(histogram, 0.95))


def _workers(here: _Task) -> tuple[WorkerCounts, ...]:
    spots = here.spots("workers")
    rows = here.core.store.rows([(one.stream, one.thing) for one in spots]) if spots else {}
    states = [here.core.executor.state(row) for row in rows.values()]
    found = sorted((one for one in states if one is not None), key=lambda one: one.name)
    names = ("accepted", "submitted", "returned", "abandoned", "skipped")
    return tuple(
        WorkerCounts(one.name, **dict(zip(names, one.counts, strict=True))) for one in found
    )


def _sla(here: _Task, timed: Sequence[Hit]) -> Sla | None:
    """An open hit stands on its line by hitOrderDate, which is in the configured zone."""
    seconds, zone = here.task.settings.sla_seconds, here.core.manual.zone
    if seconds is None:
        return None
    past = dates.started_text(plus(here.now, -seconds), zone)
    soon = dates.started_text(plus(here.now, -seconds * (1 - LAST_PART)), zone)
    met = here.upto("took", figures.duration(seconds * 1_000))
    late = _open_upto(here, timed, past)
    risky = _open_upto(here, timed, soon) - late
    return Sla(met, here.count("took") - met + late, risky)


def _open_upto(here: _Task, timed: Sequence[Hit], date: str) -> int:
    lines = ("waiting", "held", "unresolved")
    return sum(here.upto(one, date) for one in lines) + sum(
        one.hit_order_date <= date for one in timed
    )
