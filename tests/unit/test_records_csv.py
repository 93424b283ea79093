"""Files of records: what is read, and what is named when it can not be (M3, M50 to M54)."""

import json
import time
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from workledger.errors import Refused
from workledger.manual_tasks import csvfile, headers, records
from workledger.manual_tasks.records import Records, Report

START = "2020-03-12T08:00:00.000Z"
STARTED = "2020-03-12T08:00:00.000"


def read(body: str | bytes, delimiter: str | None = None) -> Records:
    raw = body if isinstance(body, bytes) else body.encode()
    return csvfile.read(raw, START, UTC, delimiter)


def problems(body: str | bytes, delimiter: str | None = None) -> list[tuple[Any, ...]]:
    """(record, line, column, value, code) of each."""
    with pytest.raises(Refused) as caught:
        read(body, delimiter)
    refused = caught.value
    assert refused.code == "invalid_records"
    json.dumps(refused.extra, ensure_ascii=False).encode()
    listed: Any = refused.extra["problems"]
    assert len(listed) == min(records.MOST_SHOWN, refused.extra["total"])  # type: ignore[call-overload]
    assert all(one["hint"] for one in listed)
    return [
        tuple(one[name] for name in ("record", "line", "column", "value", "code")) for one in listed
    ]


def values(body: str | bytes, delimiter: str | None = None) -> list[list[str]]:
    return [list(one.values.values()) for one in read(body, delimiter).records]


# --- what is read -------------------------------------------------------------------------------


def test_m51_values_stay_text_as_written():
    """(M51) No number, no trimming, no change of what is empty."""
    body = 'a,b,c\n007, 1.50 ,\n"x, ""y""",1e3,"  "\n'
    assert values(body) == [["007", " 1.50 ", ""], ['x, "y"', "1e3", "  "]]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_m51_quoted_newlines_are_kept_and_every_line_end_ends_a_record(newline: str):
    """(M51) Also the last record's when there is none."""
    body = newline.join(["a,b", '"x\r\ny\n\nz",1', "2,3"])
    assert values(body) == [["x\r\ny\n\nz", "1"], ["2", "3"]]


def test_m51_only_line_ends_end_a_line():
    """(M51) Other separators of lines are characters like any other."""
    text = "x\u2028y\u0085z\x0b\x0c\x1ew"
    assert values(f"a,b\n{text},1\n") == [[text, "1"]]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_m51_utf8_with_or_without_bom(mark: bytes):
    """(M51)"""
    found = read(mark + "n\u00e4me,record_date\n\U0001f600,\n".encode())
    assert found.columns == ("n\u00e4me", "record_date")
    assert found.records[0].values["n\u00e4me"] == "\U0001f600"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_m51_the_delimiter_is_found_from_the_header(delimiter: str):
    """(M51) Quoted ones in the header do not count."""
    others = "".join({",", ";", "\t"} - {delimiter})
    body = f'"a{others}"{delimiter}b\n1{others}{delimiter}2\n'
    assert values(body) == [["1" + others, "2"]]


@pytest.mark.parametrize(("told", "delimiter"), [(",", ","), ("semicolon", ";"), ("tab", "\t")])
def test_m51_the_delimiter_can_be_told(told: str, delimiter: str):
    """(M51) Then nothing else is one."""
    header = {",": "a;b", ";": "a,b", "\t": "a,b"}[delimiter]
    body = f"{header}{delimiter}c|d\n1{delimiter}2\n"
    assert read(body, told).columns == (header, "c|d")


def test_m51_a_delimiter_that_is_none_is_an_invalid_value():
    """(M51)"""
    for told in ("|", "", ",,", "Comma "):
        with pytest.raises(Refused) as caught:
            read("a,b\n1,2\n", told)
        assert (caught.value.code, caught.value.field) == ("invalid_value", "delimiter")


def test_m51_record_date_settles_which_delimiter_it_is():
    """(M51) Where the header would allow several."""
    assert read("net;gross,record_date\n1;2,\n").columns == ("net;gross", "record_date")


def test_m51_one_column_needs_no_delimiter():
    """(M51) An empty value is quoted there: a blank line is no record."""
    assert values('a\n1\n""\n\n x\n') == [["1"], [""], [" x"]]


