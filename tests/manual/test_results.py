"""Results: columns, order, answers, decision (M6, M60)."""

import pytest

from tests.manual.people import DATE, Floor, floor, load_records
from tests.races.world import MAKERS, World
from tests.races.world import world as make_world
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, results
from workledger.manual.results import Result
from workledger.manual_tasks.answers import Adjudication

TWO_AND_ONE = Adjudication(2, 1)


def rows(at: Floor, load: str | None = None) -> list[Result]:
    """All results."""
    page = results.rows(at.core(), at.name, load, None, 100)
    assert page.next_cursor is None
    return page.items


@pytest.mark.parametrize("kind", MAKERS)
def test_m60_results_have_columns_order_answers_and_decision(kind: str):
    """(M6, M60) The columns digit for digit, the order as it travels, answers in their order."""
    with make_world(kind) as world:
        at = floor(world, 2)
        at.answer("W1", "1", '{"a":1.50}')
        at.answer("W2", "1", "2")
        at.answer("W3", "1", '{"a":1.5}')
        one, two = rows(at)
        assert one.values == {"name": Raw('"1"'), "total": Raw("1.50")}
        assert one.order == {"hitOrder": 1, "hitOrderDate": DATE, "note": Raw('"kept"')}
        told = [(each.worker, each.answer.text, each.approved) for each in one.answers]
        assert told == [("W1", '{"a":1.50}', False), ("W2", "2", False), ("W3", '{"a":1.5}', False)]
        assert one.decision is not None
        assert (one.decision.by, one.decision.answer.text) == ("majority", '{"a":1.50}')
        assert (one.status, two.status, two.answers, two.decision) == ("done", "waiting", (), None)


def test_m25_what_was_rejected_is_no_answer(world: World):
    """(M25, M60) An approved one says so."""
    at = floor(world, 1)
    first = at.take("W1", "1")
    answering.submit(at.core(), "W1", first.id, Raw("1"))
    answering.approve(at.core(), "kai", first.id)
    second = at.take("W2", "1")
    answering.submit(at.core(), "W2", second.id, Raw("2"))
    answering.reject(at.core(), "kai", second.id, "")
    (one,) = rows(at)
    assert [(each.worker, each.approved) for each in one.answers] == [("W1", True)]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_m60_results_are_paged_in_the_order_of_creation_or_of_the_file(world: World, limit: int):
    """(M60) Whatever the records' dates."""
    at = floor(world, 3)
    later = load_records(world.process(), at.task, ["x", "y"], date="2019")
    for load, expected in (
        (None, ["1", "2", "3", "x", "y"]),
        (keys.manual_id(later), ["x", "y"]),
        (keys.manual_id(at.load), ["1", "2", "3"]),
    ):
        names: list[object] = []
        cursor = None
        while True:
            page = results.rows(at.core(), at.name, load, cursor, limit)
            names += [one.values["name"].value() for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert names == expected


def test_m60_a_table_of_results_has_the_columns_that_were_loaded(world: World):
    """(M60) Those of a load, or all that the task has seen."""
    at = floor(world, 1)
    assert results.columns(at.core(), at.name, keys.manual_id(at.load)) == ("name",)
    assert results.columns(at.core(), at.name, None) == ()
    with pytest.raises(Refused) as refused:
        results.columns(at.core(), at.name, "l_" + "a" * 26)
    assert refused.value.code == "load_not_found"
