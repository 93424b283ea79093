"""Six requests that set a priority, run in order; each value seen wherever it is shown (W32).

A survey of the sky: -20 at its start, 10 registered for two types, 5 for a child, 15 for an activity
that waits behind others, 100 for the run that goes on as new.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.service import attributes
from tests.swf.wire import Wire, decision

SKY = "northern-sky"
FIELDS, PLATES = "fields", "plates"
Answer = dict[str, Any]

SURVEY = {"name": "surveyField", "version": "2.1"}
NIGHTLY = {"name": "nightlySurvey", "version": "2.1"}
CHECK = {"name": "checkCalibration", "version": "1"}
MEASURE = {"name": "measurePlate", "version": "7"}


@dataclass
class Survey:
    """The requests in order, each after what it needs."""

    wire: Wire
    workflow_id: str = "field-0417"
    run_id: str = ""
    tasks: list[Answer] = field(default_factory=list[Answer])

    def call(self, operation: str, **params: Any) -> Any:
        """An operation in the sky's domain."""
        return self.wire(operation, domain=SKY, **params)

    # --- the six ---
    def register_survey(self) -> None:
        """1: a workflow type whose executions have 10 unless they say otherwise."""
        self.call("RegisterWorkflowType", **SURVEY, **RUN_DEFAULTS, defaultTaskPriority="10")

    def start(self) -> None:
        """2: an execution of another type, with -20."""
        started = self.call(
            "StartWorkflowExecution",
            workflowId=self.workflow_id,
            workflowType=NIGHTLY,
            taskList={"name": FIELDS},
            taskPriority="-20",
            taskStartToCloseTimeout="400",
            executionStartToCloseTimeout="7200",
            childPolicy="REQUEST_CANCEL",
            input="ra=04h17m dec=+22",
            tagList=["autumn", "deep", "plate-archive"],
        )
        self.run_id = started["runId"]

    def start_child(self) -> None:
        """3: a child, with 5."""
        self.decide(
            decision(
                "StartChildWorkflowExecution",
                workflowId="calibration-0417",
                workflowType=CHECK,
                taskList={"name": "calibrations"},
                taskPriority="5",
                taskStartToCloseTimeout="400",
                executionStartToCloseTimeout="900",
                childPolicy="TERMINATE",
                control="flat field",
                input="lamp=3",
            )
        )

    def register_measuring(self) -> None:
        """4: an activity type whose tasks have 10 unless their decision says otherwise."""
        self.call("RegisterActivityType", **MEASURE, **TASK_DEFAULTS, defaultTaskPriority="10")

    def schedule(self) -> None:
        """5: an activity with 15, behind two that have their type's 10."""
        self.decide(
            measure("first"),
            measure("second"),
            measure("urgent", taskPriority="15", control="flat field", input="plate 88"),
        )

    def go_on(self) -> None:
        """6: a run that goes on as new, with 100."""
        self.decide(
            decision(
                "ContinueAsNewWorkflowExecution",
                taskPriority="100",
                taskList={"name": FIELDS},
                taskStartToCloseTimeout="400",
                executionStartToCloseTimeout="7200",
                childPolicy="TERMINATE",
                workflowTypeVersion="2.1",
                input="ra=04h21m dec=+22",
            )
        )

    # --- what lies between them ---
    def decide(self, *decisions: Any, task_list: str = FIELDS) -> Answer:
        """Take the decision task and answer it."""
        task = self.call("PollForDecisionTask", taskList={"name": task_list})
        self.wire(
            "RespondDecisionTaskCompleted", taskToken=task["taskToken"], decisions=list(decisions)
        )
        self.tasks.append(task)
        return task

    def work(self) -> str:
        """Take the next activity task and complete it; answers its id."""
        task = self.call("PollForActivityTask", taskList={"name": PLATES})
        self.wire("RespondActivityTaskCompleted", taskToken=task["taskToken"])
        return task["activityId"]

    def newest(self, workflow_id: str) -> Answer:
        """The open run of a workflow id, as lists show it."""
        found = self.call(
            "ListOpenWorkflowExecutions",
            startTimeFilter={"oldestDate": 0},
            executionFilter={"workflowId": workflow_id},
        )
        return found["executionInfos"][0]["execution"]

    def priority(self, execution: Answer) -> Any:
        """What an execution is described with."""
        shown = self.call("DescribeWorkflowExecution", execution=execution)
        return shown["executionConfiguration"].get("taskPriority")

    def shown(self, execution: Answer, kind: str) -> list[Any]:
        """The priorities that a run's events of a type show, in order."""
        answer = self.call("GetWorkflowExecutionHistory", execution=execution)
        return priorities(answer["events"], kind)


def priorities(events: list[Answer], kind: str) -> list[Any]:
    """The priorities that events of a type show, in order."""
    return [attributes(e).get("taskPriority") for e in events if e["eventType"] == kind]


def measure(activity_id: str, **more: Any) -> Answer:
    """A decision to measure a plate."""
    return decision("ScheduleActivityTask", activityId=activity_id, activityType=MEASURE, **more)


RUN_DEFAULTS = {
    "description": "Surveys one field of the sky",
    "defaultTaskList": {"name": FIELDS},
    "defaultTaskStartToCloseTimeout": "400",
    "defaultExecutionStartToCloseTimeout": "3600",
    "defaultChildPolicy": "TERMINATE",
}
TASK_DEFAULTS = {
    "description": "Measures what a plate shows",
    "defaultTaskList": {"name": PLATES},
    "defaultTaskHeartbeatTimeout": "120",
    "defaultTaskScheduleToStartTimeout": "300",
    "defaultTaskScheduleToCloseTimeout": "900",
    "defaultTaskStartToCloseTimeout": "600",
}


