"""The rules of a work item: given events, when command, then events."""

import pytest

from tests.support import START
from tests.unit.spec import Given, given
from workledger.keys import item_stream
from workledger.ledger.commit import Event
from workledger.queues import item as items
from workledger.queues import item_commands as commands
from workledger.queues.item import Completed, Deleted, Failed, Held, Waiting
from workledger.queues.item_commands import Change, Failure, NewItem, RetryRule
from workledger.times import plus

QUEUE = "q_aaaaaaaaaaaaaaaaaaaaaaaaaa.1"
STREAM = item_stream(QUEUE, "A-17")
RUN, OTHER_RUN = "r_" + "a" * 26, "r_" + "b" * 26
TWO = RetryRule(retries=2)
LATER = plus(START, 60)


def added(before: Given | None = None, **entry: object) -> Given:
    """A stream with one more item added."""
    before = before or given(STREAM)
    new = NewItem('{"total":30.40}', "A-17", **entry)  # type: ignore[arg-type]
    outcome = before.when(commands.add, new, QUEUE, 7, START, START)
    return outcome.then(items.ADDED)


def taken(before: Given | None = None, run: str = RUN) -> Given:
    """A stream whose item is held."""
    return (before or added()).when(commands.take, run, 0).then(items.TAKEN)


def claim(stream: Given) -> int:
    """The claim that holds the item."""
    assert isinstance(stream.state.status, Held)
    return stream.state.status.claim


def failed(before: Given | None = None) -> Given:
    """A stream whose item failed for good."""
    held = before or taken()
    final = Failure("broken", retry=False)
    return held.when(commands.fail, 1, claim(held), final, TWO, START).then(items.FAILED)


def completed() -> Given:
    """A stream whose item is completed."""
    held = taken()
    return held.when(commands.complete, 1, claim(held), '{"ok":1}').then(items.COMPLETED)


def test_q13_who_added_it_and_when_and_its_number_are_kept():
    item = added().state
    assert (item.added_by, item.arrived, item.number, item.attempt) == ("kai", START, 7, 0)


def test_q10_the_data_is_a_payload_of_its_own_and_its_size_is_known():
    outcome = given(STREAM).when(commands.add, NewItem('{"ü":1}'), QUEUE, 1, START, START)
    (event,) = outcome.events
    assert event.payload == '{"ü":1}'
    assert event.data["size"] == 8
    assert "ü" not in str(event.data)


@pytest.mark.parametrize("stream", [added(), taken(), completed()], ids=["new", "held", "done"])
def test_q30_a_reference_that_is_new_in_progress_or_completed_is_not_added_again(stream: Given):
    stream.when(commands.add, NewItem("1", "A-17"), QUEUE, 8, START, START).then_nothing()


def test_q30_a_failed_reference_is_added_as_a_new_item():
    again = added(failed())
    assert again.state.generation == 2
    assert again.state.status == Waiting()
    assert isinstance(again.seen.states["g1"].status, Failed)


def test_q32_a_deleted_item_frees_its_reference_a_retry_does_not():
    deleted = added().when(commands.delete, 1).then(items.DELETED)
    assert added(deleted).state.generation == 2
    held = taken()
    back = held.when(commands.fail, 1, claim(held), Failure("x"), TWO, START).then(items.PUT_BACK)
    back.when(commands.add, NewItem("1", "A-17"), QUEUE, 8, START, START).then_nothing()


def test_q23_only_new_items_are_taken():
    for stream in (taken(), completed(), failed(), added(not_before=LATER)):
        stream.when(commands.take, OTHER_RUN, 0).then_refused("not_new")


def test_q24_taking_counts_a_round():
    held = taken()
    assert held.state.attempt == 1
    back = held.when(commands.fail, 1, claim(held), Failure("x"), TWO, START).then(items.PUT_BACK)
    assert taken(back).state.attempt == 2


def test_q25_it_is_tied_to_the_run_and_each_take_has_a_claim_of_its_own():
    held = taken()
    assert held.state.run == RUN
    first = claim(held)
    back = held.when(commands.fail, 1, first, Failure("x"), TWO, START).then(items.PUT_BACK)
    assert claim(taken(back)) != first


def test_q40_complete_keeps_the_result():
    stream = completed()
    assert stream.state.status == Completed(START, stream.seen.number)


