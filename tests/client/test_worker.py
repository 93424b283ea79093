"""The worker loop (Q60 to Q64)."""

import logging

import httpx
import pytest

from tests.client.fakes import FakeServer
from tests.client.scripted import Sleeps, problem, reply
from workledger.client import BusinessError, Forbidden, RunHasEnded, ServerUnreachable, WorkItem


def test_q60_a_normal_end_completes_and_the_loop_goes_on() -> None:
    """Q60: one item per round until no New item is left; the run is ended."""
    server = FakeServer().add("a", "b", "c")
    seen: list[object] = []
    for work in server.client().worker("Q", run_name="nightly", lease_seconds=60):
        with work as item:
            seen.append(item.data)
    assert seen == ["a", "b", "c"]
    assert server.statuses == ["completed"] * 3
    assert server.nexts[0] == {"runName": "nightly", "leaseSeconds": 60}
    assert [one.get("run") for one in server.nexts] == [None, "r_1", "r_1", "r_1"]
    assert server.ended == ["r_1"]


def test_q60_an_error_fails_it_and_the_loop_goes_on() -> None:
    """Q60: with Retries 2 the same loop takes it three times; its reason is the error."""
    server = FakeServer(retries=2).add("bad", "good")
    attempts: list[int] = []
    for work in server.client().worker("Q"):
        with work as item:
            if item.data == "bad":
                attempts.append(item.attempt)
                raise KeyError("invoiceNo")
    assert attempts == [1, 2, 3]
    assert server.statuses == ["failed", "completed"]
    assert server.outcomes[0] == "KeyError: 'invoiceNo'"


def test_q61_a_business_error_fails_for_good() -> None:
    """Q61: raised on purpose: no retry, and the reason is its text."""
    server = FakeServer(retries=2).add(1)
    for work in server.client().worker("Q"):
        with work:
            raise BusinessError("no such supplier")
    assert (server.statuses, server.outcomes) == (["failed"], ["no such supplier"])
    assert server.items[0].attempt == 1


def test_q62_closed_inside_the_round_is_left_alone() -> None:
    """Q62: also when the block ends with an error afterwards."""
    server = FakeServer().add(1, 2, 3)
    for work in server.client().worker("Q"):
        with work as item:
            if item.data == 1:
                item.complete({"done": True})
            elif item.data == 2:
                item.fail("not today", retry=False)
            else:
                item.complete("early")
                raise ValueError("after the end")
    assert server.statuses == ["completed", "failed", "completed"]
    assert server.outcomes == [{"done": True}, "not today", "early"]
    assert (server.asked["complete"], server.asked["fail"]) == (2, 1)


def test_q62_break_ends_after_the_current_item_which_is_completed() -> None:
    """Q62: and the run is ended."""
    server = FakeServer().add(1, 2)
    for work in server.client().worker("Q"):
        with work as item:
            item.result = "kept"
            break
    assert (server.statuses, server.outcomes[0]) == (["completed", "new"], "kept")
    assert server.ended == ["r_1"]


def test_q62_continue_completes() -> None:
    """Q62: a normal end of the round, like any."""
    server = FakeServer().add(1)
    for work in server.client().worker("Q"):
        with work:
            continue
    assert server.statuses == ["completed"]


def test_q63_an_empty_queue_is_no_error() -> None:
    """Q63: zero rounds."""
    server = FakeServer()
    measured = server.client().worker("Q").run(lambda item: None)
    assert (measured.items, measured.per_minute) == (0, 0.0) or measured.items == 0
    assert server.ended == ["r_1"]


def test_q63_a_worker_measures(caplog: pytest.LogCaptureFixture) -> None:
    """Q63: items, seconds, items per minute."""
    server = FakeServer(retries=1).add("a", "b", "bad")

    def handle(item: WorkItem) -> None:
        if item.data == "bad":
            raise ValueError

    with caplog.at_level(logging.INFO, "workledger"):
        measured = server.client().worker("Q", measure=True).run(handle)
    assert (measured.items, measured.completed, measured.failed) == (4, 2, 2)
    assert measured.seconds > 0
    assert measured.per_minute == pytest.approx(4 * 60 / measured.seconds)
    assert f"Q: {measured}" in caplog.messages


