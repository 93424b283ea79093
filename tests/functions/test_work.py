"""Taking and closing over HTTP: Q20 to Q28, Q40 to Q48, Q102."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.functions.calling import Caller

NEXT = "/queues/{queue}/next"


def test_q20_highest_priority_first_then_in_the_order_they_arrived(caller: Caller) -> None:
    """Q20: a bulk load arrives in list order, whatever the clock does."""
    queue = caller.queue()
    caller.add(queue, "a", {"data": "b", "priority": 1}, "c")
    caller.around.clock.tick(-600)
    caller.add(queue, "d", {"data": "e", "priority": 1}, {"data": "f", "priority": -1})
    assert [caller.take(queue)["data"] for _ in range(6)] == ["b", "e", "a", "c", "d", "f"]


def test_q21_an_item_put_back_keeps_its_place(caller: Caller) -> None:
    """Q21: its priority and its first arrival."""
    queue = caller.queue(retries=3)
    caller.add(queue, "first", "second")
    taken = caller.take(queue)
    caller.fail(taken)
    assert caller.take(queue)["data"] == "first"


def test_q22_next_gives_what_a_worker_needs(caller: Caller) -> None:
    """Q22, Q24: Found, Id, Reference, Data, Attempt, Priority; the first take is attempt 1."""
    queue = caller.queue()
    (item,) = caller.add(queue, {"data": {"n": 1}, "reference": "A", "priority": 2})
    taken = caller.take(queue)
    assert {
        name: taken[name] for name in ("found", "id", "reference", "data", "attempt", "priority")
    } == {
        "found": True,
        "id": item,
        "reference": "A",
        "data": {"n": 1},
        "attempt": 1,
        "priority": 2,
    }
    assert caller.take(queue, run=taken["run"]) == {
        "found": False,
        "reason": "empty",
        "run": taken["run"],
    }


def test_q23_no_item_is_given_twice(caller: Caller) -> None:
    """Q23: 20 threads, 40 items, 40 different answers."""
    queue = caller.queue()
    caller.add(queue, *range(40))

    def work(_: int) -> list[str]:
        found = []
        while (taken := caller.take(queue))["found"] or taken["reason"] == "contended":
            found += [taken["id"]] if taken["found"] else []
        return found

    with ThreadPoolExecutor(20) as pool:
        taken = [item for items in pool.map(work, range(20)) for item in items]
    assert len(taken) == len(set(taken)) == 40
    assert caller.counts(queue)["inProgress"] == 40


def test_q25_the_item_links_to_the_run_that_took_it(caller: Caller) -> None:
    """Q25: outcome of an item in progress is the run; each take has its own claim."""
    queue = caller.queue(retries=1)
    caller.add(queue, 1)
    first = caller.take(queue)
    shown = caller.item(first["id"])
    assert shown["status"] == "inProgress"
    assert shown["outcome"] == {
        "kind": "run",
        "run": first["run"],
        "since": caller.around.clock(),
    }
    assert (shown["run"], shown["claimedAt"]) == (first["run"], caller.around.clock())
    caller.fail(first)
    assert caller.take(queue)["claim"] != first["claim"]


def test_q26_next_can_be_repeated_with_the_same_key(caller: Caller) -> None:
    """Q26: the same item, the same claim, the same run, no second take."""
    queue, key = caller.queue(), {"Idempotency-Key": "next-1"}
    caller.add(queue, "a", "b")
    first = caller.post(NEXT, {}, key, queue=queue)
    again = caller.post(NEXT, {}, key, queue=queue)
    assert again.json == first.json
    assert caller.counts(queue)["inProgress"] == 1
    other = caller.post(NEXT, {}, {"Idempotency-Key": "next-2"}, queue=queue)
    assert other["id"] != first["id"]


def test_q27_next_may_ask_for_several(caller: Caller) -> None:
    """Q27: maxItems 1 to 100; one run, the answer a list."""
    queue = caller.queue()
    caller.add(queue, *range(5))
    several = caller.take(queue, maxItems=3)
    assert [item["data"] for item in several["items"]] == [0, 1, 2]
    assert len({item["claim"] for item in several["items"]}) == 3
    assert [item["data"] for item in caller.take(queue, maxItems=100)["items"]] == [3, 4]
    assert caller.take(queue, maxItems=1)["found"] is False


def test_q27_an_answer_stops_at_4_mb(local: Caller) -> None:
    """Q27: fewer when the answer would pass 4 MB, decided before claiming."""
    queue = local.queue()
    for _ in range(2):
        local.add(queue, *["x" * 250_000] * 12)
    answer = local.post(NEXT, {"maxItems": 24}, queue=queue)
    assert len(answer.text) < 4.3 * 1024 * 1024
    assert local.counts(queue)["inProgress"] == len(answer["items"]) < 24


@pytest.mark.parametrize(
    "body",
    [
        '{"maxItems":0}',
        '{"maxItems":101}',
        '{"waitSeconds":21}',
        '{"waitSeconds":-1}',
        '{"waitSeconds":"5"}',
        '{"run":5}',
        '{"run":""}',
        '{"leaseSeconds":0}',
        '{"wait":1}',
    ],
)
def test_q28_a_bad_wish_is_refused(local: Caller, body: str) -> None:
    """Q27, Q28: maxItems 1 to 100, waitSeconds up to 20; nothing is taken."""
    queue = local.queue()
    local.add(queue, 1)
    answer = local.post(NEXT, body, queue=queue)
    assert (answer.status, answer.code) == (400, "invalid_body")
    assert local.counts(queue)["new"] == 1
    assert local.get("/runs")["items"] == []


def test_q28_next_waits_until_an_item_can_be_taken(caller: Caller) -> None:
    """Q28: answers as soon as an item is there."""
    queue = caller.queue()
    caller.around.on_wait = lambda: caller.add(queue, "came later")
    taken = caller.take(queue, waitSeconds=20)
    assert taken["data"] == "came later"
    caller.around.on_wait = None
    before = caller.around.clock()
    assert caller.take(queue, waitSeconds=2)["reason"] == "empty"
    assert caller.around.clock() > before


def test_q40_complete_keeps_the_result_as_outcome(caller: Caller) -> None:
    """Q40: Completed, result shown as Outcome; without one it is null."""
    queue = caller.queue()
    caller.add(queue, 1, 2)
    done = caller.complete(caller.take(queue), result={"paid": True})
    assert (done.status, done["status"]) == (200, "completed")
    assert done["outcome"] == {"kind": "result", "result": {"paid": True}}
    assert done["closedAt"] == caller.around.clock()
    assert caller.complete(caller.take(queue))["outcome"] == {"kind": "result", "result": None}


def test_q41_fail_without_retry_is_final(caller: Caller) -> None:
    """Q41: Failed with the reason, whatever Retries says."""
    queue = caller.queue(retries=5)
    caller.add(queue, 1)
    failed = caller.fail(caller.take(queue), reason="no such customer", retry=False)
    assert failed["status"] == "failed"
    assert failed["outcome"] == {"kind": "error", "reason": "no such customer"}


def test_q42_fail_with_retry_puts_back_while_attempts_are_left(caller: Caller) -> None:
    """Q42: Retries 2 is at most three tries."""
    queue = caller.queue(retries=2)
    caller.add(queue, 1)
    taken = [caller.take(queue) for _ in range(1)]
    seen = [caller.fail(taken[0], reason="e1")["status"]]
    for reason in ("e2", "e3"):
        taken.append(caller.take(queue))
        seen.append(caller.fail(taken[-1], reason=reason)["status"])
    assert [one["attempt"] for one in taken] == [1, 2, 3]
    assert seen == ["new", "new", "failed"]
    assert caller.take(queue)["found"] is False


def test_q43_a_late_answer_changes_nothing(caller: Caller) -> None:
    """Q43: a claim of an earlier round is a 409; so is another end of the same round."""
    queue = caller.queue(retries=1)
    caller.add(queue, 1)
    old = caller.take(queue)
    caller.fail(old, reason="x")
    new = caller.take(queue)
    assert caller.complete(old, result=1).code in ("stale_claim", "already_closed")
    assert caller.item(new["id"])["status"] == "inProgress"
    first = caller.complete(new, result=1)
    again = caller.complete(new, result=1)
    assert again.json == first.json
    other = caller.complete(new, result=2)
    assert (other.status, other.code) == (409, "already_closed")
    assert caller.fail(new).code == "already_closed"
    events = caller.get("/items/{id}/history", id=new["id"])["items"]
    assert [event["type"] for event in events].count("ItemCompleted") == 1


@pytest.mark.parametrize("claim", ["", "x", "i_" + "a" * 26 + ".1:1", 5, None])
def test_q43_what_is_no_claim_on_this_item_is_a_400(local: Caller, claim: object) -> None:
    """Q43: a claim is what `next` gave."""
    queue = local.queue()
    local.add(queue, 1)
    taken = local.take(queue)
    answer = local.post("/items/{id}/complete", {"claim": claim}, id=taken["id"])
    assert answer.status == 400
    assert answer["errors"][0]["field"] == "claim"
    assert local.item(taken["id"])["status"] == "inProgress"


def test_q44_only_these_ways(caller: Caller) -> None:
    """Q44: what is in progress cannot be deleted, requeued, changed."""
    queue = caller.queue()
    (item,) = caller.add(queue, 1)
    assert caller.post("/items/{id}/requeue", id=item).code == "not_failed"
    caller.take(queue)
    assert caller.delete("/items/{id}", id=item).code == "in_progress"
    assert caller.post("/items/{id}/requeue", id=item).code == "not_failed"
    assert caller.patch("/items/{id}", {"priority": 1}, id=item).code == "not_waiting"


def test_q45_an_empty_reason_becomes_a_standard_text_and_all_reasons_stay(caller: Caller) -> None:
    """Q45: every attempt's reason stays in the item's history."""
    queue = caller.queue(retries=1)
    (item,) = caller.add(queue, 1)
    caller.fail(caller.take(queue), reason="first")
    failed = caller.fail(caller.take(queue), reason="  ")
    assert failed["outcome"]["reason"] == "No reason was given."
    events = caller.get("/items/{id}/history", id=item)["items"]
    reasons = [event["data"]["reason"] for event in events if "reason" in event["data"]]
    assert reasons == ["first", "No reason was given."]


def test_q46_a_holder_beats_and_tells_its_progress(caller: Caller) -> None:
    """Q46: keeps the run's lease alive; the progress is shown."""
    queue = caller.queue()
    caller.add(queue, 1)
    taken = caller.take(queue, leaseSeconds=60)
    caller.around.clock.tick(50)
    body = {"claim": taken["claim"], "progress": "page 3 of 7"}
    until = caller.post("/items/{id}/beat", body, id=taken["id"])["leaseUntil"]
    assert caller.get("/runs/{run}", run=taken["run"])["leaseUntil"] == until
    assert caller.item(taken["id"])["progress"] == "page 3 of 7"
    caller.around.clock.tick(59)
    assert caller.complete(taken).status == 200


