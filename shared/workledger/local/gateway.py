"""The HTTP side: an ASGI application that does what API Gateway does between client and function.

Route, token, event, function, answer. Nothing here knows what a queue is.
"""

import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from workledger.local import access, problems
from workledger.local.answers import NoAnswer, answer_of
from workledger.local.events import Event, Request, authorizer_event, http_event, with_authorizer
from workledger.local.problems import Answer
from workledger.local.routing import Ambiguous, Found, Nothing, Routes

_log = logging.getLogger("workledger.serve")

HEADERS_LIMIT = 10_240
BODY_LIMIT = 10 * 1024 * 1024
EVENT_LIMIT = 6 * 1024 * 1024
"""Bytes: what API Gateway takes as request line and headers, as a body, and Lambda as an event."""

Call = Callable[[str, Event], Any]
"""Calls a function by its logical id."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """The API of a system.

    `role` is that of requests without a token; None: there are no such requests.
    """

    routes: Routes
    call: Call
    role: str | None
    clock: Callable[[], float] = time.time

    def route(self, request: Request) -> Found:
        """The route of a request that may come in as far as its head says. Raises Problem."""
        size = len(request.method) + len(request.raw_path) + len(request.query)
        size += sum(len(name) + len(value) for name, value in request.headers)
        if size > HEADERS_LIMIT:
            raise problems.headers_too_large(size, HEADERS_LIMIT)
        try:
            found = self.routes.find(request.method, request.raw_path)
        except Ambiguous:
            raise problems.ambiguous() from None
        except ValueError:
            raise problems.undecodable() from None
        if isinstance(found, Nothing):
            raise problems.no_route(found.methods)
        if found.route.authorizer and self.role is None and not request.header("authorization"):
            raise access.unauthenticated()
        return found

    def answer(self, request: Request, found: Found, body: bytes) -> tuple[Answer, str]:
        """The answer to a request, and who asked. Blocks; raises Problem."""
        try:
            event = http_event(request, found, body, self.clock())
        except ValueError:
            raise problems.undecodable() from None
        _check_size(body, event)
        actor = ""
        if found.route.authorizer:
            context = self._who(request, event, found.route.authorizer)
            actor = str(context.get("actor", ""))
            event = with_authorizer(event, context)
        elif self.role is not None:
            access.from_here(request)  # functions that guard themselves believe this machine
        return self._ask(found.route.function, event), actor

    def _who(self, request: Request, event: Event, authorizer: str) -> Mapping[str, Any]:
        if self.role is not None and request.header("authorization") is None:
            return access.anonymous(request, self.role)
        try:
            said = self.call(authorizer, authorizer_event(event))
        except Exception:  # noqa: BLE001 - a function may raise anything
            _log.exception("%s failed", authorizer)
            raise problems.crashed() from None
        if (
            not isinstance(said, Mapping)
            or cast("Mapping[str, Any]", said).get("isAuthorized") is not True
        ):
            raise access.unknown_token()
        return cast("Mapping[str, Any]", said).get("context") or {}

    def _ask(self, function: str, event: Event) -> Answer:
        try:
            return answer_of(self.call(function, event))
        except NoAnswer as error:
            _log.error("%s: %s", function, error)
        except Exception:  # noqa: BLE001 - a function may raise anything
            _log.exception("%s failed", function)
        raise problems.crashed()


def _check_size(body: bytes, event: Event) -> None:
    """Refuse what Lambda would not take: its limit is on the event, as JSON (Q84)."""
    if 2 * len(body) < EVENT_LIMIT - 100_000:
        return  # the JSON of a text is at most twice as long, but for control characters
    size = len(json.dumps(event.get("body", ""), ensure_ascii=False).encode())
    if size > EVENT_LIMIT - 10_000:
        raise problems.too_large(size, EVENT_LIMIT - 10_000)
