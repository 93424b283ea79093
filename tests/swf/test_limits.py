"""How many executions of a domain may be open (table 1.10)."""

from typing import Any, cast

import pytest

from tests.races.world import World
from tests.support import Surroundings, make_core
from tests.swf.wire import DOMAIN, Fault, W, Wire, decision
from workledger.stores.port import Store
from workledger.swf import limits


class Crowded:
    """A store on whose line of open executions stand so many more that nobody started."""

    def __init__(self, store: Store, more: int) -> None:
        self._store, self.more, self.counted = store, more, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def count_line(self, line: str, limit: int) -> int:
        """How many stand on a line."""
        self.counted += 1
        return min(limit, self._store.count_line(line, limit) + self.more)


@pytest.fixture
def crowded(world: World) -> Crowded:
    """Room for two more."""
    Wire(world.process()).begin()
    return Crowded(world.store, limits.MOST_OPEN - 2)


@pytest.fixture
def wire(world: World, crowded: Crowded) -> Wire:
    return Wire(make_core(cast("Store", crowded), Surroundings(world.clock), "x"))


@pytest.mark.row("1.10 open executions")
def test_w26_a_domain_has_at_most_100_000_open_executions(
    world: World, wire: Wire, crowded: Crowded
) -> None:
    """1.10: LimitExceededFault; what has closed makes room; an id that is taken is said first."""
    wire.start("a")
    wire.start("b")
    assert crowded.counted == 1
    with pytest.raises(Fault) as fault:
        wire.start("c")
    assert fault.value.code == "LimitExceededFault"
    with pytest.raises(Fault, match="Already Started"):
        wire.start("a")
    wire("TerminateWorkflowExecution", domain=DOMAIN, workflowId="a")
    world.clock.tick(1)
    wire.start("c")
    assert limits.MOST_OPEN == 100_000


def test_w26_children_count_too(world: World, wire: Wire, crowded: Crowded) -> None:
    """1.3, OPEN_WORKFLOWS_LIMIT_EXCEEDED: nothing is initiated, the decider decides again."""
    run_id = wire.start("parent")
    crowded.more += 1
    world.clock.tick(601)
    attrs = {"workflowType": W, "taskList": {"name": "kids"}}
    wire.decide(decision("StartChildWorkflowExecution", workflowId="kid", **attrs))
    assert wire.history("parent", run_id)[-2:] == [
        "StartChildWorkflowExecutionFailed",
        "DecisionTaskScheduled",
    ]
    execution = {"workflowId": "parent", "runId": run_id}
    event = wire("GetWorkflowExecutionHistory", domain=DOMAIN, execution=execution)["events"][-2]
    told = event["startChildWorkflowExecutionFailedEventAttributes"]
    assert told["cause"] == "OPEN_WORKFLOWS_LIMIT_EXCEEDED"
    assert told["initiatedEventId"] == 0


def test_w29_starting_does_not_count_each_time(wire: Wire, crowded: Crowded) -> None:
    """Flat, however many are open: one count in ten minutes."""
    crowded.more = 0
    for number in range(20):
        wire.start(str(number))
    assert crowded.counted == 1
