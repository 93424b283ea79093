"""Payloads: what comes back is equal to what went in, digit for digit (Q10)."""

import pytest

from tests.stores.writes import commit
from workledger.ledger.commit import Event
from workledger.stores.port import Store, Write

TEXTS = [
    "30.4",
    "30.40",
    "9007199254740993",
    "123456789012345678901234567890123456789012345",
    "1e-7",
    "1E400",
    "-0.0",
    '""',
    "null",
    "[]",
    "{}",
    ' {"b" : 1,\n "a": 2} ',
    '{"S":"x"}',
    '{"a.b":{"#":":v"}}',
    '"\\u0000\\ud800 \\"quoted\\""',
    '"ä\U0001f600\u2028"',
    '{"a":1,"a":2}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_q10_a_payload_is_kept_as_text(store: Store, text: str):
    """Q10: data is stored as JSON text, never as store numbers."""
    written = commit("item/a", payload=text)
    store.append([Write(written)])
    assert store.commits("item/a") == [written]
    assert store.commits_at([("item/a", 1)])["item/a", 1].payload() == text


def test_q10_each_event_keeps_its_own_payload(store: Store):
    """Q10."""
    payloads = ["1.0", None, '"x"', None, *map(str, range(10))]
    written = commit("item/a", events=tuple(Event("E", payload=text) for text in payloads))
    store.append([Write(written)])
    (read,) = store.commits("item/a")
    assert [read.payload(index) for index in range(len(payloads))] == payloads


@pytest.mark.parametrize("letter", ["a", "ä", "\U0001f600"])
def test_q14_a_quarter_of_a_mebibyte_fits(store: Store, letter: str):
    """Q14: one limit in UTF-8 bytes."""
    size = 256 * 1024 - 2
    text = '"' + letter * (size // len(letter.encode())) + '"'
    written = commit("item/a", payload=text)
    assert store.append([Write(written)]) == [None]
    assert store.commits("item/a") == [written]


def test_event_data_is_kept(store: Store):
    data = {"": None, "deep": {"a": [1, 2.5, "ä\x00\u2028", True, {}]}, "S": "x", "n": 2**53}
    written = commit("item/a", events=(Event("E", data),))
    store.append([Write(written)])
    assert store.commits("item/a") == [written]
