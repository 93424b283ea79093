"""A lane of the feed: which commits were fed, in which order. Pure.

A lane is a stream like any other, so no slow writer can slip in behind a reader (Q93). Its events
name, for each stream, the commits that follow those fed before; each stream has a row in its lane
that says how far it was fed.
"""

from collections.abc import Mapping
from typing import Any

from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.views.row import NOWHERE, Standing

FED = "Fed"


def feed(seen: Seen, heads: Mapping[str, int]) -> list[Event]:
    """Feed streams up to these commit numbers; what was fed before is left out."""
    parts: dict[str, list[int]] = {}
    for stream, head in heads.items():
        fed = seen.states.get(stream) or 0
        if head > fed:
            parts[stream] = [fed + 1, head]
    return [Event(FED, {"streams": parts}, (*parts, HEAD))] if parts else []


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Any) -> int:
    """How far a stream was fed; for the head, how many commits the lane has."""
    return commit.number if thing == HEAD else event.data["streams"][thing][1]


def place(stream: str, thing: str, state: Any) -> Standing:
    """A lane's rows stand nowhere."""
    return NOWHERE


def dump(state: int) -> int:
    """The state as a JSON value."""
    return state


def load(stored: int) -> int:
    """The state from its JSON value."""
    return stored
