"""How a task is doing, at a real server (M26, M61, M63)."""

import time

from tests.client.manual import FIVE, Person, new_task, taken
from tests.client.running import Running, fresh_name
from workledger.client import Client, Statistics, TaskHandle

SOON = 60
"""Seconds within which what was done is counted: the projector follows the ledger."""


def counted(task: TaskHandle, accepted: int) -> Statistics:
    """The statistics, once so many assignments are counted in them."""
    until = time.monotonic() + SOON
    while True:
        found = task.statistics()
        if sum(one.accepted for one in found.workers) == accepted:
            return found
        assert time.monotonic() < until


def test_m61_m63_what_waits_and_who_did_what(client: Client, server: Running) -> None:
    """M61, M63: counts, times, the SLA, and each worker's doings."""
    task = new_task(client, deadline_seconds=600, sla_seconds=86_400)
    task.load(FIVE)
    who = fresh_name("w")
    ann = Person(server, task.name, who)
    ann.answer("r1", "yes")
    ann.take("r2").give_back()
    ann.take("r3").skip()
    ann.take("r4")
    found = counted(task, 4)
    assert (found.waiting, found.held, found.cooling, found.done) == (3, 1, 1, 1)
    assert found.oldest_waiting_at
    assert found.handling_seconds.p50 is not None
    assert found.sla
    assert (found.sla.met, found.sla.missed) == (1, 0)
    (one,) = found.workers
    assert (one.worker, one.accepted, one.submitted) == (who, 4, 1)
    assert (one.returned, one.abandoned, one.skipped) == (1, 0, 1)


def test_m26_a_record_that_nobody_left_may_answer_is_starved(
    client: Client, server: Running
) -> None:
    """M26: it is told, not lost."""
    task = new_task(client)
    task.load("name\nr1\n")
    who = fresh_name("w")
    client.tasks.set_roster(task.name, [who])
    taken(Person(server, task.name, who).task.next()).skip()
    assert (task.statistics().starved, task.statistics().waiting) == (1, 1)
