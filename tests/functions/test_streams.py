"""The projector and the timekeeper: swapped, repeated, overlapping batches; what is due (Q52, Q70)."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from functions.projector.app import ledger_handler, views_handler
from functions.timekeeper.app import handler as timekeeper
from tests.functions.calling import Caller
from tests.support import Surroundings
from workledger import bootstrap
from workledger.aggregates import AGGREGATES
from workledger.api.permissions import permissions
from workledger.errors import StoreBusy
from workledger.ledger.execute import Executor
from workledger.service import counting, queues
from workledger.stores.port import Counters, Write
from workledger.stores.wake_queue import WakeQueue

SCHEDULE = {"source": "aws.events", "detail-type": "Scheduled Event"}


def record(number: int, stream: str, name: str = "INSERT") -> dict[str, Any]:
    keys = {"stream": {"S": stream}, "n": {"N": "1"}}
    told = {"Keys": keys, "SequenceNumber": str(number), "StreamViewType": "KEYS_ONLY"}
    return {"eventID": str(number), "eventName": name, "dynamodb": told}


def streams(caller: Caller) -> list[str]:
    return sorted({commit.stream for commit in caller.core.store.all_commits()})


# --- the ledger's stream ---


def test_the_projector_finishes_what_a_crashed_writer_left(caller: Caller) -> None:
    """A commit that stands is placed by whoever comes next: here the projector."""
    queue = caller.queue()
    (item,) = caller.add(queue, 1)
    commits = list(caller.core.store.all_commits())
    caller.core.store.drop_views()
    assert caller.core.store.append([Write(commits[0])]) != [None]
    for commit in commits:
        ledger_handler({"Records": [record(commit.number, commit.stream)]}, None)
    assert caller.item(item)["status"] == "new"
    assert caller.take(queue)["id"] == item


@pytest.mark.parametrize("order", range(3))
def test_q93_swapped_and_repeated_batches_feed_each_event_once_per_stream(
    caller: Caller, order: int
) -> None:
    """Q93: nothing is lost; in order per stream."""
    rng = random.Random(order)
    queue = caller.queue(retries=5)
    caller.add(queue, 1, 2, 3)
    for _ in range(4):
        caller.fail(caller.take(queue))
    moved = [record(n, stream) for n, stream in enumerate(streams(caller) * 2, 1)]
    rng.shuffle(moved)
    for start in range(0, len(moved), 4):
        ledger_handler({"Records": moved[start : start + 4]}, None)
    told: dict[str, list[int]] = {}
    after, events = None, []
    while True:
        feed = caller.get("/feed", limit=5, **({"after": after} if after else {}))
        events += feed["items"]
        if not feed["items"]:
            break
        after = feed["nextCursor"]
    for event in events:
        told.setdefault(event["stream"], []).append(event["commit"])
    assert sorted(told) == streams_fed(caller)
    for numbers in told.values():
        assert numbers == list(range(1, len(numbers) + 1))


def streams_fed(caller: Caller) -> list[str]:
    kinds = ("item", "queue", "run", "token")
    return [stream for stream in streams(caller) if stream.split("/")[0] in kinds]


class Failing:
    """A store that is busy whenever one name is involved, a stream's or a queue's."""

    def __init__(self, store: Any, name: str) -> None:
        self.lag, self._store, self._name = store.lag, store, name

    def __getattr__(self, method: str) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            if self._name in args:
                raise StoreBusy("throttled")
            return getattr(self._store, method)(*args, **named)

        return call

    def counted(self, *args: Any) -> tuple[str, str]:
        return self.__getattr__("counted")(*args)

    def add_counts(self, *args: Any) -> bool:
        return self.__getattr__("add_counts")(*args)

    def counts(self, *args: Any) -> dict[str, dict[str, int]]:
        return self.__getattr__("counts")(*args)

    def set_counts(self, *args: Any) -> None:
        return self.__getattr__("set_counts")(*args)


def failing(caller: Caller, name: str) -> None:
    """From now on the store is busy for this name."""
    store: Any = Failing(caller.core.store, name)
    executor = Executor(store, AGGREGATES, lambda attempt: None)
    core = replace(caller.core, store=store, executor=executor)
    bootstrap.override(bootstrap.App(core, permissions()))


def working(caller: Caller) -> None:
    """From now on it is not."""
    bootstrap.override(bootstrap.App(caller.core, permissions()))


def test_a_failed_stream_comes_again_from_its_first_record(local: Caller) -> None:
    """Partial batch response: Lambda needs the lowest number that failed."""
    items = local.add(local.queue(), 1, 2)
    bad, good = (f"item/{item[2:28]}" for item in items)
    batch = [record(7, good), record(8, bad), record(9, good), record(10, bad)]
    failing(local, bad)
    answer = ledger_handler({"Records": batch}, None)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "8"}]}
    working(local)
    assert ledger_handler({"Records": batch[1:]}, None) == {"batchItemFailures": []}
    assert len(local.get("/feed")["items"]) == 2


def test_a_change_or_removal_in_the_ledger_raises_an_alarm(
    local: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody has the right to: whoever did it shows in the log, and nothing is projected of it."""
    batch = [record(1, "item/x", "MODIFY"), record(2, "item/y", "REMOVE")]
    assert ledger_handler({"Records": batch}, None) == {"batchItemFailures": []}
    assert "the ledger was changed" in [one.message for one in caplog.records]


