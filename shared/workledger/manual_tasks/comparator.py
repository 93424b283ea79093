"""The Task Comparator: a custom order of a task's records by up to three fields (M43). Pure.

The order is a key: a text of printable ASCII whose order as text, in Python, in SQLite and in
DynamoDB alike, is the order of the records. So of each value only so much counts as fits into a
sort key of 1,024 bytes: see `counted` and `DIGITS`. No key is the beginning of another, so that
FIFO's keys can follow it.

Every field is a flag (is there a value?), and if so a part that no other part of its type begins
with; descending turns the part's characters around, which then reverses the order exactly.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, tzinfo
from typing import Any

from workledger.manual_tasks import fields as values_of
from workledger.manual_tasks import numerals
from workledger.manual_tasks.fields import refuse
from workledger.manual_tasks.numerals import Numeral

MOST_FIELDS = 3
TEXT_SHARED = 192
"""Characters of text that count, shared among the fields: a character takes up to 4 bytes."""

DIGITS = 200
"""Digits of a number that count: longer ones are equal when they agree in so many."""

LONGEST_KEY = 3 * 262
"""A key's bytes at most. With a date (24), rank and number (21 each) and the tie (80) it makes
less than the 1,024 bytes of a sort key."""

TYPES = ("text", "number", "date")
DIRECTIONS = ("asc", "desc")
ENDS = ("first", "last")

_FIRST, _THERE, _LAST = "1", "5", "9"
_LOWEST, _HIGHEST, _BASE = 0x21, 0x7E, 94
_END = chr(_LOWEST)
"""Ends a text and a number's digits: lower than all that may follow, so 'a' is before 'ab'."""

_LAST_PLAIN = _HIGHEST - 2
"""The two characters above begin the four that stand for what is not ASCII."""

_TURNED = {code: _LOWEST + _HIGHEST - code for code in range(_LOWEST, _HIGHEST + 1)}


@dataclass(frozen=True, slots=True)
class Field:
    """One field to sort by; `missing` says where records without it stand, in either direction."""

    name: str
    type: str
    direction: str = "asc"
    missing: str = "last"


@dataclass(frozen=True, slots=True)
class Comparator:
    """Sort by the first field, then by the next. Comparators are equal when they sort alike."""

    fields: tuple[Field, ...]


# --- saving -------------------------------------------------------------------------------------


def parse(value: Any, path: str = "comparator") -> Comparator:
    """The comparator of `[{field, type, direction?, missing?}]`, ascending, missing last.

    Raises Refused("invalid_value") that names the field, like `comparator[0].type`.
    """
    told = values_of.several(value, 1, MOST_FIELDS, "fields", path)
    found: list[Field] = []
    for index, one in enumerate(told):
        field = _field(one, f"{path}[{index}]")
        if any((field.name, field.type) == (other.name, other.type) for other in found):
            refuse(f"{path}[{index}].field", f"the comparator has {field.name!r} already")
        found.append(field)
    return Comparator(tuple(found))


def _field(value: Any, path: str) -> Field:
    told = values_of.members(value, ("field", "type", "direction", "missing"), path)
    return Field(
        values_of.name(told.get("field"), f"{path}.field"),
        values_of.choice(told.get("type"), TYPES, f"{path}.type"),
        values_of.choice(told.get("direction", "asc"), DIRECTIONS, f"{path}.direction"),
        values_of.choice(told.get("missing", "last"), ENDS, f"{path}.missing"),
    )


def check_columns(comparator: Comparator, columns: Iterable[str], path: str = "comparator") -> None:
    """Refuse a field that is no column of the task's loads; before a first load none is known."""
    known = list(columns)
    for index, field in enumerate(comparator.fields):
        if known and field.name not in known:
            some = ", ".join(known[:20])
            refuse(f"{path}[{index}].field", f"there is no column {field.name!r}: there is {some}")


def dump(comparator: Comparator) -> list[dict[str, str]]:
    """The comparator as on the wire and in events."""
    told = [asdict(field) for field in comparator.fields]
    return [{"field": one.pop("name"), **one} for one in told]


def load(stored: Sequence[Mapping[str, str]]) -> Comparator:
    """The comparator that `dump` wrote."""
    return Comparator(
        tuple(Field(one["field"], one["type"], one["direction"], one["missing"]) for one in stored)
    )


# --- the key ------------------------------------------------------------------------------------


def counted(comparator: Comparator) -> int:
    """How many characters of a text count: 192 with one field, 96 with two, 64 with three."""
    return TEXT_SHARED // len(comparator.fields)


def key(comparator: Comparator, values: Mapping[str, Any], zone: tzinfo = UTC) -> str:
    """What a record sorts by: at most `LONGEST_KEY` printable ASCII characters.

    A value that does not fit its field's type counts as missing; `zone` is what a date with an
    offset is converted to, as record_date is (M53).
    """
    length = counted(comparator)
    return "".join(
        [_part(field, values.get(field.name), length, zone) for field in comparator.fields]
    )


def _part(field: Field, value: Any, length: int, zone: tzinfo) -> str:
    part = _ENCODED[field.type](value, length, zone)
    if part is None:
        return _FIRST if field.missing == "first" else _LAST
    return _THERE + (part if field.direction == "asc" else part.translate(_TURNED))


def _text(value: Any, length: int, _: tzinfo) -> str | None:
    text = values_of.text_of(value)
    if text is None:
        return None
    text = text[:length]
    if text.isascii():
        return text.translate(_ASCII) + _END
    return "".join([_character(ord(one)) for one in text]) + _END


def _character(code: int) -> str:
    """Itself where it can be; else so many characters of it, in the order of code points."""
    if code > _LAST_PLAIN:
        lead, rest = divmod(code, _BASE**3)
        digits = (rest // _BASE**2, rest // _BASE % _BASE, rest % _BASE)
        return chr(_LAST_PLAIN + 1 + lead) + "".join([chr(_LOWEST + one) for one in digits])
    return chr(code) if code > _LOWEST + 1 else chr(_LOWEST + 1) + chr(_LOWEST + 2 + code)


_ASCII = {code: _character(code) for code in range(128)}


def _number(value: Any, _: int, __: tzinfo) -> str | None:
    number = numerals.of(value)
    if number is None:
        return None
    if number.sign == 0:
        return "5"
    size = _size(number)
    return f"9{size}" if number.sign > 0 else "1" + size.translate(_TURNED)


def _size(number: Numeral) -> str:
    """How far from zero: the exponent, with its length in front, then the digits."""
    digits = str(abs(number.exponent))
    exponent = chr(ord("a") + len(digits)) + digits
    signed = f"1{exponent.translate(_TURNED)}" if number.exponent < 0 else f"9{exponent}"
    return signed + number.digits[:DIGITS] + _END


def _date(value: Any, _: int, zone: tzinfo) -> str | None:
    return values_of.date_of(value, zone)


_ENCODED: Mapping[str, Callable[[Any, int, tzinfo], str | None]] = {
    "text": _text,
    "number": _number,
    "date": _date,
}
