"""Looking at executions: describe, history, lists, counts (W10, W22, W23, W31; table 1.9)."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, cast

import pytest

from tests.races.world import World
from tests.support import START, Surroundings, make_core
from tests.swf.conftest import stores
from tests.swf.wire import DOMAIN, A, Fault, W, Wire, decision, schedule
from workledger.keys import HEAD
from workledger.stores.port import Store
from workledger.views.order import Spot

T0 = 1773224155.935
"""The clock of the tests at their start."""

COMPLETE: dict[str, Any] = {"decisionType": "CompleteWorkflowExecution"}
FAIL: dict[str, Any] = {"decisionType": "FailWorkflowExecution"}


@pytest.fixture
def wire(world: World) -> Wire:
    return Wire(world.process()).begin()


def refused(call: Any, *arguments: Any, **params: Any) -> tuple[str, str]:
    with pytest.raises(Fault) as fault:
        call(*arguments, **params)
    return fault.value.code, fault.value.message


def describe(wire: Wire, workflow_id: str, run_id: str) -> Any:
    execution = {"workflowId": workflow_id, "runId": run_id}
    return wire("DescribeWorkflowExecution", domain=DOMAIN, execution=execution)


# --- describe ---
@stores
@pytest.mark.row("1.5 effective values are shown", "1.9 what an execution's description has")
def test_w10_an_execution_is_described_with_its_effective_settings(
    world: World, wire: Wire
) -> None:
    """1.9; W10: taskPriority among them, as it was sent; 1.5: the effective values."""
    run_id = wire.start(
        "w",
        taskPriority="-20",
        tagList=["a", "b"],
        taskList={"name": "special"},
        executionStartToCloseTimeout="1800",
        lambdaRole="arn:aws:iam::1:role/r",
        childPolicy="ABANDON",
    )
    assert describe(wire, "w", run_id) == {
        "executionInfo": {
            "execution": {"workflowId": "w", "runId": run_id},
            "workflowType": W,
            "startTimestamp": T0,
            "executionStatus": "OPEN",
            "tagList": ["a", "b"],
            "cancelRequested": False,
        },
        "executionConfiguration": {
            "taskStartToCloseTimeout": "60",
            "executionStartToCloseTimeout": "1800",
            "taskList": {"name": "special"},
            "taskPriority": "-20",
            "childPolicy": "ABANDON",
            "lambdaRole": "arn:aws:iam::1:role/r",
        },
        "openCounts": {
            "openActivityTasks": 0,
            "openDecisionTasks": 1,
            "openTimers": 0,
            "openChildWorkflowExecutions": 0,
            "openLambdaFunctions": 0,
        },
    }
    world.verify()


def test_w10_a_priority_that_nobody_set_is_left_out(wire: Wire) -> None:
    """Recorded: no "0" is echoed."""
    answer = describe(wire, "w", wire.start("w"))
    assert "taskPriority" not in answer["executionConfiguration"]
    assert "tagList" not in answer["executionInfo"]


@stores
@pytest.mark.row("1.9 openCounts")
def test_w15_what_was_open_at_the_end_is_counted_on(world: World, wire: Wire) -> None:
    """1.9, openCounts: recorded with an activity that was started; a decision task is not."""
    run_id = wire.start("w")
    wire.decide(schedule("a"), decision("StartTimer", timerId="t", startToFireTimeout="60"))
    wire.take()
    wire("SignalWorkflowExecution", domain=DOMAIN, workflowId="w", signalName="s")
    assert describe(wire, "w", run_id)["openCounts"]["openDecisionTasks"] == 1
    world.clock.tick(5)
    wire.decide(decision("CancelWorkflowExecution", details="d"))
    answer = describe(wire, "w", run_id)
    assert answer["openCounts"] == {
        "openActivityTasks": 1,
        "openDecisionTasks": 0,
        "openTimers": 1,
        "openChildWorkflowExecutions": 0,
        "openLambdaFunctions": 0,
    }
    info = answer["executionInfo"]
    assert (info["executionStatus"], info["closeStatus"]) == ("CLOSED", "CANCELED")
    assert info["closeTimestamp"] == T0 + 5
    world.verify()


@pytest.mark.row("1.9 cancelRequested")
def test_w19_once_requested_a_cancel_request_stays_shown(wire: Wire) -> None:
    """1.9, cancelRequested: also when the execution has closed."""
    run_id = wire.start("w")
    wire("RequestCancelWorkflowExecution", domain=DOMAIN, workflowId="w")
    assert describe(wire, "w", run_id)["executionInfo"]["cancelRequested"] is True
    wire.decide(COMPLETE)
    assert describe(wire, "w", run_id)["executionInfo"]["cancelRequested"] is True


def test_w20_a_cancel_decision_alone_is_no_request(wire: Wire) -> None:
    """1.9."""
    run_id = wire.start("w")
    wire.decide(decision("CancelWorkflowExecution"))
    assert describe(wire, "w", run_id)["executionInfo"]["cancelRequested"] is False


@pytest.mark.row("1.9 latestActivityTaskTimestamp")
def test_w29_the_latest_activity_moves_on_schedule_start_and_close(
    world: World, wire: Wire
) -> None:
    """1.9, latestActivityTaskTimestamp: recorded."""
    run_id = wire.start("w")
    assert "latestActivityTaskTimestamp" not in describe(wire, "w", run_id)
    wire.decide(schedule("a"))
    seen = [describe(wire, "w", run_id)["latestActivityTaskTimestamp"]]
    world.clock.tick(1)
    token = wire.take()["taskToken"]
    seen.append(describe(wire, "w", run_id)["latestActivityTaskTimestamp"])
    world.clock.tick(1)
    wire("RespondActivityTaskCompleted", taskToken=token)
    seen.append(describe(wire, "w", run_id)["latestActivityTaskTimestamp"])
    assert seen == [T0, T0 + 1, T0 + 2]


@pytest.mark.row("1.6 execution context")
def test_w5_the_latest_execution_context_is_the_last_that_was_sent(wire: Wire) -> None:
    """1.6, executionContext: an empty one too; none leaves the one before."""
    run_id = wire.start("w")
    seen: list[str | None] = []
    answers: list[Mapping[str, str]] = [{}, {"executionContext": "x" * 32_768}, {}]
    for answer in [*answers, {"executionContext": ""}]:
        wire.decide(**answer)
        seen.append(describe(wire, "w", run_id).get("latestExecutionContext"))
        wire("SignalWorkflowExecution", domain=DOMAIN, workflowId="w", signalName="s")
    assert seen == [None, "x" * 32_768, "x" * 32_768, ""]


@pytest.mark.row("1.9 what an execution's description has")
def test_w21_a_child_shows_its_parent(wire: Wire) -> None:
    """1.9, parent."""
    run_id = wire.start("w")
    attrs = {"workflowId": "c", "workflowType": W, "taskList": {"name": "kids"}}
    wire.decide(decision("StartChildWorkflowExecution", **attrs))
    child = wire.poll("kids")["workflowExecution"]
    info = describe(wire, "c", child["runId"])["executionInfo"]
    assert info["parent"] == {"workflowId": "w", "runId": run_id}
    assert "parent" not in describe(wire, "w", run_id)["executionInfo"]


@pytest.mark.parametrize("operation", ["DescribeWorkflowExecution", "GetWorkflowExecutionHistory"])
def test_w13_executions_that_are_not_there(wire: Wire, operation: str) -> None:
    """1.2, UR execution with runId: the shape that clients parse."""
    run_id = wire.start("w")
    for workflow_id, run in (
        ("x", run_id),
        ("w", "r"),
        ("w", run_id + "1"),
        ("w", "a.7"),
        ("w", "g"),
    ):
        execution = {"workflowId": workflow_id, "runId": run}
        assert refused(wire, operation, domain=DOMAIN, execution=execution) == (
            "UnknownResourceFault",
            f"Unknown execution: WorkflowExecution=[workflowId={workflow_id}, runId={run}]",
        )
    execution = {"workflowId": "w", "runId": run_id}
    assert refused(wire, operation, domain="x", execution=execution) == (
        "UnknownResourceFault",
        "Unknown domain: x",
    )
    assert refused(
        wire.in_region("us-east-1").begin(), operation, domain=DOMAIN, execution=execution
    )


# --- history ---
def events(wire: Wire, workflow_id: str, run_id: str, **more: Any) -> list[list[int]]:
    """The ids of a history's events, page by page."""
    asked = {"domain": DOMAIN, "execution": {"workflowId": workflow_id, "runId": run_id}, **more}
    pages: list[list[int]] = []
    answer: Any = {"nextPageToken": None}
    while "nextPageToken" in answer:
        token = {"nextPageToken": answer["nextPageToken"]} if answer["nextPageToken"] else {}
        answer = wire("GetWorkflowExecutionHistory", **asked, **token)
        pages.append([event["eventId"] for event in answer["events"]])
    return pages


