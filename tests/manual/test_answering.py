"""What is done with an assignment, by its worker, by requesters and adjudicators (M23 to M36, M60)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.manual.people import HOUR, Floor, floor, load_records, make_task
from tests.races.world import MAKERS, World
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, hits
from workledger.manual_tasks.answers import Adjudication
from workledger.service import sweeping
from workledger.stores.faults_plan import Fault
from workledger.times import plus

ONE = Adjudication(1, 0)
both = pytest.mark.parametrize("kind", MAKERS)


def refuses(code: str, ask: Callable[[], object]) -> Refused:
    """It is refused with this code."""
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.code == code, refused.value.detail
    return refused.value


def submit(at: Floor, worker: str, assignment: str, answer: str) -> assigning.Assigned:
    """Answers."""
    return answering.submit(at.core(), worker, assignment, Raw(answer))


# --- answers ------------------------------------------------------------------------------------


@both
def test_m23_two_to_one_wins(kind: str):
    """(M23, M27) On both stores; texts are trimmed, numbers compared as numbers."""
    with make_world(kind) as world:
        at = floor(world, 1)
        at.answer("W1", "1", '{"a":1,"b":" x"}')
        at.answer("W2", "1", '{"a":2,"b":"x"}')
        assert at.next("W1") == at.next("W2") == "empty"
        at.answer("W3", "1", '{"b":"x","a":1.0}')
        shown = at.shown("1")
        assert shown.decision is not None
        assert (shown.decision.by, shown.decision.answer.text) == ("majority", '{"a":1,"b":" x"}')
        assert at.next("W4") == "empty"


def test_m27_answers_compare_by_the_fields_that_the_rule_names(world: World):
    """(M27)"""
    at = floor(world, 1, rule=Adjudication(2, 1, ("total",)))
    at.answer("W1", "1", '{"total":3,"note":"a"}')
    at.answer("W2", "1", '{"total":3.0,"note":"b"}')
    assert at.shown("1").status == "done"


@both
def test_m23_three_different_answers_wait_for_an_adjudicator(kind: str):
    """(M23)"""
    with make_world(kind) as world:
        at = floor(world, 2)
        for worker, answer in (("W1", "1"), ("W2", "2"), ("W3", "3")):
            at.answer(worker, "1", answer)
        hit = at.hit("1")
        assert at.shown("1").status == "unresolved"
        assert at.list("W4") == "2"
        refuses("answered", lambda: answering.adjudicate(at.core(), "W1", hit, Raw("9")))
        shown = answering.adjudicate(at.core(), "ann", hit, Raw("9"))
        assert shown == at.shown("1")
        assert shown.decision is not None
        assert (shown.decision.by, shown.decision.who) == ("adjudicator", "ann")
        assert shown.decision.answer.text == "9"
        refuses("not_unresolved", lambda: answering.adjudicate(at.core(), "ann", hit, Raw("9")))
        world.verify()


def test_m60_an_answer_is_checked_against_the_tasks_schema(world: World):
    """(M60) Of a worker and of an adjudicator; what does not fit changes nothing."""
    schema = '{"type":"object","required":["total"]}'
    at = floor(world, 1, rule=Adjudication(2, 0), schema=schema)
    one = at.take("W1", "1")
    refuses("answer_invalid", lambda: submit(at, "W1", one.id, "3"))
    assert at.active("W1") == "1"
    submit(at, "W1", one.id, '{"total":1}')
    at.answer("W2", "1", '{"total":2}')
    hit = at.hit("1")
    refuses("answer_invalid", lambda: answering.adjudicate(at.core(), "ann", hit, Raw("{}")))
    answering.adjudicate(at.core(), "ann", hit, Raw('{"total":2}'))
    refuses("hit_not_found", lambda: answering.adjudicate(at.core(), "ann", "h_x", Raw("{}")))


def test_m60_an_answer_has_at_most_256_kib(world: World):
    """(M60) In bytes; exactly so many are taken."""
    at = floor(world, 1)
    one = at.take("W1", "1")
    longest = answering.LONGEST_ANSWER
    refuses("too_large", lambda: submit(at, "W1", one.id, f'"{"ü" * (longest // 2)}"'))
    submit(at, "W1", one.id, f'"{"x" * (longest - 2)}"')
    assert at.shown("1").assignments[0].answer == Raw(f'"{"x" * (longest - 2)}"')


def test_m60_the_same_answer_again_is_answered_the_same(world: World):
    """(M60) Also after the record is decided and after the deadline; another one is refused."""
    at = floor(world, 1, rule=ONE)
    one = at.take("W1", "1")
    first = submit(at, "W1", one.id, '{"a":1}')
    assert first.status == "SUBMITTED"
    world.clock.tick(2 * HOUR)
    assert submit(at, "W1", one.id, '{ "a": 1 }') == first
    refuses("already_submitted", lambda: submit(at, "W1", one.id, '{"a":2}'))
    assert len(world.store.commits(at.stream("1"))) == 3


def test_m34_an_answer_after_the_deadline_is_refused(world: World):
    """(M34) At the very deadline, whether a sweep ran or not."""
    at = floor(world, 1)
    one = at.take("W1", "1")
    world.clock.tick(HOUR)
    refuses("assignment_over", lambda: submit(at, "W1", one.id, "1"))
    sweeping.sweep(world.process())
    refuses("assignment_over", lambda: submit(at, "W1", one.id, "1"))


@pytest.mark.parametrize("ask", range(4))
def test_m60_an_assignment_is_there_although_its_rows_were_not_placed(world: World, ask: int):
    """(M60) Its taker was answered, and died before they were."""
    at = floor(world, 1, rule=ONE)
    core = world.process(plan={("append", 1): Fault.UNPLACED}.get)
    one = at.take_next("W1", core)
    assert isinstance(one, assigning.Assigned)
    assert OWN[ask](at.core(), "W1", one.id).worker == "W1"
    world.verify()


# --- whose it is --------------------------------------------------------------------------------

OWN: list[Callable[[Any, str, str], Any]] = [
    lambda core, worker, one: answering.submit(core, worker, one, Raw("1")),
    answering.skip,
    answering.give_back,
    answering.extend,
]


@pytest.mark.parametrize("ask", OWN)
def test_m60_only_its_worker_acts_on_an_assignment(world: World, ask: Any):
    """(M60) Others are told that it is not theirs, also when they met the record themselves."""
    at = floor(world, 1)
    one = at.take("W1", "1")
    refuses("not_yours", lambda: ask(at.core(), "W2", one.id))
    at.give_back("W1", "1")
    own = at.take("W2", "1")
    refuses("not_yours", lambda: ask(at.core(), "W2", one.id))
    if ask is not answering.give_back:
        refuses("assignment_over", lambda: ask(at.core(), "W1", one.id))
    assert ask(at.core(), "W2", own.id).worker == "W2"


@pytest.mark.parametrize("ask", [*OWN, answering.approve, answering.abandon])
@pytest.mark.parametrize("wrong", ["nonsense", "a_" + "a" * 26 + ".2", "none", "created"])
def test_m60_what_is_no_assignment_is_not_found(world: World, ask: Any, wrong: str):
    """(M60) No such id, no such hit, no such commit, or one that took nothing."""
    at = floor(world, 1)
    number = {"none": 99, "created": 1}.get(wrong)
    one = wrong if number is None else keys.assignment_id(at.stream("1"), number)
    refuses("assignment_not_found", lambda: ask(at.core(), "W1", one))


# --- giving up ----------------------------------------------------------------------------------


@both
def test_m34_return_skip_and_abandon(kind: str):
    """(M32, M34, M35) What each leaves to whom; twice is once."""
    with make_world(kind) as world:
        at = floor(world, 3)
        one, two, three = (at.take("W1", name) for name in "123")
        for _ in range(2):
            assert answering.give_back(at.core(), "W1", one.id).status == "RETURNED"
            assert answering.skip(at.core(), "W1", two.id).status == "SKIPPED"
            shown = answering.abandon(at.core(), "kai", three.id)
            assert [each.status for each in shown.assignments] == ["ABANDONED"]
        assert (at.list("W1"), at.list("W2"), at.active("W1")) == ("", "1 2 3", "")
        world.clock.tick(HOUR)
        assert at.list("W1") == "1 3"
        world.verify()


def test_m34_a_requester_abandons_what_is_held_only(world: World):
    """(M34)"""
    at = floor(world, 1)
    one = at.take("W1", "1")
    submit(at, "W1", one.id, "1")
    refuses("assignment_over", lambda: answering.abandon(at.core(), "kai", one.id))


def test_m60_an_extension_begins_the_time_anew(world: World):
    """(M60) From now; the other workers wait longer."""
    at = floor(world, 1)
    one = at.take("W1", "1")
    world.clock.tick(HOUR - 60)
    longer = answering.extend(at.core(), "W1", one.id)
    assert longer.deadline == plus(world.clock.now, HOUR)
    world.clock.tick(60)
    assert (at.active("W1"), at.list("W2")) == ("1", "")
    sweeping.sweep(world.process())
    assert at.active("W1") == "1"


def test_m34_signing_out_abandons_all_that_one_holds(world: World):
    """(M34) Of all tasks, by hundreds; what is overdue or another's is not counted."""
    at = floor(world, 120, rule=ONE)
    at.take("W1", "1")
    world.clock.tick(HOUR)
    other = make_task(world.process(), "Other", ONE)
    load_records(world.process(), other, ["x"])
    core = world.process()
    for _ in range(110):
        at.take_next("W1", core)
    assigning.next_of(core, "W1", "Other")
    at.take_next("W2", core)
    assert answering.sign_out(at.core(), "W1") == 111
    assert answering.sign_out(at.core(), "W1") == 0
    assert at.active("W1") == ""
    assert at.active("W2") != ""
    assert len(at.page("W3", limit=100).items) == 100


