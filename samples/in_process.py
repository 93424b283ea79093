"""The system in this process, on a clock that only its owner moves: for samples about time.

The handlers of template.yaml behind the gateway of `workledger serve`, and clients that speak to
them without a network. Nothing runs by itself: no timekeeper, no streams.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from workledger import bootstrap
from workledger.client import Client
from workledger.local.deployed import load
from workledger.local.events import Request
from workledger.local.functions import Functions, find_template, load_handlers
from workledger.local.gateway import Gateway
from workledger.local.problems import Problem
from workledger.local.routing import Routes
from workledger.stores.sqlite import SqliteStore
from workledger.times import plus


class Clock:
    """Seconds since a start."""

    def __init__(self, start: str) -> None:
        self._start = self.now = start

    def __call__(self) -> str:
        return self.now

    def at(self, seconds: float) -> None:
        """Be so many seconds after the start."""
        self.now = plus(self._start, seconds)


class _Transport(httpx.BaseTransport):
    """Requests go to the gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path, _, query = request.url.raw_path.decode().partition("?")
        headers = [(name.lower(), value) for name, value in request.headers.items()]
        asked = Request(request.method, path, query, headers)
        try:
            found = self._gateway.route(asked)
            answer, _ = self._gateway.answer(asked, found, request.read())
        except Problem as problem:
            answer = problem.answer()
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)


class Machine:
    """Makes clients of one system."""

    def __init__(self, gateway: Gateway) -> None:
        self._transport = _Transport(gateway)

    def client(self, actor: str) -> Client:
        """Somebody's."""
        return Client("http://127.0.0.1", actor=actor, transport=self._transport, retries=0)


@contextmanager
def machine(clock: Clock) -> Generator[Machine]:
    """A system on an empty file that is gone after the block."""
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    template = find_template()
    system = load(template)
    functions = Functions(system, load_handlers(system, template))
    with TemporaryDirectory() as folder:
        store = SqliteStore(str(Path(folder) / "workledger.db"))
        bootstrap.override(bootstrap.build(store, clock=clock, sleep=lambda _: None))
        try:
            yield Machine(Gateway(Routes(system.routes), functions.call, "developer"))
        finally:
            bootstrap.override(None)
            store.close()