@pytest.fixture
def survey(world: World) -> Survey:
    """A domain with the types that the requests do not register."""
    found = Survey(Wire(world.process()))
    found.wire("RegisterDomain", name=SKY, workflowExecutionRetentionPeriodInDays="7")
    for of in (NIGHTLY, CHECK):
        found.call("RegisterWorkflowType", **of, **RUN_DEFAULTS)
    return found


def run_all(survey: Survey) -> list[str]:
    """The six in order; the order in which the activities came."""
    survey.register_survey()
    survey.start()
    survey.start_child()
    survey.register_measuring()
    survey.schedule()
    came = [survey.work() for _ in range(3)]
    survey.go_on()
    return came


@stores
def test_w32_the_six_requests_run_in_order_and_the_activity_passes_the_others(
    survey: Survey,
) -> None:
    """W32, W8: 15 before the two of 10 that were scheduled before it, which keep their order."""
    assert run_all(survey) == ["urgent", "first", "second"]


def test_w10_the_registered_defaults_are_described(survey: Survey) -> None:
    """W10, requests 1 and 4: DescribeWorkflowType and DescribeActivityType."""
    run_all(survey)
    workflow = survey.call("DescribeWorkflowType", workflowType=SURVEY)
    assert workflow["configuration"]["defaultTaskPriority"] == "10"
    activity = survey.call("DescribeActivityType", activityType=MEASURE)
    assert activity["configuration"]["defaultTaskPriority"] == "10"
    without = survey.call("DescribeWorkflowType", workflowType=NIGHTLY)
    assert "defaultTaskPriority" not in without["configuration"]


def test_w10_the_start_shows_its_priority_everywhere(survey: Survey) -> None:
    """W10, request 2: described, in the history, in the decision task that a decider gets."""
    run_all(survey)
    execution = {"workflowId": survey.workflow_id, "runId": survey.run_id}
    assert survey.priority(execution) == "-20"
    assert survey.shown(execution, "WorkflowExecutionStarted") == ["-20"]
    scheduled = survey.shown(execution, "DecisionTaskScheduled")
    assert len(scheduled) >= 3
    assert set(scheduled) == {"-20"}
    polled = survey.tasks[0]["events"]
    assert priorities(polled, "WorkflowExecutionStarted") == ["-20"]
    assert priorities(polled, "DecisionTaskScheduled") == ["-20"]


def test_w10_the_child_shows_its_own_priority(survey: Survey) -> None:
    """W10, W11, request 3: 5 in its parent's event and in all of its own, never its parent's."""
    run_all(survey)
    parent = {"workflowId": survey.workflow_id, "runId": survey.run_id}
    assert survey.shown(parent, "StartChildWorkflowExecutionInitiated") == ["5"]
    child = survey.newest("calibration-0417")
    assert survey.priority(child) == "5"
    assert survey.shown(child, "WorkflowExecutionStarted") == ["5"]
    assert survey.shown(child, "DecisionTaskScheduled") == ["5"]
    polled = survey.decide(task_list="calibrations")["events"]
    assert priorities(polled, "DecisionTaskScheduled") == ["5"]


def test_w10_the_activities_show_their_priorities(survey: Survey) -> None:
    """W10, W11, request 5: its own 15, the others their type's 10, none their workflow's."""
    run_all(survey)
    execution = {"workflowId": survey.workflow_id, "runId": survey.run_id}
    assert survey.shown(execution, "ActivityTaskScheduled") == ["10", "10", "15"]
    polled = survey.tasks[2]["events"]
    assert priorities(polled, "ActivityTaskScheduled") == ["10", "10", "15"]


def test_w10_the_run_that_goes_on_shows_its_new_priority(survey: Survey) -> None:
    """W10, W26, request 6: in the event that ends the old run and everywhere in the new one."""
    run_all(survey)
    old = {"workflowId": survey.workflow_id, "runId": survey.run_id}
    assert survey.shown(old, "WorkflowExecutionContinuedAsNew") == ["100"]
    assert survey.priority(old) == "-20"
    new = survey.newest(survey.workflow_id)
    assert new["runId"] != survey.run_id
    assert survey.priority(new) == "100"
    assert survey.shown(new, "WorkflowExecutionStarted") == ["100"]
    assert survey.shown(new, "DecisionTaskScheduled") == ["100"]
    polled = survey.decide()["events"]
    assert priorities(polled, "WorkflowExecutionStarted") == ["100"]


@pytest.mark.parametrize(
    ("given", "shown"), [({}, "10"), ({"taskPriority": "0"}, "0"), ({"taskPriority": "-1"}, "-1")]
)
@pytest.mark.row("1.5 priority of decision tasks")
def test_w11_a_start_has_its_own_priority_else_its_types(
    survey: Survey, given: Answer, shown: str
) -> None:
    """W11, requests 1 and 2: an explicit 0 overrides the registered 10."""
    survey.register_survey()
    started = survey.call(
        "StartWorkflowExecution", workflowId="other", workflowType=SURVEY, **given
    )
    execution = {"workflowId": "other", "runId": started["runId"]}
    assert survey.priority(execution) == shown
    assert survey.shown(execution, "DecisionTaskScheduled") == [shown]


def test_w11_a_run_that_goes_on_without_a_priority_has_its_types(survey: Survey) -> None:
    """W11, W26: not that of the run before: none where the type has none."""
    survey.start()
    survey.decide(decision("ContinueAsNewWorkflowExecution"))
    old = {"workflowId": survey.workflow_id, "runId": survey.run_id}
    assert survey.shown(old, "WorkflowExecutionContinuedAsNew") == [None]
    assert survey.priority(survey.newest(survey.workflow_id)) is None
