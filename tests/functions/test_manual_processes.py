"""Business processes over HTTP: M2, M6, M10 to M14."""

from typing import Any

import pytest

from tests.functions.calling import Caller
from tests.functions.manual import CSV, Worker, new_task, sweep, worker

PROCESSES = "/processes"
PROCESS = "/processes/{process}"
LOADS = "/processes/{process}/loads"
ODD = {"field": "way", "op": "eq", "value": "short", "step": "ten"}
GATEWAY: dict[str, Any] = {
    "name": "Gateway",
    "start": {"rules": [ODD], "else": "thirty"},
    "steps": [
        {"name": "ten", "kind": "timed", "seconds": 10, "next": "people"},
        {"name": "thirty", "kind": "timed", "seconds": 30, "next": "people"},
        {"name": "people", "kind": "manual", "task": "Check", "next": "end"},
        {"name": "end", "kind": "end"},
    ],
}
FIVE = "name,way\nr1,short\nr2,long\nr3,short\nr4,long\nr5,short\n"


@pytest.fixture
def one(caller: Caller) -> Worker:
    """W1 at the manual step of a process of one quick and one slow timed step."""
    task = new_task(caller, "Check")
    made = caller.post(PROCESSES, GATEWAY)
    assert made.status == 201, made.text
    return worker(caller, task, "W1")


def started(one: Worker, body: str = FIVE, key: str = "k") -> dict[str, Any]:
    """The process started over a file."""
    headers = {**CSV, "Idempotency-Key": key}
    answer = one.caller.as_("rita", "requester").post(LOADS, body, headers, process="Gateway")
    assert answer.status == 201, answer.text
    return answer.json


def at(one: Worker, second: float) -> str:
    """The list so many seconds after the start."""
    clock = one.caller.around.clock
    clock.now = "2026-03-11T10:15:55.935Z"
    clock.tick(second)
    return one.list()


def test_m10_the_gateway_s_lists_second_by_second(one: Worker) -> None:
    """M10: uploaded, routed by a saved rule, time moved only through the clock; nothing ran."""
    assert at(one, 0) == ""
    load = started(one)
    assert (load["task"], load["process"][:2], load["records"]) == (None, "b_", 5)
    lists = {second: at(one, second) for second in (9, 9.999, 10, 20, 29, 30, 59, 59.999, 60)}
    assert lists == {
        9: "",
        9.999: "",
        10: "r1",
        20: "r1 r3",
        29: "r1 r3",
        30: "r1 r2 r3 r5",
        59: "r1 r2 r3 r5",
        59.999: "r1 r2 r3 r5",
        60: "r1 r2 r3 r4 r5",
    }


def test_m11_a_late_record_has_the_same_date_and_its_own_place(one: Worker) -> None:
    """M11, M2, M6: the process's start in every step, for all undated records."""
    started(one)
    at(one, 60)
    answer = one.caller.get("/manual-tasks/{task}/list", task=one.task)
    attributes = [item["customAttributes"] for item in answer["items"]]
    assert [one["hitOrder"] for one in attributes] == [1, 2, 3, 4, 5]
    assert {one["hitOrderDate"] for one in attributes} == {"2026-03-11T10:15:55.935"}


def test_m12_what_is_taken_is_not_disturbed_by_late_ones(one: Worker) -> None:
    """M12: r3 is taken at 20 s; at 30 s the list is r1 r2 r5."""
    started(one)
    at(one, 20)
    held = one.take("r3")
    assert at(one, 30) == "r1 r2 r5"
    assert one.submit(held)["status"] == "SUBMITTED"
    assert at(one, 60) == "r1 r2 r4 r5"


