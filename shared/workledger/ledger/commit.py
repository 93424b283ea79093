"""Events and commits: what is written once and never changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workledger.keys import HEAD


@dataclass(frozen=True, slots=True)
class Event:
    """One fact. `things` names every row it touches, so that a row can be finished by anybody.

    `data` is small and holds all that a row or a place needs. `payload` is JSON text kept in an
    attribute of its own, which may be removed later without losing the trail; a long one of a
    stream with many things stands elsewhere in the ledger, at `chunk` (see `spill`).
    """

    type: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    things: tuple[str, ...] = (HEAD,)
    payload: str | None = None
    version: int = 1
    chunk: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """All the events of one command: one row of the ledger, keyed (stream, number).

    `number` is gapless from 1. `id` is the command's: whoever finds its own id where its put was
    refused has succeeded. `at` is the moment, `actor` who asked.
    """

    stream: str
    number: int
    id: str
    at: str
    actor: str
    events: tuple[Event, ...]

    def payload(self, index: int = 0) -> str | None:
        """The payload of one event, None when it has none or it was purged."""
        return self.events[index].payload
