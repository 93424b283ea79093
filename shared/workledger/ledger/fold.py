"""From commits to rows: the same fold for a live commit, a half-placed one and a rebuild."""

import json
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any

from workledger.keys import HEAD, kind
from workledger.ledger.aggregate import Aggregate, Seen
from workledger.ledger.commit import Commit
from workledger.stores.port import Write
from workledger.views.row import NOWHERE, Row

Aggregates = Mapping[str, Aggregate]
"""Kind of stream -> its aggregate. Streams of other kinds have no rows."""

TOMBSTONE = "null"

REMEMBERED = 64
"""States kept by their text: a process meets its queue and its run with every request."""

_text = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def touched(commit: Commit) -> list[str]:
    """The things of a commit in the order in which their rows are written: the head last."""
    names = dict.fromkeys(thing for event in commit.events for thing in event.things)
    names.pop(HEAD, None)
    return [*names, HEAD]


def after(
    aggregate: Aggregate, commit: Commit, states: Mapping[str, Any], placed: Container[str] = ()
) -> dict[str, Any]:
    """The states after a commit; things already `placed` keep the state they have."""
    result = dict(states)
    for event in commit.events:
        head = result.get(HEAD)
        for thing in event.things:
            if thing not in placed:
                result[thing] = aggregate.evolve(thing, result.get(thing), event, commit, head)
    return result


def row(aggregate: Aggregate, stream: str, thing: str, number: int, state: Any) -> Row:
    """The row of a thing, a tombstone where the thing exists no more."""
    return _row(aggregate, stream, thing, number, state)[0]


def _row(
    aggregate: Aggregate, stream: str, thing: str, number: int, state: Any
) -> tuple[Row, str | None]:
    if state is None:
        return Row(stream, thing, number, TOMBSTONE), None
    standing = aggregate.place(stream, thing, state) or NOWHERE
    text = _text(aggregate.dump(state))
    return Row(stream, thing, number, text, standing.place, standing.keys), standing.due


def write(
    aggregate: Aggregate, commit: Commit, states: Mapping[str, Any], placed: Container[str] = ()
) -> Write:
    """The commit with the rows it makes of these states."""
    rows: list[Row] = []
    dues: list[str] = []
    for thing in touched(commit):
        if thing in placed:
            continue
        made, due = _row(aggregate, commit.stream, thing, commit.number, states.get(thing))
        rows.append(made)
        if due is not None:
            dues.append(due)
    return Write(commit, tuple(rows), min(dues, default=None))


def state(aggregate: Aggregate, row: Row | None) -> Any:
    """The state in a row; None where there is no row or a tombstone."""
    return None if row is None or row.state == TOMBSTONE else _state(aggregate, row.state)


@lru_cache(REMEMBERED)
def _state(aggregate: Aggregate, text: str) -> Any:
    return aggregate.load(json.loads(text))


def seen(aggregates: Aggregates, stream: str, rows: Mapping[str, Row]) -> Seen:
    """What a command meets in these rows."""
    aggregate = aggregates[kind(stream)]
    head = rows.get(HEAD)
    states = {thing: state(aggregate, found) for thing, found in rows.items()}
    return Seen(stream, head.commit if head else 0, states)
