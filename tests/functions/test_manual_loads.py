"""Loads over HTTP: M54, M55, records in JSON."""

from dataclasses import replace

import pytest

from tests.functions.calling import Caller
from tests.functions.manual import (
    FIVE,
    HITS,
    LOADS,
    Worker,
    admin,
    found,
    new_task,
    sweep,
    upload,
    worker,
)
from workledger import bootstrap
from workledger.api.permissions import permissions


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


VALUES = ["30.40", "9007199254740993", "-0", "1E5", '"\\u00e9"', "null", '{ "a" :\t[1.50] }']


@pytest.mark.parametrize("value", VALUES)
def test_records_in_json_come_back_digit_for_digit(local: Caller, value: str) -> None:
    """In the list, the taken record and the results, as they were written."""
    task = new_task(local)
    sent = f'{{"records": [{{"name": "r1", "x": {value}}}]}}'
    assert local.post(LOADS, sent, task=task).status == 201
    one = worker(local, task, "W1")
    listed = one.caller.get("/manual-tasks/{task}/list", task=task)
    assert f'"x":{value}}}' in listed.text
    assert f'"x":{value}}}' in one.caller.post("/manual-tasks/{task}/next", {}, task=task).text
    assert f'"x":{value}}}' in local.get("/manual-tasks/{task}/results", task=task).text


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


@pytest.mark.parametrize("body", ["a,b\n1\n", "", '{"records": [5]}', "["])
def test_a_load_into_nothing_is_a_404_whatever_is_sent(local: Caller, body: str) -> None:
    """M54: a wrong name is said before a file is judged."""
    csv = {"Content-Type": "text/csv"}
    sent = [
        local.post(LOADS, body, csv, task="nope"),
        local.post(LOADS, body, task="nope"),
        local.post(HITS, body, task="nope"),
        local.post("/processes/{process}/loads", body, csv, process="nope"),
    ]
    assert [(one.status, one.code) for one in sent] == [
        *[(404, "task_not_found")] * 3,
        (404, "process_not_found"),
    ]


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
