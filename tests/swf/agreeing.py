"""Executions that asked something of each other: it happened once, and all tell the same of it."""

from collections import Counter
from collections.abc import Sequence

from tests.swf.service import runs
from workledger.ledger.commit import Event
from workledger.service.core import Core
from workledger.workflows.folding import CLOSINGS


def agree(core: Core, workflow_ids: Sequence[str]) -> None:
    """What one execution asked of another happened once, and both tell the same of it."""
    histories = {
        (one, number): events
        for one in workflow_ids
        for number, events in enumerate(runs(core, one), 1)
    }
    every = [event for events in histories.values() for event in events]
    for key, events in histories.items():
        for event in events:
            _asked_once(event, events, every, key)
        _children_agree(key, events, histories)


def _of(events: list[Event], kind: str, **attrs: object) -> list[Event]:
    wanted = attrs.items()
    return [
        one
        for one in events
        if one.type == kind and all(one.data["attrs"].get(name) == value for name, value in wanted)
    ]


APPLIED = "CHILD_POLICY_APPLIED"
POLICED = ("WorkflowExecutionTerminated", "WorkflowExecutionTimedOut")
OUTCOMES = {
    "SignalExternalWorkflowExecutionInitiated": (
        "ExternalWorkflowExecutionSignaled",
        "SignalExternalWorkflowExecutionFailed",
        "WorkflowExecutionSignaled",
    ),
    "RequestCancelExternalWorkflowExecutionInitiated": (
        "ExternalWorkflowExecutionCancelRequested",
        "RequestCancelExternalWorkflowExecutionFailed",
        "WorkflowExecutionCancelRequested",
    ),
}


def _asked_once(
    event: Event,
    events: list[Event],
    every: list[Event],
    key: tuple[str, int],
) -> None:
    if event.type not in OUTCOMES:
        return
    arrived, failed, there = OUTCOMES[event.type]
    number = event.data["id"]
    here = {"workflowId": key[0], "runId": events[0].data["runId"]}
    found = _of(every, there, externalWorkflowExecution=here, externalInitiatedEventId=number)
    told = [len(_of(events, kind, initiatedEventId=number)) for kind in (arrived, failed)]
    assert len(found) <= 1, "never twice"
    assert sum(told) <= 1
    if not _closed(events):
        assert sum(told) == 1, "never forgotten"
    assert told[0] <= len(found)
    assert not (told[1] and found)


def _children_agree(
    key: tuple[str, int],
    events: list[Event],
    histories: dict[tuple[str, int], list[Event]],
) -> None:
    """Each child that was initiated began at most once; an open parent and child know each other."""
    here = {"workflowId": key[0], "runId": events[0].data["runId"]}
    for initiated in _of(events, "StartChildWorkflowExecutionInitiated"):
        number = initiated.data["id"]
        begun = [
            (one, theirs)
            for one, theirs in histories.items()
            if theirs[0].data["attrs"].get("parentWorkflowExecution") == here
            and theirs[0].data["attrs"]["parentInitiatedEventId"] == number
        ]
        first = [
            one for one, theirs in begun if "continuedExecutionRunId" not in theirs[0].data["attrs"]
        ]
        assert len(first) <= 1, "never twice"
        about = Counter(
            one.type for one in events if one.data["attrs"].get("initiatedEventId") == number
        )
        ends = (
            sum(about[kind] for kind in about if kind.startswith("ChildWorkflowExecution"))
            - about["ChildWorkflowExecutionStarted"]
        )
        _policy_was_applied(events, [theirs for _, theirs in begun])
        if not _closed(events):
            assert about["ChildWorkflowExecutionStarted"] == len(first)
            assert about["StartChildWorkflowExecutionFailed"] == 1 - len(first)
            open_children = [one for one, theirs in begun if not _closed(theirs)]
            assert ends == len(first) - len(open_children)


def _policy_was_applied(events: list[Event], begun: list[list[Event]]) -> None:
    """Once a run was terminated or timed out, none of its children goes on as if nothing was."""
    applied = [_of(theirs, "WorkflowExecutionCancelRequested", cause=APPLIED) for theirs in begun]
    assert sum(len(one) for one in applied) <= 1, "never twice"
    ended = [one for one in events if one.type in POLICED]
    policy = ended[0].data["attrs"]["childPolicy"] if ended else None
    going_on = [theirs for theirs in begun if not _closed(theirs)]
    if policy == "TERMINATE":
        assert not going_on
    if policy == "REQUEST_CANCEL" and going_on:
        assert sum(len(one) for one in applied) == 1, "never forgotten"


def _closed(events: list[Event]) -> bool:
    return any(event.type in CLOSINGS for event in events)
