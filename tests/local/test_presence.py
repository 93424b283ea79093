"""A function can see whether its client is still there (W28)."""

import asyncio
import threading
from typing import Any

import pytest

from workledger.local import presence
from workledger.local.asgi import Application, Message
from workledger.local.deployed import Function, Route
from workledger.local.events import Event, Request
from workledger.local.functions import Context
from workledger.local.gateway import Gateway
from workledger.local.problems import Problem
from workledger.local.routing import Routes
from workledger.local.workers import Workers

ROUTES = Routes([Route("POST", "/", "Poll")])
SCOPE: Message = {
    "method": "POST",
    "raw_path": b"/",
    "query_string": b"",
    "headers": [(b"host", b"127.0.0.1:8080")],
    "client": ("127.0.0.1", 1),
    "http_version": "1.1",
}


class Poll:
    """A function that looks at its client once when it begins and once when it may go on."""

    def __init__(self) -> None:
        self.began, self.goes_on, self.ended = (threading.Event() for _ in range(3))
        self.seen: list[bool] = []

    def __call__(self, name: str, event: Event) -> Any:
        connected = Context(Function(name, "x.y")).connected
        self.seen.append(connected())
        self.began.set()
        self.goes_on.wait(20)
        self.seen.append(connected())
        self.ended.set()
        return {"statusCode": 204}


def serve(leaves: bool) -> list[bool]:
    """What a function sees while its client waits, or leaves."""
    poll = Poll()
    application = Application(Gateway(ROUTES, poll, "developer"), Workers(2), lambda *_: None)
    gone = asyncio.Event()
    requests = iter([{"type": "http.request", "body": b"{}"}])

    async def receive() -> Message:
        for message in requests:
            return message
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        """Nobody reads it."""

    async def go() -> None:
        answering = asyncio.ensure_future(application(SCOPE, receive, send))
        await asyncio.to_thread(poll.began.wait, 20)
        if leaves:
            gone.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        poll.goes_on.set()
        await answering

    asyncio.run(go())
    assert poll.ended.wait(20)
    return poll.seen


@pytest.mark.parametrize("leaves", [False, True])
def test_w28_a_function_sees_that_its_client_has_gone(leaves: bool) -> None:
    """Before it claims something for somebody who is not there."""
    assert serve(leaves) == [True, not leaves]


def test_w28_elsewhere_clients_are_believed_to_be_there() -> None:
    """As on Lambda, where nobody can tell."""
    assert presence.connected.get()() is True


def test_w30_a_route_that_guards_itself_is_for_this_machine_only() -> None:
    """Where requests without tokens are let in; else the function alone decides."""
    open_gateway = Gateway(ROUTES, lambda *_: {"statusCode": 204}, "developer")
    closed = Gateway(ROUTES, lambda *_: {"statusCode": 204}, None)
    request = Request("POST", "/", "", [("host", "evil.example")])
    found = open_gateway.route(request)
    with pytest.raises(Problem) as problem:
        open_gateway.answer(request, found, b"")
    assert problem.value.status == 403
    assert closed.answer(request, found, b"")[0].status == 204
