"""What recordings show of timers, signals, children, markers, lists, as scenarios of our own."""

import pytest

from tests.races.world import World
from tests.swf.recorded import FIRE, Kiln, attributes, complete, glaze, kinds, timer
from tests.swf.wire import decision
from workledger.service import sweeping


@pytest.fixture
def kiln(world: World) -> Kiln:
    """An execution that is about to start."""
    return Kiln(world)


def test_w21_a_child_is_initiated_started_completed(kiln: Kiln) -> None:
    """Recorded: the start brings a decision task of its own, the end another one."""
    kiln.start(input="{}")
    child = {"workflowId": "small", "workflowType": FIRE, "taskList": {"name": "others"}}
    kiln.decide(decision("StartChildWorkflowExecution", input="4", **child))
    kiln.decide()
    assert kiln.open() == {"openChildWorkflowExecutions": 1}
    task = kiln.call("PollForDecisionTask", taskList={"name": "others"})
    kiln.answer(task, complete("[5,10]"))
    kiln.decide(complete("[[5,10]]"))
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 StartChildWorkflowExecutionInitiated decided=4
         6 ChildWorkflowExecutionStarted initiated=5
         7 DecisionTaskScheduled
         8 DecisionTaskStarted scheduled=7
         9 DecisionTaskCompleted scheduled=7 started=8
        10 ChildWorkflowExecutionCompleted initiated=5 started=6
        11 DecisionTaskScheduled
        12 DecisionTaskStarted scheduled=11
        13 DecisionTaskCompleted scheduled=11 started=12
        14 WorkflowExecutionCompleted decided=13
        """
    )
    events = kiln.history()
    assert attributes(events[9])["result"] == "[5,10]"
    assert attributes(events[9])["workflowExecution"] == task["workflowExecution"]
    assert "latestActivityTaskTimestamp" not in kiln.describe()


def test_w15_an_open_child_is_counted_until_it_ends(kiln: Kiln) -> None:
    """Recorded twice while it was open and once after: short time-outs given at the start."""
    kiln.start(input="{}", taskStartToCloseTimeout="10", executionStartToCloseTimeout="100")
    child = {"workflowId": "small", "workflowType": FIRE, "taskList": {"name": "others"}}
    kiln.decide(decision("StartChildWorkflowExecution", **child))
    kiln.decide()
    for _ in range(2):
        shown = kiln.describe()
        assert shown["openCounts"]["openChildWorkflowExecutions"] == 1
        assert shown["executionInfo"]["executionStatus"] == "OPEN"
        assert "closeStatus" not in shown["executionInfo"]
    assert shown["executionConfiguration"]["taskStartToCloseTimeout"] == "10"
    kiln.answer(kiln.call("PollForDecisionTask", taskList={"name": "others"}), complete())
    kiln.decide(complete())
    assert kiln.open() == {}
    assert kiln.describe()["executionInfo"]["closeStatus"] == "COMPLETED"


def test_w23_an_execution_is_listed_by_its_id_and_terminated_without_an_answer(
    kiln: Kiln,
) -> None:
    """Recorded: a filter from the epoch on; the answer to a termination has an empty body."""
    kiln.start(input="null", executionStartToCloseTimeout="300", taskStartToCloseTimeout="30")
    found = kiln.call(
        "ListOpenWorkflowExecutions",
        startTimeFilter={"oldestDate": 0},
        executionFilter={"workflowId": "batch"},
    )
    (info,) = found["executionInfos"]
    assert set(found) == {"executionInfos"}
    assert info == kiln.describe()["executionInfo"]
    assert set(info) == {
        *("cancelRequested", "execution", "executionStatus", "startTimestamp", "workflowType")
    }
    assert kiln.call("TerminateWorkflowExecution", workflowId="batch") is None


def test_w18_of_two_timers_one_fires_and_one_is_canceled(kiln: Kiln) -> None:
    """Recorded: no decision task of a cancel; a timer of 0 seconds fires by itself, soon."""
    kiln.start(input="{}")
    kiln.decide(timer("long", "120"), timer("short", "2"))
    kiln.world.clock.tick(2)
    sweeping.sweep(kiln.wire.core)
    kiln.decide(decision("CancelTimer", timerId="long"), timer("wake", "0"))
    kiln.decide(complete())
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 TimerStarted decided=4
         6 TimerStarted decided=4
         7 TimerFired started=6
         8 DecisionTaskScheduled
         9 DecisionTaskStarted scheduled=8
        10 DecisionTaskCompleted scheduled=8 started=9
        11 TimerCanceled decided=10 started=5
        12 TimerStarted decided=10
        13 TimerFired started=12
        14 DecisionTaskScheduled
        15 DecisionTaskStarted scheduled=14
        16 DecisionTaskCompleted scheduled=14 started=15
        17 WorkflowExecutionCompleted decided=16
        """
    )
    events = kiln.history()
    assert events[6]["eventTimestamp"] - events[5]["eventTimestamp"] == 2