@pytest.mark.parametrize("retries", [0, 2, 100])
def test_q41_fail_without_retry_fails_whatever_retries_says(retries: int):
    held = taken()
    rule = RetryRule(retries)
    end = held.when(commands.fail, 1, claim(held), Failure("no VAT id", retry=False), rule, START)
    assert end.then(items.FAILED).state.status == Failed(START, "no VAT id")


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_q42_retries_2_means_at_most_three_tries(retries: int):
    stream, rule = added(), RetryRule(retries)
    for round_ in range(1, retries + 2):
        held = taken(stream)
        assert held.state.attempt == round_
        last = round_ == retries + 1
        outcome = held.when(commands.fail, 1, claim(held), Failure("x"), rule, START)
        stream = outcome.then(items.FAILED if last else items.PUT_BACK)
    assert isinstance(stream.state.status, Failed)


def test_q21_an_item_put_back_keeps_priority_and_arrival():
    held = taken(added(priority=5))
    back = held.when(commands.fail, 1, claim(held), Failure("x"), TWO, LATER).then(items.PUT_BACK)
    before = items.place(STREAM, "head", added(priority=5).state)
    assert items.place(STREAM, "head", back.state) == before


def test_q43_a_late_answer_of_an_earlier_round_changes_nothing():
    held = taken()
    old = claim(held)
    again = taken(
        held.when(commands.release, 1, RUN, None, TWO, START).then(items.PUT_BACK), OTHER_RUN
    )
    again.when(commands.complete, 1, old, None).then_refused("already_closed")
    again.when(commands.fail, 1, old, Failure("x"), TWO, START).then_refused("already_closed")
    again.when(commands.complete, 1, old + 100, None).then_refused("stale_claim")


def test_q43_the_exact_repeat_of_the_winning_call_is_already_so():
    held = taken()
    mine = claim(held)
    done = held.when(commands.complete, 1, mine, '{"ok":1}').then(items.COMPLETED)
    done.when(commands.complete, 1, mine, '{"ok":1}').then_nothing()
    done.when(commands.complete, 1, mine, '{"ok":2}').then_refused("already_closed")
    done.when(commands.complete, 1, mine, None).then_refused("already_closed")
    done.when(commands.fail, 1, mine, Failure(), TWO, START).then_refused("already_closed")


def test_q43_a_null_result_is_not_the_same_as_none():
    held = taken()
    done = held.when(commands.complete, 1, claim(held), None).then(items.COMPLETED)
    done.when(commands.complete, 1, claim(held), "null").then_refused("already_closed")


def test_q44_no_other_way_from_status_to_status():
    held, done, new = taken(), completed(), added()
    held.when(commands.requeue, 1).then_refused("not_failed")
    done.when(commands.requeue, 1).then_refused("not_failed")
    new.when(commands.requeue, 1).then_refused("not_failed")
    held.when(commands.delete, 1).then_refused("in_progress")
    for stream in (held, done, failed()):
        stream.when(commands.change, 1, Change({"priority": 1}), START).then_refused("not_waiting")
    new.when(commands.complete, 1, 1, None).then_refused("stale_claim")


def test_q45_an_empty_reason_becomes_a_standard_text():
    held = taken()
    end = held.when(commands.fail, 1, claim(held), Failure("  ", retry=False), TWO, START)
    assert end.data["reason"] == commands.NO_REASON


def test_q47_a_put_back_item_waits_its_delay_and_keeps_its_place():
    held = taken(added(priority=3))
    rule = RetryRule(2, delay_seconds=30)
    back = held.when(commands.fail, 1, claim(held), Failure("x"), rule, START).then(items.PUT_BACK)
    assert back.state.status == Waiting(plus(START, 30))
    back.when(commands.ready, 1, plus(START, 29)).then_nothing()
    ready = back.when(commands.ready, 1, plus(START, 30)).then(items.READY)
    assert items.place(STREAM, "head", ready.state) == items.place(
        STREAM, "head", added(priority=3).state
    )


def test_q47_the_failing_worker_may_say_how_long():
    held = taken()
    asked = Failure("x", not_before=plus(START, 90))
    back = held.when(commands.fail, 1, claim(held), asked, RetryRule(2, 30), START)
    assert back.then(items.PUT_BACK).state.status == Waiting(plus(START, 90))


