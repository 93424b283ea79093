"""The HTTP side in one process: route, token, function, answer, over ASGI with stub functions."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpx
import pytest

from workledger.local.asgi import Application
from workledger.local.deployed import Route
from workledger.local.events import Event, Request
from workledger.local.gateway import BODY_LIMIT, EVENT_LIMIT, Gateway
from workledger.local.routing import Routes
from workledger.local.workers import Workers

ROUTES = Routes(
    [
        Route("POST", "/echo/{name}", "Echo", "Guard"),
        Route("GET", "/free", "Echo"),
        Route("GET", "/broken", "Broken"),
        Route("GET", "/slow", "Slow"),
        Route("GET", "/empty", "Empty"),
    ]
)
TOKENS = {"Bearer good": {"actor": "anna", "role": "operator"}}


class Functions:
    """Stub functions; `seen` are the events they got."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Event]] = []
        self.release = threading.Event()

    def __call__(self, name: str, event: Event) -> Any:
        self.seen.append((name, event))
        return getattr(self, name.lower())(event)

    def guard(self, event: Event) -> Any:
        bearer = event["headers"].get("authorization")
        if bearer == "Bearer boom":
            raise OSError("the store is away")
        context = TOKENS.get(bearer)
        return {"isAuthorized": context is not None, "context": context}

    def echo(self, event: Event) -> Any:
        told = event["requestContext"].get("authorizer", {}).get("lambda")
        body = json.dumps({"who": told, "path": event["rawPath"], "body": event.get("body")})
        return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": body}

    def broken(self, event: Event) -> Any:
        raise KeyError("secret")

    def slow(self, event: Event) -> Any:
        self.release.wait(20)
        return {"statusCode": 200, "body": "late"}

    def empty(self, event: Event) -> Any:
        return {"statusCode": 204}


class Served:
    """An application without a socket."""

    def __init__(self, role: str | None = "developer", seconds: float = 30.0) -> None:
        self.functions = Functions()
        self.logged: list[tuple[str, str, int, str]] = []
        gateway = Gateway(ROUTES, self.functions, role)
        self.application = Application(gateway, Workers(8), self._log, seconds)

    def _log(self, request: Request, status: int, seconds: float, actor: str) -> None:
        assert seconds >= 0
        self.logged.append((request.method, request.raw_path, status, actor))

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(self.application)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8080"
            ) as client:
                return await client.request(method, path, **options)

        return anyio.run(go)


@contextmanager
def released(served: Served) -> Iterator[None]:
    try:
        yield
    finally:
        served.functions.release.set()


def problem(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert body["detail"]
    return answer.status_code, body["code"]


def test_without_a_token_the_function_sees_the_local_actor() -> None:
    answer = Served().ask("POST", "/echo/x", json={"a": 1})
    assert answer.json() == {
        "who": {"actor": "local", "role": "developer"},
        "path": "/echo/x",
        "body": '{"a":1}',
    }
    assert answer.headers["content-length"] == str(len(answer.content))


def test_with_a_token_the_function_sees_its_owner() -> None:
    served = Served()
    answer = served.ask("POST", "/echo/x", headers={"authorization": "Bearer good"})
    assert answer.json()["who"] == TOKENS["Bearer good"]
    assert [name for name, _ in served.functions.seen] == ["Guard", "Echo"]
    asked = served.functions.seen[0][1]
    assert (asked["type"], asked["routeKey"]) == ("REQUEST", "POST /echo/{name}")
    assert served.logged == [("POST", "/echo/x", 200, "anna")]


def test_a_token_wins_over_the_header_that_names_an_actor() -> None:
    headers = {"authorization": "Bearer good", "x-workledger-actor": "eve"}
    assert Served().ask("POST", "/echo/x", headers=headers).json()["who"]["actor"] == "anna"


@pytest.mark.parametrize(
    ("role", "headers", "expected"),
    [
        ("developer", {"authorization": "Bearer bad"}, (403, "forbidden")),
        ("developer", {"authorization": "Bearer boom"}, (500, "internal")),
        ("developer", {"authorization": ""}, (403, "forbidden")),
        ("developer", {"host": "evil.com"}, (403, "forbidden")),
        ("developer", {"origin": "https://evil.com"}, (403, "forbidden")),
        (None, {}, (401, "unauthenticated")),
        (None, {"x-workledger-actor": "eve"}, (401, "unauthenticated")),
        (None, {"authorization": "Bearer bad"}, (403, "forbidden")),
    ],
)
def test_who_may_not_come_in(
    role: str | None, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    served = Served(role)
    answer = served.ask("POST", "/echo/x", headers=headers)
    assert problem(answer) == expected
    assert ("www-authenticate" in answer.headers) is (expected[0] == 401)
    assert "Echo" not in [name for name, _ in served.functions.seen]


def test_tokens_only_with_a_token() -> None:
    answer = Served(None).ask("POST", "/echo/x", headers={"authorization": "Bearer good"})
    assert answer.json()["who"]["actor"] == "anna"


def test_a_route_without_authorizer_is_for_everybody() -> None:
    answer = Served(None).ask("GET", "/free", headers={"host": "evil.com"})
    assert answer.json()["who"] is None


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/nothing", (404, "not_found")),
        ("GET", "/echo/a%2Fb", (404, "not_found")),
        ("POST", "/echo/%FF", (400, "invalid_query")),
        ("GET", "/free?a=%FF", (400, "invalid_query")),
        ("PUT", "/free", (405, "method_not_allowed")),
        ("GET", "/broken", (500, "internal")),
    ],
)
def test_q100_what_no_function_answers_is_a_problem(
    method: str, path: str, expected: tuple[int, str]
) -> None:
    answer = Served().ask(method, path)
    assert problem(answer) == expected
    assert "secret" not in answer.text
    if expected[0] == 405:
        assert answer.headers["allow"] == "GET"