def test_q47_a_retry_delay_holds_what_was_put_back(caller: Caller) -> None:
    """Q47: retryDelaySeconds of the queue, or notBefore of the failure; the place is unchanged."""
    queue = caller.queue(retries=5, retryDelaySeconds=30)
    caller.add(queue, "a", "b")
    put_back = caller.fail(caller.take(queue))
    assert put_back["notBefore"] == "2026-03-11T10:16:25.935Z"
    other = caller.fail(caller.take(queue), notBefore="2026-03-11T10:20:00Z")
    assert other["notBefore"] == "2026-03-11T10:20:00.000Z"
    assert caller.take(queue)["reason"] == "deferred"
    caller.around.clock.tick(31)
    assert caller.take(queue)["data"] == "a"


def test_q48_the_statuses(caller: Caller) -> None:
    """Q48: new, inProgress, completed, failed; closed ones have an outcome, waiting ones none."""
    queue = caller.queue()
    items = caller.add(queue, 1, 2, 3, 4)
    caller.complete(caller.take(queue))
    caller.fail(caller.take(queue), retry=False)
    caller.take(queue)
    shown = [caller.item(item) for item in items]
    assert [one["status"] for one in shown] == ["completed", "failed", "inProgress", "new"]
    assert [one["outcome"] and one["outcome"]["kind"] for one in shown] == [
        "result",
        "error",
        "run",
        None,
    ]


def test_q102_complete_takes_what_next_printed(caller: Caller) -> None:
    """Q102: the whole object, and a result; a typing error beside it is still refused."""
    queue = caller.queue()
    caller.add(queue, {"data": {"big": 1}, "reference": "A"}, 2)
    taken = caller.take(queue)
    refused = caller.post("/items/{id}/complete", {**taken, "reslt": 1}, id=taken["id"])
    assert refused["errors"][0]["field"] == "reslt"
    assert caller.post("/items/{id}/complete", {**taken, "result": 1}, id=taken["id"]).status == 200
    taken = caller.take(queue)
    assert caller.post("/items/{id}/fail", taken, id=taken["id"])["status"] == "failed"
