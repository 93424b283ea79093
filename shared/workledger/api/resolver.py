"""The resolver: Powertools' routing and validation, safe under threads, with one door.

Every request passes `_call_route`: who is it, may they, is the body of a type that is understood.
Nothing else checks a permission.
"""
# ruff: noqa: SLF001, ARG002
# pyright: reportPrivateUsage=false, reportIncompatibleVariableOverride=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# Powertools has no public way to do what is overridden here; the lock file pins it, and tests call
# the resolver from many threads at once.

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Request, Response
from aws_lambda_powertools.event_handler.api_gateway import ResponseBuilder, Route
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from workledger.api import answers, problems, validation
from workledger.api.documenting import route_of
from workledger.api.http import HttpEvent
from workledger.api.operations import Operation
from workledger.api.permissions import Permissions
from workledger.errors import Refused

OnError = Callable[[Exception], str]
"""Is told of an unexpected error; answers the id it was logged under."""


@dataclass(slots=True)
class Told:
    """What is told of a request when it has been answered; never what was in it."""

    operation: str | None = None
    code: str | None = None
    started: float = field(default_factory=time.perf_counter)


class _Own(threading.local):
    """What is the thread's own: the request it answers, what that carries along, what is told."""

    def __init__(self) -> None:
        self.event = HttpEvent({})
        self.context: dict[str, Any] = {}
        self.told = Told()


OnAnswer = Callable[[dict[str, Any], int, Told], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: what the authorizer found out."""

    actor: str
    role: str


def event_of(request: Request) -> HttpEvent:
    """The request as it came."""
    return cast("HttpEvent", request.resolved_event)


def actor(request: Request) -> str:
    """Who asks."""
    return cast("Caller", request.context["caller"]).actor


class Api(APIGatewayHttpResolver):
    """One resolver for all threads.

    Powertools keeps the current event on a class and the context on the instance, where requests of
    several threads see each other's. Here both are the thread's own. A route's chain of middlewares
    is built on its first request, by one thread.
    """

    def __init__(
        self, permissions: Callable[[], Permissions], on_error: OnError, on_answer: OnAnswer
    ) -> None:
        self._own = _Own()
        self._building = threading.Lock()
        self._permissions = permissions
        self._on_error, self._on_answer = on_error, on_answer
        self._operations: dict[tuple[str, str], Operation] = {}
        super().__init__(enable_validation=True, debug=False)  # debugging prints whole events
        self.exception_handler(Exception)(self._refuse)

    # --- what Powertools would share between threads ---
    @property
    def current_event(self) -> HttpEvent:
        """This thread's request."""
        return self._own.event

    @property
    def context(self) -> dict[str, Any]:
        """What this thread's request carries along."""
        return self._own.context

    @context.setter
    def context(self, value: dict[str, Any]) -> None:
        self._own.context = value

    def _to_proxy_event(self, event: dict[str, Any]) -> HttpEvent:
        self._own.event = HttpEvent(event)
        return self._own.event

    def _push_processed_stack_frame(self, frame: str) -> None:
        """A list for debugging, shared and growing: left out."""

    # --- routes ---
    def include(self, operations: Iterable[Operation]) -> None:
        """Register operations."""
        for one in operations:
            self._operations[one.key] = one
            self.route(**route_of(one))(one.handler)

    @property
    def operations(self) -> list[Operation]:
        """All that are registered."""
        return list(self._operations.values())

    def answer(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """The answer to an event. Never raises."""
        outer = dict(vars(self._own))
        self._own.context, self._own.told = {}, Told()
        try:
            made = self._answer(event, context)
            self._on_answer(event, made["statusCode"], self._own.told)
            return made
        finally:
            vars(self._own).update(outer)

    def _answer(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        try:
            made = self.resolve(event, context)
            head = self.current_event.method == "HEAD"
        except Exception as error:  # noqa: BLE001 - the last door: no event of ours, a fault of ours
            return self._built(self._refuse(error)).build(HttpEvent({}))
        return {**made, "body": ""} if head else made

    def _convert_matches_into_route_keys(self, match: Any) -> dict[str, str]:
        return {name: unquote(part) for name, part in match.groupdict().items()}

    def _call_route(self, route: Route, route_arguments: dict[str, str]) -> ResponseBuilder[Any]:
        self._build(route)
        try:
            self._enter(route)
        except Refused as refused:
            return self._built(self._refuse(refused))
        return super()._call_route(route, route_arguments)

    def _enter(self, route: Route) -> None:
        """The one door."""
        operation, event = self._operations[route.method, route.openapi_path], self.current_event
        self._own.told.operation = operation.id
        caller = _caller(event)
        self._permissions().require(caller.role, operation.needs)
        self.append_context(caller=caller)
        _check_content_type(event, operation)
        _check_query(event, {field.alias for field in route.dependant.query_params})

    def _build(self, route: Route) -> None:
        if not route._middleware_stack_built:
            with self._building:
                if not route._middleware_stack_built and route.dependant:
                    route._build_middleware_stack(self._router_middlewares, self)

    def _handle_not_found(self, method: str, path: str) -> ResponseBuilder[Any]:
        """404, or 405 with what is allowed; OPTIONS is told the same."""
        allowed = self._allowed(path)
        if allowed and self.current_event.method == "OPTIONS":
            return self._built(Response(204, body="", headers={"Allow": ", ".join(allowed)}))
        if allowed:
            detail = f"{self.current_event.method} is no method of this address"
            refused = Refused("method_not_allowed", detail, allow=allowed)
        else:
            refused = Refused(
                "not_found",
                "there is nothing at this address; a queue whose name has a slash or a question "
                "mark is reached by its id (GET /queues?name=...)",
            )
        return self._built(self._refuse(refused))

    def _allowed(self, path: str) -> list[str]:
        routes = [*self._static_routes, *self._dynamic_routes]
        methods = {route.method for route in routes if route.rule.match(path)}
        if "GET" in methods:
            methods.add("HEAD")
        return sorted({*methods, "OPTIONS"}) if methods else []

    # --- refusals ---
    def _refuse(self, error: Exception) -> answers.Answered:
        """The problem of any error; what nobody expected is logged under an id."""
        if isinstance(error, RequestValidationError):
            of = validation.problem_of(error.errors())
        else:
            of = problems.of_error(error, "")
        if of.code == "internal":
            of = problems.of_error(error, self._on_error(error))
        self._own.told.code = of.code
        return answers.problem(of)

    def _built(self, response: answers.Answered) -> ResponseBuilder[Any]:
        return self._response_builder_class(response=response, serializer=self._serializer)


def _caller(event: HttpEvent) -> Caller:
    context: dict[str, Any] = event["requestContext"].get("authorizer") or {}
    found: dict[str, Any] = context.get("lambda") or {}
    name, role = found.get("actor"), found.get("role")
    if not name or not role:
        raise Refused("unauthenticated", "the request bears no valid token")
    return Caller(str(name), str(role))


def _check_content_type(event: HttpEvent, operation: Operation) -> None:
    sent = event.content_type
    if operation.takes and sent and sent not in operation.takes and event.body:
        takes = " or ".join(operation.takes)
        raise Refused(
            "unsupported_media_type", f"the body is {sent}; what is understood is {takes}"
        )


def _check_query(event: HttpEvent, known: set[str]) -> None:
    """A parameter that nobody reads is a typing error: `?stauts=failed` would show everything."""
    for name in event.query_string_parameters:
        if name not in known:
            raise Refused("invalid_query", f"{name} is no parameter of this", field=name)
