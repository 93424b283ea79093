"""An access token: who its owner is, which role it has, until when. Pure.

Only a hash of the secret is kept: the token is shown once, when it is made.
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

ISSUED = "TokenIssued"
REVOKED = "TokenRevoked"

TOKENS_LINE = "tokens#0"


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `secret_hash` is hex SHA-256 of the secret part."""

    owner: str
    role: str
    secret_hash: str
    issued_at: str
    issued_by: str
    expires_at: str | None = None
    revoked_at: str | None = None

    def valid(self, now: str) -> bool:
        """Whether it opens the door at this moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def issue(
    seen: Seen, owner: str, role: str, secret_hash: str, expires_at: str | None, command: str
) -> list[Event]:
    """Issue a token."""
    if seen.head is not None:
        return []
    data = {"owner": owner, "role": role, "secretHash": secret_hash, "expiresAt": expires_at}
    return [Event(ISSUED, data, (keys.audit_thing(command), HEAD))]


def revoke(seen: Seen, command: str) -> list[Event]:
    """Revoke a token for good; nothing when it is revoked. Raises Refused("token_not_found")."""
    token: Token | None = seen.head
    if token is None:
        raise Refused("token_not_found", "there is no such token")
    return [] if token.revoked_at else [Event(REVOKED, {}, (keys.audit_thing(command), HEAD))]


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Token | None) -> Any:
    """The token, or an audit entry about it, after an event."""
    if thing != HEAD:
        return _entry(event, commit, head)
    data = event.data
    if event.type == ISSUED:
        return Token(
            data["owner"],
            data["role"],
            data["secretHash"],
            commit.at,
            commit.actor,
            data["expiresAt"],
        )
    if head is None or event.type != REVOKED:
        raise ValueError(f"no such event of a token: {event.type} {state}")
    return replace(head, revoked_at=commit.at)


def _entry(event: Event, commit: Commit, head: Token | None) -> Entry:
    subject = commit.stream.removeprefix("token/")
    if event.type == ISSUED:
        after = {name: event.data[name] for name in ("owner", "role", "expiresAt")}
        return audit.entry(event, commit, subject, None, after)
    before = {"owner": head.owner, "role": head.role} if head else None
    return audit.entry(event, commit, subject, before, None)


def place(stream: str, thing: str, state: Any) -> Standing:
    """Tokens stand on one line by owner; audit entries on their month's."""
    if isinstance(state, Entry):
        return audit.place(stream, thing, state)
    return Standing(order.by_date(TOKENS_LINE, state.issued_at, 0, stream))


def dump(state: Token | Entry) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(state)


def load(stored: dict[str, Any]) -> Token | Entry:
    """The state from its JSON value."""
    return Entry(**stored) if "action" in stored else Token(**stored)
