"""A client of Amazon SWF in a process of its own: whole executions, one after the other.

`python swf_client.py URL NAME COUNT` works with nothing but boto3, so that it measures moto's
server as well as ours. It answers the seconds that its executions took.
"""

import sys
import time
from typing import Any

import boto3
from botocore.config import Config

DOMAIN = "bench"
TYPE = {"name": "flow", "version": "1"}
ACTIVITY = {"name": "step", "version": "1"}


def client(url: str) -> Any:
    """A client that waits as long as a poll is held, and hides nothing."""
    session = boto3.session.Session("key", "secret", region_name="eu-west-1")
    settings = Config(read_timeout=70, retries={"total_max_attempts": 1})
    return session.client("swf", endpoint_url=url, config=settings)


def prepare(swf: Any) -> None:
    """The domain and its types."""
    swf.register_domain(name=DOMAIN, workflowExecutionRetentionPeriodInDays="1")
    limits = {
        "defaultExecutionStartToCloseTimeout": "86400",
        "defaultTaskStartToCloseTimeout": "600",
        "defaultChildPolicy": "TERMINATE",
    }
    swf.register_workflow_type(domain=DOMAIN, **TYPE, **limits)
    swf.register_activity_type(domain=DOMAIN, **ACTIVITY)


def start(swf: Any, workflow_id: str, task_list: str) -> None:
    """Start an execution whose tasks stand on a list."""
    swf.start_workflow_execution(
        domain=DOMAIN, workflowId=workflow_id, workflowType=TYPE, taskList={"name": task_list}
    )


def execution(swf: Any, workflow_id: str, task_list: str) -> None:
    """Start, decide one activity, work, decide to complete."""
    where = {"domain": DOMAIN, "taskList": {"name": task_list}}
    start(swf, workflow_id, task_list)
    names = ("scheduleToStart", "scheduleToClose", "startToClose", "heartbeat")
    attributes = {
        "activityType": ACTIVITY,
        "activityId": "a",
        "taskList": {"name": task_list},
        **{f"{name}Timeout": "600" for name in names},
    }
    one = {
        "decisionType": "ScheduleActivityTask",
        "scheduleActivityTaskDecisionAttributes": attributes,
    }
    decide(swf, where, [one])
    task = swf.poll_for_activity_task(**where)
    swf.respond_activity_task_completed(taskToken=task["taskToken"], result="done")
    attributes = {"result": "done"}
    done = {
        "decisionType": "CompleteWorkflowExecution",
        "completeWorkflowExecutionDecisionAttributes": attributes,
    }
    decide(swf, where, [done])


def decide(swf: Any, where: dict[str, Any], decisions: list[Any]) -> None:
    """Take a decision task and answer it."""
    task = swf.poll_for_decision_task(**where)
    swf.respond_decision_task_completed(taskToken=task["taskToken"], decisions=decisions)


def main(url: str, name: str, count: int) -> None:
    """Warm up, then measure."""
    swf = client(url)
    execution(swf, f"{name} warm", name)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    begun = time.perf_counter()
    for number in range(count):
        execution(swf, f"{name} {number}", name)
    sys.stdout.write(f"{time.perf_counter() - begun}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
