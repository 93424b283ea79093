"""Manual tasks' settings over HTTP: M23, M40 to M45, M62."""

from dataclasses import replace
from typing import Any

import pytest

from tests.functions.calling import Caller
from tests.functions.manual import load, new_task, sweep, worker
from workledger import bootstrap
from workledger.api.permissions import permissions

TASKS = "/manual-tasks"
TASK = "/manual-tasks/{task}"
AMOUNT = [{"field": "amount", "type": "number", "direction": "desc"}]
ROWS = "name,amount\nr1,5\nr2,10\nr3,\nr4,2\n"


def test_a_task_is_created_and_shown(caller: Caller) -> None:
    """With what it was given, and what else there is to know."""
    answer = caller.post(
        TASKS,
        {
            "name": " Caf\u00e9 ",
            "description": "Invoices of the caf\u00e9",
            "instructions": "Type the total.",
            "priority": 3,
            "deadlineSeconds": 600,
            "adjudication": {"answers": 2, "more": 1, "fields": ["total"]},
            "schema": {"type": "object"},
            "slaSeconds": 86_400,
        },
    )
    assert answer.status == 201, answer.text
    shown = caller.get(TASK, task="Caf\u00e9")
    assert shown.json == answer.json
    assert answer.headers["Location"] == f"/manual-tasks/{shown['id']}"
    assert (answer.headers["ETag"], shown.headers["ETag"]) == ('"1"', '"1"')
    assert (shown["name"], shown["version"], shown["hitType"]) == ("Caf\u00e9", 1, 1)
    assert shown["adjudication"] == {"answers": 2, "more": 1, "fields": ["total"]}
    assert (shown["schema"], shown["slaSeconds"]) == ({"type": "object"}, 86_400)
    assert (shown["dtr"], shown["comparator"], shown["roster"]) == (False, None, [])
    assert shown["ordering"] == {"kind": "fifo", "changing": False, "placed": None, "of": None}
    assert shown["counts"] == {"waiting": 0, "held": 0, "unresolved": 0, "done": 0}
    assert (shown["createdBy"], shown["createdAt"]) == ("ada", shown["changedAt"])


def test_a_name_is_taken_once(caller: Caller) -> None:
    """As with queues."""
    new_task(caller, "A")
    again = caller.post(TASKS, {"name": "A"})
    assert (again.status, again.code) == (409, "task_exists")


def test_m44_tasks_are_listed_by_priority_then_name(caller: Caller) -> None:
    """M44: the order in which any work is looked for."""
    for name, priority in (("B", 0), ("A", 0), ("C", 2)):
        new_task(caller, name, priority=priority)
    page = caller.get(TASKS, limit=2)
    assert [one["name"] for one in page["items"]] == ["C", "A"]
    rest = caller.get(TASKS, limit=2, cursor=page["nextCursor"])
    assert ([one["name"] for one in rest["items"]], rest["nextCursor"]) == (["B"], None)
    assert [one["name"] for one in caller.get(TASKS, name="B")["items"]] == ["B"]


def test_a_change_needs_the_version_it_is_based_on(caller: Caller) -> None:
    """428 without, 412 with another; what is left out stays."""
    task = new_task(caller, priority=4)
    assert caller.patch(TASK, {"priority": 1}, task=task).code == "version_required"
    changed = caller.patch(TASK, {"description": "x"}, {"If-Match": '"1"'}, task=task)
    assert (changed.status, changed.headers["ETag"]) == (200, '"2"')
    assert (changed["description"], changed["priority"]) == ("x", 4)
    late = caller.patch(TASK, {"priority": 1}, {"If-Match": '"1"'}, task=task)
    assert (late.status, late.code) == (412, "version_mismatch")
    assert caller.get(TASK, task="nope").code == "task_not_found"


def test_an_archived_task_gives_nothing_and_comes_back(caller: Caller) -> None:
    """A setting, not a deletion: nothing of it is lost."""
    task = new_task(caller)
    load(caller, task)
    caller.patch(TASK, {"archived": True}, {"If-Match": '"1"'}, task=task)
    assert caller.get(TASK, task=task)["archived"] is True
    assert worker(caller, task, "W1").next()["found"] is False
    assert worker(caller, task, "W1").caller.post("/manual-tasks/next", {})["found"] is False
    caller.patch(TASK, {"archived": False}, {"If-Match": '"2"'}, task=task)
    assert worker(caller, task, "W1").list() == "r1 r2 r3 r4 r5"


