"""How many requests, round trips and write units each call of the port takes on DynamoDB."""

from typing import Any

import pytest

from tests.stores.writes import AT, LINE, added, commit, row, standing
from workledger.ledger.commit import Event
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.port import Write
from workledger.stores.recording import Recorder, recorded
from workledger.views.row import Keys

Recorded = tuple[DynamoStore, Recorder]
LATER = "2026-03-11T11:00:00.000Z"


@pytest.fixture
def both(client: Any) -> Recorded:
    return recorded(client, "ledger", "views")


def cost(recorder: Recorder) -> tuple[int, int, int, int]:
    """(reads, writes, round trips, write units) since the last time."""
    spent = (recorder.reads, recorder.writes, recorder.trips, recorder.units)
    recorder.clear()
    return spent


def test_reads_by_key(both: Recorded) -> None:
    """One request; for a head with things two, the head first."""
    store, recorder = both
    store.load("item/a")
    assert recorder.requests[0].params["ConsistentRead"] is True
    assert cost(recorder) == (1, 0, 1, 0)
    store.load("item/a", ["g1", "g2"])
    assert [request.operation for request in recorder.requests] == ["get_item", "batch_get_item"]
    assert cost(recorder) == (2, 0, 2, 0)
    store.rows([(f"item/{n}", "head") for n in range(250)])
    assert cost(recorder) == (3, 0, 1, 0)
    store.heads_and_beats(["run/1", "run/2"])
    assert cost(recorder) == (1, 0, 1, 0)
    store.commits("item/a")
    assert cost(recorder) == (1, 0, 1, 0)
    store.due("item/a")
    assert cost(recorder) == (1, 0, 1, 0)
    store.rows([])
    assert cost(recorder) == (0, 0, 0, 0)


def test_reads_by_line(both: Recorded) -> None:
    """One request; a place on the line is two counts side by side."""
    store, recorder = both
    store.append([added("item/a", place=standing(1))])
    recorder.clear()
    [spot] = store.read_line(LINE, limit=50)
    assert cost(recorder) == (1, 0, 1, 0)
    store.count_line(LINE, 100)
    assert cost(recorder) == (1, 0, 1, 0)
    store.count_before(LINE, spot, 100)
    assert cost(recorder) == (2, 0, 1, 0)


def test_an_append_is_two_round_trips_and_three_with_things(both: Recorded) -> None:
    """Commit, head; with things or a due moment those in between, side by side."""
    store, recorder = both
    store.append([added("item/a")])
    assert cost(recorder) == (0, 2, 2, 2)
    store.append([added("item/a", 2, others=(row("item/a", 2, "g1"), row("item/a", 2, "g2")))])
    assert cost(recorder) == (0, 4, 3, 4)
    store.append([added("item/b", due=AT, others=(row("item/b", 1, "g1"),))])
    assert cost(recorder) == (0, 4, 3, 5)
    store.append([added(f"item/c{n}") for n in range(20)])
    assert cost(recorder) == (0, 40, 2, 40)


def test_a_lost_race_is_one_write(both: Recorded) -> None:
    """The refusal brings the commit that stands there: no read."""
    store, recorder = both
    store.append([added("item/a")])
    recorder.clear()
    [outcome] = store.append([Write(commit("item/a", id="another"), (row("item/a"),))])
    assert outcome == commit("item/a")
    assert cost(recorder) == (0, 1, 1, 1)


def test_numbers_are_one_write_and_two_when_the_clock_is_behind_q20(both: Recorded) -> None:
    """A date never runs back: a clock that is behind costs one refused update."""
    store, recorder = both
    assert store.take_numbers("queue/a", 5, LATER) == (1, LATER)
    assert cost(recorder) == (0, 1, 1, 1)
    assert store.take_numbers("queue/a", 5, AT) == (6, LATER)
    assert cost(recorder) == (0, 2, 2, 2)


def test_a_beat_is_one_write(both: Recorded) -> None:
    """Allowed or refused."""
    store, recorder = both
    assert store.beat("run/a", AT, AT, {})
    assert cost(recorder) == (0, 1, 1, 1)
    assert not store.beat("run/a", LATER, LATER, {})
    assert cost(recorder) == (0, 1, 1, 1)


def test_a_due_row_that_stands_earlier_costs_one_refused_put(both: Recorded) -> None:
    """And one more write when the timekeeper was looking at it."""
    store, recorder = both
    store.append([added("item/a", due=AT)])
    recorder.clear()
    store.append([added("item/a", 2, due=LATER)])
    assert cost(recorder) == (0, 3, 3, 3)
    store.look_at_due("item/a", AT, "me")
    recorder.clear()
    store.append([added("item/a", 3, due=LATER)])
    assert cost(recorder) == (0, 4, 4, 4)
    assert not store.rearm("item/a", "me", None)


