"""What can be asked of a manual task (M40 to M44, M62). Pure."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks import ordering as orderings
from workledger.manual_tasks import task as tasks
from workledger.manual_tasks.ordering import Ordering
from workledger.manual_tasks.task import Rules, Settings, Task

NAME_LENGTH = 128
ROSTER_LENGTH = 1_000
COLUMNS = 1_000
COLUMNS_BYTES = 100_000
"""All names of columns together: they are part of the task's state."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a task is to be. `columns` are those that records are known to have.

    `schema` is the JSON text of a new schema of answers; without one `rules.schema` says which
    one stays (0: none).
    """

    settings: Settings
    rules: Rules = field(default_factory=Rules)
    columns: tuple[str, ...] = ()
    schema: str | None = None


def clean_name(name: str) -> str:
    """The name as it is kept: trimmed, NFC. Raises Refused("invalid_value")."""
    text = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(text) <= NAME_LENGTH:
        raise _bad_name(f"a task's name has 1 to {NAME_LENGTH} characters, this one {len(text)}")
    if not text.isprintable():
        raise _bad_name("a task's name has printable characters only")
    if any(keys.manual_stream(of, text) for of in ("task", "process")):
        raise _bad_name("a task's name may not have the form of an id")
    return text


def _bad_name(detail: str) -> Refused:
    return Refused("invalid_value", detail, field="name")


def not_found(task: str) -> Refused:
    """The refusal for a name or id that no task has."""
    return Refused("task_not_found", f"there is no manual task {task!r}", task=task)


def create(seen: Seen, name: str, form: Form, fifo: bool, command: str) -> list[Event]:
    """Create a task; `fifo` is core.task.queue.fifo.enabled.

    Raises Refused: task_exists, comparator_needed, invalid_value.
    """
    if seen.head is not None:
        raise Refused("task_exists", f"a task named {name!r} exists already", field="name")
    settings, schema = form.settings, form.schema
    known = tuple(dict.fromkeys(form.columns))
    _check(settings, known)
    kind = orderings.wanted(settings.dtr, settings.comparator, fifo)
    data = {
        "name": name,
        "settings": tasks.dump_settings(settings),
        "rules": {**tasks.dump_rules(form.rules), "schema": "new" if schema else 0},
        "columns": list(known),
        "ordering": orderings.dump(Ordering(1, kind)),
    }
    things = (keys.version_thing(1), keys.audit_thing(command), HEAD)
    return [Event(tasks.CREATED, data, things, schema)]


def change(seen: Seen, version: int, form: Form, fifo: bool, command: str) -> list[Event]:
    """Change settings and rules, based on a version; the whole new values are given.

    Other rules make a new version; another order re-places what waits (M41, M43).

    Raises Refused: task_not_found, version_mismatch, comparator_needed, invalid_value.
    """
    task = _same_version(_task(seen), version)
    settings, rules, schema = form.settings, form.rules, form.schema
    new = tuple(one for one in dict.fromkeys(form.columns) if one not in task.columns)
    _check(settings, (*task.columns, *new))
    ruled = schema is not None or rules != task.rules
    if settings == task.settings and not ruled and not new:
        return []
    data: dict[str, Any] = {"settings": tasks.dump_settings(settings), "columns": list(new)}
    things = (keys.audit_thing(command), HEAD)
    if ruled:
        data["rules"] = {**tasks.dump_rules(rules), "schema": "new" if schema else rules.schema}
        things = (keys.version_thing(task.hit_type + 1), *things)
    changed = Event(tasks.CHANGED, data, things, schema)
    return [changed, *_reorder(task, settings, fifo)]


def set_roster(seen: Seen, workers: Sequence[str], command: str) -> list[Event]:
    """Say who may work the task; nobody named means everybody (M62)."""
    task, roster = _task(seen), tuple(dict.fromkeys(workers))
    if len(roster) > ROSTER_LENGTH:
        detail = f"a roster has at most {ROSTER_LENGTH} workers"
        raise Refused("invalid_value", detail, field="workers")
    if roster == task.roster:
        return []
    things = (keys.audit_thing(command), HEAD)
    return [Event(tasks.ROSTER_SET, {"workers": list(roster)}, things)]


def see_columns(seen: Seen, columns: Sequence[str]) -> list[Event]:
    """Learn the columns of a load: a comparator may name them (M43). As many as there is room."""
    task = _task(seen)
    new: list[str] = []
    for one in dict.fromkeys(columns):
        if one not in task.columns and _fit((*task.columns, *new, one)):
            new.append(one)
    return [Event(tasks.COLUMNS_SEEN, {"columns": new})] if new else []


def _fit(columns: Sequence[str]) -> bool:
    """Whether a task may have so many columns, and so long ones."""
    return len(columns) <= COLUMNS and sum(len(one.encode()) for one in columns) <= COLUMNS_BYTES


def reorder(seen: Seen, fifo: bool) -> list[Event]:
    """Begin to re-place what waits where the order is not what is wanted (M40)."""
    task = _task(seen)
    return _reorder(task, task.settings, fifo)


def switch(seen: Seen, ordering: int) -> list[Event]:
    """Read the new ordering from now on: all that waits stands in it (M43)."""
    task = _task(seen)
    if task.coming is None or task.coming.version != ordering:
        return []
    return [Event(tasks.ORDERING_SWITCHED, {"ordering": ordering})]


def swept(seen: Seen, ordering: int) -> list[Event]:
    """The line of an old ordering was looked through once more."""
    if all(one.ordering != ordering for one in _task(seen).old):
        return []
    return [Event(tasks.ORDERING_SWEPT, {"ordering": ordering})]


def _reorder(task: Task, settings: Settings, fifo: bool) -> list[Event]:
    kind = orderings.wanted(settings.dtr, settings.comparator, fifo)
    if kind == task.newest.kind:
        return []
    coming = Ordering(task.newest.version + 1, kind)
    return [Event(tasks.ORDERING_CHANGED, {"ordering": orderings.dump(coming)})]


def _check(settings: Settings, columns: tuple[str, ...]) -> None:
    if not _fit(columns):
        detail = f"a task has at most {COLUMNS} columns, whose names have {COLUMNS_BYTES:,} bytes"
        raise Refused("invalid_value", detail, field="columns")
    if settings.dtr and settings.comparator is None:
        raise Refused(
            "comparator_needed",
            "dtr sorts records by the Task Comparator: send `comparator` too, or dtr false",
            field="comparator",
        )
    if settings.comparator is not None:
        comparators.check_columns(settings.comparator, columns)


def _task(seen: Seen) -> Task:
    task: Task | None = seen.head
    if task is None:
        raise not_found(keys.manual_id(seen.stream))
    return task


def _same_version(task: Task, version: int) -> Task:
    if task.version != version:
        raise Refused(
            "version_mismatch",
            f"the task is at version {task.version}, your change is based on {version}: "
            "read it again, then send your change again",
            field="If-Match",
        )
    return task
