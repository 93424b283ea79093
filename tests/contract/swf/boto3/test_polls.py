"""Long polls: what waits is woken, pages belong to one task, a client that went away gets nothing."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from tests.contract.swf import looking
from tests.contract.swf.boto3.conftest import COMPLETE, POLL_SECONDS, Domain, decision, step
from tests.contract.swf.looking import types

ROUNDS = 5
EARLY_SECONDS = 3.0
"""Far below the hold; what it really takes is told by the test."""


def woken(
    poll: Callable[[], Any], schedule: Callable[[], object], asked_seconds: float = 0.3
) -> tuple[Any, float]:
    """The answer to a poll that waits when something is scheduled, and how much later it came."""
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(lambda: (poll(), time.monotonic()))
        time.sleep(asked_seconds)  # the poll is to be on its way: nothing tells when it waits
        schedule()
        at = time.monotonic()
        answer, came = waiting.result(POLL_SECONDS + 5)
    return answer, came - at


def test_w7_a_waiting_decider_is_woken_by_a_start(
    domain: Domain, record_property: Callable[[str, object], None]
) -> None:
    """W7: at once, on one machine."""
    late = []
    for number in range(ROUNDS):
        task, seconds = woken(domain.poll, lambda: domain.start(f"w{number}"))  # noqa: B023
        assert task["workflowExecution"]["workflowId"] == f"w{number}"
        domain.answer(task, COMPLETE)
        late.append(seconds)
    record_property("seconds", sorted(late))
    assert median(late) < EARLY_SECONDS, late


def test_w7_a_waiting_worker_is_woken_by_a_decision(domain: Domain) -> None:
    """W7: an activity task that a decision schedules goes to the worker that waits for one."""
    domain.start("w")
    task, seconds = woken(domain.work, lambda: domain.decide(step("a")))
    assert task["activityId"] == "a"
    assert seconds < EARLY_SECONDS


def test_w18_a_waiting_decider_is_woken_by_a_timer(domain: Domain) -> None:
    """W18: the timer fires by itself, and the decision task goes to the poll that waits."""
    execution = domain.start("w")
    domain.decide(decision("StartTimer", timerId="t", startToFireTimeout="1"))
    task = domain.poll()
    assert types(task["events"])[-3:-1] == ["TimerFired", "DecisionTaskScheduled"]
    domain.answer(task, COMPLETE)
    started, fired = (
        next(e["eventTimestamp"] for e in domain.history(execution) if e["eventType"] == kind)
        for kind in ("TimerStarted", "TimerFired")
    )
    assert (fired - started).total_seconds() == 1.0


def test_w22_pages_of_a_decision_task_are_the_same_task(domain: Domain) -> None:
    """W22: the same token on every page, no event twice, and either way round."""
    execution = domain.start("w")
    markers = [decision("RecordMarker", markerName=f"m{number}") for number in range(40)]
    domain.decide(*markers)
    domain.call("signal_workflow_execution", workflowId="w", signalName="go")
    first = domain.poll(maximumPageSize=15)
    pages = [first]
    while token := pages[-1].get("nextPageToken"):
        pages.append(domain.poll(maximumPageSize=15, nextPageToken=token))
    assert {page["taskToken"] for page in pages} == {first["taskToken"]}
    assert {page["startedEventId"] for page in pages} == {first["startedEventId"]}
    assert [len(page["events"]) for page in pages] == [15, 15, 15, 2]
    found = [event["eventId"] for page in pages for event in page["events"]]
    assert found == list(range(1, first["startedEventId"] + 1))
    domain.answer(first)
    domain.call("signal_workflow_execution", workflowId="w", signalName="back")
    backwards = domain.poll(reverseOrder=True, maximumPageSize=4)
    assert [event["eventId"] for event in backwards["events"]] == [51, 50, 49, 48]
    pages = domain.swf.get_paginator("get_workflow_execution_history").paginate(
        domain=domain.name, execution=execution, maximumPageSize=20
    )
    sizes = [len(page["events"]) for page in pages]
    assert sizes == [20, 20, 11]


def test_w22_a_task_can_begin_at_the_previous_start(domain: Domain) -> None:
    """W22: from the event that started the previous decision task, included."""
    domain.start("w")
    first = domain.decide(decision("RecordMarker", markerName="m"), step("a"))
    assert first["previousStartedEventId"] == 0
    domain.done(domain.work())
    task = domain.poll(startAtPreviousStartedEvent=True)
    assert task["previousStartedEventId"] == first["startedEventId"] == 3
    assert [event["eventId"] for event in task["events"]] == list(range(3, 11))
    assert types(task["events"]) == [
        "DecisionTaskStarted",
        "DecisionTaskCompleted",
        "MarkerRecorded",
        "ActivityTaskScheduled",
        "ActivityTaskStarted",
        "ActivityTaskCompleted",
        "DecisionTaskScheduled",
        "DecisionTaskStarted",
    ]


def test_w28_a_poll_whose_client_went_away_takes_nothing(domain: Domain) -> None:
    """W28: the connection is looked at before a task is claimed for it."""
    impatient = looking.client(domain.swf.meta.endpoint_url, read_timeout=1)
    gone = Domain(impatient, domain.name)
    with pytest.raises(ReadTimeoutError):
        gone.poll()
    domain.swf.describe_domain(name=domain.name)  # the server hears of things one after the other
    execution = domain.start("w")
    task = domain.poll(identity="who stayed")
    assert task["workflowExecution"] == execution
    assert types(domain.history(execution)).count("DecisionTaskStarted") == 1
