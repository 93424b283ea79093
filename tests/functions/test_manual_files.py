"""Files over HTTP, with and without faults: M50 to M54."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.calling import Caller, event_of
from tests.functions.manual import (
    CSV,
    FILES,
    FIVE,
    LOADS,
    Worker,
    admin,
    found,
    new_task,
    upload,
)
from workledger.api.http import MOST_BYTES


def test_m50_f02_is_refused_with_its_three_rows(one: Worker) -> None:
    """M50, M53: day first, a spreadsheet serial, 30 February: nothing is loaded."""
    one.caller.around.clock.now = "2020-03-12T08:00:00.000Z"
    body = (FILES / "F02_orders_mixed_dates.csv").read_bytes()
    answer = upload(admin(one), one.task, body)
    assert (answer.status, answer.code, answer["total"]) == (422, "invalid_records", 3)
    assert [problem["record"] for problem in answer["problems"]] == [10, 11, 12]
    for problem in answer["problems"]:
        assert set(problem) == {"record", "line", "column", "value", "code", "hint"}
        assert (problem["column"], bool(problem["hint"])) == ("record_date", True)
    assert len({problem["code"] for problem in answer["problems"]}) == 3
    listed = one.caller.get("/manual-tasks/{task}/list", task=one.task)
    assert listed["items"] == []
    assert admin(one).get(LOADS, task=one.task)["items"] == []


def test_m53_f02_without_those_rows_is_in_order(one: Worker) -> None:
    """M53: every accepted form of a date; the undated one has the start."""
    one.caller.around.clock.now = "2020-03-12T08:00:00.000Z"
    lines = (FILES / "F02_orders_mixed_dates.csv").read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not any(bad in line for bad in (b"O-10", b"O-11", b"O-12"))]
    answer = upload(admin(one), one.task, b"".join(kept))
    assert answer.status == 201, answer.text
    assert answer["report"]["undated"] == 1
    listed = one.caller.get("/manual-tasks/{task}/list", task=one.task)
    names = [
        next(v for v in item["data"].values() if v.startswith("O-")) for item in listed["items"]
    ]
    assert names == [f"O-{n}" for n in ["09", "07", "04", "03", "06", "02", "05", "01", "13", "08"]]


def test_m51_f03_is_refused_for_its_header(one: Worker) -> None:
    """M51, M52: a column twice, a blank header, a near miss: never the last one wins."""
    body = (FILES / "F03_claims_duplicate_headers.csv").read_bytes()
    answer = upload(admin(one), one.task, body)
    assert (answer.status, answer.code) == (422, "invalid_records")
    assert len(answer["problems"]) >= 3
    text = json.dumps(answer["problems"])
    for what in ("amount", "Record_Date", "record_date"):
        assert what in text


FILES_REFUSED = {
    "empty": b"",
    "blank": b"\n \n",
    "header only": b"name\n",
    "ragged": b"a,b\n1\n",
    "too long": b"a,b\n1,2,3\n",
    "duplicate": b"a,a\n1,2\n",
    "blank header": b"a,\n1,2\n",
    "near miss": b"name,Record Date\nx,2020-01-01\n",
    "not utf-8": "name\nM\u00fcller\n".encode("latin-1"),
    "utf-16": "name\nx\n".encode("utf-16"),
    "nul": b"name\na\0b\n",
    "open quote": b'name\n"abc\n',
    "bad date": b"name,record_date\nx,N/A\n",
    "bad order": b'name,_sys_record_order\nx,"{""hitOrder"":""a""}"\n',
}


@pytest.mark.parametrize("name", FILES_REFUSED)
def test_m51_a_file_with_a_fault_is_refused_with_what_is_wrong(local: Caller, name: str) -> None:
    """M51 to M53: typed, with a hint; as a file and, where JSON can hold it, in JSON."""
    task, body = new_task(local), FILES_REFUSED[name]
    answers = [upload(local, task, body)]
    if name not in ("not utf-8", "utf-16"):
        answers.append(local.post(LOADS, {"csv": body.decode()}, task=task))
    for answer in answers:
        assert (answer.status, answer.code) == (422, "invalid_records"), answer.text
        assert answer["total"] >= len(answer["problems"]) >= 1
        assert all(problem["code"] and problem["hint"] for problem in answer["problems"])
    assert len({json.dumps(answer["problems"]) for answer in answers}) == 1
    assert local.get(LOADS, task=task)["items"] == []


@pytest.mark.parametrize("header", ["Record_Date", "record date", "RECORD_DATE", " record_date"])
def test_m52_a_near_miss_of_the_header_is_an_error(local: Caller, header: str) -> None:
    """M52: "did you mean record_date", in a file and in JSON; never ignored."""
    task = new_task(local)
    sent = [
        upload(local, task, f"name,{header}\nr1,2020-01-01\n"),
        local.post(LOADS, {"records": [{"name": "r1", header: "2020-01-01"}]}, task=task),
    ]
    for answer in sent:
        assert (answer.status, answer["total"]) == (422, 1), answer.text
        (problem,) = answer["problems"]
        assert "record_date" in problem["hint"]
        assert problem["code"] == "near_miss_header"


@pytest.mark.parametrize(
    ("body", "query"),
    [
        (b"\xef\xbb\xbfname,x\nr1,1\n", {}),
        (b"name;x\nr1;1\n", {}),
        (b"name\tx\nr1\t1\n", {}),
        (b"name;x\nr1;1\n", {"delimiter": ";"}),
        (b"name\tx\r\nr1\t1\r\n", {"delimiter": "\t"}),
        (b'name,x\n"r1","1"', {}),
    ],
)
def test_m51_delimiters_are_found_or_told(
    local: Caller, body: bytes, query: dict[str, str]
) -> None:
    """M51: UTF-8 with or without BOM; values stay text as written."""
    task = new_task(local)
    assert upload(local, task, body, **query).status == 201
    assert found(local, task)["r1"]["data"] == {"name": "r1", "x": "1"}


def test_m51_an_unknown_delimiter_is_a_400(local: Caller) -> None:
    """It is a parameter, not the file."""
    answer = upload(local, new_task(local), FIVE, delimiter="|")
    assert answer.status == 400
    assert answer["errors"][0]["field"] == "delimiter"


def test_m54_up_to_100_problems_and_how_many_there_are(local: Caller) -> None:
    """M54: one bad row creates no hit; 250 bad rows are listed up to 100."""
    task = new_task(local)
    rows = "".join(f"r{n},N/A\n" for n in range(250))
    answer = upload(local, task, f"name,record_date\n{rows}")
    assert (answer.status, answer["total"], len(answer["problems"])) == (422, 250, 100)
    first = answer["problems"][0]
    assert (first["record"], first["line"], first["value"]) == (1, 2, "N/A")
    assert found(local, task) == {}


def test_a_file_beyond_6_mb_is_a_413(local: Caller) -> None:
    """As text, and in base64."""
    task = new_task(local)
    for body in ("name\n" + "x" * MOST_BYTES, b"name\n" + b"\xff" * MOST_BYTES):
        answer = upload(local, task, body)
        assert (answer.status, answer.code) == (413, "request_too_large")


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=100).map(lambda text: text.encode(errors="surrogatepass")),
        st.lists(
            st.sampled_from(
                [
                    "a", "name", "record_date", "_sys_record_order", ",", ";", "\t", "\n", "\r\n", '"',
                    "2020-01-01", "{", "}", "hitOrder", ":", " ", "\0", "\ufeff", "1", "=1+1", "\u2028",
                ]
            ),
            max_size=40,
        ).map(lambda parts: "".join(parts).encode()),
    ),
    st.sampled_from([None, ",", ";", "\t", "|", ""]),
)  # fmt: skip
def test_m54_no_file_is_ever_a_500(local: Caller, body: bytes, delimiter: str | None) -> None:
    """M51 to M54: whatever is sent is loaded, or refused with what is wrong."""
    task = "Any"
    local.post("/manual-tasks", {"name": task})
    query = {} if delimiter is None else {"delimiter": delimiter}
    who = {"actor": "ada", "role": "admin"}
    event = event_of("POST", LOADS, {"task": task}, body, query, CSV, who)
    answer = local.send(event)
    assert answer.status in (201, 202, 400, 422), answer.text
    if answer.status == 422:
        assert 1 <= len(answer["problems"]) <= min(100, answer["total"])
