"""A workflow or activity type: immutable, with the defaults of what it starts (W25, 1.5). Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.views import order
from workledger.views.row import NOWHERE, Standing
from workledger.workflows.settings import TypeInfo

REGISTERED_EVENT = "TypeRegistered"
DEPRECATED_EVENT = "TypeDeprecated"
UNDEPRECATED_EVENT = "TypeUndeprecated"
DELETED_EVENT = "TypeDeleted"

REGISTERED, DEPRECATED, DELETED = "REGISTERED", "DEPRECATED", "DELETED"

Kind = Literal["workflow", "activity"]


@dataclass(frozen=True, slots=True)
class Type:
    """One version of a type; `defaults` under the service's own names."""

    scope: str
    domain: str
    kind: Kind
    name: str
    version: str
    description: str | None
    defaults: dict[str, Any]
    created_at: str
    deprecated_at: str | None = None
    status: str = REGISTERED

    @property
    def info(self) -> TypeInfo:
        """What starting something of this type needs to know."""
        return TypeInfo(self.status != REGISTERED, self.defaults)


@dataclass(frozen=True, slots=True)
class Named:
    """A type as it is named."""

    kind: Kind
    name: str
    version: str

    def shown(self) -> str:
        """As the service's messages write it (1.2)."""
        kind = "WorkflowType" if self.kind == "workflow" else "ActivityType"
        return f"{kind}=[name={self.name}, version={self.version}]"


def unknown(named: Named) -> Refused:
    """The fault for a type that is not there."""
    return Refused("UnknownResourceFault", f"Unknown type: {named.shown()}")


def register(seen: Seen, new: Type) -> list[Event]:
    """Register a type. Raises TypeAlreadyExistsFault, also when it is deprecated (1.5)."""
    old: Type | None = seen.head
    if old is not None and old.status != DELETED:
        raise Refused("TypeAlreadyExistsFault", Named(new.kind, new.name, new.version).shown())
    members = asdict(new)
    kept = ("scope", "domain", "kind", "name", "version", "description", "defaults")
    return [Event(REGISTERED_EVENT, {name: members[name] for name in kept})]


def deprecate(seen: Seen, named: Named) -> list[Event]:
    """Deprecate a type. Raises UnknownResourceFault, TypeDeprecatedFault."""
    if _known(seen, named).status == DEPRECATED:
        raise Refused("TypeDeprecatedFault", named.shown())
    return [Event(DEPRECATED_EVENT)]


def undeprecate(seen: Seen, named: Named) -> list[Event]:
    """Register a deprecated type again. Raises UnknownResourceFault, TypeAlreadyExistsFault."""
    if _known(seen, named).status == REGISTERED:
        raise Refused("TypeAlreadyExistsFault", named.shown())
    return [Event(UNDEPRECATED_EVENT)]


def delete(seen: Seen, named: Named) -> list[Event]:
    """Delete a deprecated type. Raises UnknownResourceFault, TypeNotDeprecatedFault."""
    if _known(seen, named).status == REGISTERED:
        raise Refused(
            "TypeNotDeprecatedFault",
            "The type is currently registered and cannot be deleted in its current state",
        )
    return [Event(DELETED_EVENT)]


def _known(seen: Seen, named: Named) -> Type:
    found: Type | None = seen.head
    if found is None or found.status == DELETED:
        raise unknown(named)
    return found


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Type | None) -> Type:
    """The type after an event."""
    if event.type == REGISTERED_EVENT:
        members: Mapping[str, Any] = event.data
        return Type(**members, created_at=commit.at)
    if head is None:
        raise ValueError(f"{event.type} on no type: {commit.stream}")
    if event.type == DEPRECATED_EVENT:
        return replace(head, status=DEPRECATED, deprecated_at=commit.at)
    if event.type == UNDEPRECATED_EVENT:
        return replace(head, status=REGISTERED, deprecated_at=None)
    return replace(head, status=DELETED)


def place(stream: str, thing: str, state: Type) -> Standing:
    """Types of one domain, kind and status, by name and version."""
    if state.status == DELETED:
        return NOWHERE
    line = keys.types_line(state.scope, state.domain, state.kind, state.status)
    return Standing(order.by_name(line, f"{state.name}\n{state.version}"))


def dump(state: Type) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(state)


def load(stored: dict[str, Any]) -> Type:
    """The state from its JSON value."""
    return Type(**stored)
