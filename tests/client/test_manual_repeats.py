"""Manual tasks: answers that are lost, loads that go on by themselves (M36, M54, M55)."""

import httpx
import pytest

from tests.client.manual import ASSIGNMENT, HIT, LOAD, LOAD_ID, TASK
from tests.client.scripted import Sleeps, client_of, problem, reply
from workledger.client import Adjudication, Conflict, Load, SortBy, VersionMismatch

LOST = httpx.ReadTimeout("lost")
NOTHING = {"found": False, "reason": "empty"}


def test_m55_a_load_has_one_key_over_all_its_repeats() -> None:
    """M55: the client makes it; the same load, no second set of hits."""
    client, script = client_of(LOST, problem(503, "busy"), reply(LOAD, 201))
    assert client.task("Invoices").load("name\nr1\n").complete
    assert script.keys == ["key-1"] * 3
    assert {one.content for one in script.requests} == {b"name\nr1\n"}


def test_m55_a_key_of_ones_own_makes_a_later_call_safe() -> None:
    """M55: after a crash the same command is given again."""
    client, script = client_of(reply(LOAD, 201), reply(LOAD, 201), reply(LOAD, 201))
    client.task("Invoices").load(b"name\nr1\n", key="day-1")
    client.task("Invoices").create_hits([{"data": {}}], key="day-2")
    client.process("Claims").load([{"a": 1}], key="day-3")
    assert script.keys == ["day-1", "day-2", "day-3"]


def test_m54_a_load_that_goes_on_is_waited_for() -> None:
    """M54: 202 says that it goes on; its progress is told, with growing pauses between."""
    steps = [LOAD | {"state": "loading", "created": far} for far in (0, 100, 200)]
    seen: list[Load] = []
    sleeps = Sleeps()
    client, script = client_of(
        reply(steps[0], 202), reply(steps[1]), reply(steps[2]), reply(LOAD), sleep=sleeps
    )
    load = client.task("Invoices").load("name\nr1\n", progress=seen.append)
    assert load.complete
    assert [one.created for one in seen] == [0, 100, 200, 300]
    assert script.paths[1:] == [f"GET /loads/{LOAD_ID}"] * 3
    assert sleeps.slept == [0.5, 1.0, 2.0]


def test_m54_a_load_need_not_be_waited_for() -> None:
    """M54: `loads.wait` does it later."""
    going = LOAD | {"state": "loading", "completedAt": None}
    client, script = client_of(reply(going, 202), reply(going), reply(LOAD))
    load = client.task("Invoices").load("name\nr1\n", wait=False)
    assert not load.complete
    assert len(script.requests) == 1
    assert client.loads.wait(load.id).complete


def test_m36_a_next_has_one_key_over_its_repeats() -> None:
    """M36: the same assignment is answered, not a second one."""
    client, script = client_of(LOST, reply({"found": True, **ASSIGNMENT}), LOST, reply(NOTHING))
    assert client.task("Invoices").next(version=1)
    nothing = client.next_assignment()
    assert not nothing
    assert script.keys == ["key-1", "key-1", "key-2", "key-2"]
    assert script.bodies[0] == {"version": 1}
    assert script.paths[2:] == ["POST /manual-tasks/next"] * 2


def test_m60_a_create_whose_answer_was_lost_is_done() -> None:
    """M60: the repeat finds the task that the first try made, with all that was asked for."""
    client, _ = client_of(LOST, problem(409, "task_exists"), reply(TASK))
    made = client.tasks.create(
        "Invoices",
        adjudication=Adjudication(2, 1, ("verdict",)),
        comparator=[SortBy("amount", "number", "desc")],
        columns=("invoice", "amount"),
        deadline_seconds=3600,
        schema={"type": "object"},
    )
    assert made.id == TASK["id"]


@pytest.mark.parametrize("first", [LOST, None])
def test_m60_a_task_of_another_kind_is_a_conflict(first: Exception | None) -> None:
    """M60: somebody else made it, or it was there before."""
    steps = [one for one in (first, problem(409, "task_exists"), reply(TASK)) if one is not None]
    client, _ = client_of(*steps)
    with pytest.raises(Conflict) as caught:
        client.tasks.create("Invoices", priority=5)
    assert caught.value.code == "task_exists"


def test_m60_a_change_whose_answer_was_lost_is_done() -> None:
    """M60: the repeat meets the version that the first try made."""
    changed = TASK | {"version": 2, "priority": 5}
    client, script = client_of(LOST, problem(412, "version_mismatch"), reply(changed))
    assert client.tasks.change("Invoices", version=1, priority=5).version == 2
    assert script.requests[0].headers["If-Match"] == '"1"'
    client, _ = client_of(LOST, problem(412, "version_mismatch"), reply(changed))
    with pytest.raises(VersionMismatch):
        client.tasks.change("Invoices", version=1, priority=6)


def test_m60_a_change_without_a_version_is_based_on_what_is_there() -> None:
    """M60: and tried again on what somebody else made of it meanwhile."""
    client, script = client_of(
        reply(TASK),
        problem(412, "version_mismatch"),
        reply(TASK | {"version": 7}),
        reply(TASK | {"version": 8}),
    )
    assert client.tasks.archive("Invoices").version == 8
    assert script.requests[-1].headers["If-Match"] == '"7"'
    assert script.bodies[-1] == {"archived": True}


def test_m34_what_is_done_with_an_assignment_is_sent_again() -> None:
    """M34, M60: all of it may be repeated."""
    client, script = client_of(*(step for _ in range(6) for step in (LOST, reply(ASSIGNMENT))))
    held = client.assignments.get(ASSIGNMENT["id"])
    held.submit({"verdict": "pay"})
    held.skip()
    held.give_back()
    held.extend()
    client.hits.take("h_1")
    verbs = ["submit", "skip", "return", "extend"]
    path = f"POST /assignments/{ASSIGNMENT['id']}"
    assert script.paths[2:10:2] == [f"{path}/{verb}" for verb in verbs]
    assert script.bodies[2] == script.bodies[3] == {"answer": {"verdict": "pay"}}
    client, script = client_of(*(step for _ in range(4) for step in (LOST, reply(HIT))))
    client.assignments.approve(ASSIGNMENT["id"])
    client.assignments.reject(ASSIGNMENT["id"], "no such supplier")
    client.assignments.abandon(ASSIGNMENT["id"])
    client.hits.adjudicate("h_1", "pay")
    assert script.bodies[1::2] == [{}, {"reason": "no such supplier"}, {}, {"answer": "pay"}]


def test_q2_a_task_or_process_of_any_name_is_reached() -> None:
    """Q2: a name that cannot travel in a URL is looked up once, and its id remembered."""
    named = {"items": [TASK | {"name": "A/B"}], "nextCursor": None}
    client, script = client_of(reply(named), reply(TASK), reply(TASK))
    client.tasks.get("A/B")
    client.tasks.get("A/B")
    assert script.paths == [
        "GET /manual-tasks?name=A%2FB&limit=1",
        f"GET /manual-tasks/{TASK['id']}",
        f"GET /manual-tasks/{TASK['id']}",
    ]