def test_add_take_and_complete_of_an_item_of_900_bytes_keep_the_budget(both: Recorded) -> None:
    """First add 3 writes and 7 units, take and complete 2 writes and 5 units (with a reference)."""
    store, recorder = both
    stream, queue = "item/" + "a" * 26, "q_" + "b" * 26 + ".1"
    state = '{"' + "x" * 500 + '":1}'
    keys = Keys(queue, 17, "REF-2026-000017", None)

    def step(number: int, lane: str, run: str | None = None, payload: str | None = None) -> Write:
        event = Event("ItemAdded", {"number": 17, "reference": keys.ref}, payload=payload)
        place = standing(17, f"{queue}/{lane}#0", tie=AT)
        head = row(stream, number, place=place, keys=keys._replace(run=run), state=state)
        return Write(commit(stream, number, events=(event,)), (head,))

    store.take_numbers("queue/" + "b" * 26, 1, AT)
    store.append([step(1, "new", payload='"' + "d" * 898 + '"')])
    assert cost(recorder) == (0, 3, 3, 7)
    store.append([step(2, "in_progress", run="r_" + "c" * 26)])
    assert cost(recorder) == (0, 2, 2, 5)
    store.append([step(3, "completed")])
    assert cost(recorder) == (0, 2, 2, 5)


def test_every_put_to_the_ledger_is_conditional_and_nothing_else_is_written_there(
    both: Recorded,
) -> None:
    """The condition is the lock: of all that every method sends, one kind of write goes there."""
    store, recorder = both
    use_everything(store)
    writes = [r for r in recorder.requests if "Key" in r.params or "Item" in r.params]
    to_ledger = [r for r in writes if r.params["TableName"] == "ledger"]
    assert len(to_ledger) == 5
    for request in to_ledger:
        assert request.operation == "put_item"
        assert request.params["ConditionExpression"] == "attribute_not_exists(#stream)"
        assert request.params["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    batches = [r for r in recorder.requests if r.operation == "batch_write_item"]
    assert all(r.params["RequestItems"].keys() == {"views"} for r in batches)


def test_every_row_is_put_only_over_an_older_one(both: Recorded) -> None:
    """Twice, late or swapped is harmless."""
    store, recorder = both
    use_everything(store)
    puts = [
        r for r in recorder.requests if r.params.get("TableName") == "views" and "Item" in r.params
    ]
    assert len(puts) > 4
    for request in puts:
        assert request.params["ConditionExpression"] in {
            "attribute_not_exists(#n) OR #n < :n",
            "attribute_not_exists(#date) OR #date > :at",
        }


def test_no_expression_spells_an_attribute_bare(both: Recorded) -> None:
    """Nearly all our names are reserved words, and moto takes some of them that the service refuses."""
    store, recorder = both
    use_everything(store)
    allowed = {"attribute_not_exists", "begins_with", "AND", "OR", "SET", "ADD", "REMOVE"}
    for request in recorder.requests:
        for name in ("ConditionExpression", "KeyConditionExpression", "UpdateExpression"):
            words = (
                request.params.get(name, "").replace("(", " ").replace(")", " ").replace(",", " ")
            )
            bare = {word for word in words.split() if word[0] not in "#:=<>"}
            assert bare <= allowed


def use_everything(store: DynamoStore) -> None:
    """Call every method of the port that sends something, in ways that send everything."""
    store.append([added("item/a", place=standing(1), due=AT), added("item/b")])
    store.append([added("item/a"), added("item/a", 2, others=(row("item/a", 2, "g1"),), due=AT)])
    store.place([added("item/a", 2)])
    store.load("item/a", ["g1"])
    store.things("item/a")
    store.commits("item/a", 0, 10)
    store.commits_at([("item/a", 1)])
    [spot] = store.read_line(LINE, limit=1) or [None]
    if spot:
        store.read_line(LINE, after=spot, limit=1, backwards=True, until=AT)
        store.count_before(LINE, spot, 5)
    store.count_line(LINE, 5)
    for index in ("number", "ref", "run"):
        store.read_index(index, "q", limit=1, prefix="" if index == "number" else "x")
    store.take_numbers("queue/a", 1, LATER)
    store.take_numbers("queue/a", 1, AT)
    store.restart_numbers("queue/a", 50)
    store.beat("run/a", LATER, AT, {})
    store.look_at_due("item/a", AT, "me")
    store.append([added("item/c", due=AT)])
    store.place([added("item/a", 2, due=AT)])
    store.look_at_due("item/a", AT, "me")
    store.rearm("item/a", "me", LATER)
    store.look_at_due("item/a", LATER, "me")
    store.rearm("item/a", "me", None)
    store.due("item/a")
    store.add_counts("q_a.1", "shard", ("", ""), "1", {"new": 1})
    store.add_counts("q_a.1", "shard", ("1", ""), "2", {"new": -1, "failed": 1})
    store.counted("q_a.1", "shard")
    store.set_counts("q_a.1", {"new": 7}, AT)
    store.counts(["q_a.1"])
    list(store.all_commits())
    list(store.all_rows())
    store.drop_views()
