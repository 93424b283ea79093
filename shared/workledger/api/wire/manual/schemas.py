"""The rules that a body may carry, as JSON Schema. The domain reads them and names what is wrong.

Comparators, adjudication and decision rules are checked by `manual_tasks`, which also knows how to
say where the fault is (`comparator[0].type`); what is here is for readers and generators.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, WithJsonSchema

from workledger.manual_tasks import answers, comparator, fields, process, routing

_NAME: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": fields.LONGEST_NAME,
    "pattern": r"\S",
}
_STEP: dict[str, Any] = {**_NAME, "description": "A step's name."}
_SCALAR: dict[str, Any] = {"anyOf": [{"type": one} for one in ("string", "number", "boolean")]}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": properties,
    }


ADJUDICATION = _object(
    [],
    answers={
        "type": "integer",
        "minimum": 1,
        "maximum": answers.MOST_ANSWERS,
        "default": 1,
        "description": "N: so many have to agree.",
    },
    more={
        "type": "integer",
        "minimum": 0,
        "maximum": answers.MOST_MORE,
        "default": 0,
        "description": "M: so many more are asked while they do not.",
    },
    fields={
        "type": "array",
        "items": _NAME,
        "maxItems": answers.MOST_FIELDS,
        "uniqueItems": True,
        "description": "The fields of an answer that have to agree; none: all (M27).",
    },
)

COMPARATOR: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": comparator.MOST_FIELDS,
    "items": _object(
        ["field", "type"],
        field=_NAME,
        type={"enum": list(comparator.TYPES)},
        direction={"enum": list(comparator.DIRECTIONS), "default": "asc"},
        missing={"enum": list(comparator.ENDS), "default": "last"},
    ),
}

_RULE = _object(
    ["field", "op", "step"],
    field={**_NAME, "description": "A column, or a field of an answer."},
    op={"enum": list(routing.OPS)},
    value={
        "description": "A text, a number, true or false; a list of them for `in`; nothing for "
        "`exists` and `missing`.",
        "anyOf": [_SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1}],
    },
    step=_STEP,
)

ROUTES: dict[str, Any] = {
    "description": "A step's name; or decision rules, of which the first that holds decides (M13).",
    "anyOf": [
        _STEP,
        _object(
            ["else"],
            rules={"type": "array", "items": _RULE, "maxItems": routing.MOST_RULES},
            **{"else": _STEP},
        ),
    ],
}

ADJUDICATION["description"] = "N answers; while they do not agree up to M more (M23)."
COMPARATOR["description"] = "The Task Comparator: up to three fields to sort by (M43)."


def _there(value: Any) -> Any:
    """What is to stay as it is, is left out."""
    if value is None:
        raise ValueError("null is none of its values: leave it out")
    return value


Adjudication = Annotated[Any, AfterValidator(_there), WithJsonSchema(ADJUDICATION)]
MaybeComparator = Annotated[
    Any,
    WithJsonSchema(
        {
            "description": f"{COMPARATOR['description']} null: none.",
            "anyOf": [COMPARATOR, {"type": "null"}],
        }
    ),
]
Routes = Annotated[Any, AfterValidator(_there), WithJsonSchema(ROUTES)]

_SHARED: dict[str, Any] = {"name": _STEP, "next": ROUTES}


def _step(kind: str, required: list[str], **properties: Any) -> dict[str, Any]:
    return _object(["name", "kind", *required], kind={"const": kind}, **properties)


STEPS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": process.MOST_STEPS,
    "description": "Manual tasks, timed steps, ends; each is reached, each but an end goes on.",
    "items": {
        "anyOf": [
            _step(
                "manual",
                ["task", "next"],
                **_SHARED,
                task={**_NAME, "description": "A manual task's name or id."},
            ),
            _step(
                "timed",
                ["seconds", "next"],
                **_SHARED,
                seconds={
                    "type": "number",
                    "minimum": 0,
                    "maximum": process.LONGEST_SECONDS,
                    "description": "One record at a time, each for so long (M10).",
                },
            ),
            _step("end", [], name=_STEP),
        ]
    },
}
Steps = Annotated[Any, AfterValidator(_there), WithJsonSchema(STEPS)]
