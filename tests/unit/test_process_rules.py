"""The rules of a business process and of a timed step: given events, when command, then events."""

from typing import Any

import pytest

from tests.support import START
from tests.unit.spec import Given, given
from workledger import keys
from workledger.errors import Refused
from workledger.manual_tasks import process as processes
from workledger.manual_tasks import process_commands as commands
from workledger.manual_tasks import process_sent
from workledger.manual_tasks import step as steps
from workledger.manual_tasks.process import Definition
from workledger.manual_tasks.step import Arrival
from workledger.times import plus

PROCESS = keys.process_stream("Gateway")
STEP = keys.step_stream(keys.bare(PROCESS), "slow")
TASK = "t" * 26

Json = dict[str, Any]


def a_step(name: str = "check", **members: Any) -> Json:
    """A manual step that leads to the end."""
    return {"name": name, "kind": "manual", "task": "Check", "next": "done", **members}


def timed(name: str, seconds: Any = 10, after: Any = "check") -> Json:
    """A timed step."""
    return {"name": name, "kind": "timed", "seconds": seconds, "next": after}


END: Json = {"name": "done", "kind": "end"}


def find_task(name: str) -> str | None:
    """There is one task."""
    return TASK if name == "Check" else None


def parsed(start: Any, *steps: Any) -> Definition:
    """A definition of these JSON values."""
    return process_sent.parse(start, list(steps), find_task)


def rules(*rules: Json, other: str = "check") -> Json:
    """Routes."""
    return {"rules": list(rules), "else": other}


def rule(step: str, **members: Any) -> Json:
    """A rule that compares kind with fast."""
    return {"field": "kind", "op": "eq", "value": "fast", "step": step, **members}


SIMPLE = parsed("check", a_step(), END)


def created() -> Given:
    """A process."""
    return given(PROCESS).when(commands.create, "Gateway", SIMPLE, "c").then(processes.CREATED)


@pytest.mark.parametrize(
    ("start", "wrong", "field"),
    [
        (None, [a_step(), END], "start"),
        ("nowhere", [a_step(), END], "start"),
        ({"rules": []}, [a_step(), END], "start.else"),
        (rules(other="nowhere"), [a_step(), END], "start"),
        (rules(rule("nowhere")), [a_step(), END], "start.rules[0].step"),
        (rules(rule("check", op="like")), [a_step(), END], "start.rules[0].op"),
        (rules(rule("check", field="")), [a_step(), END], "start.rules[0].field"),
        ("check", [], "steps"),
        ("check", {"check": 1}, "steps"),
        ("check", ["check"], "steps[0]"),
        ("check", [a_step(), END, a_step()], "steps[2].name"),
        ("check", [a_step(kind="robot"), END], "steps[0].kind"),
        ("check", [a_step(task="Nothing"), END], "steps[0].task"),
        ("check", [a_step(task=None), END], "steps[0].task"),
        ("check", [a_step(seconds=5), END], "steps[0].seconds"),
        ("check", [a_step(color="red"), END], "steps[0].color"),
        ("check", [a_step(next=None), END], "steps[0].next"),
        ("check", [a_step(next={"else": "nowhere"}), END], "steps[0].next"),
        ("check", [a_step(), {**END, "next": "check"}], "steps[1].next"),
        ("wait", [timed("wait", -1), a_step(), END], "steps[0].seconds"),
        ("wait", [timed("wait", "10"), a_step(), END], "steps[0].seconds"),
        ("wait", [timed("wait", True), a_step(), END], "steps[0].seconds"),
        ("wait", [timed("wait", None), a_step(), END], "steps[0].seconds"),
        ("wait", [timed("wait", float("nan")), a_step(), END], "steps[0].seconds"),
        ("wait", [timed("wait", 1e9), a_step(), END], "steps[0].seconds"),
        ("check", [a_step(), timed("lonely"), END], "steps[1].name"),
        ("a", [timed("a", after="b"), timed("b", after="a")], "steps[0].next"),
        ("a", [timed("a", after=rules(rule("a"), other="check")), a_step(), END], "steps[0].next"),
        ("check", [END] * 51, "steps"),
    ],
)
def test_m13_what_does_not_fit_is_refused_when_saved_with_the_field(
    start: Any, wrong: Any, field: str
) -> None:
    """(M13)"""
    with pytest.raises(Refused) as refused:
        process_sent.parse(start, wrong, find_task)
    assert refused.value.code == "invalid_value"
    assert (refused.value.field or "").startswith(field)


def test_m13_a_cycle_through_people_is_allowed() -> None:
    """(M13) Somebody sends the record back to be waited for again."""
    again = a_step(next=rules(rule("wait"), other="done"))
    definition = parsed("wait", timed("wait"), again, END)
    assert definition.after("check", {"kind": "fast"}).name == "wait"
    assert definition.after("check", {}).name == "done"
    assert definition.tasks == (TASK,)


