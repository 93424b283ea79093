"""Producers and workers with real clocks and pauses, for threads and for processes."""

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tests.support import Ids
from workledger.aggregates import AGGREGATES
from workledger.errors import StoreError
from workledger.ledger.execute import Executor
from workledger.queues.item_commands import Failure, NewItem
from workledger.service import adding, closing, taking
from workledger.service.core import Core, PlainWaiter
from workledger.service.taking import TakenItem, Wanted
from workledger.stores.port import Store
from workledger.stores.sqlite import SqliteStore
from workledger.times import system_clock

ITEMS = 400

T = TypeVar("T")


def real_core(store: Store, space: str) -> Core:
    """A process as it is: the machine's clock, real pauses."""
    drawn = random.Random(space)

    def pause(attempt: int) -> None:
        time.sleep(drawn.random() * min(0.02, 0.001 * 2**attempt))

    return Core(
        store=store,
        executor=Executor(store, AGGREGATES, pause),
        clock=system_clock,
        new_id=Ids(space),
        choose=drawn.randrange,
        sleep=time.sleep,
        waiter=PlainWaiter(time.sleep),
    )


def patient(call: Callable[[], T]) -> T:
    """Ask again while the store is busy, as a client does."""
    while True:
        try:
            return call()
        except StoreError:
            time.sleep(0.01)


def produce(core: Core, queue: str, name: str, items: int = ITEMS) -> None:
    """Every reference, in an order of one's own, in loads of ten under keys."""
    references = [f"r{number:03}" for number in range(items)]
    random.Random(name).shuffle(references)
    for start in range(0, items, 10):
        entries = [NewItem('"x"', one, int(one[1:]) % 3) for one in references[start : start + 10]]
        patient(partial(adding.add, core, name, queue, entries, f"{name}/{start}"))


def consume(core: Core, queue: str, name: str, done: Callable[[], bool]) -> None:
    """Take until nothing is left and nobody adds: complete most, put some back, fail some."""
    drawn = random.Random(name)
    run = None
    while True:
        no_more = done()
        key = f"{name}/{drawn.random()}"
        wanted = Wanted(run=run, key=key, max_items=drawn.choice([None, 3]))
        taken = patient(partial(taking.take, core, name, queue, wanted))
        run = taken.run
        for one in taken.items:
            _close(core, name, one, drawn.random())
        if taken.reason == "empty" and no_more:
            return
        if not taken.items:
            time.sleep(0.002)


def _close(core: Core, name: str, one: TakenItem, fate: float) -> None:
    if fate < 0.8:
        patient(partial(closing.complete, core, name, one.id, one.claim, None))
    else:
        failure = Failure("x", retry=fate < 0.95)
        patient(partial(closing.fail, core, name, one.id, one.claim, failure))


def main(path: str, queue: str, name: str) -> None:
    """One process: it produces, then consumes what it finds; others may still be adding."""
    store = SqliteStore(path)
    core = real_core(store, name)
    produce(core, queue, f"p-{name}")
    consume(core, queue, f"w-{name}", lambda: True)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