@stores
@pytest.mark.parametrize("size", [1, 3, 4, 100])
def test_w22_a_history_page_by_page_either_way_round(world: World, wire: Wire, size: int) -> None:
    """1.1: ascending or reversed; each event once, no page longer than was asked."""
    run_id = wire.start("w")
    wire.decide(schedule("a"), schedule("b"), schedule("c"))
    wire.take()
    pages = events(wire, "w", run_id, maximumPageSize=size)
    assert list(chain(*pages)) == list(range(1, 9))
    assert max(map(len, pages)) <= size
    backwards = events(wire, "w", run_id, maximumPageSize=size, reverseOrder=True)
    assert list(chain(*backwards)) == list(range(8, 0, -1))
    assert events(wire, "w", run_id, maximumPageSize=0) == [list(range(1, 9))]
    world.verify()


def test_w22_the_runs_of_one_id_have_histories_of_their_own(wire: Wire) -> None:
    """Each begins with event 1, also where the next run began in the same commit."""
    first = wire.start("w")
    wire.decide(decision("ContinueAsNewWorkflowExecution"))
    second = wire.poll()["workflowExecution"]["runId"]
    assert events(wire, "w", first) == [[1, 2, 3, 4, 5]]
    assert events(wire, "w", second) == [[1, 2, 3]]
    assert wire.history("w", first)[-1] == "WorkflowExecutionContinuedAsNew"
    asked = {"domain": DOMAIN, "execution": {"workflowId": "w", "runId": first}}
    token = wire("GetWorkflowExecutionHistory", **asked, maximumPageSize=2)["nextPageToken"]
    asked["execution"] = {"workflowId": "w", "runId": second}
    wrong = refused(wire, "GetWorkflowExecutionHistory", **asked, nextPageToken=token)
    assert wrong == ("ValidationException", "Invalid token")


