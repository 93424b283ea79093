"""Two files as people send them, and exactly what must happen (F02, F03)."""

from datetime import UTC
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from workledger.errors import Refused
from workledger.manual_tasks import csvfile
from workledger.manual_tasks.records import Records, Report

FILES = Path(__file__).parents[1] / "data" / "manual_tasks"
ORDERS = (FILES / "F02_orders_mixed_dates.csv").read_bytes()
CLAIMS = (FILES / "F03_claims_duplicate_headers.csv").read_bytes()
START = "2020-03-12T08:00:00.000Z"

IN_ORDER = "O-09 O-07 O-04 O-03 O-06 O-02 O-05 O-01 O-13 O-08"


def problems(body: bytes) -> list[tuple[Any, ...]]:
    with pytest.raises(Refused) as caught:
        csvfile.read(body, START, UTC)
    found: Any = caught.value.extra["problems"]
    assert caught.value.code == "invalid_records"
    assert caught.value.extra["total"] == len(found)
    return [
        tuple(one[name] for name in ("record", "line", "column", "value", "code")) for one in found
    ]


def in_order(found: Records) -> str:
    """The list as (hitOrderDate, hitOrder) has it."""
    ordered = sorted(found.records, key=lambda one: (one.order.hit_order_date, one.order.hit_order))
    return " ".join(one.values["order_no"] for one in ordered)


def sound() -> bytes:
    """The orders without the three rows that are refused."""
    rows = ORDERS.splitlines(keepends=True)
    return b"".join(row for row in rows if row[:4] not in (b"O-10", b"O-11", b"O-12"))


def test_m54_f02_three_dates_are_refused_and_nothing_is_loaded():
    """(M53, M54) Day first, a spreadsheet's number, 30 February."""
    assert problems(ORDERS) == [
        (10, 11, "record_date", "11/03/2020 10:15", "day_month_date"),
        (11, 12, "record_date", "43901.4277", "spreadsheet_serial"),
        (12, 13, "record_date", "2020-02-30T10:00:00", "impossible_date"),
    ]


def test_m1_f02_without_them_the_order_is_certain():
    """(M1, M2, M53) O-08, undated, has the start; equal dates by their number."""
    found = csvfile.read(sound(), START, UTC)
    assert in_order(found) == IN_ORDER
    assert found.report == Report(undated=1, converted=2)
    dates = {one.values["order_no"]: one.order.hit_order_date for one in found.records}
    assert dates == {
        "O-01": "2020-03-11T10:15:55.935",
        "O-02": "2020-03-11T10:15:55.900",
        "O-03": "2020-03-11T10:15:55.000",
        "O-04": "2020-03-11T10:15:00.000",
        "O-05": "2020-03-11T10:15:55.900",
        "O-06": "2020-03-11T10:15:55.000",
        "O-07": "2020-03-11T00:00:00.000",
        "O-08": "2020-03-12T08:00:00.000",
        "O-09": "2020-03-10T23:59:59.999",
        "O-13": "2020-03-11T10:15:55.935",
    }
    assert [one.order.hit_order for one in found.records] == list(range(1, 11))


def test_m53_f02_in_another_zone_only_dates_with_an_offset_move():
    """(M53) And the start."""
    found = csvfile.read(sound(), START, ZoneInfo("Europe/Berlin"))
    dates = {one.values["order_no"]: one.order.hit_order_date for one in found.records}
    assert dates["O-01"] == "2020-03-11T10:15:55.935"
    assert dates["O-05"] == "2020-03-11T11:15:55.900"
    assert dates["O-06"] == "2020-03-11T11:15:55.000"
    assert dates["O-08"] == "2020-03-12T09:00:00.000"


def test_m51_f03_headers_and_ragged_rows_are_refused_together():
    """(M51, M52, M54) Never loaded with the last `amount` winning; blank lines are no records."""
    assert problems(CLAIMS) == [
        (None, 1, "amount", "amount", "duplicate_header"),
        (None, 1, "column 5", "", "blank_header"),
        (None, 1, "Record_Date", "Record_Date", "near_miss_header"),
        (2, 4, "amount", None, "too_few_cells"),
        (3, 5, "column 7", "overflow", "too_many_cells"),
    ]


def test_m51_f03_the_same_answer_whatever_ends_its_lines():
    """(M51)"""
    assert problems(CLAIMS.replace(b"\n", b"\r\n")) == problems(CLAIMS)
    assert problems(b"\xef\xbb\xbf" + CLAIMS) == problems(CLAIMS)
