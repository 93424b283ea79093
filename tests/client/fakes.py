"""A queue on a server, as far as a worker sees one; and a clock."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.client.scripted import TAKEN, Sleeps, counting_keys, problem, reply
from workledger.client import Client


@dataclass
class FakeItem:
    data: Any
    attempt: int = 0
    status: str = "new"
    outcome: Any = None


@dataclass
class FakeServer(httpx.BaseTransport):
    """Holds the items of one queue. `script` answers a path once, before the queue does."""

    items: list[FakeItem] = field(default_factory=list)
    retries: int = 0
    runs: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    script: dict[str, list[httpx.Response | Exception]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    nexts: list[dict[str, Any]] = field(default_factory=list)

    def client(self, **options: Any) -> Client:
        options = {"sleep": Sleeps(), "new_key": counting_keys(), "clock": Clock()} | options
        return Client("http://server", transport=self, retries=1, **options)

    def add(self, *data: Any) -> "FakeServer":
        self.items += [FakeItem(one) for one in data]
        return self

    @property
    def statuses(self) -> list[str]:
        return [item.status for item in self.items]

    @property
    def outcomes(self) -> list[Any]:
        return [item.outcome for item in self.items]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        verb = request.url.path.rsplit("/", 1)[-1]
        self.asked[verb] += 1
        body = json.loads(request.read() or b"{}")
        planned = self.script.get(verb)
        if planned:
            step = planned.pop(0)
            if isinstance(step, Exception):
                raise step
            return step
        if verb == "next":
            return self._next(body)
        if verb == "end":
            return self._end(request.url.path.split("/")[-2])
        if request.method == "GET":
            return reply({"id": "r_given", "leaseSeconds": 30, "status": "active"})
        return self._close(int(request.url.path.split("/")[-2]), verb, body)

    def _next(self, body: dict[str, Any]) -> httpx.Response:
        self.nexts.append(body)
        run = body.get("run")
        if run in self.ended:
            return problem(409, "run_ended")
        if run is None:
            run = f"r_{len(self.runs) + 1}"
            self.runs.append(run)
        for number, item in enumerate(self.items):
            if item.status == "new":
                item.status, item.attempt = "inProgress", item.attempt + 1
                return reply(
                    TAKEN
                    | {
                        "id": str(number),
                        "data": item.data,
                        "attempt": item.attempt,
                        "claim": f"{number}:{item.attempt}",
                        "run": run,
                    }
                )
        return reply({"found": False, "reason": "empty", "run": run})

    def _end(self, run: str) -> httpx.Response:
        self.ended.append(run)
        for item in self.items:
            if item.status == "inProgress":
                item.status = "new"
        return reply({"id": run, "status": "ended"})

    def _close(self, number: int, verb: str, body: dict[str, Any]) -> httpx.Response:
        item = self.items[number]
        if body["claim"] != f"{number}:{item.attempt}" or item.status != "inProgress":
            return problem(409, "stale_claim")
        if verb == "beat":
            return reply({"leaseUntil": "2026-12-01T00:00:00.000Z"})
        if verb == "complete":
            item.status, item.outcome = "completed", body.get("result", "no result")
        elif body["retry"] and item.attempt <= self.retries:
            item.status, item.outcome = "new", body["reason"]
        else:
            item.status, item.outcome = "failed", body["reason"]
        return reply({"id": str(number), "status": item.status})


@dataclass
class Clock:
    """Takes the place of time.monotonic: a second passes between two looks."""

    now: float = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now
