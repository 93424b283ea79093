"""Events exactly as API Gateway's HTTP APIs make them (payload format 2.0).

What AWS's documentation leaves open follows what was observed there: paths and path parameters
arrive decoded; bodies are text for a few content types and base64 for all others, a missing one
included; what is empty is left out.
"""

import base64
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from workledger.local.routing import Found

Event = dict[str, Any]

ACCOUNT = "000000000000"
API = "local"
REGION = "us-east-1"
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_TEXT = {"application/json", "application/xml", "application/javascript"}


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request as it came. Header names are lower-case."""

    method: str
    raw_path: str
    query: str
    headers: list[tuple[str, str]]
    source: str = "127.0.0.1"
    protocol: str = "HTTP/1.1"

    def header(self, name: str) -> str | None:
        """The first header of a name."""
        return next((value for found, value in self.headers if found == name), None)


def http_event(
    request: Request,
    found: Found,
    body: bytes,
    now: float,
    new_id: Callable[[], str] | None = None,
) -> Event:
    """The event for the function behind a route. Raises ValueError: the query is not UTF-8."""
    event = _envelope(request, found, now, (new_id or request_id)())
    if found.parameters:
        event["pathParameters"] = found.parameters
    if body:
        event["body"], event["isBase64Encoded"] = _body(request.header("content-type"), body)
    else:
        event["isBase64Encoded"] = False
    return event


def authorizer_event(event: Event) -> Event:
    """The event for a REQUEST authorizer (format 2.0), made of that for the function."""
    http = event["requestContext"]["http"]
    arn = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{API}/$default/{http['method']}{http['path']}"
    identity = event["headers"].get("authorization")
    asked = {
        "type": "REQUEST",
        "routeArn": arn,
        "identitySource": [] if identity is None else [identity],
    }
    left_out = {"body", "isBase64Encoded"}
    return asked | {name: value for name, value in event.items() if name not in left_out}


def _envelope(request: Request, found: Found, now: float, request_id: str) -> Event:
    headers = _joined(request.headers)
    cookies = headers.pop("cookie", None) and _cookies(request)
    host = headers.get("host", "localhost")
    event: Event = {
        "version": "2.0",
        "routeKey": found.route.key,
        "rawPath": found.path,
        "rawQueryString": request.query,
        "headers": headers,
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": API,
            "domainName": host,
            "domainPrefix": host.partition(".")[0],
            "http": {
                "method": request.method,
                "path": found.path,
                "protocol": request.protocol,
                "sourceIp": request.source,
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "routeKey": found.route.key,
            "stage": "$default",
            "time": _time(now),
            "timeEpoch": int(now * 1000),
        },
    }
    if cookies:
        event["cookies"] = cookies
    if request.query:
        pairs = parse_qsl(request.query, keep_blank_values=True, errors="strict")
        event["queryStringParameters"] = _joined(pairs)
    return event


def request_id() -> str:
    """A request id in API Gateway's form."""
    return secrets.token_urlsafe(11) + "="


def _joined(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Names with their values; those of a repeated name are joined by commas, in order."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _cookies(request: Request) -> list[str]:
    sent = [value for name, value in request.headers if name == "cookie"]
    return [cookie.strip() for value in sent for cookie in value.split(";") if cookie.strip()]


def _body(content_type: str | None, body: bytes) -> tuple[str, bool]:
    """The body as text or base64, and whether it is base64."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind in _TEXT or kind.startswith("text/"):
        try:
            return body.decode(), False
        except UnicodeDecodeError:
            pass  # so that the function sees the bytes that came, and can refuse them
    return base64.b64encode(body).decode(), True


def _time(now: float) -> str:
    at = time.gmtime(now)
    month = _MONTHS[at.tm_mon - 1]
    return (
        f"{at.tm_mday:02}/{month}/{at.tm_year}:{at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02} +0000"
    )


def with_authorizer(event: Event, context: Mapping[str, Any]) -> Event:
    """The event with what the authorizer says."""
    event["requestContext"]["authorizer"] = {"lambda": dict(context)}
    return event
