"""Keys of the Task Comparator against Python's sort (M43).

The oracle never sees a key: it sorts the rows field by field from the last one to the first with
`sorted`, which is stable, over exact values of its own reading.
"""

import sqlite3
import unicodedata
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from workledger.manual_tasks import comparator as comparators
from workledger.manual_tasks import numerals
from workledger.manual_tasks.comparator import Comparator, Field

CHECKED = settings(max_examples=300, deadline=None, print_blob=True, database=None)

unfit = st.sampled_from([None, "", "  ", [], {}, ["a"]])
few = st.text(alphabet='ab "!~|}\x00\x7f\u00e9e\u0301\uffff\U0001f600', max_size=5)
texts = st.one_of(few, st.text(max_size=8), st.text(min_size=60, max_size=100), unfit)
spelled = st.from_regex(
    r"\A[+-]?[0-9]{1,3}(\.[0-9]{0,3})?([eE][+-]?[0-9]{1,3})?\Z", fullmatch=False
).filter(str.isascii)
numbers = st.one_of(
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    spelled,
    st.sampled_from(["1e400", "-1e400", "1.50", "1.5", 1, 1.0, "1", "x", True, "NaN", "1,5"]),
    unfit,
)
moments = st.datetimes(datetime(1900, 1, 2), datetime(2100, 1, 1))  # noqa: DTZ001
dates = st.one_of(
    moments.map(lambda one: one.isoformat()),
    moments.map(lambda one: one.isoformat(" ", "milliseconds")),
    moments.map(lambda one: one.date().isoformat()),
    st.tuples(moments, st.integers(-14, 14)).map(
        lambda one: f"{one[0].isoformat()}{'-' if one[1] < 0 else '+'}{abs(one[1]):02}:00"
    ),
    st.sampled_from(["2020-03-11", "2020-03-11T00:00", "11.03.2020", "2020-02-30", 5]),
    unfit,
)
OF = {"text": texts, "number": numbers, "date": dates}

comparators_of = st.lists(
    st.tuples(
        st.sampled_from(comparators.TYPES),
        st.sampled_from(comparators.DIRECTIONS),
        st.sampled_from(comparators.ENDS),
    ),
    min_size=1,
    max_size=3,
).map(lambda parts: Comparator(tuple(Field(str(i), *part) for i, part in enumerate(parts))))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Comparator, list[dict[str, Any]]]:
    """A comparator, and rows with values of its types, many of them equal in a field."""
    comparator = draw(comparators_of)
    columns = [
        draw(st.lists(OF[field.type], min_size=1, max_size=6)) for field in comparator.fields
    ]
    row = st.fixed_dictionaries({str(i): st.sampled_from(one) for i, one in enumerate(columns)})
    return comparator, draw(st.lists(row, min_size=2, max_size=12))


def exact(kind: str, value: Any, length: int) -> Any:
    """The value as Python compares it; None when it does not fit."""
    if kind == "number":
        return number(value)
    if kind == "text":
        if value is None or isinstance(value, list | dict):
            return None
        return unicodedata.normalize("NFC", str(value).strip())[:length] or None
    if not isinstance(value, str) or not value.strip() or value in ("11.03.2020", "2020-02-30"):
        return None
    moment = datetime.fromisoformat(value)
    moment = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return moment - timedelta(microseconds=moment.microsecond % 1000)


def number(value: Any) -> Fraction | None:
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        return None
    try:
        return Fraction(str(value).strip())
    except ValueError:
        return None


def sorted_by_python(comparator: Comparator, rows: list[dict[str, Any]]) -> list[int]:
    order = list(range(len(rows)))
    length = comparators.counted(comparator)
    for field in reversed(comparator.fields):
        read = {at: exact(field.type, rows[at][field.name], length) for at in order}
        there = [at for at in order if read[at] is not None]
        there = sorted(there, key=read.__getitem__, reverse=field.direction == "desc")
        away = [at for at in order if read[at] is None]
        order = away + there if field.missing == "first" else there + away
    return order


@CHECKED
@given(worlds())
def test_m43_keys_sort_rows_as_python_does(world: tuple[Comparator, list[dict[str, Any]]]):
    """(M43) Stable: what is equal stays in the order of creation, in SQLite as in bytes."""
    comparator, rows = world
    keys = [comparators.key(comparator, row) for row in rows]
    expected = sorted_by_python(comparator, rows)
    assert sorted(range(len(rows)), key=keys.__getitem__) == expected
    assert sorted(range(len(rows)), key=lambda at: keys[at].encode()) == expected
    assert all(len(key.encode()) <= comparators.LONGEST_KEY for key in keys)
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE rows (at INTEGER, date TEXT)")
        database.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(keys))
        stored = database.execute("SELECT at FROM rows ORDER BY date, at")
        assert [at for (at,) in stored] == expected


@CHECKED
@given(comparators_of, st.data())
def test_m43_no_key_is_the_beginning_of_another(comparator: Comparator, data: st.DataObject):
    """(M43) So FIFO's keys can stand right behind it, and break ties only."""
    row = st.fixed_dictionaries({field.name: OF[field.type] for field in comparator.fields})
    one, other = (comparators.key(comparator, data.draw(row)) for _ in range(2))
    assert one == other or not other.startswith(one)


@CHECKED
@given(numbers, numbers)
def test_m43_numbers_compare_exactly(one: Any, other: Any):
    """(M43, M13) As fractions do; equal ones have one spelling, which reads as the number."""
    first, second = numerals.of(one), numerals.of(other)
    for value, numeral in ((one, first), (other, second)):
        assert (numeral is None) == (number(value) is None)
        if numeral is not None:
            assert numerals.read(numeral.text) == numeral
            assert Fraction(numeral.text) == number(value)
    if first is not None and second is not None:
        exactly = [number(one), number(other)]
        assert (numerals.compare(first, second) > 0) == (exactly[0] > exactly[1])  # type: ignore[operator]
        assert (numerals.compare(first, second) == 0) == (exactly[0] == exactly[1])
        assert (first.text == second.text) == (exactly[0] == exactly[1])


@CHECKED
@given(st.lists(numbers))
def test_m43_numbers_are_totally_ordered(values: list[Any]):
    """(M43)"""
    read = [one for one in map(numerals.of, values) if one is not None]
    ordered = sorted(read, key=cmp_to_key(numerals.compare))
    keys = [comparators.key(Comparator((Field("f", "number"),)), {"f": one}) for one in ordered]
    assert keys == sorted(keys)