def test_w31_a_purge_raises_no_alarm(local: Caller, caplog: pytest.LogCaptureFixture) -> None:
    """Parts of what it removed; of an execution only what it had marked before."""
    parts = [record(1, "chunk/x", "REMOVE"), record(2, "part/y", "REMOVE")]
    assert ledger_handler({"Records": parts}, None) == {"batchItemFailures": []}
    assert not caplog.records
    ledger_handler({"Records": [*parts, record(3, "execution/z", "REMOVE")]}, None)
    assert "the ledger was changed" in [one.message for one in caplog.records]


def test_an_empty_batch_is_nothing(local: Caller) -> None:
    """The last call of a window has none."""
    assert ledger_handler({}, None) == {"batchItemFailures": []}
    assert views_handler({"Records": []}, None) == {"batchItemFailures": [], "state": {}}


# --- the views' stream ---

QUEUE = "q_" + "b" * 26 + ".1"
NOTHING = {"new": 0, "inProgress": 0, "completed": 0, "failed": 0}


def moves(*lanes: str | None, first: int = 1, queue: str = QUEUE) -> list[dict[str, Any]]:
    """A row that moves from lane to lane; None is no line at all."""
    records = []
    for number, (old, new) in enumerate(pairwise(lanes), first):
        told: dict[str, Any] = {"SequenceNumber": str(number)}
        for name, lane in (("OldImage", old), ("NewImage", new)):
            if lane is not None:
                told[name] = {"thing": {"S": "head"}, "line": {"S": f"{queue}/{lane}#0"}}
        records.append({"eventName": "MODIFY", "dynamodb": told})
    return records


def batch(records: list[dict[str, Any]], shard: str = "s1") -> dict[str, Any]:
    return {"Records": records, "shardId": shard, "window": {}, "state": {}}


@pytest.fixture
def counters(caller: Caller) -> Counters:
    """The store, which keeps counts."""
    assert isinstance(caller.core.store, Counters)
    return caller.core.store


def counts(counters: Counters, queue: str = QUEUE) -> dict[str, int]:
    """What was counted, statuses with nothing left out."""
    return {status: n for status, n in counters.counts([queue])[queue].items() if n}


where_lines_lag = pytest.mark.parametrize("store", ["dynamodb"], indirect=True)
"""SQLite counts its lines exactly and keeps no counts."""


@where_lines_lag
def test_q70_moves_between_lines_are_counted(counters: Counters) -> None:
    """Q70: a row leaves one status and enters another; deferred is New."""
    views_handler(batch(moves(None, "deferred", "new", "in_progress", "completed")), None)
    views_handler(batch(moves(None, "new", "in_progress", "failed", None), "s2"), None)
    views_handler(batch(moves(None, "new", first=50), "s3"), None)
    assert counts(counters) == {"new": 1, "completed": 1}


@where_lines_lag
def test_q70_repeated_and_overlapping_batches_count_once(counters: Counters) -> None:
    """Q70: each shard's last sequence number is remembered, and moves on only from there."""
    rng = random.Random(5)
    records = [one for n in range(20) for one in moves(None, "new", "in_progress", first=2 * n + 1)]
    views_handler(batch(records[:10]), None)
    for _ in range(10):
        start = rng.randrange(0, 20)
        views_handler(
            batch(records[start : start + rng.randrange(1, 12)]), None
        ) if start <= 10 else None
    views_handler(batch(records), None)
    views_handler(batch(records[5:]), None)
    assert counts(counters) == {"inProgress": 20}


@where_lines_lag
def test_q70_numbers_of_different_length_are_in_order(counters: Counters) -> None:
    """Sequence numbers grow in length; as text `9` would be beyond `10`."""
    views_handler(batch(moves(None, "new", first=9)), None)
    views_handler(batch(moves(None, "new", first=10)), None)
    assert counts(counters) == {"new": 2}
    assert counters.counted(QUEUE, "s1")[0].endswith("10")


@where_lines_lag
def test_q70_a_count_never_shows_below_0(caller: Caller, counters: Counters) -> None:
    """Q70: the shard that saw the row come may be read after the one that saw it go."""
    views_handler(batch(moves("new", "in_progress"), "late"), None)
    assert counting.fed(caller.core, [QUEUE])[QUEUE] == {**NOTHING, "inProgress": 1}
    views_handler(batch(moves(None, "new"), "early"), None)
    assert counting.fed(caller.core, [QUEUE])[QUEUE]["new"] == 0


@where_lines_lag
def test_q70_queues_and_other_rows_are_kept_apart(counters: Counters) -> None:
    """Runs, audit entries, due rows, the counter rows themselves: no line of a queue."""
    other = "q_" + "c" * 26 + ".1"
    strange = {"line": {"S": "runs/active#0"}}
    records = [
        *moves(None, "new"),
        *moves(None, "new", "completed", first=2, queue=other),
        {"dynamodb": {"SequenceNumber": "9", "NewImage": strange}},
        {"dynamodb": {"SequenceNumber": "10", "NewImage": {"upto": {"S": "1"}}}},
    ]
    assert views_handler(batch(records), None)["batchItemFailures"] == []
    assert counts(counters) == {"new": 1}
    assert counts(counters, other) == {"completed": 1}


