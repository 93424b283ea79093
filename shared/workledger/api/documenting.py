"""From an operation to what Powertools registers, and so to OpenAPI."""

from collections.abc import Iterable
from typing import Any

from workledger.api.http import JSON
from workledger.api.operations import Answer, Operation
from workledger.api.problems import CONTENT_TYPE, TABLE

PROBLEM = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}

EVERYWHERE = (
    "invalid_query",
    "invalid_header",
    "unauthenticated",
    "forbidden",
    "internal",
    "busy",
    "upgrading",
)
WITH_BODY = ("invalid_json", "invalid_body", "request_too_large", "unsupported_media_type")


def route_of(operation: Operation) -> dict[str, Any]:
    """The arguments of Powertools' `route`."""
    return {
        "rule": operation.path.replace("{", "<").replace("}", ">"),
        "method": operation.method,
        "summary": operation.summary,
        "description": _description(operation),
        "responses": {**_answers(operation), **_refusals(operation)},
        "tags": [operation.tag],
        "operation_id": operation.id,
    }


def _description(operation: Operation) -> str:
    needs = f"Needs the permission *{operation.needs.value}*."
    return f"{operation.description}\n\n{needs}" if operation.description else needs


def _answers(operation: Operation) -> dict[int, dict[str, Any]]:
    first = operation.answer
    return {answer.status: _answer(answer) for answer in (first, *first.also)}


def _answer(answer: Answer) -> dict[str, Any]:
    headers = {
        name: {"description": text, "schema": {"type": "string"}}
        for name, text in answer.headers.items()
    }
    content = {content_type: {"model": model} for content_type, model in answer.models.items()}
    described = {"description": answer.description, "content": content}
    return {**described, "headers": headers} if headers else described


def _refusals(operation: Operation) -> dict[int, dict[str, Any]]:
    codes = [*EVERYWHERE, *(WITH_BODY if operation.takes else ()), *operation.refuses]
    if JSON not in operation.takes:
        codes = [code for code in codes if code != "invalid_body"]
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(TABLE[code].status, []).append(code)
    return {
        status: {"description": _described(found), "content": PROBLEM}
        for status, found in sorted(by_status.items())
    }


def _described(codes: Iterable[str]) -> str:
    return "; ".join(f"`{code}`: {TABLE[code].title}" for code in codes)
