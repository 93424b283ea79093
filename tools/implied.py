"""A history that descriptions imply, where a recording has none: one child, and then the end."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.replaying import CannotReplay, Event

CHILD = {"workflowId": "implied"}


def history(described: Sequence[Mapping[str, Any]]) -> list[Event]:
    """Events after which an execution is described like that. Raises CannotReplay."""
    if not described:
        return []
    first, last = described[0], described[-1]
    opened = {name: count for name, count in first["openCounts"].items() if count}
    info = last["executionInfo"]
    how = (opened, info.get("closeStatus"))
    if how != ({"openChildWorkflowExecutions": 1}, "COMPLETED"):
        raise CannotReplay(f"described as {how}, but without a history")
    events = _events(first["executionConfiguration"])
    ends = next(at for at, (kind, _) in enumerate(events) if kind == _ENDS)
    return [
        {
            "eventId": at + 1,
            "eventType": kind,
            "eventTimestamp": info["closeTimestamp" if at >= ends else "startTimestamp"],
            f"{kind[0].lower()}{kind[1:]}EventAttributes": attributes,
        }
        for at, (kind, attributes) in enumerate(events)
    ]


_ENDS = "ChildWorkflowExecutionCompleted"


def _events(configuration: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    of_child = {**CHILD, "workflowType": {"name": "implied", "version": "1"}, **configuration}
    scheduled = {"taskList": configuration["taskList"]}
    return [
        ("WorkflowExecutionStarted", {}),
        *_decision(2, scheduled),
        ("StartChildWorkflowExecutionInitiated", {**of_child, "decisionTaskCompletedEventId": 4}),
        ("ChildWorkflowExecutionStarted", {"workflowExecution": CHILD, "initiatedEventId": 5}),
        *_decision(7, scheduled),
        (_ENDS, {"workflowExecution": CHILD, "initiatedEventId": 5}),
        *_decision(11, scheduled),
        ("WorkflowExecutionCompleted", {"decisionTaskCompletedEventId": 13}),
    ]


def _decision(number: int, scheduled: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    started = {"scheduledEventId": number}
    return [
        ("DecisionTaskScheduled", scheduled),
        ("DecisionTaskStarted", started),
        ("DecisionTaskCompleted", {**started, "startedEventId": number + 1}),
    ]
