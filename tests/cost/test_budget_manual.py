"""The budget of manual tasks on DynamoDB: records of some 100 bytes, adjudication 2+1.

Counted at the client, as in test_budget.py; docs/manual_tasks.md shows these numbers.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cost.manual_tasks import COUNTED, HELD, LISTED, RECORDS, operations
from tests.cost.operations import Cost

PAGE = Path(__file__).parents[2] / "docs" / "manual_tasks.md"

BUDGET: Mapping[str, tuple[int, int, int]] = {
    "create a manual task": (6, 4, 6),
    "load one record": (12, 10, 16),
    "load one record, sent again": (5, 0, 0),
    f"load {RECORDS}": (8, 307, 723),
    f"page of {LISTED} of the list": (6, 0, 0),
    "next record": (6, 4, 8),
    "next record with a key": (8, 5, 8),
    "next record with a key, sent again": (7, 0, 0),
    "extend": (4, 4, 4),
    "submit, not deciding": (4, 3, 7),
    "submit, deciding": (4, 5, 10),
    "return": (4, 3, 7),
    "skip": (4, 3, 7),
    "reject, the record was open": (17, 7, 14),
    "approve": (9, 3, 3),
    "reject, the record was decided": (17, 5, 10),
    "adjudicate": (8, 5, 7),
    f"what one holds ({HELD})": (6, 0, 0),
    f"sign out of {HELD}": (8, 9, 21),
    "next record, nothing there": (8, 0, 0),
    f"place {RECORDS} anew": (27, 407, 509),
    f"projector: count {COUNTED} that were decided": (12, 14, 27),
    f"projector: count {COUNTED} once more": (13, 0, 0),
    "statistics": (17, 0, 0),
}
"""Operation -> (reads, writes, write units)."""


@pytest.fixture(scope="module")
def costs() -> Mapping[str, Cost]:
    """Operation -> its cost."""
    from tests.tables import fresh_tables  # noqa: PLC0415
    from workledger.stores.moto import moto_client  # noqa: PLC0415

    with moto_client() as client:
        fresh_tables(client)
        return dict(operations(client))


def test_m60_every_operation_of_manual_tasks_has_its_budget(costs: Mapping[str, Cost]) -> None:
    """(M60) Nothing is measured that is not held to something."""
    assert list(costs) == list(BUDGET)


@pytest.mark.parametrize("name", BUDGET)
def test_m60_requests_and_write_units(costs: Mapping[str, Cost], name: str) -> None:
    """(M60) As counted at the client, on moto."""
    cost = costs[name]
    assert (cost.reads, cost.writes, cost.units) == BUDGET[name]
    assert cost.refused <= 1, "a due row that says earlier already, and nothing else"


def test_m54_a_record_of_a_load_is_three_writes(costs: Mapping[str, Cost]) -> None:
    """(M54) Its commit, its place, its head: some seven units; all side by side."""
    many, one = costs[f"load {RECORDS}"], costs["load one record"]
    assert many.writes - 3 * RECORDS <= one.writes
    assert many.units <= 7.5 * RECORDS
    assert many.trips <= one.trips


def test_m43_placing_anew_is_four_writes_a_record(costs: Mapping[str, Cost]) -> None:
    """(M43) Its commit, both places, its head: some five units."""
    cost = costs[f"place {RECORDS} anew"]
    assert cost.writes <= 4 * RECORDS + 10
    assert cost.units <= 5.1 * RECORDS


def test_m61_counting_is_one_commit_and_a_row_each(costs: Mapping[str, Cost]) -> None:
    """(M61) The commit, the head, two workers, and a row for each record that moved."""
    assert costs[f"projector: count {COUNTED} that were decided"].writes == COUNTED + 4


def test_m55_what_is_sent_again_writes_nothing(costs: Mapping[str, Cost]) -> None:
    """(M55) A load, a next."""
    again = [cost for name, cost in costs.items() if name.endswith("sent again")]
    assert [cost.writes for cost in again] == [0, 0]


def test_the_document_shows_these_numbers() -> None:
    shown = re.findall(
        r"^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE.read_text(), re.MULTILINE
    )
    assert {name: tuple(map(int, found)) for name, *found in shown} == dict(BUDGET)
