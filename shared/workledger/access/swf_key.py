"""An access key of the SWF service: whose it is, which domains, reading or writing (W30). Pure.

The secret is kept sealed: whoever verifies a signature needs it, so a hash would not do. It is
shown once, when it is made.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger import audit
from workledger.ledger.aggregate import Seen
from workledger.ledger.audit import Entry
from workledger.ledger.commit import Commit, Event
from workledger.views import order
from workledger.views.row import Standing

ISSUED = "SwfKeyIssued"
REVOKED = "SwfKeyRevoked"

KEYS_LINE = "swf-keys#0"


@dataclass(frozen=True, slots=True)
class SwfKey:
    """One key. `domains` are all it may touch, None: any; without `writes` it only looks."""

    owner: str
    domains: tuple[str, ...] | None
    writes: bool
    sealed: str
    issued_at: str
    issued_by: str
    revoked_at: str | None = None

    def covers(self, domain: str | None) -> bool:
        """Whether it is good for a domain; None: for what is not about one."""
        return self.domains is None or domain in self.domains


@dataclass(frozen=True, slots=True)
class Grant:
    """What a new key is good for."""

    owner: str
    domains: tuple[str, ...] | None
    writes: bool


def issue(seen: Seen, grant: Grant, sealed: str, command: str) -> list[Event]:
    """Issue a key."""
    if seen.head is not None:
        return []
    domains = list(grant.domains) if grant.domains is not None else None
    data = {"owner": grant.owner, "domains": domains, "writes": grant.writes, "sealed": sealed}
    return [Event(ISSUED, data, (keys.audit_thing(command), HEAD))]


def revoke(seen: Seen, command: str) -> list[Event]:
    """Revoke a key for good; nothing when it is revoked. Raises Refused("key_not_found")."""
    key: SwfKey | None = seen.head
    if key is None:
        raise Refused("key_not_found", "there is no such key")
    return [] if key.revoked_at else [Event(REVOKED, {}, (keys.audit_thing(command), HEAD))]


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: SwfKey | None) -> Any:
    """The key, or an audit entry about it, after an event."""
    if thing != HEAD:
        return _entry(event, commit, head)
    data = event.data
    if event.type == ISSUED:
        domains = data["domains"]
        return SwfKey(
            data["owner"],
            tuple(domains) if domains is not None else None,
            data["writes"],
            data["sealed"],
            commit.at,
            commit.actor,
        )
    if head is None or event.type != REVOKED:
        raise ValueError(f"no such event of a key: {event.type} {state}")
    return replace(head, revoked_at=commit.at)


def _entry(event: Event, commit: Commit, head: SwfKey | None) -> Entry:
    subject = commit.stream.removeprefix("key/")
    if event.type == ISSUED:
        after = {name: event.data[name] for name in ("owner", "domains", "writes")}
        return audit.entry(event, commit, subject, None, after)
    before = {"owner": head.owner} if head else None
    return audit.entry(event, commit, subject, before, None)


def place(stream: str, thing: str, state: Any) -> Standing:
    """Keys stand on one line by date; audit entries on their month's."""
    if isinstance(state, Entry):
        return audit.place(stream, thing, state)
    return Standing(order.by_date(KEYS_LINE, state.issued_at, 0, stream))


def dump(state: SwfKey | Entry) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(state)


def load(stored: dict[str, Any]) -> SwfKey | Entry:
    """The state from its JSON value."""
    if "action" in stored:
        return Entry(**stored)
    key = SwfKey(**stored)
    return key if key.domains is None else replace(key, domains=tuple(key.domains))
