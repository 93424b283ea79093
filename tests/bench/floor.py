"""The floor: what SQLite alone needs for an event row and a state row per transition.

No history is read, no order kept, no lease, no run, no reference: nothing that has each transition
on disk before it answers is faster, unless it makes one transaction of several.
"""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import Rate, spread
from workledger.keys import digest

_TABLES = (
    "CREATE TABLE events (stream TEXT, n INTEGER, body TEXT, PRIMARY KEY (stream, n)) WITHOUT ROWID",
    "CREATE TABLE states (stream TEXT PRIMARY KEY, n INTEGER, line TEXT, body TEXT) WITHOUT ROWID",
)
_EVENT = "INSERT INTO events VALUES (?, ?, ?)"
_NEW = "INSERT INTO states VALUES (?, 1, 'new', ?)"
_STATE = "UPDATE states SET n = ?, line = ?, body = ? WHERE stream = ?"
_BODY = "x" * 450
_STEPS = ((2, "in_progress"), (3, "completed"))


class Floor:
    """Items in a file of their own, and a connection for each worker."""

    def __init__(self, folder: Path, workers: int, items: int) -> None:
        path = folder / f"floor-{workers}.db"
        self._connections = [_connect(path) for _ in range(workers)]
        self._lock = threading.Lock()
        self._next = iter(range(items))
        db = self._connections[0]
        for statement in _TABLES:
            db.execute(statement)
        db.execute("BEGIN")
        db.executemany(_NEW, ((_stream(index), _BODY) for index in range(items)))
        db.execute("COMMIT")

    def work(self, items: int) -> Rate:
        """Work so many items, side by side, two transitions each."""
        share = items // len(self._connections)
        workers = [self._worker(db, share) for db in self._connections]
        return spread(share * len(workers), workers)

    def _worker(self, db: sqlite3.Connection, share: int) -> Callable[[], None]:
        def work() -> None:
            for _ in range(share):
                with self._lock:
                    stream = _stream(next(self._next))
                for step in _STEPS:
                    with self._lock:  # SQLite's own waiting sleeps: this is kinder to the floor
                        _transition(db, stream, *step)

        return work

    def close(self) -> None:
        """Close the file."""
        for db in self._connections:
            db.close()


def _stream(index: int) -> str:
    return f"item/{digest(str(index))}"


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    return db


def _transition(db: sqlite3.Connection, stream: str, number: int, line: str) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.execute(_EVENT, (stream, number, _BODY))
    db.execute(_STATE, (number, line, _BODY, stream))
    db.execute("COMMIT")
