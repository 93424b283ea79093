"""Who may do what with manual tasks: M27, M60, M62, and the table of permissions."""

import json

import pytest

from functions.authorizer.app import handler as authorizer
from tests.functions.calling import OPERATIONS, Answer, Caller, event_of
from tests.functions.manual import (
    TWO_AND_ONE,
    Worker,
    found,
    load,
    new_task,
    worker,
    workers,
)
from workledger.access.roles import ROLES
from workledger.api.permissions import TABLE, Permission, permissions
from workledger.errors import Refused
from workledger.service import tokens

EVERYBODY = set(ROLES)
WORK = {"worker", "developer", "admin"}
MANAGE = {"requester", "developer", "admin"}
LOOK = EVERYBODY - {"worker"}

EXPECTED = {
    ("POST", "/manual-tasks"): MANAGE,
    ("GET", "/manual-tasks"): EVERYBODY,
    ("GET", "/manual-tasks/{task}"): EVERYBODY,
    ("PATCH", "/manual-tasks/{task}"): MANAGE,
    ("GET", "/manual-tasks/{task}/roster"): EVERYBODY,
    ("PUT", "/manual-tasks/{task}/roster"): MANAGE,
    ("POST", "/manual-tasks/{task}/loads"): MANAGE,
    ("GET", "/manual-tasks/{task}/loads"): LOOK,
    ("GET", "/loads/{load}"): LOOK,
    ("POST", "/manual-tasks/{task}/hits"): MANAGE,
    ("GET", "/manual-tasks/{task}/list"): WORK,
    ("POST", "/manual-tasks/{task}/next"): WORK,
    ("POST", "/manual-tasks/next"): WORK,
    ("POST", "/hits/{hit}/take"): WORK,
    ("GET", "/assignments"): WORK,
    ("GET", "/assignments/{assignment}"): WORK,
    ("POST", "/assignments/{assignment}/submit"): WORK,
    ("POST", "/assignments/{assignment}/skip"): WORK,
    ("POST", "/assignments/{assignment}/return"): WORK,
    ("POST", "/assignments/{assignment}/extend"): WORK,
    ("POST", "/assignments/sign-out"): WORK,
    ("GET", "/manual-tasks/{task}/hits"): LOOK,
    ("GET", "/hits/{hit}"): LOOK,
    ("GET", "/hits/{hit}/history"): LOOK,
    ("POST", "/hits/{hit}/adjudicate"): {"adjudicator", "developer", "admin"},
    ("POST", "/assignments/{assignment}/approve"): MANAGE,
    ("POST", "/assignments/{assignment}/reject"): MANAGE,
    ("POST", "/assignments/{assignment}/abandon"): MANAGE,
    ("GET", "/manual-tasks/{task}/results"): MANAGE,
    ("GET", "/manual-tasks/{task}/statistics"): MANAGE,
    ("POST", "/processes"): MANAGE,
    ("GET", "/processes"): EVERYBODY,
    ("GET", "/processes/{process}"): EVERYBODY,
    ("PATCH", "/processes/{process}"): MANAGE,
    ("POST", "/processes/{process}/loads"): MANAGE,
    ("GET", "/processes/{process}/loads"): LOOK,
    ("GET", "/processes/{process}/records"): LOOK,
    ("GET", "/processes/{process}/results"): MANAGE,
    ("GET", "/processes/{process}/history"): LOOK,
    ("GET", "/manual-tasks/{task}/history"): LOOK,
    ("GET", "/records/{record}"): LOOK,
    ("GET", "/records/{record}/history"): LOOK,
}
MANUAL = {key for key, one in OPERATIONS.items() if one.handler.__module__.startswith(
    "functions.manual_tasks"
)}  # fmt: skip


def test_m60_every_route_is_in_the_matrix() -> None:
    """M60: none without somebody who thought about it."""
    assert set(EXPECTED) == MANUAL


@pytest.mark.parametrize("operation", sorted(EXPECTED), ids=" ".join)
def test_m60_each_operation_is_allowed_to_these_roles(
    local: Caller, operation: tuple[str, str]
) -> None:
    """M60: worker, requester, adjudicator; developer and admin hold all; others look."""
    method, path = operation
    params = dict.fromkeys(names(path), "x")
    for role in (*ROLES, "guest"):
        who = {"actor": "eve", "role": role}
        answer = local.send(event_of(method, path, params, "{}", None, {}, who))
        if role in EXPECTED[operation]:
            assert answer.status != 403, answer.text
        else:
            assert (answer.status, answer.code) == (403, "forbidden")
            assert answer["context"]["permission"] == OPERATIONS[operation].needs.value


