"""Equal answers, and what a row of them amounts to, against the rules said in other words (M23, M27)."""

import json
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from workledger.manual_tasks import answers
from workledger.manual_tasks.answers import Adjudication, Decided, Undecided, Unresolved

CHECKED = settings(max_examples=300, deadline=None, print_blob=True, database=None)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(alphabet='a" \u00e9\n', max_size=3),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


def respelled(draw: Any, value: Any) -> str:
    """JSON text of an equal answer: other order, numbers, blanks, members that are null."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {respelled(draw, one)}" for name, one in value.items()]
        parts += ['"more":null'] if draw(st.booleans()) else []
        return "{" + ",".join(draw(st.permutations(parts))) + "}"
    if isinstance(value, list):
        return "[" + " , ".join(respelled(draw, one) for one in value) + "]"
    if isinstance(value, str):
        return json.dumps(draw(st.sampled_from(["", " ", "\n"])) + value + " ")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return json.dumps(value)
    return draw(st.sampled_from([f"{value}", f"{value}.0", f"{value}e0", f"{value}.00E+0"]))


def meant(value: Any) -> Any:
    """The answer as something that Python compares as M27 does."""
    if isinstance(value, dict):
        return ("object", frozenset((k, meant(one)) for k, one in value.items() if one is not None))
    if isinstance(value, list):
        return ("list", tuple(meant(one) for one in value))
    if isinstance(value, str):
        return ("text", value.strip())
    if value is None or isinstance(value, bool):
        return ("word", value)
    return ("number", Fraction(str(value)))


@CHECKED
@given(values, st.data())
def test_m27_an_answer_spelled_otherwise_is_the_same_answer(value: Any, data: st.DataObject):
    """(M27)"""
    canonical = answers.canonical(answers.read(json.dumps(value)))
    assert answers.canonical(answers.read(respelled(data.draw, value))) == canonical
    assert answers.canonical(value) == canonical
    assert meant(json.loads(canonical, parse_float=Fraction)) == meant(value)


@CHECKED
@given(values, values)
def test_m27_answers_are_equal_only_when_they_mean_the_same(one: Any, other: Any):
    """(M27)"""
    same = answers.canonical(one) == answers.canonical(other)
    assert same == (meant(one) == meant(other))
    assert same == (answers.digest(one) == answers.digest(other))


@CHECKED
@given(st.integers(1, 9), st.integers(0, 9), st.lists(st.sampled_from("abc"), max_size=18))
def test_m23_a_record_collects_answers_until_it_is_decided(n: int, m: int, given: list[str]):
    """(M23, M24, M30) One at a time, while there is a place: never more than N+M, and no gap."""
    rule = Adjudication(n, m)
    for count in range(len(given) + 1):
        so_far = given[:count]
        outcome = answers.outcome(so_far, rule)
        winners = [one for one in "abc" if so_far.count(one) >= max(n, count // 2 + 1)]
        assert outcome == (
            Decided(winners[0]) if winners else Unresolved() if count >= n + m else Undecided()
        )
        assert answers.places(count, rule) == min(count + 1, n + m)
        if outcome != Undecided():
            assert n <= count <= n + m
            break
        assert answers.places(count, rule) == count + 1
