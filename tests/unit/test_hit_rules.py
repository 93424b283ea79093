"""The rules of a hit: given events, when command, then events (M20 to M36, M60)."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support import START
from tests.unit.spec import Given, Outcome, given
from workledger.keys import HEAD, hit_stream, worker_thing
from workledger.manual_tasks import hit as hits
from workledger.manual_tasks import hit_commands as commands
from workledger.manual_tasks import hit_folding
from workledger.manual_tasks.hit import Hit, Placed
from workledger.times import plus

TASK, LOAD = "t" * 26, "l" * 26
STREAM = hit_stream(LOAD, 1)
HOUR = plus(START, 3_600)
LATER = plus(START, 60)
PLACES = (Placed(1, "2020-03-11T10:15:55.935", 1),)
NEW_PLACES = (Placed(1, "2020-03-11T10:15:55.935", 1), Placed(2, "key", 1))


def created(answers: int = 1, more: int = 0, **values: Any) -> Given:
    """A hit that was just loaded; `answers`+`more` is its rule."""
    data = {
        "task": TASK,
        "version": 1,
        "load": LOAD,
        "index": 1,
        "number": 7,
        "hitOrder": 1,
        "hitOrderDate": "2020-03-11T10:15:55.935",
        "answers": answers,
        "more": more,
        "places": [list(one) for one in PLACES],
        **values,
    }
    return given(STREAM).when(commands.create, data, '{"data":{},"more":{}}').then(hits.CREATED)


def take(stream: Given, worker: str = "W1", now: str = START, deadline: str = HOUR) -> Outcome:
    """A worker takes it."""
    return stream.when(commands.take, worker, deadline, now)


def held(stream: Given | None = None, worker: str = "W1") -> Given:
    """It is held by a worker."""
    return take(stream or created(), worker).then(hits.ACCEPTED)


def number(stream: Given) -> int:
    """The commit that began the assignment that runs."""
    assert stream.state.holder is not None
    return stream.state.holder.take


def submit(stream: Given, answer: str, worker: str = "W1", take: int | None = None) -> Outcome:
    """The worker answers; the answer stands for its digest."""
    take = take if take is not None else number(stream)
    return stream.when(commands.submit, worker, take, answer, f'"{answer}"', START)


def answered(stream: Given, *answers: str) -> Given:
    """W1 answers the first, W2 the second, ..."""
    for at, answer in enumerate(answers, 1):
        taken = take(stream, f"W{at}").then(hits.ACCEPTED)
        stream = happened(submit(taken, answer, f"W{at}"))
    return stream


def happened(outcome: Outcome) -> Given:
    """The stream after all that came of a command."""
    return outcome.then(*(event.type for event in outcome.events))


def hidden_from(stream: Given, worker: str, now: str = START) -> str | None:
    """The code by which a take would be refused."""
    mine = stream.seen.states.get(worker_thing(worker))
    refused = commands.why_hidden(stream.state, mine, now)
    return refused.code if refused else None


def assignment(stream: Given, worker: str = "W1") -> hits.Assignment:
    """A worker's latest assignment."""
    return stream.seen.states[worker_thing(worker)]


def place(stream: Given, thing: str) -> str | None:
    """The line on which a thing stands."""
    state = stream.seen.states.get(thing)
    found = hit_folding.place(stream.stream, thing, state).place if state is not None else None
    return found.line if found else None


# --- taking -------------------------------------------------------------------------------------


def test_m20_a_record_in_work_is_hidden_from_everybody():
    """(M20)"""
    stream = held()
    assert hidden_from(stream, "W1") == hidden_from(stream, "W2") == "hit_taken"
    take(stream, "W2").then_refused("hit_taken")


def test_m36_taking_what_one_holds_is_the_same_assignment():
    """(M36)"""
    take(held(), "W1", LATER).then_nothing()


