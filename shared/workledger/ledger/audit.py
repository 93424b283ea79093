"""A line of the audit log: a thing of the stream it is about (Q6). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workledger.keys import audit_line
from workledger.ledger.commit import Commit, Event
from workledger.views import order
from workledger.views.row import Standing


@dataclass(frozen=True, slots=True)
class Entry:
    """Who did what to what, and how it was before and after; never a secret."""

    at: str
    actor: str
    action: str
    subject: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def entry(
    event: Event,
    commit: Commit,
    subject: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> Entry:
    """The entry of an event."""
    return Entry(commit.at, commit.actor, event.type, subject, before, after)


def place(stream: str, thing: str, entry: Entry) -> Standing:
    """Entries stand on the line of their month, by date."""
    return Standing(order.by_date(audit_line(entry.at[:7]), entry.at, 0, f"{stream}/{thing}"))