def test_m3_records_are_counted_not_lines():
    """(M3) Blank lines, before the header too, and lines within a value do not count."""
    body = '\n  \na,b\n\n1,"x\ny"\n \t \n2,y\n\n'
    assert [(one.index, one.order.hit_order) for one in read(body).records] == [(1, 1), (2, 2)]


def test_m3_a_row_of_delimiters_is_a_record_unless_they_are_white_space():
    """(M3) Blank is only white space; a tab is."""
    assert values("a,b\n,\n") == [["", ""]]
    assert values("a\tb\n\t\n1\t2\n") == [["1", "2"]]


def test_m2_undated_records_have_the_one_moment_of_the_start():
    """(M2) Missing, blank, no such column; in the configured zone."""
    body = b"a,record_date\n1,\n2, \n3,2020-03-11\n"
    found = read(body)
    assert [one.order.hit_order_date for one in found.records] == [
        *(STARTED, STARTED, "2020-03-11T00:00:00.000")
    ]
    assert found.report == Report(undated=2)
    there = csvfile.read(b"a\n1\n", START, ZoneInfo("Asia/Tokyo"))
    assert there.records[0].order.hit_order_date == "2020-03-12T17:00:00.000"
    same = csvfile.read(b"a\n1\n", STARTED, ZoneInfo("Asia/Tokyo"))
    assert same.records[0].order.hit_order_date == STARTED


def test_m5_a_date_to_come_and_a_column_called_deadline_are_plain_data():
    """(M5)"""
    found = read("Deadline,record_date\n1999-01-01,2999-01-01\n").records[0]
    assert found.order.hit_order_date == "2999-01-01T00:00:00.000"
    assert found.values["Deadline"] == "1999-01-01"


def test_m53_the_report_counts_what_was_made_of_dates():
    """(M53)"""
    body = "a,record_date\n1,2020-03-11T10:15:55.9999Z\n2,2020-03-11 10:15\n3,2020-03-11T00:00-01:00\n4,\n"
    assert read(body).report == Report(undated=1, converted=2, cut=1)


# --- files that are none ------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b"\xef\xbb\xbf", b" \r\n\t\n", "\u3000\n".encode()])
def test_m51_an_empty_file(body: bytes):
    """(M51)"""
    assert problems(body) == [(None, 1, None, None, "empty_file")]


