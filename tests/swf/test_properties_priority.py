"""Whoever polls alone gets tasks by (priority, first come): W8, W9, W10, W11."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.races.world import World
from tests.races.world import world as make_world
from tests.swf.conftest import stores
from tests.swf.service import (
    ORDER,
    POST,
    Service,
    attributes,
    child,
    complete,
    decision,
    schedule,
    serving,
)
from workledger.service import sweeping

LOWEST, HIGHEST = -(2**31), 2**31 - 1
SHAPES = ("0", "-1", "1", "10", "9", "-10", "-9", str(LOWEST), str(HIGHEST), "007", "-0", None)

priorities = st.one_of(
    st.sampled_from(SHAPES), st.integers(LOWEST, HIGHEST).map(str), st.integers(-3, 3).map(str)
)
quick = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def prioritised(priority: str | None) -> dict[str, Any]:
    """The attribute, where there is one."""
    return {} if priority is None else {"taskPriority": priority}


def rank(priority: str | None) -> int:
    """What a priority counts as."""
    return -int(priority or 0)


def drain(service: Service, task_list: str = "work") -> list[str]:
    """Activity ids in the order in which one worker gets them."""
    found: list[str] = []
    while "taskToken" in (task := service.take(task_list)):
        found.append(task["activityId"])
    return found


@quick
@given(batches=st.lists(st.tuples(st.integers(0, 2), st.lists(priorities, max_size=6)), max_size=8))
def test_w8_activities_come_by_priority_then_as_they_were_scheduled(
    batches: list[tuple[int, list[str | None]]],
) -> None:
    """Across executions and within one, over the whole 32-bit range, compared as numbers."""
    with make_world("sqlite") as world:
        service = serving(world)
        scheduled: list[tuple[int, int, str]] = []
        for number in range(3):
            service.start(f"w{number}", taskList={"name": f"main{number}"})
        for which, batch in batches:
            world.clock.tick(0.001)
            names = [f"{len(scheduled) + offset}" for offset in range(len(batch))]
            decisions = [
                schedule(name, **prioritised(one)) for name, one in zip(names, batch, strict=True)
            ]
            service.decide(*decisions, task_list=f"main{which}")
            scheduled += [
                (rank(one), int(name), name) for name, one in zip(names, batch, strict=True)
            ]
            service.signal(f"w{which}")
        assert drain(service) == [name for _, _, name in sorted(scheduled)]


@quick
@given(wanted=st.lists(priorities, min_size=1, max_size=12))
def test_w9_decision_tasks_come_by_their_executions_priority(wanted: list[str | None]) -> None:
    """First ones, after time-outs, and later ones, across executions on one list."""
    with make_world("sqlite") as world:
        service = serving(world)
        for number, priority in enumerate(wanted):
            world.clock.tick(0.001)
            service.start(f"{number}", **prioritised(priority))
        order = sorted(range(len(wanted)), key=lambda number: (rank(wanted[number]), number))
        expected = [str(number) for number in order]

        def polled() -> list[str]:
            tasks: list[Any] = []
            for _ in wanted:
                world.clock.tick(0.001)
                tasks.append(service.poll())
            assert "taskToken" not in service.poll()
            return [task["workflowExecution"]["workflowId"] for task in tasks]

        assert polled() == expected
        world.clock.tick(60)
        sweeping.sweep(service.core)
        assert polled() == expected
        world.clock.tick(60)
        sweeping.sweep(service.core)
        assert [service.decide()["workflowExecution"]["workflowId"] for _ in wanted] == expected
        shuffled = list(range(len(wanted)))
        random.Random(len(wanted)).shuffle(shuffled)
        for number in shuffled:
            world.clock.tick(0.001)
            service.signal(f"{number}")
        later = sorted(shuffled, key=lambda number: (rank(wanted[number]), shuffled.index(number)))
        assert polled() == [str(number) for number in later]


@stores
def test_w8_a_late_urgent_task_passes_all_that_wait(world: World) -> None:
    """One of 15 on a list full of default ones, on both stores."""
    service = serving(world)
    service.start("w")
    service.decide(*(schedule(f"{number}") for number in range(12)))
    service.signal("w")
    service.decide(schedule("urgent", taskPriority="15"), schedule("later", taskPriority="-1"))
    assert drain(service) == ["urgent", *(f"{number}" for number in range(12)), "later"]


@pytest.mark.row("1.5 priority of decision tasks", "1.5 priority of an activity")
def test_w8_w11_own_value_else_the_types_else_zero(world: World) -> None:
    """An explicit "0" overrides a default of 10; a workflow's priority passes to no activity."""
    service = serving(world)
    hasty = {"name": "hasty", "version": "1"}
    service("RegisterActivityType", **{**hasty, "defaultTaskPriority": "10", **_defaults(service)})
    service.start("w", taskPriority="99")
    service.decide(
        schedule("plain"),
        _scheduled("default", hasty),
        _scheduled("zero", hasty, taskPriority="0"),
        _scheduled("more", hasty, taskPriority="11"),
    )
    assert drain(service) == ["more", "default", "plain", "zero"]
    shown = {
        attributes(one)["activityId"]: attributes(one).get("taskPriority")
        for one in service.history("w")
        if one["eventType"] == "ActivityTaskScheduled"
    }
    assert shown == {"plain": None, "default": "10", "zero": "0", "more": "11"}


