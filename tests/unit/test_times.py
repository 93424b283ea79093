"""Moments as text: their order as text is their order in time."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis.strategies import datetimes, just

from workledger import times

MOMENTS = datetimes(timezones=just(UTC))


@given(MOMENTS, MOMENTS)
def test_texts_sort_as_their_moments_do(one: datetime, other: datetime) -> None:
    """Cut to the millisecond; every year has four digits."""
    texts = [times.to_text(one), times.to_text(other)]
    assert all(len(text) == 24 and text.endswith("Z") for text in texts)
    assert one > other or texts[0] <= texts[1]


@given(MOMENTS)
def test_a_text_is_its_moment_cut_to_the_millisecond(moment: datetime) -> None:
    """Never rounded up: what is due is never early."""
    cut = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert times.to_datetime(times.to_text(moment)) == cut


def test_any_zone_becomes_utc() -> None:
    """The wire has offsets, the store has none."""
    east = datetime(2026, 3, 11, 12, 15, 55, 935_999, timezone(timedelta(hours=2)))
    assert times.to_text(east) == "2026-03-11T10:15:55.935Z"