def test_m51_a_header_only():
    """(M51)"""
    assert problems("a,b\n \n") == [(None, None, None, None, "no_records")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_m51_wide_encodings_are_named(encoding: str):
    """(M51) With their mark or without."""
    with pytest.raises(Refused) as caught:
        read("claim,amount\nM\u00fcller,2\n".encode(encoding))
    assert "UTF-" in caught.value.detail
    assert problems("claim,amount\nM,2\n".encode(encoding)) == [(None, 1, None, None, "encoding")]


def test_m51_latin_1_is_named_with_each_cell():
    """(M51) Shown as it was most likely meant."""
    body = "name,price \u20ac\nM\u00fcller,2\nKai,3\n\u201cx\u201d,4\n".encode("cp1252", "replace")
    assert problems(body) == [
        (None, 1, "price \u20ac", "price \u20ac", "encoding"),
        (1, 2, "name", "M\u00fcller", "encoding"),
        (3, 4, "name", "\u201cx\u201d", "encoding"),
    ]
    with pytest.raises(Refused, match="Latin-1"):
        read(body)


@pytest.mark.parametrize(
    "body", [b"a,b\n\xed\xa0\x80,1\n", b"a,b\n\xc0\x80,1\n", b"a,b\n\xf4\x90\x80\x80,1\n"]
)
def test_m51_what_only_looks_like_utf8_is_refused(body: bytes):
    """(M51) Surrogates, overlong forms, what is beyond the last character."""
    assert [one[-1] for one in problems(body)] == ["encoding"]


def test_m51_nul_is_refused():
    """(M51) Wherever it stands."""
    assert problems("a,b\0\n1,2\n\0,\n4,5\n6,x\0y\n") == [
        (None, 1, "b\0", "b\0", "nul"),
        (2, 3, "a", "\0", "nul"),
        (4, 5, "b\0", "x\0y", "nul"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        *(b"PK\x03\x04...", b"\xd0\xcf\x11\xe0...", b"\x1f\x8b...", b"%PDF-1.7"),
        *(
            b'{"a":1}\n{"a":2}',
            b' [\n{"a":1}]',
            b'["a"]',
            b"<!DOCTYPE html>",
            b'<?xml version="1.0"?>',
        ),
    ],
)
def test_m51_other_kinds_of_file_are_named(body: bytes):
    """(M51) They would be read as columns with strange names."""
    assert [one[-1] for one in problems(body)] == ["not_csv"]


def test_m51_a_delimiter_is_never_guessed():
    """(M51)"""
    assert problems("net, EUR;gross, EUR\n1,5;2,5\n") == [
        (None, 1, None, "net, EUR;gross, EUR\n", "delimiter_unclear")
    ]
    assert problems("a|b\n1|2\n") == [(None, 1, None, "a|b\n", "delimiter_unknown")]
    assert problems("\nsep=;\na;b\n1;2\n") == [(None, 2, None, "sep=;", "sep_line")]


# --- headers ------------------------------------------------------------------------------------


def test_m51_duplicate_and_blank_headers():
    """(M51) Names that look the same are the same."""
    assert problems("a,b,a, ,\u00e9,e\u0301,b ,\n1,2,3,4,5,6,7,8\n") == [
        (None, 1, "a", "a", "duplicate_header"),
        (None, 1, "column 4", " ", "blank_header"),
        (None, 1, "e\u0301", "e\u0301", "duplicate_header"),
        (None, 1, "b ", "b ", "duplicate_header"),
        (None, 1, "column 8", "", "blank_header"),
    ]


def test_m51_names_have_at_most_255_characters():
    """(M51) Every record carries them."""
    longest = "x" * headers.LONGEST_NAME
    assert read(f"{longest},b\n1,2\n").columns == (longest, "b")
    assert problems(f"{longest}x,b\n1,2\n")[0][-1] == "long_header"


NEAR = [
    *("Record_Date", "record date", "record-date", "recordDate", "RECORD_DATE", " record_date"),
    *("record_date ", "recorddate", "record.date", "_record_date_", "recrod_date", "record_dat"),
    *("\ufeffrecord_date", "\uff52ecord_date", "record__date", "reccord_date"),
]
NEAR_ORDER = [
    *("sys_record_order", "_SYS_RECORD_ORDER", "_sys_record_order ", "sysRecordOrder"),
    *("_sys record order", "__sys_record_order", "_sys_recrod_order", "_sys_record_oder"),
]


@pytest.mark.parametrize("name", NEAR)
def test_m52_a_near_miss_of_record_date_is_an_error(name: str):
    """(M52) Never ignored, beside record_date neither."""
    for header in (f'a,"{name}"', f'record_date,"{name}"'):
        with pytest.raises(Refused, match="did you mean record_date") as caught:
            read(f"{header}\n,\n")
        found: Any = caught.value.extra["problems"]
        assert [(one["line"], one["column"], one["code"]) for one in found] == [
            (1, name, "near_miss_header")
        ]


@pytest.mark.parametrize("name", NEAR_ORDER)
def test_m52_a_near_miss_of_the_order_is_an_error(name: str):
    """(M52, M6)"""
    with pytest.raises(Refused, match="did you mean _sys_record_order"):
        read(f"a,{name}\n1,\n")


@pytest.mark.parametrize(
    "name", ["date", "record", "record_data", "record_date2", "order", "update"]
)
def test_m52_other_columns_are_plain_data(name: str):
    """(M52)"""
    assert read(f"a,{name}\n1,2\n").columns == ("a", name)


def test_m51_a_sane_number_of_columns():
    """(M51)"""
    most = headers.MOST_COLUMNS
    row = ",".join(str(number) for number in range(most))
    assert len(read(f"{row}\n{row}\n").columns) == most
    assert problems(f"{row},x\n{row},x\n") == [(None, 1, None, None, "too_many_columns")]


# --- rows ---------------------------------------------------------------------------------------


def test_m51_ragged_rows_name_record_line_and_column():
    """(M51) The first column that is missing, the first cell that is too many."""
    assert problems('a,b,c\n\n"1\n",2\n1,2,3\n1\n1,2,3,four,5\n') == [
        (1, 3, "c", None, "too_few_cells"),
        (3, 6, "b", None, "too_few_cells"),
        (4, 7, "column 4", "four", "too_many_cells"),
    ]


def test_m51_text_after_a_closing_quote():
    """(M51) The rows behind it are read."""
    assert problems('a,b,c\n"x, ""y""",5" pipe,"2"x\n"1" ,2,3\n1,2\n') == [
        (1, 2, "c", '"2"x', "text_after_quote"),
        (2, 3, "a", '"1" ,2,3', "text_after_quote"),
        (3, 4, "c", None, "too_few_cells"),
    ]


def test_m51_a_quote_that_is_not_closed():
    """(M51) Named where it begins, not where the file ends."""
    assert problems('a,b\n1,2\n3,"4\n5,6\n7,8\n') == [
        (2, 3, "b", '"4\n5,6\n7,8', "quote_not_closed")
    ]
    assert problems('a,"b\n1,2\n') == [(None, 1, "column 2", '"b\n1,2', "quote_not_closed")]


def test_m51_a_blank_before_a_quote():
    """(M51) The quotes would be part of the value, and a delimiter within them would part it."""
    assert problems('a,b\n1, "2"\n "1,2",3\n"1","x, ""y"""\n5" pipe,1"\n1, "2" x, "\n') == [
        (1, 2, "b", ' "2"', "space_before_quote"),
        (2, 3, "a", ' "1,2",3', "space_before_quote"),
        (5, 6, "b", ' "2" x, "', "space_before_quote"),
    ]
    assert problems('a,b\n"1\n2", "x"\n') == [(1, 2, "b", ' "x"', "space_before_quote")]
    assert problems('a, "b"\n1,2\n') == [(None, 1, ' "b"', ' "b"', "space_before_quote")]
    assert values('a,b\n5" pipe,1"\n" ""x""",y\n') == [['5" pipe', '1"'], [' "x"', "y"]]


def test_m51_a_record_has_at_most_256_kib_names_included():
    """(M51) In UTF-8; the file's other records are read."""
    room = records.MOST_BYTES - 2
    assert len(values("a,b\n1," + "x" * (room - 1) + "\n")) == 1
    for large in ("x" * room, "\u00e9" * (room // 2)):
        found = problems(f"a,b\n1,{large}\n2,3\n4\n")
        assert [(one[0], one[2], one[-1]) for one in found] == [
            (1, "b", "record_too_large"),
            (3, "b", "too_few_cells"),
        ]
        assert len(found[0][3]) == records.LONGEST_VALUE


def test_m54_each_bad_date_is_named():
    """(M54) With record, line, column, value, code."""
    assert problems("record_date,a\n2020-03-11,1\n\n11/03/2020,2\n43901,3\n") == [
        (2, 4, "record_date", "11/03/2020", "day_month_date"),
        (3, 5, "record_date", "43901", "spreadsheet_serial"),
    ]


def test_m54_a_hundred_problems_are_listed_and_all_counted():
    """(M54)"""
    with pytest.raises(Refused) as caught:
        read("a,record_date\n" + "1,x\n" * 250)
    found: Any = caught.value.extra["problems"]
    assert (len(found), caught.value.extra["total"]) == (100, 250)
    assert [one["record"] for one in found] == list(range(1, 101))
    assert "250 problems" in caught.value.detail
    assert "record 1, line 2, column record_date" in caught.value.detail


def test_m54_a_load_has_an_end():
    """(M54)"""
    most = records.MOST_RECORDS
    assert problems("a\n" + "1\n" * (most + 5)) == [
        (most + 1, most + 2, None, None, "too_many_records")
    ]


def test_m55_ten_thousand_records_are_read_in_less_than_a_second():
    """(M55) About a tenth of it, in fact."""
    row = 'A-{0},2020-03-11T10:15:55.935Z,K\u00e4i,1.50,x,"{{""hitOrder"":{0}}}"\n'
    body = "no,record_date,name,net,gross,_sys_record_order\n" + "".join(
        row.format(number) for number in range(10_000)
    )
    began = time.process_time()
    assert len(read(body).records) == 10_000
    assert time.process_time() - began < 1
