"""The answer: JSON in which data stands as it was sent, CSV, nothing, or a problem."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response

from workledger import jsontext
from workledger.api import problems
from workledger.api.http import JSON
from workledger.service.core import Page

T = TypeVar("T")

Answered = Response[str]


def json(body: Any, status: int = 200, **headers: str) -> Answered:
    """A JSON answer. `Raw` parts stand in it digit for digit (Q10)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, JSON, jsontext.dumps(body), named)


def page(found: Page[T], shown: Callable[[T], Any]) -> Answered:
    """Part of a list."""
    return json({"items": [shown(one) for one in found.items], "nextCursor": found.next_cursor})


def nothing() -> Answered:
    """Done, and nothing to say about it."""
    return Response(204, body="")


def text(content_type: str, parts: Iterable[str], headers: dict[str, str]) -> Answered:
    """An answer in text."""
    return Response(200, content_type, "".join(parts), headers)


def problem(of: problems.Problem) -> Answered:
    """A refusal."""
    return Response(of.status, problems.CONTENT_TYPE, jsontext.dumps(of.body()), of.headers())
