"""Loading records over HTTP: M1 to M8, M50 to M55."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.calling import Caller, event_of
from tests.functions.manual import (
    CSV,
    DAY,
    FILES,
    FIVE,
    Worker,
    found,
    load,
    new_task,
    sweep,
    upload,
    worker,
)
from workledger import bootstrap
from workledger.api.http import MOST_BYTES
from workledger.api.permissions import permissions

LOADS = "/manual-tasks/{task}/loads"
HITS = "/manual-tasks/{task}/hits"
STARTED = "2026-03-11T10:15:55.935"


@pytest.fixture
def one(caller: Caller) -> Worker:
    """W1 at a task without records."""
    return worker(caller, new_task(caller), "W1")


def orders(one: Worker) -> dict[str, tuple[int, str]]:
    """Name -> (hitOrder, hitOrderDate) of what is listed."""
    answer = one.caller.get("/manual-tasks/{task}/list", task=one.task, limit=100)
    return {
        item["data"]["name"]: (
            item["customAttributes"]["hitOrder"],
            item["customAttributes"]["hitOrderDate"],
        )
        for item in answer["items"]
    }


def admin(one: Worker) -> Caller:
    return one.caller.as_("ada", "admin")


def test_m1_by_date_then_by_number(one: Worker) -> None:
    """M1, M5: as instants and as numbers, 2 before 10; a date to come is listed, after the others."""
    rows = "".join(f"r{n},\n" for n in range(1, 12))
    load(
        admin(one), one.task, f"name,record_date\n{rows}old,2020-01-01\nlate,2099-01-01T00:00:00\n"
    )
    numbers = " ".join(f"r{n}" for n in range(1, 12))
    assert one.list(limit=100) == f"old {numbers} late"


def test_m2_m3_undated_records_have_the_start_and_their_number(one: Worker) -> None:
    """M2, M3: one instant for all; blank lines are no records and a quoted newline is no row."""
    load(admin(one), one.task, 'name,note\nr1,"a\nb"\n\n  \nr2,\n')
    assert orders(one) == {"r1": (1, STARTED), "r2": (2, STARTED)}


def test_m2_a_later_load_stands_after_an_earlier_one(one: Worker) -> None:
    """M2: by the start of each."""
    load(admin(one), one.task, "name\na1\na2\n")
    one.caller.around.clock.tick(0.001)
    load(admin(one), one.task, "name\nb1\n")
    assert one.list() == "a1 a2 b1"


def test_m6_sys_record_order_comes_before_record_date(one: Worker) -> None:
    """M6: number, no zone; unknown members are kept."""
    order = '{"hitOrder":7,"hitOrderDate":"2020-03-11T10:15:55.935","more":[1]}'
    quoted = order.replace('"', '""')
    load(
        admin(one),
        one.task,
        f'name,record_date,_sys_record_order\nr1,2019-01-01,"{quoted}"\nr2,2019-01-02,\n',
    )
    answer = one.caller.get("/manual-tasks/{task}/list", task=one.task)
    assert [item["data"]["name"] for item in answer["items"]] == ["r2", "r1"]
    assert answer["items"][1]["customAttributes"] == json.loads(order)


def test_m7_five_undated_records_list_as_in_the_file(one: Worker) -> None:
    """M7: returns and expiries never change that."""
    load(admin(one), one.task)
    other = worker(admin(one), one.task, "W2")
    other.do("return", other.next())
    other.next()
    one.caller.around.clock.tick(4_000)
    assert one.list() == other.list() == "r1 r2 r3 r4 r5"


def test_m8_hits_are_created_with_their_attributes(one: Worker) -> None:
    """M8: what is missing is filled in; never first because it is null, never dropped."""
    body = [
        {"data": {"name": "r1"}},
        {"data": {"name": "r2"}, "customAttributes": {"hitOrderDate": "2020-03-11 10:15"}},
        {"data": {"name": "r3"}, "customAttributes": {"hitOrder": 0, "x": {"y": 1}}},
    ]
    answer = admin(one).post(HITS, body, task=one.task)
    assert (answer.status, answer["records"], answer["created"]) == (201, 3, 3), answer.text
    assert one.list() == "r2 r3 r1"
    assert orders(one)["r2"] == (2, "2020-03-11T10:15:00.000")
    assert orders(one)["r1"] == (1, STARTED)
    single = admin(one).post(HITS, {"data": {"name": "r4"}}, task=one.task)
    assert (single.status, single["records"]) == (201, 1)


@pytest.mark.parametrize(
    "attributes",
    [
        {"hitOrder": "first"},
        {"hitOrder": 1.5},
        {"hitOrder": True},
        {"hitOrderDate": "11.03.2020"},
        {"hitOrderDate": 5},
        {"hitOrder": 10**30},
    ],
    ids=str,
)
def test_m8_a_malformed_attribute_is_refused_with_its_row(
    one: Worker, attributes: dict[str, Any]
) -> None:
    """M8: nothing is created, the row is named."""
    body = [
        {"data": {"name": "ok"}},
        {"data": {"name": "bad"}, "customAttributes": attributes},
    ]
    answer = admin(one).post(HITS, body, task=one.task)
    assert (answer.status, answer.code) == (422, "invalid_records"), answer.text
    assert [problem["record"] for problem in answer["problems"]] == [2]
    assert one.list() == ""


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


def test_m54_a_load_shows_how_far_it_is(one: Worker) -> None:
    """M54: its address, its report, in the list of loads."""
    answer = upload(admin(one), one.task, FIVE)
    assert answer.status == 201
    assert answer.headers["Location"] == f"/loads/{answer['id']}"
    shown = admin(one).get("/loads/{load}", load=answer["id"])
    assert shown.json == answer.json
    assert (shown["state"], shown["records"], shown["created"]) == ("complete", 5, 5)
    assert (shown["columns"], shown["task"], shown["process"]) == (["name"], one.task, None)
    assert shown["report"] == {"undated": 5, "converted": 0, "cut": 0, "keptOrder": 0}
    assert [one["id"] for one in admin(one).get(LOADS, task=one.task)["items"]] == [answer["id"]]
    assert list(found(admin(one), one.task, load=answer["id"])) == ["r1", "r2", "r3", "r4", "r5"]


def test_m54_a_load_that_takes_long_is_a_202_and_goes_on_by_itself(caller: Caller) -> None:
    """M54: nobody sees any of it before all is there; the timekeeper does the rest."""
    task = new_task(caller)
    body = "name\n" + "".join(f"r{n}\n" for n in range(450))
    clock = caller.around.clock

    def slow() -> str:
        clock.tick(0.2)
        return clock.now

    bootstrap.override(bootstrap.App(replace(caller.core, clock=slow), permissions()))
    answer = upload(caller, task, body, "long")
    bootstrap.override(bootstrap.App(caller.core, permissions()))
    assert (answer.status, answer["state"]) == (202, "loading"), answer.text
    assert answer.headers["Location"] == f"/loads/{answer['id']}"
    assert 100 <= answer["created"] < 450
    shown = caller.get("/loads/{load}", load=answer["id"])
    assert (shown["state"], shown["created"]) == ("loading", answer["created"])
    one = worker(caller, task, "W1")
    assert (one.list(), one.next()["found"]) == ("", False)
    clock.tick(60)
    sweep()
    shown = caller.get("/loads/{load}", load=answer["id"])
    assert (shown["state"], shown["created"]) == ("complete", 450)
    assert one.next()["data"]["name"] == "r0"
    assert len(one.list(limit=100).split()) == 100


def test_m55_the_same_key_is_the_same_load(one: Worker) -> None:
    """M55: no second set; another body under the key is refused."""
    first = upload(admin(one), one.task, FIVE, "k1")
    one.caller.around.clock.tick(60)
    again = upload(admin(one), one.task, FIVE, "k1")
    assert (again.status, again.json) == (201, first.json)
    assert len(found(admin(one), one.task)) == 5
    other = upload(admin(one), one.task, FIVE + "r6\n", "k1")
    assert (other.status, other.code) == (422, "key_reused")
    hits = {"Idempotency-Key": "k2"}
    body = {"data": {"name": "x"}}
    sent = [admin(one).post(HITS, body, hits, task=one.task) for _ in range(2)]
    assert sent[0].json == sent[1].json


def test_m55_ten_thousand_records_in_one_upload(local: Caller) -> None:
    """M55: normal; at once or, when it takes too long, with 202 and the timekeeper."""
    task = new_task(local)
    body = "name,amount\n" + "".join(f"r{n},{n}\n" for n in range(10_000))
    answer = upload(local, task, body, "big")
    assert answer.status in (201, 202), answer.text
    sweep()
    shown = local.get("/loads/{load}", load=answer["id"])
    assert (shown["state"], shown["created"]) == ("complete", 10_000)
    assert worker(local, task, "W1").next()["data"]["name"] == "r0"


def test_records_in_json_are_like_rows(one: Worker) -> None:
    """M50, M60: values keep their types; the order's columns mean what they mean in a file."""
    records = [
        {"name": "r1", "amount": 30.4, "tags": ["a"], "record_date": "2020-03-11T10:15:55.9351Z"},
        {"name": "r2", "record_date": "2020-03-10"},
    ]
    answer = admin(one).post(LOADS, {"records": records}, task=one.task)
    assert answer.status == 201, answer.text
    assert one.list() == "r2 r1"
    data = found(admin(one), one.task)["r1"]["data"]
    assert (data["amount"], data["tags"]) == (30.4, ["a"])