def test_w19_signals_while_activities_go_on_and_a_context_that_changes(kiln: Kiln) -> None:
    """Recorded: one task more while one is started; the latest context is shown, even an empty one."""
    kiln.start(input="{}")
    kiln.decide(glaze("a"), glaze("b"), executionContext="waits for two")
    assert kiln.describe()["latestExecutionContext"] == "waits for two"
    first, second = kiln.take(), kiln.take()
    assert kiln.open() == {"openActivityTasks": 2}
    kiln.call("SignalWorkflowExecution", workflowId="batch", signalName="hot")
    task = kiln.poll()
    kiln.respond("Completed", first, result="null")
    kiln.answer(task, executionContext="waits for one")
    kiln.decide(executionContext="waits for one")
    assert kiln.open() == {"openActivityTasks": 1}
    kiln.call("SignalWorkflowExecution", workflowId="batch", signalName="hotter")
    task = kiln.poll()
    kiln.respond("Completed", second, result="null")
    kiln.answer(task, executionContext="")
    kiln.decide(glaze("c"))
    assert kiln.describe()["latestExecutionContext"] == ""
    kiln.respond("Completed", kiln.take(), result="2")
    kiln.decide(complete())
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 ActivityTaskScheduled decided=4
         6 ActivityTaskScheduled decided=4
         7 ActivityTaskStarted scheduled=5
         8 ActivityTaskStarted scheduled=6
         9 WorkflowExecutionSignaled external=0
        10 DecisionTaskScheduled
        11 DecisionTaskStarted scheduled=10
        12 ActivityTaskCompleted scheduled=5 started=7
        13 DecisionTaskScheduled
        14 DecisionTaskCompleted scheduled=10 started=11
        15 DecisionTaskStarted scheduled=13
        16 DecisionTaskCompleted scheduled=13 started=15
        17 WorkflowExecutionSignaled external=0
        18 DecisionTaskScheduled
        19 DecisionTaskStarted scheduled=18
        20 ActivityTaskCompleted scheduled=6 started=8
        21 DecisionTaskScheduled
        22 DecisionTaskCompleted scheduled=18 started=19
        23 DecisionTaskStarted scheduled=21
        24 DecisionTaskCompleted scheduled=21 started=23
        25 ActivityTaskScheduled decided=24
        26 ActivityTaskStarted scheduled=25
        27 ActivityTaskCompleted scheduled=25 started=26
        28 DecisionTaskScheduled
        29 DecisionTaskStarted scheduled=28
        30 DecisionTaskCompleted scheduled=28 started=29
        31 WorkflowExecutionCompleted decided=30
        """
    )
    assert attributes(kiln.history()[21])["executionContext"] == ""
    assert "executionContext" not in attributes(kiln.history()[23])


def test_w5_markers_bring_no_decision_task_but_a_timer_does(kiln: Kiln) -> None:
    """Recorded: one name twice, details only where they were given."""
    kiln.start(input="{}")
    kiln.decide(
        decision("RecordMarker", markerName="shelf"),
        decision("RecordMarker", markerName="shelf", details="top"),
        decision("RecordMarker", markerName="door", details="shut"),
        timer("wake", "0"),
    )
    kiln.decide(complete())
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 MarkerRecorded decided=4
         6 MarkerRecorded decided=4
         7 MarkerRecorded decided=4
         8 TimerStarted decided=4
         9 TimerFired started=8
        10 DecisionTaskScheduled
        11 DecisionTaskStarted scheduled=10
        12 DecisionTaskCompleted scheduled=10 started=11
        13 WorkflowExecutionCompleted decided=12
        """
    )
    events = kiln.history()
    assert kinds(events).count("MarkerRecorded") == 3
    assert [attributes(event).get("details") for event in events[4:7]] == [None, "top", "shut"]
