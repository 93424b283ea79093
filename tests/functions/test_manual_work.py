"""Working manual tasks over HTTP: M23 to M28, M34 to M36, M60."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.functions.calling import Caller, raw
from tests.functions.manual import Three, found, load, new_task, worker, workers


def test_m23_two_equal_answers_close_a_record(three: Three) -> None:
    """M23: others see it until then, who answered never."""
    w1, w2, w3 = three
    w1.answer("r1", {"total": 5})
    assert (w1.list(), w2.list()) == ("r2 r3 r4 r5", "r1 r2 r3 r4 r5")
    w2.answer("r1", {"total": 5.0})
    assert w1.list() == w2.list() == w3.list() == "r2 r3 r4 r5"
    decision = found(w1.caller.as_("rita", "requester"), w1.task)["r1"]["decision"]
    assert (decision["by"], decision["answer"]["total"]) == ("agreement", 5)


def test_m23_two_of_three_win(three: Three) -> None:
    """M23: two different answers; a third worker makes the majority."""
    w1, w2, w3 = three
    w1.answer("r1", "yes")
    w2.answer("r1", "no")
    assert w1.list() == w2.list() == "r2 r3 r4 r5"
    w3.answer("r1", "no")
    hit = found(w1.caller.as_("rita", "requester"), w1.task)["r1"]
    assert (hit["status"], hit["decision"]["answer"]) == ("done", "no")
    assert (hit["decision"]["by"], hit["decision"]["who"]) == ("majority", None)


def test_m23_three_different_answers_need_an_adjudicator_who_gave_none(three: Three) -> None:
    """M23: unresolved, no fourth worker; who answered may not decide, recorded who did."""
    w1 = three[0]
    path = "/hits/{hit}/adjudicate"
    early = w1.hits()["r1"]
    judge = w1.caller.as_("judy", "adjudicator")
    assert judge.post(path, {"answer": 1}, hit=early).code == "not_unresolved"
    for one, answer in zip(three, ("a", "b", "c"), strict=True):
        one.answer("r1", answer)
    assert worker(w1.caller, w1.task, "W4").list() == "r2 r3 r4 r5"
    hit = found(judge, w1.task, status="unresolved")["r1"]
    assert (hit["status"], hit["decision"]) == ("unresolved", None)
    assert [one["answer"] for one in hit["assignments"]] == ["a", "b", "c"]
    answered = w1.caller.as_("W2", "adjudicator").post(path, {"answer": "b"}, hit=hit["id"])
    assert (answered.status, answered.code) == (403, "answered")
    decided = judge.post(path, {"answer": "d"}, hit=hit["id"])
    assert (decided.status, decided["status"]) == (200, "done")
    decision = decided["decision"]
    assert (decision["answer"], decision["by"], decision["who"]) == ("d", "adjudicator", "judy")


def test_m24_never_more_than_one_holder(local: Caller) -> None:
    """M24, M36: eight take at once; each gets another one, and the ninth nothing."""
    task = new_task(local)
    load(local, task, "name\n" + "".join(f"r{n}\n" for n in range(8)))
    people = [worker(local, task, f"W{n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda one: one.next()["data"]["name"], people))
    assert sorted(taken) == [f"r{n}" for n in range(8)]
    assert worker(local, task, "late").next() == {"found": False, "reason": "empty"}


def test_m25_what_is_no_answer_uses_up_nothing(three: Three) -> None:
    """M25: returned, skipped; the record still gets its two answers."""
    w1, w2, w3 = three
    assert w1.do("return", w1.next()).status == 200
    assert w2.do("skip", w2.next()).status == 200
    w3.answer("r1")
    assert worker(w1.caller, w1.task, "W4").list() == "r1 r2 r3 r4 r5"


def test_m28_two_people_alone_get_everything_done(three: Three) -> None:
    """M28: all answers equal, to the end: one answer from each, both lists empty."""
    w1, w2, _ = three
    for _ in range(5):
        for one in (w1, w2):
            one.submit(one.next())
    assert (w1.list(), w2.list()) == ("", "")
    assert w1.next() == {"found": False, "reason": "empty"}
    for hit in found(w1.caller.as_("rita", "requester"), w1.task).values():
        assert hit["status"] == "done"
        assert [one["worker"] for one in hit["assignments"]] == ["W1", "W2"]


def test_m34_from_the_deadline_on_it_is_abandoned_without_a_sweep(caller: Caller) -> None:
    """M34: others take it; its holder's answer is refused."""
    task = new_task(caller, deadlineSeconds=60)
    load(caller, task)
    one, two, _ = workers(caller, task)
    taken = one.next()
    assert taken["deadline"] == "2026-03-11T10:16:55.935Z"
    caller.around.clock.tick(60)
    assert (one.active(), two.list()) == ("", "r1 r2 r3 r4 r5")
    late = one.do("submit", taken, {"answer": 1})
    assert (late.status, late.code) == (409, "assignment_over")
    assert two.next()["data"]["name"] == "r1"
    shown = one.caller.get("/assignments/{assignment}", assignment=taken["id"])
    assert (shown.status, shown["status"]) == (200, "ABANDONED")