def test_m13_a_record_goes_on_with_what_people_decided(caller: Caller) -> None:
    """M13: results become columns, which the next rule reads; routing is an event."""
    check, pay = new_task(caller, "Check"), new_task(caller, "Pay")
    decided = {"rules": [{"field": "ok", "op": "eq", "value": True, "step": "pay"}], "else": "end"}
    made = caller.post(
        PROCESSES,
        {
            "name": "Claims",
            "start": "check",
            "steps": [
                {"name": "check", "kind": "manual", "task": "Check", "next": decided},
                {"name": "pay", "kind": "manual", "task": pay, "next": "end"},
                {"name": "end", "kind": "end"},
            ],
        },
    )
    assert made.status == 201, made.text
    load = caller.post(LOADS, "name,amount\nr1,5\nr2,7\n", CSV, process="Claims").json
    one, two = worker(caller, check, "W1"), worker(caller, pay, "W2")
    one.submit(one.next(), {"ok": True, "total": 5})
    one.submit(one.next(), {"ok": False})
    sweep()
    assert two.list() == "r1"
    taken = two.next()
    assert taken["data"] == {"name": "r1", "amount": "5", "ok": True, "total": 5}
    assert taken["customAttributes"]["hitOrder"] == 1
    shown = caller.get("/processes/{process}/records", process="Claims", load=load["id"])
    assert [(one["step"], one["status"]) for one in shown["items"]] == [
        ("pay", "moving"),
        ("end", "finished"),
    ]
    at_pay = caller.get("/processes/{process}/records", process="Claims", step="pay")
    assert [one["record"] for one in at_pay["items"]] == [1]
    record = shown["items"][0]["id"]
    assert caller.get("/records/{record}", record=record)["data"]["total"] == 5
    history = caller.get("/records/{record}/history", record=record)
    assert "RecordRouted" in [event["type"] for event in history["items"]]
    hit = caller.get("/hits/{hit}", hit=shown["items"][1]["answers"][0]["hit"])
    (answer,) = hit["assignments"]
    late = caller.post(
        "/assignments/{assignment}/reject", {"reason": "late"}, assignment=answer["id"]
    )
    assert (late.status, late.code) == (409, "already_routed")


def test_m13_a_process_is_shown_as_it_was_sent_and_changed(caller: Caller) -> None:
    """M13: with its version; a change needs the one it is based on."""
    new_task(caller, "Check")
    made = caller.post(PROCESSES, GATEWAY)
    assert made.headers["Location"] == f"/processes/{made['id']}"
    shown = caller.get(PROCESS, process="Gateway")
    assert shown.json == made.json
    assert {name: shown[name] for name in GATEWAY} == GATEWAY
    assert caller.post(PROCESSES, GATEWAY).code == "process_exists"
    assert caller.patch(PROCESS, {"start": "ten"}, process="Gateway").code == "version_required"
    faster = [{**GATEWAY["steps"][0], "seconds": 5}, *GATEWAY["steps"][1:]]
    changed = caller.patch(PROCESS, {"steps": faster}, {"If-Match": '"1"'}, process="Gateway")
    assert (changed.status, changed.headers["ETag"], changed["version"]) == (200, '"2"', 2)
    assert (changed["steps"][0]["seconds"], changed["start"]) == (5, GATEWAY["start"])
    late = caller.patch(PROCESS, {"steps": faster}, {"If-Match": '"1"'}, process="Gateway")
    assert (late.status, late.code) == (412, "version_mismatch")
    listed = caller.get(PROCESSES)
    assert [one["name"] for one in listed["items"]] == ["Gateway"]
    assert caller.get(PROCESS, process="nope").code == "process_not_found"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "op": ({"start": {"rules": [{**ODD, "op": "like"}], "else": "ten"}}, "start.rules[0].op"),
    "no else": ({"start": {"rules": [ODD]}}, "start.else"),
    "no step": ({"start": "nowhere"}, "start"),
    "no task": (
        {
            "steps": [{**GATEWAY["steps"][2], "task": "Nope"}, GATEWAY["steps"][3]],
            "start": "people",
        },
        "steps[0].task",
    ),
    "no seconds": (
        {"steps": [{"name": "ten", "kind": "timed", "next": "end"}, GATEWAY["steps"][3]]},
        "steps[0].seconds",
    ),
    "kind": ({"steps": [{"name": "x", "kind": "robot"}]}, "steps[0].kind"),
    "no steps": ({"steps": []}, "steps"),
    "text": ({"steps": "ten"}, "steps"),
}


@pytest.mark.parametrize("what", BAD)
def test_m13_decision_rules_are_checked_when_they_are_saved(local: Caller, what: str) -> None:
    """M13: with the field named; nothing is saved."""
    new_task(local, "Check")
    changes, field = BAD[what]
    refused = local.post(PROCESSES, {**GATEWAY, **changes})
    assert (refused.status, refused.code) == (400, "invalid_value"), refused.text
    assert refused["errors"][0]["field"] == field
    assert local.get(PROCESSES)["items"] == []


def test_m54_a_process_is_started_whole_or_not_at_all(one: Worker) -> None:
    """M54, M55: one bad row and nothing is there; the same key is the same load."""
    headers = {**CSV, "Idempotency-Key": "bad"}
    bad = FIVE.replace("way", "record_date", 1)
    refused = one.caller.as_("rita", "requester").post(LOADS, bad, headers, process="Gateway")
    assert (refused.status, refused["total"]) == (422, 5)
    assert started(one) == started(one)
    caller = one.caller.as_("ada", "admin")
    assert len(caller.get(LOADS, process="Gateway")["items"]) == 1
    assert len(caller.get("/processes/{process}/records", process="Gateway")["items"]) == 5
    assert at(one, 60) == "r1 r2 r3 r4 r5"