def test_w17_looking_does_what_is_due_first(world: World, wire: Wire) -> None:
    """1.7: the event's time is the moment the limit was reached, not that of the look."""
    run_id = wire.start("w", executionStartToCloseTimeout="300")
    world.clock.tick(330)
    info = describe(wire, "w", run_id)["executionInfo"]
    assert (info["closeStatus"], info["closeTimestamp"]) == ("TIMED_OUT", T0 + 300)
    assert wire.history("w", run_id)[-1] == "WorkflowExecutionTimedOut"


# --- lists and counts ---
def ids(answer: Any) -> list[str]:
    return [info["execution"]["workflowId"] for info in answer["executionInfos"]]


def found(wire: Wire, state: str, **asked: Any) -> list[str]:
    """The workflow ids of all pages; the count must say as many."""
    asked = {"domain": DOMAIN, "startTimeFilter": {"oldestDate": 0}, **asked}
    if "closeTimeFilter" in asked:
        del asked["startTimeFilter"]
    operation = f"List{state}WorkflowExecutions"
    answer = wire(operation, **asked)
    listed = ids(answer)
    while "nextPageToken" in answer:
        assert len(answer["executionInfos"]) == asked["maximumPageSize"]
        answer = wire(operation, **asked, nextPageToken=answer["nextPageToken"])
        listed += ids(answer)
    counted = {name: value for name, value in asked.items() if name not in PAGING}
    count = wire(f"Count{state}WorkflowExecutions", **counted)
    assert count == {"count": len(listed), "truncated": False}
    return listed


PAGING = ("maximumPageSize", "reverseOrder")


@pytest.fixture
def busy(world: World, wire: Wire) -> Wire:
    """w0 to w5 started a second apart; w1, w3, w4 closed a second apart, in the order w3 w1 w4."""
    wire("RegisterWorkflowType", domain=DOMAIN, name="order", version="2")
    for number in range(6):
        more = {"tagList": ["odd" if number % 2 else "even", "all"]}
        if number == 2:
            more["workflowType"] = {"name": "order", "version": "2"}  # type: ignore[assignment]
            more |= {  # type: ignore[assignment]
                "taskList": {"name": "main"},
                "executionStartToCloseTimeout": "86400",
                "taskStartToCloseTimeout": "60",
                "childPolicy": "TERMINATE",
            }
        wire.start(f"w{number}", taskPriority=str(number), **more)
        world.clock.tick(1)
    tasks = [wire.poll() for _ in range(6)]
    tokens = {task["workflowExecution"]["workflowId"]: task["taskToken"] for task in tasks}
    for name, how in (("w3", COMPLETE), ("w1", FAIL), ("w4", COMPLETE)):
        wire("RespondDecisionTaskCompleted", taskToken=tokens[name], decisions=[how])
        world.clock.tick(1)
    return wire


