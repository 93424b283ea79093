"""The Task Comparator: what it accepts, and the key that it sorts by (M43)."""

import sqlite3
import sys
from datetime import UTC, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from workledger.errors import Refused
from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks.comparator import Comparator, Field

ORDERED: dict[str, list[Any]] = {
    "text": [
        "\x00",
        "\t\x01",
        "!",
        '"',
        "#",
        "10",
        "2",
        "A",
        "Zoe",
        "a",
        "a b",
        "a!",
        "ab",
        "b",
        "|",
        "}",
        "~",
        "\x7f",
        "\u00e9",
        "\ud7ff",
        "\ue000",
        "\uffff",
        "\U00010000",
        "\U0001f600",
        "\U0010ffff",
    ],
    "number": [
        "-1e401",
        "-1e400",
        -(10**30) - 1,
        -(10**30),
        "-10.5",
        "-10",
        -2,
        "-1.5",
        "-1",
        "-0.5",
        "-0.05",
        "-1e-400",
        0,
        "1e-400",
        "0.05",
        0.1,
        "0.5",
        "1",
        "1.05",
        Decimal("1.5"),
        2,
        "9",
        "10",
        "10.5",
        "123456789012345678901234567890.1",
        "123456789012345678901234567890.2",
        "1e400",
        "1.1e400",
        "1e999999999999999999",
    ],
    "date": [
        "1999-12-31",
        "2020-03-11",
        "2020-03-11T00:00:00.001",
        "2020-03-11 10:15",
        "2020-03-11T10:15:55.935",
        "2020-03-12",
        "9999-12-31",
    ],
}

EQUAL: dict[str, list[list[Any]]] = {
    "text": [["a", " a\n"], ["\u00e9", "e\u0301"], [1, 1.0, "1"], [True, "true"]],
    "number": [
        [1, 1.0, "1", " 1 ", "+1", "1.", "1.0", "1e0", "10e-1", "0.01E+2", "001", Decimal("1.00")],
        ["1.50", "1.5", 1.5, "15e-1", ".15e1"],
        [0, "0", "-0", "0.000", -0.0, "0e999999999999999999999", ".0"],
        ["1e400", "10e399", "1" + "0" * 400],
    ],
    "date": [
        ["2020-03-11", "2020-03-11T00:00", " 2020-03-11 00:00:00.0000 "],
        ["2020-03-11T10:15:55.935", "2020-03-11T10:15:55.935999", "2020-03-11T11:15:55.935+01:00"],
    ],
}

UNFIT: dict[str, list[Any]] = {
    "text": [None, "", " \t", [], ["a"], {"a": 1}],
    "number": [
        *(
            None,
            "",
            " ",
            True,
            [],
            {},
            "a",
            "1,5",
            "1 000",
            "1_000",
            "0x10",
            "--1",
            "1e",
            "e1",
            ".",
        ),
        *(
            "NaN",
            "inf",
            float("nan"),
            float("-inf"),
            Decimal("NaN"),
            "\u0661",
            "1e9999999999999999999",
        ),
        1 << 20_000,
    ],
    "date": [
        None,
        "",
        1583921755,
        "1583921755",
        "11.03.2020",
        "03/11/2020",
        "2020-02-30",
        "N/A",
        [],
    ],
}


def key(kind: str, value: Any, direction: str = "asc", missing: str = "last") -> str:
    return comparators.key(Comparator((Field("f", kind, direction, missing),)), {"f": value})


@pytest.mark.parametrize("kind", ORDERED)
def test_m43_keys_sort_as_the_values_do_in_either_direction(kind: str):
    """(M43)"""
    ascending = [key(kind, value) for value in ORDERED[kind]]
    descending = [key(kind, value, "desc") for value in ORDERED[kind]]
    assert ascending == sorted(set(ascending))
    assert descending == sorted(set(descending), reverse=True)