def test_q64_an_item_has_what_next_gave() -> None:
    """Q64: Id, Reference, Data, Attempt, Priority."""
    server = FakeServer().add({"invoiceNo": "A-17"})
    rounds = iter(server.client().worker("Q"))
    with next(rounds) as item:
        assert item.data["invoiceNo"] == "A-17"
        assert item.data_text == '{"invoiceNo":"A-17"}'
        assert (item.id, item.reference, item.attempt, item.priority) == ("0", "A-17", 1, 0)
        assert (item.claim, item.run, item.number, item.due) == ("0:1", "r_1", 1, None)


def test_q60_as_a_decorator() -> None:
    """Q60: what the function returns is the result; it stays a function."""
    server = FakeServer().add(1, 2)

    @server.client().worker("Q").each
    def double(item: WorkItem) -> int:
        """Twice as much."""
        return item.data * 2

    assert double.__doc__ == "Twice as much."
    assert double.work().completed == 2
    assert server.outcomes == [2, 4]


def test_q40_none_is_no_result() -> None:
    """Q40: a handler that returns nothing keeps nothing."""
    server = FakeServer().add(1)
    server.client().worker("Q").run(lambda item: None)
    assert server.outcomes == ["no result"]


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_q50_an_interrupt_releases_by_ending_the_run(end: type[BaseException]) -> None:
    """Q50: it goes through, the item is not failed but released."""
    server = FakeServer().add(1, 2)
    caught: BaseException | None = None
    try:
        for work in server.client().worker("Q"):
            with work:
                raise end
    except BaseException as error:
        caught = error
        assert server.ended == ["r_1"], "at once, not when the traceback is gone"
    assert type(caught) is end
    assert server.statuses == ["new", "new"]
    assert server.asked["fail"] == server.asked["complete"] == 0


def test_q43_a_lost_claim_ends_the_round_only() -> None:
    """Q43: another holds the item by now: nothing to do, the loop goes on."""
    server = FakeServer(script={"complete": [problem(409, "stale_claim")]}).add(1, 2)
    worker = server.client().worker("Q")
    measured = worker.run(lambda item: "r")
    assert (measured.lost, measured.completed) == (1, 1)


def test_q43_a_lost_claim_is_told_to_code_that_closes_itself() -> None:
    """Q43: `item.complete` raises StaleClaim; the round is over."""
    server = FakeServer(script={"complete": [problem(409, "already_closed")]}).add(1)
    rounds = iter(server.client().worker("Q"))
    with next(rounds) as item:
        item.complete()
    assert item.lost
    assert item.ending == "lost"


def test_q52_a_worker_whose_run_has_ended_goes_on_in_another() -> None:
    """Q52: a lease that passed while nobody was looking is no reason to stop working."""
    server = FakeServer().add(1, 2)
    for work in server.client().worker("Q"):
        with work:
            if len(server.runs) == 1:
                server.ended.append("r_1")
    assert server.runs == ["r_1", "r_2"]
    assert server.statuses == ["completed", "completed"]


def test_q53_a_run_that_was_given_is_not_ended() -> None:
    """Q53: who started it ends it; if it has ended, that is an error."""
    server = FakeServer().add(1)
    client = server.client()
    client.worker("Q", run="r_given").run(lambda item: None)
    assert server.ended == []
    server.ended.append("r_given")
    with pytest.raises(RunHasEnded):
        client.worker("Q", run="r_given").run(lambda item: None)


@pytest.mark.parametrize(
    ("refusal", "result"),
    [
        (problem(413, "too_large", "300,000 bytes are too many"), "x"),
        (None, object()),
    ],
    ids=["too large", "no JSON"],
)
def test_q14_a_result_that_cannot_be_kept_fails_the_round(
    refusal: httpx.Response | None, result: object
) -> None:
    """Q14: like any other error of the round: it must not hang in progress."""
    server = FakeServer(script={"complete": [refusal] if refusal else []}).add(1)
    server.client().worker("Q").run(lambda item: result)
    assert server.statuses == ["failed"]
    assert "the result" in server.outcomes[0]


