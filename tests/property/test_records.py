"""Records: what is written is read back, and no file raises anything but the refusal (M50 to M54).

The writer is the standard library's; which rows are blank is told from what it wrote.
"""

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from workledger import jsontext
from workledger.errors import Refused
from workledger.manual_tasks import csvfile, headers, jsonrecords
from workledger.manual_tasks.dates import BadDate, record_date
from workledger.manual_tasks.records import Order

CHECKED = settings(max_examples=300, deadline=None, print_blob=True, database=None)
START = "2020-03-12T08:00:00.000Z"
STARTED = START[:-1]

characters = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
awkward = st.text(alphabet='ab",;|\t\r\n \u00a0\u2028\ufeff=', max_size=6)
cells = st.one_of(awkward, st.text(characters, max_size=8))
names = cells.filter(lambda name: bool(name.strip()) and headers.meant(name) is None)
header_of = st.lists(
    names,
    min_size=1,
    max_size=5,
    unique_by=lambda name: unicodedata.normalize("NFC", name).strip(),
).filter(lambda header: "_sys_record_order" not in header and "record_date" not in header)


WRITERS = [
    ("\r\n", csv.QUOTE_MINIMAL),
    *((end, csv.QUOTE_ALL) for end in ("\r\n", "\n", "\r")),
]
"""With other line ends, the writer does not quote every value that would break a line."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    header = draw(header_of)
    row = st.lists(cells, min_size=len(header), max_size=len(header))
    return header, draw(st.lists(row, min_size=1, max_size=6))


def written(row: list[str], **how: Any) -> str:
    out = io.StringIO()
    csv.writer(out, **how).writerow(row)
    return out.getvalue()


@CHECKED
@given(
    tables(),
    st.sampled_from(",;\t"),
    st.sampled_from(WRITERS),
    st.booleans(),
    st.booleans(),
)
def test_m51_what_the_csv_writer_writes_is_read_back_as_it_was(
    table: tuple[list[str], list[list[str]]],
    delimiter: str,
    writer: tuple[str, int],
    bom: bool,
    ended: bool,
) -> None:
    """(M3, M51) Every value and name, in order; blank lines are none."""
    (header, rows), (end, quoting) = table, writer
    how = {"delimiter": delimiter, "lineterminator": end, "quoting": quoting}
    lines = [written(row, **how) for row in [header, *rows]]
    kept = [row for row, line in zip(rows, lines[1:], strict=True) if not line.isspace()]
    assume(kept)
    assume(bom or not lines[0].startswith("\ufeff"))
    text = "".join(lines) if ended or lines[-1].isspace() else "".join(lines)[: -len(end)]
    body = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    found = csvfile.read(body, START, UTC, delimiter)
    assert found.columns == tuple(header)
    assert [list(one.values.values()) for one in found.records] == kept
    assert [one.order for one in found.records] == [
        Order(index, STARTED) for index in range(1, len(kept) + 1)
    ]


def outcome(read: Callable[..., Any], *given_: Any) -> Any:
    """What is answered: a value, or the refusal."""
    try:
        return read(*given_)
    except (Refused, BadDate) as refused:
        return refused


def sendable(refused: Refused) -> None:
    """The refusal names problems, and can be written."""
    problems: Any = refused.extra["problems"]
    total: Any = refused.extra["total"]
    assert refused.code == "invalid_records"
    assert 0 < len(problems) == min(total, 100)
    assert all(one["code"] and one["hint"] for one in problems)
    json.dumps(refused.extra, ensure_ascii=False).encode()
    refused.detail.encode()


PIECES = [
    *(b"a", b"1", b"record_date", b"Record_Date", b"_sys_record_order", b"2020-03-11", b"x"),
    *(
        b",",
        b";",
        b"\t",
        b"|",
        b'"',
        b'""',
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"\0",
        b"\xfc",
        b"\xff\xfe",
    ),
    *(b"\xc3\xa9", b"\xed\xa0\x80", b'{"hitOrder":1}', b'"{""hitOrder"":1}"', b"{", b"[", b"\x1a"),
    *(b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b"11/03/2020"),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


@CHECKED
@given(st.one_of(st.binary(max_size=60), pieces), st.sampled_from([None, ",", ";", "tab"]))
@example(b'a,b\n"', None)
@example(b'"', None)
@example(b"\xef\xbb\xbf\xef\xbb\xbfrecord_date\n1", None)
@example(b"\0", None)
@example(b"PK\x03\x04", ";")
def test_m54_any_bytes_are_records_or_a_typed_refusal(body: bytes, delimiter: str | None) -> None:
    """(M51, M54) Nothing else is ever raised, and what is answered can be sent."""
    found = outcome(csvfile.read, body, START, UTC, delimiter)
    if isinstance(found, Refused):
        return sendable(found)
    assert all(list(one.values) == list(found.columns) for one in found.records)
    told = [[dict(one.values), one.order.attributes()] for one in found.records]
    jsontext.dumps(told).encode()
    return None


digits = st.text(alphabet="0123456789-:/.,TtZzWw+ #APMapm\u0661\uff11", max_size=30)


@CHECKED
@given(st.one_of(digits, st.text(max_size=30)))
def test_m53_any_text_is_a_date_in_its_one_form_or_refused(text: str) -> None:
    """(M53) A date that was answered is accepted again, as it is."""
    date = outcome(record_date, text, UTC)
    if isinstance(date, BadDate):
        assert date.code
        assert date.hint
    else:
        assert record_date(date.text, UTC).text == date.text
        assert datetime.fromisoformat(date.text).isoformat(timespec="milliseconds") == date.text


moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1))  # noqa: DTZ001


@CHECKED
@given(moments, st.integers(-23 * 60, 23 * 60), st.integers(-14, 14))
def test_m53_a_moment_is_the_same_whatever_its_offset(
    moment: datetime, offset: int, zone: int
) -> None:
    """(M1, M53) Cut to the millisecond, in the configured zone."""
    there = timezone(timedelta(hours=zone))
    spelled = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=offset)))
    expected = moment.replace(microsecond=moment.microsecond // 1000 * 1000) + timedelta(hours=zone)
    date = record_date(spelled.isoformat(), there)
    assert date.text == expected.isoformat(timespec="milliseconds")
    assert date.cut == (moment.microsecond % 1000 != 0)


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        cells,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(cells, inner, max_size=3)),
    max_leaves=5,
)
members = st.one_of(
    cells,
    st.sampled_from(
        ["record_date", "_sys_record_order", "Record_Date", "data", "customAttributes"]
    ),
)
orders = st.dictionaries(
    st.sampled_from(["hitOrder", "hitOrderDate", "x"]),
    st.one_of(values, st.sampled_from(["2020-03-11", 1, 2.0])),
)
entries = st.one_of(
    values,
    st.dictionaries(members, st.one_of(values, orders)),
    st.fixed_dictionaries(
        {"data": st.dictionaries(members, values)}, optional={"customAttributes": orders}
    ),
)


@CHECKED
@given(st.lists(entries, max_size=4), st.booleans(), st.booleans())
def test_m8_any_json_is_records_or_a_typed_refusal(told: list[Any], hits: bool, raw: bool) -> None:
    """(M8, M54) From values and from their text alike; values are kept as they came."""
    reader = jsonrecords.read_hits if hits else jsonrecords.read
    given_: list[Any] = jsontext.entries(json.dumps(told), 10) if raw else told
    found = outcome(reader, given_, START, UTC)
    if isinstance(found, Refused):
        return sendable(found)
    assert len(found.records) == len(told)
    for record, entry in zip(found.records, told, strict=True):
        own = entry["data"] if hits else entry
        kept = {name: value for name, value in own.items() if name != "_sys_record_order"}
        assert json.loads(jsontext.dumps(dict(record.values))) == kept
        assert set(record.values) <= set(found.columns)
    return None
