"""20 threads, then 4 processes, over one queue: nothing lost, nothing twice, order kept (Q20, Q23).

Producers add the same references; workers take one or some, complete, put back, fail for good.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from tests.property import truth as truths
from tests.races.workers import ITEMS, consume, patient, produce, real_core
from tests.races.world import quick_folder
from tests.races.world import world as make_world
from workledger.queues.item_commands import Failure, NewItem
from workledger.queues.queue import Settings
from workledger.service import adding, closing, projecting, queues, rebuilding, taking
from workledger.service.adding import AddedItem
from workledger.service.core import Core
from workledger.service.taking import Wanted
from workledger.stores.port import Store
from workledger.stores.sqlite import SqliteStore

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path() -> Iterator[str]:
    """The path of a file in an empty folder."""
    with quick_folder() as folder:
        yield str(folder / "workledger.db")


@pytest.fixture
def store(path: str) -> Iterator[SqliteStore]:
    """That file."""
    store = SqliteStore(path)
    yield store
    store.close()


@pytest.fixture
def queue(store: Store) -> str:
    """A queue's id."""
    return queues.create(real_core(store, "made"), "kai", "Invoices", Settings(retries=2)).id


def together(threads: Sequence[Thread]) -> None:
    """Run threads to their end."""
    for one in threads:
        one.start()
    for one in threads:
        one.join(120)
        assert not one.is_alive()


def well_done(store: Store, queue: str, items: int = ITEMS) -> None:
    """Each reference once, unless it failed; and every view is what the ledger makes."""
    core = real_core(store, "check")
    projecting.moved(core, sorted({one.stream for one in store.all_commits()}))
    assert rebuilding.check(core) == []
    there = truths.read(store.all_commits()).of(queue)
    assert {one.status for one in there} <= {"completed", "failed"}
    completed = Counter(one.reference for one in there if one.status == "completed")
    assert max(completed.values()) == 1
    assert {one.reference for one in there} == {f"r{number:03}" for number in range(items)}
    counts = queues.count(core, queue)
    assert (counts["completed"], counts["all"]) == (len(completed), len(there))


def at_once(core: Core, queue: str, producers: int, workers: int, items: int) -> None:
    """So many threads in one process."""
    adding_ = [Thread(target=produce, args=(core, queue, f"p{n}", items)) for n in range(producers)]
    failures: list[BaseException] = []

    def worker(name: str) -> None:
        try:
            consume(core, queue, name, lambda: not any(one.is_alive() for one in adding_))
        except BaseException as error:
            failures.append(error)

    together([*adding_, *(Thread(target=worker, args=(f"w{n}",)) for n in range(workers))])
    assert failures == []


def test_q23_20_threads_over_one_queue(store: SqliteStore, queue: str) -> None:
    """6 producers of the same references and 14 workers, in one process."""
    at_once(real_core(store, "one"), queue, 6, 14, ITEMS)
    well_done(store, queue)


def test_q23_threads_over_one_queue_on_a_store_whose_lines_lag() -> None:
    """Fewer, since there is one lock around every call of the engine in memory."""
    with make_world("dynamodb") as world:
        core = real_core(world.store, "one")
        queue = queues.create(core, "kai", "Invoices", Settings(retries=2)).id
        at_once(core, queue, 2, 6, 40)
        well_done(world.store, queue, 40)


def test_q23_4_processes_over_one_file(path: str, store: SqliteStore, queue: str) -> None:
    """Nothing is shared but the file."""
    command = [sys.executable, "-m", "tests.races.workers", path, queue]
    running = [
        subprocess.Popen([*command, f"n{n}"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    told = [one.communicate(timeout=120)[1] for one in running]
    assert [one.returncode for one in running] == [0] * 4, told
    consume(real_core(store, "last"), queue, "last", lambda: True)
    well_done(store, queue)


def test_q20_one_worker_gets_each_producers_items_in_order_while_both_add(
    store: SqliteStore, queue: str
) -> None:
    """Two producers add one by one, a worker is at it at the same time."""
    core = real_core(store, "one")

    def ordered(name: str) -> None:
        for number in range(100):
            entry = NewItem("0", f"{name}{number:03}")
            patient(partial(adding.add, core, name, queue, [entry]))

    producers = [Thread(target=ordered, args=(name,)) for name in "ab"]
    taken: list[str] = []

    def worker() -> None:
        run = None
        while len(taken) < 200:
            got = taking.take(core, "rob", queue, Wanted(run=run))
            run = got.run
            taken.extend(str(one.item.reference) for one in got.items)

    together([*producers, Thread(target=worker)])
    for name in "ab":
        mine = [one for one in taken if one.startswith(name)]
        assert mine == [f"{name}{number:03}" for number in range(100)]


def test_q33_20_producers_of_one_reference_make_one_item(store: SqliteStore, queue: str) -> None:
    """One is created, 19 are told its id; and once more after it failed."""
    core = real_core(store, "one")
    for generation in (1, 2):
        told: list[AddedItem] = []

        def one(told: list[AddedItem] = told) -> None:
            told.extend(adding.add(core, "kai", queue, [NewItem("0", "A-17")]).items)

        together([Thread(target=one) for _ in range(20)])
        assert [answer.created for answer in told].count(True) == 1
        assert {answer.id.split(".")[1] for answer in told} == {str(generation)}
        assert len(told) == 20
        taken = taking.take(core, "rob", queue, Wanted()).items[0]
        closing.fail(core, "rob", taken.id, taken.claim, Failure("x", retry=False))
