"""From what a function answers to what the client gets: API Gateway's payload format 2.0."""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, cast

from workledger.local.problems import Answer

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

LIMIT = 6 * 1024 * 1024
"""Bytes a Lambda function may answer (Q84)."""


class NoAnswer(Exception):
    """A function answered what API Gateway cannot send on: it would say 500."""


def answer_of(answered: Any) -> Answer:
    """The HTTP answer. What has no `statusCode` is the body itself, as JSON, with status 200.

    Raises NoAnswer.
    """
    if not isinstance(answered, Mapping) or "statusCode" not in answered:
        text = answered if isinstance(answered, str) else json.dumps(answered)
        return Answer(200, [("content-type", "application/json")], text.encode())
    given = cast("Mapping[str, Any]", answered)
    try:
        headers = [(str(name).lower(), _value(value)) for name, value in _headers(given)]
        headers += [("set-cookie", _value(cookie)) for cookie in given.get("cookies") or ()]
        body = _body(given)
        if len(body) > LIMIT:
            raise NoAnswer(f"the answer has {len(body)} bytes, a function may answer {LIMIT}")
        if body and all(name != "content-type" for name, _ in headers):
            headers.append(("content-type", "text/plain;charset=UTF-8"))
        return Answer(int(given["statusCode"]), headers, body)
    except (TypeError, ValueError, UnicodeEncodeError) as error:
        raise NoAnswer(f"the answer is none: {error}") from error


def _headers(given: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Single and repeated headers; format 2.0 knows the second only from older handlers."""
    repeated: Mapping[str, Any] = given.get("multiValueHeaders") or {}
    pairs = [(name, value) for name, values in repeated.items() for value in values]
    single: Mapping[str, Any] = given.get("headers") or {}
    return pairs + [(name, value) for name, value in single.items() if name not in repeated]


def _value(value: Any) -> str:
    """A header's value as text: booleans and numbers as JSON has them."""
    text = value if isinstance(value, str) else json.dumps(value)
    if _CONTROL.search(text):
        raise ValueError("a header has a control character")
    text.encode("latin-1")
    return text


def _body(given: Mapping[str, Any]) -> bytes:
    body = given.get("body")
    if body is None:
        return b""
    text = body if isinstance(body, str) else json.dumps(body)
    return base64.b64decode(text, validate=True) if given.get("isBase64Encoded") else text.encode()
