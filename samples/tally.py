"""What a file of invoices implies, and what the ledger says: two counts that share no code.

Plain Python and SQL: the ledger is a table that anybody can read.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any


@dataclass
class Tally:
    """Numbers, and how each invoice ended, by reference: `completed` or `failed`."""

    added: int = 0
    skipped: int = 0
    completed: int = 0
    failed: int = 0
    retried: int = 0
    taken_twice: int = 0
    endings: dict[str, str] = field(default_factory=dict)


def implied(text: str) -> Tally:
    """What must become of the entries if all are added before the first is worked."""
    tally = Tally()
    for entry in json.loads(text, parse_float=Decimal):
        if entry["reference"] in tally.endings:
            tally.skipped += 1
            continue
        tally.added += 1
        invoice = entry["data"]
        tally.retried += "simulate" in invoice
        adds_up = invoice["net"] + invoice["tax"] == invoice["total"]
        tally.completed += adds_up
        tally.failed += not adds_up
        tally.endings[entry["reference"]] = "completed" if adds_up else "failed"
    return tally


def recounted(file: Path) -> Tally:
    """What the ledger of a SQLite file says, event by event."""
    ledger = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    tally = Tally()
    rows = ledger.execute("SELECT stream, events, payload FROM ledger ORDER BY stream, n")
    streams: dict[str, _Stream] = {}
    for name, events, payload in rows:
        stream = streams.setdefault(name, _Stream())
        for index, event in enumerate(json.loads(events)):
            stream.count(tally, event)
            if event["type"] == "LoadAnswered":
                tally.skipped += _not_created(json.loads(payload)[str(index)])
    ledger.close()
    return tally


def _not_created(answer: str) -> int:
    """How many entries of a load became no item."""
    return sum(not created for _, created, _ in json.loads(answer))


@dataclass
class _Stream:
    """The events of one stream, as far as they were read."""

    reference: str = ""
    held: bool = False

    def count(self, tally: Tally, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "ItemAdded":
                self.reference = event["data"]["reference"]
                tally.added += 1
            case "ItemTaken":
                tally.taken_twice += self.held
                self.held = True
            case "ItemPutBack":
                self.held = False
                tally.retried += 1
            case "ItemCompleted":
                self.held = False
                tally.completed += 1
                tally.endings[self.reference] = "completed"
            case "ItemFailed":
                self.held = False
                tally.failed += 1
                tally.endings[self.reference] = "failed"


def unequal(one: Mapping[str, str], other: Mapping[str, str]) -> Iterable[str]:
    """The references whose endings differ."""
    return sorted(at for at in one.keys() | other.keys() if one.get(at) != other.get(at))
