"""A work item: what can happen to it, and where it stands. Pure.

A stream holds all items that ever bore one reference in one queue generation, one after the other
as generations: a failed or deleted item frees its reference, and the next one is a generation more
(Q30, Q32). The newest is the head row; an older one keeps a row of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workledger.keys import HEAD, digest, generation_thing, item_id, queue_line
from workledger.ledger.commit import Commit, Event
from workledger.views import order
from workledger.views.row import NOWHERE, Keys, Standing

# --- events: stored names, never to be renamed -------------------------------------------------

ADDED = "ItemAdded"
READY = "ItemReady"
TAKEN = "ItemTaken"
COMPLETED = "ItemCompleted"
PUT_BACK = "ItemPutBack"
FAILED = "ItemFailed"
REQUEUED = "ItemRequeued"
CHANGED = "ItemChanged"
DELETED = "ItemDeleted"
RESTORED = "ItemRestored"

# --- state --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waiting:
    """New: waiting to be taken, not before a moment if it is deferred."""

    not_before: str | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """In progress: taken by a run at a moment; `claim` is the number of the commit that took it."""

    run: str
    claim: int
    since: str


@dataclass(frozen=True, slots=True)
class Completed:
    """Completed; `result` is the number of the commit whose payload is the result, 0 for none."""

    at: str
    result: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Failed for good, with the reason shown as its outcome."""

    at: str
    reason: str


Live = Waiting | Held | Completed | Failed


@dataclass(frozen=True, slots=True)
class Deleted:
    """Deleted; `was` is what a restore brings back."""

    at: str
    was: Live


Status = Live | Deleted

NAMES: Mapping[type[Status], str] = {
    Waiting: "new",
    Held: "inProgress",
    Completed: "completed",
    Failed: "failed",
    Deleted: "deleted",
}
LINES: Mapping[str, tuple[str, ...]] = {
    "new": ("new", "deferred"),
    "inProgress": ("in_progress",),
    "completed": ("completed",),
    "failed": ("failed",),
}
"""Status on the wire -> the lines of a queue on which its items stand."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item. `added` is the number of the commit that bears its data.

    `arrived` and `number` are the queue's (Q20), `attempt` counts the rounds (Q24), `size` is that
    of the data in bytes. `closing` is (claim, digest) of the last call that ended a round, so that
    its exact repeat is known (Q43).
    """

    queue: str
    generation: int
    number: int
    reference: str | None
    priority: int
    arrived: str
    added_by: str
    added: int
    due: str | None
    attempt: int
    size: int
    status: Status
    closing: tuple[int, str] | None = None

    @property
    def occupies(self) -> bool:
        """Whether it keeps its reference from being added again (Q30, Q32)."""
        return isinstance(self.status, Waiting | Held | Completed)

    @property
    def run(self) -> str | None:
        """The run that holds it."""
        return self.status.run if isinstance(self.status, Held) else None

    def holds(self, claim: int) -> bool:
        """Whether it is held by this claim."""
        return isinstance(self.status, Held) and self.status.claim == claim

    @property
    def status_name(self) -> str:
        """The status as it is on the wire."""
        return NAMES[type(self.status)]


def evolve(thing: str, item: Item | None, event: Event, commit: Commit, head: Item | None) -> Any:
    """The item after an event; a superseded generation's row is the head as it was."""
    if event.type == ADDED:
        return _added(event, commit) if thing == HEAD else head
    if item is None:
        raise ValueError(f"{event.type} on no item: {commit.stream} {thing}")
    return _AFTER[event.type](item, event.data, commit)


def _added(event: Event, commit: Commit) -> Item:
    data = event.data
    return Item(
        queue=data["queue"],
        generation=data["generation"],
        number=data["number"],
        reference=data.get("reference"),
        priority=data["priority"],
        arrived=data["arrived"],
        added_by=commit.actor,
        added=commit.number,
        due=data.get("due"),
        attempt=0,
        size=data["size"],
        status=Waiting(data.get("notBefore")),
    )


Data = Mapping[str, Any]


def _taken(item: Item, data: Data, commit: Commit) -> Item:
    held = Held(data["run"], commit.number, commit.at)
    return replace(item, status=held, attempt=item.attempt + 1)


def _completed(item: Item, data: Data, commit: Commit) -> Item:
    return _closed(item, data, Completed(commit.at, commit.number if data["result"] else 0))


def _put_back(item: Item, data: Data, _: Commit) -> Item:
    return _closed(item, data, Waiting(data.get("notBefore")))


def _failed(item: Item, data: Data, commit: Commit) -> Item:
    return _closed(item, data, Failed(commit.at, data["reason"]))


