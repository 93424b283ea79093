"""A business process: steps joined by decision rules, through which records travel (M13). Pure.

The head is the process. A thing `v<n>` is a version of its definition: a record follows the one
it was loaded with, whatever changes later.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, tzinfo
from typing import Any

from workledger import keys
from workledger.keys import HEAD
from workledger.ledger import audit
from workledger.ledger.audit import Entry
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks import routing
from workledger.manual_tasks.routing import Routes
from workledger.views import order
from workledger.views.row import NOWHERE, Standing

# --- events: stored names, never to be renamed -------------------------------------------------

CREATED = "ProcessCreated"
CHANGED = "ProcessChanged"

AUDITED = (CREATED, CHANGED)

MOST_STEPS = 50
LONGEST_SECONDS = 366 * 86_400

MANUAL, TIMED, END = "manual", "timed", "end"

# --- state --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A step: `task` is the 26 characters of a manual one's, `seconds` how long a timed one takes.

    `named` is what whoever saved it called the task. An end has no `next`.
    """

    name: str
    kind: str
    next: Routes | None = None
    task: str | None = None
    named: str | None = None
    seconds: float = 0


@dataclass(frozen=True, slots=True)
class Definition:
    """How records travel: where to at first, and the steps."""

    start: Routes
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """The step of that name: it has been checked when the process was saved."""
        return next(one for one in self.steps if one.name == name)

    def after(self, step: str | None, values: Mapping[str, Any], zone: tzinfo = UTC) -> Step:
        """Where a record with these values goes to after a step (None: at the start).

        `zone` is that of dates with an offset (M53).
        """
        routes = self.start if step is None else self.step(step).next
        if routes is None:
            raise ValueError(f"{step} is an end")
        return self.step(routing.route(routes, values, zone))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of its manual steps, each once."""
        return tuple(dict.fromkeys(one.task for one in self.steps if one.task is not None))


@dataclass(frozen=True, slots=True)
class Process:
    """A business process. `version` counts its definitions: If-Match, and what records follow."""

    name: str
    definition: Definition
    created_at: str
    created_by: str
    changed_at: str
    version: int = 1


# --- after an event -----------------------------------------------------------------------------


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Process | None) -> Any:  # noqa: ARG001 (an aggregate's shape)
    """The process, a version of its definition, or an audit entry after an event."""
    data = event.data
    if thing.startswith("audit/"):
        before = {"definition": dump_definition(head.definition)} if head else None
        after = {"definition": data["definition"]}
        return audit.entry(event, commit, head.name if head else data["name"], before, after)
    definition = load_definition(data["definition"])
    if thing != HEAD:
        return definition
    if head is None:
        return Process(data["name"], definition, commit.at, commit.actor, commit.at)
    return replace(head, definition=definition, changed_at=commit.at, version=head.version + 1)


def place(stream: str, thing: str, state: Any) -> Standing:
    """Processes by name."""
    if isinstance(state, Entry):
        return audit.place(stream, thing, state)
    if isinstance(state, Process):
        return Standing(order.by_name(keys.PROCESSES_LINE, state.name))
    return NOWHERE


# --- stored form --------------------------------------------------------------------------------


def dump_definition(definition: Definition) -> dict[str, Any]:
    """The definition as in events."""
    steps = [
        {
            "name": one.name,
            "kind": one.kind,
            **({"task": one.task, "named": one.named} if one.kind == MANUAL else {}),
            **({"seconds": one.seconds} if one.kind == TIMED else {}),
            **({"next": routing.dump(one.next)} if one.next is not None else {}),
        }
        for one in definition.steps
    ]
    return {"start": routing.dump(definition.start), "steps": steps}


def load_definition(stored: Mapping[str, Any]) -> Definition:
    """The definition that `dump_definition` wrote."""
    return Definition(routing.load(stored["start"]), tuple(map(_loaded, stored["steps"])))


def _loaded(stored: Mapping[str, Any]) -> Step:
    routes = routing.load(stored["next"]) if "next" in stored else None
    task, named = stored.get("task"), stored.get("named")
    return Step(stored["name"], stored["kind"], routes, task, named, stored.get("seconds", 0))


def dump(state: Process | Definition | Entry) -> dict[str, Any]:
    """The state as a JSON value."""
    if isinstance(state, Entry):
        return asdict(state)
    if isinstance(state, Definition):
        return dump_definition(state)
    return {
        "name": state.name,
        "definition": dump_definition(state.definition),
        "created": [state.created_at, state.created_by, state.changed_at],
        "version": state.version,
    }


def load(stored: dict[str, Any]) -> Process | Definition | Entry:
    """The state from its JSON value."""
    if "action" in stored:
        return Entry(**stored)
    if "steps" in stored:
        return load_definition(stored)
    definition = load_definition(stored["definition"])
    created_at, created_by, changed_at = stored["created"]
    return Process(
        stored["name"], definition, created_at, created_by, changed_at, stored["version"]
    )
