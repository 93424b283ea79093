"""Group commit: one transaction for all who wait, and none spoils another's."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.stores.writes import added, commit
from workledger.errors import AnswerLost, StoreError
from workledger.ledger.commit import Event as Fact
from workledger.stores.port import Write
from workledger.stores.sqlite import SqliteStore
from workledger.stores.sqlite_schema import open_writer
from workledger.stores.sqlite_writer import Step, Writer, _Job


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    db = open_writer(str(tmp_path / "workledger.db"))
    yield db
    db.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(str(tmp_path / "workledger.db"))
    yield store
    store.close()


def _note(name: str, position: int = 1) -> Step:
    return lambda db: db.execute("INSERT INTO cursors VALUES (?, ?)", (name, position)).rowcount


def _names(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM cursors ORDER BY name")]


class Gate:
    """Keeps the writer busy in one transaction while others queue behind it."""

    def __init__(self, writer: Writer, pool: ThreadPoolExecutor) -> None:
        self._reached, self._opened = Event(), Event()
        self._writer, self._pool = writer, pool
        self.leader = pool.submit(writer.run, [self._stand])
        assert self._reached.wait(10)

    def _stand(self, db: sqlite3.Connection) -> str:
        self._reached.set()
        assert self._opened.wait(10)
        return "led"

    def queue(self, *steps: Step) -> "Future[list[Any]]":
        waiting = len(self._writer._waiting)
        job = self._pool.submit(self._writer.run, list(steps))
        while len(self._writer._waiting) == waiting:
            pass
        return job

    def open(self) -> None:
        self._opened.set()


def _transactions(db: sqlite3.Connection) -> list[str]:
    seen: list[str] = []
    db.set_trace_callback(lambda text: seen.append(text) if text == "COMMIT" else None)
    return seen


def test_all_who_wait_share_one_transaction(db: sqlite3.Connection):
    writer, commits = Writer(db), _transactions(db)
    with ThreadPoolExecutor(8) as pool:
        gate = Gate(writer, pool)
        jobs = [gate.queue(_note(f"a{n}"), _note(f"b{n}")) for n in range(5)]
        gate.open()
        assert [job.result(10) for job in jobs] == [[1, 1]] * 5
        assert gate.leader.result(10) == ["led"]
    assert len(commits) == 1
    assert len(_names(db)) == 10


def test_a_thread_that_is_alone_commits_at_once(db: sqlite3.Connection):
    writer, commits = Writer(db), _transactions(db)
    for n in range(3):
        assert writer.run([_note(f"a{n}")]) == [1]
    assert writer.run([]) == []
    assert len(commits) == 4


@pytest.mark.parametrize(
    "wrong", ["\ud800", 2**63, {"a": 1}, object()], ids=lambda bad: repr(bad)[:8]
)
def test_a_step_that_fails_spoils_no_other(db: sqlite3.Connection, wrong: Any):
    writer = Writer(db)

    def bad(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO cursors VALUES ('bad', ?)", (wrong,))

    with ThreadPoolExecutor(8) as pool:
        gate = Gate(writer, pool)
        jobs = [gate.queue(_note("a")), gate.queue(_note("b"), bad, _note("c")), gate.queue(bad)]
        gate.open()
        assert jobs[0].result(10) == [1]
        first, failed, last = jobs[1].result(10)
        assert (first, last) == (1, 1)
        assert type(failed) is StoreError
        assert [type(answer) for answer in jobs[2].result(10)] == [StoreError]
    assert _names(db) == ["a", "b", "c"]


def test_a_step_that_fails_half_way_leaves_nothing(db: sqlite3.Connection):
    writer = Writer(db)

    def half(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO cursors VALUES ('half', 1)")
        db.execute("INSERT INTO cursors VALUES ('half', 2)")

    (failed,) = writer.run([half])
    assert type(failed) is StoreError
    assert "UNIQUE" in str(failed)
    assert _names(db) == []
    with pytest.raises(StoreError):
        writer.one(half)


def test_an_interrupted_leader_leaves_nobody_waiting(db: sqlite3.Connection):
    """Ctrl-C may fall anywhere: who was in the transaction does not know, who comes later goes on."""
    writer = Writer(db)

    def interrupt(db: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(8) as pool:
        gate = Gate(writer, pool)
        job, hit = gate.queue(_note("a")), gate.queue(interrupt)
        late = gate.queue(_note("late"))
        gate.open()
        with pytest.raises(KeyboardInterrupt):
            gate.leader.result(10)
        assert [type(answer) for answer in job.result(10)] == [AnswerLost]
        assert [type(answer) for answer in hit.result(10)] == [AnswerLost]
        assert late.result(10) == [1]
        assert writer.run([_note("after")]) == [1]
    assert _names(db) == ["after", "late"]


def test_a_waiter_that_is_interrupted_leads_nobody(db: sqlite3.Connection):
    """It leaves its job behind, whether it still waited or had just become the leader."""
    writer = Writer(db)
    waits, leads, last = _Job([_note("waits")]), _Job([_note("leads")]), _Job([_note("last")])

    def join(statement: str) -> None:
        if statement == "COMMIT":
            writer._waiting.extend((leads, waits, last))

    db.set_trace_callback(join)
    assert writer.run([_note("first")]) == [1]
    db.set_trace_callback(None)
    assert writer._leader is leads
    writer._leave(waits)
    assert not last.turn.acquire(blocking=False)
    writer._leave(leads)
    assert writer._leader is last
    assert last.turn.acquire(blocking=False), "it is woken to lead"
    writer._lead()
    writer._leave(last)
    assert writer.run([_note("after")]) == [1]
    assert _names(db) == ["after", "first", "last"]


def test_values_that_a_database_cannot_hold_fail_alone(store: SqliteStore):
    good, bad = added("item/a"), added("item/b")
    broken = Write(bad.commit, (replace(bad.rows[0], state="\ud800"),))
    outcomes = store.append([good, broken, added("item/c")])
    assert outcomes[::2] == [None, None]
    assert type(outcomes[1]) is StoreError
    assert store.commits("item/b") == []
    with pytest.raises(StoreError):
        store.place([broken])
    with pytest.raises(TypeError):
        store.append([Write(commit("item/d", events=(Fact("E", {"n": {1}}),)))])
    assert store.append([added("item/d")]) == [None]
