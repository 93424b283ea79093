"""Looking at executions and task lists (W10, W22, W23, 1.9)."""

from collections.abc import Mapping

from workledger import keys
from workledger.service.core import Core
from workledger.swf import histories, lists, timing, tokens
from workledger.swf.call import Answer, Call, epoch
from workledger.workflows import commands
from workledger.workflows.execution import Run, is_late, kept_until

MOST_COUNTED = 10_000
"""A count stops here and says that it was truncated."""

EXACT = 1_000
"""A task list up to this long is counted task by task; a longer one as its line shows it."""


def find_run(call: Call) -> tuple[str, Run]:
    """The run that the call names, with what is due in it done. Raises UnknownResourceFault."""
    call.domain()
    execution: Mapping[str, str] = call.params["execution"]
    workflow_id, run_id = execution["workflowId"], execution["runId"]
    stream = call.execution_stream(workflow_id)
    timing.settle(call.core, stream)
    found = histories.run_of(call.core, stream, run_id)
    if found is None or found.run_id != run_id or expired(found, call.core.clock()):
        raise commands.unknown(workflow_id, run_id)
    return stream, found


def expired(run: Run, now: str) -> bool:
    """Whether a run closed longer ago than its domain keeps what has closed (W31)."""
    return is_late(kept_until(run), now)


def describe_workflow_execution(call: Call) -> Answer:
    """A run: status, effective settings, what is open in it (W10, 1.9)."""
    stream, run = find_run(call)
    latest = run.latest_activity_at
    answer: Answer = {
        "executionInfo": info(run),
        "executionConfiguration": _configuration(run),
        "openCounts": _open_counts(run),
        "latestActivityTaskTimestamp": epoch(latest) if latest else None,
    }
    return answer | _context(call.core, stream, run)


def info(run: Run) -> Answer:
    """A run as lists show it; once cancel was requested that stays true (1.9)."""
    status, at = run.closed or (None, None)
    return {
        "execution": {"workflowId": run.workflow_id, "runId": run.run_id},
        "workflowType": {"name": run.type_name, "version": run.type_version},
        "startTimestamp": epoch(run.started_at),
        "closeTimestamp": epoch(at) if at else None,
        "executionStatus": "CLOSED" if status else "OPEN",
        "closeStatus": status,
        "parent": {"workflowId": run.parent.workflow_id, "runId": run.parent.run_id}
        if run.parent
        else None,
        "tagList": list(run.tags) or None,
        "cancelRequested": run.cancel_requested,
    }


def _configuration(run: Run) -> Answer:
    config = run.config
    return {
        "taskStartToCloseTimeout": config.task_timeout,
        "executionStartToCloseTimeout": config.execution_timeout,
        "taskList": {"name": config.task_list},
        "taskPriority": config.task_priority,
        "childPolicy": config.child_policy,
        "lambdaRole": config.lambda_role,
    }


def _open_counts(run: Run) -> Answer:
    """What was open at the end is counted on (1.9); a decision task until it starts: recorded."""
    return {
        "openActivityTasks": run.activities,
        "openDecisionTasks": 1 if run.scheduled else 0,
        "openTimers": run.timers,
        "openChildWorkflowExecutions": run.children,
        "openLambdaFunctions": run.lambdas,
    }


def _context(core: Core, stream: str, run: Run) -> Answer:
    if run.context is None:
        return {}
    _, attrs = histories.event_at(core, stream, run.context)
    return {"latestExecutionContext": attrs.get("executionContext")}


def get_workflow_execution_history(call: Call) -> Answer:
    """A page of a run's history, oldest first unless the other way round is asked for (W22)."""
    stream, run = find_run(call)
    start = lists.position(call, "history", str, int, int)
    if start and start[0] != run.run_id:
        raise tokens.invalid()
    within = histories.range_of(call.core, stream, run)
    if start and not within.first <= start[1] <= within.last:
        raise tokens.invalid()
    backwards = bool(call.params.get("reverseOrder"))
    events, following = histories.page(
        call.core,
        within,
        (start[1], start[2]) if start else None,
        lists.page_size(call),
        backwards=backwards,
    )
    answer: Answer = {"events": events}
    if following:
        answer |= lists.next_page(call, "history", run.run_id, *following)
    return answer


# --- task lists ---------------------------------------------------------------------------------


def count_pending_activity_tasks(call: Call) -> Answer:
    """How many activity tasks wait on a list."""
    return _count_pending(call, "activity")


def count_pending_decision_tasks(call: Call) -> Answer:
    """How many decision tasks wait on a list."""
    return _count_pending(call, "decision")


def _count_pending(call: Call, kind: str) -> Answer:
    """Tasks of runs that have closed stand there until a poll meets them: they do not count."""
    call.domain()
    core, name = call.core, call.params["taskList"]["name"]
    line = keys.tasks_line(call.scope, call.params["domain"], kind, name)
    found = core.store.read_line(line, limit=EXACT)
    if len(found) == EXACT:
        count = core.store.count_line(line, MOST_COUNTED + 1)
        return {"count": min(count, MOST_COUNTED), "truncated": count > MOST_COUNTED}
    streams = list({one.stream for one in found})
    rows = core.store.rows([(stream, keys.HEAD) for stream in streams]) if streams else {}
    runs: dict[str, Run | None] = {
        stream: core.executor.state(row) for (stream, _), row in rows.items()
    }
    alive = [one for one in found if _alive(runs.get(one.stream), one.thing)]
    return {"count": len(alive), "truncated": False}


def _alive(run: Run | None, thing: str) -> bool:
    return run is not None and not run.closed and thing.split(".")[1] == str(run.generation)
