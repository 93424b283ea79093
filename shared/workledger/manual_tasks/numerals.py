"""Numbers of any size, exactly: 1, 1.0 and 1e0 are one number; nothing is rounded. Pure.

Neither floats nor `Decimal` do: floats round, both have a largest exponent, and a record may hold
anything that a file can spell.
"""

import re
from decimal import Decimal
from typing import Any, NamedTuple

LONGEST_EXPONENT = 18
"""Digits of an exponent: nobody means a number beyond, so a text that spells one is no number."""

_PLAIN = 21
"""Up to so many digits a number's text has no exponent."""

_SPELLED = re.compile(r"(?a:([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?)")


class Numeral(NamedTuple):
    """The number `sign` x 0.`digits` x 10^`exponent`.

    The digits neither begin nor end with 0; zero has the sign 0 and no digits.
    """

    sign: int
    exponent: int
    digits: str

    @property
    def text(self) -> str:
        """The one spelling that equal numbers have: a JSON number."""
        if self.sign == 0:
            return "0"
        mark = "-" if self.sign < 0 else ""
        point, count = self.exponent, len(self.digits)
        if count <= point <= _PLAIN:
            return mark + self.digits.ljust(point, "0")
        if 0 < point < count:
            return f"{mark}{self.digits[:point]}.{self.digits[point:]}"
        if -_PLAIN < point <= 0:
            return f"{mark}0.{'0' * -point}{self.digits}"
        return f"{mark}{self.digits}e{point - count}"


ZERO = Numeral(0, 0, "")


def read(text: str) -> Numeral | None:
    """The number that a text spells in ASCII digits, blanks around it or not; None when none."""
    match = _SPELLED.fullmatch(text.strip())
    if match is None:
        return None
    sign, mantissa, spelled = match.groups(default="")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return ZERO
    exponent = _exponent(spelled)
    if exponent is None:
        return None
    exponent += len(digits) - len(fraction)
    return Numeral(-1 if sign == "-" else 1, exponent, digits.rstrip("0"))


def _exponent(spelled: str) -> int | None:
    digits = spelled.lstrip("+-").lstrip("0")
    if len(digits) > LONGEST_EXPONENT:
        return None
    return int(f"-{digits or 0}" if spelled.startswith("-") else digits or 0)


def of(value: Any) -> Numeral | None:
    """The number that a field's value is or spells; None when it is or spells none.

    True and false are no numbers. A float is taken for the shortest text that reads as it.
    """
    if isinstance(value, Numeral):
        return value
    if isinstance(value, str):
        return read(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        return read(str(value))
    except ValueError:  # an int of more digits than Python turns into text
        return None


def compare(one: Numeral, other: Numeral) -> int:
    """Below 0 when `one` is the smaller number, above 0 when it is the larger, 0 when equal."""
    if one.sign != other.sign:
        return one.sign - other.sign
    if one == other:
        return 0
    smaller = (one.exponent, one.digits) < (other.exponent, other.digits)
    return -one.sign if smaller else one.sign
