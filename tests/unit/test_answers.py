"""Adjudication N+M: when answers are equal, and when a record is decided (M23, M24, M27, M30)."""

import json
from itertools import product
from typing import Any

import pytest

from workledger.errors import Refused
from workledger.manual_tasks import answers
from workledger.manual_tasks.answers import Adjudication, Decided, Undecided, Unresolved

TWO_ONE = Adjudication(2, 1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", Undecided()),
        ("a", Undecided()),
        ("aa", Decided("a")),
        ("ab", Undecided()),
        ("aba", Decided("a")),
        ("abb", Decided("b")),
        ("abc", Unresolved()),
    ],
)
def test_m23_two_plus_one(given: str, expected: answers.Outcome):
    """(M23)"""
    assert answers.outcome(list(given), TWO_ONE) == expected


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ((1, 0), "a", Decided("a")),
        ((1, 3), "a", Decided("a")),
        ((2, 0), "ab", Unresolved()),
        ((3, 0), "aab", Unresolved()),
        ((3, 2), "aa", Undecided()),
        ((3, 2), "aaa", Decided("a")),
        ((3, 2), "aab", Undecided()),
        ((3, 2), "aaba", Decided("a")),
        ((3, 2), "aabba", Decided("a")),
        ((3, 2), "aabbc", Unresolved()),
        ((2, 3), "abca", Undecided()),
        ((2, 3), "abcaa", Decided("a")),
        ((2, 3), "abcab", Unresolved()),
    ],
)
def test_m23_a_strict_majority_of_at_least_n_wins(
    rule: tuple[int, int], given: str, expected: answers.Outcome
):
    """(M23) Half is not enough, and fewer than N equal ones are not either."""
    assert answers.outcome(list(given), Adjudication(*rule)) == expected


@pytest.mark.parametrize("rule", [(n, m) for n in range(1, 4) for m in range(3)])
def test_m24_never_more_than_n_plus_m_answers(rule: tuple[int, int]):
    """(M24, M30) Undecided means that there is a place, decided or unresolved that none is needed."""
    one = Adjudication(*rule)
    for length in range(one.answers + one.more + 1):
        for given in product("abc", repeat=length):
            undecided = answers.outcome(given, one) == Undecided()
            assert undecided == (
                length < one.answers + one.more
                and not isinstance(answers.outcome(given, one), Decided)
            )
            if undecided:
                assert answers.places(length, one) == length + 1


def test_m23_the_order_of_answers_does_not_matter_when_all_are_there():
    """(M23)"""
    outcomes = {answers.outcome(given, TWO_ONE) for given in ("aab", "aba", "baa")}
    assert outcomes == {Decided("a")}


def test_m30_places_are_one_more_than_answers_and_at_most_n_plus_m():
    """(M30) A constant 2 would let two people work at one record at once."""
    assert [answers.places(given, TWO_ONE) for given in range(5)] == [1, 2, 3, 3, 3]
    assert answers.places(0, Adjudication()) == answers.places(1, Adjudication()) == 1


# --- equal answers ------------------------------------------------------------------------------

SAME = [
    ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"b":2.0,"a":1e0}', '{"a":10e-1,"b":0.2E1,"c":null}'],
    ['" yes "', '"yes"', '"yes\\n"', '"\\u0079es"'],
    ["1", "1.0", "1e0", "1E+0", "0.1e1"],
    ["0", "-0", "0.0", "0e5", "0e99999999999999999999999"],
    ["1.5", "1.50", "15e-1"],
    ['[1,{"x":[" a"]}]', '[1.0,{"x":["a"],"y":null}]'],
    ["{}", '{"a":null}'],
    ["null"],
]

DIFFERENT = [
    *(
        '{"a":1}',
        '{"a":"1"}',
        '{"a":true}',
        '{"a":2}',
        '{"a":""}',
        '{"A":1}',
        '{" a":1}',
        '{"a":{}}',
    ),
    *("1", '"1"', "true", "null", '""', "[]", "{}", "[null]", "[1]", "[1,1]", "[2,1]", "[1,2]"),
    *('"Yes"', '"yes"', '"y es"', '"\u00e9"', '"e\u0301"', '"\u200byes"'),
    *("12345678901234567890.1", "12345678901234567890.2", "12345678901234567891"),
    *("1e300", "1e301", "0.1", "0.10000000000000000001", "1e-400", "2e-400", "-1", "-1e300"),
]


