"""simpleflow's own command line, `simpleflow standalone`, with nothing changed but the endpoint."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.swf import looking
from tests.contract.swf.environments import HERE, installed, pointed_at, program
from tests.contract.swf.looking import Events, attrs, of_type, types
from tests.local.serving import Server

DOMAIN = "simpleflow"

Ran = Callable[..., list[Events]]


@pytest.fixture(scope="module")
def swf(server: Server) -> Any:
    """A client of the server, in which simpleflow's domain is registered."""
    found = looking.client(server.url)
    found.register_domain(name=DOMAIN, workflowExecutionRetentionPeriodInDays="1")
    return found


@pytest.fixture
def standalone(server: Server, swf: Any) -> Ran:
    """Has simpleflow run a workflow to its end, with one decider and one worker of its own.

    Answers the history of every run that this left.
    """

    def run(flow: str, *given: Any) -> list[Events]:
        simpleflow = installed("simpleflow") / "bin" / "simpleflow"
        processes = ("--nb-deciders", "1", "--nb-workers", "1", "--heartbeat", "0")
        named = ("--domain", DOMAIN, "--workflow-id", flow, "--input", json.dumps(given))
        command = (str(simpleflow), "standalone", *named, *processes, f"flows.{flow}")
        env = pointed_at(server.url) | {"PYTHONPATH": str(HERE / "simpleflow")}
        program(command, env)
        found = looking.runs(swf, DOMAIN, flow)
        return [looking.history(swf, DOMAIN, one["execution"]) for one in found]

    return run


def result(events: Events) -> Any:
    """What a completed run answered."""
    assert types(events)[-1] == "WorkflowExecutionCompleted", attrs(events[-1])
    return json.loads(attrs(events[-1])["result"])


def test_w8_activities_come_by_their_priority(standalone: Ran) -> None:
    """W8, W10: higher first, first scheduled first within one; kept as sent, left out if unset."""
    priorities = ["5", None, "-3", "2147483647", "-2147483648", "10", "9", "0", "5"]
    (events,) = standalone("Priorities", priorities)
    assert result(events) == list(range(9))
    scheduled = of_type(events, "ActivityTaskScheduled")
    assert [one.get("taskPriority") for one in scheduled] == priorities
    came = [int(one.rpartition("-")[2]) - 1 for one in looking.started_order(events)]
    assert came == sorted(range(9), key=lambda number: -int(priorities[number] or 0))


def test_w4_a_failed_activity_is_tried_again_under_its_id(standalone: Ran, tmp_path: Path) -> None:
    """W4: an activity id can be used again once the task has closed."""
    (events,) = standalone("Retry", str(tmp_path / "counter"))
    assert result(events) == 3
    scheduled = of_type(events, "ActivityTaskScheduled")
    assert len({one["activityId"] for one in scheduled}) == 1
    assert len(scheduled) == 3
    failed = of_type(events, "ActivityTaskFailed")
    assert [one["reason"] for one in failed] == ["ValueError: try 1", "ValueError: try 2"]


def test_w5_a_type_that_is_not_there_is_an_event_and_then_registered(standalone: Ran) -> None:
    """W5: simpleflow learns of its missing activity type by the failure's cause. And markers."""
    (events,) = standalone("Marker")
    assert result(events) == [["milestone", {"second": 2}], ["end", None]]
    markers = of_type(events, "MarkerRecorded")
    assert [one["markerName"] for one in markers[:3]] == ["milestone", "milestone", "end"]
    assert "details" not in markers[2]
    for failed in of_type(events, "ScheduleActivityTaskFailed"):
        assert failed["cause"] == "ACTIVITY_TYPE_DOES_NOT_EXIST"


def test_w18_a_timer_fires_and_another_is_canceled(standalone: Ran) -> None:
    """W18: each by its own id; a fired one brings a decision task, a canceled one does not."""
    (events,) = standalone("Timers")
    assert result(events) == [True, True]
    fired = {one["timerId"] for one in of_type(events, "TimerFired")}
    assert fired == {"short", "_simpleflow_wake_up_timer"}
    assert [one["timerId"] for one in of_type(events, "TimerCanceled")] == ["long"]


def test_w21_children_run_and_answer_their_parent(standalone: Ran, swf: Any) -> None:
    """W21: initiated, started, completed, each pointing to the one before."""
    (events,) = standalone("Child")
    assert result(events) == 50
    initiated = of_type(events, "StartChildWorkflowExecutionInitiated")
    completed = of_type(events, "ChildWorkflowExecutionCompleted")
    assert len(initiated) == len(completed) == 2
    for one in completed:
        assert types(events)[one["initiatedEventId"] - 1] == "StartChildWorkflowExecutionInitiated"
        assert types(events)[one["startedEventId"] - 1] == "ChildWorkflowExecutionStarted"
        first, *_ = looking.history(swf, DOMAIN, one["workflowExecution"])
        assert attrs(first)["parentWorkflowExecution"]["workflowId"] == "Child"
        assert attrs(first)["parentInitiatedEventId"] == one["initiatedEventId"]


def test_w19_a_workflow_signals_itself(standalone: Ran) -> None:
    """W19: the signal arrives in the run that sent it, and says where it came from."""
    (events,) = standalone("Signal")
    assert result(events)["kwargs"] == {"number": 7}
    (arrived,) = of_type(events, "WorkflowExecutionSignaled")
    (sent,) = of_type(events, "ExternalWorkflowExecutionSignaled")
    assert arrived["externalWorkflowExecution"] == sent["workflowExecution"]
    assert arrived["externalInitiatedEventId"] == sent["initiatedEventId"]


def test_w26_a_workflow_continues_as_new(standalone: Ran) -> None:
    """W26: the next run knows the one before; simpleflow itself waits for the first one only."""
    first, second, *_ = standalone("Anew", 3)
    assert types(first)[-1] == "WorkflowExecutionContinuedAsNew"
    went_on = attrs(first[-1])
    assert json.loads(went_on["input"])["kwargs"] == {"left": 2}
    assert attrs(second[0])["input"] == went_on["input"]
    assert "continuedExecutionRunId" in attrs(second[0])
    assert "parentWorkflowExecution" not in attrs(second[0])
