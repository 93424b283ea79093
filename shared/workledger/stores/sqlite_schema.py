"""The embedded store's file: its tables, and how it is opened and recognised."""

import sqlite3
import time

from workledger.errors import StoreBusy, StoreError

APPLICATION = int.from_bytes(b"WLdg", "big")
VERSION = 1

BUSY_SECONDS = 10.0
"""How long to wait for another process that writes to the same file."""

CHECKPOINT_PAGES = 4000
"""16 MB of log before it is copied into the file: a copy costs two more waits for the disk."""

# Rows of `views` lie in order of arrival: what is added together is taken together, and costs one
# page then. That is why the key is an index beside the table. A due row stands on a line like a
# view, has n 0, and keeps the timekeeper's mark in `state`.
_TABLES = """
CREATE TABLE ledger (
    pos INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    n INTEGER NOT NULL,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    events TEXT NOT NULL,
    payload TEXT,
    UNIQUE (stream, n)
);
CREATE TABLE views (
    stream TEXT NOT NULL,
    thing TEXT NOT NULL,
    n INTEGER NOT NULL,
    state TEXT,
    line TEXT,
    rank INTEGER,
    date TEXT,
    seq INTEGER,
    tie TEXT,
    queue TEXT,
    number INTEGER,
    ref TEXT,
    run TEXT,
    UNIQUE (stream, thing)
);
CREATE INDEX line ON views (line, rank, date, seq, tie, stream, thing) WHERE line IS NOT NULL;
CREATE INDEX number ON views (queue, number, stream, thing) WHERE number IS NOT NULL;
CREATE INDEX ref ON views (queue, ref, stream, thing) WHERE ref IS NOT NULL;
CREATE INDEX run ON views (run, stream, thing) WHERE run IS NOT NULL;
CREATE TABLE counters (counter TEXT PRIMARY KEY, number INTEGER NOT NULL, date TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE beats (stream TEXT PRIMARY KEY, deadline TEXT NOT NULL, details TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE cursors (name TEXT PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;
"""


def connect(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time; every statement commits by itself."""
    return sqlite3.connect(
        path,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )


def open_reader(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection that cannot write."""
    db = connect(path, busy_seconds)
    db.execute("PRAGMA query_only = 1")
    return db


def open_writer(path: str, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """The connection that writes; makes the tables in an empty file.

    Raises StoreError when the file is something else, is from a newer version or cannot be opened,
    StoreBusy when another process holds it for too long.
    """
    db: sqlite3.Connection | None = None
    try:
        db = connect(path, busy_seconds)
        if _is_new(db):
            _make(db, path, busy_seconds)
        _recognise(db, path)
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        db.execute("PRAGMA cache_size = -65536")
    except (sqlite3.Error, StoreError) as error:
        if db is not None:
            db.close()
        raise error if isinstance(error, StoreError) else _unopened(path, error) from error
    return db


def code_of(error: Exception) -> int:
    """SQLite's primary error code; 0 when the error is Python's."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def translated(error: Exception) -> StoreError:
    """What a failed statement means: try again later, or not."""
    if code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy("another process holds the database file for too long; try again")
    return StoreError(f"the database file refused: {error}")


def _unopened(path: str, error: sqlite3.Error) -> StoreError:
    if code_of(error) == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path} is not a Workledger database")
    refused = translated(error)
    return refused if isinstance(refused, StoreBusy) else StoreError(f"cannot open {path}: {error}")


def _is_new(db: sqlite3.Connection) -> bool:
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not tables and not _pragma(db, "application_id") and not _pragma(db, "user_version")


def _make(db: sqlite3.Connection, path: str, busy_seconds: float) -> None:
    if _log_ahead(db, busy_seconds) != "wal":
        raise StoreError(f"{path}: a write-ahead log is not possible there")
    db.execute("BEGIN IMMEDIATE")
    try:
        if _is_new(db):  # another process may have been faster
            for statement in _TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _log_ahead(db: sqlite3.Connection, busy_seconds: float) -> int | str:
    """Change the journal's mode; SQLite does not wait when others do so at the same moment."""
    until = time.monotonic() + busy_seconds
    while True:
        try:
            return _pragma(db, "journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.005)


def _recognise(db: sqlite3.Connection, path: str) -> None:
    if _pragma(db, "application_id") != APPLICATION:
        raise StoreError(f"{path} is not a Workledger database")
    version = int(_pragma(db, "user_version"))
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Workledger (schema {version}, this one knows {VERSION})"
        )


def _pragma(db: sqlite3.Connection, name: str) -> int | str:
    (value,) = db.execute(f"PRAGMA {name}").fetchone()
    return value
