"""The handlers as a WSGI application: what API Gateway does between a socket and an event."""

import base64
import json
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl

from tests.functions.calling import TEXT_TYPES

TOKEN = "wl_token"
Start = Callable[[str, list[tuple[str, str]]], Any]
Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


class Gateway:
    """Finds the route, decodes the path once, asks who it is, calls the handler."""

    def __init__(self, document: dict[str, Any], handler: Handler) -> None:
        self.document, self.handler = document, handler
        self.routes = [
            (re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), path)
            for path in document["paths"]
        ]
        self.answered: dict[tuple[str, int], int] = {}

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
        if path == "/openapi.json":
            start("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(self.document).encode()]
        event = self._event(environ, path)
        made = self.handler(event, None)
        key = (event["routeKey"], made["statusCode"])
        self.answered[key] = self.answered.get(key, 0) + 1
        body = made["body"].encode()
        headers = [*made["headers"].items(), ("Content-Length", str(len(body)))]
        start(f"{made['statusCode']} Status", headers)
        return [body]

    def _event(self, environ: dict[str, Any], path: str) -> dict[str, Any]:
        method, headers = environ["REQUEST_METHOD"], _headers(environ)
        event: dict[str, Any] = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": environ.get("QUERY_STRING", ""),
            "headers": headers,
            "requestContext": {"http": {"method": method, "path": path}, "stage": "$default"},
            "isBase64Encoded": False,
        }
        for pattern, template in self.routes:
            match = pattern.fullmatch(path)
            if match:
                event |= {"routeKey": f"{method} {template}", "pathParameters": match.groupdict()}
        if headers.get("authorization") == f"Bearer {TOKEN}":
            event["requestContext"]["authorizer"] = {"lambda": {"actor": "ada", "role": "admin"}}
        query: dict[str, str] = {}
        for name, value in parse_qsl(event["rawQueryString"], keep_blank_values=True):
            query[name] = f"{query[name]},{value}" if name in query else value
        if query:
            event["queryStringParameters"] = query
        return event | _body(environ, headers)


def _headers(environ: dict[str, Any]) -> dict[str, str]:
    headers = {
        name[5:].replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    if environ.get("CONTENT_TYPE"):
        headers["content-type"] = environ["CONTENT_TYPE"]
    return headers


def _body(environ: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    raw = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    if not raw:
        return {}
    if headers.get("content-type", "").startswith(("text/", *TEXT_TYPES)):
        return {"body": raw.decode("utf-8", "replace")}
    return {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}
