"""A request whose answer does not come is sent again, and does its work once (Q26, Q83)."""

import httpx
import pytest

from tests.client.scripted import ADDED, QUEUE, TAKEN, Sleeps, client_of, problem, reply
from workledger.client import (
    BadRequest,
    Busy,
    Conflict,
    NotFound,
    ServerUnreachable,
    VersionMismatch,
    WorkledgerApiError,
)

LOST = httpx.ReadTimeout("too slow")
REFUSED = httpx.ConnectError("refused")


@pytest.mark.parametrize(
    "failure",
    [
        LOST,
        REFUSED,
        httpx.RemoteProtocolError("gone"),
        reply({}, 502),
        problem(503, "busy"),
        reply({}, 504),
    ],
    ids=lambda one: type(one).__name__,
)
def test_q26_next_is_repeated_under_the_same_key(failure: object) -> None:
    """Q26: a lost answer, a connection that broke, a gateway's error: same request, same key."""
    client, script = client_of(failure, failure, reply(TAKEN))
    taken = client.queue("Invoices").next()
    assert taken
    assert taken.claim == "i_a.1:2"
    assert script.keys == ["key-1"] * 3
    assert len({request.content for request in script.requests}) == 1


def test_q83_add_is_repeated_under_the_callers_key() -> None:
    """Q83: the caller's Idempotency-Key is the one that is sent."""
    client, script = client_of(LOST, reply(ADDED))
    assert client.queue("Invoices").add({"a": 1}, key="load-7").added == 1
    assert script.keys == ["load-7", "load-7"]


def test_q26_each_call_has_a_key_of_its_own() -> None:
    """Q26: two calls are two takes."""
    client, script = client_of(reply(TAKEN), reply(TAKEN))
    client.queue("Invoices").next()
    client.queue("Invoices").next()
    assert script.keys == ["key-1", "key-2"]


def test_q43_complete_is_repeated_byte_for_byte() -> None:
    """Q43: the exact repeat of the winning call answers the same again."""
    item = {"id": "i_a.1", "status": "completed", "outcome": {"kind": "result", "result": 0.1}}
    client, script = client_of(reply(TAKEN), LOST, reply(item))
    taken = client.queue("Invoices").next()
    assert taken
    client.items.complete(taken, {"total": 0.1})
    assert script.requests[1].content == script.requests[2].content


def test_repeats_wait_longer_each_time_and_end() -> None:
    """Backoff doubles from 0.2 s to 5 s; after the last repeat the server is unreachable (Q102)."""
    sleeps = Sleeps()
    client, script = client_of(*[REFUSED] * 8, sleep=sleeps, retries=7)
    with pytest.raises(ServerUnreachable) as caught:
        client.queue("Invoices").count()
    assert sleeps.slept == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
    assert caught.value.url == "http://server"
    assert len(script.requests) == 8


def test_half_of_a_wait_is_chance() -> None:
    """So that many workers do not come back at the same moment."""
    sleeps = Sleeps()
    client, _ = client_of(REFUSED, reply({"count": 1}), sleep=sleeps, jitter=lambda: 0.0)
    client.queue("Invoices").count()
    assert sleeps.slept == [pytest.approx(0.1)]


@pytest.mark.parametrize(("told", "waited"), [("7", 7.0), ("0", 0.2), ("999", 30.0), ("soon", 0.2)])
def test_retry_after_is_honoured(told: str, waited: float) -> None:
    """The server's Retry-After is waited for, within reason."""
    sleeps = Sleeps()
    busy = httpx.Response(503, headers={"Retry-After": told})
    client, _ = client_of(busy, reply({"count": 1}), sleep=sleeps)
    client.queue("Invoices").count()
    assert sleeps.slept == [pytest.approx(waited)]


def test_a_server_that_stays_busy_is_an_error_with_its_code() -> None:
    """An answer is not silence: Busy, not ServerUnreachable."""
    client, _ = client_of(*[problem(503, "busy", "later")] * 2, retries=1)
    with pytest.raises(Busy, match="busy: later"):
        client.queue("Invoices").count()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 413, 422, 500])
