"""What the gateway itself refuses, in the words that the functions use (`api.problems`)."""

import json
from typing import NamedTuple

from workledger.api import problems as api


class Answer(NamedTuple):
    """What goes back to the client. Names of headers are lower-case."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Problem(Exception):
    """A request that no function gets to see, or that a function did not answer."""

    def __init__(
        self, code: str, detail: str, *, status: int | None = None, **context: object
    ) -> None:
        super().__init__(detail)
        self.status = status or api.TABLE[code].status
        self._problem = api.Problem(code, detail, context=context)

    def answer(self) -> Answer:
        """The problem document."""
        body = json.dumps(self._problem.body() | {"status": self.status}).encode()
        headers = [(name.lower(), value) for name, value in self._problem.headers().items()]
        return Answer(self.status, [("content-type", api.CONTENT_TYPE), *headers], body)


def no_route(methods: list[str]) -> Problem:
    """No such route. API Gateway answers 404 as well where the path has other methods."""
    if methods:
        detail = f"there is no such method here, only {', '.join(methods)}"
        return Problem("method_not_allowed", detail, allow=methods)
    return Problem("not_found", "there is nothing at this address")


def ambiguous() -> Problem:
    """A path that API Gateway would take for another one."""
    return Problem(
        "not_found",
        "the path has an encoded slash or question mark (%2F, %3F), which no address can have: "
        "use the id instead of the name; GET /queues?name=... finds that of a queue, "
        "/manual-tasks?name=... and /processes?name=... those of manual tasks and processes",
    )


def undecodable() -> Problem:
    """Percent-encoding that is no UTF-8."""
    return Problem("invalid_query", "the path or the query is not percent-encoded UTF-8")


def too_large(size: int, limit: int) -> Problem:
    """More than a request, or the event made of it, may have (Q84)."""
    detail = (
        f"a request has at most {limit} bytes, this one {size}. 5,000 items fit only up to about "
        "1 KB each: cut the load into parts"
    )
    return Problem("request_too_large", detail, size=size, limit=limit)


def headers_too_large(size: int, limit: int) -> Problem:
    """A request line and headers beyond API Gateway's limit."""
    detail = f"the request line and the headers have {size} bytes, at most {limit} are taken"
    return Problem("invalid_header", detail, status=431)


def late(seconds: float) -> Problem:
    """A function that takes longer than the gateway waits; what it does may still be done."""
    detail = f"no answer within {seconds:g} seconds; what was asked may still be done"
    return Problem("busy", detail)


def stopping() -> Problem:
    """The server ends."""
    return Problem("busy", "the server is stopping")


def crashed() -> Problem:
    """A function that raised, or answered what is no answer."""
    return Problem("internal", "the function failed; the server's log says why")
