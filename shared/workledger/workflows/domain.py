"""A domain of executions and types: its settings and tags (W25). Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.views import order
from workledger.views.row import Standing

REGISTERED_EVENT = "DomainRegistered"
DEPRECATED_EVENT = "DomainDeprecated"
UNDEPRECATED_EVENT = "DomainUndeprecated"
TAGGED_EVENT = "DomainTagged"

REGISTERED, DEPRECATED = "REGISTERED", "DEPRECATED"
MOST_TAGS = 50

PURGED_BY = "purge"
"""The row by which a purge finds a domain; it says what never changes: its name, its retention."""


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain; `tags` in the order in which they came."""

    scope: str
    name: str
    description: str | None
    retention: str
    status: str
    tags: dict[str, str]


def unknown(name: str) -> Refused:
    """The fault for a domain that is not there (1.2)."""
    return Refused("UnknownResourceFault", f"Unknown domain: {name}")


def register(seen: Seen, new: Domain) -> list[Event]:
    """Register a domain. Raises DomainAlreadyExistsFault, TooManyTagsFault."""
    if seen.head is not None:
        raise Refused("DomainAlreadyExistsFault", new.name)
    _few_tags(new.tags)
    return [Event(REGISTERED_EVENT, asdict(new), (PURGED_BY, HEAD))]


def deprecate(seen: Seen, name: str) -> list[Event]:
    """Deprecate a domain. Raises UnknownResourceFault, DomainDeprecatedFault."""
    domain = _known(seen, name)
    if domain.status == DEPRECATED:
        raise Refused("DomainDeprecatedFault", name)
    return [Event(DEPRECATED_EVENT)]


def undeprecate(seen: Seen, name: str) -> list[Event]:
    """Register a deprecated domain again. Raises UnknownResourceFault, DomainAlreadyExistsFault."""
    domain = _known(seen, name)
    if domain.status == REGISTERED:
        raise Refused("DomainAlreadyExistsFault", name)
    return [Event(UNDEPRECATED_EVENT)]


def tag(seen: Seen, name: str, new: Mapping[str, str], without: set[str]) -> list[Event]:
    """Add tags and take others away. Raises UnknownResourceFault, TooManyTagsFault."""
    domain = _known(seen, name)
    kept = {key: value for key, value in domain.tags.items() if key not in without}
    tags = {**kept, **new}
    _few_tags(tags)
    return [Event(TAGGED_EVENT, {"tags": tags})] if tags != domain.tags else []


def _few_tags(tags: Mapping[str, str]) -> None:
    if len(tags) > MOST_TAGS:
        raise Refused("TooManyTagsFault", f"a domain has at most {MOST_TAGS} tags")


def _known(seen: Seen, name: str) -> Domain:
    domain: Domain | None = seen.head
    if domain is None:
        raise unknown(name)
    return domain


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Domain | None) -> Domain:
    """The domain after an event."""
    if event.type == REGISTERED_EVENT:
        return Domain(**event.data)
    if head is None:
        raise ValueError(f"{event.type} on no domain: {commit.stream}")
    if event.type == TAGGED_EVENT:
        return replace(head, tags=event.data["tags"])
    statuses = {DEPRECATED_EVENT: DEPRECATED, UNDEPRECATED_EVENT: REGISTERED}
    return replace(head, status=statuses[event.type])


def place(stream: str, thing: str, state: Domain) -> Standing:
    """Domains of one status by name; all there are, for the purge."""
    if thing == PURGED_BY:
        return Standing(order.by_name(keys.ALL_DOMAINS_LINE, f"{state.scope}\n{state.name}"))
    return Standing(order.by_name(keys.domains_line(state.scope, state.status), state.name))


def dump(state: Domain) -> dict[str, Any]:
    """The state as a JSON value."""
    return asdict(state)


def load(stored: dict[str, Any]) -> Domain:
    """The state from its JSON value."""
    return Domain(**stored)
