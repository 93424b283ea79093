"""Loads, changes of order, people and the timekeeper at once, on real threads (M24, M43, M54)."""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Thread

from tests.manual.office import BY_AMOUNT, Office, records
from tests.races.workers import patient, real_core
from tests.races.world import world as make_world
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, loading, tasks, worklist
from workledger.manual_tasks.hit import DONE, OPEN
from workledger.service import sweeping
from workledger.service.core import Core
from workledger.times import plus, system_clock

LOADS, EACH = 6, 40


def load_all(core: Core) -> None:
    """Loads under keys, a part of each in its request."""
    for number in range(LOADS):
        text = "name,amount\n" + "".join(f"{number}.{n},{n * 7 % 11}\n" for n in range(EACH))
        key = f"k{number}"
        read = records(text, core.clock())
        load = partial(loading.load, core, "kai", "Invoices", read, key, key, core.clock())
        patient(load)


def change_often(core: Core) -> None:
    """Another order again and again."""
    for turn in range(5):
        direction = ("asc", "desc")[turn % 2]
        values = {"dtr": turn != 2, "comparator": [{**BY_AMOUNT[0], "direction": direction}]}
        version = patient(partial(tasks.show, core, "Invoices")).task.version
        try:
            patient(partial(tasks.change, core, "kai", "Invoices", version, values))
        except Refused as refused:  # an earlier try stands, its answer was lost
            if refused.code != "version_mismatch":
                raise
        time.sleep(0.05)


def work(core: Core, worker: str, over: Callable[[], bool]) -> None:
    """Take the next; answer most, return some; until there is nothing more."""
    drawn = random.Random(worker)
    while True:
        no_more = over()
        found = patient(partial(assigning.next_of, core, worker, "Invoices"))
        if isinstance(found, assigning.Assigned):
            if drawn.random() < 0.8:
                patient(partial(answering.submit, core, worker, found.id, Raw("1")))
            else:
                patient(partial(answering.give_back, core, worker, found.id))
        elif no_more:
            return
        else:
            time.sleep(0.01)


def keep_time(core: Core, over: Callable[[], bool]) -> None:
    """The timekeeper, without end."""
    while not over():
        sweeping.sweep(core)
        time.sleep(0.02)


def test_m43_everybody_at_once() -> None:
    """(M24, M43, M54) One answer for each record, none is lost; what is open is in order."""
    with make_world("sqlite") as world:
        Office(world).create(columns=["amount"])
        loader = Thread(target=load_all, args=(real_core(world.store, "loader"),))
        changer = Thread(target=change_often, args=(real_core(world.store, "changer"),))
        people = [
            Thread(target=work, args=(real_core(world.store, name), name, _over(loader, changer)))
            for name in ("w1", "w2", "w3")
        ]
        keeper = Thread(target=keep_time, args=(real_core(world.store, "keeper"), _over(*people)))
        everybody = [loader, changer, *people, keeper]
        for one in everybody:
            one.start()
        for one in everybody:
            one.join(120)
        assert not any(one.is_alive() for one in everybody)
        later = replace(real_core(world.store, "later"), clock=lambda: plus(system_clock(), 60))
        for _ in range(4):
            world.heal()
            sweeping.sweep(later)
        in_the_end(Office(world), later)
        world.verify()


def _over(*threads: Thread) -> Callable[[], bool]:
    return lambda: not any(one.is_alive() for one in threads)


def in_the_end(office: Office, core: Core) -> None:
    """Every record has its one answer, or waits where the order wants it."""
    task = tasks.show(core, "Invoices").task
    assert (task.coming, task.old) == (None, ())
    hits = office.hits()
    assert len(hits) == LOADS * EACH
    assert all(len(hit.answers) == 1 for hit in hits.values() if hit.state == DONE)
    waiting = {
        stream: next(one for one in hit.places if one.ordering == task.current.version)
        for stream, hit in hits.items()
        if hit.state == OPEN
    }
    sight = worklist.look(core, "W9", "Invoices", None)
    listed = [one.spot.stream for one in worklist.candidates(core, sight, wanted=100)]
    assert listed == sorted(waiting, key=lambda one: (*waiting[one], hits[one].number))
