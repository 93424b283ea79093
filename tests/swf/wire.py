"""The service as its clients meet it: requests in JSON, answers in JSON, faults by their names."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workledger.service.core import Core
from workledger.swf import protocol, shapes
from workledger.swf.entering import AnyKey, Door
from workledger.swf.protocol import Answered, Asked
from workledger.swf.shapes import Shape
from workledger.swf.signing import Request

REGION, ACCOUNT = "eu-west-1", "123456789012"
DOMAIN = "orders"

W = {"name": "order", "version": "1"}
A = {"name": "post", "version": "1"}
WORKFLOW_DEFAULTS = {
    "defaultTaskList": {"name": "main"},
    "defaultExecutionStartToCloseTimeout": "86400",
    "defaultTaskStartToCloseTimeout": "60",
    "defaultChildPolicy": "TERMINATE",
}
ACTIVITY_DEFAULTS = {
    "defaultTaskList": {"name": "work"},
    "defaultTaskScheduleToStartTimeout": "NONE",
    "defaultTaskScheduleToCloseTimeout": "NONE",
    "defaultTaskStartToCloseTimeout": "NONE",
    "defaultTaskHeartbeatTimeout": "NONE",
}


class Fault(Exception):
    """A fault as a client gets it."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.status, self.kind, self.message = status, kind, message
        self.code = kind.rpartition("#")[2]


def nobody() -> bool:
    """A client that has gone."""
    return False


@dataclass(frozen=True)
class Wire:
    """One process that serves Amazon SWF, and the door into it."""

    core: Core
    door: Door = field(default_factory=AnyKey)
    region: str = REGION
    account: str = ACCOUNT

    def __call__(self, operation: str, **params: Any) -> Any:
        """Call an operation; polls do not wait. Raises Fault."""
        return read(self.ask(operation, json.dumps(params).encode()), operation)

    def ask(
        self,
        operation: str,
        body: bytes = b"{}",
        *,
        headers: Mapping[str, str] | None = None,
        connected: Callable[[], bool] = lambda: True,
    ) -> Answered:
        """The answer to a body, whatever it is."""
        scope = f"Credential=K/20260311/{self.region}/swf/aws4_request"
        said = {
            "x-amz-target": f"SimpleWorkflowService.{operation}",
            "x-amz-date": "20260311T101555Z",
            "authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0",
            **(headers or {}),
        }
        asked = Asked(Request("POST", "/", "", said, body), self.account, "id", connected)
        return protocol.handle(self, asked, 0)

    def in_region(self, region: str) -> "Wire":
        """The same service in another region."""
        return Wire(self.core, self.door, region, self.account)

    # --- what many tests need ---
    def begin(self, retention: str = "30", domain: str = DOMAIN) -> "Wire":
        """Register a domain and a type of each kind."""
        self("RegisterDomain", name=domain, workflowExecutionRetentionPeriodInDays=retention)
        self("RegisterWorkflowType", domain=domain, **W, **WORKFLOW_DEFAULTS)
        self("RegisterActivityType", domain=domain, **A, **ACTIVITY_DEFAULTS)
        return self

    def start(self, workflow_id: str, **params: Any) -> str:
        """Start an execution; answers its run id."""
        asked = {"domain": DOMAIN, "workflowId": workflow_id, "workflowType": W, **params}
        return self("StartWorkflowExecution", **asked)["runId"]

    def poll(self, task_list: str = "main", **params: Any) -> Any:
        """Poll for a decision task."""
        return self("PollForDecisionTask", domain=DOMAIN, taskList={"name": task_list}, **params)

    def decide(self, *decisions: Mapping[str, Any], task_list: str = "main", **more: Any) -> Any:
        """Take a decision task and answer it."""
        task = self.poll(task_list)
        self(
            "RespondDecisionTaskCompleted",
            taskToken=task["taskToken"],
            decisions=list(decisions),
            **more,
        )
        return task

    def take(self, task_list: str = "work") -> Any:
        """Poll for an activity task."""
        return self("PollForActivityTask", domain=DOMAIN, taskList={"name": task_list})

    def history(self, workflow_id: str, run_id: str) -> list[str]:
        """The types of a run's events."""
        execution = {"workflowId": workflow_id, "runId": run_id}
        answer = self("GetWorkflowExecutionHistory", domain=DOMAIN, execution=execution)
        return [event["eventType"] for event in answer["events"]]


def read(answered: Answered, operation: str) -> Any:
    """The members of an answer, which the model knows all. Raises Fault."""
    value = json.loads(answered.body) if answered.body else None
    if answered.status != 200:
        raise Fault(answered.status, value["__type"], value.get("message", ""))
    shape = shapes.operations()[operation].output
    assert (value is None) == (shape is None)
    empty_poll = operation.startswith("Poll") and "taskToken" not in value  # W2: less is required
    if shape is not None and not empty_poll:
        conforms(shape, value, operation)
    return value


def conforms(shape: Shape, value: Any, where: str) -> None:
    """Everything that the model requires is there, in its type; nothing that it does not know."""
    if shape.kind == "structure":
        assert shape.required <= set(value) <= set(shape.members), (where, value)
        for name, one in value.items():
            conforms(shape.members[name], one, f"{where}.{name}")
    elif shape.item is not None:
        for one in value:
            conforms(shape.item, one, where)
    else:
        assert isinstance(value, _TYPES[shape.kind]), (where, value)
        assert not shape.enum or value in shape.enum, (where, value)


_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "long": int,
    "boolean": bool,
    "timestamp": float,
}


def decision(kind: str, **attrs: Any) -> dict[str, Any]:
    """A decision."""
    return {"decisionType": kind, f"{kind[0].lower()}{kind[1:]}DecisionAttributes": attrs}


def schedule(activity_id: str, **attrs: Any) -> dict[str, Any]:
    """A decision to schedule an activity."""
    return decision("ScheduleActivityTask", activityId=activity_id, activityType=A, **attrs)