@stores
@pytest.mark.parametrize("size", [1, 2, 1_000])
def test_w23_open_ones_newest_first(busy: Wire, size: int) -> None:
    """1.1, notes: descending by start; reverseOrder flips."""
    assert found(busy, "Open", maximumPageSize=size) == ["w5", "w2", "w0"]
    assert found(busy, "Open", maximumPageSize=size, reverseOrder=True) == ["w0", "w2", "w5"]


@stores
@pytest.mark.parametrize("size", [1, 2, 1_000])
def test_w23_closed_ones_by_start_or_by_close(busy: Wire, size: int) -> None:
    """1.1: newest first by the time that is asked for."""
    assert found(busy, "Closed", maximumPageSize=size) == ["w4", "w3", "w1"]
    by_close = {"closeTimeFilter": {"oldestDate": 0}, "maximumPageSize": size}
    assert found(busy, "Closed", **by_close) == ["w4", "w1", "w3"]
    assert found(busy, "Closed", **by_close, reverseOrder=True) == ["w3", "w1", "w4"]


@pytest.mark.parametrize(
    ("state", "filters", "wanted"),
    [
        ("Open", {"tagFilter": {"tag": "even"}}, ["w2", "w0"]),
        ("Open", {"tagFilter": {"tag": "none"}}, []),
        ("Open", {"typeFilter": {"name": "order"}}, ["w5", "w2", "w0"]),
        ("Open", {"typeFilter": {"name": "order", "version": "2"}}, ["w2"]),
        ("Open", {"typeFilter": {"name": "order", "version": ""}}, ["w5", "w2", "w0"]),
        ("Open", {"typeFilter": {"name": "x"}}, []),
        ("Open", {"executionFilter": {"workflowId": "w2"}}, ["w2"]),
        ("Open", {"executionFilter": {"workflowId": "w1"}}, []),
        ("Closed", {"tagFilter": {"tag": "odd"}}, ["w3", "w1"]),
        ("Closed", {"typeFilter": W}, ["w4", "w3", "w1"]),
        ("Closed", {"executionFilter": {"workflowId": "w1"}}, ["w1"]),
        ("Closed", {"executionFilter": {"workflowId": "w0"}}, []),
        ("Closed", {"executionFilter": {"workflowId": "x"}}, []),
        ("Closed", {"closeStatusFilter": {"status": "COMPLETED"}}, ["w4", "w3"]),
        ("Closed", {"closeStatusFilter": {"status": "FAILED"}}, ["w1"]),
        ("Closed", {"closeStatusFilter": {"status": "TIMED_OUT"}}, []),
        ("Open", {"startTimeFilter": {"oldestDate": T0 + 1}}, ["w5", "w2"]),
        ("Open", {"startTimeFilter": {"oldestDate": 0, "latestDate": T0 + 2}}, ["w2", "w0"]),
        ("Open", {"startTimeFilter": {"oldestDate": T0 + 2, "latestDate": T0 + 2}}, ["w2"]),
        ("Open", {"startTimeFilter": {"oldestDate": T0 + 5, "latestDate": T0}}, []),
        ("Open", {"startTimeFilter": {"oldestDate": -1e300, "latestDate": 1e300}}, ["w5", "w2", "w0"]),
        ("Open", {"startTimeFilter": {"oldestDate": 1e300}}, []),
        ("Closed", {"startTimeFilter": {"oldestDate": T0 + 2}}, ["w4", "w3"]),
        ("Closed", {"closeTimeFilter": {"oldestDate": T0 + 7}}, ["w4", "w1"]),
        (
            "Closed",
            {"closeTimeFilter": {"oldestDate": 0, "latestDate": T0 + 7}},
            ["w1", "w3"],
        ),
        (
            "Closed",
            {
                "closeTimeFilter": {"oldestDate": T0 + 7},
                "closeStatusFilter": {"status": "COMPLETED"},
            },
            ["w4"],
        ),
    ],
    ids=str,
)  # fmt: skip
def test_w23_filters(busy: Wire, state: str, filters: Any, wanted: list[str]) -> None:
    """1.1: one time filter and one more; the count says the same."""
    assert found(busy, state, **filters) == wanted
    if state == "Open":
        backwards = found(busy, state, **filters, reverseOrder=True, maximumPageSize=1)
        assert backwards == wanted[::-1]