def test_q102_a_server_that_is_gone_ends_the_loop() -> None:
    """Q102: nothing can be taken or closed: an error, not an endless loop."""
    server = FakeServer(script={"complete": [httpx.ConnectError("gone")] * 2}).add(1, 2)
    with pytest.raises(ServerUnreachable):
        server.client().worker("Q").run(lambda item: None)
    assert server.ended == [], "nobody is there to be told"


def test_q102_a_server_that_is_gone_between_rounds_ends_the_loop() -> None:
    """Q102: the same for `next`."""
    server = FakeServer().add(1, 2)

    def handle(item: WorkItem) -> None:
        server.script["next"] = [httpx.ConnectError("gone")] * 2

    with pytest.raises(ServerUnreachable):
        server.client().worker("Q").run(handle)
    assert server.statuses == ["completed", "new"]
    assert server.asked["end"] == 0


def test_q53_a_foreign_run_ends_the_loop() -> None:
    """Q53: a refusal that will not go away is told, not swallowed."""
    server = FakeServer(script={"complete": [problem(403, "foreign_run")]}).add(1)
    with pytest.raises(Forbidden):
        server.client().worker("Q").run(lambda item: None)


def test_q28_following_waits_on_the_server_and_stops_when_told() -> None:
    """Q28: waitSeconds 20; `stop` ends after the current item."""
    server = FakeServer().add(1, 2)
    worker = server.client().worker("Q", follow=True)
    for work in worker:
        with work as item:
            if item.data == 2:
                worker.stop()
    assert server.statuses == ["completed", "completed"]
    assert {one["waitSeconds"] for one in server.nexts} == {20}


def test_q52_a_short_lease_is_kept_while_waiting() -> None:
    """Q52: a run that waits longer than its lease would end."""
    server = FakeServer().add(1)
    worker = server.client().worker("Q", follow=True, lease_seconds=9)
    for work in worker:
        with work:
            worker.stop()
    assert server.nexts[0]["waitSeconds"] == 3


def test_q8_following_a_paused_queue_does_not_spin() -> None:
    """Q8: the server answers `paused` at once, so the worker waits itself."""
    paused = {"found": False, "reason": "paused", "run": "r_1"}
    server = FakeServer(script={"next": [reply(paused)] * 3}).add(1)
    sleeps = Sleeps()
    worker = server.client(sleep=sleeps, clock=lambda: 0.0).worker("Q", follow=True)
    for work in worker:
        with work:
            worker.stop()
    assert sleeps.slept == [1.0] * 3


def test_q22_contended_is_tried_again() -> None:
    """Q22: items are left, rivals took them: not the end of the queue."""
    contended = {"found": False, "reason": "contended", "run": "r_1"}
    server = FakeServer(script={"next": [reply(contended)] * 2}).add(1)
    assert server.client().worker("Q").run(lambda item: None).completed == 1


def test_a_round_without_its_block_is_a_mistake_that_is_told() -> None:
    """An item that nobody closes would hang until the lease passes."""
    server = FakeServer().add(1, 2)
    with pytest.raises(RuntimeError, match="with round as item"):
        for _ in server.client().worker("Q"):
            pass
    assert server.ended == ["r_1"]
    assert server.statuses == ["new", "new"]


def test_as_a_context_the_run_is_ended_for_sure() -> None:
    """Also when an iterator is kept alive."""
    server = FakeServer().add(1, 2)
    with server.client().worker("Q") as worker:
        rounds = iter(worker)
        with next(rounds):
            pass
        assert server.ended == []
    assert server.ended == ["r_1"]


def test_errors_go_to_the_log_with_their_trace(caplog: pytest.LogCaptureFixture) -> None:
    """The loop swallows them, so somebody must be told."""
    server = FakeServer().add(1)
    with caplog.at_level(logging.WARNING, "workledger"):
        server.client().worker("Q").run(lambda item: 1 / 0)
    assert caplog.messages == ["item 0: ZeroDivisionError: division by zero"]
    assert caplog.records[0].exc_info
