"""People at a manual task of a real server (M20 to M36, M44, M60)."""

import pytest

from tests.client.manual import FIVE, Person, new_task, taken
from tests.client.running import Running, fresh_name
from workledger.client import (
    Adjudication,
    AssignmentOver,
    BadRequest,
    Client,
    Conflict,
    Forbidden,
)

TWO_AND_ONE = Adjudication(2, 1)


def test_m20_m21_m23_the_adjudication_flow(client: Client, server: Running) -> None:
    """M20, M21, M23: as the documentation tells it."""
    task = new_task(client, adjudication=TWO_AND_ONE)
    assert task.load(FIVE).report.undated == 5
    w1, w2, w3 = (Person(server, task.name, fresh_name("w")) for _ in range(3))
    assert w1.list() == w2.list() == "r1 r2 r3 r4 r5"
    r1 = w1.take("r1")
    assert w2.list() == "r2 r3 r4 r5"
    w2.take("r2")
    r1.submit({"verdict": "pay"})
    assert w1.list() == "r3 r4 r5"
    w1.take("r3")
    assert w1.list() == "r4 r5"
    assert w3.list() == "r1 r4 r5"
    w3.answer("r1", {"verdict": "refuse"})
    assert w2.answer("r1", {"verdict": " pay"}).status == "SUBMITTED"
    done = next(task.hits("done"))
    assert done.decision
    assert (done.data["name"], done.decision.by) == ("r1", "majority")


def test_m23_an_adjudicator_decides_what_has_no_majority(client: Client, server: Running) -> None:
    """M23: somebody who gave no answer, recorded as such."""
    task = new_task(client, adjudication=TWO_AND_ONE)
    task.load("name\nr1\n")
    people = [Person(server, task.name, fresh_name("w")) for _ in range(4)]
    for number, one in enumerate(people[:3]):
        one.answer("r1", number)
    hit = next(task.hits("unresolved"))
    with pytest.raises(Forbidden) as caught:
        people[0].client.hits.adjudicate(hit.id, 7)
    assert caught.value.code == "answered"
    decided = people[3].client.hits.adjudicate(hit.id, 7)
    assert decided.decision
    assert (decided.decision.answer, decided.decision.by) == (7, "adjudicator")
    assert [one.type for one in client.hits.history(hit.id)][-1] == "HitDecided"


def test_m34_m35_return_skip_extend_active(client: Client, server: Running) -> None:
    """M34, M35: others see what was given back at once; skipped for good; held first."""
    task = new_task(client, deadline_seconds=600)
    task.load(FIVE)
    ann, bob = (Person(server, task.name, fresh_name("w")) for _ in range(2))
    first = taken(ann.task.next())
    assert first.data == {"name": "r1"}
    assert ann.client.assignments.get(first.id) == first
    assert ann.active() == "r1"
    assert first.extend().deadline >= first.deadline
    assert first.give_back().status == "RETURNED"
    assert first.give_back().status == "RETURNED"
    with pytest.raises(AssignmentOver):
        first.submit("late")
    assert (ann.list(), bob.list()) == ("r2 r3 r4 r5", "r1 r2 r3 r4 r5")
    assert taken(ann.task.next()).skip().status == "SKIPPED"
    assert ann.list() == "r3 r4 r5"
    with pytest.raises(Forbidden):
        bob.client.assignments.skip(first.id)
    taken(ann.task.next())
    assert ann.client.assignments.sign_out() == 1
    assert ann.active() == ""


def test_m60_approve_reject_abandon(client: Client, server: Running) -> None:
    """M60, M25, M34: what a requester does about answers and assignments."""
    task = new_task(client, deadline_seconds=600)
    task.load(FIVE)
    ann, bob = (Person(server, task.name, fresh_name("w")) for _ in range(2))
    good, bad = ann.answer("r1", "yes"), ann.answer("r2", "no")
    assert client.assignments.approve(good.id).assignments[0].status == "APPROVED"
    with pytest.raises(Conflict):
        client.assignments.reject(good.id, "too late")
    hit = client.assignments.reject(bad.id, "no such supplier")
    assert (hit.status, hit.assignments[0].reason) == ("waiting", "no such supplier")
    assert bob.list() == "r2 r3 r4 r5"
    held = taken(bob.task.next())
    assert client.assignments.abandon(held.id).status == "waiting"
    assert bob.list() == "r3 r4 r5"


def test_m44_any_work_comes_by_priority(client: Client, server: Running) -> None:
    """M44: the task with the higher priority first."""
    low, high = (new_task(client, priority=one) for one in (10_000, 10_001))
    who = fresh_name("w")
    for task in (low, high):
        client.tasks.set_roster(task.name, [who])
        task.load("name\nr1\n")
    person = server.client(actor=who)
    assert [taken(person.next_assignment()).task_name for _ in range(2)] == [high.name, low.name]


def test_m60_answers_fit_the_schema(client: Client, server: Running) -> None:
    """M60: what does not is refused, with the place."""
    schema = {"type": "object", "required": ["verdict"]}
    task = new_task(client, schema=schema, instructions="Look at the total.")
    task.load("name\nr1\n")
    held = taken(Person(server, task.name, fresh_name("w")).task.next())
    assert (held.schema, held.instructions) == (schema, "Look at the total.")
    with pytest.raises(BadRequest) as caught:
        held.submit({})
    assert caught.value.code == "answer_invalid"
    assert held.submit({"verdict": "pay"}).status == "SUBMITTED"
    with pytest.raises(Conflict):
        held.submit({"verdict": "refuse"})
