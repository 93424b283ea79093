"""Taking and closing at a real server (Q15 to Q53)."""

import threading
from datetime import UTC, datetime

import httpx
import pytest

from tests.client.running import Running, fresh_name
from workledger.client import (
    BusinessError,
    Client,
    Counts,
    Error,
    Forbidden,
    HeldBy,
    QueueHandle,
    Result,
    RunHasEnded,
    StaleClaim,
    WorkItem,
)


def test_q15_q16_moments(client: Client, queue: QueueHandle) -> None:
    """Q15, Q16: deferred until then; a change takes it away."""
    later = datetime(2099, 1, 1, tzinfo=UTC)
    added = queue.add_one(1, not_before=later, due=later)
    nothing = queue.next()
    assert not nothing
    assert (nothing.reason, nothing.retry_at) == ("deferred", "2099-01-01T00:00:00.000Z")
    changed = client.items.change(added.id, not_before=None, priority=7)
    assert (changed.not_before, changed.priority) == (None, 7)
    assert changed.due == "2099-01-01T00:00:00.000Z"
    assert queue.next()


def test_q27_several_in_one_call(queue: QueueHandle) -> None:
    """Q27: in order, in one run."""
    queue.add(list(range(5)))
    taken = queue.next_items(3)
    assert taken
    assert [one.data for one in taken] == [0, 1, 2]
    assert {one.run for one in taken} == {taken.run}


def test_q28_next_waits_for_an_item(queue: QueueHandle) -> None:
    """Q28: it answers as soon as there is one."""
    got: list[object] = []
    waiting = threading.Thread(target=lambda: got.append(queue.next(wait_seconds=20)))
    waiting.start()
    queue.add_one("late")
    waiting.join(timeout=30)
    assert [getattr(one, "data", None) for one in got] == ["late"]


def test_q40_q43_closing(client: Client, queue: QueueHandle) -> None:
    """Q40, Q43: once; the exact repeat answers the same, a different one is refused."""
    queue.add_one(1)
    taken = queue.next()
    assert taken
    held = client.items.get(taken.id)
    assert held.outcome == HeldBy(taken.run, held.claimed_at)
    done = client.items.complete(taken, {"ok": True})
    assert done.outcome == Result({"ok": True})
    assert client.items.complete(taken, {"ok": True}) == done
    with pytest.raises(StaleClaim):
        client.items.fail(taken, "no")


def test_q41_q42_failing(client: Client, queue: QueueHandle) -> None:
    """Q41, Q42: with Retries 2 three rounds; final at once."""
    item = client.items.get(queue.add_one(1).id)
    for attempt in (1, 2, 3):
        taken = queue.next()
        assert taken
        assert taken.attempt == attempt
        item = client.items.fail(taken, f"reason {attempt}")
    assert (item.status, item.outcome) == ("failed", Error("reason 3"))
    queue.add_one(2)
    taken = queue.next()
    assert taken
    assert client.items.fail(taken, retry=False).status == "failed"


def test_q46_beats(client: Client, queue: QueueHandle) -> None:
    """Q46: progress is shown while it is held."""
    queue.add_one(1)
    taken = queue.next(lease_seconds=60)
    assert taken
    until = client.items.beat(taken, "half")
    held = client.items.get(taken.id)
    assert held.progress == "half"
    assert until > (held.claimed_at or "")


def test_q50_q53_runs(server: Running, client: Client, queue: QueueHandle) -> None:
    """Q50, Q53: a run is its actor's; ending it releases what it holds."""
    queue.add([1, 2])
    run = client.runs.start("nightly", lease_seconds=60)
    taken = queue.next(run=run.id)
    assert taken
    assert client.runs.get(run.id).holding == 1
    with server.client(actor="somebody") as other, pytest.raises(Forbidden):
        other.queue(queue.name).next(run=run.id)
    client.runs.heartbeat(run.id)
    ended = client.runs.end(run.id, "enough")
    assert (ended.status, ended.end_reason) == ("ended", "enough")
    assert client.items.get(taken.id).status == "new"
    with pytest.raises(RunHasEnded):
        queue.next(run=run.id)
    with pytest.raises(StaleClaim):
        client.items.complete(taken)
    assert run.id in [one.id for one in client.runs.list("ended")]


class LosesAnswers(httpx.HTTPTransport):
    """Carries out every request, and loses the answer to the first sending of each."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[bytes] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        sent = request.method.encode() + request.url.raw_path + request.read()
        sent += request.headers.get("Idempotency-Key", "").encode()
        if sent in self.seen:
            return response
        self.seen.add(sent)
        response.close()
        raise httpx.ReadError("lost")


def test_q26_q83_lost_answers_change_nothing(server: Running) -> None:
    """Q26, Q83: every answer is lost once: nothing lost, nothing twice."""
    name = fresh_name()
    with server.client(transport=LosesAnswers(), sleep=lambda _: None) as client:
        created = client.queues.create(name, retries=1)
        queue = client.queue(name)
        assert queue.add([1, 2, 3]).added == 3
        assert client.queues.change(name, version=created.version, retries=2).retries == 2

        def handle(item: WorkItem) -> int:
            if item.data == 3:
                raise BusinessError("three")
            return item.data * 10

        measured = client.worker(name).run(handle)
        assert (measured.items, measured.completed, measured.failed) == (3, 2, 1)
        failed = next(iter(queue.items("failed")))
        assert client.items.requeue(failed.id).status == "new"
        client.items.delete(failed.id)
        assert {one.result_text for one in queue.items("completed")} == {"10", "20"}
        client.queues.delete(name)


def test_q23_q60_workers_side_by_side(server: Running, queue: QueueHandle) -> None:
    """Q23, Q60: four workers, each item once."""
    queue.add(list(range(60)))
    seen: list[int] = []

    def work() -> None:
        with server.client() as client:
            client.worker(queue.name).run(lambda item: seen.append(item.data))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert sorted(seen) == list(range(60))
    assert queue.counts() == Counts(completed=60)