def test_m36_after_the_deadline_it_is_another_assignment():
    """(M36, M31)"""
    again = take(held(), "W1", HOUR, plus(HOUR, 3_600)).then(hits.ABANDONED, hits.ACCEPTED)
    assert assignment(again).status == "ACCEPTED"
    assert assignment(again).deadline == plus(HOUR, 3_600)


def test_m24_a_hit_has_one_holder_even_if_nobody_swept():
    """(M24, M34) Who takes it after the deadline ends the assignment that nobody ended."""
    taken = take(held(), "W2", HOUR, plus(HOUR, 60)).then(hits.ABANDONED, hits.ACCEPTED)
    assert taken.state.holder.worker == "W2"
    assert assignment(taken, "W1").status == "ABANDONED"


def test_m24_a_hit_that_has_its_answers_is_not_taken():
    """(M24)"""
    take(answered(created(), "a"), "W2").then_refused("hit_taken")


def test_m14_a_hit_is_not_there_before_its_time():
    """(M14) From the moment on it is."""
    stream = created(visibleFrom=LATER)
    take(stream).then_refused("hidden")
    take(stream, now=LATER).then(hits.ACCEPTED)


def test_m30_what_does_not_exist_is_not_taken():
    """(M30)"""
    take(given(STREAM)).then_refused("hit_not_found")


def test_m55_a_hit_is_created_once():
    """(M55)"""
    created().when(commands.create, {}, "").then_nothing()


# --- what hides it from whom --------------------------------------------------------------------


def test_m34_a_return_frees_it_for_others_at_once_and_for_oneself_at_the_deadline():
    """(M32, M34) At the deadline itself it is visible again."""
    stream = held()
    stream = stream.when(commands.give_back, "W1", number(stream), LATER).then(hits.RETURNED)
    assert hidden_from(stream, "W2", LATER) is None
    assert hidden_from(stream, "W1", plus(HOUR, -0.001)) == "hidden"
    assert hidden_from(stream, "W1", HOUR) is None


def test_m34_an_early_abandonment_cools_as_a_return_does():
    """(M32, M34)"""
    stream = held()
    stream = stream.when(commands.abandon, "W1", number(stream), LATER).then(hits.ABANDONED)
    assert hidden_from(stream, "W2", LATER) is None
    assert hidden_from(stream, "W1", LATER) == "hidden"
    assert hidden_from(stream, "W1", HOUR) is None


def test_m34_from_the_deadline_on_it_is_free_for_all_although_nothing_was_written():
    """(M31, M34)"""
    stream = held()
    assert [hidden_from(stream, one, HOUR) for one in ("W1", "W2")] == [None, None]
    assert hidden_from(stream, "W2", plus(HOUR, -0.001)) == "hit_taken"


def test_m34_the_timekeeper_records_what_was_so_before():
    """(M34) Once; and not before the deadline."""
    stream = held()
    stream.when(commands.abandon_overdue, plus(HOUR, -0.001)).then_nothing()
    done = stream.when(commands.abandon_overdue, HOUR).then(hits.ABANDONED)
    done.when(commands.abandon_overdue, HOUR).then_nothing()
    assert assignment(done).status == "ABANDONED"


def test_m35_a_skip_hides_it_for_good_from_this_worker_only():
    """(M35)"""
    stream = held()
    stream = stream.when(commands.skip, "W1", number(stream), START).then(hits.SKIPPED)
    assert hidden_from(stream, "W1", plus(HOUR, 1e6)) == "hidden"
    assert hidden_from(stream, "W2") is None


