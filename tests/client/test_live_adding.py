"""Adding to a real server (Q10, Q13, Q80 to Q86)."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from tests.client.test_json import VALUES
from workledger.client import BadRequest, Client, KeyReused, QueueHandle, Raw

SAMPLE = [
    {"data": {"invoiceNo": "A-17", "total": 120}, "reference": "A-17"},
    {"data": {"invoiceNo": "A-18", "total": 80}, "reference": "A-18", "priority": 5},
]


def test_q86_the_sample(queue: QueueHandle) -> None:
    """Q86: added 2; again: added 0, skipped 2; A-18 is taken first."""
    assert queue.add(SAMPLE).added == 2
    again = queue.add(SAMPLE)
    assert (again.added, again.skipped) == (0, 2)
    assert [(one.created, one.status) for one in again.items] == [(False, "new")] * 2
    taken = queue.next()
    assert taken
    assert (taken.reference, taken.priority, taken.attempt) == ("A-18", 5, 1)


@given(data=VALUES)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_q10_any_data_comes_back_equal(queue: QueueHandle, client: Client, data: object) -> None:
    """Q10: in at the client, out at the client."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    item = client.items.get(queue.add_one(data).id)
    assert item.data == data
    assert json.loads(item.data_text or "") == data


@pytest.mark.parametrize(
    "text", ["30.40", "9007199254740993", "1e-7", "1E+05", "0.1000000000000000055511151231257827"]
)
def test_q10_digits_stay(queue: QueueHandle, client: Client, text: str) -> None:
    """Q10: digit for digit, data and result."""
    queue.add_one(Raw(text))
    taken = queue.next()
    assert taken
    assert taken.data_text == text
    done = client.items.complete(taken, Raw(text))
    assert (done.data_text, done.result_text) == (text, text)


def test_q13_numbers_rise(queue: QueueHandle) -> None:
    """Q13: per queue, in the order of arrival."""
    for _ in range(3):
        queue.add_one("x")
    numbers = [one.number for one in queue.items()]
    assert numbers == sorted(set(numbers))


def test_q80_an_entry_goes_in_as_it_was_written(queue: QueueHandle) -> None:
    """Q80: an envelope of another program, digit for digit."""
    assert queue.add([Raw('{"reference": "A-1", "data": {"amount": 1.10}}')]).added == 1
    assert next(iter(queue.items())).data_text == '{"amount": 1.10}'


def test_q81_q85_a_bad_entry_is_named(queue: QueueHandle) -> None:
    """Q81, Q85: nothing is added."""
    with pytest.raises(BadRequest) as caught:
        queue.add([1, {"data": 2, "refrence": "A"}, 3])
    assert caught.value.errors[0].index == 1
    with pytest.raises(BadRequest):
        queue.add({"queueItems": []})
    assert queue.count() == 0


def test_q83_a_key_makes_a_load_safe(queue: QueueHandle) -> None:
    """Q83: the same again answers the same; another body is refused."""
    first = queue.add([1, 2, 3], key="load")
    assert queue.add([1, 2, 3], key="load") == first
    assert queue.count() == 3
    with pytest.raises(KeyReused):
        queue.add([1, 2], key="load")


def test_q84_a_large_load(queue: QueueHandle) -> None:
    """Q84: 11,000 entries in three requests; sent again, nothing is added twice."""
    added = queue.add_many(range(11_000), key="large")
    assert (added.added, len(added.items)) == (11_000, 11_000)
    assert queue.add_many(range(11_000), key="large").items == added.items
    assert queue.count() == 11_000
