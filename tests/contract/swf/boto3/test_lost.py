"""Workers and deciders that are never heard of again; time runs as it does, by a second or two."""

from typing import Any

import pytest

from tests.contract.swf.boto3.conftest import COMPLETE, Domain, step
from tests.contract.swf.looking import attrs, of_type, types
from tests.local.serving import eventually

BRIEF = {
    "SCHEDULE_TO_START": {"scheduleToStartTimeout": "1"},
    "SCHEDULE_TO_CLOSE": {"scheduleToCloseTimeout": "1"},
    "START_TO_CLOSE": {"startToCloseTimeout": "1"},
    "HEARTBEAT": {"heartbeatTimeout": "1"},
}


@pytest.mark.parametrize("kind", BRIEF)
def test_w16_a_lost_workers_task_is_tried_again(domain: Domain, kind: str) -> None:
    """W16, W4, W28: it times out, and the decider schedules it once more under the same id."""
    execution = domain.start("w")
    domain.decide(step("a", **BRIEF[kind]))
    lost = None if kind == "SCHEDULE_TO_START" else domain.work()
    if kind == "HEARTBEAT":
        assert lost is not None
        domain.swf.record_activity_task_heartbeat(taskToken=lost["taskToken"], details="half")
    task = domain.poll()
    (timed_out,) = of_type(task["events"], "ActivityTaskTimedOut")
    assert timed_out["timeoutType"] == kind
    assert timed_out["startedEventId"] == (lost["startedEventId"] if lost else 0)
    assert timed_out.get("details") == ("half" if kind == "HEARTBEAT" else None)
    domain.answer(task, step("a"))
    if lost:
        with pytest.raises(domain.swf.exceptions.UnknownResourceFault, match="Unknown activity"):
            domain.done(lost)
    again = domain.work()
    assert again["activityId"] == "a"
    domain.done(again)
    domain.decide(COMPLETE)
    assert types(domain.history(execution))[-1] == "WorkflowExecutionCompleted"


def test_w17_a_lost_deciders_task_comes_back(domain: Domain) -> None:
    """W17, W9: by its time-out, with its execution's priority; the old token is worth nothing."""
    execution = domain.start("w", taskStartToCloseTimeout="1", taskPriority="5")
    lost = domain.poll(identity="lost")
    task = domain.poll(identity="next")
    assert types(task["events"])[2:] == [
        "DecisionTaskStarted",
        "DecisionTaskTimedOut",
        "DecisionTaskScheduled",
        "DecisionTaskStarted",
    ]
    assert attrs(task["events"][4])["taskPriority"] == "5"
    assert task["previousStartedEventId"] == 0
    with pytest.raises(domain.swf.exceptions.UnknownResourceFault, match="Unknown decision task"):
        domain.answer(lost, COMPLETE)
    domain.answer(task, COMPLETE)
    assert domain.show(execution)["executionInfo"]["closeStatus"] == "COMPLETED"


def test_w17_an_execution_that_takes_too_long_ends_with_its_children(domain: Domain) -> None:
    """W17, W24: it times out, and its child policy is applied."""
    parent = domain.start("parent", executionStartToCloseTimeout="2")
    of = {"name": "flow", "version": "1"}
    attributes = {"workflowType": of, "workflowId": "child", "taskList": {"name": "children"}}
    domain.decide(
        {
            "decisionType": "StartChildWorkflowExecution",
            "startChildWorkflowExecutionDecisionAttributes": attributes,
        }
    )
    child = domain.poll("children")["workflowExecution"]
    closed = eventually(lambda: _closed(domain, parent))
    assert closed == "TIMED_OUT"
    assert eventually(lambda: _closed(domain, child)) == "TERMINATED"
    ended = attrs(domain.history(child)[-1])
    assert ended["cause"] == "CHILD_POLICY_APPLIED"


def _closed(domain: Domain, execution: dict[str, str]) -> Any:
    return domain.show(execution)["executionInfo"].get("closeStatus")
