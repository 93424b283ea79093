"""The ledger in a SQLite file as a stream: nothing is lost, whoever wrote it, wherever it crashed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workledger.ledger.commit import Commit, Event
from workledger.local.deployed import Stream
from workledger.local.following import Follower
from workledger.local.ledger_file import KEPT_EVERY, LedgerFile
from workledger.stores.port import Write
from workledger.stores.sqlite import SqliteStore

LEDGER = Stream("LedgerTable", "Projector", 2)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "workledger.db")


@pytest.fixture
def store(path: str) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    store.close()


def put(store: SqliteStore, stream: str, number: int) -> None:
    commit = Commit(
        stream, number, f"{stream}-{number}", "2026-03-11T10:00:00.000Z", "a", (Event("X"),)
    )
    assert store.append([Write(commit)]) == [None]


def played(source: LedgerFile, clock: Clock) -> list[tuple[str, str]]:
    """What a projector is told until there is no more."""
    told: list[tuple[str, str]] = []

    def project(name: str, event: dict[str, Any]) -> None:
        keys = [record["dynamodb"]["Keys"] for record in event["Records"]]
        told.extend((each["stream"]["S"], each["n"]["N"]) for each in keys)

    follower = Follower(LEDGER, source, project, clock)
    while follower.step() == 0:
        pass
    return told


def file(store: SqliteStore, clock: Clock) -> LedgerFile:
    return LedgerFile(store, clock, lambda: None)


def test_q93_every_commit_is_a_record_in_the_order_of_writing(store: SqliteStore) -> None:
    for stream, number in (
        ("item/a", 1),
        ("item/b", 1),
        ("item/a", 2),
        ("run/x", 1),
        ("item/b", 2),
    ):
        put(store, stream, number)
    assert played(file(store, Clock()), Clock()) == [
        ("item/a", "1"), ("item/b", "1"), ("item/a", "2"), ("run/x", "1"), ("item/b", "2"),
    ]  # fmt: skip


def test_a_record_is_as_dynamodb_streams_make_it(store: SqliteStore) -> None:
    put(store, "item/a", 1)
    ((_, record),) = file(store, Clock()).read(10)
    assert (record["eventName"], record["eventSource"]) == ("INSERT", "aws:dynamodb")
    assert record["dynamodb"]["Keys"] == {"stream": {"S": "item/a"}, "n": {"N": "1"}}
    assert record["dynamodb"]["StreamViewType"] == "KEYS_ONLY"
    assert record["dynamodb"]["SequenceNumber"].isdigit()


def test_q93_a_crash_between_commit_and_projection_is_caught_up(
    store: SqliteStore, path: str
) -> None:
    clock = Clock()
    put(store, "item/a", 1)
    first = file(store, clock)
    assert played(first, clock) == [("item/a", "1")]
    put(store, "item/b", 1)
    # Killed here: nothing of what was played was remembered, and item/b was never played.
    other = SqliteStore(path)
    put(other, "item/c", 1)
    again = played(file(other, clock), clock)
    assert again == [("item/a", "1"), ("item/b", "1"), ("item/c", "1")]
    other.close()


def test_the_position_is_remembered_once_a_second_and_at_the_end(store: SqliteStore) -> None:
    clock = Clock()
    source = file(store, clock)
    put(store, "item/a", 1)
    played(source, clock)
    source.tidy()
    assert store.cursor("projector") == 0
    clock.now = KEPT_EVERY
    source.tidy()
    assert store.cursor("projector") == 1
    put(store, "item/b", 1)
    played(source, clock)
    source.tidy(ending=True)
    assert store.cursor("projector") == 2
    assert played(file(store, clock), clock) == []


def test_commits_of_another_process_are_met(store: SqliteStore, path: str) -> None:
    met: list[int] = []
    source = LedgerFile(store, Clock(), lambda: met.append(1))
    assert played(source, Clock()) == []
    assert met == []
    other = SqliteStore(path)
    put(other, "item/a", 1)
    other.close()
    assert played(source, Clock()) == [("item/a", "1")]
    assert met
