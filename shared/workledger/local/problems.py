"""What the gateway itself refuses, as problem+json: the shape that the functions answer with."""

import json
from http import HTTPStatus
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What goes back to the client. Names of headers are lower-case."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Problem(Exception):
    """A request that no function gets to see, or that a function did not answer."""

    def __init__(self, status: int, code: str, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def answer(self) -> Answer:
        """The problem document."""
        document: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "errors": [],
        }
        headers = [("content-type", "application/problem+json"), *self.headers.items()]
        return Answer(self.status, headers, json.dumps(document).encode())


def not_found(methods: list[str]) -> Problem:
    """No such route: a 404, for a path that has other methods too, as API Gateway answers it."""
    if methods:
        return Problem(
            404, "not_found", f"there is no such route; the path has {', '.join(methods)}"
        )
    return Problem(404, "not_found", "there is no such route")


def ambiguous() -> Problem:
    """A path that API Gateway would take for another one."""
    return Problem(
        404,
        "not_found",
        "the path has an encoded slash or question mark (%2F, %3F), which no route can take: "
        "use the id; GET /queues?name=... finds that of a queue",
    )


def undecodable() -> Problem:
    """Percent-encoding that is no UTF-8."""
    return Problem(400, "invalid_query", "the path or the query is not percent-encoded UTF-8")


def too_large(size: int, limit: int, what: str) -> Problem:
    """More than a request or an event may have (Q84)."""
    return Problem(
        413,
        "too_large",
        f"{what} has {size} bytes, at most {limit} are taken: send it in parts, each in a request",
    )


def headers_too_large(size: int, limit: int) -> Problem:
    """A request line and headers beyond API Gateway's limit."""
    detail = f"request line and headers have {size} bytes, at most {limit} are taken"
    return Problem(431, "too_large", detail)


def late(seconds: float) -> Problem:
    """A function that takes longer than the gateway waits; what it does may still be done."""
    detail = (
        f"no answer within {seconds:g} s; it may still have been done: "
        "send it again with the same Idempotency-Key"
    )
    return Problem(503, "timeout", detail, retry_after="1")


def stopping() -> Problem:
    """The server ends."""
    return Problem(503, "busy", "the server is stopping: try again", retry_after="1")


def crashed() -> Problem:
    """A function that raised, or answered what is no answer."""
    return Problem(500, "internal", "the function failed; the server's log says why")
