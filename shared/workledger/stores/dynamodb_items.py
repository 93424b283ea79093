"""Stored form of rows and commits on DynamoDB: item <-> Row, item <-> Commit.

Attribute names are forever: they stand in every item and in the tables' keys (see `tables`).
JSON stays text, so that the service's numbers never touch it. What is absent is left out: an index
leaves out rows that lack one of its attributes.
"""

from collections.abc import Mapping
from typing import Any

from workledger.keys import DUE, due_line, due_shard
from workledger.ledger.codec import decode, encode, payloads
from workledger.ledger.commit import Commit
from workledger.views.order import Place, Spot
from workledger.views.row import Keys, Row

Item = dict[str, dict[str, Any]]
"""Attribute name -> {type: value}."""

_PLACE = {"line": "S", "rank": "N", "date": "S", "seq": "N", "tie": "S"}
_KEYS = {"queue": "S", "number": "N", "ref": "S", "run": "S"}


def text(value: str) -> dict[str, str]:
    """A string attribute."""
    return {"S": value}


def number(value: int) -> dict[str, str]:
    """A number attribute."""
    return {"N": str(value)}


def row_key(stream: str, thing: str) -> Item:
    """The key of a row in the views table."""
    return {"stream": text(stream), "thing": text(thing)}


def commit_key(stream: str, commit: int) -> Item:
    """The key of a commit in the ledger table."""
    return {"stream": text(stream), "n": number(commit)}


def plain(item: Mapping[str, Mapping[str, Any]], name: str) -> Any:
    """The Python value of a text or number attribute; None when it is absent."""
    attribute = item.get(name)
    if attribute is None:
        return None
    return int(attribute["N"]) if "N" in attribute else attribute["S"]


def row_item(row: Row) -> Item:
    """The item of a row."""
    item = row_key(row.stream, row.thing)
    item |= {"n": number(row.commit), "state": text(row.state)}
    if row.place is not None:
        item |= _present(row.place, _PLACE)
    return item | _present(row.keys, _KEYS)


def row_of(item: Item) -> Row:
    """The row of an item."""
    place = Place(*(plain(item, name) for name in _PLACE)) if "line" in item else None
    keys = Keys(*(plain(item, name) for name in _KEYS))
    stream, thing = plain(item, "stream"), plain(item, "thing")
    return Row(stream, thing, plain(item, "n"), plain(item, "state"), place, keys)


def _present(values: tuple[Any, ...], types: Mapping[str, str]) -> Item:
    named = zip(types.items(), values, strict=True)
    return {name: {type_: str(value)} for (name, type_), value in named if value is not None}


def commit_item(commit: Commit) -> Item:
    """The item of a commit; payloads stand in a map of their own, by event index."""
    item = commit_key(commit.stream, commit.number) | {
        "id": text(commit.id),
        "at": text(commit.at),
        "actor": text(commit.actor),
        "events": text(encode(commit.events)),
    }
    kept = payloads(commit.events)
    if kept:
        item["payload"] = {"M": {index: text(payload) for index, payload in kept.items()}}
    return item


def commit_of(item: Item) -> Commit:
    """The commit of an item. Raises NewerShape for an event of a newer deployment."""
    stored: dict[str, dict[str, str]] = item.get("payload", {"M": {}})["M"]
    events = decode(plain(item, "events"), {index: kept["S"] for index, kept in stored.items()})
    stream, commit = plain(item, "stream"), plain(item, "n")
    return Commit(
        stream, commit, plain(item, "id"), plain(item, "at"), plain(item, "actor"), events
    )


def spot_of(item: Item) -> Spot:
    """Where a row was met on a line."""
    return Spot(*(plain(item, name) for name in Spot._fields))


def spot_key(line: str, spot: Spot) -> Item:
    """Where a read of a line goes on: the index's keys and the table's."""
    place = Place(line, spot.rank, spot.date, spot.seq, spot.tie)
    return row_key(spot.stream, spot.thing) | _present(place, _PLACE)


def due_item(stream: str, at: str) -> Item:
    """The due row of a stream: it stands at (0, moment, 0, stream) on its due line."""
    place = Place(due_line(due_shard(stream)), 0, at, 0, stream)
    return row_key(stream, DUE) | _present(place, _PLACE)
