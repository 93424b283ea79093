"""What the other processes of the tests do, and how they are started.

A module of its own: a process that is spawned imports it by name.
"""

import multiprocessing
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tests.stores.writes import added, standing
from workledger.ledger.commit import Commit
from workledger.stores.port import Write
from workledger.stores.sqlite import SqliteStore
from workledger.views.row import Keys

SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def process(work: Callable[..., None], *args: Any) -> Iterator[tuple[Any, Connection]]:
    """A process that does the work with a pipe to here; left when it has ended."""
    ours, theirs = SPAWN.Pipe()
    started = SPAWN.Process(target=work, args=(theirs, *args), daemon=True)
    started.start()
    theirs.close()
    yield started, ours
    started.join(60)
    ours.close()


def _named(name: str, number: int) -> Write:
    write = added("item/raced", number, place=standing(number))
    commit = write.commit
    named = Commit(commit.stream, number, name, commit.at, commit.actor, commit.events)
    return Write(named, write.rows)


def race(pipe: Connection, path: str, name: str, rounds: int) -> None:
    """Put commit after commit of one stream, each at the number that follows what stands."""
    store = SqliteStore(path)
    pipe.send("ready")
    pipe.recv()
    won: list[int] = []
    numbers: list[int] = []
    for number in range(1, rounds + 1):
        numbers.append(store.take_numbers("queue/raced", 1, "2026")[0])
        (outcome,) = store.append([_named(name, number)])
        if outcome is None:
            won.append(number)
        else:
            assert isinstance(outcome, Commit), outcome
            assert outcome.number == number
    store.close()
    pipe.send((won, numbers))


def append(pipe: Connection, path: str, life: int) -> None:
    """Append without end, from three threads, and tell of each one that stands."""
    store, telling = SqliteStore(path), Lock()

    def work(worker: int) -> None:
        number = 0
        while True:
            number += 1
            stream = f"item/{life}.{worker}.{number}"
            place, keys = standing(number, line=f"line {life}"), Keys("q", number, stream, "r")
            write = added(stream, place=place, keys=keys, due="2026-01-01T00:00:00.000Z")
            assert store.append([write]) == [None]
            with telling:
                pipe.send(stream)

    for worker in range(3):
        Thread(target=work, args=(worker,), daemon=True).start()
    Thread(target=work, args=(3,)).run()


def fill(pipe: Connection, path: str) -> None:
    """Append while the disk refuses, then again the same when it no longer does."""
    store = SqliteStore(path)
    writes = [added(f"item/{number}", place=standing(number)) for number in range(50)]
    assert store.append(writes[:1]) == [None]
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = Path(f"{path}-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, most))
    refused = store.append(writes[1:])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    again = store.append(writes[1:])
    store.close()
    pipe.send((refused, again))
