"""Counting, looking, managing over HTTP: Q70 to Q75, Q90 to Q95."""

import csv
import io

import pytest

from functions.projector.app import ledger_handler
from tests.functions.calling import Answer, Caller

ITEMS = "/queues/{queue}/items"


def worked(caller: Caller) -> tuple[str, list[str]]:
    """A queue with an item of each status, and their ids: new, in progress, completed, failed."""
    queue = caller.queue()
    entries = [{"data": n, "reference": f"R{n}"} for n in range(4)]
    items = caller.add(queue, *entries)
    caller.complete(caller.take(queue), result={"ok": True})
    caller.fail(caller.take(queue), reason="no such customer", retry=False)
    caller.take(queue)
    return queue, [items[3], items[2], items[0], items[1]]


def test_q70_count_by_status(caller: Caller) -> None:
    """Q70: without status all; all is the sum of the four."""
    queue, _ = worked(caller)
    path = "/queues/{queue}/count"
    answer = caller.get(path, queue=queue)
    assert answer["counts"] == {"all": 4, "new": 1, "inProgress": 1, "completed": 1, "failed": 1}
    assert answer["count"] == 4
    assert caller.get(path, queue=queue, status="failed")["count"] == 1
    assert caller.get(path, queue=queue, status="done").code == "invalid_query"


