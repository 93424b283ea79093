"""What template.yaml deploys: functions, routes, streams, queues, schedules.

There is no second list of anything: `serve` runs what this reads.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workledger.local import cloudformation
from workledger.local.cloudformation import TemplateError, called, resource

_RATE = re.compile(r"rate\((\d+) (second|minute|hour|day)s?\)")
_UNIT = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


@dataclass(frozen=True, slots=True)
class Function:
    """A Lambda function: its logical id, and `package.module.attribute` of its handler."""

    name: str
    handler: str
    timeout: float = 3.0
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the HTTP API. `key` is API Gateway's routeKey: `POST /queues`, or `$default`."""

    method: str
    path: str
    function: str
    authorizer: str | None = None

    @property
    def key(self) -> str:
        """API Gateway's name of the route."""
        return self.path if self.path == "$default" else f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Stream:
    """A DynamoDB stream that a function follows. `filters` are event patterns, any may match."""

    table: str
    function: str
    batch_size: int = 100
    max_age: float = float("inf")
    named_shards: bool = False
    filters: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """A function that runs every so many seconds."""

    name: str
    function: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue whose messages a function gets."""

    name: str
    function: str
    batch_size: int = 10
    receives: int = 5


@dataclass(frozen=True, slots=True)
class System:
    """All of it."""

    functions: Mapping[str, Function]
    routes: tuple[Route, ...]
    streams: tuple[Stream, ...]
    schedules: tuple[Schedule, ...]
    queues: tuple[Queue, ...]


def load(path: Path) -> System:
    """The system that a template describes. Raises OSError, TemplateError."""
    return _Template(cloudformation.read(path)).system()


class _Template:
    def __init__(self, template: dict[str, Any]) -> None:
        self._template = template
        self._resources: dict[str, Any] = template["Resources"]
        self._globals: dict[str, Any] = template.get("Globals", {}).get("Function", {})

    def system(self) -> System:
        functions = {name: self._function(name, of) for name, of in self._of("Function")}
        return System(
            functions,
            tuple(self._route(name, of) for name, _, of in self._events("HttpApi")),
            tuple(self._stream(name, of) for name, _, of in self._events("DynamoDB")),
            tuple(_schedule(name, event, of) for name, event, of in self._events("Schedule")),
            tuple(self._queue(name, of) for name, _, of in self._events("SQS")),
        )

    def _of(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, found in self._resources.items():
            if found["Type"] == f"AWS::Serverless::{kind}":
                yield name, found["Properties"]

    def _events(self, kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for function, properties in self._of("Function"):
            for event, found in properties.get("Events", {}).items():
                if found["Type"] == kind:
                    yield function, event, found.get("Properties", {})

    def _function(self, name: str, of: dict[str, Any]) -> Function:
        variables = {
            **self._globals.get("Environment", {}).get("Variables", {}),
            **of.get("Environment", {}).get("Variables", {}),
        }
        known = {name: self._value(value) for name, value in variables.items()}
        environment = {name: value for name, value in known.items() if value is not None}
        timeout = of.get("Timeout", self._globals.get("Timeout", 3))
        return Function(name, of["Handler"], float(timeout), environment)

    def _value(self, value: Any) -> str | None:
        """A value where it is known before deploying: a text, or a parameter with a default."""
        call = called(value)
        if call is None:
            return str(value)
        parameter = self._template.get("Parameters", {}).get(str(call.argument), {})
        default = parameter.get("Default") if call.function == "Ref" else None
        return None if default is None else str(default)

    def _route(self, function: str, of: dict[str, Any]) -> Route:
        return Route(
            of.get("Method", "ANY").upper(), of.get("Path", "$default"), function, self._guard(of)
        )

    def _guard(self, of: dict[str, Any]) -> str | None:
        """The function that decides who may use a route; None where anybody may."""
        api = self._resources.get(resource(of.get("ApiId", "")), {}).get("Properties", {})
        auth: dict[str, Any] = api.get("Auth", {})
        name = of.get("Auth", {}).get("Authorizer", auth.get("DefaultAuthorizer", "NONE"))
        if name == "NONE":
            return None
        return resource(auth["Authorizers"][name]["FunctionArn"])

    def _stream(self, function: str, of: dict[str, Any]) -> Stream:
        filters = of.get("FilterCriteria", {}).get("Filters", [])
        return Stream(
            resource(of["Stream"]),
            function,
            of.get("BatchSize", 100),
            of.get("MaximumRecordAgeInSeconds", float("inf")),
            of.get("TumblingWindowInSeconds", 0) > 0,
            tuple(json.loads(found["Pattern"]) for found in filters),
        )

    def _queue(self, function: str, of: dict[str, Any]) -> Queue:
        name = resource(of["Queue"])
        redrive = self._resources.get(name, {}).get("Properties", {}).get("RedrivePolicy", {})
        return Queue(name, function, of.get("BatchSize", 10), redrive.get("maxReceiveCount", 5))


def _schedule(function: str, event: str, of: dict[str, Any]) -> Schedule:
    match = _RATE.fullmatch(of["Schedule"])
    if match is None:
        raise TemplateError(
            f"{event} of {function}: only rate(...) is understood: {of['Schedule']}"
        )
    return Schedule(event, function, int(match[1]) * _UNIT[match[2]])
