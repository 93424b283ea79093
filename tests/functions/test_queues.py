"""Queues over HTTP: Q1 to Q8."""

import json

import pytest

from tests.functions.calling import Caller


@pytest.mark.parametrize("retries", [-1, 101, 1.5, "3", True, None, 10**400])
def test_q1_retries_are_0_to_100_and_the_field_is_named(caller: Caller, retries: object) -> None:
    """Q1: -1, 101, 1.5, text are refused, the field named; nothing is made."""
    body = f'{{"name": "Invoices", "retries": {json.dumps(retries)}}}'
    answer = caller.post("/queues", body)
    assert (answer.status, answer.code) == (400, "invalid_body")
    assert [error["field"] for error in answer["errors"]] == ["retries"]
    assert caller.get("/queues")["items"] == []


def test_q1_retries_default_to_0_and_100_is_allowed(caller: Caller) -> None:
    """Q1: 0 to 100, default 0; 100.0 is an integer in JSON."""
    assert caller.post("/queues", {"name": "A"})["retries"] == 0
    assert caller.post("/queues", '{"name": "B", "retries": 100.0}')["retries"] == 100


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "x" * 129, "q_" + "a" * 26 + ".1"])
def test_q2_a_bad_name_is_refused(caller: Caller, name: str) -> None:
    """Q2: 1 to 128 printable characters, and not the form of an id."""
    answer = caller.post("/queues", {"name": name})
    assert answer.status == 400
    assert answer["errors"][0]["field"] == "name"


def test_q2_names_are_trimmed_nfc_and_compared_exactly(caller: Caller) -> None:
    """Q2: ` Café ` in two spellings is one queue; case differs."""
    assert caller.post("/queues", {"name": " Cafe\u0301 "})["name"] == "Caf\u00e9"
    assert caller.post("/queues", {"name": "Caf\u00e9"}).code == "queue_exists"
    assert caller.post("/queues", {"name": "caf\u00e9"}).status == 201


@pytest.mark.parametrize(
    "name",
    [
        "EU/Invoices 2024",
        "A#",
        "\u00fc 100%",
        "100%25",
        "%2F",
        "..",
        ".",
        "?",
        "a?b=c",
        '"',
        "\\",
        "`",
        "{queue}",
        "a+b",
        "a;b",
        "\U0001f600",
    ],
)
def test_q2_every_name_reaches_its_own_queue_in_a_path(caller: Caller, name: str) -> None:
    """Q2: the gateway decodes a path once; whatever it hands over names exactly one queue."""
    made = caller.queue(name)
    other = caller.queue("other")
    assert caller.get("/queues/{queue}", queue=name)["id"] == made
    assert caller.add(name, 1) != []
    assert caller.take(name)["queue"] == made
    assert caller.counts(other)["all"] == 0
    assert caller.get("/queues/{queue}", queue=made)["name"] == name


def test_q2_two_names_that_differ_in_encoding_only_stay_apart(caller: Caller) -> None:
    """Q2: a name is never decoded twice."""
    first, second = caller.queue("100%25"), caller.queue("100%")
    assert caller.get("/queues/{queue}", queue="100%25")["id"] == first
    assert caller.get("/queues/{queue}", queue="100%")["id"] == second


def test_q2_a_name_is_found_exactly(caller: Caller) -> None:
    """Q2: `GET /queues?name=` finds what cannot travel in a path; not what merely resembles it."""
    made = caller.queue("EU/Invoices, 2024")
    found = caller.get("/queues", name="EU/Invoices, 2024")["items"]
    assert [queue["id"] for queue in found] == [made]
    assert caller.get("/queues", name="EU/Invoices")["items"] == []
    assert caller.get("/queues", name=made)["items"] == []


