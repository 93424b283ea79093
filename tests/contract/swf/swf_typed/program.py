"""A workflow by hand with swf-typed, which decodes every answer strictly.

Usage: program.py DOMAIN. Prints what it saw. It leaves out what swf-typed itself cannot do: time-outs
of one activity task (it sends the names that types have), events whose decoding looks for members
in the wrong place (CancelTimerFailed, external signals and cancel requests), polls of an empty
list; and boto3 sends the signal, since swf-typed asks to cancel instead.
"""

import json
import sys
from datetime import timedelta

import boto3
import swf_typed as swf

DOMAIN = sys.argv[1]
MINUTE = timedelta(minutes=1)
ORDER = swf.WorkflowId("order", "1")
PACKING = swf.WorkflowId("packing", "1")
ACTIVITY = swf.ActivityId("step", "1")

client = boto3.client("swf")
seen: dict = {}


def register() -> None:
    retention = swf.DomainConfiguration(timedelta(days=3))
    swf.register_domain(DOMAIN, retention, tags={"team": "shipping"}, client=client)
    found = swf.describe_domain(DOMAIN, client)
    seen["domain"] = [found.configuration.execution_retention.days, found.info.is_deprecated]
    seen["tags"] = swf.get_domain_tags(found.info.arn, client)
    for workflow in (ORDER, PACKING):
        swf.register_workflow(
            workflow,
            DOMAIN,
            default_execution_configuration=swf.DefaultExecutionConfiguration(
                timeout=10 * MINUTE,
                decision_task_timeout=MINUTE,
                decision_task_list=workflow.name,
                decision_task_priority=4,
                child_execution_policy_on_termination=swf.ChildExecutionTerminationPolicy.abandon,
            ),
            client=client,
        )
    swf.register_activity(
        ACTIVITY,
        DOMAIN,
        default_task_configuration=swf.DefaultTaskConfiguration(
            task_list="steps",
            runtime_timeout=MINUTE,
            schedule_timeout=None,
            total_timeout=None,
            heartbeat_timeout=MINUTE,
        ),
        client=client,
    )
    try:
        swf.register_activity(ACTIVITY, DOMAIN, client=client)
    except swf.TypeAlreadyExistsFault as fault:
        seen["again"] = str(fault)
    seen["workflows"] = [one.workflow.name for one in swf.list_workflows(DOMAIN, client=client)]
    seen["activity"] = swf.describe_activity(ACTIVITY, DOMAIN, client).info.is_deprecated


def decide(task_list: str, *decisions: swf.Decision) -> swf.DecisionTask:
    task = swf.request_decision_task(task_list, DOMAIN, "decider", client=client)
    assert all(task.execution_history), "every event is decoded"
    swf.send_decisions(task.token, list(decisions), client=client)
    return task


def schedule(task_id: str, priority: int | None = None) -> swf.Decision:
    configuration = swf.PartialTaskConfiguration(priority=priority) if priority else None
    return swf.ScheduleActivityTaskDecision(
        ACTIVITY, task_id, f"input of {task_id}", configuration, control="c"
    )


def work() -> list[str]:
    """Activities by priority: one is completed, one fails, one is told to stop."""
    pending = swf.get_number_of_pending_tasks("steps", DOMAIN, client)
    first, second, third = (
        swf.request_task("steps", DOMAIN, "worker", client=client) for _ in range(3)
    )
    swf.send_heartbeat(first.token, "half", client)
    swf.complete_task(first.token, "done", client)
    swf.fail_task(second.token, "broken", "in two", client)
    decide("order", swf.RequestCancelActivityTaskDecision(third.id))
    try:
        swf.send_heartbeat(third.token, client=client)
    except swf.Cancelled:
        swf.cancel_task(third.token, "stopped", client)
    return [pending, first.id, second.id, third.id]


def main() -> None:
    register()
    workflow = swf.CurrentExecutionId("order-7")
    execution = swf.start_execution(
        ORDER, workflow, DOMAIN, input="seven", tags=["urgent", "seven"], client=client
    )
    try:
        swf.start_execution(ORDER, workflow, DOMAIN, client=client)
    except swf.WorkflowExecutionAlreadyStartedFault as fault:
        seen["started twice"] = str(fault)
    decide(
        "order",
        swf.RecordMarkerDecision("begun", "at once"),
        schedule("low", -5),
        schedule("high", 2147483647),
        schedule("default"),
        swf.StartTimerDecision("far", 60 * MINUTE),
        swf.StartTimerDecision("far", MINUTE),
        swf.StartChildWorkflowExecutionDecision(
            PACKING, swf.CurrentExecutionId("packing-7"), "a box", tags=["box"]
        ),
    )
    seen["work"] = work()
    seen["child"] = decide("packing", swf.CompleteWorkflowExecutionDecision("packed")).execution.id
    client.signal_workflow_execution(
        domain=DOMAIN, workflowId=workflow.id, signalName="hurry", input="please"
    )
    seen["open"] = swf.get_number_of_open_executions(DOMAIN, client=client)
    shown = swf.describe_execution(execution, DOMAIN, client)
    seen["configuration"] = [
        shown.configuration.decision_task_priority,
        shown.configuration.decision_task_list,
        shown.n_open.timers,
        shown.info.tags,
    ]
    decide("order", swf.CancelTimerDecision("far"), swf.RecordMarkerDecision("end"))
    swf.request_cancel_execution(workflow, DOMAIN, client)
    decide("order", swf.CancelWorkflowExecutionDecision("as asked"))
    state = swf.build_state(swf.get_execution_history(execution, DOMAIN, client=client))
    seen["state"] = {
        "status": state.status.name,
        "asked to cancel": state.cancel_requested,
        "tasks": {task.id: task.status.name for task in state.tasks},
        "timers": {timer.id: timer.status.name for timer in state.timers},
        "children": {one.execution.id: one.result for one in state.child_executions},
        "signals": {signal.name: signal.input for signal in state.signals},
        "markers": [marker.name for marker in state.markers],
        "failures": [one.event.cause.name for one in state.decision_failures],
    }
    last = swf.get_last_execution_history_event(execution, DOMAIN, client)
    seen["last"] = [last.type, last.details]
    closed = swf.list_closed_executions(
        DOMAIN, property_filter=swf.TagExecutionFilter("urgent"), client=client
    )
    seen["closed"] = [[one.execution.id, one.status.name] for one in closed]
    print(json.dumps(seen))


main()
