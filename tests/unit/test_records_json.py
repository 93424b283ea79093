"""Records and direct hits as JSON: the rules of files (M8, M51 to M54)."""

import json
from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from workledger import jsontext
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual_tasks import headers, jsonrecords, records
from workledger.manual_tasks.records import Order, Records, Report

START = "2020-03-12T08:00:00.000Z"
STARTED = "2020-03-12T08:00:00.000"


def read(*entries: Any) -> Records:
    return jsonrecords.read(entries, START, UTC)


def hits(*entries: Any) -> Records:
    return jsonrecords.read_hits(entries, START, UTC)


def problems(reader: Callable[..., Records], *entries: Any) -> list[tuple[Any, ...]]:
    """(record, column, value, code) of each."""
    with pytest.raises(Refused) as caught:
        reader(*entries)
    assert caught.value.code == "invalid_records"
    json.dumps(caught.value.extra, ensure_ascii=False).encode()
    found: Any = caught.value.extra["problems"]
    assert all(one["hint"] and one["line"] is None for one in found)
    return [tuple(one[name] for name in ("record", "column", "value", "code")) for one in found]


def test_m2_records_have_their_date_or_the_start():
    """(M2, M3) Numbered as they come."""
    found = read({"a": 1, "record_date": "2020-03-11 10:15Z"}, {"b": None}, {"record_date": None})
    assert [one.order for one in found.records] == [
        Order(1, "2020-03-11T10:15:00.000"),
        Order(2, STARTED),
        Order(3, STARTED),
    ]
    assert found.columns == ("a", "record_date", "b")
    assert found.report == Report(undated=2, converted=1)


def test_m51_values_are_kept_as_they_came():
    """(M51) Digit for digit, when their text is given."""
    told = (
        '{"a":1.50,"b":{"c":[1e0]},"record_date":"2020-03-11","_sys_record_order":{"hitOrder":4}}'
    )
    for entry in (jsontext.entry(told)[0], Raw(told), jsontext.entry(told)[0].members):
        found = read(entry)
        assert dict(found.records[0].values) == {
            "a": Raw("1.50"),
            "b": Raw('{"c":[1e0]}'),
            "record_date": Raw('"2020-03-11"'),
        }
        assert found.records[0].order == Order(4, "2020-03-11T00:00:00.000")
        assert found.columns == ("a", "b", "record_date")
    assert read(json.loads(told)).records[0].values["b"] == {"c": [1]}


def test_m51_columns_are_the_values_as_json_text():
    """(M51) Whatever they came as."""
    record = read({"a": Raw("1.50"), "b": 'x"\n', "c": [1, None]}).records[0]
    assert record.columns == {"a": Raw("1.50"), "b": Raw('"x\\"\\n"'), "c": Raw("[1,null]")}


def test_m6_an_order_as_text_is_read_too():
    """(M6) As it stands in a file."""
    text = '{"hitOrder":4,"hitOrderDate":"2020-03-11"}'
    for order in (text, Raw(json.dumps(text)), json.loads(text), Raw(text)):
        assert read({"_sys_record_order": order}).records[0].order == Order(
            4, "2020-03-11T00:00:00.000"
        )
    assert read({"a": 1, "_sys_record_order": Raw("null")}).records[0].order == Order(1, STARTED)


def test_m53_dates_that_are_no_texts_have_the_codes_of_their_spelling():
    """(M53)"""
    entries = [
        {"record_date": one}
        for one in (43901, 1583921755, 1583921755.5, True, [], {}, Raw("43901.50"))
    ]
    assert problems(read, *entries) == [
        (1, "record_date", "43901", "spreadsheet_serial"),
        (2, "record_date", "1583921755", "epoch"),
        (3, "record_date", "1583921755.5", "epoch"),
        (4, "record_date", "true", "unknown_date"),
        (5, "record_date", "[]", "unknown_date"),
        (6, "record_date", "{}", "unknown_date"),
        (7, "record_date", "43901.50", "spreadsheet_serial"),
    ]
    assert problems(read, {"record_date": Raw('"11/03/2020"')}) == [
        (1, "record_date", "11/03/2020", "day_month_date")
    ]


