"""The rules of a manual task: given events, when command, then events (M40 to M44, M62)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support import START
from tests.unit.spec import Given, given
from workledger.errors import Refused
from workledger.keys import ARCHIVED_TASKS_LINE, TASKS_LINE, task_stream
from workledger.ledger.audit import Entry
from workledger.manual_tasks import ordering as orderings
from workledger.manual_tasks import task as tasks
from workledger.manual_tasks import task_commands as commands
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.comparator import Comparator, Field
from workledger.manual_tasks.ordering import Kind, Ordering
from workledger.manual_tasks.records import Order
from workledger.manual_tasks.task import Rules, Settings, Task
from workledger.manual_tasks.task_commands import Form
from workledger.times import plus

STREAM = task_stream("Invoices")
AMOUNT = Comparator((Field("amount", "number", "desc"),))
DTR = Settings(dtr=True, comparator=AMOUNT)


def created(form: Form | None = None, fifo: bool = True) -> Given:
    """A task that was just made."""
    form = form or Form(Settings())
    return given(STREAM).when(commands.create, "Invoices", form, fifo, "c").then(tasks.CREATED)


def changed(task: Given, form: Form, *types: str, fifo: bool = True) -> Given:
    """A task that was changed; what happened."""
    return task.when(commands.change, task.state.version, form, fifo, "c").then(*types)


# --- create and change --------------------------------------------------------------------------


def test_m40_a_task_begins_with_fifo() -> None:
    """(M40) On by default; false is legacy, the order of creation (M45)."""
    task: Task = created().state
    assert task.current == Ordering(1, Kind(orderings.FIFO))
    assert (task.version, task.hit_type, task.created_by) == (1, 1, "kai")
    assert created(fifo=False).state.current.kind.name == orderings.LEGACY


def test_a_name_is_taken_once() -> None:
    """As with queues."""
    created().when(commands.create, "Invoices", Form(Settings()), True, "c").then_refused(
        "task_exists"
    )


@pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\nb", "t_" + "a" * 26, "b_" + "a" * 26])
def test_a_bad_name_is_refused(name: str) -> None:
    """It must be possible to tell it from an id."""
    with pytest.raises(Refused) as refused:
        commands.clean_name(name)
    assert (refused.value.code, refused.value.field) == ("invalid_value", "name")


def test_a_change_is_based_on_a_version() -> None:
    """If-Match: of an old one it is refused; the same again changes nothing."""
    form = Form(Settings(description="new"))
    task = changed(created(), form, tasks.CHANGED)
    assert (task.state.version, task.state.hit_type) == (2, 1)
    task.when(commands.change, 1, form, True, "c").then_refused("version_mismatch")
    task.when(commands.change, 2, form, True, "c").then_nothing()
    given(STREAM).when(commands.change, 1, form, True, "c").then_refused("task_not_found")


def test_m30_other_rules_are_a_new_version() -> None:
    """(M30) What is loaded from then on follows it; settings make none."""
    rules = Rules("Look.", 60, Adjudication(2, 1, ("total",)))
    task = changed(created(), Form(Settings(), rules), tasks.CHANGED)
    assert task.state.hit_type == 2
    assert task.seen.states["v1"] == Rules()
    assert task.seen.states["v2"] == task.state.rules == rules


def test_m60_a_schema_is_the_payload_of_its_commit() -> None:
    """(M60) Kept by number; another change leaves it where it is, none takes it away."""
    task = created(Form(Settings(), schema='{"type":"object"}'))
    assert task.state.rules.schema == 1
    rules = replace(task.state.rules, deadline_seconds=5)
    task = changed(task, Form(Settings(), rules), tasks.CHANGED)
    assert (task.state.rules.schema, task.state.hit_type) == (1, 2)
    task = changed(task, Form(Settings(), rules, schema="{}"), tasks.CHANGED)
    assert task.state.rules.schema == 3
    task = changed(task, Form(Settings(), replace(rules, schema=0)), tasks.CHANGED)
    assert task.state.rules.schema == 0


def test_changes_of_tasks_are_audited() -> None:
    """With what was before and after."""
    task = changed(created(), Form(Settings(priority=3)), tasks.CHANGED)
    entry = task.seen.states["audit/c"]
    assert isinstance(entry, Entry)
    assert (entry.action, entry.subject) == (tasks.CHANGED, "Invoices")
    assert entry.before is not None
    assert entry.after is not None
    assert (entry.before["settings"]["priority"], entry.after["settings"]["priority"]) == (0, 3)


# --- the order ----------------------------------------------------------------------------------


def test_m42_dtr_without_a_comparator_is_refused() -> None:
    """(M42) On creating and on changing, with the field named; priority needs neither."""
    form = Form(Settings(dtr=True, priority=9))
    for outcome in (
        given(STREAM).when(commands.create, "Invoices", form, True, "c"),
        created().when(commands.change, 1, form, True, "c"),
    ):
        assert outcome.then_refused("comparator_needed").field == "comparator"
    changed(created(), Form(Settings(priority=9)), tasks.CHANGED)


def test_m43_a_comparator_names_known_columns_only() -> None:
    """(M43) Those that are told with it count; before a first load none is known."""
    created(Form(DTR))
    known = created(Form(Settings(), columns=("name",)))
    refused = known.when(commands.change, 1, Form(DTR), True, "c").then_refused("invalid_value")
    assert refused.field == "comparator[0].field"
    changed(known, Form(DTR, columns=("amount",)), tasks.CHANGED, tasks.ORDERING_CHANGED)
    learnt = known.when(commands.see_columns, ["amount"]).then(tasks.COLUMNS_SEEN)
    changed(learnt, Form(DTR), tasks.CHANGED, tasks.ORDERING_CHANGED)


def test_m41_enabling_dtr_begins_to_re_place() -> None:
    """(M41, M43) The old order is read until the new one is complete; then it is looked at again."""
    task = changed(created(), Form(DTR), tasks.CHANGED, tasks.ORDERING_CHANGED)
    state: Task = task.state
    assert (state.current.version, state.newest.version) == (1, 2)
    assert state.orderings == (Ordering(1, Kind("fifo")), Ordering(2, Kind("dtr", AMOUNT)))
    assert tasks.due(state) == START
    task.when(commands.switch, 3).then_nothing()
    task = task.when(commands.switch, 2).then(tasks.ORDERING_SWITCHED)
    assert [one.version for one in task.state.orderings] == [2]
    assert tasks.due(task.state) == plus(START, 30)
    task.when(commands.switch, 2).then_nothing()
    task = task.when(commands.swept, 1).then(tasks.ORDERING_SWEPT)
    assert tasks.due(task.state) is None
    task.when(commands.swept, 1).then_nothing()


def test_m41_disabling_dtr_restores_fifo() -> None:
    """(M41) The very same kind, in a version of its own; the comparator may stay."""
    task = changed(created(), Form(DTR), tasks.CHANGED, tasks.ORDERING_CHANGED)
    form = Form(replace(DTR, dtr=False))
    task = changed(task, form, tasks.CHANGED, tasks.ORDERING_CHANGED)
    assert task.state.newest == Ordering(3, created().state.current.kind)


def test_m43_only_another_order_re_places() -> None:
    """(M43) A comparator that is not used, and the same one again, do not."""
    task = changed(created(), Form(Settings(comparator=AMOUNT)), tasks.CHANGED)
    task = changed(task, Form(DTR), tasks.CHANGED, tasks.ORDERING_CHANGED)
    changed(task, Form(replace(DTR, priority=1)), tasks.CHANGED)


def test_m40_the_environment_decides_between_fifo_and_legacy() -> None:
    """(M40) Asked of each task that is met; nothing where it is so already."""
    created().when(commands.reorder, True).then_nothing()
    task = created().when(commands.reorder, False).then(tasks.ORDERING_CHANGED)
    task.when(commands.reorder, False).then_nothing()
    assert task.state.newest.kind.name == orderings.LEGACY
    assert task.state.version == 1


def test_m43_ties_follow_fifo_while_it_is_on() -> None:
    """(M43) So DTR is re-placed too when the setting changes."""
    task = created(Form(DTR)).when(commands.reorder, False).then(tasks.ORDERING_CHANGED)
    assert task.state.newest.kind == Kind(orderings.DTR, AMOUNT, False)


def test_m1_m43_m45_where_a_record_stands() -> None:
    """(M1, M43, M45) By date and number; by the comparator, then as FIFO or creation; by number."""
    order, values = Order(7, "2020-03-11T10:15:55.935"), {"amount": "5"}

    def at(*kind: Any) -> Any:
        return Ordering(1, Kind(*kind)).position(order, values, 99)

    assert at("fifo") == ("2020-03-11T10:15:55.935", 7)
    assert at("legacy") == ("-", 99)
    key = at("dtr", AMOUNT, False).date
    assert at("dtr", AMOUNT, False) == (key, 99)
    assert at("dtr", AMOUNT) == (key + "2020-03-11T10:15:55.935", 7)


# --- the rest -----------------------------------------------------------------------------------


def test_m62_a_roster_says_who_may_work() -> None:
    """(M62) Nobody named: everybody."""
    task = created()
    assert task.state.may_work("W1")
    task = task.when(commands.set_roster, ["W1", "W2", "W1"], "r").then(tasks.ROSTER_SET)
    assert task.state.roster == ("W1", "W2")
    assert (task.state.may_work("W1"), task.state.may_work("W3")) == (True, False)
    task.when(commands.set_roster, ["W1", "W2"], "r").then_nothing()
    many = [f"W{n}" for n in range(commands.ROSTER_LENGTH + 1)]
    assert (
        task.when(commands.set_roster, many, "r").then_refused("invalid_value").field == "workers"
    )
    assert task.when(commands.set_roster, [], "r").then(tasks.ROSTER_SET).state.may_work("W3")


def test_m43_columns_are_learnt_as_far_as_there_is_room() -> None:
    """(M43) They are part of the task's state, which a store must bear."""
    task = created().when(commands.see_columns, ["a", "b", "a"]).then(tasks.COLUMNS_SEEN)
    task.when(commands.see_columns, ["b", "a"]).then_nothing()
    task = task.when(commands.see_columns, [f"c{n}" for n in range(2_000)]).then(tasks.COLUMNS_SEEN)
    assert len(task.state.columns) == commands.COLUMNS
    long = created().when(commands.see_columns, ["x" * 99_999, "y", "zz"]).then(tasks.COLUMNS_SEEN)
    assert [len(one) for one in long.state.columns] == [99_999, 1]
    too_long = Form(Settings(), columns=("x" * 100_001,))
    given(STREAM).when(commands.create, "Invoices", too_long, True, "c").then_refused(
        "invalid_value"
    )


def test_m44_tasks_stand_by_priority_then_name() -> None:
    """(M44) Archived ones on a line of their own."""
    task: Task = created(Form(Settings(priority=5))).state
    standing = tasks.place(STREAM, "head", task)
    assert standing.place is not None
    assert (standing.place.line, standing.place.rank, standing.place.tie) == (
        TASKS_LINE,
        -5,
        "Invoices",
    )
    archived = tasks.place(STREAM, "head", replace(task, settings=Settings(archived=True)))
    assert archived.place is not None
    assert archived.place.line == ARCHIVED_TASKS_LINE


def test_a_task_is_stored_and_read_as_it_was() -> None:
    """Whatever it has."""
    form = Form(DTR, Rules("x", 5, Adjudication(2, 1, ("a",))), ("amount",), "{}")
    task = changed(created(form), Form(Settings()), tasks.CHANGED, tasks.ORDERING_CHANGED)
    task = task.when(commands.set_roster, ["W1"], "r").then(tasks.ROSTER_SET)
    task = task.when(commands.switch, 2).then(tasks.ORDERING_SWITCHED)
    for state in task.seen.states.values():
        assert tasks.load(tasks.dump(state)) == state
