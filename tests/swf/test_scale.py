"""Long histories, many open tasks, long texts: every operation stays usable (W29, 1.10)."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.races.world import World
from tests.races.world import world as make_world
from tests.swf.conftest import stores
from tests.swf.service import (
    Answer,
    Service,
    attributes,
    check,
    decision,
    schedule,
    serving,
    stream,
    timer,
    told,
)
from workledger.errors import Refused
from workledger.service import sweeping
from workledger.stores.dynamodb_items import commit_item, row_item
from workledger.stores.dynamodb_packing import pack
from workledger.stores.units import item_size
from workledger.swf.histories import MOST_BYTES

ROW = 400 * 1024
LONG = "ä" * 32_768


def markers(count: int) -> list[Answer]:
    """Decisions that do nothing but be in the history."""
    return [decision("RecordMarker", markerName=f"m{number}") for number in range(count)]


def filled(world: World, upto: int) -> Service:
    """An execution `w` of so many events: 1,000 activities and a timer are open, none started."""
    service = serving(world)
    service.start("w", input=LONG)
    wanted = {"input": "i" * 500, "heartbeatTimeout": "900"}
    service.decide(
        *(schedule(f"{number}", **wanted) for number in range(1_000)), timer("t", "8000")
    )
    while (left := upto - (service.head("w").next_id - 1)) > 0:
        service.signal("w")
        service.decide(*markers(min(left - 4, 4_000)))
    assert service.head("w").next_id - 1 == upto
    return service


def latest(service: Service, count: int) -> list[Answer]:
    """The last events of `w`, in order."""
    execution = {"workflowId": "w", "runId": service.head("w").run_id}
    asked = {"execution": execution, "maximumPageSize": count, "reverseOrder": True}
    return service("GetWorkflowExecutionHistory", **asked)["events"][::-1]


@pytest.fixture(scope="module")
def nearly_full() -> Iterator[tuple[World, Service]]:
    """An execution of 24,900 events, which tests add a few to."""
    with make_world("sqlite") as world:
        yield world, filled(world, 24_900)


def test_w29_no_row_is_too_large_for_the_other_store(nearly_full: tuple[World, Service]) -> None:
    """Commits of thousands of events, and the rows of all that is open, as DynamoDB would get them."""
    world, _ = nearly_full
    commits = [item for one in world.store.all_commits() for item in pack(commit_item(one))]
    rows = [row_item(one) for one in world.store.all_rows()]
    assert max(item_size(item) for item in (*commits, *rows)) <= ROW
    assert max(item_size(item) for item in rows) < 2_048
    assert any("packed" in item for item in commits)


OPERATIONS: dict[str, Callable[[Service], Any]] = {
    "signal": lambda service: service.signal("w"),
    "decide": lambda service: service.answer(service.poll(maximumPageSize=10), *markers(1)),
    "work": lambda service: service.work(),
    "beat": lambda service: service.beat(service.take()),
    "look back": lambda service: latest(service, 10),
    "describe": lambda service: service.describe("w"),
}


def reads(world: World) -> tuple[Service, Counter[str]]:
    """A process, and how often it calls each method of its store."""
    seen: Counter[str] = Counter()

    def count(step: str, args: tuple[Any, ...]) -> None:
        seen[step] += 1
        if step == "commits":
            assert args[2] is not None, "never the whole stream"
            assert args[2] <= 100

    return Service(world.process(before_each_step=count)), seen


def test_w29_an_operation_costs_the_same_at_the_end_of_a_long_history(
    nearly_full: tuple[World, Service],
) -> None:
    """The same calls of the store as in a short one: nothing is folded from the first event."""
    world, _ = nearly_full
    with make_world("sqlite") as other:
        filled(other, 2_000)
        for name, ask in OPERATIONS.items():
            costs: list[Counter[str]] = []
            for one in (world, other):
                service, seen = reads(one)
                ask(service)
                costs.append(seen)
            assert costs[0] == costs[1], name
            assert costs[0].total() < 40, name
    check(world, "w")


def test_w29_a_long_history_is_read_page_by_page_either_way(
    nearly_full: tuple[World, Service],
) -> None:
    """Every event once, in order; a decider's pages end with the start of its task."""
    _, service = nearly_full
    events = service.history("w")
    assert [one["eventId"] for one in events] == list(range(1, len(events) + 1))
    assert latest(service, 1_000) == events[-1_000:]
    service.signal("w")
    task = page = service.poll()
    seen = list(page["events"])
    while "nextPageToken" in page:
        page = service.poll(nextPageToken=page["nextPageToken"])
        assert page["taskToken"] == task["taskToken"]
        seen += page["events"]
    assert [one["eventId"] for one in seen] == list(range(1, task["startedEventId"] + 1))
    service.answer(task)


LAST: dict[str, tuple[int, Callable[[Service], Any], list[str]]] = {
    "signal": (
        24_999,
        lambda service: service.signal("w"),
        ["WorkflowExecutionSignaled", "DecisionTaskScheduled"],
    ),
    "take": (24_999, lambda service: service.take(), ["ActivityTaskStarted"]),
    "poll": (
        24_997,
        lambda service: (service.signal("w"), service.poll())[1],
        ["WorkflowExecutionSignaled", "DecisionTaskScheduled", "DecisionTaskStarted"],
    ),
}
"""How a history may come to its end: events before, what is asked, and its events."""


