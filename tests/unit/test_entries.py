"""What may be added (Q10 to Q15, Q31, Q80 to Q86) and JSON kept as it was written (Q10)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workledger import jsontext
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.queues import entries
from workledger.queues.item_commands import NewItem


def new_items(body: str) -> list[NewItem]:
    """The items of a body."""
    return entries.new_items(jsontext.entries(body, entries.MOST_ENTRIES))


def refused(body: str) -> Refused:
    """The refusal of a body."""
    with pytest.raises(Refused) as caught:
        new_items(body)
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        "30.40",
        "9007199254740993",
        "1e-7",
        '""',
        "null",
        "[]",
        "{}",
        '{"S":"x"}',
        '{"a.b":1}',
        "-0",
        "0.1e+1",
        '"\\u00e9"',
        '"\\ud83d\\ude00"',
        "true",
        "[1, 2 ,3]",
        "1" * 4000,
    ],
)
def test_q10_data_is_kept_digit_for_digit(data: str):
    assert new_items(f'[{{"data": {data} }}]')[0].data == data
    assert new_items(f"[{data}]")[0].data == data
    assert jsontext.dumps({"data": Raw(data)}) == f'{{"data":{data}}}'


@pytest.mark.parametrize(
    "bad",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "1" * 5000,
        "[" * 100_000,
        '"\\ud800"',
        "{",
        "[1,]",
        "[" * 66 + "]" * 66,
        "'a'",
        "01",
        "1 2",
        "",
        " ",
        "[1 2]",
        '"\x01"',
        "tru",
    ],
)
def test_q10_what_is_not_json_is_refused(bad: str):
    assert refused(bad).code == "invalid_json"
    inside = refused(f'[1, {{"data": {bad}}}]') if bad.strip() and bad != "1 2" else None
    assert inside is None or inside.index == 1


def test_q80_a_member_that_stands_twice_in_an_entry_is_refused():
    assert refused('[1, {"data":1,"data":2}]').code == "invalid_json"


def test_q10_bytes_that_are_no_utf8_are_refused():
    with pytest.raises(Refused) as caught:
        jsontext.text_of(b'"\xff"')
    assert caught.value.code == "invalid_json"


def test_q10_nesting_up_to_the_stated_depth_is_kept():
    deep = "[" * jsontext.MAX_DEPTH + "]" * jsontext.MAX_DEPTH
    assert new_items(f"[{deep}]")[0].data == deep


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.lists(json_values, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_q10_any_list_of_values_is_found_again(values: list, indent: int | None, ascii_: bool):
    wrapped = [{"data": value} for value in values]
    found = new_items(json.dumps(wrapped, indent=indent, ensure_ascii=ascii_))
    assert [json.loads(item.data) for item in found] == values


@given(st.lists(json_values, max_size=4))
def test_raw_parts_stand_in_an_answer_as_they_were_written(values: list):
    texts = [json.dumps(value, indent=1) for value in values]
    answer = jsontext.dumps({"items": [Raw(text) for text in texts], "x": '{"\0":0}'})
    assert json.loads(answer) == {"items": values, "x": '{"\0":0}'}


def test_q11_priority_is_a_whole_number_of_32_bits():
    bodies = ["0", "5.0", "-2147483648", "2147483647", "1e3"]
    items = new_items("[" + ",".join(f'{{"data":1,"priority":{p}}}' for p in bodies) + "]")
    assert [item.priority for item in items] == [0, 5, -(2**31), 2**31 - 1, 1000]
    assert all(type(item.priority) is int for item in items)


@pytest.mark.parametrize(
    "bad", ["true", '"5"', "1.5", '"High"', "null", "2147483648", "[]", "1e99"]
)
def test_q11_any_other_priority_is_refused_with_its_index(bad: str):
    caught = refused(f'[{{"data":1}},{{"data":1,"priority":{bad}}}]')
    assert (caught.code, caught.field, caught.index) == ("invalid_value", "priority", 1)


@pytest.mark.parametrize("bad", ["1", "true", '""', '"  "', '"' + "ü" * 257 + '"', "[]"])
def test_q31_a_bad_reference_is_refused_with_its_index(bad: str):
    caught = refused(f'[{{"data":1}},{{"data":1,"reference":{bad}}}]')
    assert (caught.code, caught.field, caught.index) == ("invalid_value", "reference", 1)


def test_q31_references_are_nfc_and_otherwise_exact():
    items = new_items('[{"data":1,"reference":"u\\u0308"},{"data":1,"reference":" A"},{"data":1}]')
    assert [item.reference for item in items] == ["\u00fc", " A", None]
    assert new_items('{"data":1,"reference":null}')[0].reference is None


@pytest.mark.parametrize("field", ["notBefore", "due"])
@pytest.mark.parametrize(
    "bad",
    [
        '"2026-W11-3T10:00:00Z"',
        '"20260311T101500Z"',
        '"2026-03-11"',
        '"2026-03-11T10:15:00"',
        "5",
        '"2026-02-30T10:00:00Z"',
        '"٢٠٢٦-03-11T10:15:00Z"',
        '"0001-01-01T00:00:00+14:00"',
    ],
)
def test_q15_a_moment_has_a_zone_and_one_spelling(field: str, bad: str):
    caught = refused(f'{{"data":1,"{field}":{bad}}}')
    assert (caught.code, caught.field, caught.index) == ("invalid_value", field, 0)


def test_q15_moments_are_kept_in_utc_to_the_millisecond():
    item = new_items('{"data":1,"due":"2026-03-11T11:15:55.9359+01:00"}')[0]
    assert item.due == "2026-03-11T10:15:55.935Z"


def test_q80_an_entry_is_an_envelope_when_it_has_data():
    items = new_items('[{"data":{"a":1},"priority":1},{"reference":"x"},5,{"a":{"data":1}}]')
    assert [item.data for item in items] == [
        '{"a":1}',
        '{"reference":"x"}',
        "5",
        '{"a":{"data":1}}',
    ]


def test_q80_data_with_an_unknown_key_is_refused_with_advice():
    caught = refused('[{"data":1},{"data":1,"referense":"A-17"}]')
    assert (caught.code, caught.index, caught.field) == ("unknown_member", 1, "referense")
    assert '{"data": ...}' in caught.detail


def test_q81_up_to_5000_and_not_one_more():
    assert len(new_items("[" + ",".join(["1"] * 5000) + "]")) == 5000
    assert refused("[" + ",".join(["1"] * 5001) + "]").code == "too_many"
    assert new_items("[]") == []


def test_q14_data_beyond_the_limit_is_refused_with_its_size():
    most = entries.MOST_BYTES
    assert len(new_items(json.dumps("x" * (most - 2)))[0].data) == most
    caught = refused(json.dumps("ü" * (most // 2), ensure_ascii=False))
    assert caught.code == "too_large"
    assert str(most + 2) in caught.detail


def test_q85_another_products_request_is_refused_with_a_hint():
    caught = refused('{"queueName":"Invoices","queueItems":[{"Name":"x"}]}')
    assert caught.code == "foreign_request"
    assert "convert" in caught.detail


def test_q80_newline_delimited_entries():
    found = jsontext.lines('{"data":1}\n\n 5 \r\n{"a":2}\n', 10)
    assert [item.data for item in entries.new_items(found)] == ["1", "5", '{"a":2}']
    with pytest.raises(Refused) as caught:
        jsontext.lines('{"data":1}\n{"data":1} 5\n', 10)
    assert caught.value.index == 1
