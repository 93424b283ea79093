"""Task priorities of Amazon SWF, kept: six requests that set one, and in which order tasks come.

    workledger serve                    # in another terminal
    python samples/swf_priorities.py

Needs boto3 alone. The server is found by AWS_ENDPOINT_URL_SWF, or where `workledger serve` puts it.
Each run has a domain of its own.
"""

import os
import time
from typing import Any

import boto3

os.environ.setdefault("AWS_ENDPOINT_URL_SWF", "http://127.0.0.1:8080")
os.environ.setdefault("AWS_DEFAULT_REGION", "eu-west-1")
os.environ.setdefault("AWS_ACCESS_KEY_ID", "local")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "local")

DOMAIN = f"northern-sky-{time.time_ns()}"
SURVEY = {"name": "surveyField", "version": "1"}
NIGHTLY = {"name": "nightlySurvey", "version": "1"}
MEASURE = {"name": "measurePlate", "version": "1"}
EXECUTION: dict[str, Any] = {
    "defaultTaskList": {"name": "deciders"},
    "defaultTaskStartToCloseTimeout": "60",
    "defaultExecutionStartToCloseTimeout": "3600",
    "defaultChildPolicy": "TERMINATE",
}
TASK: dict[str, Any] = {
    "defaultTaskList": {"name": "plates"},
    "defaultTaskScheduleToStartTimeout": "NONE",
    "defaultTaskScheduleToCloseTimeout": "NONE",
    "defaultTaskStartToCloseTimeout": "600",
    "defaultTaskHeartbeatTimeout": "120",
}
swf: Any = boto3.client("swf")


def decision(kind: str, **attributes: Any) -> dict[str, Any]:
    """A decision as SWF wants it."""
    return {"decisionType": kind, f"{kind[0].lower()}{kind[1:]}DecisionAttributes": attributes}


def decide(*decisions: dict[str, Any]) -> None:
    """Take the next decision task and answer it."""
    answer(take(), *decisions)


def take() -> Any:
    """The next decision task."""
    return swf.poll_for_decision_task(domain=DOMAIN, taskList={"name": "deciders"})


def answer(task: Any, *decisions: dict[str, Any]) -> None:
    """Answer a decision task."""
    swf.respond_decision_task_completed(taskToken=task["taskToken"], decisions=list(decisions))


def describe(execution: Any) -> str:
    """The priority that an execution is described with."""
    shown = swf.describe_workflow_execution(domain=DOMAIN, execution=execution)
    return shown["executionConfiguration"].get("taskPriority", "-")


# --- the six requests ---------------------------------------------------------------------------


def register_workflow() -> None:
    """Executions of this type have 10 unless they say otherwise."""
    print("1. RegisterWorkflowType surveyField: defaultTaskPriority 10")
    swf.register_workflow_type(domain=DOMAIN, **SURVEY, **EXECUTION, defaultTaskPriority="10")


def start() -> None:
    """An execution with -20, and two that say nothing."""
    print("2. StartWorkflowExecution field-0417: taskPriority -20")
    for workflow_id, of, given in (
        ("field-0417", NIGHTLY, {"taskPriority": "-20"}),
        ("field-0421", NIGHTLY, {}),
        ("field-0425", SURVEY, {}),
    ):
        swf.start_workflow_execution(
            domain=DOMAIN, workflowId=workflow_id, workflowType=of, **given
        )


def start_child(task: Any) -> None:
    """A child with 5: it would not have its parent's -20 without it."""
    print("3. StartChildWorkflowExecution calibration-0417: taskPriority 5")
    attributes = {"workflowId": "calibration-0417", "workflowType": NIGHTLY, "taskPriority": "5"}
    own_list = {"taskList": {"name": "calibrations"}}
    answer(task, decision("StartChildWorkflowExecution", **attributes, **own_list))


def register_activity() -> None:
    """Tasks of this type have 10 unless their decision says otherwise."""
    print("4. RegisterActivityType measurePlate: defaultTaskPriority 10")
    swf.register_activity_type(domain=DOMAIN, **MEASURE, **TASK, defaultTaskPriority="10")


def schedule() -> None:
    """Five plates with their type's 10, and behind them one with 15."""
    print("5. ScheduleActivityTask comet: taskPriority 15, behind five plates with their type's 10")
    decide(*[measure(f"plate-{number}") for number in range(5)], measure("comet", "15"))


def measure(plate: str, priority: str | None = None) -> dict[str, Any]:
    """A decision to have a plate measured."""
    own = {"taskPriority": priority} if priority else {}
    return decision("ScheduleActivityTask", activityId=plate, activityType=MEASURE, **own)


def go_on() -> None:
    """The execution goes on as a new run, with 100."""
    print("6. ContinueAsNewWorkflowExecution field-0417: taskPriority 100")
    decide(decision("ContinueAsNewWorkflowExecution", taskPriority="100"))


# --- which task came when, and why --------------------------------------------------------------

REASONS = {
    "-": "nobody set one: counts as 0",
    "10": "its type's default, first scheduled first",
}


def decisions_come() -> None:
    """The decision tasks of three executions, by their executions' priority."""
    print("\n   The list `deciders`, as its decider gets it:")
    tasks = [take() for _ in range(3)]
    for place, task in enumerate(tasks, 1):
        tell(place, task["workflowExecution"]["workflowId"], describe(task["workflowExecution"]))
    print()
    for task in tasks[:2]:
        answer(task, decision("CompleteWorkflowExecution"))
    start_child(tasks[2])


def activities_come() -> None:
    """The activity tasks of one list, by their own priority."""
    print("\n   The list `plates`, as its worker gets it:")
    for place in range(1, 7):
        task = swf.poll_for_activity_task(domain=DOMAIN, taskList={"name": "plates"})
        tell(place, task["activityId"], scheduled_with(task))
        swf.respond_activity_task_completed(taskToken=task["taskToken"], result="measured")
    print()


def scheduled_with(task: Any) -> str:
    """The priority of an activity task, as the history of its execution has it."""
    execution = task["workflowExecution"]
    events = swf.get_workflow_execution_history(domain=DOMAIN, execution=execution)["events"]
    scheduled = [one.get("activityTaskScheduledEventAttributes") for one in events]
    found = (one for one in scheduled if one and one["activityId"] == task["activityId"])
    return next(found)["taskPriority"]


def tell(place: int, name: str, priority: str) -> None:
    """One task: its place, its priority and where that came from."""
    print(f"   {place}. {name:<11} {priority:>4}  {REASONS.get(priority, 'its own')}")


def open_executions() -> None:
    """The executions that are open at the end."""
    print("\n   What is open now, with the priority of its decision tasks:")
    found = swf.list_open_workflow_executions(domain=DOMAIN, startTimeFilter={"oldestDate": 0})
    for info in found["executionInfos"]:
        execution = info["execution"]
        print(f"   {execution['workflowId']:<16} {describe(execution):>4}")


def main() -> None:
    """The six requests in order, and what comes of them."""
    swf.register_domain(name=DOMAIN, workflowExecutionRetentionPeriodInDays="1")
    swf.register_workflow_type(domain=DOMAIN, **NIGHTLY, **EXECUTION)
    register_workflow()
    start()
    decisions_come()
    register_activity()
    schedule()
    activities_come()
    go_on()
    open_executions()


if __name__ == "__main__":
    main()
