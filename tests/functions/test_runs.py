"""Runs over HTTP: Q50 to Q53."""

import pytest

from functions.timekeeper.app import handler as timekeeper
from tests.functions.calling import Caller

SCHEDULE = {"source": "aws.events", "detail-type": "Scheduled Event"}


def test_q50_the_end_of_a_run_releases_what_it_holds(caller: Caller) -> None:
    """Q50: New, or Failed when attempt > Retries, with the standard reason; only those."""
    queue = caller.queue(retries=1)
    first, second, third = caller.add(queue, 1, 2, 3)
    taken = caller.take(queue)
    caller.take(queue, run=taken["run"])
    other = caller.take(queue)
    ended = caller.post("/runs/{run}/end", {"reason": "stopped"}, run=taken["run"])
    assert (ended["status"], ended["endReason"], ended["holding"]) == ("ended", "stopped", 0)
    assert [caller.item(item)["status"] for item in (first, second, third)] == [
        "new",
        "new",
        "inProgress",
    ]
    again = caller.take(queue)
    assert (again["id"], again["attempt"]) == (first, 2)
    caller.post("/runs/{run}/end", run=again["run"])
    failed = caller.item(first)
    assert failed["status"] == "failed"
    assert failed["outcome"]["reason"] == "The run ended before the item was completed."
    assert caller.item(other["id"])["run"] == other["run"]


def test_q51_ending_twice_is_ending_once(caller: Caller) -> None:
    """Q51: idempotent; what another run took meanwhile is left alone."""
    queue = caller.queue(retries=3)
    caller.add(queue, 1)
    taken = caller.take(queue)
    path = "/runs/{run}/end"
    caller.post(path, {"reason": "a"}, run=taken["run"])
    new = caller.take(queue)
    assert caller.post(path, {"reason": "b"}, run=taken["run"])["endReason"] == "a"
    assert caller.item(taken["id"])["run"] == new["run"]


def test_q52_a_vanished_run_is_released_after_its_lease(caller: Caller) -> None:
    """Q52: no sign of life for the lease; shown as overdue at once, released by the timekeeper."""
    queue = caller.queue(retries=1)
    (item,) = caller.add(queue, 1)
    run = caller.take(queue, leaseSeconds=60)["run"]
    caller.around.clock.tick(61)
    assert caller.get("/runs/{run}", run=run)["overdue"] is True
    assert caller.item(item)["claimOverdue"] is True
    caller.around.clock.tick(2)
    timekeeper(SCHEDULE, None)
    assert caller.item(item)["status"] == "new"
    shown = caller.get("/runs/{run}", run=run)
    assert (shown["status"], shown["endReason"]) == ("ended", "No sign of life within the lease.")


def test_q52_work_that_beats_is_never_taken_away(caller: Caller) -> None:
    """Q52: however long it lasts."""
    queue = caller.queue()
    caller.add(queue, 1)
    taken = caller.take(queue, leaseSeconds=60)
    for _ in range(5):
        caller.around.clock.tick(50)
        beat = caller.post("/runs/{run}/heartbeat", run=taken["run"])
        assert beat["overdue"] is False
        timekeeper(SCHEDULE, None)
    assert caller.complete(taken).status == 200


def test_q52_a_take_finds_what_a_vanished_run_held(caller: Caller) -> None:
    """Q52: before a take answers Found false it looks at the runs of what is in progress."""
    queue = caller.queue(retries=1)
    (item,) = caller.add(queue, 1)
    caller.take(queue, leaseSeconds=60)
    caller.around.clock.tick(100)
    assert caller.take(queue)["id"] == item


@pytest.mark.parametrize("lease", [0, -1, 86_401, 1.5, "60", None, True])
def test_q52_a_bad_lease_is_refused(local: Caller, lease: object) -> None:
    """Q52: settable per run, in whole seconds up to a day."""
    answer = local.post("/runs", {"leaseSeconds": lease})
    assert (answer.status, answer["errors"][0]["field"]) == (400, "leaseSeconds")


def test_q53_a_run_belongs_to_who_started_it(caller: Caller) -> None:
    """Q53: a foreign run is a 403, an ended or unknown one a 409; nothing is changed."""
    queue = caller.queue()
    caller.add(queue, 1, 2)
    ada, bob = caller.as_("ada"), caller.as_("bob")
    run = ada.post("/runs", {"name": "robot 1"})
    assert (run.status, run["name"], run["actor"], run["status"]) == (
        201,
        "robot 1",
        "ada",
        "active",
    )
    assert run.headers["Location"] == f"/runs/{run['id']}"
    taken = ada.take(queue, run=run["id"])
    path = "/queues/{queue}/next"
    foreign = bob.post(path, {"run": run["id"]}, queue=queue)
    assert (foreign.status, foreign.code) == (403, "foreign_run")
    assert bob.complete(taken).code == "foreign_run"
    assert bob.fail(taken).code == "foreign_run"
    beat = bob.post("/items/{id}/beat", {"claim": taken["claim"]}, id=taken["id"])
    assert beat.code == "foreign_run"
    assert bob.post("/runs/{run}/heartbeat", run=run["id"]).code == "foreign_run"
    assert bob.post("/runs/{run}/end", run=run["id"]).code == "foreign_run"
    unknown = ada.post(path, {"run": "r_" + "a" * 26}, queue=queue)
    assert (unknown.status, unknown.code) == (409, "run_ended")
    assert ada.post(path, {"run": "nonsense"}, queue=queue).code == "run_ended"
    ada.post("/runs/{run}/end", run=run["id"])
    assert ada.post(path, {"run": run["id"]}, queue=queue).code == "run_ended"
    assert ada.post("/runs/{run}/heartbeat", run=run["id"]).code == "run_ended"
    assert caller.counts(queue) == {
        "all": 2,
        "new": 1,
        "inProgress": 0,
        "completed": 0,
        "failed": 1,
    }


def test_q53_next_without_a_run_starts_one(caller: Caller) -> None:
    """Q53: and answers it, also when there is nothing to take."""
    queue = caller.queue()
    nothing = caller.take(queue, runName="r", leaseSeconds=77)
    run = caller.get("/runs/{run}", run=nothing["run"])
    assert (run["name"], run["leaseSeconds"]) == ("r", 77)


def test_runs_are_listed_by_status(caller: Caller) -> None:
    """Active ones by default, the newest first."""
    made = []
    for _ in range(3):
        caller.around.clock.tick(1)
        made.append(caller.post("/runs")["id"])
    caller.post("/runs/{run}/end", run=made[1])
    assert [run["id"] for run in caller.get("/runs")["items"]] == [made[2], made[0]]
    assert [run["id"] for run in caller.get("/runs", status="ended")["items"]] == [made[1]]
    first = caller.get("/runs", limit=1)
    second = caller.get("/runs", limit=1, cursor=first["nextCursor"])
    assert [run["id"] for run in second["items"]] == [made[0]]
    assert caller.get("/runs", status="all").code == "invalid_query"
    assert caller.get("/runs/{run}", run="r_nonsense").code == "run_not_found"