def _defaults(service: Service) -> dict[str, Any]:
    return service("DescribeActivityType", activityType=POST)["configuration"]


def _scheduled(activity_id: str, of: dict[str, str], **attrs: Any) -> dict[str, Any]:
    return decision("ScheduleActivityTask", activityId=activity_id, activityType=of, **attrs)


@pytest.mark.row("1.5 nothing inherits a priority")
def test_w11_children_and_next_runs_inherit_no_priority(world: World) -> None:
    """A child has its own or its type's; a continued run its own or the type's."""
    service = serving(world)
    service(
        "RegisterWorkflowType",
        name="order",
        version="2",
        **{
            **service("DescribeWorkflowType", workflowType=ORDER)["configuration"],
            "defaultTaskPriority": "5",
        },
    )
    second = {"workflowType": {"name": "order", "version": "2"}}
    service.start("w", taskPriority="99")
    service.decide(child("c"), child("d", taskPriority="7"), child("e", **second))
    shown = {
        name: service.describe(name)["executionConfiguration"].get("taskPriority")
        for name in ("w", "c", "d", "e")
    }
    assert shown == {"w": "99", "c": None, "d": "7", "e": "5"}
    order = [service.poll("kids")["workflowExecution"]["workflowId"] for _ in range(3)]
    assert order == ["d", "e", "c"]
    service.decide(decision("ContinueAsNewWorkflowExecution"))
    assert service.head("w").config.task_priority is None
    service.decide(decision("ContinueAsNewWorkflowExecution", workflowTypeVersion="2"))
    assert service.head("w").config.task_priority == "5"
    service.decide(decision("ContinueAsNewWorkflowExecution", taskPriority="-3"))
    assert service.head("w").config.task_priority == "-3"
    service.decide(complete())


def test_w9_a_continued_run_stands_by_its_own_priority(world: World) -> None:
    """Its decision tasks stand among the others by the new value."""
    service = serving(world)
    service.start("low", taskPriority="1")
    service.start("high", taskPriority="2")
    service.decide(decision("ContinueAsNewWorkflowExecution", taskPriority="0"))
    names = [service.poll()["workflowExecution"]["workflowId"] for _ in range(2)]
    assert names == ["low", "high"]


@pytest.mark.parametrize("priority", ["007", "-0", "0", str(HIGHEST), str(LOWEST)])
def test_w8_a_priority_is_kept_as_it_was_sent(world: World, priority: str) -> None:
    """Text in and out."""
    service = serving(world)
    service.start("w", taskPriority=priority)
    service.decide(schedule("a", taskPriority=priority))
    shown = [attributes(one).get("taskPriority") for one in service.history("w")]
    assert [one for one in shown if one is not None] == [priority] * 3
    assert service.describe("w")["executionConfiguration"]["taskPriority"] == priority
