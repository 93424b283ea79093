"""Event patterns: which stream records a function wants (FilterCriteria).

The part of Lambda's language that template.yaml uses: a list of exact values, `anything-but`,
`prefix`, `exists`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

Pattern = Mapping[str, Any]


def wanted(patterns: Sequence[Pattern], record: Mapping[str, Any]) -> bool:
    """Whether any of the patterns matches; without patterns everything is wanted."""
    return not patterns or any(matches(pattern, record) for pattern in patterns)


def matches(pattern: Pattern, value: Mapping[str, Any]) -> bool:
    """Whether every member that the pattern names is as it says."""
    return all(_member(rule, value.get(name)) for name, rule in pattern.items())


def _member(rule: Any, value: Any) -> bool:
    if isinstance(rule, Mapping):
        inside = cast("Pattern", rule)
        return matches(inside, cast("Pattern", value) if isinstance(value, Mapping) else {})
    return any(_rule(one, value) for one in rule)


def _rule(rule: Any, value: Any) -> bool:
    if not isinstance(rule, Mapping):
        return rule == value
    ((name, argument),) = cast("Pattern", rule).items()
    match name:
        case "exists":
            return (value is not None) is argument
        case "anything-but":
            return value is not None and value not in _listed(argument)
        case "prefix":
            return isinstance(value, str) and value.startswith(argument)
        case _:
            raise ValueError(f"a filter uses {name}, which is not understood")


def _listed(argument: Any) -> list[Any]:
    return cast("list[Any]", argument) if isinstance(argument, list) else [argument]
