"""Results over HTTP: M6, M60."""

import csv
import io
import json

import pytest

from tests.functions.calling import Caller, raw
from tests.functions.manual import (
    CSV,
    TWO_AND_ONE,
    load,
    new_task,
    upload,
    worker,
    workers,
)

RESULTS = "/manual-tasks/{task}/results"
AS_CSV = {"Accept": "text/csv"}


def table(text: str) -> list[dict[str, str]]:
    """A CSV answer as rows by column."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def task(caller: Caller) -> str:
    """Two people's answers wanted, a third on disagreement; r1 decided, r2 answered once."""
    made = new_task(caller, adjudication=TWO_AND_ONE)
    load(caller, made, "name,amount\nr1,5\nr2,=1+1\nr3,\n")
    one, two, _ = workers(caller, made)
    one.answer("r1", {"total": 5, "note": "=cmd()"})
    two.answer("r1", {"total": 5, "note": "=cmd()"})
    one.answer("r2", {"total": 7})
    return made


def test_m60_results_as_json(caller: Caller, task: str) -> None:
    """M60: the original columns, the order, all answers, the decision."""
    rita = caller.as_("rita", "requester")
    answer = rita.get(RESULTS, task=task)
    assert answer.status == 200, answer.text
    first, second, third = answer["items"]
    assert first["data"] == {"name": "r1", "amount": "5"}
    assert first["customAttributes"]["hitOrder"] == 1
    assert (first["status"], second["status"], third["status"]) == ("done", "waiting", "waiting")
    assert first["decision"]["answer"] == {"total": 5, "note": "=cmd()"}
    assert [one["worker"] for one in first["answers"]] == ["W1", "W2"]
    assert (second["decision"], third["answers"]) == (None, [])


def test_m60_results_as_a_table(caller: Caller, task: str) -> None:
    """M60: what a spreadsheet would run has an apostrophe in front; the order can be loaded."""
    rita = caller.as_("rita", "requester")
    answer = rita.get(RESULTS, AS_CSV, task=task)
    assert answer.status == 200, answer.text
    assert answer.headers["Content-Type"].startswith("text/csv")
    first, second, third = table(answer.text)
    assert list(first)[:3] == ["name", "amount", "_sys_record_order"]
    assert (second["amount"], third["amount"]) == ("'=1+1", "")
    order = json.loads(first["_sys_record_order"])
    assert order == {"hitOrder": 1, "hitOrderDate": "2026-03-11T10:15:55.935"}
    assert json.loads(first["_decision"]) == {"total": 5, "note": "=cmd()"}
    assert [one["worker"] for one in json.loads(first["_answers"])] == ["W1", "W2"]
    assert (first["_status"], second["_status"], second["_decision"]) == ("done", "waiting", "")


def test_m6_results_are_loaded_again_in_their_order(caller: Caller, task: str) -> None:
    """M6: the table of one task is the file of the next, with the very same order."""
    sent = caller.get(RESULTS, AS_CSV, task=task).text
    caller.around.clock.tick(1_000)
    other = new_task(caller, "Next")
    answer = upload(caller, other, sent)
    assert answer.status == 201, answer.text
    assert (answer["report"]["keptOrder"], answer["report"]["undated"]) == (3, 0)
    listed = caller.get("/manual-tasks/{task}/list", task=other)
    assert [one["data"]["name"] for one in listed["items"]] == ["r1", "r2", "r3"]


def test_m60_results_of_one_load_part_by_part(caller: Caller, task: str) -> None:
    """M60: nothing twice, nothing left out, of that load only; as a table too."""
    second = load(caller, task, "name\n" + "".join(f"s{n}\n" for n in range(7)))
    names: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = caller.get(RESULTS, task=task, load=second, limit=3, **cursor)
        names += [one["data"]["name"] for one in answer["items"]]
        if answer["nextCursor"] is None:
            break
        cursor = {"cursor": answer["nextCursor"]}
    assert names == [f"s{n}" for n in range(7)]
    first = caller.get(RESULTS, AS_CSV, task=task, load=second, limit=3)
    rest = caller.get(
        RESULTS, AS_CSV, task=task, load=second, limit=9, cursor=first.headers["X-Next-Cursor"]
    )
    assert [row["name"] for row in table(first.text) + table(rest.text)] == names
    assert "X-Next-Cursor" not in rest.headers
    assert caller.get(RESULTS, task=task, load="l_" + "b" * 26).code == "load_not_found"


def test_m60_a_result_comes_back_digit_for_digit(local: Caller) -> None:
    """M60: answers, as they were written."""
    task = new_task(local)
    load(local, task, "name\nr1\n")
    one = worker(local, task, "W1")
    one.submit(one.next(), raw('{"total": 30.40}'))
    assert '{"total": 30.40}' in local.get(RESULTS, task=task).text
    assert json.loads(table(local.get(RESULTS, AS_CSV, task=task).text)[0]["_decision"]) == {
        "total": 30.4
    }


def test_columns_that_are_called_like_ours_keep_their_names(local: Caller) -> None:
    """A record's own column is never replaced."""
    task = new_task(local)
    load(local, task, "name,_decision,_status\nr1,mine,too\n")
    (row,) = table(local.get(RESULTS, AS_CSV, task=task).text)
    assert (row["_decision"], row["_status"]) == ("mine", "too")
    assert row["__status"] == "waiting"


def test_m60_results_of_a_process(caller: Caller) -> None:
    """M60, M13: the original columns and those that people's answers made."""
    task = new_task(caller, "Check")
    steps = [
        {"name": "check", "kind": "manual", "task": "Check", "next": "end"},
        {"name": "end", "kind": "end"},
    ]
    made = caller.post("/processes", {"name": "Claims", "start": "check", "steps": steps})
    assert made.status == 201, made.text
    caller.post("/processes/{process}/loads", "name\nr1\nr2\n", CSV, process="Claims")
    one = worker(caller, task, "W1")
    one.submit(one.next(), {"total": 5})
    path = "/processes/{process}/results"
    first, second = caller.get(path, process="Claims")["items"]
    assert (first["data"], first["status"]) == ({"name": "r1", "total": 5}, "finished")
    assert (second["data"], second["status"]) == ({"name": "r2"}, "moving")
    rows = table(caller.get(path, AS_CSV, process="Claims").text)
    assert [(row["name"], row["total"]) for row in rows] == [("r1", "5"), ("r2", "")]
    assert json.loads(rows[0]["_sys_record_order"])["hitOrder"] == 1


def test_m61_statistics_over_http(caller: Caller, task: str) -> None:
    """M61: exactly these members; what was done comes with the projector."""
    rita = caller.as_("rita", "requester")
    answer = rita.get("/manual-tasks/{task}/statistics", task=task)
    assert answer.status == 200, answer.text
    assert set(answer.json) == {
        *("waiting", "held", "cooling", "starved", "unresolved", "done", "oldestWaitingAt"),
        *("waitingSeconds", "handlingSeconds", "sla", "workers"),
    }
    assert (answer["waiting"], answer["done"], answer["sla"]) == (2, 1, None)
    assert set(answer["waitingSeconds"]) == {"p50", "p95"}
    missing = rita.get("/manual-tasks/{task}/statistics", task="none")
    assert (missing.status, missing.code) == (404, "task_not_found")
