"""Whatever is asked, in whatever order, on a store that fails: what must always hold (W3, W4, W21)."""

from collections import Counter

import pytest

from tests.races.world import World
from tests.races.world import world as make_world
from tests.swf.play import IDS, Play
from tests.swf.service import check
from workledger.ledger.commit import Event
from workledger.workflows.folding import CLOSINGS


def play(world: World, seed: int, **faults: float) -> Play:
    """A play to its end, and what can be checked of every execution."""
    played = Play(world, seed, **faults)
    played.play(200)
    played.settle()
    check(world, *IDS)
    assert played.reactions() == []
    return played


@pytest.mark.parametrize("seed", range(6))
def test_w3_invariants_without_faults(seed: int) -> None:
    """Ids without gaps, one decision task at a time, counts equal to a recount, views rebuilt."""
    with make_world("sqlite") as world:
        is_consistent(play(world, seed))


@pytest.mark.parametrize("seed", range(14))
def test_w3_invariants_with_faults_everywhere(seed: int) -> None:
    """Lost answers, throttling, unplaced rows, death at any step, lines that lag."""
    with make_world("sqlite") as world:
        is_consistent(play(world, seed, rate=0.02, lag=0.5))


@pytest.mark.parametrize("seed", range(1))
def test_w3_invariants_on_dynamodb(seed: int) -> None:
    """The same on the production store."""
    with make_world("dynamodb") as world:
        is_consistent(play(world, seed, rate=0.02))


# --- between executions -------------------------------------------------------------------------


def is_consistent(played: Play) -> None:
    """What one execution asked of another happened once, and both tell the same of it."""
    histories = played.histories()
    every = [event for events in histories.values() for event in events]
    run_ids = {events[0].data["runId"]: key for key, events in histories.items()}
    for key, events in histories.items():
        for event in events:
            _asked_once(event, events, every, run_ids, key)
        _children_agree(key, events, histories, played)


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
    run_ids: dict[str, tuple[str, int]],
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
    played: Play,
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
