"""Threads that work when there is something to do: workers, loops, and the store that tells."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.local.test_waiting import until
from workledger.ledger.commit import Commit, Event
from workledger.local.deployed import Queue, Schedule, Stream, System
from workledger.local.loops import Loop, earliest
from workledger.local.machine import Machine
from workledger.local.telling import telling
from workledger.local.workers import Workers
from workledger.stores.port import Write
from workledger.stores.sqlite import SqliteStore
from workledger.times import plus, system_clock
from workledger.views.order import by_priority
from workledger.views.row import Row

LONG = 30.0


# --- workers ---
def test_jobs_run_side_by_side_up_to_the_limit() -> None:
    workers, together, ran = Workers(3), threading.Barrier(4), threading.Semaphore(0)

    def job() -> None:
        together.wait(LONG)
        ran.release()

    for _ in range(3):
        workers.submit(job)
    together.wait(LONG)  # all three are in it at once
    for _ in range(3):
        assert ran.acquire(timeout=LONG)
    assert workers.drain(LONG) == 0


def test_beyond_the_limit_jobs_wait_for_a_thread() -> None:
    workers, release, done = Workers(2), threading.Event(), []
    for number in range(6):
        workers.submit(lambda number=number: (release.wait(LONG), done.append(number)))  # type: ignore[misc]
    release.set()
    assert workers.drain(LONG) == 0
    assert sorted(done) == list(range(6))
    assert workers._threads == 2


def test_idle_threads_are_used_again() -> None:
    workers = Workers(8)
    for _ in range(20):
        workers.submit(lambda: None)
        assert workers.drain(LONG) == 0
        until(lambda: len(workers._idle) == workers._threads)
    assert workers._threads == 1


def test_draining_tells_how_many_have_not_ended() -> None:
    workers, release = Workers(2), threading.Event()
    workers.submit(lambda: release.wait(LONG) and None)
    assert workers.drain(0.0) == 1
    release.set()
    assert workers.drain(LONG) == 0


# --- loops ---
def test_a_loop_steps_at_the_start_and_when_it_is_poked() -> None:
    steps = threading.Semaphore(0)

    def step() -> float:
        steps.release()
        return LONG

    loop = Loop("test", step)
    loop.start()
    assert steps.acquire(timeout=LONG)
    loop.poke()
    assert steps.acquire(timeout=LONG)
    assert loop.stop(LONG)
    assert not steps.acquire(blocking=False)


def test_a_fault_does_not_end_a_loop(caplog: pytest.LogCaptureFixture) -> None:
    steps = threading.Semaphore(0)

    def step() -> float:
        steps.release()
        raise RuntimeError("once")

    loop = Loop("test", step)
    loop.start()
    assert steps.acquire(timeout=LONG)
    loop.poke()
    assert steps.acquire(timeout=LONG)
    assert loop.stop(LONG)
    assert "test failed" in caplog.text


def test_a_loop_that_never_began_has_ended() -> None:
    assert Loop("test", lambda: LONG).stop(0.0)


def test_the_earliest_of_several_steps_counts() -> None:
    assert earliest(lambda: 3.0, lambda: 2.0)() == 2.0
    assert earliest()() == 60.0


# --- the store that tells ---
def write(number: int, line: str | None = "q/new#0") -> Write:
    commit = Commit(
        "item/a", number, f"id-{number}", "2026-03-11T10:00:00.000Z", "a", (Event("X"),)
    )
    place = by_priority(line, 0, "2026-03-11T10:00:00.000Z", 1, "a") if line else None
    return Write(commit, (Row("item/a", "head", number, "{}", place),))


def test_q28_a_store_tells_what_was_placed_and_nothing_of_what_was_refused(tmp_path: Path) -> None:
    heard: list[Mapping[str, int]] = []
    plain = SqliteStore(str(tmp_path / "workledger.db"))
    store = telling(plain, heard.append)
    store.append([write(1)])
    store.append([Write(write(1).commit)])  # another's commit stands there, by its id mine
    store.append([write(1, "q/failed#0")])
    store.place([write(1)])
    store.append([write(2, None)])
    store.append([write(3)], place=False)
    assert heard == [{"q/new#0": 1}, {"q/new#0": 1}, {}, {}]
    assert store.load("item/a")["head"].commit == 2
    plain.close()


# --- all of it ---
class Called:
    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, name: str, event: dict[str, Any]) -> None:
        self.events.append((name, event))

    def of(self, name: str) -> list[dict[str, Any]]:
        return [event for at, event in list(self.events) if at == name]


SYSTEM = System(
    functions={},
    routes=(),
    streams=(
        Stream("LedgerTable", "Projector"),
        Stream("ViewsTable", "Counter", named_shards=True),
    ),
    schedules=(Schedule("FiveMinutes", "Timekeeper", 300),),
    queues=(Queue("Wakes", "Timekeeper"),),
)


def test_a_machine_plays_schedule_wakes_and_the_ledger_of_a_file(tmp_path: Path) -> None:
    called = Called()
    plain = SqliteStore(str(tmp_path / "workledger.db"))
    machine = Machine(SYSTEM, called, system_clock)
    store = telling(plain, machine.heard)
    machine.follow_file(plain)
    machine.start()
    until(lambda: len(called.of("Timekeeper")) == 1)
    assert called.of("Timekeeper")[0]["source"] == "aws.events"
    store.append([write(1)])
    until(lambda: len(called.of("Projector")) == 1)
    machine.wake(plus(system_clock(), 0.2))
    until(lambda: len(called.of("Timekeeper")) == 2)
    assert called.of("Timekeeper")[1]["Records"][0]["eventSource"] == "aws:sqs"
    assert machine.stop(LONG)
    assert called.of("Counter") == []
    assert plain.cursor("projector") == 1
    plain.close()


def test_q28_a_file_that_another_process_writes_wakes_who_waits(tmp_path: Path) -> None:
    path = str(tmp_path / "workledger.db")
    ours, theirs = SqliteStore(path), SqliteStore(path)
    machine = Machine(SYSTEM, Called(), system_clock)
    machine.follow_file(ours)
    machine.start()
    waiting = threading.Thread(target=machine.waiter.wait, args=("q/new#0", LONG))
    waiting.start()
    until(lambda: "q/new#0" in machine.waiter._waiting)
    theirs.append([write(1)])
    waiting.join(LONG)
    assert not waiting.is_alive()
    assert machine.stop(LONG)
    for store in (ours, theirs):
        store.close()


def test_a_machine_plays_both_streams_of_tables(on_moto: Any) -> None:
    client, streams = on_moto()
    called = Called()
    machine = Machine(SYSTEM, called, system_clock)
    machine.follow_tables(streams, {"LedgerTable": "ledger", "ViewsTable": "views"}, 0.05)
    client.put_item(TableName="ledger", Item={"stream": {"S": "item/a"}, "n": {"N": "1"}})
    client.put_item(TableName="views", Item={"stream": {"S": "item/a"}, "thing": {"S": "head"}})
    machine.start()
    until(lambda: called.of("Projector") != [] and called.of("Counter") != [])
    assert machine.stop(LONG)
    (record,) = called.of("Counter")[0]["Records"]
    assert record["dynamodb"]["NewImage"]["thing"] == {"S": "head"}
    assert called.of("Counter")[0]["shardId"]
    assert isinstance(record["dynamodb"]["ApproximateCreationDateTime"], float)