def test_m13_seconds_may_be_zero_or_a_fraction() -> None:
    """(M13)"""
    assert parsed("wait", timed("wait", 0), a_step(), END).step("wait").seconds == 0
    assert parsed("wait", timed("wait", 0.25), a_step(), END).step("wait").seconds == 0.25


def test_m13_a_name_is_there_once_and_is_no_task_of_that_name() -> None:
    """(M13)"""
    created().when(commands.create, "Gateway", SIMPLE, "d").then_refused("process_exists")
    assert keys.bare(PROCESS) != keys.bare(keys.task_stream("Gateway"))


@pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\nb", "b_" + "a" * 26, "t_" + "a" * 26])
def test_m13_a_bad_name_is_refused_with_the_field(name: str) -> None:
    """(M13)"""
    with pytest.raises(Refused) as refused:
        commands.clean_name(name)
    assert (refused.value.code, refused.value.field) == ("invalid_value", "name")


def test_m13_a_change_makes_a_new_version_beside_the_old_one() -> None:
    """(M13) Records on their way follow the one they were loaded with."""
    other = parsed("wait", timed("wait"), a_step(), END)
    changed = created().when(commands.change, 1, other, "d").then(processes.CHANGED)
    assert (changed.state.version, changed.state.definition) == (2, other)
    assert changed.seen.states["v1"] == SIMPLE
    assert changed.seen.states["v2"] == other
    changed.when(commands.change, 2, other, "e").then_nothing()
    changed.when(commands.change, 1, SIMPLE, "e").then_refused("version_mismatch")
    given(PROCESS).when(commands.change, 1, other, "e").then_refused("process_not_found")


def test_m13_changes_of_a_process_are_audited_before_and_after() -> None:
    """(M13)"""
    entry = created().seen.states["audit/c"]
    assert (entry.action, entry.subject, entry.before) == ("ProcessCreated", "Gateway", None)


def test_m13_a_definition_that_is_too_long_for_a_row_is_refused() -> None:
    """(M13)"""
    many = [rule("check", value="x" * 999) for _ in range(70)]
    long = parsed(rules(*many), a_step(), END)
    given(PROCESS).when(commands.create, "Gateway", long, "c").then_refused("invalid_value")


# --- timed steps ----------------------------------------------------------------------------------


def entered(before: Given, entry: str, *arrivals: tuple[str, float], seconds: float = 10) -> Given:
    """These records enter, so many seconds after the start."""
    coming = [Arrival(record, plus(START, at)) for record, at in arrivals]
    thing = keys.entry_thing(entry)
    return before.when(steps.enter, "p" * 26, "slow", seconds, coming, thing).then(steps.ENTERED)


def leaves(after: Given, entry: str) -> list[str]:
    """What an entering was answered."""
    return list(after.seen.states[keys.entry_thing(entry)])


def test_m14_a_timed_step_handles_one_record_at_a_time() -> None:
    """(M14) Each leaves at max(arrival, busy-until) + seconds, in the order given."""
    busy = entered(given(STEP), "e1", ("r1", 0), ("r3", 0), ("r5", 12))
    assert leaves(busy, "e1") == [plus(START, at) for at in (10, 20, 30)]
    later = entered(busy, "e2", ("r6", 50), ("r7", 55))
    assert leaves(later, "e2") == [plus(START, at) for at in (60, 70)]
    assert (later.state.until, later.state.entered) == (plus(START, 70), 5)


def test_m14_who_enters_again_gets_the_same_answer_and_no_second_turn() -> None:
    """(M14) The step remembers what it answered."""
    busy = entered(entered(given(STEP), "e1", ("r1", 0)), "e2", ("r2", 0))
    again = [Arrival("r1", START)]
    busy.when(steps.enter, "p" * 26, "slow", 10, again, keys.entry_thing("e1")).then_nothing()
    assert leaves(busy, "e1") == [plus(START, 10)]


def test_m14_a_step_of_no_seconds_keeps_nobody() -> None:
    """(M14)"""
    busy = entered(given(STEP), "e1", ("r1", 0), ("r2", 0), ("r3", 2.5), seconds=0)
    assert leaves(busy, "e1") == [START, START, plus(START, 2.5)]


def test_m14_no_record_leaves_beyond_the_calendar() -> None:
    """(M14)"""
    busy = given(STEP)
    coming = [Arrival("r1", "9999-12-31T00:00:00.000Z"), Arrival("r2", START)]
    busy = busy.when(steps.enter, "p", "slow", 90_000, coming, "e.x").then(steps.ENTERED)
    assert list(busy.seen.states["e.x"]) == [steps.LAST_MOMENT, steps.LAST_MOMENT]