def ids(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.text
    return [item["id"] for item in answer["items"]]


def test_q71_items_by_status(caller: Caller) -> None:
    """Q71: each filter shows its items, All in the order of arrival."""
    queue, (new, held, completed, failed) = worked(caller)
    assert ids(caller.get(ITEMS, queue=queue)) == [completed, failed, held, new]
    assert ids(caller.get(ITEMS, queue=queue, status="all")) == [completed, failed, held, new]
    assert ids(caller.get(ITEMS, queue=queue, status="new")) == [new]
    assert ids(caller.get(ITEMS, queue=queue, status="inProgress")) == [held]
    assert ids(caller.get(ITEMS, queue=queue, status="completed")) == [completed]
    assert ids(caller.get(ITEMS, queue=queue, status="failed")) == [failed]


def test_q71_an_item_shows_what_people_ask_for(caller: Caller) -> None:
    """Q71: reference, number, when and by whom, status, attempt, priority, data, Outcome."""
    queue, (_, _, completed, _) = worked(caller)
    item = next(one for one in caller.get(ITEMS, queue=queue)["items"] if one["id"] == completed)
    assert item == caller.item(completed)
    assert (item["reference"], item["addedBy"], item["attempt"]) == ("R0", "ada", 1)
    assert (item["queue"], item["queueName"]) == (queue, "Invoices")
    assert item["outcome"] == {"kind": "result", "result": {"ok": True}}


def test_q71_search_by_references_beginning_combined_with_status(caller: Caller) -> None:
    """Q71: prefix, exact in case; a comma and a percent sign are themselves."""
    queue = caller.queue()
    references = ["A-1", "A-2", "a-3", "B-1", "A,1", "A%"]
    items = caller.add(queue, *[{"data": 1, "reference": one} for one in references])
    assert sorted(ids(caller.get(ITEMS, queue=queue, reference="A-"))) == sorted(items[:2])
    assert ids(caller.get(ITEMS, queue=queue, reference="A,")) == [items[4]]
    assert ids(caller.get(ITEMS, queue=queue, reference="A%")) == [items[5]]
    caller.fail(caller.take(queue), retry=False)
    assert ids(caller.get(ITEMS, queue=queue, reference="A-", status="failed")) == [items[0]]
    assert ids(caller.get(ITEMS, queue=queue, reference="Z")) == []


@pytest.mark.parametrize("status", ["all", "new", "completed", "failed"])
def test_q71_pages_show_every_item_once(caller: Caller, status: str) -> None:
    """Q71: by an opaque cursor; New in the order of taking, closed ones newest first."""
    queue = caller.queue()
    items = caller.add(queue, *[{"data": n, "priority": n % 2} for n in range(7)])
    order = items
    if status == "new":
        order = [*items[1::2], *items[0::2]]
    elif status != "all":
        closed = []
        while (taken := caller.take(queue))["found"]:
            caller.around.clock.tick(1)
            close = caller.complete if status == "completed" else caller.fail
            close(taken)
            closed.append(taken["id"])
        order = closed[::-1]
    found, cursor = [], {}
    while True:
        page = caller.get(ITEMS, queue=queue, status=status, limit=3, **cursor)
        found += ids(page)
        if page["nextCursor"] is None:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == order


@pytest.mark.parametrize(
    "cursor", ["x", "", "e30", "WzFd", "W251bGxd", "\u00e9", "a" * 5_000, "WyJ4Iiwi\x00", "[]"]
)
def test_q71_a_cursor_that_was_not_given_out_is_a_400(local: Caller, cursor: str) -> None:
    """Q71: opaque, and checked when it comes back."""
    queue = local.queue()
    local.add(queue, 1)
    for path, more in (
        (ITEMS, {"status": "new"}),
        (ITEMS, {}),
        ("/queues", {}),
        ("/audit", {}),
        ("/runs", {}),
    ):
        params = {"queue": queue} if "{queue}" in path else {}
        answer = local.get(path, cursor=cursor, **params, **more)
        assert answer.status in (200, 400), answer.text
        assert cursor == "" or answer.code == "invalid_query"
    feed = local.get("/feed", after=cursor)
    assert cursor == "" or feed.code == "invalid_query"


def test_q72_back_to_the_queue(caller: Caller) -> None:
    """Q72: attempt 0 again, all retries available, earlier rounds stay in the history."""
    queue = caller.queue(retries=1)
    (item,) = caller.add(queue, 1)
    for _ in range(2):
        caller.fail(caller.take(queue), reason="e")
    back = caller.post("/items/{id}/requeue", {}, id=item)
    assert (back["status"], back["attempt"]) == ("new", 0)
    assert caller.fail(caller.take(queue))["status"] == "new"
    events = caller.get("/items/{id}/history", id=item)["items"]
    assert [event["type"] for event in events].count("ItemTaken") == 3


def test_q72_all_that_match_dry_run_first(caller: Caller) -> None:
    """Q72: by status, since, reason's beginning; a dry run changes nothing."""
    queue = caller.queue()
    caller.add(queue, *range(4))
    for reason in ("timeout 1", "timeout 2", "no customer"):
        caller.around.clock.tick(60)
        caller.fail(caller.take(queue), reason=reason)
    caller.take(queue)
    path = "/queues/{queue}/requeue"
    wanted = {"filter": {"reasonPrefix": "timeout"}}
    dry = caller.post(path, {**wanted, "dryRun": True}, queue=queue)
    assert (dry["matched"], dry["done"], len(dry["ids"])) == (2, 0, 2)
    assert caller.counts(queue)["failed"] == 3
    done = caller.post(path, wanted, queue=queue)
    assert (done["matched"], done["done"], done["skipped"], done["ids"]) == (2, 2, 0, dry["ids"])
    assert caller.counts(queue)["new"] == 2
    since = {"filter": {"status": "failed", "since": "2026-03-11T10:18:00Z"}}
    purged = caller.post("/queues/{queue}/purge", since, queue=queue)
    assert (purged["done"], purged["nextCursor"]) == (1, None)
    everything = caller.post("/queues/{queue}/purge", {"filter": {}}, queue=queue)
    assert (everything["done"], everything["skipped"]) == (2, 1)
    assert caller.counts(queue) == {
        "all": 1,
        "new": 0,
        "inProgress": 1,
        "completed": 0,
        "failed": 0,
    }


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"filter":null}',
        '{"filter":{"staus":"failed"}}',
        '{"filter":{"status":"all"}}',
        '{"filter":{"since":"x"}}',
        '{"filter":{},"dryRun":"yes"}',
        '{"dryRun":true}',
        '{"filter":{},"cursor":"x"}',
    ],
)
def test_q72_a_bad_filter_is_refused_and_nothing_is_deleted(local: Caller, body: str) -> None:
    """Q72: a typing error in a filter must not purge everything."""
    queue = local.queue()
    local.add(queue, 1)
    answer = local.post("/queues/{queue}/purge", body, queue=queue)
    assert answer.status == 400
    assert local.counts(queue)["all"] == 1