@pytest.mark.parametrize("what", ["submitted", "approved", "rejected", "skipped"])
def test_m31_what_hides_for_good(what: str):
    """(M31) Whatever the deadline says."""
    stream = held(created(2, 1))
    first = number(stream)
    if what == "skipped":
        stream = stream.when(commands.skip, "W1", first, START).then(hits.SKIPPED)
    else:
        stream = submit(stream, "a").then(hits.SUBMITTED)
    if what == "approved":
        stream = stream.when(commands.approve, "W1", first).then(hits.APPROVED)
    if what == "rejected":
        rejecting = stream.when(commands.reject, "W1", first, "no", PLACES, START)
        stream = rejecting.then(hits.REJECTED)
    assert hidden_from(stream, "W1", plus(HOUR, 1e6)) == "hidden"
    assert hidden_from(stream, "W2") is None
    assert place(stream, worker_thing("W1")) == hit_line("out/1", "W1")


def hit_line(kind: str, worker: str) -> str:
    """A worker's own line."""
    return f"manual/{TASK}/{kind}/{worker_thing(worker)[2:]}#0"


def test_m38_an_assignment_stands_where_its_status_says():
    """(M38) In work on the worker's, cooling on the task's, closed nowhere."""
    stream = held(created(2, 0))
    assert place(stream, worker_thing("W1")) == f"worker/{worker_thing('W1')[2:]}/active#0"
    back = stream.when(commands.give_back, "W1", number(stream), START).then(hits.RETURNED)
    assert place(back, worker_thing("W1")) == f"manual/{TASK}/cooling#0"
    done = answered(created(), "a")
    assert place(done, worker_thing("W1")) is None
    assert place(done, "p1") is None


def test_m38_a_hit_stays_in_its_list_while_it_is_held():
    """(M38) So a deadline that passes needs nothing to be written."""
    stream = held()
    assert place(stream, "p1") == f"manual/{TASK}/list/1#0"
    assert place(stream, HEAD) == f"manual/{TASK}/held#0"


# --- whose, and until when ----------------------------------------------------------------------

OWN = [
    (commands.give_back, ()),
    (commands.skip, ()),
    (commands.abandon, ()),
    (commands.extend, (plus(HOUR, 60),)),
    (commands.submit, ("a", '"a"')),
]


@pytest.mark.parametrize(("ask", "more"), OWN, ids=lambda one: getattr(one, "__name__", ""))
def test_m34_nothing_is_done_with_an_assignment_from_its_deadline_on(ask: Any, more: Any):
    """(M34)"""
    stream = held()
    stream.when(ask, "W1", number(stream), *more, HOUR).then_refused("assignment_over")


@pytest.mark.parametrize(("ask", "more"), OWN, ids=lambda one: getattr(one, "__name__", ""))
def test_m60_nothing_is_done_with_what_is_no_assignment(ask: Any, more: Any):
    """(M60)"""
    stream = held()
    stream.when(ask, "W2", number(stream), *more, START).then_refused("assignment_not_found")
    stream.when(ask, "W1", 9, *more, START).then_refused("assignment_over")


@pytest.mark.parametrize(("ask", "more"), OWN, ids=lambda one: getattr(one, "__name__", ""))
def test_m60_what_was_given_up_is_over(ask: Any, more: Any):
    """(M60)"""
    begun = held()
    first = number(begun)
    ends = commands.skip if ask is not commands.skip else commands.give_back
    stream = happened(begun.when(ends, "W1", first, START))
    stream.when(ask, "W1", first, *more, START).then_refused("assignment_over")


@pytest.mark.parametrize("ask", [commands.give_back, commands.skip, commands.abandon])
def test_m60_giving_up_twice_is_giving_up_once(ask: Any):
    """(M60)"""
    begun = held()
    outcome = begun.when(ask, "W1", number(begun), START)
    happened(outcome).when(ask, "W1", number(begun), START).then_nothing()


def test_m60_an_extension_moves_the_deadline_later_only():
    """(M60)"""
    stream = held()
    first = number(stream)
    stream.when(commands.extend, "W1", first, LATER, START).then_nothing()
    longer = plus(HOUR, 60)
    stream = stream.when(commands.extend, "W1", first, longer, START).then(hits.EXTENDED)
    assert assignment(stream).deadline == stream.state.holder.deadline == longer
    assert hidden_from(stream, "W2", HOUR) == "hit_taken"
    assert hit_folding.place(STREAM, HEAD, stream.state).due == longer


