"""Manual tasks: create, show, list, change; who may work them (M40 to M44, M62)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.jsontext import Raw
from workledger.keys import HEAD, hits_line
from workledger.manual import common, reordering, schemas
from workledger.manual.common import Found
from workledger.manual.reordering import Progress
from workledger.manual_tasks import answers, task_commands
from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks.task import Rules, Settings, Task
from workledger.manual_tasks.task_commands import Form
from workledger.service import histories, paging
from workledger.service.core import Core, EventShown, Page
from workledger.times import plus

COUNT_LIMIT = 10_000
"""On a store whose lines lag, a line is counted up to here."""

COUNTED: Mapping[str, tuple[str, ...]] = {
    "waiting": ("waiting", "timed"),
    "held": ("held",),
    "unresolved": ("unresolved",),
    "done": ("done",),
}
"""Which lines a task's hits of a status stand on."""

REORDER_SECONDS = 2
"""For so long whoever changes a task's order goes on with it; then the timekeeper does."""

SETTINGS = ("description", "priority", "dtr", "sla_seconds", "paused", "archived")
RULES = ("instructions", "deadline_seconds")


@dataclass(frozen=True, slots=True)
class TaskShown:
    """A task as people see it. `progress` is that of a change of its order, if it changes."""

    id: str
    task: Task
    schema: Raw | None
    counts: Mapping[str, int]
    progress: Progress | None


def find(core: Core, task: str) -> Found:
    """The task of a name or id. Raises Refused("task_not_found")."""
    return common.find_task(core, task)


def create(core: Core, actor: str, name: str, values: Mapping[str, Any]) -> TaskShown:
    """Create a task of the values that were sent, by the names of Settings and Rules.

    `adjudication`, `comparator` are as on the wire, `answer_schema` a Raw, `columns` a list. Raises
    Refused: invalid_value, comparator_needed, task_exists.
    """
    name = task_commands.clean_name(name)
    form = _form(values, Settings(), Rules())
    command, stream = core.new_id(), keys.task_stream(name)
    fifo = core.manual.fifo
    decide = partial(task_commands.create, name=name, form=form, fifo=fifo, command=command)
    result = core.executor.run(core.command(stream, actor, decide, command=command))
    return _shown(core, Found(keys.manual_id(stream), stream, result.head))


def show(core: Core, task: str) -> TaskShown:
    """A task as it is. Raises Refused("task_not_found")."""
    return _shown(core, find(core, task))


def page(core: Core, name: str | None, cursor: str | None, limit: int) -> Page[TaskShown]:
    """Tasks by priority, then name, archived ones last; with `name`, exactly that one (M44)."""
    if name is not None:
        try:
            found = find(core, name)
        except Refused:
            return Page([])
        return Page([_shown(core, found)] if found.task.name == name else [])
    met = _page(core, cursor, limit)
    rows = core.store.rows([(stream, HEAD) for stream, _ in met]) if met else {}
    shown: list[TaskShown] = []
    for stream, _ in met:
        task: Task | None = core.executor.state(rows.get((stream, HEAD)))
        if task is not None:
            task = common.reordered(core, stream, task)
            shown.append(_shown(core, Found(keys.manual_id(stream), stream, task)))
    return Page(shown, met[-1][1] if len(met) == limit else None)


LINES = (keys.TASKS_LINE, keys.ARCHIVED_TASKS_LINE)


def _page(core: Core, cursor: str | None, limit: int) -> list[tuple[str, str]]:
    """(stream, the cursor beyond it) of tasks that are worked, then of archived ones."""
    first, after = 0, None
    if cursor is not None:
        first, *parts = paging.decode(cursor, int, *paging.SPOT)
        if first not in range(len(LINES)):
            raise Refused("invalid_query", "this cursor is of another list", field="cursor")
        after = paging.spot(parts)
    met: list[tuple[str, str]] = []
    for number in range(first, len(LINES)):
        if len(met) < limit:
            wanted = limit - len(met)
            spots = core.store.read_line(LINES[number], after=after, limit=wanted)
            met += [(one.stream, paging.encode(number, *one)) for one in spots]
        after = None
    return met


