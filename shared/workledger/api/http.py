"""The request: an event of API Gateway's HTTP API (payload 2.0), read strictly."""

import binascii
from base64 import b64decode
from functools import cached_property
from typing import Any
from urllib.parse import quote

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from workledger import jsontext
from workledger.errors import Refused

MOST_BYTES = 6 * 1024 * 1024
"""Of a request: what Lambda takes (Q84)."""

JSON = "application/json"
NDJSON = "application/x-ndjson"
CSV = "text/csv"

KEPT_AS_TEXT = ("result", "answer", "schema")
"""Members of a body whose text is kept digit for digit (Q10)."""


class HttpEvent(APIGatewayProxyEventV2):
    """One request. Replaces what Powertools reads leniently."""

    @cached_property
    def headers(self) -> dict[str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Headers by lower-case name, each as it was sent: a comma is part of a value."""
        sent: dict[str, Any] = self.get("headers") or {}
        found = {name.lower(): str(value) for name, value in sent.items()}
        if "content-type" in found:
            found["content-type"] = found["content-type"].strip().lower()
        return found

    @cached_property
    def resolved_headers_field(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The headers by whatever spelling a route declares."""
        return _Headers(self.headers)

    @property
    def resolved_query_string_parameters(self) -> dict[str, list[str]]:
        """The query as the gateway decoded it: a comma is part of a value."""
        return {name: [value] for name, value in self.query_string_parameters.items()}

    @cached_property
    def path(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The path with its parts encoded.

        The gateway decodes the path, and its parameters, once. What was a parameter is taken from
        there and encoded again, so that a name of any characters matches its route (Q2).
        """
        key: str = self.get("routeKey") or "$default"
        template = key.partition(" ")[2]
        parameters = self.path_parameters
        if parameters and template:
            return "/".join(_part(part, parameters) for part in template.split("/"))
        raw = self.get("rawPath") or "/"
        context: dict[str, Any] = self["requestContext"]
        stage: str = context.get("stage") or "$default"
        if stage != "$default":
            raw = raw.removeprefix(f"/{stage}")
        return "/".join(_encoded(part) for part in raw.split("/"))

    @property
    def method(self) -> str:
        """The method that was sent."""
        return str(self["requestContext"]["http"]["method"]).upper()

    @property
    def http_method(self) -> str:
        """The method that is answered: HEAD is GET without its body."""
        return "GET" if self.method == "HEAD" else self.method

    @property
    def content_type(self) -> str:
        """The media type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @cached_property
    def raw(self) -> bytes:
        """The body as it came. Raises Refused: request_too_large, invalid_json (not base64)."""
        body: str = self.body or ""
        if len(body) > (MOST_BYTES * 4 // 3 + 4 if self.is_base64_encoded else MOST_BYTES):
            raise _too_large(len(body))
        raw = _decoded(body) if self.is_base64_encoded else _utf8(body)
        if len(raw) > MOST_BYTES:
            raise _too_large(len(raw))
        return raw

    @cached_property
    def text(self) -> str:
        """The body as text. Raises Refused: request_too_large, invalid_json (not UTF-8)."""
        return jsontext.text_of(self.raw)

    @cached_property
    def json_body(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The members of a JSON body; an empty body is an empty object. Raises Refused."""
        text = self.text
        start = text.lstrip(" \t\n\r")[:1]
        if not start:
            return {}
        if start != "{":
            jsontext.parse(text)
            raise Refused("invalid_body", "the body must be a JSON object: {...}")
        (found,) = jsontext.entries(text, 1)
        members = found.members or {}
        kept = {name: members[name] for name in KEPT_AS_TEXT if name in members}
        return {**found.value, **kept}


class _Headers(dict[str, str]):
    """Looked up by any spelling."""

    def get(self, key: str, default: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().get(key.lower(), default)

    def __getitem__(self, key: str) -> str:
        return super().__getitem__(key.lower())

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key.lower(), value)


def _part(part: str, parameters: dict[str, str]) -> str:
    if part.startswith("{") and part.endswith("}"):
        return _encoded(parameters.get(part[1:-1].removesuffix("+"), ""))
    return part


def _encoded(part: str) -> str:
    return quote(part, safe="", errors="replace")


def _decoded(body: str) -> bytes:
    try:
        return b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused("invalid_json", "the body does not decode from base64") from error


def _utf8(body: str) -> bytes:
    try:
        return body.encode()
    except UnicodeEncodeError as error:
        raise Refused("invalid_json", "the body is not text: it has a lone surrogate") from error


def _too_large(size: int) -> Refused:
    return Refused(
        "request_too_large",
        f"a request has at most {MOST_BYTES} bytes, this one {size}. 5,000 items fit only up to "
        "about 1 KB each: cut the load into parts",
        size=size,
        limit=MOST_BYTES,
    )
