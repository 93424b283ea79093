"""JSON Schemas of answers: Draft 2020-12, nothing is ever fetched (M60).

The library is imported where a schema is met, and not before.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from workledger.errors import Refused
from workledger.jsontext import Raw

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

DRAFT = "https://json-schema.org/draft/2020-12/schema"

LONGEST_SCHEMA = 64 * 1024
"""Characters of a schema."""

MOST_FAULTS = 20
"""Places of an answer that a refusal lists."""

REMEMBERED = 64


def check_schema(schema: Raw) -> None:
    """Raises Refused("invalid_value") that names `schema`, where it is no schema of ours (M60)."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415

    if len(schema.text) > LONGEST_SCHEMA:
        raise _refused(f"a schema has at most {LONGEST_SCHEMA:,} characters")
    told: Any = schema.value()
    if not isinstance(told, dict):
        raise _refused("a schema is an object; null: every answer fits")
    document = cast("dict[str, Any]", told)
    dialect = document.get("$schema", DRAFT)
    if not isinstance(dialect, str) or dialect.rstrip("#") != DRAFT:
        raise _refused(f"schemas are of Draft 2020-12: leave $schema out, or say {DRAFT}")
    try:
        Draft202012Validator.check_schema(document)
    except SchemaError as error:
        raise _refused(f"{error.json_path}: {error.message}"[:500]) from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise _refused(f"not a schema: {error}"[:500]) from error
    _check_references(document)
    _check_ends(schema)


def check_answer(schema: str, answer: Raw) -> None:
    """Raises Refused("answer_invalid") with the places of the answer that do not fit (M60)."""
    value = answer.value()
    try:
        faults = sorted(_validator(schema).iter_errors(value), key=lambda one: one.json_path)
    except (ValueError, ArithmeticError, RecursionError) as error:
        detail = f"the answer cannot be checked against the task's schema: {error}"
        raise Refused("answer_invalid", detail[:500], field="answer") from error
    if not faults:
        return
    told = [
        {"field": f"answer{one.json_path[1:]}", "message": one.message[:500]}
        for one in faults[:MOST_FAULTS]
    ]
    first = told[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    detail = f"{first['field']}: {first['message']}{more}"
    raise Refused("answer_invalid", detail, field=first["field"], faults=told)


@lru_cache(REMEMBERED)
def _validator(schema: str) -> "Validator":
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415

    # a registry of our own: it has nothing, and fetches nothing
    return Draft202012Validator(Raw(schema).value(), registry=Registry[Any]())


def _check_references(document: dict[str, Any]) -> None:
    """Every reference leads to a place in the schema itself."""
    from referencing import Registry  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    root = DRAFT202012.create_resource(document)
    waiting = [(root, Registry[Any]().resolver_with_root(root))]
    while waiting:
        resource, resolver = waiting.pop()
        contents = resource.contents
        for member in ("$ref", "$dynamicRef") if isinstance(contents, dict) else ():
            target = cast("dict[str, Any]", contents).get(member)
            if not isinstance(target, str):
                continue
            try:
                resolver.lookup(target)
            except (Unresolvable, ValueError) as error:
                detail = f"{member} {target!r} leads nowhere in this schema; nothing is fetched"
                raise _refused(detail) from error
        waiting += [(one, resolver.in_subresource(one)) for one in resource.subresources()]


def _check_ends(schema: Raw) -> None:
    """A schema that refers to itself without end could check no answer."""
    for probe in ("null", "{}", "[]", '""', "0"):
        try:
            for _ in _validator(schema.text).iter_errors(Raw(probe).value()):
                pass
        except (ValueError, ArithmeticError, RecursionError) as error:
            raise _refused("no answer could be checked against this schema") from error


def _refused(detail: str) -> Refused:
    return Refused("invalid_value", detail, field="schema")
