"""How a field's value is read as text, number or date. Pure.

Comparators (M43) and decision rules (M13) read alike: white space around a value never counts, a
blank value is a missing one (a CSV file can not tell them apart), text is compared by code points
of its NFC form: no language's alphabet, capitals before small letters.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any, NoReturn, cast

from workledger.errors import Refused
from workledger.manual_tasks import numerals
from workledger.manual_tasks.dates import BadDate, record_date

LONGEST_NAME = 255
"""Characters of a field's name in a rule."""


def text_of(value: Any) -> str | None:
    """The value as text: a text, a number in its one spelling, `true`, `false`.

    None when there is none: missing, null, blank, a list, an object.
    """
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value.strip()) or None
    if isinstance(value, bool):
        return "true" if value else "false"
    number = numerals.of(value)
    return number.text if number is not None else None


def date_of(value: Any, zone: tzinfo) -> str | None:
    """The value as `YYYY-MM-DDThh:mm:ss.sss` in the zone; None when no record_date (M53)."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return record_date(value, zone).text
    except BadDate:
        return None


def refuse(field: str, detail: str) -> NoReturn:
    """Say which value of a rule is not allowed."""
    raise Refused("invalid_value", detail, field=field)


def choice(value: Any, among: Sequence[str], path: str) -> str:
    """One of the words, or Refused."""
    if not isinstance(value, str) or value not in among:
        refuse(path, f"{path} is one of {', '.join(among)}")
    return value


def name(value: Any, path: str) -> str:
    """A field's or step's name, kept as it is, or Refused."""
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME:
        refuse(path, f"{path} is a text of 1 to {LONGEST_NAME} characters")
    return value


def members(value: Any, known: Sequence[str], path: str) -> dict[str, Any]:
    """An object that has no other members than the known ones, or Refused."""
    if not isinstance(value, dict):
        refuse(path, f"{path} is an object with {', '.join(known)}")
    told = cast("dict[str, Any]", value)
    for member in told:
        if member not in known:
            refuse(f"{path}.{member}", f"{path} has only {', '.join(known)}")
    return told


def several(value: Any, least: int, most: int, what: str, path: str) -> list[Any]:
    """A list of so many, or Refused."""
    told = list(cast("Iterable[Any]", value)) if isinstance(value, list | tuple) else []
    if not isinstance(value, list | tuple) or not least <= len(told) <= most:
        refuse(path, f"{path} is a list of {least} to {most} {what}")
    return told
