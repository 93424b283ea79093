"""From the document that Powertools makes to one that says what this API does."""

import json
import re
from collections.abc import Iterable
from typing import Any, cast

from pydantic import TypeAdapter

from workledger.api.entries import COMPONENTS
from workledger.api.operations import Operation
from workledger.api.problems import CONTENT_TYPE
from workledger.api.wire.problem import Problem

_PAGE = re.compile(r"Page_(\w+?)_(?=[\"])")
_REF = re.compile(r'"#/components/schemas/(\w+)"')


def tidy(made: dict[str, Any], operations: Iterable[Operation]) -> dict[str, Any]:
    """The document, with what Powertools cannot describe, without what is not ours."""
    made = json.loads(_PAGE.sub(r"\1Page", json.dumps(made)))
    schemas: dict[str, Any] = made["components"]["schemas"]
    schemas.update(COMPONENTS)
    problem = TypeAdapter(Problem).json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["Problem"] = problem
    shared: dict[str, Any] = {}
    for one in operations:
        _tidy_operation(made["paths"][one.path][one.method.lower()], one, schemas, shared)
    made["paths"] = _clean(dict(sorted(made["paths"].items())))
    used = _used(made, _clean(schemas))
    made["components"] |= {"schemas": used, "responses": dict(sorted(shared.items()))}
    return made


def _tidy_operation(
    made: dict[str, Any], operation: Operation, schemas: dict[str, Any], shared: dict[str, Any]
) -> None:
    for parameter in made.get("parameters", []):
        _tidy_parameter(parameter)
        if parameter["name"] == "If-Match":
            parameter["required"] = "version_required" in operation.refuses
    if operation.request_body:
        made["requestBody"] = operation.request_body
    elif "requestBody" in made:
        (content,) = made["requestBody"]["content"].values()
        body = schemas[content["schema"]["$ref"].rpartition("/")[2]]
        made["requestBody"]["required"] = bool(body.get("required"))
    made["responses"] = {
        status: _shared(response, shared)
        for status, response in sorted(made["responses"].items())
        if "HTTPValidationError" not in json.dumps(response)
    }


def _tidy_parameter(parameter: dict[str, Any]) -> None:
    """A parameter is never null: it is left out."""
    schema = parameter["schema"]
    parts = [part for part in schema.pop("anyOf", []) if part != {"type": "null"}]
    for part in parts:
        schema |= part
    schema.pop("description", None)
    if parameter["in"] == "header":
        parameter["name"] = parameter["name"].title()
    parameter["schema"] = schema


def _shared(response: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """A refusal is described once, under its codes."""
    if CONTENT_TYPE not in response.get("content", {}):
        return {name: part for name, part in response.items() if part}
    name = ".".join(re.findall(r"`(\w+)`", response["description"]))
    shared[name] = response
    return {"$ref": f"#/components/responses/{name}"}


def _clean(node: Any) -> Any:
    """Without the titles that pydantic makes of names; 100, not 100.0."""
    if isinstance(node, dict):
        members = cast("dict[str, Any]", node)
        return {
            name: _clean(member)
            for name, member in members.items()
            if name != "title" or not isinstance(member, str)
        }
    if isinstance(node, list):
        return [_clean(element) for element in cast("list[Any]", node)]
    return int(node) if isinstance(node, float) and node.is_integer() else node


def _used(made: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas that something refers to."""
    waiting = [*_REF.findall(json.dumps(made["paths"])), "Problem"]
    used: dict[str, Any] = {}
    while waiting:
        name = waiting.pop()
        if name not in used:
            used[name] = schemas[name]
            waiting += _REF.findall(json.dumps(schemas[name]))
    return dict(sorted(used.items()))