def test_m54_what_is_no_record_is_named():
    """(M54)"""
    assert problems(read) == [(None, None, None, "no_records")]
    assert problems(hits) == [(None, None, None, "no_records")]
    assert problems(read, {"a": 1}, [1], {}, "x", None, Raw("5"), Raw("{")) == [
        (2, None, "[1]", "not_an_object"),
        (3, None, None, "empty_record"),
        (4, None, "x", "not_an_object"),
        (5, None, None, "not_an_object"),
        (6, None, "5", "not_an_object"),
        (7, None, "{", "not_an_object"),
    ]
    sent = jsontext.entries('[5, "x", {"a": 1}, [1, 2]]', 10)
    assert problems(read, *sent) == [
        (1, None, "5", "not_an_object"),
        (2, None, "x", "not_an_object"),
        (4, None, "[1, 2]", "not_an_object"),
    ]


def test_m8_what_is_no_hit_is_named():
    """(M8)"""
    entries = [
        {},
        {"data": None},
        {"data": []},
        {"data": {}, "customAttribute": {}},
        5,
        {"data": Raw("[]")},
    ]
    assert problems(hits, *entries) == [
        (1, "data", None, "not_an_object"),
        (2, "data", None, "not_an_object"),
        (3, "data", "[]", "not_an_object"),
        (4, "customAttribute", "{}", "unknown_member"),
        (5, None, "5", "not_an_object"),
        (6, "data", "[]", "not_an_object"),
    ]
    assert hits({"data": {}}).records[0].order == Order(1, STARTED)


@pytest.mark.parametrize("reader", [read, lambda *told: hits(*[{"data": one} for one in told])])
def test_m52_near_misses_are_named_where_they_are_first_met(reader: Callable[..., Records]):
    """(M51, M52) Blank names and those that look the same, too."""
    entries = [
        {"a": 1},
        {"Record_Date": 1, "": 2, "a ": 3},
        {"Record_Date": 1, "sysRecordOrder": 1},
    ]
    assert problems(reader, *entries) == [
        (2, "Record_Date", "Record_Date", "near_miss_header"),
        (2, "", "", "blank_header"),
        (2, "a ", "a ", "duplicate_header"),
        (3, "sysRecordOrder", "sysRecordOrder", "near_miss_header"),
    ]


@pytest.mark.parametrize(
    "value", ["a\0", ["a\0"], {"b": [{"a\0": 1}]}, Raw('"a\\u0000"'), Raw('{"a":["\\u0000"]}')]
)
def test_m51_nul_is_refused(value: Any):
    """(M51) However deep."""
    assert [one[::3] for one in problems(read, {"a": value})] == [(1, "nul")]
    attributes = {"more": value}
    assert [one[::3] for one in problems(hits, {"data": {}, "customAttributes": attributes})] == [
        (1, "nul")
    ]


def test_m51_what_only_looks_like_nul_is_kept():
    """(M51)"""
    assert read({"a": Raw('"\\\\u0000"')}).records[0].values["a"].value() == "\\u0000"
    assert [one[-1] for one in problems(read, {"a\0": 1})] == ["nul"]


def test_m51_limits_are_those_of_files():
    """(M51, M54)"""
    most = headers.MOST_COLUMNS
    assert len(read({str(number): 1 for number in range(most)}).columns) == most
    assert problems(read, {str(number): 1 for number in range(most + 9)}) == [
        (1, str(most), str(most), "too_many_columns")
    ]
    room = records.MOST_BYTES - 1
    assert read({"a": "x" * room})
    for large in ("x" * (room + 1), Raw('"' + "x" * room + '"'), ["\u00e9" * (room // 2)]):
        assert problems(read, {"a": large}, {"a": 5}) == [(1, None, None, "record_too_large")]
    many = ({"a": 1} for _ in range(records.MOST_RECORDS + 5))
    assert problems(read, *many) == [(records.MOST_RECORDS + 1, None, None, "too_many_records")]


def test_m54_a_hundred_problems_are_listed_and_all_counted():
    """(M54)"""
    with pytest.raises(Refused) as caught:
        read(*[{"record_date": "x"}] * 250)
    found: Any = caught.value.extra
    assert (len(found["problems"]), found["total"]) == (100, 250)
