"""Decision rules: by its fields a record goes on to one of several steps (M13). Pure.

The first rule that holds decides; when none does, the mandatory else. What a rule compares with
says how: a number with values that are or spell numbers, a date (as record_date, M53) with dates,
everything else as text (see `fields`). A value of another kind is unequal, and neither less nor
greater: `amount > 1000` does not hold for `n/a`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, cast

from workledger.manual_tasks import fields as values_of
from workledger.manual_tasks import numerals
from workledger.manual_tasks.fields import refuse

MOST_RULES = 100
MOST_CHOICES = 100
LONGEST_VALUE = 1000
"""Characters of a text that a rule compares with."""

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Rule:
    """Go to `step` where the field's value is so; `value` is a scalar, for `in` several."""

    field: str
    op: str
    value: Scalar | tuple[Scalar, ...] | None
    step: str


@dataclass(frozen=True, slots=True)
class Routes:
    """The rules in order, and the step when none holds."""

    rules: tuple[Rule, ...]
    otherwise: str


# --- saving -------------------------------------------------------------------------------------


def parse(value: Any, path: str = "start") -> Routes:
    """The routes of a step's name, or of `{rules: [{field, op, value, step}], else: step}`.

    Raises Refused("invalid_value") that names the field, like `start.rules[0].op`. Whether the
    steps exist, `graph.check_steps` says.
    """
    if isinstance(value, str):
        return Routes((), values_of.name(value, path))
    told = values_of.members(value, ("rules", "else"), path)
    rules = values_of.several(told.get("rules", []), 0, MOST_RULES, "rules", f"{path}.rules")
    parsed = tuple(_rule(one, f"{path}.rules[{at}]") for at, one in enumerate(rules))
    if "else" not in told:
        refuse(f"{path}.else", f"{path}.else is missing: name the step when no rule holds")
    return Routes(parsed, values_of.name(told["else"], f"{path}.else"))


def _rule(value: Any, path: str) -> Rule:
    told = values_of.members(value, ("field", "op", "value", "step"), path)
    op = values_of.choice(told.get("op"), OPS, f"{path}.op")
    return Rule(
        values_of.name(told.get("field"), f"{path}.field"),
        op,
        _value(op, told, f"{path}.value"),
        values_of.name(told.get("step"), f"{path}.step"),
    )


def _value(op: str, told: Mapping[str, Any], path: str) -> Scalar | tuple[Scalar, ...] | None:
    value = told.get("value")
    if op in _WITHOUT:
        if value is not None:
            refuse(path, f"{op} compares with nothing: leave {path} out")
        return None
    if op != "in":
        return _scalar(value, path)
    choices = values_of.several(value, 1, MOST_CHOICES, "values", path)
    return tuple(_scalar(one, f"{path}[{at}]") for at, one in enumerate(choices))


def _scalar(value: Any, path: str) -> Scalar:
    if not isinstance(value, Scalar) or values_of.text_of(value) is None:
        refuse(path, f"{path} is a text, a number, true or false; for none, use the op missing")
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        refuse(path, f"{path} has at most {LONGEST_VALUE} characters")
    return value


def dump(routes: Routes) -> dict[str, Any]:
    """The routes as on the wire and in events."""
    return {"rules": [_dumped(rule) for rule in routes.rules], "else": routes.otherwise}


def _dumped(rule: Rule) -> dict[str, Any]:
    value = list(rule.value) if isinstance(rule.value, tuple) else rule.value
    told = {} if value is None else {"value": value}
    return {"field": rule.field, "op": rule.op, **told, "step": rule.step}


def load(stored: Mapping[str, Any]) -> Routes:
    """The routes that `dump` wrote."""
    return Routes(tuple(_loaded(one) for one in stored["rules"]), stored["else"])


def _loaded(stored: Mapping[str, Any]) -> Rule:
    value = stored.get("value")
    if isinstance(value, list):
        value = tuple(cast("list[Scalar]", value))
    return Rule(stored["field"], stored["op"], value, stored["step"])


# --- routing ------------------------------------------------------------------------------------


def route(routes: Routes, values: Mapping[str, Any], zone: tzinfo = UTC) -> str:
    """The step that a record with these values goes to; never fails."""
    return targets(routes)[chosen(routes, values, zone)]


def chosen(routes: Routes, values: Mapping[str, Any], zone: tzinfo = UTC) -> int:
    """Which rule decides, counted from 0; the number of rules when it is the else."""
    for at, rule in enumerate(routes.rules):
        if holds(rule, values, zone):
            return at
    return len(routes.rules)


def targets(routes: Routes) -> tuple[str, ...]:
    """The steps that records may go to: each rule's, then the else's."""
    return (*(rule.step for rule in routes.rules), routes.otherwise)


def holds(rule: Rule, values: Mapping[str, Any], zone: tzinfo = UTC) -> bool:
    """Whether a rule holds for a record. `zone` is that of dates with an offset (M53)."""
    return _OPS[rule.op](values.get(rule.field), rule.value, zone)


def _missing(value: Any, _: Any = None, __: tzinfo = UTC) -> bool:
    """Not there, null or blank, as a CSV file has it."""
    return value is None or (isinstance(value, str) and not value.strip())


def _compared(value: Any, wanted: Any, zone: tzinfo) -> int | None:
    """Below 0, 0 or above 0 as the value is less than, equal to or greater than the wanted one.

    None when they do not compare.
    """
    number = numerals.of(wanted)
    if number is not None:
        found = numerals.of(value)
        return None if found is None else numerals.compare(found, number)
    date = values_of.date_of(wanted, zone)
    if date is not None:
        return _ordered(values_of.date_of(value, zone), date)
    return _ordered(values_of.text_of(value), values_of.text_of(wanted))


def _ordered(one: str | None, other: str | None) -> int | None:
    if one is None or other is None:
        return None
    return (one > other) - (one < other)


def _eq(value: Any, wanted: Any, zone: tzinfo) -> bool:
    return _compared(value, wanted, zone) == 0


def _either(*signs: int) -> Callable[[Any, Any, tzinfo], bool]:
    def holds(value: Any, wanted: Any, zone: tzinfo) -> bool:
        order = _compared(value, wanted, zone)
        return order is not None and (order > 0) - (order < 0) in signs

    return holds


def _contains(value: Any, wanted: Any, zone: tzinfo) -> bool:
    """A list contains an equal value, a text contains the text."""
    if isinstance(value, list):
        return any(_eq(one, wanted, zone) for one in cast("list[Any]", value))
    return (values_of.text_of(wanted) or "") in (values_of.text_of(value) or "")


def _starts(value: Any, wanted: Any, _: tzinfo) -> bool:
    return (values_of.text_of(value) or "").startswith(values_of.text_of(wanted) or "")


def _in(value: Any, wanted: Any, zone: tzinfo) -> bool:
    return any(_eq(value, one, zone) for one in cast("Sequence[Any]", wanted))


_OPS: Mapping[str, Callable[[Any, Any, tzinfo], bool]] = {
    "eq": _eq,
    "ne": lambda value, wanted, zone: not _eq(value, wanted, zone),
    "lt": _either(-1),
    "le": _either(-1, 0),
    "gt": _either(1),
    "ge": _either(0, 1),
    "contains": _contains,
    "startsWith": _starts,
    "in": _in,
    "exists": lambda value, _, __: not _missing(value),
    "missing": _missing,
}

OPS = tuple(_OPS)
"""What a rule can ask. `ne` also holds for a missing value, every other op but `missing` not."""

_WITHOUT = frozenset({"exists", "missing"})
