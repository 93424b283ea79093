"""A `next` that waits is woken by what is placed (Q28). Threads, but no sleeps."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest

from workledger.errors import StoreBusy
from workledger.local.waiting import LineWaiter

LONG = 30.0


class Pool:
    """Waiting threads, and how many of them wait."""

    def __init__(self, waiter: LineWaiter) -> None:
        self.waiter = waiter
        self.pool = ThreadPoolExecutor(8)

    def start(self, line: str, count: int = 1) -> list[Future[None]]:
        before = self.waiting(line)
        started = [self.pool.submit(self.waiter.wait, line, LONG) for _ in range(count)]
        until(lambda: self.waiting(line) == before + count)
        return started

    def waiting(self, line: str) -> int:
        return len(self.waiter._waiting.get(line, ()))


def until(condition: Callable[[], bool]) -> None:
    """Spin until a condition holds; the test's time-out is the deadline."""
    pause = threading.Event()
    while not condition():
        pause.wait(0.001)


@pytest.fixture
def waiter() -> LineWaiter:
    return LineWaiter()


@pytest.fixture
def pool(waiter: LineWaiter) -> Any:
    pool = Pool(waiter)
    yield pool
    waiter.close()
    pool.pool.shutdown()


def test_q28_as_many_are_woken_as_rows_were_placed(pool: Pool, waiter: LineWaiter) -> None:
    waiting = pool.start("a/new#0", 3)
    waiter.placed({"a/new#0": 2, "b/new#0": 9})
    done, _ = wait(waiting, LONG, "FIRST_COMPLETED")
    until(lambda: sum(each.done() for each in waiting) == 2)
    assert pool.waiting("a/new#0") == 1
    assert done


def test_q28_other_lines_wake_nobody(pool: Pool, waiter: LineWaiter) -> None:
    pool.start("a/new#0")
    waiter.placed({"b/new#0": 1})
    assert pool.waiting("a/new#0") == 1


def test_q28_what_was_placed_between_the_look_and_the_wait_is_not_missed(
    waiter: LineWaiter,
) -> None:
    waiter.placed({"a/new#0": 1})
    with ThreadPoolExecutor(1) as one_thread:
        at_once = one_thread.submit(waiter.wait, "a/new#0", LONG)
        at_once.result(LONG / 2)
        waiting = one_thread.submit(waiter.wait, "a/new#0", LONG)  # it has looked by now
        until(lambda: len(waiter._waiting["a/new#0"]) == 1)
        assert not waiting.done()
        waiter.close()


def test_q28_another_processs_work_wakes_everybody(pool: Pool, waiter: LineWaiter) -> None:
    waiting = pool.start("a/new#0", 2) + pool.start("b/new#0")
    waiter.placed_elsewhere()
    wait(waiting, LONG)
    assert waiter._waiting == {}


def test_who_waited_long_enough_leaves_nothing_behind(waiter: LineWaiter) -> None:
    waiter.wait("a/new#0", 0.001)
    assert waiter._waiting == {}


def test_a_server_that_stops_wakes_everybody_and_lets_nobody_wait(
    pool: Pool, waiter: LineWaiter
) -> None:
    waiting = pool.start("a/new#0", 2)
    waiter.close()
    wait(waiting, LONG)
    with pytest.raises(StoreBusy):
        waiter.wait("a/new#0", LONG)


def test_lines_that_are_remembered_are_bounded(
    waiter: LineWaiter,
) -> None:
    for number in range(10_050):
        waiter.placed({f"{number}/new#0": 1})
    assert len(waiter._placings) <= 10_000
