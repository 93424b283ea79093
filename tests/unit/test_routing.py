"""Decision rules: where a record goes, and which rules and steps are refused (M13)."""

from datetime import timedelta, timezone
from typing import Any

import pytest

from workledger.errors import Refused
from workledger.manual_tasks import graph, routing
from workledger.manual_tasks.graph import Node
from workledger.manual_tasks.routing import Routes, Rule

ABSENT = object()


def holds(op: str, value: Any, wanted: Any = None) -> bool:
    told = {"field": "f", "op": op, "step": "s", **({} if wanted is None else {"value": wanted})}
    routes = routing.parse({"rules": [told], "else": "e"})
    assert routing.load(routing.dump(routes)) == routes
    return routing.route(routes, {} if value is ABSENT else {"f": value}) == "s"


@pytest.mark.parametrize(
    ("value", "wanted", "order"),
    [
        ("9", 10, -1),
        ("9", "10", -1),
        ("10", 10, 0),
        ("1e1", "10.0", 0),
        (" 10 ", 10, 0),
        (11, "10", 1),
        (10.5, 10, 1),
        ("1e400", 10, 1),
        ("-1e400", -10, -1),
        ("007", "7", 0),
        ("2020-03-11", "2020-03-11T00:00:00.000", 0),
        ("2020-03-11T10:00:00+02:00", "2020-03-11 08:00", 0),
        ("2020-03-11T10:00:00", "2020-03-11T09:59:59.999", 1),
        ("2019-12-31", "2020-01-01", -1),
        ("a", "b", -1),
        ("b ", " b", 0),
        ("e\u0301", "\u00e9", 0),
        ("Z", "a", -1),
        ("ab", "a", 1),
        (5, "a", -1),
        (True, "true", 0),
        ("true", True, 0),
        (False, True, -1),
    ],
)
def test_m13_numbers_dates_and_texts_compare_as_such(value: Any, wanted: Any, order: int):
    """(M13)"""
    told = {op: holds(op, value, wanted) for op in ("eq", "ne", "lt", "le", "gt", "ge")}
    assert told == {
        "eq": order == 0,
        "ne": order != 0,
        "lt": order < 0,
        "le": order <= 0,
        "gt": order > 0,
        "ge": order >= 0,
    }
    assert holds("in", value, ["nothing", wanted]) == (order == 0)


@pytest.mark.parametrize("wanted", [10, "10", "2020-03-11", "text", True])
@pytest.mark.parametrize("value", [ABSENT, None, "", "  ", [], {}, [10], {"a": 10}])
def test_m13_a_value_that_does_not_compare_is_only_unequal(value: Any, wanted: Any):
    """(M13)"""
    assert holds("ne", value, wanted)
    for op in ("eq", "lt", "le", "gt", "ge", "startsWith"):
        assert not holds(op, value, wanted), op
    assert not holds("in", value, [wanted])


@pytest.mark.parametrize(
    ("value", "wanted"), [("n/a", 1000), ("n/a", "1000"), ("N/A", "2020-01-01")]
)
def test_m13_what_is_no_number_or_date_is_neither_less_nor_greater(value: str, wanted: Any):
    """(M13)"""
    assert not any(holds(op, value, wanted) for op in ("eq", "lt", "le", "gt", "ge"))


@pytest.mark.parametrize(
    ("value", "wanted", "expected"),
    [
        ("invoice 2024", "2024", True),
        ("invoice", "Voice", False),
        ("invoice", " voice ", True),
        (12345, "234", True),
        ("Ve\u0301lo", "\u00e9", True),
        (["a", "b "], "b", True),
        ([1, 2], "2.0", True),
        (["ab"], "a", False),
        ({"a": 1}, "a", False),
        (None, "a", False),
        (ABSENT, "a", False),
    ],
)
def test_m13_contains(value: Any, wanted: Any, expected: bool):
    """(M13) A text contains a text, a list contains an equal value."""
    assert holds("contains", value, wanted) is expected