BODIES = [
    "{}",
    '{"csv": 5}',
    '{"csv": "a\\nb", "records": []}',
    '{"records": {}}',
    '{"records": "x"}',
    '{"rows": []}',
    "[]",
    "5",
    "",
    "{",
    '{"records": [{"a": NaN}]}',
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("path", [LOADS, HITS])
def test_a_body_of_another_shape_is_a_400(local: Caller, path: str, body: str) -> None:
    """Before any record is looked at."""
    answer = local.post(path, body, task=new_task(local))
    assert answer.status in (400, 422), answer.text


ODD = ['{"records": []}', '{"records": [5]}', '{"records": [null, {"a": 1}]}', '{"records": [{}]}']


@pytest.mark.parametrize("body", ODD)
def test_records_that_are_none_are_refused(local: Caller, body: str) -> None:
    """An empty list, a value that is no object."""
    answer = local.post(LOADS, body, task=new_task(local))
    assert 400 <= answer.status < 500, answer.text


def test_a_file_beyond_6_mb_is_a_413(local: Caller) -> None:
    """As text, and in base64."""
    task = new_task(local)
    for body in ("name\n" + "x" * MOST_BYTES, b"name\n" + b"\xff" * MOST_BYTES):
        answer = upload(local, task, body)
        assert (answer.status, answer.code) == (413, "request_too_large")


def test_a_load_into_nothing_or_into_an_archive_is_refused(local: Caller) -> None:
    """404; 409 until it is taken out again."""
    assert upload(local, "nope", FIVE).code == "task_not_found"
    task = new_task(local)
    path = "/manual-tasks/{task}"
    assert local.patch(path, {"archived": True}, {"If-Match": '"1"'}, task=task).status == 200
    answer = upload(local, task, FIVE)
    assert (answer.status, answer.code) == (409, "task_archived")
    assert local.patch(path, {"archived": False}, {"If-Match": '"2"'}, task=task).status == 200
    assert upload(local, task, FIVE).status == 201


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


def test_the_day_of_the_tests_is_known() -> None:
    """So that the dates above mean what they say."""
    assert STARTED.startswith(DAY)
