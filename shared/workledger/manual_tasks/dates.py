"""Dates of records: what is accepted, and what each refused spelling is called (M53). Pure.

A record's date has no zone: it is a time of the configured zone, compared as text. One with a zone
is converted. `fromisoformat` alone accepts week dates and compact forms, which a sender rarely
means, and `\\d` the digits of other scripts: everything is matched in ASCII first.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from workledger.times import to_datetime

PATTERN = "YYYY-MM-DDThh:mm:ss[.sss]"
EXAMPLE = "2020-03-11T10:15:55.935"

_ACCEPTED = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<time>[0-9]{2}:[0-9]{2})(?::(?P<seconds>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)?"
    r"(?P<zone>Z|z|[+-][0-9]{2}:?[0-9]{2})?)?"
)

_REFUSED: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("date_not_available", re.compile(r"(?i)n/?a|null|none|nil|-+|\?+|tbd"), "leave it blank"),
    ("date_is_formula_error", re.compile(r"(?i)#[a-z0-9/!?]+"), "a spreadsheet's formula failed"),
    ("date_is_time_only", re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp][Mm])?"), "the day is missing"),
    ("date_is_week_date", re.compile(r"(?i)[0-9]{4}-?w[0-9]{2}.*"), "week dates are not accepted"),
    ("date_is_compact", re.compile(r"[0-9]{8}(?:[Tt ]?[0-9]{4,6}(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?)?"), "write the hyphens and colons"),
    ("date_is_epoch", re.compile(r"-?[0-9]{9,}(?:\.[0-9]+)?"), "this looks like seconds or milliseconds since 1970"),
    ("date_is_spreadsheet_serial", re.compile(r"-?[0-9]{1,6}(?:\.[0-9]+)?"), "this looks like a spreadsheet's day number: format the cells as text"),
    ("date_is_day_month", re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})(?:[ T,].*)?"), "day and month cannot be told apart"),
    ("date_is_not_padded", re.compile(r"[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}(?:[ Tt].*)?"), "write two digits, with hyphens"),
    ("date_is_words", re.compile(r".*[A-Za-z]{3,}.*", re.DOTALL), "write the month as two digits"),
)  # fmt: skip


class BadDate(ValueError):
    """A date that is not accepted: its code, and what to do about it."""

    def __init__(self, code: str, hint: str) -> None:
        super().__init__(hint)
        self.code, self.hint = code, hint


@dataclass(frozen=True, slots=True)
class Date:
    """A record's date, `YYYY-MM-DDThh:mm:ss.sss`; whether its zone or its fraction was changed."""

    text: str
    converted: bool = False
    cut: bool = False


def record_date(text: str, zone: tzinfo) -> Date:
    """The date of a text, in the configured zone. Raises BadDate."""
    trimmed = text.strip()
    match = _ACCEPTED.fullmatch(trimmed)
    if match is None:
        raise _unaccepted(trimmed)
    fraction = match["fraction"] or ""
    plain = f"{match['date']}T{match['time'] or '00:00'}:{match['seconds'] or '00'}"
    moment = _checked(lambda: datetime.fromisoformat(plain), trimmed)
    milliseconds = f"{fraction:0<3}"[:3]
    offset = match["zone"]
    if offset is not None:
        suffix = "+00:00" if offset in "Zz" else offset
        moment = _checked(lambda: _in_zone(f"{plain}{suffix}", zone), trimmed)
    cut = fraction[3:].strip("0") != ""
    return Date(
        f"{moment.isoformat(timespec='seconds')[:19]}.{milliseconds}", offset is not None, cut
    )


def started_text(moment: str, zone: tzinfo) -> str:
    """The moment of a start as a record's date: what its undated records have (M2)."""
    return to_datetime(moment).astimezone(zone).isoformat(timespec="milliseconds")[:23]


def _in_zone(text: str, zone: tzinfo) -> datetime:
    return datetime.fromisoformat(text).astimezone(zone).replace(tzinfo=None)


def _checked(read: Callable[[], datetime], text: str) -> datetime:
    try:
        return read()
    except (ValueError, OverflowError) as error:
        raise BadDate("date_impossible", f"there is no such moment: {text}") from error


def _unaccepted(text: str) -> BadDate:
    for code, pattern, why in _REFUSED:
        if pattern.fullmatch(text):
            return BadDate(code, f"{why}; expected {PATTERN}, like {EXAMPLE}")
    return BadDate("date_not_understood", f"expected {PATTERN}, like {EXAMPLE}")
