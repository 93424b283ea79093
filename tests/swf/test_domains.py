"""Domains and their tags (W25, W26; tables 1.1, 1.2, 1.10)."""

from typing import Any

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.wire import ACCOUNT, DOMAIN, Fault, W, Wire
from workledger.swf import domains

ARN = f"arn:aws:swf:eu-west-1:{ACCOUNT}:/domain/"


@pytest.fixture
def wire(world: World) -> Wire:
    return Wire(world.process())


def refused(call: Any, *arguments: Any, **params: Any) -> tuple[str, str]:
    with pytest.raises(Fault) as fault:
        call(*arguments, **params)
    return fault.value.code, fault.value.message


def register(wire: Wire, name: str, **more: Any) -> None:
    wire("RegisterDomain", name=name, workflowExecutionRetentionPeriodInDays="30", **more)


def names(answer: Any) -> list[str]:
    return [one["name"] for one in answer["domainInfos"]]


def test_w25_a_domain_is_shown_as_it_was_registered(world: World, wire: Wire) -> None:
    """1.1, DescribeDomain; 1.0, domain ARN."""
    register(wire, "d", description="all of it")
    assert wire("DescribeDomain", name="d") == {
        "domainInfo": {
            "name": "d",
            "status": "REGISTERED",
            "description": "all of it",
            "arn": f"{ARN}d",
        },
        "configuration": {"workflowExecutionRetentionPeriodInDays": "30"},
    }
    world.verify()


@pytest.mark.parametrize("days", ["0", "NONE", "90"])
def test_w31_retention_is_kept_as_sent(wire: Wire, days: str) -> None:
    """1.10, retention."""
    wire("RegisterDomain", name="d", workflowExecutionRetentionPeriodInDays=days)
    answer = wire("DescribeDomain", name="d")
    assert answer["configuration"]["workflowExecutionRetentionPeriodInDays"] == days


@stores
def test_w25_life_cycle_of_a_domain(world: World, wire: Wire) -> None:
    """1.2, DAE and DD: the bare name; UR domain."""
    register(wire, "d")
    assert refused(register, wire, "d") == ("DomainAlreadyExistsFault", "d")
    assert refused(wire, "UndeprecateDomain", name="d") == ("DomainAlreadyExistsFault", "d")
    wire("DeprecateDomain", name="d")
    assert wire("DescribeDomain", name="d")["domainInfo"]["status"] == "DEPRECATED"
    assert refused(wire, "DeprecateDomain", name="d") == ("DomainDeprecatedFault", "d")
    assert refused(register, wire, "d") == ("DomainAlreadyExistsFault", "d")
    wire("UndeprecateDomain", name="d")
    assert wire("DescribeDomain", name="d")["domainInfo"]["status"] == "REGISTERED"
    for operation in ("DescribeDomain", "DeprecateDomain", "UndeprecateDomain"):
        assert refused(wire, operation, name="x") == ("UnknownResourceFault", "Unknown domain: x")
    world.verify()


@stores
def test_w25_a_deprecated_domain_deprecates_its_types_and_takes_nothing_new(
    world: World, wire: Wire
) -> None:
    """1.1, DeprecateDomain; what runs goes on, and all of it can still be seen."""
    wire.begin().start("w")
    for number in range(60):
        version = {"name": "more", "version": str(number)}
        wire("RegisterActivityType", domain=DOMAIN, **version)
    wire("DeprecateDomain", name=DOMAIN)
    for kind, count in (("Workflow", 1), ("Activity", 61)):
        asked = {"domain": DOMAIN, "registrationStatus": "DEPRECATED"}
        assert len(wire(f"List{kind}Types", **asked)["typeInfos"]) == count
    closed = ("DomainDeprecatedFault", DOMAIN)
    assert refused(wire, "RegisterWorkflowType", domain=DOMAIN, name="n", version="1") == closed
    assert refused(wire, "RegisterActivityType", domain=DOMAIN, name="n", version="1") == closed
    assert refused(wire.start, "x") == closed
    wire.decide({"decisionType": "CompleteWorkflowExecution"})
    count = wire("CountClosedWorkflowExecutions", domain=DOMAIN, startTimeFilter={"oldestDate": 0})
    assert count == {"count": 1, "truncated": False}
    wire("UndeprecateDomain", name=DOMAIN)
    assert refused(wire.start, "x") == (
        "TypeDeprecatedFault", "WorkflowType=[name=order, version=1]",
    )  # fmt: skip
    wire("UndeprecateWorkflowType", domain=DOMAIN, workflowType=W)
    wire.start("x")
    world.verify()


