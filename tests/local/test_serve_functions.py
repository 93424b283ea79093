"""`workledger serve` runs Python callables where a decider schedules Lambda functions (W27)."""

from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.local.serving import Server

ROLE = "arn:aws:iam::000000000000:role/any"


def swf(url: str) -> Any:
    """A client of Amazon SWF."""
    session = boto3.session.Session("a", "s", region_name="eu-west-1")
    return session.client("swf", endpoint_url=url)


def registered(client: Any) -> None:
    """A domain, a workflow type and an execution of it with a role."""
    client.register_domain(name="d", workflowExecutionRetentionPeriodInDays="1")
    of = {"name": "flow", "version": "1"}
    client.register_workflow_type(domain="d", **of)
    client.start_workflow_execution(
        domain="d",
        workflowId="w",
        workflowType=of,
        taskList={"name": "main"},
        executionStartToCloseTimeout="600",
        taskStartToCloseTimeout="60",
        childPolicy="TERMINATE",
        lambdaRole=ROLE,
    )


def test_w27_serve_runs_the_callables_that_it_was_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SWF_FUNCTIONS names them; the waiting decider hears of the answer."""
    monkeypatch.setenv("SWF_FUNCTIONS", "count=builtins:len")
    server = Server(tmp_path)
    try:
        client = swf(server.url)
        registered(client)
        task = client.poll_for_decision_task(domain="d", taskList={"name": "main"})
        attributes = {"id": "l", "name": "count", "input": '"four"'}
        decision = {
            "decisionType": "ScheduleLambdaFunction",
            "scheduleLambdaFunctionDecisionAttributes": attributes,
        }
        client.respond_decision_task_completed(taskToken=task["taskToken"], decisions=[decision])
        task = client.poll_for_decision_task(domain="d", taskList={"name": "main"})
        found = {event["eventType"]: event for event in task["events"]}
        completed = found["LambdaFunctionCompleted"]
        assert completed["lambdaFunctionCompletedEventAttributes"]["result"] == "4"
    finally:
        assert server.stop() == 0


def test_w27_serve_does_not_start_with_a_callable_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says which."""
    monkeypatch.setenv("SWF_FUNCTIONS", "count=no.such:thing")
    server = Server(tmp_path)
    assert server.ended() != 0
    assert "count=no.such:thing" in server.said()
