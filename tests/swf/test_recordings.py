"""The tool that replays recordings: a recording of our own is the same, an altered one is not."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.swf.wire import decision
from tools import recordings
from tools.recordings import CannotReplay, Recorded
from tools.replaying import Service
from workledger.stores.sqlite import SqliteStore

DOMAIN, START = "mill", 1_700_000_000.25
GRIND = {"name": "grind", "version": "2"}
TURN = {"name": "turn", "version": "2"}
CONFIGURATION = {
    "defaultTaskStartToCloseTimeout": "40",
    "defaultExecutionStartToCloseTimeout": "900",
    "defaultTaskList": {"name": "millers"},
    "defaultChildPolicy": "ABANDON",
}
TIMES = {
    "scheduleToStartTimeout": "30",
    "scheduleToCloseTimeout": "60",
    "startToCloseTimeout": "30",
    "heartbeatTimeout": "NONE",
}


class Mill:
    """Something that happens, call by call, each a little later."""

    def __init__(self, path: Path) -> None:
        self.service, self.calls = Service(SqliteStore(str(path))), list[Any]()
        self.service.now = START
        self.call("RegisterDomain", name=DOMAIN, workflowExecutionRetentionPeriodInDays="1")
        self.call("RegisterWorkflowType", domain=DOMAIN, **GRIND, **CONFIGURATION)
        self.call("RegisterActivityType", domain=DOMAIN, **TURN)

    def call(self, operation: str, *, recorded: bool = False, **params: Any) -> Any:
        """Call an operation, and remember it where a recording would."""
        answer = self.service(operation, **params)
        if recorded:
            target = f"SimpleWorkflowService.{operation}"
            self.calls.append({"target": target, "request": params, "response": answer})
        self.service.now += 0.5
        return answer

    def decide(self, *decisions: Any) -> None:
        """Take the decision task and answer it."""
        task = self.call("PollForDecisionTask", domain=DOMAIN, taskList={"name": "millers"})
        self.call(
            "RespondDecisionTaskCompleted", taskToken=task["taskToken"], decisions=list(decisions)
        )

    def run(self) -> list[dict[str, Any]]:
        """The recording of a run."""
        of = {"domain": DOMAIN, "workflowType": GRIND}
        self.call("DescribeWorkflowType", recorded=True, **of)
        started = self.call("StartWorkflowExecution", recorded=True, workflowId="sack", **of)
        execution = {"workflowId": "sack", "runId": started["runId"]}
        about = {"domain": DOMAIN, "execution": execution}
        turn = {"activityType": TURN, "taskList": {"name": "stones"}, **TIMES}
        self.decide(
            decision("ScheduleActivityTask", activityId="one", taskPriority="3", **turn),
            decision("ScheduleActivityTask", activityId="two", **turn),
            decision("StartTimer", timerId="rest", startToFireTimeout="300"),
            decision("RecordMarker", markerName="filled", details="rye"),
        )
        self.call("DescribeWorkflowExecution", recorded=True, **about)
        for result in ("flour", "bran"):
            task = self.call("PollForActivityTask", domain=DOMAIN, taskList={"name": "stones"})
            self.call("RespondActivityTaskCompleted", taskToken=task["taskToken"], result=result)
        self.decide(decision("CancelTimer", timerId="rest"))
        self.call("SignalWorkflowExecution", domain=DOMAIN, workflowId="sack", signalName="full")
        self.decide(decision("CompleteWorkflowExecution", result="done"))
        self.call("DescribeWorkflowExecution", recorded=True, **about)
        self.call("GetWorkflowExecutionHistory", recorded=True, **about)
        return self.calls


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """A recording of our own service, in the form of the real one's."""
    return Mill(tmp_path_factory.mktemp("mill") / "recorded.db").run()


def replayed(folder: Path, calls: list[dict[str, Any]]) -> list[str]:
    """What differs when a recording is replayed."""
    (folder / "mill.json").write_text(json.dumps(calls))
    read = recordings.read(folder / "mill.json")
    return list(recordings.differences(read, folder / "replayed.db"))


def test_w1_what_was_recorded_here_is_the_same_here(
    recording: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Every event, link and member, and each description at some moment."""
    assert replayed(tmp_path, recording) == []


def _link(calls: list[Any]) -> None:
    _event(calls, "DecisionTaskCompleted")["startedEventId"] = 2


def _member(calls: list[Any]) -> None:
    del _event(calls, "WorkflowExecutionStarted")["parentInitiatedEventId"]


def _value(calls: list[Any]) -> None:
    _event(calls, "DecisionTaskScheduled")["startToCloseTimeout"] = "41"


def _count(calls: list[Any]) -> None:
    calls[2]["response"]["openCounts"]["openTimers"] = 2


def _event(calls: list[Any], kind: str) -> dict[str, Any]:
    event = next(one for one in calls[-1]["response"]["events"] if one["eventType"] == kind)
    return event[f"{kind[0].lower()}{kind[1:]}EventAttributes"]


@pytest.mark.parametrize(
    ("alter", "told"),
    [
        (_link, "startedEventId: 3, recorded 2"),
        (_member, "1 WorkflowExecutionStarted.attributes: members"),
        (_value, "startToCloseTimeout: '40', recorded '41'"),
        (_count, "openTimers: 1, recorded 2"),
    ],
)
def test_w1_what_was_recorded_otherwise_is_told(
    recording: list[dict[str, Any]], tmp_path: Path, alter: Callable[[list[Any]], None], told: str
) -> None:
    """A link, a member, a value, a count."""
    altered = copy.deepcopy(recording)
    alter(altered)
    found = replayed(tmp_path, altered)
    assert any(told in one for one in found), found


def test_w1_what_nobody_knows_how_to_bring_about_is_told(tmp_path: Path) -> None:
    """No guess takes the place of what a recording does not tell."""
    service = tmp_path / "replayed.db"
    calls = [
        Recorded(
            "DescribeWorkflowType",
            {"domain": DOMAIN, "workflowType": GRIND},
            {
                "typeInfo": {"workflowType": GRIND, "status": "REGISTERED", "creationDate": START},
                "configuration": CONFIGURATION,
            },
        ),
        Recorded("StartWorkflowExecution", {"domain": DOMAIN, "workflowId": "sack"}, {}),
    ]
    with pytest.raises(CannotReplay, match="nothing tells when it was started"):
        list(recordings.differences(calls, service))
