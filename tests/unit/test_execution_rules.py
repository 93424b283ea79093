"""The rules of an execution: decisions, tasks, time-outs (W3 to W21, tables 1.3 to 1.7)."""

from typing import Any

from tests.support import START
from workledger.keys import HEAD, execution_stream
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.times import plus
from workledger.workflows import commands, decisions, folding, outcomes, timeouts
from workledger.workflows.commands import Answer, Asking, Start, Target, Token
from workledger.workflows.decisions import Batch
from workledger.workflows.execution import activity_thing
from workledger.workflows.settings import TypeInfo

SCOPE, DOMAIN, WORKFLOW = "eu-west-1/123456789012", "orders", "w-1"
STREAM = execution_stream(SCOPE, DOMAIN, WORKFLOW)
SETTINGS = {
    "executionStartToCloseTimeout": "3600",
    "taskList": {"name": "main"},
    "taskStartToCloseTimeout": "60",
    "childPolicy": "TERMINATE",
    "taskPriority": None,
    "lambdaRole": None,
}
NONE_TIMEOUTS = {
    "defaultTaskScheduleToStartTimeout": "NONE",
    "defaultTaskScheduleToCloseTimeout": "NONE",
    "defaultTaskStartToCloseTimeout": "NONE",
    "defaultTaskHeartbeatTimeout": "NONE",
}
TYPES = {
    ("activity", "post-to-ledger", "3"): TypeInfo(False, NONE_TIMEOUTS),
    ("activity", "old-post", "1"): TypeInfo(True, NONE_TIMEOUTS),
    ("workflow", "order", "1"): TypeInfo(False, {}),
}


class Story:
    """A stream of one workflow id, told command by command; time moves only when told."""

    def __init__(self) -> None:
        self.seen, self.now, self.count = Seen(STREAM), START, 0
        self.history: list[Event] = []

    def do(self, decide: Any, *args: Any) -> list[str]:
        """Carry out a command; answers the types of its events."""
        self.count += 1
        asking = Asking(self.now, f"c{self.count}", "kai")
        events = decide(self.seen, *args, asking)
        number = self.seen.number + 1
        commit = Commit(STREAM, number, asking.command, self.now, "kai", tuple(events))
        states = dict(self.seen.states)
        for event in events:
            head = states.get(HEAD)
            for thing in event.things:
                states[thing] = folding.evolve(thing, states.get(thing), event, commit, head)
        if events:
            self.seen = Seen(STREAM, number, states)
        self.history += events
        return [event.type for event in events]

    @property
    def run(self) -> Any:
        """The newest run."""
        return self.seen.head

    def start(self, **settings: Any) -> None:
        """Start a run of the workflow id."""
        new = Start(SCOPE, DOMAIN, WORKFLOW, "run", "order", "1", {**SETTINGS, **settings})
        assert self.do(commands.start, new) == ["WorkflowExecutionStarted", "DecisionTaskScheduled"]

    def decide(self, *batch: dict[str, Any], answer: Answer | None = None) -> list[str]:
        """Start the waiting decision task, then answer it; the events after its completion."""
        if self.run.started is None:
            assert self.do(commands.start_decision, self.run.scheduled.id, None) == [
                "DecisionTaskStarted"
            ]
        started = self.run.started
        token = Token(self.run.generation, started.scheduled_id, started.id)
        asked = Batch(list(batch), TYPES, f"run.{self.run.generation + 1}", 0)
        done = self.do(commands.complete_decision, token, answer or Answer(), asked)
        assert done[0] == "DecisionTaskCompleted"
        return done[1:]

    def attrs(self, index: int = -1) -> dict[str, Any]:
        """The attributes of an event."""
        return dict(self.history[index].data["attrs"])


def schedule(activity_id: str, of: str = "post-to-ledger", version: str = "3", **more: Any) -> dict:
    """A decision to schedule an activity."""
    attrs = {"activityId": activity_id, "activityType": {"name": of, "version": version}}
    attrs |= {"taskList": {"name": "ledger-workers"}, **more}
    return {
        "decisionType": "ScheduleActivityTask",
        "scheduleActivityTaskDecisionAttributes": attrs,
    }


def timer(timer_id: str, seconds: str = "5") -> dict:
    """A decision to start a timer."""
    attrs = {"timerId": timer_id, "startToFireTimeout": seconds}
    return {"decisionType": "StartTimer", "startTimerDecisionAttributes": attrs}


def other(kind: str, **attrs: Any) -> dict:
    """Any decision."""
    return {"decisionType": kind, f"{kind[0].lower()}{kind[1:]}DecisionAttributes": attrs}


def started() -> Story:
    """A run with its first decision task waiting."""
    story = Story()
    story.start()
    return story


def causes(story: Story) -> list[str]:
    """The causes of the failed decisions so far."""
    found = [event.data["attrs"].get("cause") for event in story.history]
    return [cause for cause in found if cause]


def test_w5_several_decisions_some_fail_on_their_meaning():
    story = started()
    assert story.decide(timer("t-open"), schedule("act-open")) == [
        "TimerStarted",
        "ActivityTaskScheduled",
    ]
    story.do(commands.signal, Target(WORKFLOW), "go", None)
    assert story.decide(
        other("RecordMarker", markerName="before"),
        schedule("x1", "old-post", "1"),
        schedule("x2", taskPriority="-2147483648"),
        timer("t-open"),
    ) == [
        "MarkerRecorded",
        "ScheduleActivityTaskFailed",
        "ActivityTaskScheduled",
        "StartTimerFailed",
        "DecisionTaskScheduled",
    ]
    assert causes(story) == ["ACTIVITY_TYPE_DEPRECATED", "TIMER_ID_ALREADY_IN_USE"]
    assert story.decide(
        schedule("act-open"),
        other("CancelTimer", timerId="nope"),
        other("RequestCancelActivityTask", activityId="nope"),
    ) == [
        "ScheduleActivityTaskFailed",
        "CancelTimerFailed",
        "RequestCancelActivityTaskFailed",
        "DecisionTaskScheduled",
    ]
    assert causes(story)[2:] == [
        "ACTIVITY_ID_ALREADY_IN_USE",
        "TIMER_ID_UNKNOWN",
        "ACTIVITY_ID_UNKNOWN",
    ]
    assert story.decide() == []


