"""What use cases of manual tasks share: finding a task, its versions, schemas and order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.keys import HEAD, place_thing
from workledger.ledger import fold
from workledger.ledger.commit import Commit
from workledger.ledger.execute import Result
from workledger.manual import schemas
from workledger.manual.onhit import on_all
from workledger.manual_tasks import columns, hit_commands, task_commands
from workledger.manual_tasks import hit as hits
from workledger.manual_tasks import ordering as orderings
from workledger.manual_tasks.hit import OPEN, Hit, Placed
from workledger.manual_tasks.load import Load
from workledger.manual_tasks.records import Order
from workledger.manual_tasks.task import Rules, Task
from workledger.service.core import Core


@dataclass(frozen=True, slots=True)
class Found:
    """A manual task: its id, its stream, its state."""

    id: str
    stream: str
    task: Task


# --- tasks --------------------------------------------------------------------------------------


def locate_task(task: str) -> str:
    """The stream of a task's id or name. Raises Refused("task_not_found")."""
    stream = keys.manual_stream("task", task)
    if stream is not None:
        return stream
    try:
        return keys.task_stream(task_commands.clean_name(task))
    except Refused as refused:
        raise task_commands.not_found(task) from refused


def find_task(core: Core, task: str) -> Found:
    """The task of a name or id. Raises Refused("task_not_found").

    Where its order is not what this process's settings want, re-placing begins (M40).
    """
    stream = locate_task(task)
    seen = fold.seen(core.executor.aggregates, stream, core.store.load(stream))
    head: Task | None = seen.head or core.executor.read(stream).head
    if head is None:
        raise task_commands.not_found(task)
    return Found(keys.manual_id(stream), stream, reordered(core, stream, head))


def reordered(core: Core, stream: str, task: Task) -> Task:
    """The task, with re-placing begun where another order is wanted of it (M40).

    Not while it changes already: two deployments that want different things take turns at most.
    """
    settings = task.settings
    kind = orderings.wanted(settings.dtr, settings.comparator, core.manual.fifo)
    if task.coming is not None or kind == task.current.kind:
        return task
    decide = partial(task_commands.reorder, fifo=core.manual.fifo)
    return core.executor.run(core.command(stream, "system", decide)).head


def rules_of(core: Core, stream: str, version: int) -> Rules:
    """A version of a task (its stream), which never changes; remembered by the process."""
    known = core.task_rules.get((stream, version))
    if known is None:
        thing = keys.version_thing(version)
        row = core.store.rows([(stream, thing)]).get((stream, thing))
        known = core.executor.state(row) or core.executor.read(stream, (thing,)).states[thing]
        core.task_rules[stream, version] = known
    return known


# --- schemas of answers -------------------------------------------------------------------------


def schema_of(core: Core, stream: str, rules: Rules) -> Raw | None:
    """The schema of a version's answers; None where every JSON value is one (M60)."""
    if not rules.schema:
        return None
    commit = core.recent.at((stream, rules.schema))
    return next((Raw(one.payload) for one in commit.events if one.payload), None)


def check_answer(core: Core, stream: str, rules: Rules, answer: Raw) -> None:
    """Raises Refused("answer_invalid") where an answer does not fit the task's schema (M60)."""
    schema = schema_of(core, stream, rules)
    if schema is not None:
        schemas.check_answer(schema.text, answer)


# --- where hits stand ---------------------------------------------------------------------------


def placements(
    core: Core, task: Task, order: Order, values: Mapping[str, Any], number: int
) -> tuple[Placed, ...]:
    """Where a record stands in the orderings of its task."""
    return hits.places(task.orderings, order, values, number, core.manual.zone)


def places_of(core: Core, stream: str, task: Task | None = None) -> tuple[Placed, ...]:
    """Where a hit stands, or would if it were open again, in its task's present orderings."""
    hit: Hit = core.executor.read(stream).head
    present: Task = task or core.executor.read(f"task/{hit.task}").head
    return places_of_many(core, present, [(stream, hit)])[0]


def places_of_many(
    core: Core, task: Task, found: Sequence[tuple[str, Hit]]
) -> list[tuple[Placed, ...]]:
    """The same of several hits of one task: their values are read only where they matter."""
    compared = any(one.kind.comparator is not None for one in task.orderings)
    values = values_of(core, [stream for stream, _ in found]) if compared else {}
    return [
        placements(
            core,
            task,
            Order(hit.hit_order, hit.hit_order_date),
            values.get(stream, {}),
            hit.number,
        )
        for stream, hit in found
    ]


def values_of(core: Core, streams: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """The values of hits, as comparators read them; none where they were purged."""
    commits = core.store.commits_at([(stream, 1) for stream in streams]) if streams else {}
    found: dict[str, Mapping[str, Any]] = {}
    for stream in streams:
        created: Commit | None = commits.get((stream, 1))
        text = created.payload() if created is not None else None
        found[stream] = columns.values(columns.split(text)[0]) if text is not None else {}
    return found


def place_again(core: Core, stream: str) -> None:
    """See that an open hit stands where its task's order wants it (M43).

    Whoever placed one looks again: the order may have changed since it was read.
    """
    while True:
        hit: Hit | None = core.executor.read(stream).head
        if hit is None or hit.state != OPEN:
            return
        task: Task = core.executor.read(f"task/{hit.task}").head
        if is_placed(task, hit):
            return
        put(core, stream, places_of(core, stream, task))


def is_placed(task: Task, hit: Hit) -> bool:
    """Whether a hit stands in all orderings of its task, as far as it waits."""
    there = {one.ordering for one in hit.places}
    return hit.state != OPEN or all(one.version in there for one in task.orderings)


def put(core: Core, stream: str, places: Sequence[Placed]) -> Result:
    """Place an open hit there; whoever meets it meanwhile is taken along."""
    new = tuple(place_thing(one.ordering) for one in places)
    return on_all(core, stream, "system", partial(hit_commands.place, places=places), new)


# --- loads --------------------------------------------------------------------------------------


def is_complete(core: Core, load: str) -> bool:
    """Whether all hits of a load (26 characters) are there, strongly read (M54)."""
    if load in core.complete_loads:
        return True
    at = (f"load/{load}", HEAD)
    found: Load | None = core.executor.state(core.store.rows([at]).get(at))
    complete = found is not None and found.completed_at is not None
    if complete:
        core.complete_loads.add(load)
    return complete


def after(core: Core, commit: Commit, states: Mapping[str, Any]) -> dict[str, Any]:
    """The states of a stream after one more of its commits."""
    return fold.after(core.executor.aggregates[keys.kind(commit.stream)], commit, states)
