"""Requests to DynamoDB and write units of each operation of an execution's life (W29).

Reads, writes and write units, indexes included, as sent by a client that is watched. More is a
regression; less is to be written here.
"""

from collections.abc import Mapping

import pytest

from tests.cost.operations import Cost
from tests.swf.costs import HELD_SECONDS, operations

BUDGET: Mapping[str, tuple[int, int, int]] = {
    "start": (6, 4, 7),
    "poll for a decision task": (7, 4, 7),
    "decide one activity": (7, 5, 6),
    "poll for an activity task": (7, 4, 5),
    "heartbeat": (5, 1, 1),
    "complete the activity": (5, 5, 6),
    "signal, a decision task waits": (4, 3, 3),
    "decide a timer": (5, 5, 7),
    "the timer fires": (45, 8, 9),
    "the timekeeper looks once more": (42, 2, 4),
    "decide to complete": (5, 4, 7),
    "describe": (7, 0, 0),
    "history": (11, 0, 0),
    "a poll of 20 s that finds nothing": (43, 0, 0),
}
"""Operation -> its reads, writes and write units; a sweep looks at 16 lines twice."""


@pytest.fixture(scope="module")
def costs() -> Mapping[str, Cost]:
    """Operation -> its cost."""
    from tests.tables import fresh_tables  # noqa: PLC0415
    from workledger.stores.moto import moto_client  # noqa: PLC0415

    with moto_client() as client:
        fresh_tables(client)
        return dict(operations(client))


def test_w29_every_operation_has_its_budget(costs: Mapping[str, Cost]) -> None:
    """Nothing is measured that is not held to something."""
    assert list(costs) == list(BUDGET)


@pytest.mark.parametrize("name", BUDGET)
def test_w29_requests_and_write_units_of_an_operation(costs: Mapping[str, Cost], name: str) -> None:
    """As counted at the client, on moto."""
    cost = costs[name]
    assert (cost.reads, cost.writes, cost.units) == BUDGET[name]
    assert cost.refused <= 2, "a due row that says earlier already, and nothing else"


def test_w7_an_idle_poll_looks_twice_a_second(costs: Mapping[str, Cost]) -> None:
    """So work that another process schedules is found within half a second and the index's lag;
    and a poller that finds nothing costs this much, as the documents say."""
    cost = costs[f"a poll of {HELD_SECONDS} s that finds nothing"]
    looks = cost.reads - 2
    assert looks == 2 * HELD_SECONDS + 1
    assert cost.reads * 3_600 // HELD_SECONDS == 7_740
