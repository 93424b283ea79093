"""The embedded store's file: made once, recognised, refused with a clear error (Q9)."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.stores.writes import added
from workledger.errors import StoreBusy, StoreError
from workledger.keys import HEAD
from workledger.stores import sqlite_schema
from workledger.stores.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "a b%20c?#.db")


@pytest.fixture
def other(path: str) -> Iterator[sqlite3.Connection]:
    """Another connection to the file."""
    db = sqlite3.connect(path, isolation_level=None)
    yield db
    db.close()


def test_q9_what_was_written_is_there_when_the_file_is_opened_again(path: str):
    """Q9: one SQLite file."""
    store = SqliteStore(path)
    write = added("item/a", due="2026")
    store.append([write])
    store.set_cursor("feed", 7)
    store.close()
    assert [file.name for file in Path(path).parent.iterdir()] == [Path(path).name]

    store = SqliteStore(path)
    assert store.commits("item/a") == [write.commit]
    assert store.load("item/a") == {HEAD: write.rows[0]}
    assert store.cursor("feed") == 7
    store.close()


def test_a_closed_store_says_so_and_may_be_closed_again(path: str):
    store = SqliteStore(path)
    store.load("item/a")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.load("item/a")
    (outcome,) = store.append([added("item/a")])
    assert isinstance(outcome, StoreError)
    with pytest.raises(StoreError, match="closed"):
        store.take_numbers("queue/a", 1, "2026")


def test_the_file_is_safe_against_loss_of_power(path: str):
    store = SqliteStore(path)
    db = sqlite_schema.open_writer(path)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,), "2 is FULL"
    db.close()
    store.close()


@pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\x00" + b"x" * 4096, b"x" * 9000])
def test_a_file_that_is_no_database_is_refused(path: str, content: bytes):
    Path(path).write_bytes(content)
    with pytest.raises(StoreError, match="is not a Workledger database"):
        SqliteStore(path)
    assert Path(path).read_bytes() == content


def test_a_database_of_something_else_is_refused_and_left_as_it_is(
    path: str, other: sqlite3.Connection
):
    other.execute("CREATE TABLE theirs (a)")
    before = Path(path).read_bytes()
    with pytest.raises(StoreError, match="is not a Workledger database"):
        SqliteStore(path)
    assert Path(path).read_bytes() == before


def test_a_newer_schema_is_refused(path: str, other: sqlite3.Connection):
    SqliteStore(path).close()
    other.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match=r"newer Workledger \(schema 2, this one knows 1\)"):
        SqliteStore(path)


@pytest.mark.parametrize("name", ["none/a.db", "."])
def test_a_path_that_cannot_be_opened_is_named(tmp_path: Path, name: str):
    path = str(tmp_path / name)
    with pytest.raises(StoreError, match="cannot open") as raised:
        SqliteStore(path)
    assert path in str(raised.value)


def test_a_database_in_memory_is_refused():
    with pytest.raises(StoreError, match="write-ahead log"):
        SqliteStore(":memory:")


@pytest.mark.parametrize("attempt", range(5))
def test_many_who_open_a_new_file_at_once_all_succeed(path: str, attempt: int):
    start = Barrier(8)

    def begin(number: int) -> None:
        start.wait()
        store = SqliteStore(path)
        assert store.append([added(f"item/{number}")]) == [None]
        store.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(begin, range(8)))
    store = SqliteStore(path)
    assert len(list(store.all_commits())) == 8
    store.close()


def test_a_file_that_another_holds_for_too_long_is_busy(path: str, other: sqlite3.Connection):
    store = SqliteStore(path, busy_seconds=0.02)
    store.append([added("item/a")])
    other.execute("BEGIN IMMEDIATE")
    outcomes = store.append([added("item/b"), added("item/c")])
    assert [type(outcome) for outcome in outcomes] == [StoreBusy, StoreBusy]
    with pytest.raises(StoreBusy):
        store.beat("run/a", "2026", "2025", {})
    assert store.load("item/a")[HEAD].commit == 1, "reads go on"
    other.execute("ROLLBACK")
    assert store.append([added("item/b"), added("item/c")]) == [None, None]
    store.close()


def test_a_full_disk_is_an_error_and_nothing_is_half_written(path: str):
    store = SqliteStore(path)
    store.append([added("item/0")])
    db = store._writer._db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 2}")
    outcomes = store.append([added(f"item/{n}") for n in range(1, 400)])
    failed = [outcome for outcome in outcomes if outcome is not None]
    assert failed
    assert all(isinstance(outcome, StoreError) and "full" in str(outcome) for outcome in failed)

    db.execute("PRAGMA max_page_count = 100000")
    stood = {f"item/{n}" for n, outcome in enumerate(outcomes, 1) if outcome is None} | {"item/0"}
    assert {one.stream for one in store.all_commits()} == stood
    assert {one.stream for one in store.all_rows()} == stood
    assert store.append([added(f"item/{n}", 2) for n in range(400)]) == [None] * 400
    store.close()