def names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def test_m60_developer_and_admin_hold_what_manual_tasks_need() -> None:
    """M60: and nobody else holds two of the three that people's work has."""
    of = (Permission.WORK_TASKS, Permission.MANAGE_TASKS, Permission.ADJUDICATE)
    held = {role: [p for p in of if permissions().allows(role, p)] for role in ROLES}
    assert held["developer"] == held["admin"] == list(of)
    assert all(len(held[role]) <= 1 for role in ROLES if role not in ("developer", "admin"))
    assert set().union(*TABLE.values()) == set(ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_m60_a_token_of_each_role_opens_the_door(local: Caller, role: str) -> None:
    """M60: the worker is the token's owner; a role that nobody knows is refused."""
    text, _ = tokens.issue(local.core, "root", "Ada L.", role)
    asked = {"version": "2.0", "headers": {"authorization": f"Bearer {text}"}}
    allowed = {"isAuthorized": True, "context": {"actor": "Ada L.", "role": role}}
    assert authorizer(asked, None) == allowed
    with pytest.raises(Refused, match="requester"):
        tokens.issue(local.core, "root", "Ada L.", "boss")


@pytest.fixture
def secret(caller: Caller) -> tuple[Worker, Worker, str]:
    """W1 answered r1 with a secret; W2 has to answer it too. And the answer's assignment."""
    task = new_task(caller, adjudication=TWO_AND_ONE)
    load(caller, task)
    one, two, _ = workers(caller, task)
    done = one.answer("r1", "secret-4711")
    return one, two, done["id"]


def everything(who: Caller, task: str, hit: str, assignment: str, taken: str) -> list[Answer]:
    """An answer of every operation there is, of both functions."""
    known = {"task": task, "hit": hit, "id": hit, "queue": "x", "run": "x", "load": "x"}
    answers: list[Answer] = []
    for method, path in sorted(OPERATIONS):
        for one in (assignment, taken):
            ids = {**known, "assignment": one, "process": "x", "record": "x"}
            params = {name: ids[name] for name in names(path)}
            identity = {"actor": who.actor, "role": who.role}
            body = None if method in ("GET", "DELETE") else "{}"
            headers = {"Content-Type": "application/json", "If-Match": '"1"'}
            event = event_of(method, path, params, body, None, headers, identity)
            answers.append(who.send(event))
    return answers


def test_m27_no_route_shows_a_worker_what_others_answered(
    secret: tuple[Worker, Worker, str],
) -> None:
    """M27: not in any answer, whatever is asked, before the decision."""
    one, two, assignment = secret
    hit = two.hits()["r1"]
    taken = two.take("r1")
    answers = everything(two.caller, one.task, hit, assignment, taken["id"])
    assert len(answers) == 2 * len(OPERATIONS)
    assert sum(answer.status < 300 for answer in answers) >= 8
    for answer in answers:
        assert "4711" not in answer.text
    allowed = everything(one.caller.as_("ada", "admin"), one.task, hit, assignment, taken["id"])
    assert any("4711" in answer.text for answer in allowed)


@pytest.mark.parametrize("what", ["submit", "skip", "return", "extend"])
def test_m60_another_worker_s_assignment_is_not_one_s_own(
    secret: tuple[Worker, Worker, str], what: str
) -> None:
    """M60: neither to be seen nor to be acted on; it says nothing of it but that."""
    one, two, done = secret
    held = one.take("r2")
    for assignment in (done, held["id"]):
        body = {"answer": 1} if what == "submit" else {}
        refused = two.caller.post(
            f"/assignments/{{assignment}}/{what}", body, assignment=assignment
        )
        assert (refused.status, refused.code) == (403, "not_yours")
        shown = two.caller.get("/assignments/{assignment}", assignment=assignment)
        assert (shown.status, shown.code) == (403, "not_yours")
    assert one.active() == "r2"


def test_m27_a_worker_s_own_answer_shows_in_no_list_of_others(
    secret: tuple[Worker, Worker, str],
) -> None:
    """M27: the task, the list and the assignment say nothing of who answered what."""
    one, two, _ = secret
    task = two.caller.get("/manual-tasks/{task}", task=one.task)
    listed = two.caller.get("/manual-tasks/{task}/list", task=one.task)
    assert "W1" not in json.dumps([task.json, listed.json])
    assert set(listed["items"][0]) == {"hit", "data", "customAttributes", "version"}
    assert "4711" in json.dumps(found(one.caller.as_("rita", "requester"), one.task))


def test_m62_a_worker_on_no_roster_sees_no_record(caller: Caller) -> None:
    """M62: nor does any answer tell what is in one."""
    task = new_task(caller)
    load(caller, task, "name\nsecret-4711\n")
    hit = worker(caller, task, "W1").hits()["secret-4711"]
    caller.call("PUT", "/manual-tasks/{task}/roster", {"workers": ["W1"]}, task=task)
    eve = caller.as_("eve", "worker")
    for answer in everything(eve, task, hit, "a_" + hit[2:] + ".2", "x"):
        assert "4711" not in answer.text
