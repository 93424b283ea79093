"""A manual task: its settings, its versions (hit types), who may work it, its order. Pure.

The head is the task. A thing `v<n>` is a version: what people do with a record from its loading on.
A change of that makes a new version, which only later loads follow; all versions share one list.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workledger import keys
from workledger.keys import HEAD
from workledger.ledger import audit
from workledger.ledger.audit import Entry
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks import ordering as orderings
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.comparator import Comparator
from workledger.manual_tasks.ordering import Ordering
from workledger.times import plus
from workledger.views import order
from workledger.views.row import NOWHERE, Standing

# --- events: stored names, never to be renamed -------------------------------------------------

CREATED = "TaskCreated"
CHANGED = "TaskChanged"
ROSTER_SET = "RosterSet"
COLUMNS_SEEN = "ColumnsSeen"
ORDERING_CHANGED = "OrderingChanged"
ORDERING_SWITCHED = "OrderingSwitched"
ORDERING_SWEPT = "OrderingSwept"

AUDITED = (CREATED, CHANGED, ROSTER_SET)

SECOND_PASS_SECONDS = 30
"""After a switch the old line is looked through once more: its index may lag."""

# --- state --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be changed and touches no record that waits, its order apart.

    `priority` orders tasks for whoever asks for any work, higher first, never records (M44).
    """

    description: str = ""
    priority: int = 0
    dtr: bool = False
    comparator: Comparator | None = None
    sla_seconds: int | None = None
    paused: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """A version: what people do with a record. `schema` is the commit whose payload it is, or 0."""

    instructions: str = ""
    deadline_seconds: int = 3_600
    adjudication: Adjudication = field(default_factory=lambda: Adjudication(1, 0, ()))
    schema: int = 0


@dataclass(frozen=True, slots=True)
class Old:
    """An ordering that is read no more, since a moment: its line is looked through once more."""

    ordering: int
    since: str


@dataclass(frozen=True, slots=True)
class Task:
    """A manual task. `version` counts all changes (If-Match), `hit_type` those of the rules.

    `coming` is the ordering that is being filled while `current` is read.
    """

    name: str
    settings: Settings
    rules: Rules
    current: Ordering
    created_at: str
    created_by: str
    changed_at: str
    coming: Ordering | None = None
    old: tuple[Old, ...] = ()
    columns: tuple[str, ...] = ()
    roster: tuple[str, ...] = ()
    version: int = 1
    hit_type: int = 1

    @property
    def orderings(self) -> tuple[Ordering, ...]:
        """Those in which a hit is to be placed."""
        return (self.current, self.coming) if self.coming else (self.current,)

    @property
    def newest(self) -> Ordering:
        """The ordering that is read, or will be."""
        return self.coming or self.current

    def may_work(self, worker: str) -> bool:
        """Whether a worker is on the roster; an empty one means everybody (M62)."""
        return not self.roster or worker in self.roster


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Task | None) -> Any:  # noqa: ARG001 (an aggregate's shape)
    """The task, a version or an audit entry after an event."""
    if thing == HEAD:
        return _evolve(head, event, commit)
    if thing.startswith("audit/"):
        return _entry(event, commit, head)
    return _rules(event.data["rules"], commit)


def _evolve(task: Task | None, event: Event, commit: Commit) -> Task:
    data = event.data
    if event.type == CREATED:
        return Task(
            name=data["name"],
            settings=load_settings(data["settings"]),
            rules=_rules(data["rules"], commit),
            current=orderings.load(data["ordering"]),
            created_at=commit.at,
            created_by=commit.actor,
            changed_at=commit.at,
            columns=tuple(data["columns"]),
        )
    if task is None:
        raise ValueError(f"{event.type} on no task: {commit.stream}")
    return _after(task, event, commit)


def _after(task: Task, event: Event, commit: Commit) -> Task:
    data = event.data
    match event.type:
        case "TaskChanged":
            return _changed(task, data, commit)
        case "RosterSet":
            roster = tuple(data["workers"])
            return replace(task, roster=roster, version=task.version + 1, changed_at=commit.at)
        case "ColumnsSeen":
            return replace(task, columns=(*task.columns, *data["columns"]))
        case "OrderingChanged":
            return replace(task, coming=orderings.load(data["ordering"]))
        case "OrderingSwitched":
            old = Old(task.current.version, commit.at)
            return replace(task, current=task.newest, coming=None, old=(*task.old, old))
        case "OrderingSwept":
            kept = tuple(one for one in task.old if one.ordering != data["ordering"])
            return replace(task, old=kept)
        case _:
            raise ValueError(f"no such event of a task: {event.type}")


