"""kill -9 of the server under load: nothing acknowledged is lost, nothing is done twice."""

import random
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.local.serving import Server, eventually, serving

WORKERS = 4
CRASHES = 3
ANSWERS_BEFORE_A_CRASH = 120
RUN = {"leaseSeconds": 600}


@dataclass
class Told:
    """What the server acknowledged, and what was asked of it when it died."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    added: dict[str, str] = field(default_factory=dict[str, str])
    taken: Counter[str] = field(default_factory=Counter[str])
    completed: dict[str, str] = field(default_factory=dict[str, str])
    answers: int = 0


class Worker:
    """Adds an item, takes one, completes it, again and again.

    A request that was not answered is sent again with the same key once the server is back.
    """

    def __init__(self, number: int, told: Told) -> None:
        self.name = f"worker-{number}"
        self.told = told
        self.run: str | None = None
        self.steps = self.work()
        self.pending = next(self.steps)

    def work(self) -> Iterator[tuple[str, Any, Any]]:
        """The requests, each (path, body, what to do with its answer); each has a key."""
        yield "/runs", RUN, self.started
        for number in range(10_000):
            reference = f"{self.name}/{number}"
            yield "/queues/q/items", {"data": number, "reference": reference}, self.was_added
            taken: list[dict[str, Any]] = []
            yield "/queues/q/next", {"run": self.run}, taken.append
            if taken[0]["found"]:
                with self.told.lock:
                    self.told.taken[taken[0]["id"]] += 1
                body = {"claim": taken[0]["claim"], "result": self.name}
                yield f"/items/{taken[0]['id']}/complete", body, self.was_completed

    def started(self, answer: Any) -> None:
        self.run = answer["id"]

    def was_added(self, answer: Any) -> None:
        (item,) = answer["items"]
        assert item["created"], "the answer to a key is always that of its first use"
        with self.told.lock:
            self.told.added[item["id"]] = self.name

    def was_completed(self, answer: Any) -> None:
        with self.told.lock:
            assert answer["id"] not in self.told.completed
            self.told.completed[answer["id"]] = self.name

    def until_the_crash(self, url: str) -> None:
        """Work until the server does not answer."""
        key = getattr(self, "key", str(uuid.uuid4()))
        with httpx.Client(base_url=url, timeout=60) as client, suppress(httpx.TransportError):
            while True:
                self.key = key
                path, body, use = self.pending
                headers = {"idempotency-key": key, "x-workledger-actor": self.name}
                answer = client.post(path, json=body, headers=headers)
                assert answer.status_code in (200, 201), answer.text
                use(answer.json())
                with self.told.lock:
                    self.told.answers += 1
                self.pending, key = next(self.steps), str(uuid.uuid4())


def test_kill_9_under_load_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    told = Told()
    workers = [Worker(number, told) for number in range(WORKERS)]
    with serving(tmp_path) as server:
        server.post("/queues", {"name": "q", "retries": 5})
    for _ in range(CRASHES):
        with serving(tmp_path) as server:
            crash(server, workers, told)
    with serving(tmp_path) as server:
        finish(server, workers, told)
        events = all_events(server)
        check_history(events, told)
        check_counts(server, told)
        assert server.stop() == 0
        assert "Traceback" not in server.said()


def crash(server: Server, workers: list[Worker], told: Told) -> None:
    """Load, and SIGKILL in the middle of it."""
    enough = told.answers + ANSWERS_BEFORE_A_CRASH + random.randrange(50)
    threads = [
        threading.Thread(target=each.until_the_crash, args=(server.url,)) for each in workers
    ]
    for thread in threads:
        thread.start()
    eventually(lambda: told.answers >= enough or not any(each.is_alive() for each in threads))
    assert all(thread.is_alive() for thread in threads)
    server.process.kill()
    for thread in threads:
        thread.join()


def finish(server: Server, workers: list[Worker], told: Told) -> None:
    """Each worker sends once more what was not answered; then what is left is worked off."""
    for worker in workers:
        headers = {"idempotency-key": worker.key, "x-workledger-actor": worker.name}
        path, body, use = worker.pending
        answer = server.ask("POST", path, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        use(answer.json())
        if path.endswith("/next") and answer.json()["found"]:
            with suppress(StopIteration):
                _, body, use = next(worker.steps)
                item = answer.json()["id"]
                done = server.ask("POST", f"/items/{item}/complete", json=body, headers=headers)
                use(done.json())
    while (taken := server.post("/queues/q/next"))["found"]:
        told.taken[taken["id"]] += 1
        server.post(f"/items/{taken['id']}/complete", {"claim": taken["claim"], "result": "local"})
        told.completed[taken["id"]] = "local"


def all_events(server: Server) -> list[dict[str, Any]]:
    """The feed, once it tells of everything that was added: it catches up after each crash."""
    events: dict[tuple[str, int, int], dict[str, Any]] = {}
    after = ""

    def caught_up() -> bool:
        nonlocal after
        page = server.get(f"/feed?limit=1000&after={after}")
        after = page["nextCursor"]
        events.update({(e["stream"], e["commit"], e["index"]): e for e in page["items"]})
        kinds = Counter(event["type"] for event in events.values())
        counts = server.get("/queues/q/count")["counts"]
        return kinds["ItemAdded"] == counts["all"] and kinds["ItemCompleted"] == counts["completed"]

    eventually(caught_up)
    return [events[at] for at in sorted(events)]


def check_history(events: list[dict[str, Any]], told: Told) -> None:
    """Each item was added, taken and completed once, and each commit is there."""
    by_type = {
        kind: Counter(event["stream"] for event in events if event["type"] == kind)
        for kind in ("ItemAdded", "ItemTaken", "ItemCompleted")
    }
    assert set(by_type["ItemAdded"].values()) == {1}
    assert by_type["ItemAdded"] == by_type["ItemTaken"] == by_type["ItemCompleted"]
    commits: dict[str, set[int]] = {}
    for event in events:
        commits.setdefault(event["stream"], set()).add(event["commit"])
    for stream, numbers in commits.items():
        assert numbers == set(range(1, max(numbers) + 1)), stream


def check_counts(server: Server, told: Told) -> None:
    """What was acknowledged stands, by whom it was acknowledged to."""
    assert set(told.taken.values()) == {1}
    assert told.added.keys() == told.taken.keys() == told.completed.keys()
    shown = {item["id"]: item for item in pages(server)}
    assert shown.keys() == told.added.keys()
    for item, worker in told.completed.items():
        assert shown[item]["outcome"] == {"kind": "result", "result": worker}
        assert shown[item]["attempt"] == 1
    assert len(told.added) >= CRASHES * ANSWERS_BEFORE_A_CRASH // 4


def pages(server: Server) -> Iterator[dict[str, Any]]:
    cursor = ""
    while True:
        page = server.get(f"/queues/q/items?limit=100{cursor}")
        yield from page["items"]
        if page["nextCursor"] is None:
            return
        cursor = f"&cursor={page['nextCursor']}"
