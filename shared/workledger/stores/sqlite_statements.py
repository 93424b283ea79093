"""The embedded store's statements: constant texts, tuples in, tuples out.

A Step of the writer is one of the functions here, with all but the connection given: whatever can
be prepared before the lock is taken is prepared by the caller.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from workledger import keys
from workledger.keys import BEAT
from workledger.ledger import codec
from workledger.ledger.commit import Commit
from workledger.stores.port import Address, Beat, Key, Write
from workledger.stores.sqlite_writer import Step
from workledger.views.order import Place
from workledger.views.row import Keys, Row

COMMIT = "SELECT stream, n, id, at, actor, events, payload FROM ledger"
_ADD_COMMIT = (
    "INSERT INTO ledger (stream, n, id, at, actor, events, payload) VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)

ROW = (
    "SELECT stream, thing, n, state, line, rank, date, seq, tie, queue, number, ref, run FROM views"
)
LISTED = "SELECT value FROM json_each(?)"
HEADS_AND_BEATS = (
    "SELECT asked.value, deadline, details, views.stream, thing, n, state, line, rank, date, seq,"
    " tie, queue, number, ref, run FROM json_each(?) AS asked"
    " LEFT JOIN views ON views.stream = asked.value AND thing = ?"
    " LEFT JOIN beats ON beats.stream = asked.value"
)
_PUT_ROW = (
    "INSERT INTO views"
    " (stream, thing, n, state, line, rank, date, seq, tie, queue, number, ref, run)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (stream, thing) DO UPDATE SET n = excluded.n, state = excluded.state,"
    " line = excluded.line, rank = excluded.rank, date = excluded.date, seq = excluded.seq,"
    " tie = excluded.tie, queue = excluded.queue, number = excluded.number, ref = excluded.ref,"
    " run = excluded.run WHERE excluded.n > n"
)
# A row that changes seldom leaves the indexes by number and reference: an UPDATE that does not
# name their columns does not touch their pages.
_MOVE_ROW = (
    "UPDATE views SET n = ?, state = ?, line = ?, rank = ?, date = ?, seq = ?, tie = ?, run = ?"
    " WHERE stream = ? AND thing = ? AND n < ? AND queue IS ? AND number IS ? AND ref IS ?"
)
_NO_PLACE = (None, None, None, None, None)

_ADD_DUE = (
    "INSERT INTO views (stream, thing, n, line, rank, date, seq, tie)"
    " VALUES (?, ?, 0, ?, 0, ?, 0, ?)"
    " ON CONFLICT (stream, thing) DO UPDATE SET state = NULL, date = min(date, excluded.date)"
    " WHERE excluded.date < date OR state IS NOT NULL"
)
_LOOK = "UPDATE views SET state = ? WHERE stream = ? AND thing = ? AND date = ?"
_REARM = "UPDATE views SET state = NULL, date = ? WHERE stream = ? AND thing = ? AND state = ?"
_DISARM = "DELETE FROM views WHERE stream = ? AND thing = ? AND state = ?"

_NUMBERS = "SELECT number, date FROM counters WHERE counter = ?"
_TAKE_NUMBERS = (
    "INSERT INTO counters (counter, number, date) VALUES (?, ?, ?) ON CONFLICT (counter)"
    " DO UPDATE SET number = number + excluded.number, date = max(date, excluded.date)"
)
_RESTART_NUMBERS = (
    "INSERT INTO counters (counter, number, date) VALUES (?, ?, '') ON CONFLICT (counter)"
    " DO UPDATE SET number = max(number, excluded.number)"
)
_REMOVE_COMMIT = "DELETE FROM ledger WHERE stream = ? AND n = ?"
_REMOVE_ROW = "DELETE FROM views WHERE stream = ? AND thing = ?"
_REMOVE_BEAT = "DELETE FROM beats WHERE stream = ?"
_SET_CURSOR = "INSERT OR REPLACE INTO cursors (name, pos) VALUES (?, ?)"
_DEADLINE = "SELECT deadline FROM beats WHERE stream = ?"
_BEAT = (
    "INSERT INTO beats (stream, deadline, details) VALUES (?1, ?2, ?3) ON CONFLICT (stream)"
    " DO UPDATE SET deadline = excluded.deadline, details = excluded.details"
    " WHERE deadline BETWEEN ?4 AND excluded.deadline"
)


# --- the ledger ---
def commit_of(stored: tuple[Any, ...]) -> Commit:
    """The commit of a row of COMMIT."""
    stream, number, command, at, actor, events, payload = stored
    kept = None if payload is None else json.loads(payload)
    return Commit(stream, number, command, at, actor, codec.decode(events, kept))


def append_step(write: Write, place: bool) -> Step:
    """Put a commit and its rows; the answer is None, or the stored row of the standing commit."""
    commit = write.commit
    payloads = codec.payloads(commit.events)
    stored = (
        commit.stream,
        commit.number,
        commit.id,
        commit.at,
        commit.actor,
        codec.encode(commit.events),
        json.dumps(payloads, ensure_ascii=False) if payloads else None,
    )
    return partial(_append, stored, place_step(write) if place else None)


def _append(stored: tuple[Any, ...], place: Step | None, db: sqlite3.Connection) -> Any:
    if not db.execute(_ADD_COMMIT, stored).rowcount:
        return db.execute(f"{COMMIT} WHERE stream = ? AND n = ?", stored[:2]).fetchone()
    return place(db) if place else None


# --- rows ---
def row_of(stored: Sequence[Any]) -> Row:
    """The row of a row of ROW."""
    stream, thing, number, state, line, rank, date, seq, tie, *found = stored
    place = None if line is None else Place(line, rank, date, seq, tie)
    return Row(stream, thing, number, state, place, Keys(*found))


def place_step(write: Write) -> Step:
    """Put the rows of a commit, each only over an older one, and its due moment."""
    put = _put_new if write.commit.number == 1 else _put
    stored = [
        (row.stream, row.thing, row.commit, row.state, *(row.place or _NO_PLACE), *row.keys)
        for row in write.rows
    ]
    due = None if write.due is None else _due_row(write.commit.stream, write.due)
    return partial(_place, put, stored, due)


def _place(
    put: Callable[[sqlite3.Connection, tuple[Any, ...]], None],
    rows: list[tuple[Any, ...]],
    due: tuple[str, ...] | None,
    db: sqlite3.Connection,
) -> None:
    for row in rows:
        put(db, row)
    if due:
        db.execute(_ADD_DUE, due)


def _put_new(db: sqlite3.Connection, row: tuple[Any, ...]) -> None:
    db.execute(_PUT_ROW, row)


def _put(db: sqlite3.Connection, row: tuple[Any, ...]) -> None:
    stream, thing, number, *moved = row[:9]
    queue, index, ref, run = row[9:]
    changed = (number, *moved, run, stream, thing, number, queue, index, ref)
    if not db.execute(_MOVE_ROW, changed).rowcount:
        db.execute(_PUT_ROW, row)


# --- due rows ---
def _due_row(stream: str, at: str) -> tuple[str, ...]:
    return (stream, keys.DUE, keys.due_line(keys.due_shard(stream)), at, stream)


def look_step(stream: str, at: str, looking: str) -> Step:
    """Mark a due row; the answer is whether it says `at`."""
    return lambda db: db.execute(_LOOK, (looking, stream, keys.DUE, at)).rowcount == 1


def rearm_step(stream: str, looking: str, at: str | None) -> Step:
    """Set or remove a due row; the answer is whether it bears the mark."""
    if at is None:
        return lambda db: db.execute(_DISARM, (stream, keys.DUE, looking)).rowcount == 1
    return lambda db: db.execute(_REARM, (at, stream, keys.DUE, looking)).rowcount == 1


# --- counters, beats, cursors ---
def numbers_step(counter: str, count: int, now: str) -> Step:
    """Take numbers; the answer is the first one and the date."""

    def take(db: sqlite3.Connection) -> tuple[int, str]:
        db.execute(_TAKE_NUMBERS, (counter, count, now))
        last, date = db.execute(_NUMBERS, (counter,)).fetchone()
        return last - count + 1, date

    return take


def restart_step(counter: str, at_least: int) -> Step:
    """Let the next number be greater."""
    return lambda db: db.execute(_RESTART_NUMBERS, (counter, at_least)) and None


def beat_step(stream: str, deadline: str, now: str, details: Mapping[str, Any]) -> Step:
    """Move a beat row; the answer is whether its deadline had not passed."""
    told = json.dumps(details)

    def beat(db: sqlite3.Connection) -> bool:
        if db.execute(_BEAT, (stream, deadline, told, now)).rowcount:
            return True
        (present,) = db.execute(_DEADLINE, (stream,)).fetchone()
        return present >= now

    return beat


def beat_of(stored: tuple[str, str]) -> Beat:
    """The beat of (deadline, details)."""
    return Beat(stored[0], json.loads(stored[1]))


def remove_commits_step(addresses: Sequence[Address]) -> Step:
    """Remove commits.

    The last one of all must stay: SQLite would give its position again, and the pump passed it.
    """
    return lambda db: db.executemany(_REMOVE_COMMIT, addresses) and None


def remove_rows_step(keys: Sequence[Key]) -> Step:
    """Remove rows and beats."""
    beats = [(stream,) for stream, thing in keys if thing == BEAT]
    rows = [key for key in keys if key[1] != BEAT]

    def remove(db: sqlite3.Connection) -> None:
        db.executemany(_REMOVE_BEAT, beats)
        db.executemany(_REMOVE_ROW, rows)

    return remove


def cursor_step(name: str, position: int) -> Step:
    """Remember a position."""
    return lambda db: db.execute(_SET_CURSOR, (name, position)) and None


def drop_step(db: sqlite3.Connection) -> None:
    """Remove every view."""
    db.execute("DELETE FROM views WHERE thing <> ?", (keys.DUE,))
