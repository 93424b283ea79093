"""A server that answers by a script, and clients that never sleep."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from workledger.client import Client

Step = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


def reply(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers=headers)


def problem(status: int, code: str, detail: str = "no", **more: Any) -> httpx.Response:
    body = {"title": code, "status": status, "code": code, "detail": detail, "errors": [], **more}
    return httpx.Response(status, json=body, headers={"Content-Type": "application/problem+json"})


@dataclass
class Script(httpx.BaseTransport):
    """Answers one step per request, and keeps what was asked."""

    steps: list[Step]
    requests: list[httpx.Request] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, httpx.Response) else step(request)

    @property
    def paths(self) -> list[str]:
        return [f"{one.method} {one.url.raw_path.decode()}" for one in self.requests]

    @property
    def keys(self) -> list[str | None]:
        return [one.headers.get("Idempotency-Key") for one in self.requests]

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(one.content) if one.content else None for one in self.requests]


@dataclass
class Sleeps:
    """Takes the place of time.sleep."""

    slept: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


def counting_keys() -> Callable[[], str]:
    numbers: Iterator[int] = itertools.count(1)
    return lambda: f"key-{next(numbers)}"


def client_of(*steps: Step, **options: Any) -> tuple[Client, Script]:
    script = Script(list(steps))
    options = {"sleep": Sleeps(), "new_key": counting_keys(), "jitter": lambda: 1.0} | options
    return Client("http://server", transport=script, **options), script


TAKEN = {
    "found": True,
    "id": "i_a.1",
    "queue": "q_a.1",
    "number": 1,
    "reference": "A-17",
    "data": {"invoiceNo": "A-17"},
    "attempt": 1,
    "priority": 0,
    "due": None,
    "claim": "i_a.1:2",
    "run": "r_1",
}
ADDED = {
    "added": 1,
    "skipped": 0,
    "items": [{"index": 0, "id": "i_a.1", "created": True, "status": "new"}],
}
QUEUE = {
    "id": "q_a.1",
    "name": "Invoices",
    "description": "",
    "retries": 2,
    "retryDelaySeconds": 0,
    "paused": False,
    "counts": {"new": 1, "inProgress": 2, "completed": 3, "failed": 4},
    "oldestWaitingAt": None,
    "createdAt": "2026-11-30T10:00:00.000Z",
    "createdBy": "local",
    "changedAt": "2026-11-30T10:00:00.000Z",
    "version": 1,
}