def test_q15_not_before_defers_and_a_past_one_does_not():
    assert added(not_before=LATER).state.status == Waiting(LATER)
    assert added(not_before=START).state.status == Waiting()


def test_q16_priority_not_before_and_due_of_a_waiting_item_change():
    new = Change({"priority": 9, "due": LATER})
    changed = added().when(commands.change, 1, new, START).then(items.CHANGED)
    assert (changed.state.priority, changed.state.due) == (9, LATER)
    changed.when(commands.change, 1, new, START).then_nothing()
    deferred = changed.when(commands.change, 1, Change({"notBefore": LATER}), START)
    assert deferred.then(items.CHANGED).state.status == Waiting(LATER)


def test_q50_a_release_puts_back_or_fails_by_the_round():
    held = taken()
    back = held.when(commands.release, 1, RUN, None, TWO, START).then(items.PUT_BACK)
    assert back.state.status == Waiting()
    end = held.when(commands.release, 1, RUN, None, RetryRule(0), START).then(items.FAILED)
    assert end.state.status == Failed(START, commands.RUN_ENDED)


def test_q51_a_release_from_an_old_picture_changes_nothing():
    held = taken()
    held.when(commands.release, 1, OTHER_RUN, None, TWO, START).then_nothing()
    held.when(commands.release, 1, RUN, claim(held) - 1, TWO, START).then_nothing()
    held.when(commands.release, 2, RUN, None, TWO, START).then_nothing()
    back = held.when(commands.release, 1, RUN, None, TWO, START).then(items.PUT_BACK)
    back.when(commands.release, 1, RUN, None, TWO, START).then_nothing()


def test_q72_back_to_the_queue_gives_all_retries_again():
    back = failed().when(commands.requeue, 1).then(items.REQUEUED)
    assert (back.state.status, back.state.attempt) == (Waiting(), 0)


def test_q34_only_the_newest_item_of_a_reference_goes_back():
    newer = added(failed())
    refused = newer.when(commands.requeue, 1).then_refused("reference_taken")
    assert refused.extra["item"].endswith(".2")
    held = taken(newer)
    final = Failure("x", retry=False)
    both = held.when(commands.fail, 2, claim(held), final, TWO, START).then(items.FAILED)
    both.when(commands.requeue, 1).then_refused("not_newest")
    both.when(commands.requeue, 2).then(items.REQUEUED)


def test_q72_an_older_item_can_still_be_deleted():
    newer = added(failed())
    after = newer.when(commands.delete, 1).then(items.DELETED)
    assert isinstance(after.seen.states["g1"].status, Deleted)
    assert after.state.status == Waiting()


def test_q95_restore_brings_back_what_was_deleted():
    gone = failed().when(commands.delete, 1).then(items.DELETED)
    back = gone.when(commands.restore, 1, START).then(items.RESTORED)
    assert back.state.status == failed().state.status
    back.when(commands.restore, 1, START).then_nothing()


def test_q95_restore_is_refused_when_the_reference_is_taken_or_too_late():
    gone = added().when(commands.delete, 1).then(items.DELETED)
    added(gone).when(commands.restore, 1, START).then_refused("reference_taken")
    late = plus(START, commands.RESTORE_DAYS * 86_400 + 1)
    gone.when(commands.restore, 1, late).then_refused("too_late")


def test_a_deleted_item_stands_nowhere():
    gone = added().when(commands.delete, 1).then(items.DELETED)
    standing = items.place(STREAM, "head", gone.state)
    assert (standing.place, standing.due) == (None, None)
    assert all(part is None for part in standing.keys)


def test_an_item_that_was_never_added_is_not_found():
    nothing = given(STREAM)
    for ask in (commands.requeue, commands.delete):
        nothing.when(ask, 1).then_refused("item_not_found")
    nothing.when(commands.complete, 1, 2, None).then_refused("item_not_found")


def test_the_stored_form_gives_the_same_state_back():
    streams = [added(priority=-3, due=LATER), taken(), completed(), failed()]
    streams.append(failed().when(commands.delete, 1).then(items.DELETED))
    for stream in streams:
        assert items.load(items.dump(stream.state)) == stream.state


def test_an_unknown_event_is_never_passed_over():
    with pytest.raises(KeyError):
        added().and_then(Event("ItemPainted"))
