"""record_date: what is accepted, and how each other spelling is refused (M50, M53)."""

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from workledger.manual_tasks.dates import BadDate, Date, record_date, started_text

BERLIN = ZoneInfo("Europe/Berlin")

ACCEPTED = {
    "2020-03-11T10:15:55.935": Date("2020-03-11T10:15:55.935"),
    "2020-03-11T10:15:55": Date("2020-03-11T10:15:55.000"),
    "2020-03-11T10:15:55.9": Date("2020-03-11T10:15:55.900"),
    "2020-03-11T10:15:55.93": Date("2020-03-11T10:15:55.930"),
    "2020-03-11T10:15:55.9359": Date("2020-03-11T10:15:55.935", cut=True),
    "2020-03-11T10:15:55.999999999": Date("2020-03-11T10:15:55.999", cut=True),
    "2020-03-11T10:15:55.935000000": Date("2020-03-11T10:15:55.935"),
    "2020-03-11 10:15:55": Date("2020-03-11T10:15:55.000"),
    "2020-03-11t10:15:55": Date("2020-03-11T10:15:55.000"),
    " \t2020-03-11T10:15:55\u00a0\n": Date("2020-03-11T10:15:55.000"),
    "2020-03-11T10:15": Date("2020-03-11T10:15:00.000"),
    "2020-03-11": Date("2020-03-11T00:00:00.000"),
    "2020-02-29": Date("2020-02-29T00:00:00.000"),
    "0001-01-01": Date("0001-01-01T00:00:00.000"),
    "9999-12-31T23:59:59.999999999": Date("9999-12-31T23:59:59.999", cut=True),
    "2020-03-11T10:15:55Z": Date("2020-03-11T10:15:55.000", converted=True),
    "2020-03-11T10:15:55z": Date("2020-03-11T10:15:55.000", converted=True),
    "2020-03-11T10:15+01:00": Date("2020-03-11T09:15:00.000", converted=True),
    "2020-03-11T23:15:55.9999-05:30": Date("2020-03-12T04:45:55.999", converted=True, cut=True),
    "2020-03-11 10:15:55-00:00": Date("2020-03-11T10:15:55.000", converted=True),
}

