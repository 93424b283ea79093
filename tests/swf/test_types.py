"""Workflow and activity types (W10, W25; tables 1.1, 1.2, 1.5, 1.10)."""

from typing import Any, Literal, cast

import pytest

from tests.races.world import World
from tests.support import Surroundings, make_core
from tests.swf.conftest import stores
from tests.swf.wire import DOMAIN, Fault, Wire
from workledger.stores.port import Store
from workledger.swf import types

Kind = Literal["Workflow", "Activity"]
KINDS: tuple[Kind, ...] = ("Workflow", "Activity")

ALL: dict[Kind, dict[str, Any]] = {
    "Workflow": {
        "defaultTaskStartToCloseTimeout": "600",
        "defaultExecutionStartToCloseTimeout": "3600",
        "defaultTaskList": {"name": "main"},
        "defaultTaskPriority": "10",
        "defaultChildPolicy": "TERMINATE",
        "defaultLambdaRole": "arn:aws:iam::123456789012:role/r",
    },
    "Activity": {
        "defaultTaskStartToCloseTimeout": "600",
        "defaultTaskHeartbeatTimeout": "120",
        "defaultTaskList": {"name": "work"},
        "defaultTaskPriority": "-2147483648",
        "defaultTaskScheduleToStartTimeout": "300",
        "defaultTaskScheduleToCloseTimeout": "NONE",
    },
}


@pytest.fixture
def wire(world: World) -> Wire:
    wire = Wire(world.process())
    wire("RegisterDomain", name=DOMAIN, workflowExecutionRetentionPeriodInDays="30")
    return wire


@pytest.fixture(params=KINDS)
def of(request: pytest.FixtureRequest, wire: Wire) -> "Types":
    return Types(wire, request.param)


class Types:
    """The operations on one kind of types."""

    def __init__(self, wire: Wire, kind: Kind) -> None:
        self.wire, self.kind = wire, kind
        self.member = f"{kind.lower()}Type"

    def register(self, name: str = "t", version: str = "1", **more: Any) -> None:
        params = {"domain": DOMAIN, "name": name, "version": version, **more}
        self.wire(f"Register{self.kind}Type", **params)

    def __call__(self, verb: str, name: str = "t", version: str = "1", domain: str = DOMAIN) -> Any:
        of = {"name": name, "version": version}
        return self.wire(f"{verb}{self.kind}Type", **{"domain": domain, self.member: of})

    def listed(self, status: str = "REGISTERED", **more: Any) -> Any:
        params = {"domain": DOMAIN, "registrationStatus": status, **more}
        return self.wire(f"List{self.kind}Types", **params)

    def names(self, answer: Any) -> list[tuple[str, str]]:
        return [
            (one[self.member]["name"], one[self.member]["version"]) for one in answer["typeInfos"]
        ]

    def shown(self, name: str = "t", version: str = "1") -> str:
        return f"{self.kind}Type=[name={name}, version={version}]"


def refused(call: Any, *arguments: Any, **params: Any) -> tuple[str, str]:
    with pytest.raises(Fault) as fault:
        call(*arguments, **params)
    return fault.value.code, fault.value.message


def test_w10_a_type_is_shown_with_all_its_defaults(world: World, of: Types) -> None:
    """W10: DescribeActivityType and DescribeWorkflowType show defaultTaskPriority, as it was sent."""
    of.register(description="d", **ALL[of.kind])
    answer = of("Describe")
    assert answer["configuration"] == ALL[of.kind]
    assert answer["typeInfo"] == {
        of.member: {"name": "t", "version": "1"},
        "status": "REGISTERED",
        "description": "d",
        "creationDate": 1773224155.935,
    }
    world.verify()


def test_w10_what_nobody_set_is_left_out(of: Types) -> None:
    """No priority is made up, no default of a default."""
    of.register()
    answer = of("Describe")
    assert answer["configuration"] == {}
    assert "description" not in answer["typeInfo"]


@stores
@pytest.mark.row("1.5 a type cannot be changed")
def test_w25_life_cycle_of_a_type(world: World, of: Types) -> None:
    """1.2: TAE, TD, TND, UR type, with the texts that clients parse."""
    unknown = ("UnknownResourceFault", f"Unknown type: {of.shown()}")
    for verb in ("Describe", "Deprecate", "Undeprecate", "Delete"):
        assert refused(of, verb) == unknown
    of.register()
    exists = ("TypeAlreadyExistsFault", of.shown())
    assert refused(of.register) == exists
    assert refused(of, "Undeprecate") == exists
    assert refused(of, "Delete") == (
        "TypeNotDeprecatedFault",
        "The type is currently registered and cannot be deleted in its current state",
    )
    world.clock.tick(1)
    of("Deprecate")
    info = of("Describe")["typeInfo"]
    assert (info["status"], info["deprecationDate"]) == ("DEPRECATED", 1773224156.935)
    assert refused(of, "Deprecate") == ("TypeDeprecatedFault", of.shown())
    assert refused(of.register) == exists
    of("Undeprecate")
    assert "deprecationDate" not in of("Describe")["typeInfo"]
    of("Deprecate")
    of("Delete")
    assert refused(of, "Describe") == unknown
    assert refused(of, "Delete") == unknown
    assert of.listed("DEPRECATED") == of.listed() == {"typeInfos": []}
    world.verify()