def test_q3_the_list_shows_settings_counts_and_the_oldest_waiting_item(caller: Caller) -> None:
    """Q3: name, description, four counts, Retries, changed when, oldest waiting item; by name."""
    caller.queue("B")
    made = caller.queue("A", description="all of them", retries=2)
    caller.add(made, 1, 2)
    caller.take(made)
    queues = caller.get("/queues")["items"]
    assert [queue["name"] for queue in queues] == ["A", "B"]
    assert queues[0]["description"] == "all of them"
    assert queues[0]["retries"] == 2
    assert queues[0]["counts"] == {"new": 1, "inProgress": 1, "completed": 0, "failed": 0}
    assert queues[0]["oldestWaitingAt"] == caller.around.clock()
    assert queues[0]["changedAt"] == caller.around.clock()
    assert queues[1]["oldestWaitingAt"] is None


def test_q3_the_list_has_pages(caller: Caller) -> None:
    """Q3: each queue once, by name."""
    for name in ("c", "a", "b"):
        caller.queue(name)
    first = caller.get("/queues", limit=2)
    second = caller.get("/queues", limit=2, cursor=first["nextCursor"])
    assert [queue["name"] for queue in first["items"] + second["items"]] == ["a", "b", "c"]
    assert second["nextCursor"] is None


def test_q4_a_change_is_based_on_a_version(caller: Caller) -> None:
    """Q4: 428 without If-Match, 412 when the queue was changed meanwhile; the ETag is the version."""
    made = caller.post("/queues", {"name": "Invoices"})
    path = "/queues/{queue}"
    assert made.headers["ETag"] == '"1"'
    assert made.headers["Location"] == f"/queues/{made['id']}"
    assert caller.patch(path, {"retries": 1}, queue="Invoices").code == "version_required"
    changed = caller.patch(path, {"retries": 1}, {"If-Match": '"1"'}, queue="Invoices")
    assert (changed.status, changed.headers["ETag"], changed["retries"]) == (200, '"2"', 1)
    lost = caller.patch(path, {"retries": 9}, {"If-Match": '"1"'}, queue="Invoices")
    assert (lost.status, lost.code) == (412, "version_mismatch")
    assert caller.get(path, queue="Invoices")["retries"] == 1


@pytest.mark.parametrize(("sent", "status"), [("3", 412), ('"x"', 412), ("*", 428), ('W/"1"', 200)])
def test_q4_what_is_no_etag_of_ours_never_matches(caller: Caller, sent: str, status: int) -> None:
    """Q4: If-Match is a version in quotes; a proxy may have weakened it."""
    caller.queue()
    answer = caller.patch("/queues/{queue}", {"retries": 1}, {"If-Match": sent}, queue="Invoices")
    assert answer.status == status


def test_q4_the_name_cannot_change_and_what_is_left_out_stays(caller: Caller) -> None:
    """Q4: the name is what tasks refer to."""
    caller.queue(description="d", retries=3)
    path, base = "/queues/{queue}", {"If-Match": '"1"'}
    refused = caller.patch(path, {"name": "Other"}, base, queue="Invoices")
    assert refused["errors"][0] == {
        "field": "name",
        "code": "unknown_member",
        "message": "name is no member of this body: is it a typing error?",
    }
    paused = caller.patch(path, {"paused": True}, base, queue="Invoices")
    assert (paused["description"], paused["retries"], paused["paused"]) == ("d", 3, True)


def test_q5_a_deleted_queue_is_gone_and_a_new_one_of_its_name_starts_empty(caller: Caller) -> None:
    """Q5: old items, references, counts never come back; late answers get "queue not found"."""
    old = caller.queue()
    caller.add(old, {"data": 1, "reference": "A-17"}, 2)
    taken = caller.take(old)
    assert caller.delete("/queues/{queue}", queue="Invoices").status == 204
    for path in ("/queues/{queue}", "/queues/{queue}/items", "/queues/{queue}/count"):
        assert caller.get(path, queue="Invoices").code == "queue_not_found"
    new = caller.queue()
    assert new != old
    assert caller.counts("Invoices")["all"] == 0
    assert caller.complete(taken).code == "queue_not_found"
    assert caller.get("/items/{id}", id=taken["id"]).code == "queue_not_found"
    assert caller.get("/queues/{queue}", queue=old).code == "queue_not_found"
    again = caller.post("/queues/{queue}/items", {"data": 1, "reference": "A-17"}, queue=new)
    assert again["added"] == 1


