"""Injected faults: what stands, what is placed and what the caller hears (the embedded store inside)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.stores.kinds import sqlite
from tests.stores.writes import AT, added, commit, row
from workledger.errors import AnswerLost, StoreBusy
from workledger.ledger.commit import Commit
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import (
    CRASHES,
    OF_READS,
    OF_WRITES,
    Crash,
    Fault,
    Interrupt,
    Plan,
    at_random,
    script,
)
from workledger.stores.port import Store

Make = Callable[[Plan], FaultyStore]
WRITE = added("item/a", others=(row("item/a", 1, "g1"),))
"""A commit with a thing and a head."""


@pytest.fixture
def inner(tmp_path: Path) -> Iterator[Store]:
    with sqlite(tmp_path) as store:
        yield store


@pytest.fixture
def make(inner: Store) -> Make:
    return lambda plan: FaultyStore(inner, plan=plan)


@pytest.mark.parametrize(
    ("fault", "heard", "stands", "placed"),
    [
        (Fault.BUSY, StoreBusy, False, set()),
        (Fault.UNSENT, AnswerLost, False, set()),
        (Fault.LOST, AnswerLost, True, set()),
        (Fault.REPEATED, Commit, True, set()),
        (Fault.UNPLACED, type(None), True, set()),
        (Fault.HEADLESS, type(None), True, {"g1"}),
        (Fault.CRASH_BEFORE, Crash, False, set()),
        (Fault.CRASH_COMMITTED, Crash, True, set()),
        (Fault.CRASH_HEADLESS, Crash, True, {"g1"}),
        (Fault.CRASH_AFTER, Crash, True, {"g1", "head"}),
    ],
)
def test_a_fault_of_an_append(
    make: Make, fault: Fault, heard: type, stands: bool, placed: set[str]
) -> None:
    """What the caller hears, whether the commit stands, which rows do."""
    store = make(script({("append", 2): fault}))
    assert store.append([added("item/b")]) == [None]
    try:
        [outcome] = store.append([WRITE])
    except Crash as crash:
        outcome = crash
    assert type(outcome) is heard
    assert store.commits("item/a") == ([WRITE.commit] if stands else [])
    assert store.load("item/a", ["g1"]).keys() == placed
    assert [fault for _, fault in store.faults] == [fault]


def test_whoever_puts_again_after_a_lost_answer_finds_his_own_commit(make: Make) -> None:
    """Or puts it then: either way it stands once."""
    store = make(script({("append", 1): Fault.LOST, ("append", 3): Fault.UNSENT}))
    store.append([WRITE])
    assert store.append([WRITE]) == [WRITE.commit]
    store.append([added("item/b")])
    assert store.append([added("item/b")]) == [None]


def test_a_crash_between_two_writes_leaves_the_second_undone(make: Make) -> None:
    """One process, one death."""
    store = make(script({("append", 1): Fault.CRASH_COMMITTED}))
    with pytest.raises(Crash):
        store.append([WRITE, added("item/b")])
    assert store.commits("item/b") == []


def test_no_handler_of_errors_catches_a_crash() -> None:
    """It is no Exception."""
    assert not issubclass(Crash, Exception)


READS: list[tuple[str, Callable[[Store], object]]] = [
    ("load", lambda store: store.load("item/a")),
    ("things", lambda store: store.things("item/a")),
    ("rows", lambda store: store.rows([("item/a", "head")])),
    ("heads_and_beats", lambda store: store.heads_and_beats(["item/a"])),
    ("commits", lambda store: store.commits("item/a")),
    ("commits_at", lambda store: store.commits_at([("item/a", 1)])),
    ("read_line", lambda store: store.read_line("line#0", limit=1)),
    ("read_index", lambda store: store.read_index("ref", "q", limit=1)),
    ("count_line", lambda store: store.count_line("line#0", 1)),
    ("due", lambda store: store.due("item/a")),
]


@pytest.mark.parametrize(("method", "call"), READS)
@pytest.mark.parametrize("fault", sorted(OF_READS, key=str))
def test_a_fault_of_a_read(
    make: Make, method: str, call: Callable[[Store], object], fault: Fault
) -> None:
    """Throttled, or the process dies; the next one goes well."""
    store = make(script({(method, 1): fault}))
    with pytest.raises(Crash if fault in CRASHES else StoreBusy):
        call(store)
    call(store)


@pytest.mark.parametrize("fault", sorted(OF_WRITES, key=str))
def test_a_fault_of_a_write_outside_the_ledger(make: Make, fault: Fault) -> None:
    """Numbers: known not to be taken, perhaps taken, taken twice."""
    store = make(script({("take_numbers", 1): fault}))
    raised = {Fault.BUSY: StoreBusy, Fault.UNSENT: AnswerLost, Fault.LOST: AnswerLost}
    taken = {Fault.LOST: 5, Fault.CRASH_AFTER: 5, Fault.REPEATED: 10}.get(fault, 0)
    if fault is Fault.REPEATED:
        assert store.take_numbers("queue/a", 5, AT) == (6, AT)
    else:
        with pytest.raises(raised.get(fault, Crash)):
            store.take_numbers("queue/a", 5, AT)
    assert store.take_numbers("queue/a", 1, AT) == (taken + 1, AT)


def test_place_can_fail_for_one_write_of_many(make: Make, inner: Store) -> None:
    """The first is placed, the second not, and the caller hears of it."""
    store = make(script({("place", 2): Fault.BUSY}))
    with pytest.raises(StoreBusy):
        store.place([added("item/a"), added("item/b")])
    assert inner.load("item/a").keys() == {"head"}
    assert inner.load("item/b") == {}


def test_a_script_of_what_cannot_happen_is_refused() -> None:
    """A typing error in a test would otherwise test nothing."""
    with pytest.raises(ValueError, match="LOST cannot happen to load"):
        script({("load", 1): Fault.LOST})


def test_random_faults_are_the_same_each_time(tmp_path: Path) -> None:
    """One seed, one history."""

    def history(name: str, seed: int) -> list[object]:
        folder = tmp_path / name
        folder.mkdir()
        with sqlite(folder) as inner:
            plan = at_random(seed, 0.5, faults=set(Fault) - CRASHES)
            store = FaultyStore(inner, plan=plan)
            for n in range(40):
                store.append([added(f"item/{n}")])
            return list(store.faults)

    first = history("a", 1)
    assert len(first) in range(10, 30)
    assert history("b", 1) == first
    assert history("c", 2) != first


def test_the_steps_of_a_command_can_be_interrupted_one_after_the_other(inner: Store) -> None:
    """Between the commit and its rows, between the rows and the head, between head and things."""

    def command(store: FaultyStore, stream: str) -> None:
        store.load(stream, ["g1"])
        store.append([added(stream, others=(row(stream, 1, "g1"),))])

    steps: list[str] = []
    for nth in range(1, 10):
        stream = f"item/{nth}"
        heads: list[bool] = []
        hook = Interrupt(nth, lambda at=stream, to=heads: to.append("head" in inner.load(at)))
        command(FaultyStore(inner, before_each_step=hook), stream)
        if not hook.ran:
            break
        assert heads == [False]
        steps.append(hook.steps[nth - 1])
    assert steps == ["load", "load.things", "append", "append.rows", "append.head"]


def test_what_interrupts_uses_the_same_store_and_is_not_counted(inner: Store) -> None:
    """A second command, whole, after the first one's commit and before its rows."""
    seen: list[object] = []

    def second() -> None:
        seen.append(store.load("item/a"))
        seen.append(store.append([added("item/a", 2)]))
        seen.append(store.load("item/a")["head"].commit)

    hook = Interrupt(2, second)
    store = FaultyStore(inner, before_each_step=hook)
    assert store.append([WRITE]) == [None]
    assert seen == [{}, [None], 2]
    assert hook.steps == ["append", "append.rows", "append.head"]
    assert store.load("item/a")["head"].commit == 2
    assert store.commits("item/a") == [commit("item/a"), commit("item/a", 2)]