def _closed(item: Item, data: Data, status: Live) -> Item:
    return replace(item, status=status, closing=(data["claim"], data["digest"]))


def _changed(item: Item, data: Data, _: Commit) -> Item:
    waiting = Waiting(data.get("notBefore"))
    return replace(item, priority=data["priority"], due=data.get("due"), status=waiting)


def _live(item: Item) -> Live:
    return item.status.was if isinstance(item.status, Deleted) else item.status


_AFTER: Mapping[str, Callable[[Item, Data, Commit], Item]] = {
    READY: lambda item, _, __: replace(item, status=Waiting()),
    TAKEN: _taken,
    COMPLETED: _completed,
    PUT_BACK: _put_back,
    FAILED: _failed,
    REQUEUED: lambda item, _, __: replace(item, status=Waiting(), attempt=0),
    CHANGED: _changed,
    DELETED: lambda item, _, commit: replace(item, status=Deleted(commit.at, _live(item))),
    RESTORED: lambda item, _, __: replace(item, status=_live(item)),
}


# --- where it stands ----------------------------------------------------------------------------


def place(stream: str, thing: str, item: Item) -> Standing:
    """One line a status; a deleted item stands on none and is in no index."""
    tie = item_id(stream, item.generation)
    keys = Keys(item.queue, item.number, item.reference)
    match item.status:
        case Waiting(None):
            line = queue_line(item.queue, "new")
            where = order.by_priority(line, item.priority, item.arrived, item.number, tie)
            return Standing(where, keys)
        case Waiting(str(not_before)):
            line = queue_line(item.queue, "deferred")
            return Standing(order.by_date(line, not_before, item.number, tie), keys, not_before)
        case Held(run, _, since):
            line = queue_line(item.queue, "in_progress")
            held = keys._replace(run=run)
            return Standing(order.by_date(line, since, item.number, tie), held)
        case Completed(at, _):
            line = queue_line(item.queue, "completed")
            return Standing(order.by_date(line, at, item.number, tie), keys)
        case Failed(at, _):
            line = queue_line(item.queue, "failed")
            return Standing(order.by_date(line, at, item.number, tie), keys)
        case _:
            return NOWHERE


def ready_place(stream: str, item: Item) -> order.Place:
    """The place on the ready line that a deferred item will have."""
    line = queue_line(item.queue, "new")
    tie = item_id(stream, item.generation)
    return order.by_priority(line, item.priority, item.arrived, item.number, tie)


# --- stored form: short keys, since a row of up to 1 KB is one write unit -----------------------

_STATUS: Mapping[str, type[Live]] = {"w": Waiting, "h": Held, "c": Completed, "f": Failed}
_LETTER: Mapping[type[Live], str] = {kind: letter for letter, kind in _STATUS.items()}


def dump(item: Item) -> dict[str, Any]:
    """The state as a JSON value."""
    stored: dict[str, Any] = {
        "q": item.queue,
        "g": item.generation,
        "n": item.number,
        "p": item.priority,
        "a": item.arrived,
        "b": item.added_by,
        "d": item.added,
        "t": item.attempt,
        "z": item.size,
        "s": _dump_status(item.status),
    }
    if item.reference is not None:
        stored["r"] = item.reference
    if item.due is not None:
        stored["u"] = item.due
    if item.closing is not None:
        stored["l"] = list(item.closing)
    return stored


def _dump_status(status: Status) -> list[Any]:
    match status:
        case Waiting(not_before):
            return ["w", not_before]
        case Held(run, claim, since):
            return ["h", run, claim, since]
        case Completed(at, result):
            return ["c", at, result]
        case Failed(at, reason):
            return ["f", at, reason]
        case Deleted(at, was):
            return ["x", at, _dump_status(was)]


def _load_status(stored: list[Any]) -> Status:
    if stored[0] == "x":
        return Deleted(stored[1], _load_live(stored[2]))
    return _load_live(stored)


def _load_live(stored: list[Any]) -> Live:
    return _STATUS[stored[0]](*stored[1:])


def load(stored: dict[str, Any]) -> Item:
    """The state from its JSON value."""
    closing = stored.get("l")
    return Item(
        stored["q"],
        stored["g"],
        stored["n"],
        stored.get("r"),
        stored["p"],
        stored["a"],
        stored["b"],
        stored["d"],
        stored.get("u"),
        stored["t"],
        stored["z"],
        _load_status(stored["s"]),
        (closing[0], closing[1]) if closing else None,
    )


def superseded_thing(item: Item) -> str:
    """The row an item gets when the next generation takes the head."""
    return generation_thing(item.generation)


def closing_digest(*parts: str) -> str:
    """What tells an exact repeat of a closing call from a different one (Q43)."""
    return digest(*parts)[:12]
