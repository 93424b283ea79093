"""The order that records arrive with: `_sys_record_order` and customAttributes (M1, M6, M8)."""

import csv
import io
import json
from datetime import UTC
from typing import Any

import pytest

from workledger import jsontext
from workledger.errors import Refused
from workledger.manual_tasks import csvfile, jsonrecords, records
from workledger.manual_tasks.records import Order, Records, Report

START = "2020-03-12T08:00:00.000Z"
STARTED = "2020-03-12T08:00:00.000"
DATE = "2020-03-11T10:15:55.935"


def of_file(*rows: tuple[str, str]) -> Records:
    """A file with these (record_date, _sys_record_order)."""
    out = io.StringIO()
    csv.writer(out).writerows(
        [("record_date", "_sys_record_order", "a"), *[(*row, "x") for row in rows]]
    )
    return csvfile.read(out.getvalue().encode(), START, UTC)


def of_hits(*attributes: Any) -> Records:
    hits = [{"data": {"a": "x"}, "customAttributes": one} for one in attributes]
    return jsonrecords.read_hits(hits, START, UTC)


def refused(read: Any, *given: Any) -> list[tuple[Any, ...]]:
    with pytest.raises(Refused) as caught:
        read(*given)
    found: Any = caught.value.extra["problems"]
    return [tuple(one[name] for name in ("record", "column", "value", "code")) for one in found]


def test_m6_an_order_is_kept_before_record_date_and_the_start():
    """(M6) Its date and its number; a conversion is only that of the date which counts."""
    found = of_file(
        ("2021-01-01T00:00Z", f'{{"hitOrder":7,"hitOrderDate":"{DATE}"}}'),
        ("2021-01-01", ""),
        ("", ""),
    )
    assert [one.order for one in found.records] == [
        Order(7, DATE),
        Order(2, "2021-01-01T00:00:00.000"),
        Order(3, STARTED),
    ]
    assert found.report == Report(undated=1, kept_order=1)


def test_m6_the_order_is_no_column_of_the_record():
    """(M6) It travels beside the values: in results it is a column again."""
    found = of_file(("", f'{{"hitOrder":7,"hitOrderDate":"{DATE}"}}'))
    assert found.columns == ("record_date", "a")
    assert found.records[0].values == {"record_date": "", "a": "x"}


def test_m6_unknown_members_are_kept_digit_for_digit():
    """(M6)"""
    text = f'{{"hitOrder":7,"hitOrderDate":"{DATE}","seen":1.50,"deep":{{"a":[1e0]}}}}'
    order = of_file(("", text)).records[0].order
    assert jsontext.dumps(order.attributes()) == text
    assert Order.of(text) == order
    object_ = json.loads(text)
    assert Order.of(object_).attributes() == object_
    assert of_hits(object_).records[0].order.attributes() == object_
    raw = jsontext.entry(f'{{"data":{{"a":1.0}},"customAttributes":{text}}}')[0]
    kept = jsonrecords.read_hits([raw], START, UTC).records[0]
    assert jsontext.dumps(kept.order.attributes()) == text
    assert jsontext.dumps(dict(kept.values)) == '{"a":1.0}'


@pytest.mark.parametrize(
    "missing", [{}, {"hitOrder": None, "hitOrderDate": None}, {"hitOrderDate": " "}]
)
def test_m8_what_is_missing_is_filled_in(missing: dict[str, Any]):
    """(M8) Never first because it is null, never dropped."""
    found = of_hits({"hitOrder": 3, "hitOrderDate": DATE}, missing)
    assert found.records[1].order == Order(2, STARTED)
    assert of_file(("", ""), ("2021-01-01", json.dumps(missing))).records[1].order == Order(
        2, "2021-01-01T00:00:00.000"
    )
    assert of_hits(None).records[0].order == Order(1, STARTED)


def test_m8_one_part_may_be_given():
    """(M8)"""
    found = of_file(
        ("2021-01-01", '{"hitOrder":7}'), ("2021-01-01", f'{{"hitOrderDate":"{DATE}"}}')
    )
    assert [one.order for one in found.records] == [
        Order(7, "2021-01-01T00:00:00.000"),
        Order(2, DATE),
    ]


