"""Taking the next record or a named one; what a worker holds (M20, M33 to M36, M44)."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD, worker_thing
from workledger.ledger import fold
from workledger.ledger.commit import Commit
from workledger.manual import assigned as assignments
from workledger.manual import common, hits, worklist
from workledger.manual.assigned import Assigned, Found
from workledger.manual.claiming import Next, Nothing, closed
from workledger.manual.onhit import on_all
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.hit import ACCEPTED, Assignment, Hit
from workledger.manual_tasks.task import Task
from workledger.service import paging
from workledger.service.core import Core, Page
from workledger.times import plus
from workledger.views.order import Spot

__all__ = ["Assigned", "Nothing", "active", "assigned", "held", "next_of", "take"]

ACTIVE_AT_ONCE = 100


def next_of(
    core: Core,
    worker: str,
    task: str | None = None,
    version: int | None = None,
    key: str | None = None,
) -> Assigned | Nothing:
    """Take the first of the list of a task, or of any task by priority, then name (M33, M44).

    With a key a repeat answers the same assignment. Raises Refused: task_not_found, not_on_roster.
    """
    return Next(core, worker, task, version, key).answer()


def take(core: Core, worker: str, hit: str) -> Assigned:
    """Take a named record; taking what one holds answers the same assignment (M36).

    Raises Refused: hit_not_found, not_on_roster, task_archived, hit_taken, hidden.
    """
    stream, now = hits.stream_of(hit), core.clock()
    found: Hit | None = core.executor.read(stream).head
    if found is None:
        raise hits.not_found(hit)
    holder = found.holder
    if holder is None or holder.worker != worker or holder.deadline <= now:
        _check_offered(core, worker, found)
    rules = common.rules_of(core, f"task/{found.task}", found.version)
    deadline = plus(now, rules.deadline_seconds)
    decide = partial(hit_commands.take, worker=worker, deadline=deadline, now=now)
    result = on_all(core, stream, worker, decide, (worker_thing(worker),))
    own: Assignment = result.states[worker_thing(worker)]
    return assignments.shown(core, stream, result.head, own)


def _check_offered(core: Core, worker: str, hit: Hit) -> None:
    """Whether a hit is offered to a worker at all: the task and the load decide."""
    task: Task = core.executor.read(f"task/{hit.task}").head
    worklist.check_roster(task, worker)
    reason = closed(task)
    if reason == "archived":
        raise Refused("task_archived", f"the task {task.name!r} is archived")
    if reason is not None:
        raise Refused("hidden", f"the task {task.name!r} is paused")
    if not common.is_complete(core, hit.load):
        raise Refused("hidden", "the load of this record is not complete yet")


# --- one's own ----------------------------------------------------------------------------------


def assigned(core: Core, worker: str, assignment: str) -> Assigned:
    """An assignment of one's own. Raises Refused: assignment_not_found, not_yours."""
    stream, take_number = located(assignment)
    seen = core.executor.read(stream, (worker_thing(worker),))
    own: Assignment | None = seen.states.get(worker_thing(worker))
    if own is not None and own.take == take_number:
        return assignments.shown(core, stream, seen.head, own)
    begun = begun_by(core, assignment)
    if begun.worker != worker:
        raise not_yours()
    return assignments.shown(core, stream, seen.head, _as_it_ended(core, stream, begun))


def located(assignment: str) -> tuple[str, int]:
    """(hit stream, commit of the take) of an id. Raises Refused("assignment_not_found")."""
    found = keys.assignment_of(assignment)
    if found is None:
        raise not_found(assignment)
    return found


def not_found(assignment: str) -> Refused:
    """The refusal for an id that no assignment has."""
    detail = f"there is no assignment {assignment!r}"
    return Refused("assignment_not_found", detail, assignment=assignment)


def not_yours() -> Refused:
    """The refusal for another's assignment."""
    return Refused("not_yours", "this assignment is another worker's")


def begun_by(core: Core, assignment: str) -> Assignment:
    """The assignment as its take began it. Raises Refused("assignment_not_found")."""
    address = located(assignment)
    commit: Commit | None = core.store.commits_at([address]).get(address)
    if commit is None or all(one.type != ACCEPTED for one in commit.events):
        raise not_found(assignment)
    head: Hit = core.executor.read(address[0]).head
    return assignments.taken(commit, head)


def _as_it_ended(core: Core, stream: str, begun: Assignment) -> Assignment:
    """An attempt after which the worker took the record again: as it was left, of the ledger."""
    thing, last = worker_thing(begun.worker), begun
    states: Mapping[str, Any] = {}
    for commit in core.store.commits(stream):
        states = fold.after(core.executor.aggregates["hit"], commit, states)
        now: Assignment | None = states.get(thing)
        if now is not None and now.take == begun.take:
            last = now
    return last


def active(core: Core, worker: str, cursor: str | None, limit: int) -> Page[Assigned]:
    """What a worker holds, the longest held first; what is overdue is held no more (M31, M35)."""
    worklist.settle(core)
    after = paging.spot(paging.decode(cursor, *paging.SPOT)) if cursor else None
    met = list(islice(held(core, worker, after), limit + 1))
    answer = assignments.shown_many(core, [found for _, found in met[:limit]])
    kept = _within(answer)
    more = len(met) > len(kept)
    return Page(kept, paging.encode(*met[len(kept) - 1][0]) if more else None)


def _within(answer: list[Assigned]) -> list[Assigned]:
    """As many as an answer may bear."""
    total = 0
    for index, one in enumerate(answer):
        total += len(one.data.text) + len(one.instructions)
        total += len(one.schema.text) if one.schema is not None else 0
        if total > worklist.MOST_BYTES and index:
            return answer[:index]
    return answer


def held(core: Core, worker: str, after: Spot | None = None) -> Iterator[tuple[Spot, Found]]:
    """What a worker holds, strongly read: the line gives candidates, the rows decide."""
    line, now = keys.active_line(worker), core.clock()
    recent = core.memory.recent(line, now) if core.store.lag else []
    unseen = sorted(one for one in recent if after is None or one > after)
    while True:
        spots = core.store.read_line(line, after=after, limit=ACTIVE_AT_ONCE)
        ended = len(spots) < ACTIVE_AT_ONCE
        here = [one for one in unseen if ended or one <= spots[-1]]
        unseen = unseen[len(here) :]
        yield from _held(core, sorted({*spots, *here}), now)
        if ended:
            return
        after = spots[-1]


def _held(core: Core, spots: list[Spot], now: str) -> Iterator[tuple[Spot, Found]]:
    met = dict.fromkeys((one.stream, one.thing) for one in spots)
    rows = core.store.rows([(stream, HEAD) for stream, _ in met]) if met else {}
    rows |= core.store.rows(list(met)) if met else {}
    for spot in spots:
        hit: Hit | None = core.executor.state(rows.get((spot.stream, HEAD)))
        own: Assignment | None = core.executor.state(rows.get((spot.stream, spot.thing)))
        if hit is None or own is None or own.status != "ACCEPTED" or own.deadline <= now:
            continue
        if own.take == spot.seq:
            yield spot, (spot.stream, hit, own)