def test_m13_starts_with():
    """(M13)"""
    assert holds("startsWith", " INV-1", "INV-")
    assert not holds("startsWith", "inv-1", "INV-")
    assert holds("startsWith", 2024, 20)


@pytest.mark.parametrize(
    ("value", "there"),
    [
        (ABSENT, False),
        (None, False),
        ("", False),
        (" \t", False),
        ("0", True),
        (0, True),
        (False, True),
        ([], True),
        ({}, True),
    ],
)
def test_m13_exists_and_missing(value: Any, there: bool):
    """(M13) A CSV file can not tell a blank value from none."""
    assert holds("exists", value) is there
    assert holds("missing", value) is not there


def test_m13_the_first_rule_that_holds_decides_and_else_when_none_does():
    """(M13)"""
    routes = routing.parse(
        {
            "rules": [
                {"field": "n", "op": "in", "value": ["1", "3", "5"], "step": "ten"},
                {"field": "n", "op": "lt", "value": 4, "step": "thirty"},
            ],
            "else": "end",
        }
    )
    ways = [routing.route(routes, {"n": n}) for n in ("1", "2", "3", "4", "5")]
    assert ways == ["ten", "thirty", "ten", "end", "ten"]
    assert [routing.chosen(routes, {"n": n}) for n in (1, 2, 4)] == [0, 1, 2]
    assert routing.targets(routes) == ("ten", "thirty", "end")


def test_m13_a_steps_name_alone_is_the_else():
    """(M13)"""
    assert routing.parse("review") == routing.parse({"else": "review"}) == Routes((), "review")
    assert routing.route(Routes((), "review"), {}) == "review"


def test_m13_dates_with_an_offset_are_read_in_the_zone():
    """(M13, M53)"""
    rule = Rule("f", "ge", "2020-03-11T12:00", "s")
    there = {"f": "2020-03-11T10:00:00Z"}
    assert routing.holds(rule, there, timezone(timedelta(hours=2)))
    assert not routing.holds(rule, there)


GOOD: dict[str, Any] = {"field": "f", "op": "eq", "value": 1, "step": "s"}


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("f = 1", ""),
        ({**GOOD, "field": ""}, ".field"),
        ({**GOOD, "field": None}, ".field"),
        ({**GOOD, "op": "=="}, ".op"),
        ({**GOOD, "op": None}, ".op"),
        ({**GOOD, "op": ["eq"]}, ".op"),
        ({**GOOD, "value": None}, ".value"),
        ({**GOOD, "value": " "}, ".value"),
        ({**GOOD, "value": [1]}, ".value"),
        ({**GOOD, "value": {}}, ".value"),
        ({**GOOD, "value": float("nan")}, ".value"),
        ({**GOOD, "value": "x" * 1001}, ".value"),
        ({**GOOD, "op": "in"}, ".value"),
        ({**GOOD, "op": "in", "value": []}, ".value"),
        ({**GOOD, "op": "in", "value": [1] * 101}, ".value"),
        ({**GOOD, "op": "in", "value": [1, None]}, ".value[1]"),
        ({**GOOD, "op": "exists"}, ".value"),
        ({**GOOD, "op": "missing", "value": ""}, ".value"),
        ({**GOOD, "step": " "}, ".step"),
        ({**GOOD, "step": 1}, ".step"),
        ({**GOOD, "else": "s"}, ".else"),
    ],
)
def test_m13_what_is_no_rule_is_refused_with_the_field(rule: Any, field: str):
    """(M13)"""
    with pytest.raises(Refused) as refused:
        routing.parse({"rules": [GOOD, rule], "else": "s"})
    assert (refused.value.code, refused.value.field) == ("invalid_value", f"start.rules[1]{field}")


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "steps[2].next"),
        ("", "steps[2].next"),
        ([], "steps[2].next"),
        ({}, "steps[2].next.else"),
        ({"rules": []}, "steps[2].next.else"),
        ({"else": None}, "steps[2].next.else"),
        ({"rules": {}, "else": "s"}, "steps[2].next.rules"),
        ({"rules": [GOOD] * 101, "else": "s"}, "steps[2].next.rules"),
        ({"otherwise": "s"}, "steps[2].next.otherwise"),
    ],
)
def test_m13_what_are_no_routes_is_refused_with_the_field(value: Any, field: str):
    """(M13) The else is mandatory."""
    with pytest.raises(Refused) as refused:
        routing.parse(value, "steps[2].next")
    assert (refused.value.code, refused.value.field) == ("invalid_value", field)


