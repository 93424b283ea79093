"""Write units, computed by hand from the service's rules (and compared with ministack's)."""

import pytest

from tests.stores.writes import AT, added, standing
from workledger.stores.dynamodb_items import commit_item, row_item
from workledger.stores.tables import LEDGER, VIEWS
from workledger.stores.units import item_size, number_size, units, write_units
from workledger.views.row import Keys


@pytest.mark.parametrize(
    ("digits", "size"),
    [
        ("0", 1),
        ("5", 2),
        ("17", 2),
        ("123", 3),
        ("12300", 3),
        ("-1", 3),
        ("0.25", 2),
        ("100000000", 2),
    ],
)
def test_a_number_is_a_byte_for_two_digits_and_one(digits: str, size: int) -> None:
    """Zeros at both ends are not kept; a minus sign is a byte."""
    assert number_size(digits) == size


def test_the_size_of_an_item_is_that_of_its_names_and_values() -> None:
    """Text in UTF-8; a map 3 bytes, and one more for each element."""
    assert item_size({"stream": {"S": "item/é"}, "n": {"N": "1"}}) == (6 + 7) + (1 + 2)
    payload = {"payload": {"M": {"0": {"S": "abc"}, "10": {"S": ""}}}}
    assert item_size(payload) == 7 + 3 + (1 + 3 + 1) + (2 + 0 + 1)
    assert item_size({"a": {"L": [{"BOOL": True}, {"NULL": True}]}}) == 1 + 3 + (1 + 1) + (1 + 1)


def test_a_unit_is_a_kilobyte_begun() -> None:
    """1,024 bytes are one, a byte more is two; what is not there costs nothing."""
    assert units({"a": {"S": "x" * 1023}}) == 1
    assert units({"a": {"S": "x" * 1024}}) == 2
    assert units(None) == 0


def test_a_commit_costs_its_size() -> None:
    """The ledger has no index; a refused put costs what stands there."""
    small = commit_item(added("item/a").commit)
    assert write_units(LEDGER, None, small) == 1
    assert write_units(LEDGER, small, small) == 1
    assert write_units(LEDGER, None, small | {"payload": {"M": {"0": {"S": "x" * 2000}}}}) == 3


WAITING = row_item(added("item/a", place=standing(17), keys=Keys("q_a.1", 17, "ref", None)).rows[0])
TAKEN = row_item(
    added(
        "item/a", 2, place=standing(17, "q_a.1/in_progress#0"), keys=Keys("q_a.1", 17, "ref", "r")
    ).rows[0]
)
HIGHER = row_item(
    added("item/a", 2, place=standing(17, rank=-5), keys=Keys("q_a.1", 17, "ref", None)).rows[0]
)
NOWHERE = row_item(added("item/a", 3).rows[0])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, WAITING, 1 + 3),  # table; line, number and reference appear
        (WAITING, WAITING, 1),  # nothing moves
        (WAITING, TAKEN, 1 + 2 + 1),  # leaves a line, enters another, appears at its run
        (TAKEN, WAITING, 1 + 2 + 1),  # and back
        (WAITING, HIGHER, 1 + 2),  # another place on the same line: out and in
        (TAKEN, NOWHERE, 1 + 4),  # goes from all four
        (NOWHERE, None, 1),  # removed: in no index
    ],
)
def test_an_index_costs_what_appears_and_what_goes(old, new, expected) -> None:
    """An entry whose key changes costs twice, one that stays nothing."""
    assert write_units(VIEWS, old, new) == expected


def test_a_put_is_charged_by_the_larger_of_old_and_new() -> None:
    """Making an item smaller costs what it was."""
    large = NOWHERE | {"state": {"S": "x" * 3000}}
    assert write_units(VIEWS, large, NOWHERE) == 3
    assert write_units(VIEWS, NOWHERE, large) == 3


def test_an_entry_needs_all_parts_of_its_key() -> None:
    """An index leaves out rows that lack one: a number without a queue is in none."""
    alone = row_item(added("item/a", keys=Keys(None, 17, None, None)).rows[0])
    assert write_units(VIEWS, None, alone) == 1
    assert AT in str(WAITING)
