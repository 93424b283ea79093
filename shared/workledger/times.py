"""Moments as text: one form, `YYYY-MM-DDThh:mm:ss.sssZ`, whose order as text is its order in time.

The ledger, the rows and the wire use the same form, so nothing is converted on the way.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], str]
"""Gives the present moment; passed in everywhere, so that tests own time."""

_END = datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)

_WIRE = re.compile(
    r"(?a:\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(?a:\d{1,9}))?(?:Z|[+-](?a:\d{2}:\d{2}))"
)


def to_text(moment: datetime) -> str:
    """The text form of an aware datetime, cut (not rounded) to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:23] + "Z"


def system_clock() -> str:
    """The machine's clock."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")[:23] + "Z"


def to_datetime(moment: str) -> datetime:
    """The aware datetime of a text form."""
    return datetime.fromisoformat(moment)


def from_epoch(seconds: float) -> str:
    """The text form of seconds since 1970; what lies beyond the calendar means its end."""
    since = max(min(seconds, 1e12), -1e12)
    try:
        return to_text(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=round(since, 3)))
    except OverflowError:
        return to_text(datetime.min.replace(tzinfo=UTC) if since < 0 else _END)


def plus(moment: str, seconds: float) -> str:
    """The moment so many seconds later (or earlier, when negative)."""
    return to_text(to_datetime(moment) + timedelta(seconds=seconds))


def seconds_between(earlier: str, later: str) -> float:
    """Seconds from `earlier` to `later`; negative when they are the other way round."""
    return (to_datetime(later) - to_datetime(earlier)).total_seconds()


def parse(text: str) -> str:
    """The text form of an ISO-8601 date and time with a zone.

    Raises ValueError for every other spelling: `fromisoformat` alone accepts week dates and
    compact forms, which a sender rarely means.
    """
    if not _WIRE.fullmatch(text):
        raise ValueError("expected a date and time with zone, like 2026-03-11T10:15:55.935Z")
    try:
        return to_text(datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text)))
    except OverflowError as error:
        raise ValueError("the date is outside the years 1 to 9999") from error
