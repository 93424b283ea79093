"""The longest names that the service takes: 256 characters of four bytes (1.0; W22, W25)."""

from typing import Any

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.service import (
    DOMAIN,
    Service,
    check,
    complete,
    decision,
    schedule,
    serving,
    told,
)
from workledger.queues.queue import NAME_LENGTH, Settings
from workledger.service import queues
from workledger.views import order

WIDE = "\U0001f680"
SIGN = "\U0001f681"
"""The character after it."""
LONGEST = WIDE * 256
VERSION = WIDE * 64


def names(answer: Any, of: str) -> list[tuple[str, str]]:
    """The types of a list, in order."""
    return [(one[of]["name"], one[of]["version"]) for one in answer["typeInfos"]]


@stores
def test_w25_the_longest_domain_is_listed(world: World) -> None:
    """Also page by page, either way round; what stands on the line is short enough for any store."""
    service = Service(world.process())
    wanted = [WIDE * 254, WIDE * 255, LONGEST, SIGN * 256]
    for name in wanted:
        service("RegisterDomain", name=name, workflowExecutionRetentionPeriodInDays="1")
    found: list[str] = []
    asked: dict[str, Any] = {"registrationStatus": "REGISTERED", "maximumPageSize": 1}
    while True:
        page = service("ListDomains", name=None, **asked)
        found += [one["name"] for one in page["domainInfos"]]
        if "nextPageToken" not in page:
            break
        asked["nextPageToken"] = page["nextPageToken"]
    assert sorted(found) == sorted(wanted)
    assert found[-1] == SIGN * 256
    world.verify()


@stores
def test_w25_the_longest_types_are_listed_by_name(world: World) -> None:
    """All versions of one name, and no other's; types whose names differ early are in order."""
    service = serving(world)
    versions = [VERSION, WIDE * 63, "1"]
    for version in versions:
        service("RegisterActivityType", name=LONGEST, version=version)
    for name in (WIDE * 255, SIGN * 256, "a"):
        service("RegisterActivityType", name=name, version=VERSION)
    asked = {"registrationStatus": "REGISTERED", "name": LONGEST}
    for more in ({}, {"reverseOrder": True}, {"maximumPageSize": 1}):
        found: list[tuple[str, str]] = []
        page = service("ListActivityTypes", domain=DOMAIN, **asked, **more)
        found += names(page, "activityType")
        while "nextPageToken" in page:
            token = {"nextPageToken": page["nextPageToken"]}
            page = service("ListActivityTypes", domain=DOMAIN, **asked, **more, **token)
            found += names(page, "activityType")
        assert sorted(found) == sorted((LONGEST, version) for version in versions)
    everything = names(
        service("ListActivityTypes", registrationStatus="REGISTERED"), "activityType"
    )
    assert everything[0][0] == "a"
    assert everything[-1][0] == SIGN * 256
    service("DeprecateActivityType", activityType={"name": LONGEST, "version": VERSION})
    service("DeleteActivityType", activityType={"name": LONGEST, "version": VERSION})
    world.verify()


@stores
def test_w25_an_execution_with_the_longest_names_runs(world: World) -> None:
    """Workflow id, task lists, activity, timer, child, marker, signal, tags."""
    service = serving(world)
    lists = {"taskList": {"name": LONGEST}}
    service.start(LONGEST, **lists, tagList=[WIDE * 256] * 5)
    service.decide(
        schedule(LONGEST, **lists),
        decision("StartTimer", timerId=LONGEST, startToFireTimeout="60"),
        decision("RecordMarker", markerName=LONGEST),
        decision(
            "StartChildWorkflowExecution",
            workflowId=SIGN * 256,
            workflowType={"name": "order", "version": "1"},
            **lists,
        ),
        task_list=LONGEST,
    )
    service("SignalWorkflowExecution", workflowId=LONGEST, signalName=LONGEST)
    assert service.work(LONGEST)["activityId"] == LONGEST
    for filters in (
        {"executionFilter": {"workflowId": LONGEST}},
        {"tagFilter": {"tag": WIDE * 256}},
    ):
        asked = {"startTimeFilter": {"oldestDate": 0}, **filters}
        open_ = service("ListOpenWorkflowExecutions", **asked)["executionInfos"]
        assert [one["execution"]["workflowId"] for one in open_] == [LONGEST]
    for _ in range(2):
        task = service.poll(LONGEST)
        service.answer(task, complete())
    assert "WorkflowExecutionCompleted" in told(service.history(LONGEST))
    check(world, LONGEST)


@stores
def test_q2_the_longest_name_of_a_queue_is_listed(world: World) -> None:
    """Characters of four bytes."""
    core = world.process()
    name = WIDE * NAME_LENGTH
    queues.create(core, "kai", name, Settings())
    assert [one.queue.name for one in queues.page(core, None, None, 10).items] == [name]
    world.verify()


@pytest.mark.parametrize("length", [1, 200, 225, 226, 256, 400])
def test_w22_what_stands_on_a_line_is_short_and_its_own(length: int) -> None:
    """At most 900 bytes; two names never stand as one, and long ones stand by their beginning."""
    name = WIDE * length
    tie = order.tie_of(name)
    assert len(tie.encode()) <= order.LONGEST_NAME
    assert tie.startswith(order.beginning(name))
    assert tie != order.tie_of(f"{name}x")
    assert (tie == name) == (length <= 225)
    assert order.tie_of(SIGN * length) > tie