def test_w3_at_most_one_started_and_one_scheduled():
    story = started()
    story.do(commands.start_decision, story.run.scheduled.id, None)
    assert story.do(commands.signal, Target(WORKFLOW), "a", None) == [
        "WorkflowExecutionSignaled",
        "DecisionTaskScheduled",
    ]
    assert story.do(commands.signal, Target(WORKFLOW), "b", None) == ["WorkflowExecutionSignaled"]
    assert story.decide() == []
    assert story.run.scheduled is not None
    waiting = story.seen.states["decision.1"]
    assert waiting.waiting


def test_w14_closing_with_an_unseen_event_is_an_unhandled_decision():
    for kind in decisions.CLOSING:
        story = started()
        story.do(commands.start_decision, story.run.scheduled.id, None)
        story.do(commands.signal, Target(WORKFLOW), "a", None)
        marker = other("RecordMarker", markerName="m")
        failed = "ContinueAsNewWorkflowExecutionFailed" if "Continue" in kind else f"{kind}Failed"
        assert story.decide(marker, other(kind)) == ["MarkerRecorded", failed]
        assert causes(story) == ["UNHANDLED_DECISION"]
        assert story.run.closed is None


def test_w4_an_activity_id_can_be_used_again_once_it_is_closed():
    story = started()
    story.decide(schedule("a"))
    thing = activity_thing(1, "a")
    activity = story.seen.states[thing]
    assert story.do(commands.start_activity, thing, activity.id, "w") == ["ActivityTaskStarted"]
    token = Token(1, activity.id, story.run.next_id - 1, thing)
    done = story.do(commands.close_activity, token, "ActivityTaskCompleted", {"result": "ok"}, None)
    assert done == ["ActivityTaskCompleted", "DecisionTaskScheduled"]
    assert story.decide(schedule("a")) == ["ActivityTaskScheduled"]
    assert story.run.activities == 1


def test_w18_a_timer_fires_at_its_moment_however_late_it_is_seen():
    story = started()
    story.decide(timer("t", "2"))
    story.now = plus(START, 30)
    assert story.do(timeouts.fire, {}) == ["TimerFired", "DecisionTaskScheduled"]
    assert {event.data["at"] for event in story.history[-2:]} == {plus(START, 2)}


def test_w17_a_decision_task_times_out_and_comes_again():
    story = started()
    story.do(commands.start_decision, story.run.scheduled.id, None)
    story.now = plus(START, 60)
    assert story.do(timeouts.fire, {}) == ["DecisionTaskTimedOut", "DecisionTaskScheduled"]
    assert story.attrs(-2) == {
        "timeoutType": "START_TO_CLOSE",
        "scheduledEventId": 2,
        "startedEventId": 3,
    }
    assert story.seen.states["decision.1"].waiting


def test_w17_a_run_times_out_at_its_moment():
    story = started()
    story.now = plus(START, 4000)
    assert story.do(timeouts.fire, {}) == ["WorkflowExecutionTimedOut"]
    assert story.run.closed == ("TIMED_OUT", plus(START, 3600))
    assert story.seen.states["decision.1"] is None


def test_w26_continue_as_new_begins_the_next_run_in_the_same_stream():
    story = Story()
    story.start(taskPriority="7")
    again = other(
        "ContinueAsNewWorkflowExecution",
        input="x",
        taskPriority="100",
        executionStartToCloseTimeout="10",
        taskList={"name": "main"},
        taskStartToCloseTimeout="10",
        childPolicy="ABANDON",
    )
    assert story.decide(again) == [
        "WorkflowExecutionContinuedAsNew",
        "WorkflowExecutionStarted",
        "DecisionTaskScheduled",
    ]
    assert story.run.generation == 2
    assert story.run.config.task_priority == "100"
    assert story.seen.states["g1"].closed[0] == "CONTINUED_AS_NEW"
    assert story.seen.states["decision.2"].priority == 100


def test_w20_canceling_an_activity_that_nobody_started_closes_it_at_once():
    story = started()
    story.decide(schedule("a"))
    story.do(commands.signal, Target(WORKFLOW), "go", None)
    assert story.decide(other("RequestCancelActivityTask", activityId="a")) == [
        "ActivityTaskCancelRequested",
        "ActivityTaskCanceled",
        "DecisionTaskScheduled",
    ]
    assert story.attrs(-2)["startedEventId"] == 0


def test_w19_a_signal_to_another_execution_comes_back_as_an_outcome():
    story = started()
    signal = other("SignalExternalWorkflowExecution", workflowId="w-2", signalName="go")
    assert story.decide(signal) == ["SignalExternalWorkflowExecutionInitiated"]
    event = story.history[-1]
    asked = outcomes.Asked(1, event.data["id"], "signal", event.data["attrs"])
    assert story.do(outcomes.external, asked, "run-2") == [
        "ExternalWorkflowExecutionSignaled",
        "DecisionTaskScheduled",
    ]
    assert story.do(outcomes.external, asked, "run-2") == []