@pytest.mark.parametrize("kind", EQUAL)
@pytest.mark.parametrize("direction", comparators.DIRECTIONS)
def test_m43_spellings_of_one_value_have_one_key(kind: str, direction: str):
    """(M43)"""
    for spellings in EQUAL[kind]:
        assert len({key(kind, one, direction) for one in spellings}) == 1, spellings


@pytest.mark.parametrize("kind", UNFIT)
@pytest.mark.parametrize("direction", comparators.DIRECTIONS)
def test_m43_what_does_not_fit_the_type_counts_as_missing(kind: str, direction: str):
    """(M43) First or last in the list, whatever the direction."""
    there = [key(kind, value, direction) for value in ORDERED[kind]]
    for value in UNFIT[kind]:
        assert key(kind, value, direction, "first") < min(there), value
        assert key(kind, value, direction, "last") > max(there), value
    assert len({key(kind, value, direction) for value in UNFIT[kind]}) == 1


def test_m43_a_field_that_is_not_there_is_missing():
    """(M43)"""
    one = Comparator((Field("f", "text"),))
    assert comparators.key(one, {}) == comparators.key(one, {"f": None, "g": "x"})


def test_m43_the_second_field_decides_where_the_first_is_equal_and_only_there():
    """(M43) 'a' is before 'ab' whatever follows, and after it in a descending order."""
    both = Comparator((Field("name", "text", "desc"), Field("age", "number", "desc", "first")))
    rows: list[dict[str, Any]] = [
        {"name": "b", "age": 1},
        {"name": "ab", "age": "none"},
        {"name": "ab", "age": 9},
        {"name": "ab", "age": 8},
        {"name": "a", "age": 99},
        {"name": "a", "age": -99},
        {"age": 100},
    ]
    assert sorted(rows, key=lambda row: comparators.key(both, row)) == rows


def test_m43_dates_with_an_offset_are_read_in_the_zone():
    """(M43, M53) As record_date is."""
    one, east = Comparator((Field("f", "date"),)), timezone(timedelta(hours=2))
    there = {"f": "2020-03-11T10:00:00Z"}
    assert comparators.key(one, there, east) == comparators.key(one, {"f": "2020-03-11T12:00"})
    assert comparators.key(one, there) == comparators.key(one, {"f": "2020-03-11T10:00"}, UTC)


@pytest.mark.parametrize(("fields", "length"), [(1, 192), (2, 96), (3, 64)])
def test_m43_so_many_characters_of_a_text_count(fields: int, length: int):
    """(M43)"""
    one = Comparator(tuple(Field(name, "text") for name in "abc"[:fields]))
    assert comparators.counted(one) == length

    def of(text: str) -> str:
        return comparators.key(one, {"a": text})

    assert of("x" * length + "a") == of("x" * length + "b") == of("x" * length)
    assert of("x" * (length - 1) + "a") < of("x" * (length - 1) + "b")


def test_m43_two_hundred_digits_of_a_number_count():
    """(M43)"""
    assert key("number", "9" * 200 + "1") == key("number", "9" * 200 + "2")
    assert key("number", "9" * 199 + "1") < key("number", "9" * 199 + "2")
    assert key("number", "9" * 200) < key("number", "9" * 201)


WIDEST = {
    "text": ["\U0010ffff" * 300, "\x00" * 300, "~" * 300],
    "number": ["-" + "9" * 9000, "-0." + "9" * 9000 + "e-999999999999999999", "9" * 9000],
    "date": ["2020-03-11T10:15:55.935"],
}


@pytest.mark.parametrize("kinds", [a + b + c for a in ("", "tnd") for b in "tnd" for c in "tnd"])
@pytest.mark.parametrize("direction", comparators.DIRECTIONS)
def test_m43_a_key_with_all_behind_it_fits_into_a_sort_key(kinds: str, direction: str):
    """(M43) 1,024 bytes of DynamoDB: rank, key and hitOrderDate, sequence, tie."""
    names = {"t": "text", "n": "number", "d": "date"}
    kinds = kinds[-3:]
    widest = 0
    for at in range(3):
        one = Comparator(tuple(Field(str(i), names[k], direction) for i, k in enumerate(kinds)))
        values = {str(i): WIDEST[names[k]][at % len(WIDEST[names[k]])] for i, k in enumerate(kinds)}
        text = comparators.key(one, values)
        assert text.isascii()
        assert text.isprintable()
        assert " " not in text
        widest = max(widest, len(text))
    assert widest <= comparators.LONGEST_KEY
    numbers, date, tie = 2 * 21, 24, 80
    assert numbers + comparators.LONGEST_KEY + date + tie <= 1024


