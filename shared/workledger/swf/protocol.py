"""The wire: JSON 1.0 in and out, as the service speaks it (W1, 1.0).

A request that cannot be carried out just now (the store is busy, or what became of a write is not
known) is answered 503: every AWS SDK takes that for a passing fault and tries again by itself,
without slowing down all its other calls as for a throttling exception.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workledger import jsontext
from workledger.errors import NewerShape, Refused, StoreError
from workledger.service.core import Core
from workledger.swf import shapes, validation
from workledger.swf.call import Call
from workledger.swf.entering import Door
from workledger.swf.operations import OPERATIONS, Operation
from workledger.swf.signing import Request

CONTENT_TYPE = "application/x-amz-json-1.0"

LARGEST_REQUEST = 1024 * 1024
"""Bytes (1.10)."""

FAULTS = "com.amazonaws.swf.base.model#"
VALIDATION = "com.amazon.coral.validate#"
SERVICE = "com.amazon.coral.service#"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came in, with whose account it came to and whether its sender is there."""

    request: Request
    account: str
    id: str
    connected: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class Answered:
    """What goes back; `code` and `operation` are for the log."""

    status: int
    headers: Mapping[str, str]
    body: str
    operation: str = ""
    code: str = ""


class Service(Protocol):
    """What the protocol needs of its surroundings."""

    @property
    def core(self) -> Core:
        """The use cases' surroundings."""
        ...

    @property
    def door(self) -> Door:
        """Who lets in."""
        ...


def handle(service: Service, asked: Asked, poll_seconds: float) -> Answered:
    """The answer to a request, whatever it is. Raises only what nobody foresaw."""
    name = asked.request.headers.get("x-amz-target", "").rpartition(".")[2]
    operation = OPERATIONS.get(name)
    if operation is None:
        return _fault(asked, "", 400, "UnknownOperationException", "")
    try:
        answer = _carry_out(service, operation, asked, poll_seconds)
    except Refused as refused:
        return _fault(asked, name, 400, refused.code, refused.detail)
    except (StoreError, NewerShape) as error:
        return _fault(asked, name, 503, "ServiceUnavailableException", str(error))
    return Answered(200, _headers(asked), answer, name)


def _carry_out(service: Service, operation: Operation, asked: Asked, poll_seconds: float) -> str:
    body = asked.request.body
    if len(body) > LARGEST_REQUEST:
        raise Refused("ValidationException", f"a request has at most {LARGEST_REQUEST} bytes")
    caller = service.door.enter(service.core, asked.request)
    shape = shapes.operations()[operation.name]
    call = Call(
        core=service.core,
        region=caller.region,
        account=asked.account,
        actor=caller.actor,
        params=validation.checked(shape.input, _parsed(body)),
        poll_seconds=poll_seconds,
        connected=asked.connected,
    )
    if caller.key is not None:
        domains = operation.about(call) if caller.key.domains is not None else ()
        caller.may(operation.name, writes=operation.writes, domains=domains)
    answer = operation.run(call)
    return "" if shape.output is None else _text(shapes.shaped(shape.output, answer or {}))


def _parsed(body: bytes) -> Any:
    try:
        return jsontext.parse(jsontext.text_of(body))
    except Refused as refused:
        raise Refused("SerializationException", refused.detail) from refused


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def internal_failure(asked: Asked) -> Answered:
    """The answer when something happened that nobody foresaw."""
    return _fault(asked, "", 500, "InternalFailure", "")


def _headers(asked: Asked) -> dict[str, str]:
    return {"Content-Type": CONTENT_TYPE, "x-amzn-RequestId": asked.id}


def _fault(asked: Asked, operation: str, status: int, code: str, message: str) -> Answered:
    space = FAULTS if code.endswith("Fault") else SERVICE
    space = VALIDATION if code == "ValidationException" else space
    body: dict[str, str] = {"__type": f"{space}{code}"}
    if message:
        body["message"] = message
    return Answered(status, _headers(asked), _text(body), operation, code)