def test_a_refusal_is_not_repeated(status: int) -> None:
    """Sending a refused request again would only be refused again."""
    client, script = client_of(problem(status, "nope"))
    with pytest.raises(WorkledgerApiError) as caught:
        client.queue("Invoices").count()
    assert (caught.value.status, caught.value.code) == (status, "nope")
    assert len(script.requests) == 1


def test_a_refusal_tells_index_and_field() -> None:
    """Q81: the first bad entry is named."""
    faults = [{"index": 3, "field": "priority", "code": "invalid_value", "message": "no number"}]
    client, _ = client_of(problem(400, "invalid_body", errors=faults))
    with pytest.raises(BadRequest) as caught:
        client.queue("Invoices").add([1])
    assert caught.value.errors[0].index == 3
    assert caught.value.errors[0].field == "priority"


def test_an_answer_that_is_no_json_is_told_as_such() -> None:
    """Another server on that port: an error that says so."""
    client, _ = client_of(httpx.Response(200, text="<html>"))
    with pytest.raises(WorkledgerApiError, match="is the address right"):
        client.queue("Invoices").count()


def test_q1_create_whose_answer_was_lost_finds_its_queue() -> None:
    """Q1: the repeat meets the queue that the first try made: that is no conflict."""
    client, _ = client_of(LOST, problem(409, "queue_exists"), reply(QUEUE))
    assert client.queues.create("Invoices", retries=2).id == "q_a.1"


@pytest.mark.parametrize("first", [REFUSED, None], ids=["not sent", "no repeat"])
def test_q2_create_of_a_name_that_exists_is_a_conflict(first: Exception | None) -> None:
    """Q2: without a lost answer it is somebody else's queue."""
    steps = [problem(409, "queue_exists")]
    client, _ = client_of(*([first] if first else []), *steps)
    with pytest.raises(Conflict):
        client.queues.create("Invoices", retries=2)


def test_q2_create_after_a_lost_answer_with_other_settings_is_a_conflict() -> None:
    """Q2: the queue found is not the one that was asked for."""
    client, _ = client_of(LOST, problem(409, "queue_exists"), reply(QUEUE))
    with pytest.raises(Conflict):
        client.queues.create("Invoices", retries=5)


def test_q4_change_whose_answer_was_lost_is_done() -> None:
    """Q4: the repeat's 412 comes from our own first try."""
    changed = QUEUE | {"version": 2, "retries": 3}
    client, script = client_of(LOST, problem(412, "version_mismatch"), reply(changed))
    assert client.queues.change("Invoices", version=1, retries=3).version == 2
    assert script.requests[0].headers["If-Match"] == '"1"'


def test_q4_a_lost_update_is_refused() -> None:
    """Q4: a change based on an old version."""
    client, _ = client_of(problem(412, "version_mismatch"))
    with pytest.raises(VersionMismatch):
        client.queues.change("Invoices", version=1, retries=3)


def test_q4_change_without_version_is_based_on_what_is_there() -> None:
    """Q4: somebody else was quicker: read again."""
    newer = QUEUE | {"version": 2}
    done = QUEUE | {"version": 3, "paused": True}
    client, script = client_of(
        reply(QUEUE), problem(412, "version_mismatch"), reply(newer), reply(done)
    )
    assert client.queues.pause("Invoices").paused
    assert script.requests[3].headers["If-Match"] == '"2"'


def test_q72_delete_whose_answer_was_lost_is_done() -> None:
    """Q72: the repeat finds nothing, because the first try deleted it."""
    client, _ = client_of(LOST, problem(404, "item_not_found"))
    client.items.delete("i_a.1")


def test_q72_delete_of_what_is_not_there_is_an_error() -> None:
    """Q72: nothing was lost here."""
    client, _ = client_of(problem(404, "item_not_found"))
    with pytest.raises(NotFound):
        client.items.delete("i_a.1")


def test_q72_requeue_whose_answer_was_lost_is_done() -> None:
    """Q72: the repeat meets a waiting item."""
    client, _ = client_of(LOST, problem(409, "not_failed"), reply({"id": "i_a.1", "status": "new"}))
    assert client.items.requeue("i_a.1").status == "new"