EXCLUSIVE = "Cannot specify more than one exclusive filters in the same query"
FILTERS = {
    "executionFilter": ({"workflowId": "w"}, "WorkflowExecutionFilter"),
    "typeFilter": (W, "WorkflowTypeFilter"),
    "tagFilter": ({"tag": "t"}, "TagFilter"),
    "closeStatusFilter": ({"status": "FAILED"}, "CloseStatusFilter"),
}


@pytest.mark.parametrize("verb", ["List", "Count"])
@pytest.mark.parametrize("state", ["Open", "Closed"])
def test_w23_filters_exclude_each_other(wire: Wire, verb: str, state: str) -> None:
    """1.2, two filters, no time filter: the texts of the service."""
    operation = f"{verb}{state}WorkflowExecutions"
    since = {"startTimeFilter": {"oldestDate": 0}}
    allowed = [name for name in FILTERS if state == "Closed" or name != "closeStatusFilter"]
    for index, one in enumerate(allowed):
        for other in allowed[index + 1 :]:
            both = {name: FILTERS[name][0] for name in (one, other)}
            names = f"[{FILTERS[one][1]}, {FILTERS[other][1]}]"
            message = refused(wire, operation, domain=DOMAIN, **since, **both)
            assert message == ("ValidationException", f"{EXCLUSIVE}: {names}")
    if state == "Open":
        assert "'startTimeFilter'" in refused(wire, operation, domain=DOMAIN)[1]
        return
    assert refused(wire, operation, domain=DOMAIN) == (
        "ValidationException",
        "Must specify time filter",
    )
    times = {**since, "closeTimeFilter": {"oldestDate": 0}}
    assert refused(wire, operation, domain=DOMAIN, **times) == (
        "ValidationException",
        f"{EXCLUSIVE}: [StartTimeFilter, CloseTimeFilter]",
    )
    assert refused(wire, operation, domain="x", **since)[1] == "Unknown domain: x"


@stores
@pytest.mark.parametrize("size", [1, 2, 10])
def test_w23_all_runs_of_one_id(world: World, wire: Wire, size: int) -> None:
    """An execution filter finds every run that has closed, and the one that is open."""
    runs = [wire.start("w")]
    wire.start("other")
    for _ in range(4):
        world.clock.tick(1)
        wire("TerminateWorkflowExecution", domain=DOMAIN, workflowId="w")
        world.clock.tick(1)
        runs.append(wire.start("w"))
    for times in ({"startTimeFilter": {"oldestDate": 0}}, {"closeTimeFilter": {"oldestDate": 0}}):
        for reverse in (False, True):
            asked: dict[str, Any] = {"domain": DOMAIN, "maximumPageSize": size, **times}
            asked |= {"executionFilter": {"workflowId": "w"}, "reverseOrder": reverse}
            answer = wire("ListClosedWorkflowExecutions", **asked)
            listed = answer["executionInfos"]
            while "nextPageToken" in answer:
                token = answer["nextPageToken"]
                answer = wire("ListClosedWorkflowExecutions", **asked, nextPageToken=token)
                listed += answer["executionInfos"]
            order = runs[:-1] if reverse else runs[-2::-1]
            assert [info["execution"]["runId"] for info in listed] == order
    assert found(wire, "Open", executionFilter={"workflowId": "w"}) == ["w"]
    assert found(wire, "Closed") == ["w"] * 4
    world.verify()


def test_w23_what_was_listed_goes_on_while_executions_come_and_go(world: World, busy: Wire) -> None:
    """An execution that does not move while one pages is seen exactly once."""
    asked = {"domain": DOMAIN, "startTimeFilter": {"oldestDate": 0}, "maximumPageSize": 1}
    answer = busy("ListOpenWorkflowExecutions", **asked)
    assert ids(answer) == ["w5"]
    busy.start("new")
    busy("TerminateWorkflowExecution", domain=DOMAIN, workflowId="w5")
    answer = busy("ListOpenWorkflowExecutions", **asked, nextPageToken=answer["nextPageToken"])
    assert ids(answer) == ["w2"]
    busy("TerminateWorkflowExecution", domain=DOMAIN, workflowId="w0")
    answer = busy("ListOpenWorkflowExecutions", **asked, nextPageToken=answer["nextPageToken"])
    assert ids(answer) == []
    assert "nextPageToken" not in answer


