"""Looking at items and managing them at a real server (Q34, Q70 to Q75, Q90 to Q93)."""

import pytest

from workledger.client import BusinessError, Client, Conflict, Counts, NewItem, QueueHandle


def test_q70_q71_q75_looking(client: Client, queue: QueueHandle) -> None:
    """Q70, Q71, Q75: counts, lists, references, CSV."""
    queue.add([NewItem(number, f"{'ab'[number % 2]}-{number}") for number in range(120)])
    taken = queue.next()
    assert taken
    client.items.complete(taken)
    assert queue.counts() == Counts(119, 0, 1, 0)
    assert queue.count("new") == 119
    assert [one.data for one in queue.items("new")] == list(range(1, 120))
    assert len({one.id for one in queue.items()}) == 120
    found = {one.reference for one in queue.items(reference="b-11")}
    assert found == {"b-11", "b-111", "b-113", "b-115", "b-117", "b-119"}
    text, cursor = queue.items_csv("new", limit=2)
    assert len(text.splitlines()) == 3
    assert cursor


def test_q72_managing(client: Client, queue: QueueHandle) -> None:
    """Q72: by filter, dry run first; delete and restore."""
    queue.add(["time-out", "bad", "good"])
    for work in client.worker(queue.name):
        with work as item:
            if item.data != "good":
                raise BusinessError(item.data)
    dry = queue.requeue(reason_prefix="time", dry_run=True)
    assert (dry.matched, dry.done) == (1, 0)
    done = queue.requeue(reason_prefix="time")
    assert (done.matched, done.done) == (1, 1)
    assert queue.purge("completed").done == 1
    assert queue.counts() == Counts(1, 0, 0, 1)
    failed = next(iter(queue.items("failed")))
    client.items.delete(failed.id)
    assert queue.counts() == Counts(1, 0, 0, 0)
    assert client.items.restore(failed.id).status == "failed"
    assert client.items.requeue(failed.id).status == "new"


def test_q34_a_reference_that_is_taken(client: Client, queue: QueueHandle) -> None:
    """Q34: only the newest item of a reference goes back; the holder is named."""
    first = queue.add_one(1, reference="R")
    taken = queue.next()
    assert taken
    client.items.fail(taken, retry=False)
    second = queue.add_one(2, reference="R")
    assert second.created
    with pytest.raises(Conflict) as caught:
        client.items.requeue(first.id)
    assert caught.value.code == "reference_taken"
    assert second.id in str(caught.value.problem)


def test_q90_q91_why_and_what(client: Client, queue: QueueHandle) -> None:
    """Q90, Q91: a place in words and numbers; every event."""
    queue.add([NewItem("a"), NewItem("b", priority=5), NewItem("c")])
    last = next(one for one in queue.items() if one.data == "c")
    explanation = client.items.explain(last.id)
    assert (explanation.place, explanation.of) == (3, 3)
    assert (explanation.higher_priority, explanation.earlier) == (1, 1)
    taken = queue.next()
    assert taken
    client.items.fail(taken, "first")
    events = list(client.items.history(taken.id))
    assert [one.type for one in events] == ["ItemAdded", "ItemTaken", "ItemPutBack"]
    assert [one.type for one in client.queues.history(queue.name)] == ["QueueCreated"]


def test_q93_the_feed_has_everything_in_order(client: Client, queue: QueueHandle) -> None:
    """Q93: following, until the last event has come."""
    queue.add(["a", "b"])
    client.worker(queue.name).run(lambda item: None)
    streams = {one.id.removeprefix("i_").partition(".")[0] for one in queue.items()}
    got: dict[str, list[str]] = {one: [] for one in streams}
    for event in client.tail(follow=True, poll_seconds=0.05):
        mine = got.get(event.stream.partition("/")[2])
        if mine is not None:
            mine.append(event.type)
        if all("ItemCompleted" in types for types in got.values()):
            break
    assert list(got.values()) == [["ItemAdded", "ItemTaken", "ItemCompleted"]] * 2