REFUSED = {
    "day_month_date": [
        *("11/03/2020", "11/03/2020 10:15", "11.03.2020", "11-03-2020", "11 03 2020"),
        *("3/11/20", "11. 3. 2020", "11.03.20 10:15:55"),
    ],
    "month_name": ["11 Mar 2020", "March 11, 2020", "11-MAR-20", "Wed, 11 Mar 2020 10:15:55 GMT"],
    "date_separator": ["2020/03/11", "2020.03.11 10:15", "2020 03 11"],
    "spreadsheet_serial": ["43901", "43901.4277", "43901,4277", "1", "0"],
    "epoch": [
        *("1583921755", "1583921755.935", "1583921755935", "1583921755935000", "-1"),
        *("1.58392E+12", "/Date(1583921755935)/"),
    ],
    "time_only": ["10:15", "10:15:55.935", "T10:15", "10:15 PM", "9:15", "10:15:55Z"],
    "spreadsheet_error": ["#VALUE!", "#N/A", "#REF!", "########"],
    "week_date": ["2020-W11-3", "2020-W11", "2020W113", "2020-W11-3T10:15"],
    "ordinal_date": ["2020-071", "2020-071T10:15"],
    "compact_date": [
        *("20200311", "20200311T101555", "20200311T101555Z", "202003111015", "20200311101555"),
        *("2020-03-11T1015", "20200311 10:15", "11032020"),
    ],
    "impossible_date": [
        *("2020-02-30", "2021-02-29", "2020-13-01", "2020-00-10", "2020-04-31T10:00:00"),
        *("0000-00-00", "0000-01-01", "2020-02-30T10:00:00Z"),
    ],
    "impossible_time": [
        *("2020-03-11T24:00", "2020-03-11T24:00:00", "2020-03-11T10:60", "2020-03-11T25:00"),
        *("2020-03-11T23:59:60", "2020-03-11T99:99:99Z"),
    ],
    "impossible_offset": ["2020-03-11T10:15+24:00", "2020-03-11T10:15-01:60"],
    "no_date": [
        *("N/A", "n/a", "NA", "n.a.", "none", "NULL", "NaN", "NaT", "-", "--", "?", "TBD"),
        *("unknown", "undefined", "\u2014"),
    ],
    "incomplete_date": ["2020", "2020-03"],
    "incomplete_time": ["2020-03-11T10"],
    "unpadded_date": ["2020-3-1", "2020-03-11 9:15", "2020-3-11T10:15:55"],
    "twelve_hour_clock": ["2020-03-11 10:15 PM", "2020-03-11 9:15:55 a.m."],
    "comma_fraction": ["2020-03-11T10:15:55,935", "2020-03-11T10:15:55,935Z"],
    "too_fine": ["2020-03-11T10:15:55.1234567890"],
    "zone_without_time": ["2020-03-11Z", "2020-03-11+01:00"],
    "offset_form": [
        *("2020-03-11T10:15:55+0100", "2020-03-11T10:15:55+01", "2020-03-11 10:15:55 +01:00"),
        "2020-03-11T10:15:55 Z",
    ],
    "zone_name": [
        *("2020-03-11T10:15:55 UTC", "2020-03-11 10:15 CET", "2020-03-11T10:15:55 GMT+1"),
        "2020-03-11T10:15:55+01:00[Europe/Berlin]",
    ],
    "date_out_of_range": [
        *("12020-01-01", "-0044-03-15", "+2020-03-11"),
        *("0001-01-01T00:00+00:01", "9999-12-31T23:59-00:01"),
    ],
    "other_digits": [
        *("\u0662\u0660\u0662\u0660-03-11", "\uff12\uff10\uff12\uff10-03-11", "2020-03-1\u00b9"),
    ],
    "unknown_date": [
        *("hello", "yesterday", "2020-03-11T", "2020-03-11T10:15.5", "2020-03-11X10:15", ""),
        *("2020-03-11  10:15", "2020-03-11T10:15\n:55", "2020-03-11;", "x" * 10_000),
    ],
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_m53_a_date_is_answered_in_one_form(text: str):
    """(M53) Cut, not rounded; what has an offset is converted, and counted."""
    assert record_date(text, UTC) == ACCEPTED[text]


@pytest.mark.parametrize(
    ("code", "text"), [(code, one) for code in REFUSED for one in REFUSED[code]]
)
def test_m53_each_spelling_that_is_refused_has_its_code(code: str, text: str):
    """(M53) And the pattern that is expected."""
    with pytest.raises(BadDate) as refused:
        record_date(text, UTC)
    assert refused.value.code == code
    if code not in ("impossible_offset", "date_out_of_range"):
        assert "YYYY-MM-DDThh:mm:ss[.sss]" in refused.value.hint


def test_m50_the_canonical_form_is_kept_as_it_is():
    """(M50)"""
    for zone in (UTC, BERLIN):
        text = "2020-03-11T10:15:55.935"
        assert record_date(text, zone) == Date(text)


def test_m53_an_offset_is_converted_to_the_configured_zone():
    """(M53) Summer and winter, and over midnight."""
    assert record_date("2020-03-11T10:15Z", BERLIN).text == "2020-03-11T11:15:00.000"
    assert record_date("2020-07-11T10:15Z", BERLIN).text == "2020-07-11T12:15:00.000"
    east = timezone(timedelta(hours=5, minutes=45))
    assert record_date("2020-03-11T20:00:00-01:00", east).text == "2020-03-12T02:45:00.000"


def test_m53_a_conversion_never_falls_into_the_hour_that_clocks_skip():
    """(M53) 02:00 to 03:00 on 26 March 2023 is not on a clock in Berlin."""
    before, after = "2023-03-26T00:59:59.999Z", "2023-03-26T01:00:00Z"
    assert record_date(before, BERLIN).text == "2023-03-26T01:59:59.999"
    assert record_date(after, BERLIN).text == "2023-03-26T03:00:00.000"


def test_m53_in_the_hour_that_clocks_show_twice_two_moments_have_one_text():
    """(M53) A form without a zone can not tell them apart: hitOrder decides then."""
    first, second = "2023-10-29T00:30:00Z", "2023-10-29T01:30:00Z"
    assert record_date(first, BERLIN) == record_date(second, BERLIN)
    assert record_date(first, BERLIN).text == "2023-10-29T02:30:00.000"
    assert record_date(first, UTC).text < record_date(second, UTC).text


@pytest.mark.parametrize("text", ["2023-03-26T02:30:00", "2023-10-29T02:30:00"])
def test_m53_a_date_without_an_offset_is_taken_as_it_stands(text: str):
    """(M53) Also in the hour that clocks skip, and in the one that they show twice."""
    assert record_date(text, BERLIN) == Date(text + ".000")


def test_m2_the_start_is_a_date_in_the_configured_zone():
    """(M2)"""
    assert started_text("2020-03-12T08:00:00.123Z", UTC) == "2020-03-12T08:00:00.123"
    assert started_text("2020-03-12T08:00:00.123Z", BERLIN) == "2020-03-12T09:00:00.123"


def test_m1_dates_compare_as_moments_do():
    """(M1)"""
    spelled = [
        "2020-03-11",
        "2020-03-11T01:30+01:00",
        "2020-03-11 00:30:00.0009",
        "2020-03-11T00:31Z",
    ]
    texts = [record_date(one, UTC).text for one in spelled]
    assert texts == sorted(texts)
    assert texts[1] == texts[2]