# --- answers ------------------------------------------------------------------------------------


def test_m23_two_equal_answers_close_a_record():
    """(M23)"""
    stream = held(answered(created(2, 1), "a"), "W2")
    done = submit(stream, "a", "W2").then(hits.SUBMITTED, hits.DECIDED)
    assert (done.state.state, done.state.decision.by) == (hits.DONE, "agreement")
    assert done.state.decision.commit == 3
    assert place(done, "p1") is None


def test_m23_two_different_answers_are_offered_to_somebody_who_gave_none():
    """(M23)"""
    stream = answered(created(2, 1), "a", "b")
    assert [hidden_from(stream, one) for one in ("W1", "W2", "W3")] == ["hidden", "hidden", None]


def test_m23_two_to_one_wins():
    """(M23)"""
    stream = answered(created(2, 1), "a", "b", "b")
    assert (stream.state.state, stream.state.decision.by) == (hits.DONE, "majority")
    assert stream.state.decision.commit == 5


def test_m23_three_different_answers_are_unresolved_and_no_fourth_is_asked():
    """(M23, M24)"""
    stream = answered(created(2, 1), "a", "b", "c")
    assert stream.state.state == hits.NO_MAJORITY
    assert hidden_from(stream, "W4") == "hit_taken"
    assert place(stream, HEAD) == f"manual/{TASK}/unresolved#0"


def test_m23_an_adjudicator_who_gave_no_answer_decides():
    """(M23)"""
    stream = answered(created(2, 1), "a", "b", "c")
    stream.when(commands.adjudicate, "W2", '"b"').then_refused("answered")
    done = stream.when(commands.adjudicate, "ann", '"b"').then(hits.DECIDED)
    decision = done.state.decision
    assert (decision.by, decision.who) == ("adjudicator", "ann")
    assert decision.commit == stream.seen.number + 1
    done.when(commands.adjudicate, "ann", '"b"').then_refused("not_unresolved")


def test_m23_who_skipped_it_may_adjudicate():
    """(M23, M25)"""
    stream = held(created(2, 0))
    stream = stream.when(commands.skip, "W1", number(stream), START).then(hits.SKIPPED)
    for worker, answer in (("W2", "a"), ("W3", "b")):
        taken = held(stream, worker)
        stream = happened(submit(taken, answer, worker))
    stream.when(commands.adjudicate, "W1", '"a"').then(hits.DECIDED)


def test_m23_what_is_not_unresolved_is_not_adjudicated():
    """(M23)"""
    for stream in (created(2, 1), held(), answered(created(), "a")):
        stream.when(commands.adjudicate, "ann", "1").then_refused("not_unresolved")
    given(STREAM).when(commands.adjudicate, "ann", "1").then_refused("hit_not_found")


def test_m24_there_are_never_more_answers_than_the_rule_says():
    """(M24) At most N+M, whatever they are."""
    for answers in (("a", "b", "c"), ("a", "b", "b"), ("a", "a")):
        stream = answered(created(2, 1), *answers)
        take(stream, "W4").then_refused("hit_taken")


def test_m25_what_was_given_back_abandoned_or_skipped_uses_up_nothing():
    """(M25)"""
    stream = created(1, 0)
    for worker, ask in zip(
        ("W1", "W2", "W3"), (commands.give_back, commands.abandon, commands.skip), strict=True
    ):
        taken = held(stream, worker)
        stream = happened(taken.when(ask, worker, number(taken), START))
    assert hidden_from(stream, "W4") is None
    assert stream.state.answers == ()