def test_an_answer_without_a_body_has_no_length() -> None:
    answer = Served().ask("GET", "/empty")
    assert (answer.status_code, answer.content) == (204, b"")
    assert "content-length" not in answer.headers


def test_q84_a_request_of_more_than_10_mb_is_refused_before_it_is_read() -> None:
    served = Served()
    answer = served.ask("POST", "/echo/x", content=b"x" * (BODY_LIMIT + 1))
    assert problem(answer) == (413, "request_too_large")
    assert served.functions.seen == []


def test_q84_a_chunked_request_of_more_than_10_mb_is_refused() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(12):
            yield b"x" * (BODY_LIMIT // 11)

    assert problem(Served().ask("POST", "/echo/x", content=chunks())) == (413, "request_too_large")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"x" * EVENT_LIMIT, "text/plain"),
        (b"\n" * (EVENT_LIMIT // 2), "text/plain"),  # twice as long as JSON
        (b"x" * (EVENT_LIMIT * 3 // 4), "application/x-ndjson"),  # as base64
    ],
    ids=["text", "escaped", "base64"],
)
def test_q84_what_a_function_would_not_take_is_refused(body: bytes, kind: str) -> None:
    served = Served()
    answer = served.ask("POST", "/echo/x", content=body, headers={"content-type": kind})
    assert problem(answer) == (413, "request_too_large")
    assert "1 KB" in answer.json()["detail"]
    assert served.functions.seen == []


def test_q84_just_below_the_limit_is_taken() -> None:
    body = b"x" * (EVENT_LIMIT - 20_000)
    answer = Served().ask("POST", "/echo/x", content=body, headers={"content-type": "text/plain"})
    assert answer.status_code == 200


def test_headers_beyond_the_gateways_limit_are_refused() -> None:
    answer = Served().ask("GET", "/free", headers={"x-long": "x" * 10_300})
    assert problem(answer) == (431, "invalid_header")


def test_a_function_that_is_too_slow_is_a_503() -> None:
    served = Served(seconds=0.05)
    with released(served):
        answer = served.ask("GET", "/slow")
    assert problem(answer) == (503, "busy")
    assert answer.headers["retry-after"] == "1"


def test_a_server_that_is_stopping_says_so() -> None:
    served = Served()
    served.application.stopping = True
    assert problem(served.ask("GET", "/free")) == (503, "busy")
    assert served.functions.seen == []


def test_a_request_that_waits_holds_up_nobody_else() -> None:
    served = Served()
    statuses: list[int] = []

    async def go() -> None:
        transport = httpx.ASGITransport(served.application)
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
            anyio.create_task_group() as group,
        ):

            async def slow() -> None:
                statuses.append((await client.get("/slow")).status_code)

            for _ in range(4):
                group.start_soon(slow)
            assert (await client.get("/free")).status_code == 200
            assert statuses == []
            served.functions.release.set()

    with released(served):
        anyio.run(go)
    assert statuses == [200] * 4