def test_m42_dtr_needs_a_comparator(caller: Caller) -> None:
    """M42: enabling without one is a 400 that names it; Priority needs neither."""
    for refused in (
        caller.post(TASKS, {"name": "A", "dtr": True}),
        caller.patch(TASK, {"dtr": True}, {"If-Match": '"1"'}, task=new_task(caller, priority=9)),
    ):
        assert (refused.status, refused.code) == (400, "comparator_needed")
        assert refused["errors"][0]["field"] == "comparator"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "type": ({"comparator": [{"field": "a", "type": "money"}]}, "comparator[0].type"),
    "direction": (
        {"comparator": [{"field": "a", "type": "text", "direction": "up"}]},
        "comparator[0].direction",
    ),
    "missing": (
        {"comparator": [{"field": "a", "type": "text", "missing": "none"}]},
        "comparator[0].missing",
    ),
    "second": (
        {"comparator": [{"field": "a", "type": "text"}, {"type": "text"}]},
        "comparator[1].field",
    ),
    "member": (
        {"comparator": [{"field": "a", "type": "text", "code": "x"}]},
        "comparator[0].code",
    ),
    "four": ({"comparator": [{"field": f"{n}", "type": "text"} for n in range(4)]}, "comparator"),
    "column": (
        {"comparator": [{"field": "a", "type": "text"}], "columns": ["b"]},
        "comparator[0].field",
    ),
    "answers": ({"adjudication": {"answers": 0}}, "adjudication.answers"),
    "more": ({"adjudication": {"more": "1"}}, "adjudication.more"),
    "fields": ({"adjudication": {"fields": "total"}}, "adjudication.fields"),
    "rule": ({"adjudication": 2}, "adjudication"),
}


@pytest.mark.parametrize("what", BAD)
def test_m43_rules_are_checked_when_they_are_saved(local: Caller, what: str) -> None:
    """M43, M23: on creating and on changing, with the field named; nothing is saved."""
    settings, field = BAD[what]
    task = new_task(local, "Good")
    for refused in (
        local.post(TASKS, {"name": "Bad", **settings}),
        local.patch(TASK, settings, {"If-Match": '"1"'}, task=task),
    ):
        assert (refused.status, refused.code) == (400, "invalid_value"), refused.text
        assert refused["errors"][0]["field"] == field
    assert local.get(TASK, task="Bad").status == 404
    assert local.get(TASK, task=task)["version"] == 1


@pytest.mark.parametrize("member", ["adjudication", "priority", "paused", "instructions"])
def test_null_is_no_value_of_what_has_a_default(local: Caller, member: str) -> None:
    """What is to stay as it is, is left out."""
    refused = local.post(TASKS, {"name": "A", member: None})
    assert (refused.status, refused.code) == (400, "invalid_body")
    assert refused["errors"][0]["field"] == member


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"properties": 5}, {"$ref": "#/nope"}])
def test_m60_a_schema_is_checked_when_it_is_saved(local: Caller, schema: dict[str, Any]) -> None:
    """M60: a schema that is none would refuse every answer."""
    refused = local.post(TASKS, {"name": "A", "schema": schema})
    assert (refused.status, refused.code) == (400, "invalid_value"), refused.text
    assert refused["errors"][0]["field"] == "schema"


def test_m41_dtr_switches_fifo_off_and_back_to_the_same_order(caller: Caller) -> None:
    """M41, M43: for that task only; what waits is placed anew, a held one is untouched."""
    task = new_task(caller)
    load(caller, task, ROWS)
    one, two = worker(caller, task, "W1"), worker(caller, task, "W2")
    held = two.take("r2")
    changed = caller.patch(
        TASK, {"dtr": True, "comparator": AMOUNT}, {"If-Match": '"1"'}, task=task
    )
    assert changed.status == 200, changed.text
    sweep()
    shown = caller.get(TASK, task=task)
    assert (shown["ordering"]["kind"], shown["ordering"]["changing"]) == ("dtr", False)
    assert shown["comparator"] == [{**AMOUNT[0], "missing": "last"}]
    assert one.list() == "r1 r4 r3"
    assert two.do("return", held).status == 200
    assert one.list() == "r2 r1 r4 r3"
    changed = caller.patch(TASK, {"dtr": False}, {"If-Match": '"2"'}, task=task)
    assert changed["comparator"] == shown["comparator"]
    sweep()
    assert one.list() == "r1 r2 r3 r4"


def test_m40_fifo_is_a_setting_for_all(caller: Caller) -> None:
    """M40, M45: false is legacy, the order of creation; true again is the very same order."""
    task = new_task(caller)
    load(caller, task, "name,record_date\nr1,2020-01-03\nr2,2020-01-02\nr3,2020-01-01\n")
    one = worker(caller, task, "W1")
    assert one.list() == "r3 r2 r1"
    core = caller.core
    legacy = replace(core, manual=replace(core.manual, fifo=False))
    for wired, order in ((legacy, "r1 r2 r3"), (core, "r3 r2 r1")):
        bootstrap.override(bootstrap.App(wired, permissions()))
        one.list()
        sweep()
        sweep()
        assert one.list() == order


def test_m45_legacy_without_dtr_is_the_order_of_creation(caller: Caller) -> None:
    """M45, M41: whatever the dates; a task with DTR keeps its comparator's order."""
    core = caller.core
    legacy = replace(core, manual=replace(core.manual, fifo=False))
    bootstrap.override(bootstrap.App(legacy, permissions()))
    body = "name,amount,record_date\nr1,1,2020-01-03\nr2,3,2020-01-01\nr3,2,2020-01-02\n"
    plain = new_task(caller, "Plain")
    sorted_ = new_task(caller, "Sorted", dtr=True, comparator=AMOUNT)
    for task in (plain, sorted_):
        load(caller, task, body)
    assert worker(caller, plain, "W1").list() == "r1 r2 r3"
    assert worker(caller, sorted_, "W1").list() == "r2 r3 r1"
    kinds = [caller.get(TASK, task=task)["ordering"]["kind"] for task in (plain, sorted_)]
    assert kinds == ["legacy", "dtr"]
