"""A keyed add or load: its numbers, then its answer (Q83). Pure.

Its stream has no rows: it is read from the ledger itself.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workledger.errors import Refused
from workledger.ledger.commit import Commit, Event

STARTED = "LoadStarted"
ANSWERED = "LoadAnswered"


@dataclass(frozen=True, slots=True)
class AddedItem:
    """What became of one entry: the item it made, or the one that has its reference (Q12)."""

    index: int
    id: str
    created: bool
    status: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a queue's counter gave a load: entry i has number `first + i`, all one date."""

    first: int
    date: str


def started(body_hash: str, numbers: Numbers, count: int) -> Event:
    """The first event: what the load is, and the numbers it keeps whoever carries it on."""
    return Event(
        STARTED,
        {"body": body_hash, "first": numbers.first, "date": numbers.date, "count": count},
    )


def answered(items: Sequence[AddedItem]) -> Event:
    """The last event: the answer that every repeat gets."""
    text = json.dumps([[one.id, int(one.created), one.status] for one in items])
    return Event(ANSWERED, {"count": len(items)}, payload=text)


def numbers_of(first: Commit, body_hash: str) -> Numbers:
    """The numbers of a started load. Raises Refused("key_reused") for another body."""
    data = first.events[0].data
    if data["body"] != body_hash:
        raise Refused(
            "key_reused",
            "this Idempotency-Key was used for another body: use a new key for a new load",
            field="Idempotency-Key",
        )
    return Numbers(data["first"], data["date"])


def answer_of(last: Commit) -> list[AddedItem]:
    """The answer of a finished load."""
    stored = json.loads(last.payload() or "[]")
    return [
        AddedItem(index, item, bool(created), status)
        for index, (item, created, status) in enumerate(stored)
    ]