def test_q75_items_as_csv(caller: Caller) -> None:
    """Q75: with their outcomes; data as JSON text; what a spreadsheet would run is text."""
    queue = caller.queue()
    caller.post(
        ITEMS,
        '[{"data":{"a":"b,\\"c\\"","n":30.40},"reference":"=1+1"},{"data":-5,"reference":"-17"},'
        '{"data":"=cmd","reference":"+49 123"},{"data":null,"reference":"@x"}]',
        queue=queue,
    )
    caller.fail(caller.take(queue), reason="-x\nsecond line", retry=False)
    caller.complete(caller.take(queue), result=[1, 2])
    answer = caller.get(ITEMS, {"Accept": "text/csv"}, queue=queue)
    assert answer.headers["Content-Type"].startswith("text/csv; charset=utf-8")
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [row["reference"] for row in rows] == ["'=1+1", "-17", "'+49 123", "'@x"]
    assert [row["data"] for row in rows] == ['{"a":"b,\\"c\\"","n":30.40}', "-5", '"=cmd"', "null"]
    assert [row["outcome"] for row in rows] == ["'-x\nsecond line", "[1,2]", "", ""]
    assert [row["status"] for row in rows] == ["failed", "completed", "new", "new"]


def test_q75_csv_has_the_same_filter_and_pages(caller: Caller) -> None:
    """Q75: the cursor is in a header; the last part has none."""
    queue = caller.queue()
    caller.add(queue, 1, 2, 3)
    accept = {"Accept": "text/csv"}
    first = caller.get(ITEMS, accept, queue=queue, status="new", limit=2)
    cursor = first.headers["X-Next-Cursor"]
    second = caller.get(ITEMS, accept, queue=queue, status="new", limit=2, cursor=cursor)
    assert "X-Next-Cursor" not in second.headers
    assert len(first.text.splitlines()) == 3
    assert len(second.text.splitlines()) == 2


def test_q90_explain(caller: Caller) -> None:
    """Q90: why an item stands where it stands, or why it was taken when it was."""
    queue = caller.queue()
    items = caller.add(
        queue, {"data": 1, "priority": 3}, 2, 3, {"data": 4, "notBefore": "2027-01-01T00:00:00Z"}
    )
    path = "/items/{id}/explain"
    answer = caller.get(path, id=items[2])
    assert (answer["place"], answer["of"], answer["exact"]) == (3, 4, True)
    assert (answer["higherPriority"], answer["earlier"]) == (1, 1)
    assert "1 of higher priority, 1 earlier" in answer["text"]
    assert "2027-01-01" in caller.get(path, id=items[3])["text"]
    taken = caller.take(queue)
    held = caller.get(path, id=taken["id"])
    assert (held["place"], held["status"]) == (None, "inProgress")
    assert taken["run"] in held["text"]


def test_q91_history_has_pages_and_all_attempts(caller: Caller) -> None:
    """Q91: every event with who, when, which run."""
    queue = caller.queue(retries=1)
    (item,) = caller.add(queue, 1)
    runs = []
    for reason in ("a", "b"):
        taken = caller.as_("bob").take(queue)
        runs.append(taken["run"])
        caller.as_("bob").fail(taken, reason=reason)
    path = "/items/{id}/history"
    whole = caller.get(path, id=item)["items"]
    types = ["ItemAdded", "ItemTaken", "ItemPutBack", "ItemTaken", "ItemFailed"]
    assert [event["type"] for event in whole] == types
    assert [event["actor"] for event in whole] == ["ada", "bob", "bob", "bob", "bob"]
    assert [event["data"]["run"] for event in whole if event["type"] == "ItemTaken"] == runs
    first = caller.get(path, id=item, limit=3)
    second = caller.get(path, id=item, limit=3, cursor=first["nextCursor"])
    assert first["items"] + second["items"] == whole


