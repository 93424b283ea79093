"""Business processes: made, shown, changed; what travels through them (M13)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.manual import common, loading, moving, travelled, travelling
from workledger.manual.loading import LoadShown
from workledger.manual.travelled import Row
from workledger.manual.travelling import RecordShown
from workledger.manual_tasks import process_commands, process_sent, task_commands
from workledger.manual_tasks.load import REQUEST_SECONDS
from workledger.manual_tasks.process import Process
from workledger.manual_tasks.records import Records
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
        return process_sent.routes(self.process.definition.start)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps as on the wire, a manual one with its task's name or id."""
        return process_sent.steps(self.process.definition)


@dataclass(frozen=True, slots=True)
class Found:
    """A process: its id, its stream, its state."""

    id: str
    stream: str
    process: Process


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
    definition = process_sent.parse(start, steps, partial(_find_task, core))
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
    definition = process_sent.parse(
        process_sent.routes(old.start) if start is None else start,
        process_sent.steps(old) if steps is None else steps,
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


# --- loads --------------------------------------------------------------------------------------


def load(
    core: Core,
    actor: str,
    process: str,
    records: Records,
    key: str | None,
    body: str,
    started: str,
    *,
    seconds: float = REQUEST_SECONDS,
) -> LoadShown:
    """Load records into a process; `started` is the process's start for undated ones (M2).

    All or nothing, together, once for each key, as a task's load (M54, M55). Records follow the
    process as it is now. Raises Refused: process_not_found, key_reused, invalid_records.
    """
    found = find(core, process)
    for task in found.process.definition.tasks:
        _see_columns(core, actor, f"task/{task}", records.columns)
    target = loading.Target(found.id, found.process.version)
    return loading.into(core, actor, target, records, key, body, started, seconds=seconds)


def _see_columns(core: Core, actor: str, task: str, columns: Sequence[str]) -> None:
    """A comparator may name the columns of what comes through a process (M43)."""
    known = set(core.executor.read(task).head.columns)
    if any(one not in known for one in columns):
        decide = partial(task_commands.see_columns, columns=columns)
        core.executor.run(core.command(task, actor, decide))


def loads(core: Core, process: str, cursor: str | None, limit: int) -> Page[LoadShown]:
    """The loads of a process, the newest first.

    Raises Refused: process_not_found, invalid_query.
    """
    return loading.page_of(core, keys.bare(find(core, process).stream), cursor, limit)


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
    return Page([travelled.row(one) for one in shown.items], shown.next_cursor)