def test_m34_a_requester_or_signing_out_abandons_early(caller: Caller) -> None:
    """M34: others see it at once, it cools for its worker until the old deadline."""
    task = new_task(caller, deadlineSeconds=60)
    load(caller, task)
    one, two, _ = workers(caller, task)
    taken = one.next()
    path = "/assignments/{assignment}/abandon"
    rita = caller.as_("rita", "requester")
    assert rita.post(path, {}, assignment=taken["id"]).status == 200
    one.next()
    out = one.caller.post("/assignments/sign-out", {})
    assert (out.status, out.json) == (200, {"abandoned": 1})
    assert (one.active(), one.list(), two.list()) == ("", "r3 r4 r5", "r1 r2 r3 r4 r5")
    caller.around.clock.tick(60)
    assert one.list() == "r1 r2 r3 r4 r5"


def test_m35_skip_hides_it_from_that_worker_for_good(three: Three) -> None:
    """M35: others see it."""
    w1, w2, _ = three
    assert w1.do("skip", w1.next())["status"] == "SKIPPED"
    assert (w1.list(), w2.list()) == ("r2 r3 r4 r5", "r1 r2 r3 r4 r5")
    assert w1.caller.post("/hits/{hit}/take", {}, hit=w2.hits()["r1"]).code == "hidden"


def test_m36_taking_what_one_holds_answers_the_same_assignment(three: Three) -> None:
    """M36: and a repeat under the same key; somebody else is told that it is taken."""
    w1, w2, _ = three
    hit = w1.hits()["r1"]
    first = w1.caller.post("/hits/{hit}/take", {}, hit=hit)
    again = w1.caller.post("/hits/{hit}/take", {}, hit=hit)
    assert first.status == 200
    assert first.json == again.json
    taken = w2.caller.post("/hits/{hit}/take", {}, hit=hit)
    assert (taken.status, taken.code) == (409, "hit_taken")
    key = {"Idempotency-Key": "k1"}
    assert w2.next(**key) == w2.next(**key)
    assert w2.active() == "r2"


VALUES = ["30.40", "9007199254740993", "-0", "1e-7", '"\\u00e9"', "null", "[]", '{ "a" :\t1.50 }']


@pytest.mark.parametrize("value", VALUES)
def test_m60_an_answer_comes_back_digit_for_digit(local: Caller, value: str) -> None:
    """M60: in the hit, its history and the results, as it was written."""
    task = new_task(local)
    load(local, task, "name\nr1\n")
    one = worker(local, task, "W1")
    one.submit(one.next(), raw(value))
    hit = local.get("/manual-tasks/{task}/hits", task=task)
    assert f'"answer":{value}' in hit.text
    assert value in local.get("/hits/{hit}/history", hit=hit["items"][0]["id"]).text


def test_m60_an_answer_is_checked_against_the_schema(caller: Caller) -> None:
    """M60: what does not fit is refused, with the field; a fitting one is taken."""
    schema = {"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}}
    task = new_task(caller, schema=schema)
    load(caller, task)
    one = worker(caller, task, "W1")
    taken = one.next()
    assert taken["schema"] == schema
    for bad in ({}, {"total": "5"}, 5, None):
        refused = one.do("submit", taken, {"answer": bad})
        assert (refused.status, refused.code) == (400, "answer_invalid"), refused.text
        assert refused["errors"]
    assert one.submit(taken, {"total": 5})["status"] == "SUBMITTED"


def test_m60_the_exact_repeat_of_an_answer_is_the_same_answer(three: Three) -> None:
    """M60: another one is refused: an answer does not change."""
    w1, _, _ = three
    taken = w1.next()
    assert w1.submit(taken, "yes") == w1.submit(taken, "yes")
    assert w1.do("submit", taken, {"answer": "no"}).code == "already_submitted"
    assert w1.do("skip", taken).code == "assignment_over"


def test_m60_extend_starts_the_deadline_anew(caller: Caller) -> None:
    """M60: from now on the task's seconds again."""
    task = new_task(caller, deadlineSeconds=60)
    load(caller, task)
    one = worker(caller, task, "W1")
    taken = one.next()
    caller.around.clock.tick(50)
    assert one.do("extend", taken)["deadline"] == "2026-03-11T10:17:45.935Z"
    caller.around.clock.tick(50)
    assert one.submit(taken)["status"] == "SUBMITTED"


def test_m60_a_requester_approves_and_rejects(caller: Caller) -> None:
    """M60: a rejected answer re-opens the place for somebody else; an approved one stays."""
    task = new_task(caller)
    load(caller, task, "name\nr1\nr2\n")
    one, two, _ = workers(caller, task)
    rita = caller.as_("rita", "requester")
    first, second = one.answer("r1"), one.answer("r2")
    path = "/assignments/{assignment}/"
    assert rita.post(path + "approve", {}, assignment=second["id"]).status == 200
    for nothing in ({}, {"reason": ""}):
        unsaid = rita.post(path + "reject", nothing, assignment=first["id"])
        assert (unsaid.status, unsaid["errors"][0]["field"]) == (400, "reason")
    kept = rita.post(path + "reject", {"reason": "no"}, assignment=second["id"])
    assert (kept.status, kept.code) == (409, "already_approved")
    rejected = rita.post(path + "reject", {"reason": "typing error"}, assignment=first["id"])
    assert rejected.status == 200, rejected.text
    (told,) = rejected["assignments"]
    assert (told["status"], told["reason"]) == ("REJECTED", "typing error")
    assert (one.list(), two.list()) == ("", "r1")
    two.answer("r1", "better")
    assert found(rita, task)["r1"]["decision"]["answer"] == "better"
