"""Large loads are cut into requests (Q81, Q84)."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.scripted import client_of, problem
from workledger.client import BadRequest, Progress
from workledger.client.loading import parts, whole


def take_all(request: httpx.Request) -> httpx.Response:
    entries = json.loads(request.content)
    items = [
        {"index": at, "id": f"i_{one}", "created": one % 2 == 0, "status": "new"}
        for at, one in enumerate(entries)
    ]
    added = sum(one["created"] for one in items)
    return httpx.Response(200, json={"added": added, "skipped": len(items) - added, "items": items})


@given(st.lists(st.text(max_size=20), max_size=60), st.integers(1, 7), st.integers(10, 80))
def test_q84_parts_are_small_and_hold_everything_in_order(
    entries: list[str], most: int, size: int
) -> None:
    """Q84: within both limits, unless one entry alone is too large; nothing lost, order kept."""
    try:
        "".join(entries).encode()
    except UnicodeEncodeError:
        return
    cut = list(parts(entries, most=most, size=size))
    assert [json.loads(text) for part in cut for text in part.texts] == entries
    assert [part.number for part in cut] == list(range(1, len(cut) + 1))
    for part in cut:
        assert len(part.texts) <= most
        assert len(whole(part.texts)) <= size or len(part.texts) == 1
    assert [part.first for part in cut] == [
        sum(len(p.texts) for p in cut[:at]) for at in range(len(cut))
    ]


def test_q84_a_load_goes_under_key_and_part() -> None:
    """Q84: each request has its own key, the same when the load is sent again."""
    client, script = client_of(take_all, take_all, take_all)
    seen: list[Progress] = []
    added = client.queue("Invoices").add_many(iter(range(12_000)), key="load", progress=seen.append)
    assert script.keys == ["load/1", "load/2", "load/3"]
    assert [len(body) for body in script.bodies] == [5_000, 5_000, 2_000]
    assert (added.added, added.skipped) == (6_000, 6_000)
    assert [one.index for one in added.items] == list(range(12_000))
    assert seen[-1] == Progress(3, 12_000, 6_000, 6_000)


def test_q84_entries_of_many_bytes_make_more_parts() -> None:
    """Q84: 6 MB is the other limit."""
    client, script = client_of(*[sized] * 3)
    client.queue("Invoices").add_many(["x" * 1_000_000] * 12, key="load")
    assert all(len(request.content) < 6_000_000 for request in script.requests)
    assert [len(body) for body in script.bodies] == [5, 5, 2]


def sized(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"added": 0, "skipped": 0, "items": []})


def test_q81_a_fault_in_a_later_part_has_its_index_in_the_load() -> None:
    """Q81: the index is the caller's, not the part's."""
    faults = [{"index": 7, "field": "priority", "code": "invalid_value", "message": "no"}]
    client, _ = client_of(take_all, problem(400, "invalid_body", errors=faults))
    with pytest.raises(BadRequest) as caught:
        client.queue("Invoices").add_many(range(6_000))
    assert caught.value.errors[0].index == 5_007


@pytest.mark.parametrize("none", [[], iter(())])
def test_q81_an_empty_load_is_sent_too(none: Any) -> None:
    """Q81: [] adds 0; a queue that is not there is still an error."""
    client, script = client_of(take_all)
    assert client.queue("Invoices").add_many(none).added == 0
    assert script.bodies == [[]]