# --- the clock ----------------------------------------------------------------------------------


@both
def test_m34_the_timekeeper_records_what_was_abandoned(kind: str):
    """(M34) At the deadline, not before; nothing changes in what people see."""
    with make_world(kind) as world:
        at = floor(world, 1)
        at.take("W1", "1")
        world.clock.tick(HOUR - 1)
        assert sweeping.sweep(world.process()) == plus(world.clock.now, 1)
        assert happened(at, "1") == ["HitCreated", "AssignmentAccepted"]
        world.clock.tick(1)
        before = (at.list("W1"), at.list("W2"), at.shown("1"))
        assert sweeping.sweep(world.process()) is None
        assert happened(at, "1")[-1] == "AssignmentAbandoned"
        assert (at.list("W1"), at.list("W2"), at.shown("1").status) == (*before[:2], "waiting")
        assert at.shown("1").assignments[0].status == before[2].assignments[0].status
        sweeping.sweep(world.process())
        assert len(happened(at, "1")) == 3
        world.verify()


def happened(at: Floor, name: str) -> list[str]:
    """The events of a record."""
    commits = at.world.store.commits(at.stream(name))
    return [event.type for commit in commits for event in commit.events]


# --- requesters ---------------------------------------------------------------------------------


@both
def test_m60_a_rejected_answer_opens_the_record_for_somebody_else(kind: str):
    """(M25, M60) At its own place; the reason is kept; twice is once."""
    with make_world(kind) as world:
        at = floor(world, 3, rule=ONE)
        one = at.take("W1", "2")
        submit(at, "W1", one.id, '"no"')
        assert at.list("W2") == "1 3"
        for _ in range(2):
            shown = answering.reject(at.core(), "kai", one.id, "look again")
            assert (shown.status, shown.decision) == ("waiting", None)
        (rejected,) = shown.assignments
        assert (rejected.status, rejected.reason) == ("REJECTED", "look again")
        assert rejected.answer == Raw('"no"')
        assert (at.list("W1"), at.list("W2")) == ("1 3", "1 2 3")
        world.verify()


