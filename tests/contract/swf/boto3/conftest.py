"""boto3's client against a server on SQLite, and against one on moto's DynamoDB."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.contract.swf import looking
from tests.contract.swf.looking import Events
from tests.local.serving import Server, serving

POLL_SECONDS = 20
Decision = dict[str, Any]


def decision(kind: str, **attributes: Any) -> Decision:
    """A decision as boto3 wants it."""
    return {"decisionType": kind, f"{kind[0].lower()}{kind[1:]}DecisionAttributes": attributes}


@dataclass
class Domain:
    """A domain of its own, with a workflow type `flow` and an activity type `step`."""

    swf: Any
    name: str

    def call(self, operation: str, **params: Any) -> Any:
        """An operation that names the domain."""
        return getattr(self.swf, operation)(domain=self.name, **params)

    def register(self, kind: str, name: str, **defaults: Any) -> None:
        """A type with defaults."""
        self.call(f"register_{kind}_type", name=name, version="1", **defaults)

    def start(self, workflow_id: str, **params: Any) -> dict[str, str]:
        """Start an execution of `flow`."""
        of = {"name": "flow", "version": "1"}
        given = {"workflowType": of, "workflowId": workflow_id, **params}
        started = self.call("start_workflow_execution", **given)
        return {"workflowId": workflow_id, "runId": started["runId"]}

    def poll(self, task_list: str = "deciders", **params: Any) -> Any:
        """A decision task."""
        return self.call("poll_for_decision_task", taskList={"name": task_list}, **params)

    def work(self, task_list: str = "steps", **params: Any) -> Any:
        """An activity task."""
        return self.call("poll_for_activity_task", taskList={"name": task_list}, **params)

    def answer(self, task: Any, *decisions: Decision, **params: Any) -> Any:
        """Answer a decision task; gives it back."""
        given = {"taskToken": task["taskToken"], "decisions": list(decisions), **params}
        self.swf.respond_decision_task_completed(**given)
        return task

    def decide(self, *decisions: Decision, task_list: str = "deciders") -> Any:
        """Take the next decision task and answer it."""
        return self.answer(self.poll(task_list), *decisions)

    def done(self, task: Any, result: str = "done") -> None:
        """A worker's result."""
        self.swf.respond_activity_task_completed(taskToken=task["taskToken"], result=result)

    def history(self, execution: dict[str, str]) -> Events:
        """All events of a run."""
        return looking.history(self.swf, self.name, execution)

    def is_idle(self) -> bool:
        """Whether no execution is open."""
        since = {"oldestDate": 0}
        return not self.call("count_open_workflow_executions", startTimeFilter=since)["count"]

    def show(self, execution: dict[str, str]) -> Any:
        """A run as it is now."""
        return self.call("describe_workflow_execution", execution=execution)


def step(activity_id: str, **attributes: Any) -> Decision:
    """A decision to schedule an activity of type `step`."""
    of = {"name": "step", "version": "1"}
    return decision("ScheduleActivityTask", activityType=of, activityId=activity_id, **attributes)


COMPLETE = decision("CompleteWorkflowExecution", result="ok")


@pytest.fixture(scope="session", params=["sqlite", "moto"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server on each store; its polls wait long, so that an early answer was woken."""
    folder = tmp_path_factory.mktemp("boto3")
    store = None if request.param == "sqlite" else "moto"
    with serving(folder, "--poll-seconds", str(POLL_SECONDS), store=store) as server:
        yield server


@pytest.fixture
def domain(served: Server, names: Callable[[str], str]) -> Domain:
    """A domain that nobody else uses."""
    return domain_at(served.url, names("domain"))


def domain_at(url: str, name: str, brief: str | None = None) -> Domain:
    """A domain with its types; `brief`: seconds until a task that was started comes back."""
    found = Domain(looking.client(url), name)
    found.swf.register_domain(name=name, workflowExecutionRetentionPeriodInDays="1")
    found.register(
        "workflow",
        "flow",
        defaultTaskList={"name": "deciders"},
        defaultTaskStartToCloseTimeout=brief or "60",
        defaultExecutionStartToCloseTimeout="600",
        defaultChildPolicy="TERMINATE",
    )
    found.register("activity", "step", **STEP, defaultTaskStartToCloseTimeout=brief or "NONE")
    return found


STEP = {
    "defaultTaskList": {"name": "steps"},
    "defaultTaskScheduleToStartTimeout": "NONE",
    "defaultTaskScheduleToCloseTimeout": "NONE",
    "defaultTaskHeartbeatTimeout": "NONE",
}