@where_lines_lag
def test_q70_what_cannot_be_counted_comes_again(caller: Caller, counters: Counters) -> None:
    """The first record of the queue that failed is named; the others count once all the same."""
    other = "q_" + "c" * 26 + ".1"
    records = [*moves(None, "new"), *moves(None, "new", first=2, queue=other)]
    failing(caller, other)
    answer = views_handler(batch(records), None)
    assert answer["batchItemFailures"] == [{"itemIdentifier": "2"}]
    assert counts(counters) == {"new": 1}
    working(caller)
    assert views_handler(batch(records), None)["batchItemFailures"] == []
    assert (counts(counters), counts(counters, other)) == ({"new": 1}, {"new": 1})


@where_lines_lag
def test_q70_counter_rows_are_no_views(caller: Caller, counters: Counters) -> None:
    """A rebuild neither sees nor drops them."""
    views_handler(batch(moves(None, "new")), None)
    caller.queue()
    assert all(row.stream != f"counts/{QUEUE}" for row in caller.core.store.all_rows())
    caller.core.store.drop_views()
    assert counts(counters) == {"new": 1}


@where_lines_lag
def test_q70_beyond_the_limit_the_fed_counts_are_shown(caller: Caller, counters: Counters) -> None:
    """Q70: a line is counted up to a limit; beyond it what was fed counts, for that status alone."""
    queue = caller.queue()
    caller.add(queue, *range(5))
    caller.complete(caller.take(queue))
    records = [one for n in range(7) for one in moves(None, "new", first=n + 1, queue=queue)]
    views_handler(batch([*records, *moves(None, "failed", first=90, queue=queue)]), None)
    exact = {"new": 4, "inProgress": 0, "completed": 1, "failed": 0}
    assert queues.counts_of(caller.core, queue) == exact
    assert queues.counts_of(caller.core, queue, limit=3) == {**exact, "new": 7}


# --- time ---


def test_q15_the_timekeeper_makes_due_items_ready(caller: Caller) -> None:
    """Q15: what is due moves to its old place by an event."""
    queue = caller.queue()
    (item,) = caller.add(queue, {"data": 1, "notBefore": "2026-03-11T10:16:55.935Z"})
    timekeeper(SCHEDULE, None)
    assert caller.take(queue)["reason"] == "deferred"
    caller.around.clock.tick(60)
    timekeeper({"Records": [{"body": "2026-03-11T10:16:55.935Z", "eventSource": "aws:sqs"}]}, None)
    events = caller.get("/items/{id}/history", id=item)["items"]
    assert [event["type"] for event in events] == ["ItemAdded", "ItemReady"]
    timekeeper(SCHEDULE, None)
    assert len(caller.get("/items/{id}/history", id=item)["items"]) == 2


def test_the_timekeeper_arms_the_next_wake(caller: Caller) -> None:
    """Second granularity: each sweep says when the next thing is due."""
    queue = caller.queue()
    caller.add(queue, {"data": 1, "notBefore": "2026-03-11T10:16:55.935Z"})
    caller.around.woken.clear()
    timekeeper(SCHEDULE, None)
    assert caller.around.woken == ["2026-03-11T10:16:55.935Z"]


class Sqs:
    """An SQS client that only remembers, or fails."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, int]] = []
        self.error: Exception | None = None

    def send_message(self, *, QueueUrl: str, MessageBody: str, DelaySeconds: int) -> None:  # noqa: N803
        if self.error:
            raise self.error
        assert QueueUrl == "url"
        self.sent.append((MessageBody, DelaySeconds))


def test_a_wake_message_is_delayed_and_sent_once_a_second() -> None:
    """At most 15 minutes ahead: beyond that the schedule, which runs every five, is enough."""
    sqs, around = Sqs(), Surroundings()
    waker = WakeQueue(lambda: sqs, "url", around.clock)
    for at in ("2026-03-11T10:16:00.100Z", "2026-03-11T10:16:00.900Z", "2026-03-11T10:15:00.000Z"):
        waker.wake(at)
    waker.wake("2026-03-11T10:30:57.000Z")
    assert sqs.sent == [("2026-03-11T10:16:00.100Z", 5), ("2026-03-11T10:15:00.000Z", 0)]


def test_a_wake_message_that_cannot_be_sent_is_no_failure() -> None:
    """The schedule makes up for it; the next wake of that second is tried again."""
    sqs, around = Sqs(), Surroundings()
    waker = WakeQueue(lambda: sqs, "url", around.clock)
    sqs.error = RuntimeError("no network")
    waker.wake("2026-03-11T10:16:00.000Z")
    sqs.error = None
    waker.wake("2026-03-11T10:16:00.000Z")
    assert sqs.sent == [("2026-03-11T10:16:00.000Z", 5)]
