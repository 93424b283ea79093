"""Every operation of the service: what carries it out, whether it writes, of which domain."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workledger.swf import (
    domains,
    polling,
    responding,
    searching,
    starting,
    tokens,
    types,
    visibility,
)
from workledger.swf.call import Answer, Call, glance
from workledger.workflows.execution import Run

Run_ = Callable[[Call], Answer | None]
About = Callable[[Call], tuple[str | None, ...]]
"""The domains that a call is about; None among them: something beyond any domain."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation."""

    name: str
    run: Run_
    about: About

    @property
    def writes(self) -> bool:
        """Whether it does more than look; a poll does: it starts a task."""
        return not self.name.startswith(("Describe", "List", "Count", "Get"))


def _in_domain(call: Call) -> tuple[str | None, ...]:
    return (call.params["domain"],)


def _named(call: Call) -> tuple[str | None, ...]:
    return (call.params["name"],)


def _in_arn(call: Call) -> tuple[str | None, ...]:
    return (domains.name_in_arn(call),)


def _of_task(call: Call) -> tuple[str | None, ...]:
    """A task token names a stream: its execution's domain is meant."""
    stream, _ = tokens.task_of(call.params["taskToken"])
    return (_domain_of(call, stream),)


def _of_poll(call: Call) -> tuple[str | None, ...]:
    """A further page is of the execution that its token names."""
    token: str | None = call.params.get("nextPageToken")
    if not token:
        return _in_domain(call)
    within, *_ = tokens.decision_page(token, call.core.clock)
    return (call.params["domain"], _domain_of(call, within.stream))


def _domain_of(call: Call, stream: str) -> str | None:
    head: Run | None = glance(call.core, stream).head
    return head.domain if head is not None and head.scope == call.scope else None


def _beyond_domains(_: Call) -> tuple[str | None, ...]:
    return (None,)


_TABLE: Mapping[About, Mapping[str, Run_]] = {
    _in_domain: {
        "CountClosedWorkflowExecutions": searching.count_closed_workflow_executions,
        "CountOpenWorkflowExecutions": searching.count_open_workflow_executions,
        "CountPendingActivityTasks": visibility.count_pending_activity_tasks,
        "CountPendingDecisionTasks": visibility.count_pending_decision_tasks,
        "DeleteActivityType": types.delete_activity_type,
        "DeleteWorkflowType": types.delete_workflow_type,
        "DeprecateActivityType": types.deprecate_activity_type,
        "DeprecateWorkflowType": types.deprecate_workflow_type,
        "DescribeActivityType": types.describe_activity_type,
        "DescribeWorkflowExecution": visibility.describe_workflow_execution,
        "DescribeWorkflowType": types.describe_workflow_type,
        "GetWorkflowExecutionHistory": visibility.get_workflow_execution_history,
        "ListActivityTypes": types.list_activity_types,
        "ListClosedWorkflowExecutions": searching.list_closed_workflow_executions,
        "ListOpenWorkflowExecutions": searching.list_open_workflow_executions,
        "ListWorkflowTypes": types.list_workflow_types,
        "PollForActivityTask": polling.poll_for_activity_task,
        "RegisterActivityType": types.register_activity_type,
        "RegisterWorkflowType": types.register_workflow_type,
        "RequestCancelWorkflowExecution": starting.request_cancel_workflow_execution,
        "SignalWorkflowExecution": starting.signal_workflow_execution,
        "StartWorkflowExecution": starting.start_workflow_execution,
        "TerminateWorkflowExecution": starting.terminate_workflow_execution,
        "UndeprecateActivityType": types.undeprecate_activity_type,
        "UndeprecateWorkflowType": types.undeprecate_workflow_type,
    },
    _of_poll: {"PollForDecisionTask": polling.poll_for_decision_task},
    _of_task: {
        "RecordActivityTaskHeartbeat": responding.record_activity_task_heartbeat,
        "RespondActivityTaskCanceled": responding.respond_activity_task_canceled,
        "RespondActivityTaskCompleted": responding.respond_activity_task_completed,
        "RespondActivityTaskFailed": responding.respond_activity_task_failed,
        "RespondDecisionTaskCompleted": responding.respond_decision_task_completed,
    },
    _named: {
        "DeprecateDomain": domains.deprecate_domain,
        "DescribeDomain": domains.describe_domain,
        "RegisterDomain": domains.register_domain,
        "UndeprecateDomain": domains.undeprecate_domain,
    },
    _in_arn: {
        "ListTagsForResource": domains.list_tags_for_resource,
        "TagResource": domains.tag_resource,
        "UntagResource": domains.untag_resource,
    },
    _beyond_domains: {"ListDomains": domains.list_domains},
}

OPERATIONS: Mapping[str, Operation] = {
    name: Operation(name, run, about)
    for about, runs in _TABLE.items()
    for name, run in runs.items()
}
"""All 39, by name."""