def test_q92_an_item_as_it_was(caller: Caller) -> None:
    """Q92: at a moment; 404 before it was added."""
    queue = caller.queue()
    caller.around.clock.tick(10)
    (item,) = caller.add(queue, 1)
    added = caller.around.clock()
    caller.around.clock.tick(10)
    caller.complete(caller.take(queue), result=2)
    path = "/items/{id}"
    assert caller.get(path, id=item, asOf=added)["status"] == "new"
    assert caller.get(path, id=item)["outcome"] == {"kind": "result", "result": 2}
    assert caller.get(path, id=item, asOf="2026-03-11T10:00:00Z").code == "item_not_found"


def stream_event(*streams: str) -> dict[str, object]:
    """What the ledger's stream tells of streams that moved."""
    return {
        "Records": [
            {
                "eventID": str(n),
                "eventName": "INSERT",
                "eventSource": "aws:dynamodb",
                "dynamodb": {
                    "Keys": {"stream": {"S": stream}, "n": {"N": "1"}},
                    "SequenceNumber": str(100 + n),
                },
            }
            for n, stream in enumerate(streams)
        ]
    }


def test_q93_the_feed_goes_on_from_a_position(caller: Caller) -> None:
    """Q93: every event once the projector ran; nothing twice; the position is always there."""
    empty = caller.get("/feed")
    assert empty["items"] == []
    assert empty["nextCursor"]
    queue = caller.queue()
    (item,) = caller.add(queue, 1)
    caller.take(queue)
    streams = sorted({commit.stream for commit in caller.core.store.all_commits()})
    ledger_handler(stream_event(*streams, *streams), None)
    feed = caller.get("/feed", after=empty["nextCursor"], limit=1_000)
    told = {(event["stream"], event["commit"]): event["type"] for event in feed["items"]}
    assert sorted(told.values()) == ["ItemAdded", "ItemTaken", "QueueCreated", "RunStarted"]
    assert len(feed["items"]) == len(told)
    assert caller.get("/feed", after=feed["nextCursor"])["items"] == []
    assert f"item/{item[2:28]}" in {stream for stream, _ in told}


def test_q95_undoing_the_deletion_of_an_item(caller: Caller) -> None:
    """Q95: 409 if the reference is taken again."""
    queue = caller.queue()
    entry = {"data": 1, "reference": "A"}
    (item,) = caller.add(queue, entry)
    caller.delete("/items/{id}", id=item)
    path = "/items/{id}/restore"
    assert caller.post(path, id=item)["status"] == "new"
    assert caller.post(path, id=item)["status"] == "new"
    caller.delete("/items/{id}", id=item)
    caller.add(queue, entry)
    assert caller.post(path, id=item).code == "reference_taken"


def test_q95_undoing_the_deletion_of_a_queue(caller: Caller) -> None:
    """Q95: it comes back with all its items; 409 if a queue of that name was made since."""
    queue = caller.queue()
    name = caller.get("/queues/{queue}", queue=queue)["name"]
    (item,) = caller.add(queue, {"data": 1, "reference": "A"})
    path = "/queues/{queue}/restore"
    caller.delete("/queues/{queue}", queue=queue)
    assert caller.get("/items/{id}", id=item).code == "queue_not_found"
    assert caller.post(path, queue=name)["counts"]["new"] == 1
    assert caller.post(path, queue=queue)["version"] == 3
    assert caller.get("/items/{id}", id=item)["status"] == "new"
    caller.delete("/queues/{queue}", queue=queue)
    caller.post("/queues", {"name": name})
    assert caller.post(path, queue=queue).code == "queue_exists"
    assert caller.post(path, queue="never").code == "queue_not_found"