def test_m60_the_same_answer_again_is_the_same_answer():
    """(M60)"""
    taken = held(created(2, 0))
    first = number(taken)
    stream = submit(taken, "a").then(hits.SUBMITTED)
    submit(stream, "a", take=first).then_nothing()
    submit(stream, "b", take=first).then_refused("already_submitted")


def test_m60_a_repeat_is_the_same_after_the_hit_was_closed():
    """(M60)"""
    taken = held()
    first = number(taken)
    stream = submit(taken, "a").then(hits.SUBMITTED, hits.DECIDED)
    submit(stream, "a", take=first).then_nothing()


def test_m60_an_answer_is_neither_skipped_nor_returned():
    """(M60)"""
    taken = held(created(2, 0))
    first = number(taken)
    stream = submit(taken, "a").then(hits.SUBMITTED)
    for ask in (commands.skip, commands.give_back, commands.abandon):
        stream.when(ask, "W1", first, START).then_refused("assignment_over")


# --- requesters ---------------------------------------------------------------------------------


def reject(stream: Given, worker: str, now: str = START) -> Outcome:
    """A requester rejects a worker's answer."""
    first = assignment(stream, worker).take
    return stream.when(commands.reject, worker, first, "wrong", NEW_PLACES, now)


def test_m60_a_rejected_answer_opens_the_record_for_somebody_else():
    """(M25, M60) Where the task's lists are now."""
    stream = reject(answered(created(), "a"), "W1").then(hits.REJECTED, hits.REOPENED)
    assert (stream.state.state, stream.state.answers, stream.state.decision) == ("open", (), None)
    assert stream.state.places == NEW_PLACES
    assert [hidden_from(stream, one) for one in ("W1", "W2")] == ["hidden", None]
    assert place(stream, "p1") == f"manual/{TASK}/list/1#0"
    assert place(stream, "p2") == f"manual/{TASK}/list/2#0"
    assert place(stream, worker_thing("W1")) == hit_line("out/2", "W1")
    assert assignment(stream).reason == "wrong"
    reject(stream, "W1").then_nothing()


def test_m60_an_unresolved_record_is_open_again_without_one_of_its_answers():
    """(M23, M60)"""
    stream = reject(answered(created(2, 1), "a", "b", "c"), "W3").then(hits.REJECTED, hits.REOPENED)
    assert hidden_from(stream, "W4") is None
    taken = held(stream, "W4")
    assert submit(taken, "b", "W4").then(hits.SUBMITTED, hits.DECIDED).state.decision.by == (
        "majority"
    )


def test_m60_a_record_that_is_not_decided_stays_open():
    """(M60)"""
    stream = reject(answered(created(2, 1), "a"), "W1").then(hits.REJECTED)
    assert (stream.state.state, stream.state.answers) == ("open", ())


def test_m60_what_the_others_agree_on_stays_decided():
    """(M60)"""
    stream = reject(answered(created(2, 1), "b", "a", "a"), "W1").then(hits.REJECTED)
    assert stream.state.decision.commit == 5


def test_m60_without_what_was_rejected_the_others_may_agree():
    """(M23, M60) Then nobody works on it any more."""
    stream = held(answered(created(2, 3), "a", "b", "c", "a"), "W5")
    done = reject(stream, "W2").then(hits.REJECTED, hits.ABANDONED, hits.DECIDED)
    assert (done.state.state, done.state.holder) == (hits.DONE, None)
    fifth = assignment(done, "W5")
    assert fifth.status == "ABANDONED"
    submit(done, "a", "W5", fifth.take).then_refused("assignment_over")


def test_m60_what_an_adjudicator_decided_stays():
    """(M60)"""
    stream = answered(created(2, 0), "a", "b")
    stream = stream.when(commands.adjudicate, "ann", '"a"').then(hits.DECIDED)
    assert reject(stream, "W1").then(hits.REJECTED).state.decision.by == "adjudicator"


