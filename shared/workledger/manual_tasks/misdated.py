"""Why a text is no record_date: each kind of spelling that people send has its code (M53). Pure.

A date is never guessed: 03/04/2020 is in March or in April, and 43901 is a day only to who knows
the spreadsheet. What is refused is named, with the form that is expected.
"""

import re
from typing import NamedTuple

PATTERN = "YYYY-MM-DDThh:mm:ss[.sss]"
_EXPECTED = f"expected {PATTERN}, like 2020-03-11T10:15:55.935"

_LONGEST = 64
"""No date is longer; so a pattern never meets a long text."""


class Why(NamedTuple):
    """A code, and what to do."""

    code: str
    hint: str


def _why(code: str, what: str) -> Why:
    return Why(code, f"{what}: {_EXPECTED}")


BAD_OFFSET = _why("impossible_offset", "an offset has 00 to 23 hours and 00 to 59 minutes")
OUT_OF_RANGE = _why("date_out_of_range", "the date is outside the years 0001 to 9999")
_IMPOSSIBLE_DATE = _why("impossible_date", "the calendar has no such day")
_IMPOSSIBLE_TIME = _why("impossible_time", "a time of day is 00:00:00 to 23:59:59")
_DIGITS = _why("other_digits", "write the digits as 0 to 9")
_UNKNOWN = _why("unknown_date", "this is no date")

_DAY = r"\d{4}-\d\d-\d\d"
_TIME = r"[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|m\u00e4r|mai|juni|juli|okt|dez"
)
_NOTHING = (
    r"n/?a|n\.\s?a\.?|n\.?d\.?|none|null|nil|nan|nat|tb[acd]|unknown|undefined|never|missing|empty"
    r"|not (?:available|applicable|set)|no date|[-\u2010-\u2015?._*]+"
)
_COMPACT = (
    r"\d{8}(?:[T ]\d\d.*|Z)?"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d[0-2]\d[0-5]\d(?:[0-5]\d)?"
    rf"|{_DAY}[T ]\d{{4}}.*"
)

_KINDS: tuple[tuple[str, Why], ...] = (
    (r"#.*", _why("spreadsheet_error", "a spreadsheet's error, not a date")),
    (
        _NOTHING,
        _why("no_date", "leave the cell blank when there is no date (it gets the start's)"),
    ),
    (
        r"T?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[+-]\d\d:?\d\d)?",
        _why("time_only", "a time of day without its date"),
    ),
    (r"\d{4}-?W\d{1,2}(?:-?\d)?(?:T.*)?", _why("week_date", "a week is not a date")),
    (r"\d{4}-\d{3}(?:T.*)?", _why("ordinal_date", "a day of the year is not a date here")),
    (
        r"(?:1[6-9]|2[0-2])\d\d|\d{4}-\d{1,2}",
        _why("incomplete_date", "a date has year, month and day"),
    ),
    (
        _COMPACT,
        _why("compact_date", "write the hyphens and colons"),
    ),
    (
        r"-?\d{8,}(?:[.,]\d*)?|-\d+(?:[.,]\d*)?|\d(?:[.,]\d+)?E\+?\d+|/Date\(.*\)/",
        _why("epoch", "seconds or milliseconds since 1970 are not read"),
    ),
    (r"\d{1,7}(?:[.,]\d*)?", _why("spreadsheet_serial", "a spreadsheet's number of a day")),
    (
        rf"(?:.*[^a-z])?(?:{_MONTHS})[a-z]*(?:[^a-z].*)?",
        _why("month_name", "write the month as 01 to 12"),
    ),
    (
        r"\d{1,2}([/.-] ?| )\d{1,2}\1(?:\d{4}|\d\d)(?:\D.*)?",
        _why("day_month_date", "day and month can not be told apart"),
    ),
    (r"\d{4}([/._ ])\d{1,2}\1\d{1,2}(?:\D.*)?", _why("date_separator", "write hyphens")),
    (
        rf"{_DAY}[T ]\d{{1,2}}(?::\d\d){{0,2}}(?:\.\d+)? ?[ap]\.?m\.?",
        _why("twelve_hour_clock", "write the hours as 00 to 23"),
    ),
    (rf"{_DAY}[T ]\d\d:\d\d:\d\d,\d+.*", _why("comma_fraction", "write a dot before fractions")),
    (
        rf"{_DAY}[T ]\d\d:\d\d:\d\d\.\d{{10,}}.*",
        _why("too_fine", "a second has at most 9 digits after the dot"),
    ),
    (rf"{_DAY}[T ]\d\d", _why("incomplete_time", "a time has hours and minutes")),
    (
        rf"{_DAY}\s?(?:Z|[+-]\d\d:?\d\d)",
        _why("zone_without_time", "a zone needs a time"),
    ),
    (
        rf"{_DAY}{_TIME} *[+-]\d{{1,2}}(?::?\d\d){{0,2}}|{_DAY}{_TIME} +Z",
        _why("offset_form", "write the offset as Z or +01:00, right behind the time"),
    ),
    (
        rf"{_DAY}{_TIME} *(?:[+-]\d\d:?\d\d ?)?[\[(]?[a-z][a-z0-9_/+: -]*[\])]?",
        _why("zone_name", "write the zone as an offset, like +01:00"),
    ),
    (r"[+-]?\d{5,}-\d\d-\d\d.*|[+-]\d{4}-\d\d-\d\d.*", OUT_OF_RANGE),
    (
        r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}(?::\d{1,2}(?::\d{1,2}\S*)?)?)?",
        _why("unpadded_date", "write two digits for month, day, hours, minutes and seconds"),
    ),
)

_COMPILED = tuple((re.compile(kind, re.ASCII | re.IGNORECASE), why) for kind, why in _KINDS)


def why(text: str) -> Why:
    """What is wrong with a text that has none of the accepted forms."""
    if len(text) > _LONGEST:
        return _UNKNOWN
    if not text.isascii() and any(one.isdigit() and not one.isascii() for one in text):
        return _DIGITS
    return next((why for kind, why in _COMPILED if kind.fullmatch(text)), _UNKNOWN)


def impossible(text: str) -> Why:
    """What is wrong with a text of the right form: the time of day, or else the date."""
    hours, minutes, seconds = text[11:13], text[14:16], text[17:19]
    return _IMPOSSIBLE_TIME if hours > "23" or max(minutes, seconds) > "59" else _IMPOSSIBLE_DATE
