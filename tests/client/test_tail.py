"""The feed in order per stream, each event once (Q93)."""

import random
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from tests.client.scripted import Sleeps, client_of, reply
from workledger.client import Event
from workledger.client.tail import PATIENCE, InOrder


def event(stream: str, commit: int, index: int = 0) -> Event:
    return Event(stream, commit, index, "ItemAdded", 1, "2026-12-01T00:00:00.000Z", "a", None, {})


def wire(stream: str, commit: int) -> dict[str, object]:
    return {"stream": stream, "commit": commit, "index": 0, "type": "X", "version": 1, "data": {}}


STREAMS = st.dictionaries(
    st.sampled_from("abcde"), st.lists(st.integers(1, 3), min_size=1, max_size=8)
)
"""Stream -> how many events each of its commits has."""


def places(events: list[Event]) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one in events:
        found[one.stream].append((one.commit, one.index))
    return dict(found)


@given(STREAMS, st.randoms(use_true_random=False), st.integers(1, 3))
def test_q93_whatever_is_swapped_and_repeated(
    streams: dict[str, list[int]], chance: random.Random, times: int
) -> None:
    """Q93: commits in any order, some of them again: each event once, in order per stream."""
    commits = [
        [event(stream, number, index) for index in range(size)]
        for stream, sizes in streams.items()
        for number, size in enumerate(sizes, 1)
    ]
    delivered = commits * times
    chance.shuffle(delivered)
    order = InOrder(from_start=True)
    handed = [out for commit in delivered for out in order.offer(tuple(commit))]
    assert places(handed) == places([one for commit in commits for one in commit])
    assert not order.holds


@given(STREAMS, st.randoms(use_true_random=False), st.integers(0, 5))
def test_q93_what_is_missing_holds_back_only_its_own_stream(
    streams: dict[str, list[int]], chance: random.Random, missing: int
) -> None:
    """Q93: what was handed on is always a beginning; a flush gives the rest, in order."""
    commits = [
        (stream, number) for stream, sizes in streams.items() for number in range(1, len(sizes) + 1)
    ]
    chance.shuffle(commits)
    order = InOrder(from_start=True)
    handed = [out for place in commits[missing:] for out in order.offer((event(*place),))]
    for numbers in places(handed).values():
        assert numbers == [(number, 0) for number in range(1, len(numbers) + 1)]
    handed += order.flush()
    assert sorted((one.stream, one.commit) for one in handed) == sorted(commits[missing:])
    for numbers in places(handed).values():
        assert numbers == sorted(numbers)


def test_q93_from_a_position_a_stream_begins_where_it_is() -> None:
    """Q93: what was handed on before the restart is not waited for."""
    order = InOrder(from_start=False)
    got = [out.commit for number in (7, 9, 8, 7) for out in order.offer((event("a", number),))]
    assert got == [7, 8, 9]


def test_q93_what_is_forgotten_may_come_again_but_is_not_held() -> None:
    """Q93: memory is bounded; at least once is what remains."""
    order = InOrder(from_start=True, remembered=2)
    names = ["a", "b", "c"]
    assert [len(list(order.offer((event(name, 1),)))) for name in names] == [1, 1, 1]
    assert len(list(order.offer((event("a", 2),)))) == 1


def pages(*listed: tuple[list[dict[str, object]], str]) -> list[object]:
    return [reply({"items": events, "nextCursor": cursor}) for events, cursor in listed]


def test_q93_tail_ends_with_the_feed() -> None:
    """Q93: without `follow`; `after` is where the next one goes on."""
    a1, a2, b1 = wire("a", 1), wire("a", 2), wire("b", 1)
    client, script = client_of(*pages(([b1, a2], "p1"), ([a1], "p2"), ([], "p2")))
    tail = client.tail()
    assert [(one.stream, one.commit) for one in tail] == [("b", 1), ("a", 1), ("a", 2)]
    assert tail.after == "p2"
    assert script.paths[1] == "GET /feed?after=p1&limit=1000"


def test_q93_the_position_stays_before_what_is_held() -> None:
    """Q93: a restart in the middle of a gap loses nothing."""
    client, _ = client_of(
        *pages(([wire("b", 1)], "p1"), ([wire("a", 2)], "p2"), ([wire("a", 1)], "p3"), ([], "p3"))
    )
    tail = client.tail()
    positions = [(one.stream, one.commit, tail.after) for one in tail]
    assert positions == [("b", 1, None), ("a", 1, "p1"), ("a", 2, "p1")]


def test_q93_what_is_still_missing_at_the_end_is_not_waited_for() -> None:
    """Q93: a purged stream begins with a later commit."""
    client, _ = client_of(*pages(([wire("a", 5)], "p1"), ([], "p1")))
    assert [one.commit for one in client.tail()] == [5]


def test_q93_following_asks_again_after_a_while() -> None:
    """Q93: new events come."""
    sleeps = Sleeps()
    client, _ = client_of(*pages(*[([], "p0")] * 2, ([wire("a", 7)], "p1")), sleep=sleeps)
    assert next(iter(client.tail("p0", follow=True))).commit == 7
    assert sleeps.slept == [1.0, 1.0]


def test_q93_a_gap_is_waited_for_with_patience_but_not_for_ever() -> None:
    """Q93: what is missing may have been purged."""
    sleeps = Sleeps()
    client, _ = client_of(*pages(([wire("b", 3)], "p1"), *[([], "p1")] * PATIENCE), sleep=sleeps)
    assert next(iter(client.tail(follow=True))).commit == 3
    assert len(sleeps.slept) == PATIENCE - 2
