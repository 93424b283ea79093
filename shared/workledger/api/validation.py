"""What is wrong in a request, in words for whoever wrote it: pydantic's findings as faults."""

from collections.abc import Mapping, Sequence
from typing import Any

from workledger.api.problems import Fault, Problem

_CODES: Mapping[str, str] = {"body": "invalid_body", "header": "invalid_header"}
_WORDS: Mapping[str, tuple[str, str]] = {
    "missing": ("missing", "is required"),
    "extra_forbidden": ("unknown_member", "is no member of this body: is it a typing error?"),
}


def problem_of(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """The problem of what validation found. Values are never repeated: they may be secret."""
    faults = [_fault(error) for error in errors]
    place = str(errors[0]["loc"][0]) if errors and errors[0]["loc"] else "body"
    first = faults[0]
    named = first.field or "the body"
    detail = f"{named}: {first.message}" if first.code == "missing" else first.message
    return Problem(_CODES.get(place, "invalid_query"), detail, faults)


def _fault(error: Mapping[str, Any]) -> Fault:
    field = ".".join(str(part) for part in error["loc"][1:]) or None
    kind = str(error["type"])
    if kind in _WORDS:
        code, words = _WORDS[kind]
        return Fault(field, code, f"{field or 'the body'} {words}")
    return Fault(field, kind, f"{field or 'the body'}: {_message(error)}")


def _message(error: Mapping[str, Any]) -> str:
    text = str(error["msg"]).removeprefix("Value error, ")
    return text[:1].lower() + text[1:]