class Endless:
    """A store on whose lines of executions stand very many that are gone already."""

    def __init__(self, store: Store, many: int) -> None:
        self._store, self._many = store, many

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def read_line(self, line: str, *, after: Spot, limit: int, **_: Any) -> list[Spot]:
        """So many places, none of which leads to a row."""
        first = after.seq + 1 if after.stream == "execution/x" else 1
        numbers = range(first, min(first + limit, self._many + 1))
        return [Spot(0, START, one, "x.1", "execution/x", HEAD) for one in numbers]


@pytest.mark.parametrize(("many", "truncated"), [(10_000, False), (10_001, True)])
def test_w23_one_call_looks_at_10_000_places_at_most(
    world: World, wire: Wire, many: int, truncated: bool
) -> None:
    """The page then ends early and the next goes on; a count says that it was truncated."""
    store = cast("Store", Endless(world.store, many))
    crowded = Wire(make_core(store, Surroundings(world.clock)))
    asked = {"domain": DOMAIN, "startTimeFilter": {"oldestDate": 0}}
    count = crowded("CountOpenWorkflowExecutions", **asked)
    assert count == {"count": 0, "truncated": truncated}
    answer = crowded("ListOpenWorkflowExecutions", **asked)
    assert ("nextPageToken" in answer) == truncated
    if truncated:
        token = answer["nextPageToken"]
        rest = crowded("ListOpenWorkflowExecutions", **asked, nextPageToken=token)
        assert rest == {"executionInfos": []}


# --- retention ---
@stores
@pytest.mark.parametrize(
    ("days", "seconds"), [("1", 86_400), ("90", 7_776_000), ("NONE", 0), ("0", 0)]
)
def test_w31_what_has_closed_is_shown_as_long_as_the_domain_says(
    world: World, days: str, seconds: int
) -> None:
    """1.10, retention: out of lists, counts, describe and history; NONE and 0 at once."""
    wire = Wire(world.process()).begin(retention=days)
    run_id = wire.start("w")
    world.clock.tick(1)
    still = wire.start("open", executionStartToCloseTimeout="31536000")
    world.clock.tick(10)
    wire.decide(COMPLETE)
    if seconds:
        world.clock.tick(seconds - 1)
        assert found(wire, "Closed") == ["w"]
        assert describe(wire, "w", run_id)["executionInfo"]["closeStatus"] == "COMPLETED"
        world.clock.tick(1)
    assert found(wire, "Closed") == []
    assert found(wire, "Closed", executionFilter={"workflowId": "w"}) == []
    assert found(wire, "Closed", closeTimeFilter={"oldestDate": 0}) == []
    for call in (describe, wire.history):
        arguments = (wire, "w", run_id) if call is describe else ("w", run_id)
        assert refused(call, *arguments)[0] == "UnknownResourceFault"
    assert found(wire, "Open") == ["open"]
    describe(wire, "open", still)


# --- task lists ---
def pending(wire: Wire, kind: str, task_list: str) -> Any:
    return wire(f"CountPending{kind}Tasks", domain=DOMAIN, taskList={"name": task_list})


@stores
@pytest.mark.row("1.9 pending tasks")
def test_w23_pending_tasks_are_those_that_wait(world: World, wire: Wire) -> None:
    """1.9, CountPending*: not those that somebody works on, nor those of what has closed."""
    for name in "abc":
        wire.start(name)
    assert pending(wire, "Decision", "main") == {"count": 3, "truncated": False}
    task = wire.poll()
    assert pending(wire, "Decision", "main")["count"] == 2
    wire("RespondDecisionTaskCompleted", taskToken=task["taskToken"], decisions=[
        schedule("1"), schedule("2"), schedule("3", taskList={"name": "elsewhere"}),
    ])  # fmt: skip
    assert pending(wire, "Activity", "work") == {"count": 2, "truncated": False}
    assert pending(wire, "Activity", "elsewhere")["count"] == 1
    wire.take()
    assert pending(wire, "Activity", "work")["count"] == 1
    workflow_id = task["workflowExecution"]["workflowId"]
    wire("TerminateWorkflowExecution", domain=DOMAIN, workflowId=workflow_id)
    assert pending(wire, "Activity", "work")["count"] == 0
    assert pending(wire, "Activity", "elsewhere")["count"] == 0
    assert pending(wire, "Activity", "none") == {"count": 0, "truncated": False}
    assert refused(wire, "CountPendingActivityTasks", domain="x", taskList={"name": "l"}) == (
        "UnknownResourceFault",
        "Unknown domain: x",
    )
    assert A["name"] == "post"
    world.verify()
