"""From ASGI to the gateway and back; the functions run in threads."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from workledger.local import presence, problems
from workledger.local.events import Request
from workledger.local.gateway import BODY_LIMIT, Gateway
from workledger.local.problems import Answer, Problem
from workledger.local.routing import Found
from workledger.local.workers import Workers

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Logged = Callable[[Request, int, float, str], None]

INTEGRATION_SECONDS = 30.0
"""How long API Gateway waits for a function."""

DRAINED = 64 * 1024 * 1024
"""Bytes of a refused body that are still read, so that the client gets to read why."""

_BODILESS = (204, 304)

_log = logging.getLogger("workledger.serve")


class Application:
    """The ASGI application. `log(request, status, seconds, actor)` hears of every answer."""

    def __init__(
        self,
        gateway: Gateway,
        workers: Workers,
        log: Logged,
        seconds: float = INTEGRATION_SECONDS,
    ) -> None:
        self._gateway = gateway
        self._workers = workers
        self._log = log
        self._seconds = seconds
        self.stopping = False

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        start = time.perf_counter()
        request = _request(scope)
        actor = ""
        try:
            found = await self._head(request, receive)
            body = await _body(receive)
            answer, actor = await self._run(request, found, body, receive)
        except Problem as problem:
            answer = problem.answer()
        except _Gone:
            return
        await _send(send, answer)
        self._log(request, answer.status, time.perf_counter() - start, actor)

    async def _head(self, request: Request, receive: Receive) -> Found:
        try:
            if self.stopping:
                raise problems.stopping()
            announced = request.header("content-length") or ""
            if announced.isascii() and announced.isdigit() and int(announced) > BODY_LIMIT:
                raise problems.too_large(int(announced), BODY_LIMIT)
            return self._gateway.route(request)
        except Problem:
            await _drain(receive)
            raise

    async def _run(
        self, request: Request, found: Found, body: bytes, receive: Receive
    ) -> tuple[Answer, str]:
        """Have a thread answer, and wait no longer than API Gateway would.

        The thread can see whether the client has gone meanwhile (W28).
        """
        gone = threading.Event()
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[tuple[Answer, str]] = loop.create_future()

        def done(result: tuple[Answer, str] | Exception) -> None:
            if outcome.done():
                return
            if isinstance(result, Exception):
                outcome.set_exception(result)
            else:
                outcome.set_result(result)

        def job() -> None:
            presence.connected.set(lambda: not gone.is_set())
            try:
                result = self._gateway.answer(request, found, body)
            except Problem as problem:
                result = problem
            except Exception:  # noqa: BLE001 - one request must not end the thread
                _log.exception("%s %s failed", request.method, found.route.path)
                result = problems.crashed()
            with suppress(RuntimeError):  # the server has ended without waiting any longer
                loop.call_soon_threadsafe(done, result)

        late = loop.call_later(self._seconds, done, problems.late(self._seconds))
        self._workers.submit(job)
        watching = loop.create_task(_watch(receive, gone))
        try:
            return await outcome
        finally:
            late.cancel()
            watching.cancel()


async def _watch(receive: Receive, gone: threading.Event) -> None:
    """Wait for the client to go away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


class _Gone(Exception):
    """The client went away."""


def _request(scope: Message) -> Request:
    client = scope.get("client")
    return Request(
        scope["method"],
        scope["raw_path"].decode("latin-1"),
        scope["query_string"].decode("latin-1"),
        [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]],
        client[0] if client else "",
        f"HTTP/{scope['http_version']}",
    )


async def _body(receive: Receive) -> bytes:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise _Gone
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        _check(len(body))
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > BODY_LIMIT:
            await _drain(receive)
            _check(size)
    return b"".join(parts)


def _check(size: int) -> None:
    if size > BODY_LIMIT:
        raise problems.too_large(size, BODY_LIMIT)


async def _drain(receive: Receive) -> None:
    size = 0
    while size < DRAINED:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return


async def _send(send: Send, answer: Answer) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    if answer.status not in _BODILESS:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