@pytest.mark.parametrize("texts", SAME)
def test_m27_spellings_of_one_answer_are_equal(texts: list[str]):
    """(M27)"""
    assert len({answers.canonical(answers.read(text)) for text in texts}) == 1
    assert len({answers.digest(answers.read(text)) for text in texts}) == 1


def test_m27_different_answers_differ():
    """(M27) Also where a float would not: beyond 17 digits and beyond its range."""
    assert len({answers.canonical(answers.read(text)) for text in DIFFERENT}) == len(DIFFERENT)
    assert len({answers.digest(answers.read(text)) for text in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize("text", [*DIFFERENT, *(one for texts in SAME for one in texts)])
def test_m27_a_canonical_answer_is_json_and_its_own_canonical_form(text: str):
    """(M27)"""
    canonical = answers.canonical(answers.read(text))
    json.loads(canonical)
    assert answers.canonical(answers.read(canonical)) == canonical


def test_m27_values_that_were_parsed_otherwise_are_written_alike():
    """(M27)"""
    text = '{"b":[1,2.5,true,null," \u00e4 "],"a":{"n":-0.25}}'
    expected = '{"a":{"n":-0.25},"b":[1,2.5,true,null,"\u00e4"]}'
    assert answers.canonical(json.loads(text)) == answers.canonical(answers.read(text)) == expected


def test_m27_only_the_rules_fields_count():
    """(M27) A missing field equals null; an answer that is no object is compared as a whole."""

    def of(text: str) -> str:
        return answers.canonical(answers.read(text), ("class", "sum"))

    assert of('{"class":"A ","sum":1.0,"note":"x"}') == of('{"sum":1,"class":"A"}')
    assert of('{"class":"A","sum":null}') == of('{"class":"A","other":5}')
    assert of('{"class":"A"}') != of('{"class":"B"}')
    assert of('{"note":"x"}') == of("{}")
    nothing = ("false", "0", '""', "[]", "{}")
    assert len({of(f'{{"class":{one}}}') for one in (*nothing, "null")}) == len(nothing) + 1
    assert len({of('"x"'), of('"y"'), of("[]"), of("{}"), of("null")}) == 5


# --- the rule -----------------------------------------------------------------------------------


def test_m23_a_rule_is_saved_with_defaults_and_told_as_saved():
    """(M23)"""
    assert answers.parse({}) == Adjudication(1, 0, ())
    rule = answers.parse({"answers": 2, "more": 1, "fields": ["class"]})
    assert rule == Adjudication(2, 1, ("class",))
    assert answers.load(answers.dump(rule)) == answers.parse(answers.dump(rule)) == rule


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "adjudication"),
        ("2+1", "adjudication"),
        ({"answers": 0}, "adjudication.answers"),
        ({"answers": 10}, "adjudication.answers"),
        ({"answers": "2"}, "adjudication.answers"),
        ({"answers": 2.0}, "adjudication.answers"),
        ({"answers": True}, "adjudication.answers"),
        ({"answers": None}, "adjudication.answers"),
        ({"more": -1}, "adjudication.more"),
        ({"more": 10}, "adjudication.more"),
        ({"fields": "class"}, "adjudication.fields"),
        ({"fields": ["a"] * 51}, "adjudication.fields"),
        ({"fields": ["a", ""]}, "adjudication.fields[1]"),
        ({"fields": ["a", 1]}, "adjudication.fields[1]"),
        ({"fields": ["a", "b", "a"]}, "adjudication.fields[2]"),
        ({"majority": 2}, "adjudication.majority"),
    ],
)
def test_m23_what_is_no_rule_is_refused_with_the_field(value: Any, field: str):
    """(M23)"""
    with pytest.raises(Refused) as refused:
        answers.parse(value)
    assert (refused.value.code, refused.value.field) == ("invalid_value", field)