def test_w25_deprecating_again_finishes_what_was_left(world: World, wire: Wire) -> None:
    """Somebody died between the domain and its types: the second call says DD, and does the rest."""
    wire.begin()
    wire("DeprecateDomain", name=DOMAIN)
    wire("UndeprecateWorkflowType", domain=DOMAIN, workflowType=W)
    assert refused(wire, "DeprecateDomain", name=DOMAIN) == ("DomainDeprecatedFault", DOMAIN)
    asked = {"domain": DOMAIN, "registrationStatus": "REGISTERED"}
    assert wire("ListWorkflowTypes", **asked) == {"typeInfos": []}


# --- lists ---
@stores
@pytest.mark.parametrize("size", [1, 2, 3, 7, 0, 1_000])
@pytest.mark.parametrize("reverse", [False, True])
def test_w22_domains_by_name_page_by_page(wire: Wire, size: int, reverse: bool) -> None:
    """1.1, notes: ascending by name; reverseOrder flips; no page is longer than was asked."""
    made = ["b", "a", "a b", "B", "ä", "c" * 256]
    for name in made:
        register(wire, name)
    register(wire, "old")
    wire("DeprecateDomain", name="old")
    asked: dict[str, Any] = {"registrationStatus": "REGISTERED", "maximumPageSize": size}
    if reverse:
        asked["reverseOrder"] = True
    answer = wire("ListDomains", **asked)
    found, pages = names(answer), 1
    while "nextPageToken" in answer:
        assert len(answer["domainInfos"]) == size
        answer = wire("ListDomains", **asked, nextPageToken=answer["nextPageToken"])
        found, pages = found + names(answer), pages + 1
    assert found == sorted(made, reverse=reverse)
    assert pages == (-(-len(made) // size) if size else 1)
    assert names(wire("ListDomains", registrationStatus="DEPRECATED")) == ["old"]


def test_w26_regions_and_accounts_are_apart(wire: Wire) -> None:
    """1.0, scope."""
    register(wire, "d")
    assert names(wire.in_region("us-east-1")("ListDomains", registrationStatus="REGISTERED")) == []
    other = Wire(wire.core, account="000000000000")
    assert names(other("ListDomains", registrationStatus="REGISTERED")) == []
    register(other, "d")
    assert names(wire("ListDomains", registrationStatus="REGISTERED")) == ["d"]


@pytest.mark.row("1.10 life of a page token")
def test_w22_page_tokens_live_a_day_and_are_of_one_list(world: World, wire: Wire) -> None:
    """1.2, bad and expired page tokens."""
    wire.begin()
    register(wire, "b")
    asked = {"registrationStatus": "REGISTERED", "maximumPageSize": 1}
    token = wire("ListDomains", **asked)["nextPageToken"]
    invalid = ("ValidationException", "Invalid token")
    types = {**asked, "domain": DOMAIN, "nextPageToken": token}
    assert refused(wire, "ListActivityTypes", **types) == invalid
    for wrong in ("x", token[:-4], token.swapcase(), "AAAA" + token):
        assert refused(wire, "ListDomains", **asked, nextPageToken=wrong) == invalid
    world.clock.tick(24 * 3_600)
    wire("ListDomains", **asked, nextPageToken=token)
    world.clock.tick(1)
    assert refused(wire, "ListDomains", **asked, nextPageToken=token) == (
        "ValidationException",
        "Specified token has exceeded its maximum lifetime",
    )


@pytest.mark.row("1.10 domains")
def test_w26_an_account_has_at_most_100_domains(wire: Wire) -> None:
    """1.10, domains, deprecated ones included; the name that exists is said first."""
    for number in range(domains.MOST_DOMAINS):
        register(wire, f"d{number:03}")
    wire("DeprecateDomain", name="d000")
    assert refused(register, wire, "more")[0] == "LimitExceededFault"
    assert refused(register, wire, "d001")[0] == "DomainAlreadyExistsFault"
    register(wire.in_region("us-east-1"), "more")


# --- tags ---
def tags(wire: Wire, name: str = "d") -> dict[str, str]:
    listed = wire("ListTagsForResource", resourceArn=ARN + name)["tags"]
    assert len({one["key"] for one in listed}) == len(listed)
    return {one["key"]: one["value"] for one in listed}


@stores
def test_w26_tags_of_a_domain(world: World, wire: Wire) -> None:
    """1.1: at registration, added, changed, taken off; what is not there does not matter."""
    register(wire, "d", tags=[{"key": "env", "value": "prod"}, {"key": "bare"}])
    assert tags(wire) == {"env": "prod", "bare": ""}
    wire("TagResource", resourceArn=f"{ARN}d", tags=[{"key": "env", "value": "test"}])
    wire("TagResource", resourceArn=f"{ARN}d", tags=[{"key": "team", "value": "b"}])
    assert tags(wire) == {"env": "test", "bare": "", "team": "b"}
    wire("UntagResource", resourceArn=f"{ARN}d", tagKeys=["env", "no such"])
    assert tags(wire) == {"bare": "", "team": "b"}
    register(wire, "plain")
    assert tags(wire, "plain") == {}
    world.verify()


@pytest.mark.row("1.10 tags of a domain")
def test_w26_at_most_50_tags(wire: Wire) -> None:
    """1.10, tags per domain: TooManyTagsFault, and nothing is changed."""
    fifty = [{"key": str(number), "value": "x"} for number in range(50)]
    more = {"key": "more", "value": "x"}
    assert refused(register, wire, "d", tags=[*fifty, more])[0] == "TooManyTagsFault"
    register(wire, "d", tags=fifty)
    assert refused(wire, "TagResource", resourceArn=f"{ARN}d", tags=[more])[0] == "TooManyTagsFault"
    wire("TagResource", resourceArn=f"{ARN}d", tags=[{"key": "1", "value": "y"}])
    assert tags(wire)["1"] == "y"
    assert len(tags(wire)) == 50


@pytest.mark.parametrize(
    ("arn", "message"),
    [
        (f"{ARN}x", "Unknown domain: x"),
        ("x", "Unknown resource: x"),
        (
            "arn:aws:swf:us-east-1:123456789012:/domain/d",
            "Unknown resource: arn:aws:swf:us-east-1:123456789012:/domain/d",
        ),
        (
            "arn:aws:swf:eu-west-1:000000000000:/domain/d",
            "Unknown resource: arn:aws:swf:eu-west-1:000000000000:/domain/d",
        ),
    ],
)
def test_w26_a_resource_that_is_none(wire: Wire, arn: str, message: str) -> None:
    """1.1, UR: another region's, another account's, no ARN at all."""
    register(wire, "d")
    unknown = ("UnknownResourceFault", message)
    assert refused(wire, "ListTagsForResource", resourceArn=arn) == unknown
    assert refused(wire, "TagResource", resourceArn=arn, tags=[]) == unknown
    assert refused(wire, "UntagResource", resourceArn=arn, tagKeys=[]) == unknown