# --- steps --------------------------------------------------------------------------------------


def routes(*steps: str) -> Routes:
    """Rules to all but the last, which is the else."""
    return Routes(tuple(Rule("f", "exists", None, one) for one in steps[:-1]), steps[-1])


def node(name: str, *after: str) -> Node:
    """A step: timed, or by its first letter `m`anual or `e`nd."""
    kind = {"m": "manual", "e": "end"}.get(name[0], "timed")
    return Node(name, kind, routes(*after) if after else None)


def refused_field(start: Routes, *nodes: Node) -> str | None:
    with pytest.raises(Refused) as refused:
        graph.check_steps(start, nodes)
    assert refused.value.code == "invalid_value"
    return refused.value.field


@pytest.mark.parametrize(
    "nodes",
    [
        [node("m1", "e"), node("e")],
        [node("t1", "t2"), node("t2", "m1"), node("m1", "e", "t1"), node("e")],
        [node("m1", "m1", "e"), node("e")],
        [node("t1", "m1", "t2"), node("t2", "m1"), node("m1", "t2", "t1")],
        [node("t1", "t2", "t3"), node("t2", "t3"), node("t3", "e"), node("e")],
    ],
)
def test_m13_steps_that_fit_are_accepted(nodes: list[Node]):
    """(M13) A cycle with a manual task in it is rework, not an endless loop."""
    graph.check_steps(routes(nodes[0].name), nodes)


def test_m13_an_unknown_step_is_refused_with_the_field():
    """(M13)"""
    end = node("e")
    assert refused_field(routes("x"), end) == "start"
    assert refused_field(routes("x", "e"), end) == "start.rules[0].step"
    assert refused_field(routes("e", "x"), end) == "start.else"
    assert (
        refused_field(routes("m"), end, node("m", "e", "x", "e")) == "steps[1].next.rules[1].step"
    )
    assert refused_field(routes("m"), node("m", "x")) == "steps[0].next"
    assert refused_field(routes("x")) == "start"


def test_m13_steps_that_do_not_fit_are_refused_with_the_field():
    """(M13)"""
    assert refused_field(routes("e"), node("e"), node("e")) == "steps[1].name"
    assert refused_field(routes("e"), node("e", "e")) == "steps[0].next"
    assert refused_field(routes("m"), node("m")) == "steps[0].next"


@pytest.mark.parametrize(
    ("nodes", "field"),
    [
        ([node("t1", "t1")], "steps[0].next"),
        ([node("t1", "e", "t1"), node("e")], "steps[0].next.else"),
        ([node("m", "t1"), node("t1", "m", "t2"), node("t2", "t1", "m")], "steps[1].next.else"),
        (
            [
                node("t1", "t3", "t2"),
                node("t2", "t1"),
                node("t3", "t4"),
                node("t4", "e"),
                node("e"),
            ],
            "steps[0].next.else",
        ),
        ([node("t0", "t1"), node("t1", "t2"), node("t2", "t1")], "steps[1].next"),
        (
            [
                node("t1", "t2"),
                node("t2", "t3"),
                node("t3", "t4", "t1"),
                node("t4", "e"),
                node("e"),
            ],
            "steps[0].next",
        ),
    ],
)
def test_m13_a_cycle_of_timed_steps_only_is_refused(nodes: list[Node], field: str):
    """(M13) Fields do not change in timed steps: who comes round once comes round for ever."""
    assert refused_field(routes(nodes[0].name), *nodes) == field


def test_m13_a_long_chain_of_timed_steps_is_no_loop():
    """(M13)"""
    chain = [node(f"t{i}", f"t{i + 1}") for i in range(1500)]
    graph.check_steps(routes("t0"), [*chain, node("t1500", "e"), node("e")])
