"""Business processes: made, shown, changed; what travels through them (M13)."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.manual import common, moving, travelling
from workledger.manual.travelling import RecordShown
from workledger.manual_tasks import process as rules
from workledger.manual_tasks import process_commands, routing, task_commands
from workledger.manual_tasks.columns import ORDER_COLUMN
from workledger.manual_tasks.process import MANUAL, TIMED, Definition, Process
from workledger.service import histories, paging
from workledger.service.core import Core, EventShown, Page


@dataclass(frozen=True, slots=True)
class ProcessShown:
    """A process: its id, and its definition as it was sent."""

    id: str
    process: Process

    @property
    def start(self) -> Any:
        """The start's routes as on the wire."""
        return wire_routes(self.process.definition.start)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps as on the wire, a manual one with its task's name or id."""
        return wire_steps(self.process.definition)


@dataclass(frozen=True, slots=True)
class Found:
    """A process: its id, its stream, its state."""

    id: str
    stream: str
    process: Process


@dataclass(frozen=True, slots=True)
class Given:
    """What was decided at a manual step."""

    step: str
    hit: str
    by: str


@dataclass(frozen=True, slots=True)
class Row:
    """A record's result: its columns with its order, what was decided, where it is."""

    record: str
    index: int
    load: str
    columns: dict[str, Any]
    status: str
    step: str
    answers: tuple[Given, ...]
    finished_at: str | None


def wire_routes(routes: routing.Routes) -> Any:
    """Routes as on the wire: a step's name where there are no rules."""
    return routing.dump(routes) if routes.rules else routes.otherwise


def wire_steps(definition: Definition) -> list[dict[str, Any]]:
    """Steps as on the wire."""
    return [
        {
            "name": one.name,
            "kind": one.kind,
            **({"task": one.named} if one.kind == MANUAL else {}),
            **({"seconds": one.seconds} if one.kind == TIMED else {}),
            **({"next": wire_routes(one.next)} if one.next is not None else {}),
        }
        for one in definition.steps
    ]


# --- processes ----------------------------------------------------------------------------------


def locate(process: str) -> str:
    """The stream of a process's id or name. Raises Refused("process_not_found")."""
    stream = keys.manual_stream("process", process)
    if stream is not None:
        return stream
    try:
        return keys.process_stream(process_commands.clean_name(process))
    except Refused as refused:
        raise process_commands.not_found(process) from refused


def find(core: Core, process: str) -> Found:
    """The process of a name or id. Raises Refused("process_not_found")."""
    stream = locate(process)
    seen = fold.seen(core.executor.aggregates, stream, core.store.load(stream))
    head: Process | None = seen.head or core.executor.read(stream).head
    if head is None:
        raise process_commands.not_found(process)
    return Found(keys.manual_id(stream), stream, head)


def create(core: Core, actor: str, name: str, start: Any, steps: Any) -> ProcessShown:
    """Make a process of JSON values. Raises Refused: process_exists, invalid_value."""
    name = process_commands.clean_name(name)
    definition = rules.parse(start, steps, partial(_find_task, core))
    command, stream = core.new_id(), keys.process_stream(name)
    decide = partial(process_commands.create, name=name, definition=definition, command=command)
    result = core.executor.run(core.command(stream, actor, decide, command=command))
    return ProcessShown(keys.manual_id(stream), result.head)


def show(core: Core, process: str) -> ProcessShown:
    """A process as it is. Raises Refused("process_not_found")."""
    found = find(core, process)
    return ProcessShown(found.id, found.process)


def page(core: Core, name: str | None, cursor: str | None, limit: int) -> Page[ProcessShown]:
    """Processes by name; with `name`, exactly that one."""
    if name is not None:
        try:
            one = show(core, name)
        except Refused:
            return Page([])
        return Page([one] if one.process.name == name else [])
    after = paging.spot(paging.decode(cursor, *paging.SPOT)) if cursor else None
    spots = core.store.read_line(keys.PROCESSES_LINE, after=after, limit=limit)
    rows = core.store.rows([(one.stream, keys.HEAD) for one in spots])
    heads = [core.executor.state(rows.get((one.stream, keys.HEAD))) for one in spots]
    shown = [
        ProcessShown(keys.manual_id(one.stream), head)
        for one, head in zip(spots, heads, strict=True)
        if head is not None
    ]
    return Page(shown, paging.encode(*spots[-1]) if len(spots) == limit else None)


def change(
    core: Core, actor: str, process: str, version: int, start: Any = None, steps: Any = None
) -> ProcessShown:
    """Give a process another start or other steps (None: as they are), based on a version.

    A new version: records on their way follow the one they were loaded with. Raises Refused:
    process_not_found, version_mismatch, invalid_value.
    """
    found = find(core, process)
    old = found.process.definition
    definition = rules.parse(
        wire_routes(old.start) if start is None else start,
        wire_steps(old) if steps is None else steps,
        partial(_find_task, core),
    )
    command = core.new_id()
    decide = partial(
        process_commands.change, version=version, definition=definition, command=command
    )
    result = core.executor.run(core.command(found.stream, actor, decide, command=command))
    return ProcessShown(found.id, result.head)


def history(core: Core, process: str, cursor: str | None, limit: int) -> Page[EventShown]:
    """Every event of a process."""
    return histories.page(core, find(core, process).stream, cursor, limit)


def _find_task(core: Core, task: str) -> str | None:
    stream = keys.manual_stream("task", task)
    try:
        stream = stream or keys.task_stream(task_commands.clean_name(task))
    except Refused:
        return None
    return keys.bare(stream) if core.executor.read(stream).head is not None else None


# --- records ------------------------------------------------------------------------------------


def records(
    core: Core,
    process: str,
    load: str | None,
    step: str | None,
    cursor: str | None,
    limit: int,
) -> Page[RecordShown]:
    """Records of a process, of one load, at one step now.

    Raises Refused: process_not_found, load_not_found, invalid_query.
    """
    found = find(core, process)
    moving.settle(core)
    return travelling.page(core, found.stream, load, step, cursor, limit)


def record(core: Core, record_id: str) -> RecordShown:
    """One record. Raises Refused("record_not_found")."""
    moving.settle(core)
    stream = keys.manual_stream("record", record_id)
    head = core.executor.read(stream).head if stream is not None else None
    if stream is None or head is None or not common.is_complete(core, head.load):
        raise travelling.not_found(record_id)
    return travelling.show_many(core, [(stream, head)])[0]


def record_history(core: Core, record_id: str, cursor: str | None, limit: int) -> Page[EventShown]:
    """Every event of a record: routing is one (M13). Raises Refused("record_not_found")."""
    shown = record(core, record_id)
    return histories.page(core, f"record/{shown.id[2:]}", cursor, limit)


def results(
    core: Core, process: str, load: str | None, cursor: str | None, limit: int
) -> Page[Row]:
    """A row for each record: the original columns, `_sys_record_order`, the steps' results.

    Raises Refused: process_not_found, load_not_found, invalid_query.
    """
    shown = records(core, process, load, None, cursor, limit)
    return Page([_row(one) for one in shown.items], shown.next_cursor)


def _row(one: RecordShown) -> Row:
    own = one.record
    answers = tuple(Given(each.step, f"h_{each.hit}", each.by) for each in own.answers)
    return Row(
        record=one.id,
        index=own.index,
        load=f"l_{own.load}",
        columns={**one.content.columns, ORDER_COLUMN: one.custom_attributes},
        status=one.status,
        step=one.step,
        answers=answers,
        finished_at=own.finished_at,
    )