def test_q5_deleting_can_be_based_on_a_version(caller: Caller) -> None:
    """Q4, Q5: If-Match is not required on a delete, but kept when sent."""
    caller.queue()
    path = "/queues/{queue}"
    assert caller.delete(path, {"If-Match": '"7"'}, queue="Invoices").code == "version_mismatch"
    assert caller.delete(path, {"If-Match": '"1"'}, queue="Invoices").status == 204
    assert caller.delete(path, queue="Invoices").code == "queue_not_found"


def test_q6_changes_of_queues_are_in_the_audit_log(caller: Caller) -> None:
    """Q6: who, when, before and after, newest first."""
    caller.queue(retryDelaySeconds=5)
    caller.as_("bob", "developer").patch(
        "/queues/{queue}", {"retries": 1}, {"If-Match": '"1"'}, queue="Invoices"
    )
    caller.delete("/queues/{queue}", queue="Invoices")
    entries = caller.get("/audit")["items"]
    told = [(entry["action"], entry["actor"], entry["subject"]) for entry in entries]
    assert sorted(told) == [
        ("QueueChanged", "bob", "Invoices"),
        ("QueueCreated", "ada", "Invoices"),
        ("QueueDeleted", "ada", "Invoices"),
    ]
    changed = next(entry for entry in entries if entry["action"] == "QueueChanged")
    assert (changed["before"]["retries"], changed["after"]["retries"]) == (0, 1)
    assert changed["after"]["retryDelaySeconds"] == 5


def test_q7_a_changed_retries_applies_to_items_that_are_there(caller: Caller) -> None:
    """Q7: the next failure counts by the new setting."""
    caller.queue(retries=0)
    (item,) = caller.add("Invoices", 1)
    taken = caller.take("Invoices")
    caller.patch("/queues/{queue}", {"retries": 1}, {"If-Match": '"1"'}, queue="Invoices")
    assert caller.fail(taken)["status"] == "new"
    assert caller.fail(caller.take("Invoices"))["status"] == "failed"
    assert caller.item(item)["attempt"] == 2


def test_q8_a_paused_queue_takes_items_but_gives_none(caller: Caller) -> None:
    """Q8: adding goes on; taking answers Found false with the reason `paused`."""
    made = caller.queue(paused=True)
    caller.add(made, 1)
    nothing = caller.take(made)
    assert (nothing["found"], nothing["reason"]) == (False, "paused")
    caller.patch("/queues/{queue}", {"paused": False}, {"If-Match": '"1"'}, queue=made)
    assert caller.take(made)["found"] is True


def test_q91_history_of_a_queue(caller: Caller) -> None:
    """Q91: every change of the settings, oldest first, with who and when."""
    caller.queue()
    caller.around.clock.tick(60)
    caller.patch("/queues/{queue}", {"retries": 4}, {"If-Match": '"1"'}, queue="Invoices")
    events = caller.get("/queues/{queue}/history", queue="Invoices")["items"]
    assert [event["type"] for event in events] == ["QueueCreated", "QueueChanged"]
    assert [event["commit"] for event in events] == [1, 2]
    assert events[1]["data"]["retries"] == 4
    assert events[1]["data"]["retryDelaySeconds"] == 0
    assert events[1]["actor"] == "ada"


def test_q92_a_queue_as_it_was(caller: Caller) -> None:
    """Q92: its settings at a moment; 404 before it was made."""
    caller.queue(retries=1)
    then = caller.around.clock()
    caller.around.clock.tick(60)
    caller.patch("/queues/{queue}", {"retries": 4}, {"If-Match": '"1"'}, queue="Invoices")
    path = "/queues/{queue}"
    assert caller.get(path, queue="Invoices", asOf=then)["retries"] == 1
    assert caller.get(path, queue="Invoices")["retries"] == 4
    before = caller.get(path, queue="Invoices", asOf="2020-01-01T00:00:00Z")
    assert before.code == "queue_not_found"
    assert caller.get(path, queue="Invoices", asOf="yesterday").code == "invalid_query"