def _changed(task: Task, data: Mapping[str, Any], commit: Commit) -> Task:
    new = data.get("rules")
    return replace(
        task,
        settings=load_settings(data["settings"]),
        rules=_rules(new, commit) if new else task.rules,
        hit_type=task.hit_type + 1 if new else task.hit_type,
        columns=(*task.columns, *data["columns"]),
        version=task.version + 1,
        changed_at=commit.at,
    )


def _rules(data: Mapping[str, Any], commit: Commit) -> Rules:
    """Rules as an event tells them: a schema that is new is the commit's own payload."""
    schema = commit.number if data["schema"] == "new" else data["schema"]
    return load_rules({**data, "schema": schema})


def _entry(event: Event, commit: Commit, head: Task | None) -> Entry:
    data = event.data
    name = head.name if head else data["name"]
    if event.type == ROSTER_SET:
        before: Mapping[str, Any] | None = {"workers": list(head.roster)} if head else None
        return audit.entry(event, commit, name, before, data)
    before = _audited(head) if head else None
    after: Mapping[str, Any] = {"settings": data["settings"], "rules": data.get("rules") or {}}
    return audit.entry(event, commit, name, before, after)


def _audited(task: Task) -> Mapping[str, Any]:
    return {"settings": dump_settings(task.settings), "rules": dump_rules(task.rules)}


# --- where it stands ----------------------------------------------------------------------------


def place(stream: str, thing: str, state: Any) -> Standing:
    """Tasks by priority, then name (M44); archived ones apart; due while the order changes."""
    if isinstance(state, Entry):
        return audit.place(stream, thing, state)
    if isinstance(state, Rules):
        return NOWHERE
    task: Task = state
    archived = task.settings.archived
    line = keys.ARCHIVED_TASKS_LINE if archived else keys.TASKS_LINE
    where = order.by_rank_and_name(line, task.settings.priority, task.name)
    return Standing(where, due=due(task))


def due(task: Task) -> str | None:
    """When the order needs attention: at once while it changes, once more after a switch."""
    if task.coming is not None:
        return task.created_at
    return min((plus(one.since, SECOND_PASS_SECONDS) for one in task.old), default=None)


# --- stored form --------------------------------------------------------------------------------


def dump_settings(settings: Settings) -> dict[str, Any]:
    """The settings as a JSON value."""
    comparator = settings.comparator
    fields = comparators.dump(comparator) if comparator is not None else None
    return {**asdict(replace(settings, comparator=None)), "comparator": fields}


def load_settings(stored: Mapping[str, Any]) -> Settings:
    """The settings from their JSON value."""
    fields = stored["comparator"]
    comparator = comparators.load(fields) if fields is not None else None
    told: dict[str, Any] = {**stored, "comparator": comparator}
    return Settings(**told)


def dump_rules(rules: Rules) -> dict[str, Any]:
    """The rules as a JSON value."""
    one = rules.adjudication
    adjudication = [one.answers, one.more, list(one.fields)]
    return {
        "instructions": rules.instructions,
        "deadline": rules.deadline_seconds,
        "adjudication": adjudication,
        "schema": rules.schema,
    }


def load_rules(stored: Mapping[str, Any]) -> Rules:
    """The rules from their JSON value."""
    answers, more, fields = stored["adjudication"]
    adjudication = Adjudication(answers, more, tuple(fields))
    return Rules(stored["instructions"], stored["deadline"], adjudication, stored["schema"])


def dump(state: Task | Rules | Entry) -> dict[str, Any]:
    """The state as a JSON value."""
    if isinstance(state, Entry):
        return asdict(state)
    if isinstance(state, Rules):
        return dump_rules(state)
    return {
        "name": state.name,
        "settings": dump_settings(state.settings),
        "rules": dump_rules(state.rules),
        "current": orderings.dump(state.current),
        "coming": orderings.dump(state.coming) if state.coming else None,
        "old": [[one.ordering, one.since] for one in state.old],
        "columns": list(state.columns),
        "roster": list(state.roster),
        "version": state.version,
        "hitType": state.hit_type,
        "created": [state.created_at, state.created_by, state.changed_at],
    }


def load(stored: dict[str, Any]) -> Task | Rules | Entry:
    """The state from its JSON value."""
    if "action" in stored:
        return Entry(**stored)
    if "deadline" in stored:
        return load_rules(stored)
    coming = stored["coming"]
    created_at, created_by, changed_at = stored["created"]
    return Task(
        name=stored["name"],
        settings=load_settings(stored["settings"]),
        rules=load_rules(stored["rules"]),
        current=orderings.load(stored["current"]),
        created_at=created_at,
        created_by=created_by,
        changed_at=changed_at,
        coming=orderings.load(coming) if coming else None,
        old=tuple(Old(*one) for one in stored["old"]),
        columns=tuple(stored["columns"]),
        roster=tuple(stored["roster"]),
        version=stored["version"],
        hit_type=stored["hitType"],
    )
