"""The messages of faults that clients read (table 1.2)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.wire import DOMAIN, A, Fault, W, Wire, decision, schedule

GONE = {"workflowId": "nobody", "runId": "r.1"}
Ask = Callable[[Wire], Any]


def row(name: str) -> Any:
    """Says which row of the tables a test proves."""
    return pytest.mark.row(f"1.2 {name}")


def fault(ask: Callable[[], Any]) -> tuple[str, str]:
    """The name and the message of what a client gets."""
    with pytest.raises(Fault) as caught:
        ask()
    assert caught.value.status == 400
    return caught.value.code, caught.value.message


def listing(wire: Wire, **params: Any) -> Any:
    """A list of types."""
    return wire("ListActivityTypes", domain=DOMAIN, registrationStatus="REGISTERED", **params)


def closed_activity(wire: Wire) -> Any:
    """A worker answers twice."""
    wire.start("w")
    wire.decide(schedule("a"))
    token = wire.take()["taskToken"]
    for _ in range(2):
        wire("RespondActivityTaskCompleted", taskToken=token)


def closed_decision(wire: Wire) -> Any:
    """A decider answers twice."""
    wire.start("w")
    task = wire.decide()
    wire("RespondDecisionTaskCompleted", taskToken=task["taskToken"])


def twice(operation: str, **params: Any) -> Ask:
    """The same call a second time."""

    def ask(wire: Wire) -> None:
        for _ in range(2):
            wire(operation, **params)

    return ask


def nobodys(operation: str, **params: Any) -> Ask:
    """A call in the domain."""
    return lambda wire: wire(operation, domain=DOMAIN, **params)


UR, VE = "UnknownResourceFault", "ValidationException"
NEW = {"workflowId": "w", "workflowType": {"name": "bare", "version": "1"}}
DEPRECATED = {"domain": DOMAIN, "activityType": A}


def bare(wire: Wire) -> Any:
    """A start of a type without defaults."""
    wire("RegisterWorkflowType", domain=DOMAIN, name="bare", version="1")
    return wire("StartWorkflowExecution", domain=DOMAIN, **NEW)


TOO_LONG_A_PAGE = (
    "1 validation error detected: Value '1001' at 'maximumPageSize' failed to satisfy "
    "constraint: Member must have value less than or equal to 1000"
)
TWO_FILTERS = (
    "Cannot specify more than one exclusive filters in the same query: "
    "[WorkflowExecutionFilter, WorkflowTypeFilter]"
)

CASES: dict[str, list[tuple[Ask, tuple[str, str]]]] = {
    "unknown domain": [
        (lambda wire: wire("DescribeDomain", name="no"), (UR, "Unknown domain: no")),
        (
            lambda wire: wire("PollForActivityTask", domain="no", taskList={"name": "l"}),
            (UR, "Unknown domain: no"),
        ),
    ],
    "unknown type": [
        (
            nobodys("DescribeActivityType", activityType={"name": "a", "version": "1"}),
            (UR, "Unknown type: ActivityType=[name=a, version=1]"),
        ),
        (
            nobodys("DescribeWorkflowType", workflowType={"name": "a", "version": "1"}),
            (UR, "Unknown type: WorkflowType=[name=a, version=1]"),
        ),
    ],
    "unknown execution with a run id": [
        (
            nobodys("DescribeWorkflowExecution", execution=GONE),
            (UR, "Unknown execution: WorkflowExecution=[workflowId=nobody, runId=r.1]"),
        ),
        (
            nobodys("SignalWorkflowExecution", **GONE, signalName="go"),
            (UR, "Unknown execution: WorkflowExecution=[workflowId=nobody, runId=r.1]"),
        ),
    ],
    "unknown execution without a run id": [
        (
            nobodys("TerminateWorkflowExecution", workflowId="nobody"),
            (UR, "Unknown execution, workflowId = nobody"),
        ),
    ],
    "closed activity": [(closed_activity, (UR, "Unknown activity, scheduledEventId = 5"))],
    "closed decision task": [
        (closed_decision, (UR, "Unknown decision task, scheduledEventId = 2"))
    ],
    "token that was never given out": [
        (lambda wire: wire("RespondActivityTaskCompleted", taskToken="t"), (VE, "Invalid token")),
        (lambda wire: wire("RespondDecisionTaskCompleted", taskToken="t"), (VE, "Invalid token")),
    ],
    "type exists, or is deprecated": [
        (
            nobodys("RegisterActivityType", **A),
            ("TypeAlreadyExistsFault", "ActivityType=[name=post, version=1]"),
        ),
        (
            nobodys("RegisterWorkflowType", **W),
            ("TypeAlreadyExistsFault", "WorkflowType=[name=order, version=1]"),
        ),
        (
            twice("DeprecateActivityType", **DEPRECATED),
            ("TypeDeprecatedFault", "ActivityType=[name=post, version=1]"),
        ),
    ],
    "domain exists, or is deprecated": [
        (
            lambda wire: wire(
                "RegisterDomain", name=DOMAIN, workflowExecutionRetentionPeriodInDays="1"
            ),
            ("DomainAlreadyExistsFault", DOMAIN),
        ),
        (twice("DeprecateDomain", name=DOMAIN), ("DomainDeprecatedFault", DOMAIN)),
    ],
    "already started": [
        (
            twice("StartWorkflowExecution", domain=DOMAIN, workflowId="w", workflowType=W),
            ("WorkflowExecutionAlreadyStartedFault", "Already Started"),
        ),
    ],
    "default undefined": [(bare, ("DefaultUndefinedFault", "executionStartToCloseTimeout"))],
    "type not deprecated": [
        (
            nobodys("DeleteActivityType", activityType=A),
            (
                "TypeNotDeprecatedFault",
                "The type is currently registered and cannot be deleted in its current state",
            ),
        ),
    ],
    "page token or page size": [
        (lambda wire: listing(wire, nextPageToken="t"), (VE, "Invalid token")),
        (
            lambda wire: listing(wire, maximumPageSize=1001),
            (
                VE,
                TOO_LONG_A_PAGE,
            ),
        ),
    ],
    "filters": [
        (
            nobodys(
                "ListOpenWorkflowExecutions",
                startTimeFilter={"oldestDate": 0},
                executionFilter={"workflowId": "w"},
                typeFilter={"name": "order"},
            ),
            (
                VE,
                TWO_FILTERS,
            ),
        ),
        (nobodys("ListClosedWorkflowExecutions"), (VE, "Must specify time filter")),
    ],
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=row(one)) for one in CASES])
def test_w25_table_1_2_a_fault_has_the_message_that_clients_read(world: World, name: str) -> None:
    """1.2: word for word."""
    for ask, expected in CASES[name]:
        wire = Wire(world.process())
        wire = wire if wire_has_domain(wire) else wire.begin()
        assert fault(lambda ask=ask, wire=wire: ask(wire)) == expected


def wire_has_domain(wire: Wire) -> bool:
    """Whether an earlier case has registered it."""
    found = wire("ListDomains", registrationStatus="REGISTERED")["domainInfos"]
    return bool(found)


@row("expired page token")
def test_w22_table_1_2_a_page_token_lives_a_day(world: World) -> None:
    """1.2: 24 hours, whatever list it is of."""
    wire = Wire(world.process()).begin()
    wire("RegisterActivityType", domain=DOMAIN, name="z", version="1")
    token = listing(wire, maximumPageSize=1)["nextPageToken"]
    world.clock.tick(86_400)
    assert listing(wire, nextPageToken=token)["typeInfos"]
    world.clock.tick(1)
    expected = (VE, "Specified token has exceeded its maximum lifetime")
    assert fault(lambda: listing(wire, nextPageToken=token)) == expected


@row("already started")
def test_w13_table_1_2_an_id_is_free_once_its_execution_has_closed(world: World) -> None:
    """1.2, W13: then the same id may be started again."""
    wire = Wire(world.process()).begin()
    first = wire.start("w")
    wire.decide(decision("CompleteWorkflowExecution"))
    assert wire.start("w") != first


@row("default undefined")
@pytest.mark.parametrize(
    "missing",
    ["executionStartToCloseTimeout", "taskList", "taskStartToCloseTimeout", "childPolicy"],
)
@pytest.mark.row("1.5 settings of an execution")
def test_w13_table_1_2_a_start_tells_the_first_setting_that_nobody_gave(
    world: World, missing: str
) -> None:
    """1.2, 1.5, W13."""
    wire = Wire(world.process()).begin()
    wire("RegisterWorkflowType", domain=DOMAIN, name="bare", version="1")
    settings: dict[str, Any] = {
        "executionStartToCloseTimeout": "60",
        "taskList": {"name": "main"},
        "taskStartToCloseTimeout": "60",
        "childPolicy": "ABANDON",
    }
    names = list(settings)
    given = {name: settings[name] for name in names if name != missing}
    expected = ("DefaultUndefinedFault", missing)
    assert fault(lambda: wire("StartWorkflowExecution", domain=DOMAIN, **NEW, **given)) == expected
    before = {name: settings[name] for name in names[: names.index(missing)]}
    assert fault(lambda: wire("StartWorkflowExecution", domain=DOMAIN, **NEW, **before)) == expected
