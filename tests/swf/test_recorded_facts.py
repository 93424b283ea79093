"""What recordings of the service show of activities and cancel requests, as scenarios of our own."""

import json

import pytest

from tests.races.world import World
from tests.swf.recorded import LIMITS, Kiln, attributes, complete, glaze
from tests.swf.wire import DOMAIN, Fault, decision


@pytest.fixture
def kiln(world: World) -> Kiln:
    """An execution that is about to start."""
    return Kiln(world)


@pytest.mark.row("1.6 closing with open activities")
def test_w15_an_execution_is_canceled_while_an_activity_goes_on(kiln: Kiln) -> None:
    """Recorded: one activity is open at the end and is counted on; nothing closes it."""
    kiln.start(input='{"pots":3}')
    kiln.decide(glaze("bowl", input="{}"))
    task = kiln.take()
    kiln.call("RequestCancelWorkflowExecution", workflowId="batch")
    kiln.decide(decision("CancelWorkflowExecution"))
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 ActivityTaskScheduled decided=4
         6 ActivityTaskStarted scheduled=5
         7 WorkflowExecutionCancelRequested external=0
         8 DecisionTaskScheduled
         9 DecisionTaskStarted scheduled=8
        10 DecisionTaskCompleted scheduled=8 started=9
        11 WorkflowExecutionCanceled decided=10
        """
    )
    assert kiln.open() == {"openActivityTasks": 1}
    shown = kiln.describe()
    assert shown["executionInfo"]["closeStatus"] == "CANCELED"
    assert shown["latestActivityTaskTimestamp"] == kiln.history()[5]["eventTimestamp"]
    with pytest.raises(Fault, match="UnknownResourceFault"):
        kiln.respond("Completed", task)


@pytest.mark.row("1.6 one started and one scheduled")
def test_w3_an_activity_that_ends_while_a_decider_works_brings_one_more_task(kiln: Kiln) -> None:
    """Recorded: the next decision task is scheduled at once, and started when the first is done."""
    kiln.start(input='{"pots":3}')
    kiln.decide(glaze("bowl", input="{}"))
    task = kiln.take()
    kiln.call("RequestCancelWorkflowExecution", workflowId="batch")
    refusing = kiln.poll()
    kiln.respond("Completed", task, result="null")
    kiln.answer(refusing)
    kiln.decide(complete())
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 ActivityTaskScheduled decided=4
         6 ActivityTaskStarted scheduled=5
         7 WorkflowExecutionCancelRequested external=0
         8 DecisionTaskScheduled
         9 DecisionTaskStarted scheduled=8
        10 ActivityTaskCompleted scheduled=5 started=6
        11 DecisionTaskScheduled
        12 DecisionTaskCompleted scheduled=8 started=9
        13 DecisionTaskStarted scheduled=11
        14 DecisionTaskCompleted scheduled=11 started=13
        15 WorkflowExecutionCompleted decided=14
        """
    )
    assert kiln.open() == {}


def test_w12_activities_follow_each_other(kiln: Kiln) -> None:
    """Recorded: a chain of two; the latest activity moment is that of the last one's end."""
    kiln.start(input="{}")
    kiln.decide(glaze("bowl", input="5"))
    kiln.respond("Completed", kiln.take(), result="6")
    kiln.decide(glaze("jug", input="6"))
    kiln.respond("Completed", kiln.take(), result="12")
    kiln.decide(complete("[6,12]"))
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 ActivityTaskScheduled decided=4
         6 ActivityTaskStarted scheduled=5
         7 ActivityTaskCompleted scheduled=5 started=6
         8 DecisionTaskScheduled
         9 DecisionTaskStarted scheduled=8
        10 DecisionTaskCompleted scheduled=8 started=9
        11 ActivityTaskScheduled decided=10
        12 ActivityTaskStarted scheduled=11
        13 ActivityTaskCompleted scheduled=11 started=12
        14 DecisionTaskScheduled
        15 DecisionTaskStarted scheduled=14
        16 DecisionTaskCompleted scheduled=14 started=15
        17 WorkflowExecutionCompleted decided=16
        """
    )
    ended = kiln.history()[12]["eventTimestamp"]
    assert kiln.describe()["latestActivityTaskTimestamp"] == ended


def test_w16_a_failed_activity_tells_what_its_worker_told(kiln: Kiln) -> None:
    """Recorded in 2023: a reason without details; decision tasks say scheduleToStartTimeout NONE."""
    kiln.start(input="{}")
    kiln.decide(glaze("vase", input="{}"))
    kiln.respond("Failed", kiln.take(), reason="too large for the kiln")
    kiln.decide(complete())
    kiln.is_recorded(
        """
         1 WorkflowExecutionStarted parent=0
         2 DecisionTaskScheduled
         3 DecisionTaskStarted scheduled=2
         4 DecisionTaskCompleted scheduled=2 started=3
         5 ActivityTaskScheduled decided=4
         6 ActivityTaskStarted scheduled=5
         7 ActivityTaskFailed scheduled=5 started=6
         8 DecisionTaskScheduled
         9 DecisionTaskStarted scheduled=8
        10 DecisionTaskCompleted scheduled=8 started=9
        11 WorkflowExecutionCompleted decided=10
        """
    )
    events = kiln.history()
    assert attributes(events[1])["scheduleToStartTimeout"] == "NONE"
    assert "details" not in attributes(events[6])


def test_w12_limits_are_kept_as_sent(kiln: Kiln) -> None:
    """Recorded: each time-out of an activity its own."""
    kiln.start(input="null")
    kiln.decide(glaze("cup", heartbeatTimeout="15", startToCloseTimeout="60"))
    kiln.respond("Completed", kiln.take(), result="dry")
    kiln.decide(complete())
    scheduled = attributes(kiln.history()[4])
    assert {name: scheduled[name] for name in LIMITS} == {
        "scheduleToStartTimeout": "300",
        "scheduleToCloseTimeout": "300",
        "startToCloseTimeout": "60",
        "heartbeatTimeout": "15",
    }


def test_w1_a_tag_may_be_null(kiln: Kiln) -> None:
    """Recorded: a list of one null is taken and shown, in the start and when described."""
    kiln.start(tagList=[None])
    asked = json.dumps({"domain": DOMAIN, "execution": kiln.execution}).encode()
    shown = [
        json.loads(kiln.wire.ask(operation, asked).body)
        for operation in ("GetWorkflowExecutionHistory", "DescribeWorkflowExecution")
    ]
    assert attributes(shown[0]["events"][0])["tagList"] == [None]
    assert shown[1]["executionInfo"]["tagList"] == [None]


@pytest.mark.row("1.6 openDecisionTasks")
def test_w3_a_started_decision_task_is_not_open_any_more(kiln: Kiln) -> None:
    """Recorded three times: while a decider works, no decision task is counted as open."""
    kiln.start(input="{}")
    assert kiln.open() == {"openDecisionTasks": 1}
    task = kiln.poll()
    assert kiln.open() == {}
    kiln.answer(task, glaze("tile"))
    kiln.respond("Completed", kiln.take(), result="1")
    assert kiln.open() == {"openDecisionTasks": 1}
    task = kiln.poll()
    shown = kiln.describe()
    assert shown["executionInfo"]["executionStatus"] == "OPEN"
    assert set(shown["openCounts"].values()) == {0}
    assert shown["latestActivityTaskTimestamp"] == kiln.history()[6]["eventTimestamp"]
    kiln.answer(task, complete())
    assert kiln.describe()["executionInfo"]["closeStatus"] == "COMPLETED"