def test_m60_an_approved_answer_is_not_rejected(world: World):
    """(M60)"""
    at = floor(world, 1, rule=ONE)
    one = at.take("W1", "1")
    refuses("not_submitted", lambda: answering.approve(at.core(), "kai", one.id))
    refuses("not_submitted", lambda: answering.reject(at.core(), "kai", one.id, ""))
    submit(at, "W1", one.id, "1")
    for _ in range(2):
        shown = answering.approve(at.core(), "kai", one.id)
        assert [each.status for each in shown.assignments] == ["APPROVED"]
    refuses("already_approved", lambda: answering.reject(at.core(), "kai", one.id, ""))


def test_m60_what_a_worker_is_answered_tells_nothing_of_others(world: World):
    """(M27) The last of three, who decides, sees what the first saw."""
    at = floor(world, 1)
    told: list[dict[str, Any]] = []
    for worker, answer in (("W1", "1"), ("W2", "2"), ("W3", "1")):
        one = at.take(worker, "1")
        done = submit(at, worker, one.id, answer)
        told.append({name: getattr(done, name) for name in done.__slots__ if name not in OWN_PARTS})
    assert told[0] == told[1] == told[2]
    assert hits.show(at.core(), at.hit("1")).status == "done"


OWN_PARTS = ("id", "worker")