@pytest.mark.parametrize("last", LAST)
@pytest.mark.row("1.7 causes of a termination", "1.10 history")
def test_w29_at_25_000_events_the_execution_is_terminated(world: World, last: str) -> None:
    """EVENT_LIMIT_EXCEEDED, whatever the last event was; nobody gets a task that is over."""
    upto, ask, expected = LAST[last]
    service = filled(world, upto)
    answer = ask(service)
    assert not answer or answer["startedEventId"] == 0
    events = latest(service, len(expected) + 1)
    assert events[0]["eventId"] == upto + 1
    assert told(events) == [*expected, "WorkflowExecutionTerminated"]
    assert attributes(events[-1]) == {"cause": "EVENT_LIMIT_EXCEEDED", "childPolicy": "TERMINATE"}
    with pytest.raises(Refused):
        service.signal("w")
    assert service.take() == {"startedEventId": 0}
    check(world, "w")


@pytest.mark.row("1.10 decisions of one answer")
def test_w29_a_batch_of_thousands_of_decisions_is_one_commit(world: World) -> None:
    """More events than a row holds, carried out or refused as one."""
    service = serving(world)
    service.start("w")
    before = len(world.store.commits(stream("w")))
    service.decide(*markers(9_000))
    commits = world.store.commits(stream("w"))
    assert len(commits) == before + 2
    assert len(commits[-1].events) == 9_001
    check(world, "w")


@stores
def test_w29_long_texts_come_back_whole_page_by_page(world: World) -> None:
    """Inputs of 32,768 characters: no page is too long to be sent."""
    service = serving(world)
    service.start("w", input=LONG)
    decided = 0
    while decided < 60:
        service.decide(*(schedule(f"{decided + number}", input=LONG) for number in range(20)))
        decided += 20
        service.signal("w")
    execution = {"workflowId": "w", "runId": service.head("w").run_id}
    asked: dict[str, Any] = {"execution": execution}
    found, pages = 0, 0
    while True:
        page = service("GetWorkflowExecutionHistory", **asked)
        texts = [attributes(one)["input"] for one in page["events"] if "input" in attributes(one)]
        assert sum(len(one.encode()) for one in texts) <= MOST_BYTES + 2 * len(LONG)
        assert set(texts) <= {LONG}
        found, pages = found + len(texts), pages + 1
        if "nextPageToken" not in page:
            break
        asked["nextPageToken"] = page["nextPageToken"]
    assert (found, pages) == (61, 2)
    assert service.take()["input"] == LONG
    check(world, "w")


@pytest.mark.parametrize(
    ("decide", "cause", "cancel"),
    [
        (
            schedule,
            "OPEN_ACTIVITIES_LIMIT_EXCEEDED",
            decision("RequestCancelActivityTask", activityId="0"),
        ),
        (
            lambda name: timer(name, "900"),
            "OPEN_TIMERS_LIMIT_EXCEEDED",
            decision("CancelTimer", timerId="0"),
        ),
    ],
    ids=["activities", "timers"],
)
@pytest.mark.row("1.10 open activities", "1.10 open timers")
def test_w29_a_thousand_may_be_open(
    world: World, decide: Callable[[str], Answer], cause: str, cancel: Answer
) -> None:
    """The next one fails; there is room again once one has closed."""
    service = serving(world)
    service.start("w")
    service.decide(*(decide(f"{number}") for number in range(1_001)))
    service.decide(cancel, decide("more"))
    causes = [
        attributes(one)["cause"] for one in service.history("w") if "cause" in attributes(one)
    ]
    assert causes == [cause]
    check(world, "w")


def test_w29_a_thousand_time_outs_at_once(world: World) -> None:
    """One sweep, each at its moment, one decision task."""
    service = serving(world)
    service.start("w")
    service.decide(*(schedule(f"{number}", scheduleToCloseTimeout="9") for number in range(1_000)))
    world.clock.tick(60)
    sweeping.sweep(service.core)
    found = Counter(told(service.history("w")))
    assert found["ActivityTaskTimedOut"] == 1_000
    assert found["DecisionTaskScheduled"] == 2
    check(world, "w")


def test_w29_a_thousand_dead_tasks_do_not_stand_in_the_way(world: World) -> None:
    """An execution that was terminated left them on the list, before another one's task."""
    service = serving(world)
    service.start("w")
    service.decide(*(schedule(f"{number}", taskPriority="1") for number in range(1_000)))
    service.start("other")
    service.decide(schedule("alive"))
    service("TerminateWorkflowExecution", workflowId="w")
    before = len(world.store.commits(stream("w")))
    assert service.work()["activityId"] == "alive"
    assert len(world.store.commits(stream("w"))) == before + 1
    assert service.take() == {"startedEventId": 0}
    check(world, "w", "other")
