"""Manual tasks as their requesters see them (M30, M40 to M44, M60, M62)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.manual.office import BY_AMOUNT, FIVE, Office, legacy
from tests.races.world import MAKERS, World, engine
from tests.races.world import world as make_world
from tests.support import FakeClock
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import assigning, common, reordering, schemas, tasks
from workledger.manual_tasks.answers import Adjudication
from workledger.service import audit, sweeping

SCHEMA = Raw('{"type":"object","required":["total"],"properties":{"total":{"type":"number"}}}')


@pytest.fixture(scope="module", autouse=True)
def _engine() -> Iterator[None]:
    with engine():
        yield


@pytest.fixture(params=MAKERS)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """An empty world on either store."""
    with make_world(request.param) as made:
        yield made
        made.verify()


@pytest.fixture
def office(world: World) -> Office:
    """A task without records."""
    made = Office(world)
    made.create()
    return made


def refused(call: Any, *args: Any, **kwargs: Any) -> tuple[str, str | None]:
    """Code and field of a refusal."""
    with pytest.raises(Refused) as found:
        call(*args, **kwargs)
    return found.value.code, found.value.field


def test_a_task_is_what_was_sent(world: World) -> None:
    """By name or id; what was not sent is as it is by default."""
    office = Office(world)
    made = office.create(
        description="Totals",
        instructions="Type the total.",
        priority=3,
        deadline_seconds=600,
        adjudication={"answers": 2, "more": 1, "fields": ["total"]},
        answer_schema=SCHEMA,
        comparator=BY_AMOUNT,
        columns=["amount", "name"],
        sla_seconds=86_400,
    )
    core = world.process()
    assert tasks.show(core, made.id) == tasks.show(core, " Invoices ") == made
    task = made.task
    assert (task.settings.priority, task.settings.sla_seconds, task.settings.dtr) == (
        3,
        86_400,
        False,
    )
    assert (task.rules.deadline_seconds, task.rules.adjudication) == (
        600,
        Adjudication(2, 1, ("total",)),
    )
    assert (made.schema, task.columns, task.roster) == (SCHEMA, ("amount", "name"), ())
    assert (made.progress, set(made.counts.values())) == (None, {0})
    for missing in ("Nothing", "t_" + "a" * 26, "a\nb"):
        assert refused(tasks.show, core, missing) == ("task_not_found", None)
    assert refused(office.create) == ("task_exists", "name")


def test_what_is_left_out_of_a_change_stays(office: Office) -> None:
    """The rest is as it was; null takes a comparator and a schema away."""
    office.change(answer_schema=SCHEMA, comparator=BY_AMOUNT, instructions="Look.")
    shown = office.change(priority=1)
    assert (shown.schema, shown.task.rules.instructions) == (SCHEMA, "Look.")
    assert shown.task.settings.comparator is not None
    shown = office.change(answer_schema=None, comparator=None)
    assert (shown.schema, shown.task.settings.comparator) == (None, None)
    assert refused(tasks.change, office.world.process(), "kai", "Invoices", 1, {}) == (
        "version_mismatch",
        "If-Match",
    )


def test_m30_what_was_loaded_keeps_its_version(office: Office) -> None:
    """(M30) Another deadline is for what is loaded from then on; the same schema is no change."""
    office.change(answer_schema=SCHEMA)
    office.load(key="old")
    shown = office.change(answer_schema=Raw(SCHEMA.text))
    assert shown.task.hit_type == 2
    shown = office.change(deadline_seconds=60)
    office.load("name\nnew\n", "new")
    core = office.world.process()
    assert [hit.version for hit in office.hits().values()].count(2) == 5
    assert common.rules_of(core, office.stream, 2).deadline_seconds == 3_600
    assert common.rules_of(core, office.stream, shown.task.hit_type).deadline_seconds == 60
    old = assigning.next_of(core, "W1", "Invoices", version=2)
    new = assigning.next_of(core, "W1", "Invoices", version=3)
    assert isinstance(old, assigning.Assigned)
    assert isinstance(new, assigning.Assigned)
    assert (old.data.value()["name"], new.data.value()["name"]) == ("r1", "new")
    assert (old.schema, new.schema) == (SCHEMA, SCHEMA)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"comparator": [{"field": "a", "type": "money"}]}, "comparator[0].type"),
    ({"comparator": {"field": "a"}}, "comparator"),
    ({"adjudication": {"answers": 0}}, "adjudication.answers"),
    ({"adjudication": [2, 1]}, "adjudication"),
    ({"answer_schema": Raw('{"type":"nonsense"}')}, "schema"),
    ({"columns": ["x" * 1_000] * 1 + [f"{n}" + "x" * 990 for n in range(200)]}, "columns"),
]


@pytest.mark.parametrize(
    ("values", "field"), BAD, ids=lambda one: one if isinstance(one, str) else ""
)
def test_m43_rules_are_checked_when_they_are_saved(values: dict[str, Any], field: str) -> None:
    """(M43, M23, M60) With the field named; nothing is saved."""
    with make_world("sqlite") as world:
        office = Office(world)
        assert refused(office.create, **values) == ("invalid_value", field)
        office.create()
        assert refused(office.change, **values) == ("invalid_value", field)
        assert office.show().task.version == 1


def test_m44_tasks_are_listed_by_priority_then_name(world: World) -> None:
    """(M44) Archived ones come last; page by page."""
    for name, priority in (("b", 0), ("a", 0), ("c", 9), ("z", 99)):
        Office(world, name).create(priority=priority)
    Office(world, "z").change(archived=True)
    core = world.process()
    names, cursor = list[str](), None
    while True:
        page = tasks.page(core, None, cursor, 1)
        names += [one.task.name for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert names == ["c", "a", "b", "z"]
    assert [one.task.name for one in tasks.page(core, "a", None, 50).items] == ["a"]
    assert tasks.page(core, "nobody", None, 50).items == []


def test_m62_the_roster(office: Office) -> None:
    """(M62) Who is not on it may not work; nobody named: everybody."""
    office.load(FIVE)
    core = office.world.process()
    shown = tasks.set_roster(core, "kai", "Invoices", ["W1"])
    assert (shown.task.roster, shown.task.version) == (("W1",), 2)
    assert refused(office.list, worker="W2") == ("not_on_roster", None)
    tasks.set_roster(core, "kai", "Invoices", [])
    assert office.list(worker="W2") == "r1 r2 r3 r4 r5"


def test_changes_of_tasks_are_on_the_audit_list(office: Office) -> None:
    """Who changed what, from what to what."""
    office.change(paused=True)
    tasks.set_roster(office.world.process(), "ann", "Invoices", ["W1"])
    entries = audit.page(office.world.process(), None, 10).items
    assert {one.action for one in entries} == {"TaskCreated", "TaskChanged", "RosterSet"}
    assert {one.actor for one in entries} == {"kai", "ann"}
    history = tasks.history(office.world.process(), "Invoices", None, 10).items
    assert [one.event.type for one in history] == ["TaskCreated", "TaskChanged", "RosterSet"]


def test_m40_the_timekeeper_looks_over_all_tasks(world: World) -> None:
    """(M40) Those that nobody meets too; once in a while, not with every sweep."""
    for name in ("a", "b", "c"):
        Office(world, name).create()
    core = world.process()
    off = legacy(core)
    sweeping.sweep(off)
    sweeping.sweep(off)
    kinds = {tasks.show(off, name).task.current.kind.name for name in ("a", "b", "c")}
    assert kinds == {"legacy"}
    assert reordering.look_at_all(off) == 0
    assert reordering.look_at_all(core) == 3
    sweeping.sweep(off)
    assert {tasks.show(core, name).task.current.kind.name for name in ("a", "b", "c")} == {"fifo"}


class Slow(FakeClock):
    """Every look at it takes five seconds."""

    def __call__(self) -> str:
        self.tick(5)
        return super().__call__()


def test_m40_what_takes_long_leaves_the_rest_to_the_next_sweep(world: World) -> None:
    """(M40) A sweep is bounded, however many tasks are to be placed anew."""
    for number in range(6):
        office = Office(world, f"t{number}")
        office.create()
        office.load()
    off = legacy(world.process(clock=Slow()))
    sweeping.sweep(off)

    def changed() -> int:
        page = tasks.page(legacy(world.process()), None, None, 50)
        return sum(one.task.current.kind.name == "legacy" for one in page.items)

    first = changed()
    assert 0 < first < 6
    for _ in range(15):
        sweeping.sweep(off)
    assert changed() == 6


# --- schemas ------------------------------------------------------------------------------------

REFUSED = [
    '{"type":"nonsense"}',
    '{"properties":5}',
    '{"pattern":"("}',
    '{"$ref":"#/nope"}',
    '{"$ref":"https://example.org/schema"}',
    '{"$dynamicRef":"file:///etc/passwd"}',
    '{"properties":{"a":{"items":{"$ref":"other.json"}}}}',
    '{"$ref":"#"}',
    '{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}',
    '{"$schema":"http://json-schema.org/draft-07/schema#"}',
    '{"$schema":7}',
    '{"$id":7}',
    '{"$id":"#a#b"}',
    "true",
    "[]",
    "7",
    '{"description":"' + "x" * schemas.LONGEST_SCHEMA + '"}',
]


@pytest.mark.parametrize("schema", REFUSED, ids=lambda one: one[:40])
def test_m60_what_is_no_schema_is_refused(schema: str) -> None:
    """(M60) Nothing is ever fetched, and no schema is saved that can check no answer."""
    assert refused(schemas.check_schema, Raw(schema)) == ("invalid_value", "schema")


ACCEPTED = [
    "{}",
    SCHEMA.text,
    '{"$schema":"https://json-schema.org/draft/2020-12/schema"}',
    '{"$defs":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/$defs/n"}}}',
    '{"properties":{"$ref":{"type":"string"}}}',
    '{"const":{"$ref":"nowhere"}}',
    '{"$id":"https://example.org/a","$ref":"#/$defs/x","$defs":{"x":{"type":"number"}}}',
    '{"properties":{"child":{"$ref":"#"}}}',
]


@pytest.mark.parametrize("schema", ACCEPTED, ids=lambda one: one[:40])
def test_m60_what_is_a_schema_is_accepted(schema: str) -> None:
    """(M60) Draft 2020-12, references within it."""
    schemas.check_schema(Raw(schema))


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ('{"total":5}', None),
        ('{"total":"5"}', "answer.total"),
        ("{}", "answer"),
        ("null", "answer"),
        ('{"total":' + "9" * 400 + "}", None),
    ],
)
def test_m60_answers_are_checked(answer: str, field: str | None) -> None:
    """(M60) The first place that does not fit is named."""
    if field is None:
        schemas.check_answer(SCHEMA.text, Raw(answer))
    else:
        assert refused(schemas.check_answer, SCHEMA.text, Raw(answer)) == ("answer_invalid", field)


def test_m60_what_cannot_be_checked_is_no_fault_of_ours() -> None:
    """(M60) A number beyond what can be divided is refused, never an error."""
    schema = '{"multipleOf":0.01}'
    assert refused(schemas.check_answer, schema, Raw("9" * 400)) == ("answer_invalid", "answer")
