"""Writes to try a store with."""

from typing import Any

from workledger.keys import HEAD
from workledger.ledger.commit import Commit, Event
from workledger.stores.port import Write
from workledger.views.order import Place
from workledger.views.row import NO_KEYS, Keys, Row

AT = "2026-03-11T10:15:55.935Z"
LINE = "q_a.1/new#0"


def commit(stream: str, number: int = 1, **changes: Any) -> Commit:
    """A commit of one event."""
    event = Event(
        changes.pop("type", "Happened"), {"n": number}, (HEAD,), changes.pop("payload", None)
    )
    fields = {"id": f"c{number}", "at": AT, "actor": "ada", "events": (event,)} | changes
    return Commit(stream, number, **fields)


def row(
    stream: str,
    number: int = 1,
    thing: str = HEAD,
    place: Place | None = None,
    keys: Keys = NO_KEYS,
    state: str = "{}",
) -> Row:
    """A row."""
    return Row(stream, thing, number, state, place, keys)


def standing(seq: int, line: str = LINE, rank: int = 0, date: str = AT, tie: str = "t") -> Place:
    """A place on a line."""
    return Place(line, rank, date, seq, f"{tie}{seq}")


def added(
    stream: str,
    number: int = 1,
    *,
    place: Place | None = None,
    keys: Keys = NO_KEYS,
    due: str | None = None,
    others: tuple[Row, ...] = (),
) -> Write:
    """A commit with its rows, the head last."""
    head = row(stream, number, HEAD, place, keys)
    return Write(commit(stream, number), (*others, head), due)
