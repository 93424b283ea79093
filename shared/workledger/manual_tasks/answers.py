"""Adjudication N+M: N answers first; while they do not agree, up to M more (M23 to M27). Pure."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from workledger import keys
from workledger.manual_tasks import fields as values_of
from workledger.manual_tasks import numerals
from workledger.manual_tasks.fields import refuse

MOST_ANSWERS = 9
MOST_MORE = 9
MOST_FIELDS = 50


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How many answers a record gets, and which of their fields have to agree (none: all)."""

    answers: int = 1
    more: int = 0
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undecided:
    """Somebody else is to answer."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The answer that won."""

    digest: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """All answers are there and none won: an adjudicator decides."""


Outcome = Undecided | Decided | Unresolved

# --- the rule -----------------------------------------------------------------------------------


def parse(value: Any, path: str = "adjudication") -> Adjudication:
    """The rule of `{answers?, more?, fields?}`.

    Raises Refused("invalid_value") that names the field, like `adjudication.answers`.
    """
    told = values_of.members(value, ("answers", "more", "fields"), path)
    answers = _count(told.get("answers", 1), 1, MOST_ANSWERS, f"{path}.answers")
    more = _count(told.get("more", 0), 0, MOST_MORE, f"{path}.more")
    return Adjudication(answers, more, _fields(told.get("fields", []), f"{path}.fields"))


def _count(value: Any, least: int, most: int, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        refuse(path, f"{path} is a whole number from {least} to {most}")
    return value


def _fields(value: Any, path: str) -> tuple[str, ...]:
    found: list[str] = []
    for index, one in enumerate(values_of.several(value, 0, MOST_FIELDS, "fields", path)):
        name = values_of.name(one, f"{path}[{index}]")
        if name in found:
            refuse(f"{path}[{index}]", f"{path} has {name!r} twice")
        found.append(name)
    return tuple(found)


def dump(rule: Adjudication) -> dict[str, Any]:
    """The rule as on the wire and in events."""
    return {"answers": rule.answers, "more": rule.more, "fields": list(rule.fields)}


def load(stored: Mapping[str, Any]) -> Adjudication:
    """The rule that `dump` wrote."""
    return Adjudication(stored["answers"], stored["more"], tuple(stored["fields"]))


def outcome(digests: Sequence[str], rule: Adjudication) -> Outcome:
    """What the answers given so far, by their digests, amount to (M23).

    One wins when at least N are equal and they are more than half of all.
    """
    if digests:
        [(digest, count)] = Counter(digests).most_common(1)
        if count >= rule.answers and count * 2 > len(digests):
            return Decided(digest)
    return Unresolved() if len(digests) >= rule.answers + rule.more else Undecided()


def places(submitted: int, rule: Adjudication) -> int:
    """How many assignments may count while undecided: one more than there are answers (M30)."""
    return min(submitted + 1, rule.answers + rule.more)


# --- the answers --------------------------------------------------------------------------------


def read(text: str) -> Any:
    """The value of an answer's JSON text, its numbers digit for digit.

    The text has been checked (`jsontext`); floats would make answers equal that are not.
    """
    return json.loads(text, parse_int=_numeral, parse_float=_numeral)


def _numeral(spelled: str) -> Any:
    number = numerals.read(spelled)
    return spelled if number is None else number


def canonical(value: Any, fields: Sequence[str] = ()) -> str:
    """The one JSON text that equal answers have (M27).

    Members are sorted, numbers have one spelling (1, 1.0 and 1e0), white space around a text is
    left out and so are members that are null: a missing field equals null. Otherwise text stays
    as it is. With `fields`, of an object only these members count.
    """
    if fields and isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        value = {name: told.get(name) for name in fields}
    return _written(value)


def _written(value: Any) -> str:
    number = numerals.of(value) if not isinstance(value, str) else None
    if number is not None:
        return number.text
    if isinstance(value, str):
        return json.dumps(value.strip(), ensure_ascii=False)
    if isinstance(value, dict):
        told = sorted(cast("dict[str, Any]", value).items())
        inner = [
            f"{json.dumps(name, ensure_ascii=False)}:{_written(one)}"
            for name, one in told
            if one is not None
        ]
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_written(one) for one in cast("list[Any]", value)]) + "]"
    return json.dumps(value)


def digest(value: Any, fields: Sequence[str] = ()) -> str:
    """26 characters that stand for the canonical answer; `value` as `read` gives it."""
    return keys.digest("answer", canonical(value, fields))
