"""What a hit contributes, and histograms: M61, M63."""

import math

from hypothesis import given
from hypothesis import strategies as st

from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks import hit, statistics
from workledger.manual_tasks.statistics import KINDS, Upto

HIT = "hit/aaaaaaaaaaaaaaaaaaaaaaaaaa"


def utc(date: str) -> str:
    """A date in UTC."""
    return f"{date}Z"


def at(minute: int) -> str:
    """A moment of the tests' day."""
    return f"2026-03-11T10:{minute:02}:00.000Z"


def commits(*told: tuple[int, str, dict[str, object]]) -> list[Commit]:
    """A hit's commits, one event each, after its creation at minute 0."""
    created = (0, hit.CREATED, {"hitOrderDate": "2026-03-11T09:59:00.000"})
    return [
        Commit(HIT, number, f"c{number}", at(minute), "ann", (Event(kind, data),))
        for number, (minute, kind, data) in enumerate([created, *told], 1)
    ]


WORKED = commits(
    (3, hit.ACCEPTED, {"worker": "ann"}),
    (4, hit.RETURNED, {"worker": "ann", "take": 2}),
    (5, hit.ACCEPTED, {"worker": "bob"}),
    (8, hit.SUBMITTED, {"worker": "bob", "take": 4}),
    (9, hit.DECIDED, {}),
    (10, hit.REOPENED, {}),
)


def test_m61_a_hit_contributes_by_its_commits_alone() -> None:
    """(M61) Waiting until the first acceptance, handling per answer, who did what."""
    share = statistics.share(WORKED, 7, utc)
    assert {
        name: [counts[n] for n in range(len(KINDS))] for name, counts in share.workers.items()
    } == {
        "ann": [1, 0, 1, 0, 0],
        "bob": [1, 1, 0, 0, 0],
    }
    assert share.waiting == {statistics.bucket(180_000): 1}
    assert share.handling == {statistics.bucket(180_000): 1}


def test_m63_the_time_to_the_decision_goes_when_it_is_open_again() -> None:
    """(M63) From hitOrderDate to the last decision that stands."""
    assert statistics.share(WORKED, 5, utc).took is None
    assert statistics.share(WORKED, 6, utc).took == 600_000
    assert statistics.share(WORKED, 7, utc).took is None


def test_m61_what_waits_for_its_moment_waits_from_then_on() -> None:
    """(M61) Visible from minute 2."""
    made = commits((3, hit.ACCEPTED, {"worker": "ann"}))
    made[0].events[0].data["visibleFrom"] = at(2)  # pyright: ignore[reportIndexIssue]
    assert statistics.share(made, 2, utc).waiting == {statistics.bucket(60_000): 1}


@given(st.lists(st.integers(0, 7), max_size=8))
def test_m61_counted_in_any_steps_it_is_counted_once(steps: list[int]) -> None:
    """(M61) Late, twice, backwards: the sum is that of one count."""
    states: dict[str, object] = {}

    def count(upto: int) -> None:
        events = statistics.count(Seen("stats/t", 0, states), {HIT: WORKED[:upto]}, utc)
        for event in events:
            commit = Commit("stats/t", 1, "c", at(0), "system", (event,))
            for thing in event.things:
                states[thing] = statistics.evolve(thing, states.get(thing), event, commit, None)

    for upto in [*steps, 7]:
        count(upto)
    once, states = states, {}
    count(7)
    assert {key: one for key, one in once.items() if key != HIT} == {
        key: one for key, one in states.items() if key != HIT
    }
    known = once[HIT]
    assert isinstance(known, Upto)
    assert known.took is None


@given(st.lists(st.integers(1, 10**10), min_size=1), st.sampled_from([0.5, 0.95]))
def test_m61_a_quantile_is_within_two_and_a_half_percent(values: list[int], part: float) -> None:
    """(M61) Of the value at that rank; to the millisecond."""
    histogram: dict[int, int] = {}
    for value in values:
        histogram[statistics.bucket(value)] = histogram.get(statistics.bucket(value), 0) + 1
    exact = sorted(values)[math.ceil(part * len(values)) - 1] / 1_000
    found = statistics.quantile(histogram, part)
    assert found is not None
    assert abs(found - exact) <= 0.0251 * exact + 0.001


def test_m61_of_nothing_there_is_no_quantile() -> None:
    """(M61) And what took no time took 0 seconds."""
    assert statistics.quantile({}, 0.5) is None
    assert statistics.quantile({statistics.bucket(0): 1}, 0.5) == 0
