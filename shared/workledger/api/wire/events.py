"""Events, explanations and audit entries on the wire (Q90, Q91, Q93, Q6)."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from workledger.api.wire.base import AnyJson, At
from workledger.jsontext import Raw
from workledger.ledger.audit import Entry
from workledger.service.core import EventShown
from workledger.service.explaining import Explanation as Explained


class Event(TypedDict):
    """One event: what happened, when, by whom, and where it stands in the ledger."""

    stream: str
    commit: Annotated[int, Field(description="Gapless per stream, from 1.")]
    index: Annotated[int, Field(description="Within the commit, from 0.")]
    type: Annotated[str, Field(examples=["ItemTaken"])]
    version: int
    at: At
    actor: str
    cause: Annotated[str, Field(description="The id of the command.")]
    data: dict[str, Any]
    payload: NotRequired[AnyJson]


class Explanation(TypedDict):
    """Why an item stands where it stands, or why it was taken when it was (Q90)."""

    id: str
    status: str
    place: Annotated[int | None, Field(description="1 is next.")]
    of: int | None
    higherPriority: int | None
    earlier: int | None
    exact: Annotated[bool, Field(description="false beyond 1,000.")]
    text: str


class AuditEntry(TypedDict):
    """A change of a queue or of access (Q6)."""

    at: At
    actor: str
    action: str
    subject: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


UNTOLD = ("secretHash",)
"""Of a token's event: no secret, but nobody's business either."""


def _members(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Stored members by their names on the wire."""
    return {to_camel(name): of for name, of in stored.items() if name not in UNTOLD}


def event(shown: EventShown) -> Event:
    """An event as it is answered."""
    answer = Event(
        stream=shown.stream,
        commit=shown.commit,
        index=shown.index,
        type=shown.event.type,
        version=shown.event.version,
        at=shown.at,
        actor=shown.actor,
        cause=shown.cause,
        data=_members(shown.event.data),
    )
    if shown.event.payload is not None:
        answer["payload"] = Raw(shown.event.payload)
    return answer


def explanation(of: Explained) -> Explanation:
    """An explanation as it is answered."""
    return Explanation(
        id=of.id,
        status=of.status,
        place=of.place,
        of=of.of,
        higherPriority=of.higher_priority,
        earlier=of.earlier,
        exact=of.exact,
        text=of.text,
    )


def audit_entry(of: Entry) -> AuditEntry:
    """An audit entry as it is answered."""
    return AuditEntry(
        at=of.at,
        actor=of.actor,
        action=of.action,
        subject=of.subject,
        before=_members(of.before) if of.before is not None else None,
        after=_members(of.after) if of.after is not None else None,
    )
