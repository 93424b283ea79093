"""Calls the handlers as API Gateway does, and holds every answer against the OpenAPI document."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs

from functions.manual_tasks import app as manual_tasks
from functions.queues import app as queues
from tests.support import Surroundings
from workledger.jsontext import Raw, dumps
from workledger.service.core import Core

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs/openapi.json").read_text())
TEXT_TYPES = ("application/json", "application/xml", "application/javascript")


MANUAL = {(one.method, one.path) for one in manual_tasks.api.operations}


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function behind the event's route; whatever has none goes to the queues."""
    method, _, path = str(event.get("routeKey", "")).partition(" ")
    known = {found for _, found in MANUAL}
    function = manual_tasks if (method, path) in MANUAL or path in known else queues
    return function.handler(event, context)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    def __getitem__(self, name: str) -> Any:
        return self.json[name]

    @property
    def code(self) -> str:
        """The code of a problem."""
        assert self.headers["Content-Type"] == "application/problem+json"
        return self.json["code"]


def event_of(
    method: str,
    template: str,
    params: Mapping[str, str],
    body: str | bytes | None = None,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    who: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The event that API Gateway makes: paths are decoded once; bodies are text or base64."""
    path = template
    for name, value in params.items():
        path = path.replace("{" + name + "}", value)
    sent = {"host": "api.test", "user-agent": "test", **(headers or {})}
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": f"{method} {template}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {name.lower(): value for name, value in sent.items()},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "api",
            "domainName": "api.test",
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "::1"},
            "requestId": "request",
            "routeKey": f"{method} {template}",
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }
    if who is not None:
        event["requestContext"]["authorizer"] = {"lambda": dict(who)}
    if params:
        event["pathParameters"] = dict(params)
    if query:
        event["queryStringParameters"] = {name: str(value) for name, value in query.items()}
        event["rawQueryString"] = "&".join(f"{name}={quote(str(v))}" for name, v in query.items())
    if body is not None:
        event |= _body(body, event["headers"].get("content-type", ""))
    return event


def _body(body: str | bytes, content_type: str) -> dict[str, Any]:
    plain = content_type.startswith(("text/", *TEXT_TYPES)) and isinstance(body, str)
    if plain:
        return {"body": body}
    raw = body.encode() if isinstance(body, str) else body
    return {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}


@dataclass
class Caller:
    """A user of the API: `caller.post("/queues/{queue}/next", {}, queue="Invoices")`."""

    core: Core
    around: Surroundings
    actor: str = "ada"
    role: str = "admin"
    handler: Callable[[dict[str, Any], Any], dict[str, Any]] = field(default=handler)

    def as_(self, actor: str, role: str = "operator") -> "Caller":
        """Somebody else."""
        return Caller(self.core, self.around, actor, role)

    def get(self, path: str, headers: Mapping[str, str] | None = None, **named: Any) -> Answer:
        return self.call("GET", path, None, headers, **named)

    def post(
        self, path: str, body: Any = None, headers: Mapping[str, str] | None = None, **named: Any
    ) -> Answer:
        return self.call("POST", path, body, headers, **named)

    def patch(
        self, path: str, body: Any, headers: Mapping[str, str] | None = None, **named: Any
    ) -> Answer:
        return self.call("PATCH", path, body, headers, **named)

    def delete(self, path: str, headers: Mapping[str, str] | None = None, **named: Any) -> Answer:
        return self.call("DELETE", path, None, headers, **named)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        **named: Any,
    ) -> Answer:
        """`named` are parameters of the path; all others go into the query."""
        params = {name: named.pop(name) for name in list(named) if "{" + name + "}" in path}
        sent = dict(headers or {})
        if body is not None and not isinstance(body, str | bytes):
            body = dumps(body)
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        who = {"actor": self.actor, "role": self.role}
        return self.send(event_of(method, path, params, body, named, sent, who))

    def send(self, event: dict[str, Any]) -> Answer:
        """The answer to an event, which is what the document says."""
        made = self.handler(event, None)
        answer = Answer(made["statusCode"], made["headers"], made["body"])
        conforms(event, answer)
        return answer

    # --- what many tests need ---
    def queue(self, name: str = "Invoices", **settings: Any) -> str:
        """Makes a queue; answers its id."""
        answer = self.post("/queues", {"name": name, **settings})
        assert answer.status == 201, answer.text
        return answer["id"]

    def add(self, queue: str, *entries: Any) -> list[str]:
        """Adds entries; answers their items' ids."""
        answer = self.post("/queues/{queue}/items", list(entries), queue=queue)
        assert answer.status == 200, answer.text
        return [item["id"] for item in answer["items"]]

    def take(self, queue: str, **wanted: Any) -> dict[str, Any]:
        """Takes the next item."""
        answer = self.post("/queues/{queue}/next", wanted, queue=queue)
        assert answer.status == 200, answer.text
        return answer.json

    def complete(self, taken: Mapping[str, Any], **more: Any) -> Answer:
        return self.post("/items/{id}/complete", {"claim": taken["claim"], **more}, id=taken["id"])

    def fail(self, taken: Mapping[str, Any], **more: Any) -> Answer:
        return self.post("/items/{id}/fail", {"claim": taken["claim"], **more}, id=taken["id"])

    def item(self, item: str) -> dict[str, Any]:
        answer = self.get("/items/{id}", id=item)
        assert answer.status == 200, answer.text
        return answer.json

    def counts(self, queue: str) -> dict[str, int]:
        return self.get("/queues/{queue}/count", queue=queue)["counts"]


def conforms(event: Mapping[str, Any], answer: Answer) -> None:
    """The status, content type and body are among those that the document promises."""
    method, _, path = event["routeKey"].partition(" ")
    operation = DOCUMENT["paths"].get(path, {}).get(method.lower())
    if operation is None:
        return
    response = operation["responses"].get(str(answer.status))
    assert response is not None, f"{method} {path} answers {answer.status}: {answer.text[:300]}"
    if "$ref" in response:
        codes = response["$ref"].rpartition("/")[2]
        response = DOCUMENT["components"]["responses"][codes]
        if answer.text and answer.code != "not_found":  # no route at all
            assert answer.code in codes.split("."), f"{method} {path} refuses with {answer.code}"
    content = response.get("content")
    if content is None:
        assert answer.text == ""
        return
    content_type = answer.headers["Content-Type"].partition(";")[0]
    schema = content[content_type]["schema"]
    if content_type != "text/csv" and event["requestContext"]["http"]["method"] != "HEAD":
        _validator(json.dumps(schema)).validate(answer.json)


@cache
def _validator(schema: str) -> Any:
    whole = {**json.loads(schema), "components": DOCUMENT["components"]}
    return jsonschema_rs.validator_for(whole)


def raw(text: str) -> Raw:
    """JSON as it is to be sent."""
    return Raw(text)


OPERATIONS = {
    (one.method, one.path): one for one in (*queues.api.operations, *manual_tasks.api.operations)
}