def change(core: Core, actor: str, task: str, version: int, values: Mapping[str, Any]) -> TaskShown:
    """Change what was sent, based on a version; what is left out stays as it is.

    Other rules make a new version, which later loads follow. Another order re-places what waits:
    a little of it at once, the rest by the timekeeper (M41, M43). Raises Refused: task_not_found,
    version_mismatch, invalid_value, comparator_needed.
    """
    found = find(core, task)
    form = _form(values, found.task.settings, found.task.rules, _schema_of(core, found))
    command = core.new_id()
    decide = partial(
        task_commands.change,
        version=version,
        form=form,
        fifo=core.manual.fifo,
        command=command,
    )
    result = core.executor.run(core.command(found.stream, actor, decide, command=command))
    changed: Task = result.head
    if result.commit is not None and changed.coming is not None:
        changed = _reorder_some(core, found.stream) or changed
    return _shown(core, replace(found, task=changed))


def _reorder_some(core: Core, stream: str) -> Task | None:
    """The change stands whatever the store says now."""
    with suppress(StoreError):
        return reordering.carry_on(core, stream, plus(core.clock(), REORDER_SECONDS))
    return None


def set_roster(core: Core, actor: str, task: str, workers: Sequence[str]) -> TaskShown:
    """Say who may work a task; nobody named means everybody (M62).

    Raises Refused: task_not_found, invalid_value.
    """
    found = find(core, task)
    command = core.new_id()
    decide = partial(task_commands.set_roster, workers=workers, command=command)
    result = core.executor.run(core.command(found.stream, actor, decide, command=command))
    return _shown(core, replace(found, task=result.head))


def history(core: Core, task: str, cursor: str | None, limit: int) -> Page[EventShown]:
    """Every event of a task, oldest first."""
    return histories.page(core, find(core, task).stream, cursor, limit)


# --- what was sent ------------------------------------------------------------------------------


def _form(
    values: Mapping[str, Any], settings: Settings, rules: Rules, known: Raw | None = None
) -> Form:
    """The whole of what a task is to be: what was sent, over what is. `known`: its schema."""
    sent = {name: values[name] for name in SETTINGS if name in values}
    if "comparator" in values:
        told = values["comparator"]
        sent["comparator"] = comparators.parse(told) if told is not None else None
    ruled = {name: values[name] for name in RULES if name in values}
    if "adjudication" in values:
        told = values["adjudication"]
        ruled["adjudication"] = answers.parse(told if told is not None else {})
    schema = None
    if "answer_schema" in values:
        schema, kept = _schema(values["answer_schema"], known)
        ruled["schema"] = rules.schema if kept else 0
    return Form(
        replace(settings, **sent),
        replace(rules, **ruled),
        tuple(values.get("columns") or ()),
        schema,
    )


def _schema(sent: Raw | None, known: Raw | None) -> tuple[str | None, bool]:
    """(the text of a new schema, whether the one that is there stays)."""
    if sent is None or sent.text.strip() == "null":
        return None, False
    if known is not None and known.text == sent.text:
        return None, True
    schemas.check_schema(sent)
    return sent.text, False


# --- what is shown ------------------------------------------------------------------------------


def _schema_of(core: Core, found: Found) -> Raw | None:
    return common.schema_of(core, found.stream, found.task.rules)


def _shown(core: Core, found: Found) -> TaskShown:
    bare = keys.bare(found.stream)
    return TaskShown(
        found.id,
        found.task,
        _schema_of(core, found),
        counts(core, bare),
        reordering.progress(core, found.stream, found.task),
    )


def counts(core: Core, task: str) -> dict[str, int]:
    """A task's hits by status (its 26 characters): their lines, counted.

    What somebody holds too long is held until the timekeeper has seen it, a second later or so.
    """
    lines = [hits_line(task, lane) for lanes in COUNTED.values() for lane in lanes]
    limit = COUNT_LIMIT if core.store.lag else 1 << 60
    reads = [partial(core.store.count_line, line, limit) for line in lines]
    counted = dict(zip(lines, core.store.together(reads), strict=True))
    return {
        status: sum(counted[hits_line(task, lane)] for lane in lanes)
        for status, lanes in COUNTED.items()
    }
