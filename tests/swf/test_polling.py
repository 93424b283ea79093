"""Polls: how many of one list, and what they find right after another one was given out."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.conftest import stores
from tests.swf.service import ACCOUNT, DOMAIN, REGION, Service, check, schedule, serving
from workledger import keys
from workledger.errors import Refused
from workledger.swf import limits
from workledger.swf.call import Call
from workledger.swf.operations import OPERATIONS


@dataclass
class Nested:
    """Waits by polling once more: so many polls are held at once, on one thread."""

    poll: Callable[[], Any]
    depth: int = 0
    deepest: int = 0
    refused: list[str] = field(default_factory=list[str])

    def wait(self, line: str, seconds: float) -> None:
        """Let another poll begin, until one is refused; then let time pass."""
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        if not self.refused:
            try:
                self.poll()
            except Refused as refused:
                self.refused.append(refused.code)
        self.depth -= 1


@pytest.mark.row("1.8 more than 1,000 polls of one list")
@pytest.mark.row("1.10 polls of one list")
@pytest.mark.parametrize("operation", ["PollForActivityTask", "PollForDecisionTask"])
def test_w26_table_1_10_a_list_has_at_most_1_000_polls(world: World, operation: str) -> None:
    """LimitExceededFault in one process; another list has polls of its own, and what has ended
    counts no more."""
    assert limits.MOST_POLLS == 1_000
    service = serving(world)
    params = {"domain": DOMAIN, "taskList": {"name": "l"}}

    def poll(seconds: float = 0) -> Any:
        core = replace(service.core, waiter=waiter)
        call = Call(core, REGION, ACCOUNT, "kai", params, seconds, lambda: not waiter.refused)
        return OPERATIONS[operation].run(call)

    waiter = Nested(lambda: poll(1))
    with held(service, limits.MOST_POLLS - 5, params, operation):
        poll(1)
        assert waiter.refused == ["LimitExceededFault"]
        assert waiter.deepest == 5
        with limits.polling(service.core, "another"):
            pass
    waiter.refused.clear()
    assert poll()["startedEventId"] == 0


def held(service: Service, count: int, params: Any, operation: str) -> ExitStack:
    """So many polls of a list that others hold."""
    kind = "activity" if "Activity" in operation else "decision"
    scope = f"{REGION}/{ACCOUNT}"
    line = keys.tasks_line(scope, DOMAIN, kind, params["taskList"]["name"])
    stack = ExitStack()
    for _ in range(count):
        stack.enter_context(limits.polling(service.core, line))
    return stack


@stores
def test_w7_the_next_task_of_an_execution_is_seen_right_after_the_last(world: World) -> None:
    """Who was given one passes it over while a line still shows it, but not the one after it,
    which another process scheduled in the same moment."""
    one, two = serving(world), Service(world.process())
    one.start("w")
    for _ in range(3):
        one.decide(schedule("a"))
        two.work()
    assert "taskToken" in one.poll()
    check(world, "w")
