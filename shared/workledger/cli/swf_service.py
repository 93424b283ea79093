"""Calls of the Amazon SWF service, signed (W1, W30): for `workledger swf`."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import typer

from workledger import times
from workledger.cli.session import Session, session_of
from workledger.client import ServerUnreachable
from workledger.client.client import DEFAULT_URL
from workledger.errors import Refused, StoreBusy
from workledger.swf import signing
from workledger.swf.signing import Request

CONTENT_TYPE = "application/x-amz-json-1.0"
TIMEOUT_SECONDS = 35.0

LOCAL = "local"
"""Key and secret for a server that believes every signature: one on this machine."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its members, and its text exactly."""

    text: str
    members: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class SwfService:
    """One server's SWF service, in one region."""

    session: Session
    region: str

    def call(self, operation: str, **params: Any) -> Answer:
        """Call an operation; what is None is left out. Raises Refused, ServerUnreachable."""
        given = {name: value for name, value in params.items() if value is not None}
        url = (self.session.url or DEFAULT_URL).rstrip("/")
        body = json.dumps(given).encode()
        headers = {
            "host": urlsplit(url).netloc,
            "content-type": CONTENT_TYPE,
            "x-amz-target": f"SimpleWorkflowService.{operation}",
        }
        request = Request("POST", "/", "", headers, body)
        try:
            signed = signing.sign(request, *_key(), self.region, times.system_clock())
            with httpx.Client(
                transport=self.session.inputs.transport, timeout=TIMEOUT_SECONDS
            ) as client:
                got = client.post(f"{url}/", content=body, headers={**headers, **signed})
        except httpx.RequestError as error:
            raise ServerUnreachable(url, str(error) or type(error).__name__) from error
        return _read(got)

    def pages(self, operation: str, *, every: bool, **params: Any) -> Iterator[Answer]:
        """The first page of a list, or all."""
        token: str | None = None
        while True:
            answer = self.call(operation, nextPageToken=token, **params)
            yield answer
            token = answer.members.get("nextPageToken")
            if token is None or not every:
                return


def service_of(ctx: typer.Context) -> SwfService:
    """The service that a command calls."""
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    return SwfService(session_of(ctx), region)


def _key() -> tuple[str, str]:
    return (
        os.environ.get("AWS_ACCESS_KEY_ID") or LOCAL,
        os.environ.get("AWS_SECRET_ACCESS_KEY") or LOCAL,
    )


def _read(got: httpx.Response) -> Answer:
    try:
        found: Any = json.loads(got.text) if got.text else {}
    except ValueError:
        found = None
    if not isinstance(found, dict):
        detail = "the answer is not what an SWF service says: is the address right?"
        raise Refused("strange_answer", detail)
    members = cast("dict[str, Any]", found)
    if got.is_success:
        return Answer(got.text, members)
    code = str(members.get("__type") or members.get("code") or f"http_{got.status_code}")
    detail = str(members.get("message") or members.get("detail") or f"HTTP {got.status_code}")
    if got.status_code == 503:
        raise StoreBusy(detail)
    raise Refused(code.rpartition("#")[2], detail)
