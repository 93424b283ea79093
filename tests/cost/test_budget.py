"""The budget of requests and write units on DynamoDB: a 900-byte item, a reference, a priority.

Counted at the client, so nothing is forgotten; units as `stores.units` computes them of the rows
as they are written, indexes included. `make fidelity` compares them with another engine's.
"""

from collections.abc import Mapping

import pytest

from tests.cost.operations import LISTED, Cost

Costs = Mapping[str, Cost]

LINES_OF_A_QUEUE = 5
PAYLOAD_AND_RUN = 2
"""Reads beside the last write of a take: what was taken, and whether the run is still active."""


def test_the_first_add_of_a_reference_is_three_writes_and_seven_units(costs: Costs) -> None:
    """Its number, its commit, its row; found and looked up by two reads."""
    cost = costs["add, first of its reference"]
    assert (cost.writes, cost.refused) == (3, 0)
    assert cost.units <= 7
    assert cost.reads <= 2


def test_q20_a_clock_that_is_behind_costs_an_add_one_refused_write(costs: Costs) -> None:
    """Dates of arrival never run back (Q20)."""
    cost = costs["add, this server's clock is behind"]
    assert (cost.writes, cost.refused) == (4, 1)
    assert cost.units <= 8


def test_q30_a_known_reference_writes_nothing(costs: Costs) -> None:
    """Sent again by mistake, a load is cheap (Q30)."""
    cost = costs["add, reference known: skipped"]
    assert cost.writes == 0
    assert cost.reads <= 4


def test_q83_a_key_costs_an_add_two_writes_and_its_repeat_none(costs: Costs) -> None:
    """The numbers first, the answer last (Q83)."""
    assert costs["add with a key"].writes == costs["add, first of its reference"].writes + 2
    assert costs["add with a key, sent again"].writes == 0
    assert costs["add with a key, sent again"].reads <= 2


def test_q81_a_load_takes_its_numbers_by_one_write(costs: Costs) -> None:
    """Two writes for each of 100 items and one for their numbers, in as few trips as one item."""
    cost = costs["add 100"]
    assert cost.writes == 201
    assert cost.units <= 7 * 100
    assert cost.trips == costs["add, first of its reference"].trips


def test_a_take_is_five_reads_in_two_trips_and_two_writes(costs: Costs) -> None:
    """And beside the last write the payload and the run again: five units, four round trips."""
    cost = costs["next"]
    assert cost.reads <= 5 + PAYLOAD_AND_RUN
    assert cost.read_trips <= 2
    assert (cost.writes, cost.refused) == (2, 0)
    assert cost.units <= 5
    assert cost.trips == cost.read_trips + cost.writes


def test_q26_a_key_costs_a_take_one_write_for_each_attempt(costs: Costs) -> None:
    """The choice is committed before it is tried (Q26); the repeat writes nothing."""
    plain, keyed = costs["next"], costs["next with a key"]
    assert keyed.writes == plain.writes + 1
    assert keyed.units == plain.units + 1
    assert costs["next with a key, sent again"].writes == 0


def test_a_lost_race_is_one_refused_write_and_another_look(costs: Costs) -> None:
    """Who loses reads nothing about what it lost: the refusal brings it."""
    plain, once_more = costs["next"], costs["next, one race lost"]
    assert (once_more.writes, once_more.refused) == (plain.writes + 1, 1)
    assert once_more.reads <= plain.reads + 5
    assert once_more.units <= plain.units + 1


def test_q27_ten_items_are_taken_in_as_many_trips_as_one(costs: Costs) -> None:
    """Written side by side (Q27)."""
    assert costs["next, 10 items"].trips == costs["next"].trips
    assert costs["next, 10 items"].reads == costs["next"].reads
    assert costs["next, 10 items"].units <= 50


@pytest.mark.parametrize(
    "closing",
    ["complete", "complete with 100 bytes of result", "fail, put back", "fail for good"],
)
def test_ending_a_round_is_three_reads_and_two_writes(costs: Costs, closing: str) -> None:
    """Five units, whatever the outcome."""
    cost = costs[closing]
    assert cost.reads <= 3
    assert (cost.writes, cost.refused) == (2, 0)
    assert cost.units <= 5


def test_q52_a_heartbeat_is_one_write(costs: Costs) -> None:
    """It is no event (Q52)."""
    assert costs["beat of a run"].writes == 1
    assert costs["beat of a run"].units == 1


def test_q22_nothing_to_take_writes_nothing(costs: Costs) -> None:
    """Waiting for work costs reads only (Q22)."""
    assert costs["next, nothing there"].writes == 0


def test_q70_counts_of_a_list_of_queues_are_one_read(costs: Costs) -> None:
    """Counter rows in one batch (Q70); what was never counted is counted by its lines."""
    listed, uncounted = costs["list of queues"], costs["list of queues, never counted"]
    assert (listed.writes, uncounted.writes) == (0, 0)
    assert uncounted.reads - listed.reads == LINES_OF_A_QUEUE * LISTED
    # The line of queues, the counter rows; of each queue its head, whether a commit stands beyond
    # it, and the oldest waiting item.
    assert listed.reads <= 2 + 3 * LISTED
    assert costs["count of a queue"].reads <= 1 + LINES_OF_A_QUEUE
