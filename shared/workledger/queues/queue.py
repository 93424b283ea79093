"""A queue: its settings and its generations. Pure.

A stream holds all queues that ever bore one name. Deleting ends a generation; creating the name
again begins the next one, empty (Q5). Every change stands in the audit log (Q6) by a row of its
own.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD, generation_thing, queue_id
from workledger.ledger import audit
from workledger.ledger.aggregate import Seen
from workledger.ledger.audit import Entry
from workledger.ledger.commit import Commit, Event
from workledger.times import seconds_between
from workledger.views import order
from workledger.views.row import NOWHERE, Standing

CREATED = "QueueCreated"
CHANGED = "QueueChanged"
DELETED = "QueueDeleted"
RESTORED = "QueueRestored"

NAME_LENGTH = 128

RESTORE_DAYS = 30
"""How long a deleted queue, with all its items, can be restored (Q95)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be changed about a queue."""

    description: str = ""
    retries: int = 0
    retry_delay_seconds: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Queue:
    """One generation of a queue. `version` counts its settings, for If-Match (Q4)."""

    name: str
    generation: int
    settings: Settings
    created_at: str
    created_by: str
    changed_at: str
    version: int = 1
    deleted_at: str | None = None


def clean_name(name: str) -> str:
    """The name as it is kept: trimmed, NFC (Q2). Raises Refused("invalid_value")."""
    text = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(text) <= NAME_LENGTH:
        raise _bad_name(f"a queue's name has 1 to {NAME_LENGTH} characters, this one {len(text)}")
    if not text.isprintable():
        raise _bad_name("a queue's name has printable characters only")
    if keys.queue_of(text) or keys.item_of(text) or keys.is_run_id(text):
        raise _bad_name("a queue's name may not have the form of an id")
    return text


def _bad_name(detail: str) -> Refused:
    return Refused("invalid_value", detail, field="name")


# --- commands -----------------------------------------------------------------------------------


def create(seen: Seen, name: str, settings: Settings, command: str) -> list[Event]:
    """Create a queue, or the next generation of a deleted one. Raises Refused("queue_exists")."""
    old: Queue | None = seen.head
    if old is not None and old.deleted_at is None:
        raise Refused("queue_exists", f"a queue named {name!r} exists already", field="name")
    generation = old.generation + 1 if old else 1
    data = {"name": name, "generation": generation, **asdict(settings)}
    superseded = (generation_thing(old.generation),) if old else ()
    return [Event(CREATED, data, (*superseded, keys.audit_thing(command), HEAD))]


def change(
    seen: Seen, generation: int, version: int, new: Mapping[str, Any], command: str
) -> list[Event]:
    """Change settings, based on a version (Q4). Raises queue_not_found, version_mismatch."""
    queue = _live(seen, generation)
    _same_version(queue, version)
    settings = replace(queue.settings, **new)
    if settings == queue.settings:
        return []
    return [Event(CHANGED, asdict(settings), (keys.audit_thing(command), HEAD))]


def delete(seen: Seen, generation: int, version: int | None, command: str) -> list[Event]:
    """Delete a queue with all its items (Q5). Raises queue_not_found, version_mismatch."""
    queue = _live(seen, generation)
    if version is not None:
        _same_version(queue, version)
    return [Event(DELETED, {}, (keys.audit_thing(command), HEAD))]


def restore(seen: Seen, generation: int | None, now: str, command: str) -> list[Event]:
    """Undo a delete within RESTORE_DAYS: the queue comes back with all its items (Q95).

    Nothing when the queue is live. Raises Refused: queue_not_found, queue_exists when its name is
    taken again, too_late.
    """
    queue: Queue | None = seen.head
    if queue is None or (generation or 0) > queue.generation:
        raise not_found(queue_id(seen.stream, generation or 1))
    if generation not in (None, queue.generation):
        raise Refused(
            "queue_exists",
            f"a queue named {queue.name!r} was made since: only the newest one can be restored",
        )
    if queue.deleted_at is None:
        return []
    if seconds_between(queue.deleted_at, now) > RESTORE_DAYS * 86_400:
        raise Refused("too_late", f"the queue was deleted more than {RESTORE_DAYS} days ago")
    return [Event(RESTORED, asdict(queue.settings), (keys.audit_thing(command), HEAD))]


def live(seen: Seen, generation: int | None = None) -> Queue | None:
    """The queue of a generation (any, when None) if it is not deleted."""
    queue: Queue | None = seen.head
    if queue is None or queue.deleted_at is not None:
        return None
    return queue if generation in (None, queue.generation) else None


def not_found(queue: str) -> Refused:
    """The refusal for a name or id that no live queue has (Q5)."""
    return Refused("queue_not_found", f"there is no queue {queue!r}", queue=queue)


def _live(seen: Seen, generation: int) -> Queue:
    queue = live(seen, generation)
    if queue is None:
        raise not_found(queue_id(seen.stream, generation))
    return queue


def _same_version(queue: Queue, version: int) -> None:
    if queue.version != version:
        raise Refused(
            "version_mismatch",
            f"the queue is at version {queue.version}, your change is based on {version}: "
            "read it again, then send your change again",
            field="If-Match",
        )


# --- state and place ----------------------------------------------------------------------------


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Queue | None) -> Any:
    """The queue, a superseded generation of it, or an audit entry after an event."""
    if thing == HEAD:
        return _evolve(head, event, commit)
    if thing.startswith("audit/"):
        return _entry(event, commit, head)
    return head if event.type == CREATED else state


def _evolve(queue: Queue | None, event: Event, commit: Commit) -> Queue:
    data = event.data
    if event.type == CREATED:
        settings = _settings(data)
        name, at = data["name"], commit.at
        return Queue(name, data["generation"], settings, at, commit.actor, at)
    if queue is None:
        raise ValueError(f"{event.type} on no queue: {commit.stream}")
    version = queue.version + 1
    if event.type == CHANGED:
        return replace(queue, settings=_settings(data), changed_at=commit.at, version=version)
    if event.type == DELETED:
        return replace(queue, deleted_at=commit.at, version=version)
    if event.type == RESTORED:
        return replace(queue, deleted_at=None, version=version)
    raise ValueError(f"no such event of a queue: {event.type}")


def _settings(data: Mapping[str, Any]) -> Settings:
    return Settings(
        data["description"], data["retries"], data["retry_delay_seconds"], data["paused"]
    )


def _entry(event: Event, commit: Commit, head: Queue | None) -> Entry:
    before = asdict(head.settings) if head and not head.deleted_at else None
    after = asdict(_settings(event.data)) if event.type != DELETED else None
    name = event.data["name"] if event.type == CREATED else head.name if head else ""
    return audit.entry(event, commit, name, before, after)


def place(stream: str, thing: str, state: Any) -> Standing:
    """Live queues stand on one line by name; audit entries on their month's, by date."""
    if isinstance(state, Entry):
        return audit.place(stream, thing, state)
    if thing == HEAD and state.deleted_at is None:
        return Standing(order.by_name(keys.QUEUES_LINE, state.name))
    return NOWHERE


def dump(state: Queue | Entry) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(state)


def load(stored: dict[str, Any]) -> Queue | Entry:
    """The state from its JSON value."""
    if "action" in stored:
        return Entry(**stored)
    members = {name: value for name, value in stored.items() if name != "settings"}
    return Queue(settings=Settings(**stored["settings"]), **members)
