"""A load: one start of a manual task or business process over a list of records. Pure.

Its records are read and checked whole before it starts. They are kept with its first commit, so
that whoever finds it half done can go on; nobody sees its hits before it is complete (M54).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.times import plus
from workledger.views import order
from workledger.views.row import Standing

STARTED = "LoadStarted"
COMPLETED = "LoadCompleted"

REQUEST_SECONDS = 20
"""For so long the request that began a load goes on with it; then the timekeeper does (M54)."""


@dataclass(frozen=True, slots=True)
class Load:
    """A load. `owner` is the id of the task or process, `version` the task's hit type.

    `ordering` is the newest of the task's orderings when it started (0 in a process), `first` the
    number of its first hit among the task's, `body` the hash of what was sent, `chunks` where the
    records stand in the ledger, each with how many there are.
    """

    owner: str
    version: int
    ordering: int
    count: int
    first: int
    body: str
    columns: tuple[str, ...]
    report: Mapping[str, int]
    chunks: tuple[tuple[str, int], ...]
    started_at: str
    started_by: str
    completed_at: str | None = None


def start(seen: Seen, data: Mapping[str, Any]) -> list[Event]:
    """Start a load; nothing when it was started before with the same body (M55).

    `data` has owner, version, ordering, count, first, body, columns, report, chunks. Raises
    key_reused.
    """
    load: Load | None = seen.head
    if load is None:
        return [Event(STARTED, data)]
    same(load, data["body"])
    return []


def same(load: Load, body: str) -> None:
    """Raises Refused("key_reused") where a load was started with another body."""
    if load.body != body:
        raise Refused(
            "key_reused",
            "this Idempotency-Key was used for another body: use a new key for a new load",
            field="Idempotency-Key",
        )


def complete(seen: Seen) -> list[Event]:
    """Make all hits of the load visible, at once (M54)."""
    load: Load | None = seen.head
    return [] if load is None or load.completed_at else [Event(COMPLETED)]


def evolve(thing: str, state: Load | None, event: Event, commit: Commit, head: Any) -> Load:  # noqa: ARG001 (an aggregate's shape)
    """The load after an event."""
    data = event.data
    if event.type == STARTED:
        return Load(
            data["owner"],
            data["version"],
            data["ordering"],
            data["count"],
            data["first"],
            data["body"],
            tuple(data["columns"]),
            data["report"],
            _chunks(data["chunks"]),
            commit.at,
            commit.actor,
        )
    if state is None:
        raise ValueError(f"{event.type} on no load: {commit.stream}")
    return replace(state, completed_at=commit.at)


def place(stream: str, thing: str, load: Load) -> Standing:  # noqa: ARG001 (an aggregate's shape)
    """The loads of a task or process, by start."""
    owner = load.owner.partition("_")[2]
    where = order.by_date(keys.loads_line(owner), load.started_at, load.first, keys.bare(stream))
    return Standing(where, due=due(load))


def due(load: Load) -> str | None:
    """When somebody else goes on with it: after the time of the request that began it."""
    return plus(load.started_at, REQUEST_SECONDS) if load.completed_at is None else None


def _chunks(stored: Sequence[Any]) -> tuple[tuple[str, int], ...]:
    return tuple((stream, count) for stream, count in stored)


def dump(load: Load) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(load)


def load(stored: dict[str, Any]) -> Load:
    """The state from its JSON value."""
    told: dict[str, Any] = {
        **stored,
        "columns": tuple(stored["columns"]),
        "chunks": _chunks(stored["chunks"]),
    }
    return Load(**told)
