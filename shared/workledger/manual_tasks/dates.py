"""record_date: the spellings that are accepted, and the one form that they are kept in (M50, M53).

Kept is `YYYY-MM-DDThh:mm:ss.sss`, without a zone: a time on the clocks of the configured zone. Its
order as text is the order of the list (M1). A text without an offset is such a time already, and
is taken as it stands, also in the hour that clocks skip in spring. A text with an offset is a
moment, and is what the clocks of the zone show then: in the hour that they show twice in autumn,
two moments can have one text. Whoever must tell those apart configures UTC.
"""

import re
from datetime import datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from workledger import times
from workledger.errors import WorkledgerError
from workledger.manual_tasks import misdated

_ACCEPTED = re.compile(
    r"(?a:(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?:(:\d\d)(?:\.(\d{1,9}))?)?([Zz]|[+-]\d\d:\d\d)?)?)"
)


class Date(NamedTuple):
    """A date in its one form; it had a zone, or was finer than a millisecond."""

    text: str
    converted: bool = False
    cut: bool = False


class BadDate(WorkledgerError):
    """A text is no record_date: `code` for programs, `hint` says what is expected instead."""

    def __init__(self, code: str, hint: str) -> None:
        super().__init__(hint)
        self.code, self.hint = code, hint


def record_date(text: str, zone: tzinfo) -> Date:
    """The date that a text spells, in the zone (M53); cut, never rounded.

    Raises BadDate, with a code of its own for each kind of spelling that is refused.
    """
    told = text.strip()
    match = _ACCEPTED.fullmatch(told)
    if match is None:
        raise BadDate(*misdated.why(told))
    date, minutes, seconds, fraction, offset = match.groups()
    fraction = fraction or ""
    plain = f"{date}T{minutes or '00:00'}{seconds or ':00'}.{fraction[:3].ljust(3, '0')}"
    local = _checked(plain)
    cut = bool(fraction[3:].strip("0"))
    if offset is None:
        return Date(plain, cut=cut)
    return Date(_converted(local, offset, zone), converted=True, cut=cut)


def started_text(moment: str, zone: tzinfo) -> str:
    """The moment of a load's start, in the form of a date: what undated records get (M2)."""
    return _text(times.to_datetime(moment).astimezone(zone))


def _checked(plain: str) -> datetime:
    """The form is right; now the calendar and the clock."""
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        raise BadDate(*misdated.impossible(plain)) from None


def _converted(local: datetime, offset: str, zone: tzinfo) -> str:
    if offset in "Zz":
        ahead = timedelta()
    else:
        hours, minutes = int(offset[1:3]), int(offset[4:])
        if hours > 23 or minutes > 59:
            raise BadDate(*misdated.BAD_OFFSET)
        ahead = timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
    try:
        return _text(local.replace(tzinfo=timezone(ahead)).astimezone(zone))
    except (OverflowError, ValueError):
        raise BadDate(*misdated.OUT_OF_RANGE) from None


def _text(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