def test_m8_a_direct_hit_may_have_its_date_in_data():
    """(M8) As a record has."""
    hits = [
        {"data": {"record_date": "2021-01-01"}},
        {"data": {"record_date": "2021-01-01", "_sys_record_order": {"hitOrder": 9}}},
        {"data": {"record_date": "2021-01-01"}, "customAttributes": {"hitOrderDate": DATE}},
    ]
    found = jsonrecords.read_hits(hits, START, UTC)
    date = "2021-01-01T00:00:00.000"
    assert [one.order for one in found.records] == [Order(1, date), Order(9, date), Order(3, DATE)]


def test_m8_the_date_obeys_the_rules_of_record_date():
    """(M8, M50, M53)"""
    found = of_hits({"hitOrderDate": "2020-03-11 11:15:55.9359+01:00"})
    assert found.records[0].order == Order(1, DATE)
    assert found.report == Report(converted=1, cut=1, kept_order=1)
    assert refused(of_hits, {"hitOrderDate": "11/03/2020"}, {"hitOrderDate": 43901.4277}) == [
        (1, "customAttributes.hitOrderDate", "11/03/2020", "day_month_date"),
        (2, "customAttributes.hitOrderDate", "43901.4277", "spreadsheet_serial"),
    ]


NUMBERS = ['"1"', "1.5", "true", "[]", '""', "9007199254740992", "1e400", "-9007199254740992"]


@pytest.mark.parametrize("number", NUMBERS)
def test_m8_a_malformed_number_names_the_row(number: str):
    """(M8)"""
    found = refused(of_file, ("", ""), ("", f'{{"hitOrder":{number}}}'))
    assert [(one[0], one[1].split(".")[0]) for one in found] == [(2, "_sys_record_order")]
    assert found[0][-1] in ("hit_order_malformed", "order_malformed")
    value = json.loads(number)
    assert refused(of_hits, {"hitOrder": value})[0][:2] == (1, "customAttributes.hitOrder")


@pytest.mark.parametrize(
    ("number", "read"), [("2", 2), ("10", 10), ("0", 0), ("-3", -3), ("2.0", 2), ("1e1", 10)]
)
def test_m1_orders_are_numbers(number: str, read: int):
    """(M1) 2 before 10."""
    assert of_file(("", f'{{"hitOrder":{number}}}')).records[0].order.hit_order == read


@pytest.mark.parametrize(
    "text",
    [
        *("x", "1", "null", "[]", '"x"', "{", "{}{}", '{"hitOrder":1} x', "{'hitOrder':1}"),
        *('{"hitOrder":1,"hitOrder":2}', '{"hitOrder":NaN}', '{"a":"\\ud800"}'),
        *('{"a":' + "[" * 70 + "]" * 70 + "}", '{"a":' + "[" * 90_000, '{"a":' + "1" * 6000 + "}"),
    ],
)
def test_m6_a_malformed_order_names_the_row(text: str):
    """(M6, M8)"""
    found = refused(of_file, ("", ""), ("2020-02-30", text))
    assert [(one[0], one[1], one[-1]) for one in found] == [
        (2, "record_date", "impossible_date"),
        (2, "_sys_record_order", "order_malformed"),
    ]
    assert len(found[1][2]) <= records.LONGEST_VALUE


def test_m8_attributes_are_an_object():
    """(M8) Or its JSON text."""
    assert of_hits('{"hitOrder":4}').records[0].order == Order(4, STARTED)
    assert refused(of_hits, [], 5, True, "x") == [
        (1, "customAttributes", "[]", "order_malformed"),
        (2, "customAttributes", "5", "order_malformed"),
        (3, "customAttributes", "true", "order_malformed"),
        (4, "customAttributes", "x", "order_malformed"),
    ]


def test_m8_two_orders_of_one_hit_are_refused():
    """(M8)"""
    hit = {"data": {"_sys_record_order": {"hitOrder": 1}}, "customAttributes": {"hitOrder": 2}}
    assert refused(jsonrecords.read_hits, [hit], START, UTC) == [
        (1, "_sys_record_order", '{"hitOrder":1}', "order_twice")
    ]