def test_m43_sqlite_python_and_utf8_bytes_agree_on_the_order_of_keys():
    """(M43)"""
    keys = [
        key(kind, value, direction)
        for kind in ORDERED
        for value in (*ORDERED[kind], *UNFIT[kind])
        for direction in comparators.DIRECTIONS
    ]
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE rows (date TEXT)")
        database.executemany("INSERT INTO rows VALUES (?)", [(one,) for one in keys])
        stored = [one for (one,) in database.execute("SELECT date FROM rows ORDER BY date")]
    assert stored == sorted(keys) == sorted(keys, key=str.encode)


def test_m43_saved_with_defaults_and_told_as_saved():
    """(M43)"""
    one = comparators.parse(
        [
            {"field": "City", "type": "text"},
            {"field": "due", "type": "date", "direction": "desc", "missing": "first"},
        ]
    )
    assert one == Comparator(
        (Field("City", "text", "asc", "last"), Field("due", "date", "desc", "first"))
    )
    assert comparators.dump(one) == [
        {"field": "City", "type": "text", "direction": "asc", "missing": "last"},
        {"field": "due", "type": "date", "direction": "desc", "missing": "first"},
    ]
    assert comparators.load(comparators.dump(one)) == one
    assert comparators.parse(comparators.dump(one)) == one


GOOD = {"field": "a", "type": "text"}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "comparator"),
        ("lambda a, b: a", "comparator"),
        ({}, "comparator"),
        ([], "comparator"),
        ([GOOD] * 4, "comparator"),
        (["a"], "comparator[0]"),
        ([{"type": "text"}], "comparator[0].field"),
        ([{"field": " ", "type": "text"}], "comparator[0].field"),
        ([{"field": "x" * 256, "type": "text"}], "comparator[0].field"),
        ([{"field": 1, "type": "text"}], "comparator[0].field"),
        ([{"field": "a"}], "comparator[0].type"),
        ([{"field": "a", "type": "Text"}], "comparator[0].type"),
        ([{"field": "a", "type": ["text"]}], "comparator[0].type"),
        ([GOOD, {"field": "b", "type": "money"}], "comparator[1].type"),
        ([{**GOOD, "direction": "up"}], "comparator[0].direction"),
        ([{**GOOD, "direction": None}], "comparator[0].direction"),
        ([{**GOOD, "missing": "never"}], "comparator[0].missing"),
        ([{**GOOD, "code": "x"}], "comparator[0].code"),
        ([GOOD, GOOD], "comparator[1].field"),
    ],
)
def test_m43_what_is_no_comparator_is_refused_with_the_field(value: Any, field: str):
    """(M43)"""
    with pytest.raises(Refused) as refused:
        comparators.parse(value)
    assert (refused.value.code, refused.value.field) == ("invalid_value", field)


def test_m43_an_unknown_column_is_refused_when_saved():
    """(M43) Before a first load nothing is known."""
    one = comparators.parse([GOOD, {"field": "due", "type": "date"}])
    comparators.check_columns(one, ["due", "a", "b"])
    comparators.check_columns(one, [])
    with pytest.raises(Refused) as refused:
        comparators.check_columns(one, ["a", "Due"])
    assert (refused.value.code, refused.value.field) == ("invalid_value", "comparator[1].field")


def test_m43_every_code_point_has_its_place():
    """(M43) All of them, surrogates too, which no UTF-8 brings: a key is never refused."""
    keys = [comparators._character(code) for code in range(sys.maxunicode + 1)]
    assert all(one < other for one, other in pairwise(keys))
