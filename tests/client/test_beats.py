"""Beats in the background (Q46, Q52)."""

import threading
from dataclasses import dataclass, field
from queue import Queue

import httpx
import pytest

from tests.client.fakes import FakeServer
from tests.client.scripted import problem


@dataclass
class Ticks:
    """Takes the place of waiting: the thread goes on when the test says so."""

    intervals: list[float] = field(default_factory=list)
    go: Queue[bool] = field(default_factory=Queue)
    waiting: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __call__(self, stop: threading.Event, seconds: float) -> bool:
        self.intervals.append(seconds)
        self.waiting.release()
        return self.go.get(timeout=10) or stop.is_set()

    def tick(self) -> None:
        """Let the thread beat once, and come back when it has."""
        assert self.waiting.acquire(timeout=10)
        self.go.put(False)
        assert self.waiting.acquire(timeout=10)
        self.waiting.release()

    def end(self) -> None:
        self.go.put(True)


def test_q52_a_held_item_beats_at_a_third_of_the_lease() -> None:
    """Q52: work that beats is never taken away, however long it lasts."""
    server, ticks = FakeServer().add(1), Ticks()
    for work in server.client(pause=ticks).worker("Q", lease_seconds=60):
        with work:
            ticks.tick()
            ticks.tick()
    ticks.end()
    assert server.asked["beat"] == 2
    assert ticks.intervals[0] == 20.0
    assert server.statuses == ["completed"]


def test_q52_nothing_held_nothing_beaten() -> None:
    """Q52: between rounds `next` itself keeps the lease."""
    server, ticks = FakeServer().add(1), Ticks()
    rounds = iter(server.client(pause=ticks).worker("Q"))
    with next(rounds):
        pass
    ticks.tick()
    ticks.end()
    assert server.asked["beat"] == 0


def test_q52_the_lease_of_a_given_run_is_asked_for() -> None:
    """Q52: who started the run chose it."""
    server, ticks = FakeServer().add(1), Ticks()
    rounds = iter(server.client(pause=ticks).worker("Q", run="r_given"))
    with next(rounds):
        ticks.tick()
    ticks.end()
    assert ticks.intervals[0] == 10.0


@pytest.mark.parametrize("code", ["stale_claim", "run_ended", "item_not_found"])
def test_q46_a_lost_claim_is_told_to_the_code(code: str) -> None:
    """Q46: `item.lost`; no more beats for it."""
    answer = problem(404 if code == "item_not_found" else 409, code)
    server, ticks = FakeServer(script={"beat": [answer]}).add(1), Ticks()
    rounds = iter(server.client(pause=ticks).worker("Q"))
    with next(rounds) as item:
        assert not item.lost
        ticks.tick()
        assert item.lost
        ticks.tick()
    ticks.end()
    assert server.asked["beat"] == 1
    assert server.asked["complete"] == 0, "what is not ours is not closed"
    assert item.ending == "lost"


@pytest.mark.parametrize("failure", [httpx.ConnectError("gone"), problem(503, "busy")])
def test_q46_a_beat_that_does_not_arrive_is_tried_again(
    failure: httpx.Response | Exception,
) -> None:
    """Q46: the server may be back before the lease is over."""
    server, ticks = FakeServer(script={"beat": [failure] * 2}).add(1), Ticks()
    rounds = iter(server.client(pause=ticks).worker("Q"))
    with next(rounds) as item:
        ticks.tick()
        ticks.tick()
        assert not item.lost
    ticks.end()
    assert server.asked["beat"] == 3
    assert server.statuses == ["completed"]


def test_q46_progress_is_sent_with_a_beat() -> None:
    """Q46: a holder can report progress text."""
    server = FakeServer().add(1)
    rounds = iter(server.client().worker("Q"))
    with next(rounds) as item:
        item.progress("page 3 of 7")
    assert server.asked["beat"] == 1


def test_a_beat_under_way_while_the_item_is_closed_says_nothing() -> None:
    """Its refusal only means that the item is closed."""
    server = FakeServer().add(1)
    rounds = iter(server.client().worker("Q"))
    with next(rounds) as item:
        item.complete()
        item.tell_lost()
    assert not item.lost


def test_the_thread_ends_with_the_loop() -> None:
    """Real waiting, ended by the event."""
    server = FakeServer().add(1)
    server.client().worker("Q").run(lambda item: None)
    for thread in threading.enumerate():
        if thread.name == "workledger-beats":
            thread.join(timeout=10)
            assert not thread.is_alive()