def test_w25_a_deleted_type_may_be_registered_anew_with_other_defaults(of: Types) -> None:
    """1.5, immutability: only by deleting, or by a new version."""
    of.register(defaultTaskPriority="1")
    assert refused(of.register, defaultTaskPriority="2")[0] == "TypeAlreadyExistsFault"
    of.register(version="2", defaultTaskPriority="2")
    of("Deprecate")
    of("Delete")
    of.register(defaultTaskPriority="3")
    assert of("Describe")["configuration"] == {"defaultTaskPriority": "3"}
    assert of("Describe", version="2")["configuration"] == {"defaultTaskPriority": "2"}


def test_w25_the_domain_is_looked_for_first(of: Types) -> None:
    """1.2, UR domain."""
    unknown = ("UnknownResourceFault", "Unknown domain: x")
    for verb in ("Describe", "Deprecate", "Undeprecate", "Delete"):
        assert refused(of, verb, domain="x") == unknown
    assert refused(of.register, domain="x") == unknown
    assert refused(of.listed, domain="x") == unknown


def test_w25_the_two_kinds_do_not_meet(wire: Wire) -> None:
    """One name may be both; a domain's types are its own."""
    workflows, activities = (Types(wire, kind) for kind in KINDS)
    workflows.register()
    assert refused(activities, "Describe")[0] == "UnknownResourceFault"
    activities.register()
    wire("RegisterDomain", name="other", workflowExecutionRetentionPeriodInDays="1")
    assert workflows.listed(domain="other") == {"typeInfos": []}


@stores
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_w22_types_by_name_and_version_page_by_page(of: Types, size: int, reverse: bool) -> None:
    """1.1, notes: ascending by name; of one name all versions, and no other name's."""
    made = [("b", "2"), ("b", "1"), ("a", "1"), ("b b", "1"), ("bb", "1"), ("B", "1"), ("b", "10")]
    made += [("é" * 256, "v" * 64)]
    for name, version in made:
        of.register(name, version)
    of.register("old")
    of("Deprecate", "old")
    for name in (None, "b", "nothing", "é" * 256):
        asked: dict[str, Any] = {"maximumPageSize": size} | ({"name": name} if name else {})
        if reverse:
            asked["reverseOrder"] = True
        answer = of.listed(**asked)
        found = of.names(answer)
        while "nextPageToken" in answer:
            assert len(answer["typeInfos"]) == size
            answer = of.listed(**asked, nextPageToken=answer["nextPageToken"])
            found += of.names(answer)
        wanted = [one for one in made if name in (None, one[0])]
        assert found == sorted(wanted, reverse=reverse)
    assert of.names(of.listed("DEPRECATED")) == [("old", "1")]


def test_w22_a_page_goes_on_where_a_type_was_deleted_meanwhile(of: Types) -> None:
    """The token's own type is gone: its place is not."""
    for name in "abcd":
        of.register(name)
    answer = of.listed(maximumPageSize=2)
    of("Deprecate", "b")
    of("Delete", "b")
    rest = of.listed(maximumPageSize=2, nextPageToken=answer["nextPageToken"])
    assert of.names(rest) == [("c", "1"), ("d", "1")]


class Crowded:
    """A store on whose lines stand so many more that nobody made."""

    def __init__(self, store: Store, more: int) -> None:
        self._store, self._more = store, more

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def count_line(self, line: str, limit: int) -> int:
        """How many stand on a line; the invented ones on those of registered things."""
        more = self._more if "REGISTERED" in line else 0
        return min(limit, self._store.count_line(line, limit) + more)


@pytest.mark.parametrize("sort", KINDS)
@pytest.mark.row("1.10 types")
def test_w26_a_domain_has_at_most_10_000_types_of_each_kind(world: World, sort: Kind) -> None:
    """1.10, types per domain, deprecated ones included."""
    store = cast("Store", Crowded(world.store, types.MOST_TYPES - 3))
    days = {"workflowExecutionRetentionPeriodInDays": "30"}
    Wire(world.process())("RegisterDomain", name=DOMAIN, **days)
    wire = Wire(make_core(store, Surroundings(world.clock)))
    of = Types(wire, sort)
    for version in "123":
        of.register(version=version)
    of("Deprecate")
    assert refused(of.register, version="4")[0] == "LimitExceededFault"
    assert refused(of.register, version="1")[0] == "TypeAlreadyExistsFault"
    of("Delete")
    of.register(version="4")
    assert types.MOST_TYPES == 10_000
