"""The floor: what SQLite alone needs for an event row and a state row per transition.

No history is read, no order kept, no lease, no run: nothing that writes each transition to disk
before it answers can be faster without making one transaction of several.
"""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import Rate, spread

_TABLES = (
    "CREATE TABLE events (stream TEXT, n INTEGER, at TEXT, body TEXT, PRIMARY KEY (stream, n))",
    "CREATE TABLE states (stream TEXT PRIMARY KEY, n INTEGER, line TEXT, body TEXT)",
)
_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?)"
_STATE = "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)"
_BODY = "x" * 200
_AT = "2026-03-11T10:15:55.935Z"


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=30)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    return db


def _transition(db: sqlite3.Connection, stream: str, number: int, line: str) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.execute(_EVENT, (stream, number, _AT, _BODY))
    db.execute(_STATE, (stream, number, line, _BODY))
    db.execute("COMMIT")


def measure(folder: Path, workers: int, items: int) -> Rate:
    """Items a second, two transitions each; every worker has a connection of its own."""
    path = folder / f"floor-{workers}.db"
    db = _connect(path)
    for statement in _TABLES:
        db.execute(statement)
    lock = threading.Lock()

    def worker(number: int) -> Callable[[], None]:
        own = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
        own.execute("PRAGMA synchronous = FULL")

        def work() -> None:
            for index in range(items // workers):
                stream = f"item/{number}-{index}"
                for step, line in ((1, "taken"), (2, "completed")):
                    with lock:  # SQLite's own waiting sleeps: a lock is kinder to the floor
                        _transition(own, stream, step, line)

        return work

    return spread(items // workers * workers, [worker(number) for number in range(workers)])