def test_m60_an_approved_answer_is_not_rejected():
    """(M60)"""
    stream = answered(created(), "a")
    first = assignment(stream).take
    stream = stream.when(commands.approve, "W1", first).then(hits.APPROVED)
    stream.when(commands.approve, "W1", first).then_nothing()
    reject(stream, "W1").then_refused("already_approved")


def test_m60_what_a_record_of_a_process_went_on_with_is_not_rejected():
    """(M13, M60) From the decision on: it goes on at once."""
    stream = answered(created(way=["r" * 26, "check"]), "a")
    reject(stream, "W1").then_refused("already_routed")
    routed = stream.when(commands.routed).then(hits.ROUTED)
    reject(routed, "W1").then_refused("already_routed")
    routed.when(commands.routed).then_nothing()


def test_m60_before_the_decision_an_answer_of_a_process_may_be_rejected():
    """(M60)"""
    stream = answered(created(2, 0, way=["r" * 26, "check"]), "a")
    reject(stream, "W1").then(hits.REJECTED)


def test_m60_only_an_answer_is_approved_or_rejected():
    """(M60)"""
    stream = held()
    first = number(stream)
    stream.when(commands.approve, "W1", first).then_refused("not_submitted")
    stream.when(commands.reject, "W1", first, "", PLACES, START).then_refused("not_submitted")
    stream.when(commands.approve, "W2", first).then_refused("assignment_not_found")
    stream.when(commands.reject, "W1", 9, "", PLACES, START).then_refused("assignment_over")


# --- places -------------------------------------------------------------------------------------


def test_m43_placing_it_elsewhere_changes_nothing_else():
    """(M43) Also while it is held; the workers' rows follow it at once."""
    stream = held(answered(created(2, 0), "a"), "W2")
    placed = stream.when(commands.place, NEW_PLACES).then(hits.PLACED)
    assert placed.state.holder == stream.state.holder
    assert place(placed, worker_thing("W1")) == hit_line("out/2", "W1")
    assert [place(placed, one) for one in ("p1", "p2")] == [
        f"manual/{TASK}/list/{one}#0" for one in (1, 2)
    ]
    placed.when(commands.place, NEW_PLACES).then_nothing()
    last = placed.when(commands.place, NEW_PLACES[1:]).then(hits.PLACED)
    assert place(last, "p1") is None


def test_m43_a_closed_hit_is_not_placed():
    """(M43)"""
    answered(created(), "a").when(commands.place, NEW_PLACES).then_nothing()
    given(STREAM).when(commands.place, NEW_PLACES).then_nothing()


@pytest.mark.parametrize("visible_from", [None, START])
def test_m38_a_tie_tells_what_lets_a_reader_drop_a_hit(visible_from: str | None):
    """(M38)"""
    told = hits.read_tie(hits.tie(7, 3, LOAD, visible_from))
    assert told == hits.Tie(7, 3, LOAD, visible_from)
    assert hits.tie(9, 1, LOAD, None) < hits.tie(10, 1, LOAD, None)


def _states() -> Sequence[Given]:
    rejected = reject(answered(created(), "a"), "W1").then(hits.REJECTED, hits.REOPENED)
    return (
        created(visibleFrom=LATER, way=["r" * 26, "check"]),
        held(),
        answered(created(2, 1), "a", "b"),
        answered(created(2, 1), "a", "b", "c"),
        answered(created(), "a"),
        rejected,
    )


@pytest.mark.parametrize("stream", _states())
def test_m38_what_is_stored_is_what_was(stream: Given):
    """(M38) Every row, stored and read again."""
    for state in stream.seen.states.values():
        if state is not None:
            assert hit_folding.load(hit_folding.dump(state)) == state


def test_m38_a_hit_says_whom_it_met():
    """(M38) So that whoever closes it finds all of their rows."""
    hit: Hit = answered(created(2, 1), "a", "b").state
    assert hit.met == ("W1", "W2")
    assert set(hit.things) == {"p1", worker_thing("W1"), worker_thing("W2")}
