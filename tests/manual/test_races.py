"""Two at once, lost answers, many threads: one holder, never too many answers (M24, M36)."""

import os
from collections.abc import Iterable, Iterator
from itertools import count
from threading import Thread
from typing import Any
from zlib import crc32

import pytest

from tests.manual.people import Floor, load_records, make_task, name_of
from tests.manual.stage import ASKED, Answer, Ask, Stage, Start, answer
from tests.races.workers import patient, real_core
from tests.races.world import MAKERS, Before, World, each_step
from tests.races.world import world as make_world
from workledger.errors import StoreBusy, StoreError
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, hits
from workledger.manual.assigning import Assigned, Nothing
from workledger.manual_tasks.answers import Adjudication
from workledger.service import rebuilding
from workledger.service.core import Core
from workledger.stores.faults_plan import CRASHES, Fault, Interrupt, Step, faults_of

THOROUGH = bool(os.environ.get("THOROUGH"))
"""Try every point, on moto too."""

_names = count()


def set_up(world: World, start: Start) -> Stage:
    """A stage of its own for each try, in one store."""
    stage = Stage(world, f"T{next(_names)}")
    start(stage)
    return stage


def pairs() -> Iterator[Any]:
    """State, first command, and all second ones."""
    for start, asked in ASKED.items():
        for first in asked:
            yield pytest.param(start, first, asked, id=f"{start.__name__}-{first.__name__}")


def points(kind: str, start: Start, first: Ask, second: Ask) -> Iterable[int]:
    """The steps of the first before which the second runs: every third, another first for each pair.

    moto is slow: there every fourth pair has its turn, at one of the first dozen steps.
    """
    if THOROUGH:
        return count(1)
    turn = crc32(f"{start.__name__} {first.__name__} {second.__name__}".encode())
    if kind == "sqlite":
        return count(1 + turn % 3, 3)
    return [1 + turn % 12] if turn % 48 < 12 else []


Outcome = tuple[Answer, Answer, Any]


def legal(start: Start, first: Ask, second: Ask) -> list[Outcome]:
    """The outcomes of the two orders, one command after the other."""
    outcomes: list[Outcome] = []
    with make_world("sqlite") as world:
        stage = set_up(world, start)
        one, two = (answer(ask, world.process(), stage) for ask in (first, second))
        outcomes.append((one, two, stage.seen()))
    with make_world("sqlite") as world:
        stage = set_up(world, start)
        two, one = (answer(ask, world.process(), stage) for ask in (second, first))
        outcomes.append((one, two, stage.seen()))
    return outcomes


@pytest.mark.parametrize(("start", "first", "asked"), list(pairs()))
@pytest.mark.parametrize("kind", MAKERS)
def test_m24_two_commands_at_once_are_one_after_the_other(
    kind: str, start: Start, first: Ask, asked: list[Ask]
) -> None:
    """(M24, M36) The second runs whole before each step of the first."""
    for second in asked:
        outcomes: list[Outcome] = []
        for nth in points(kind, start, first, second):
            with make_world(kind) as world:
                stage = set_up(world, start)
                found = at_once(stage, nth, first, second)
                if found is None:
                    break
                outcomes = outcomes or legal(start, first, second)
                assert found in outcomes, f"{second.__name__} before {nth} of {first.__name__}"
                world.verify()


def at_once(stage: Stage, nth: int, first: Ask, second: Ask) -> Outcome | None:
    """The second runs whole before the nth step of the first; None when that has fewer steps."""
    told: list[Answer] = []
    hook = Interrupt(nth, lambda: told.append(answer(second, stage.world.process(), stage)))
    found = answer(first, stage.world.process(before_each_step=hook), stage)
    return (found, told[0], stage.seen()) if hook.ran else None


@pytest.mark.parametrize("kind", MAKERS)
def test_m36_of_two_who_take_the_last_place_one_gets_it_the_other_the_next_one(kind: str) -> None:
    """(M36) Whoever comes first; nothing is lost and nothing given twice."""

    def attempt(world: World, nth: int) -> bool:
        at = two_records(world)
        other: list[str] = []
        rival = world.process()
        hook = Before(nth, lambda: other.append(at.next("W2", rival)))
        first = at.next("W1", world.process(before_each_step=hook))
        assert sorted([first, *other]) == (["1", "2"] if other else ["1"])
        return hook.ran

    assert each_step(kind, attempt) > 5


def two_records(world: World) -> Floor:
    """Each with one place."""
    at = Floor(world, task=make_task(world.process(), rule=Adjudication(1, 0)))
    load_records(world.process(), at.task, ["1", "2"])
    return at


@pytest.mark.parametrize("kind", MAKERS)
def test_m36_two_sendings_of_one_key_are_one_assignment(kind: str) -> None:
    """(M36) The second whole before each step of the first."""

    def attempt(world: World, nth: int) -> bool:
        at = two_records(world)
        other: list[Assigned | Nothing] = []
        rival = world.process()
        hook = Before(nth, lambda: other.append(at.take_next("W1", rival, key="k")))
        first = at.take_next("W1", world.process(before_each_step=hook), key="k")
        assert other in ([], [first])
        assert [one.id for one in assigning.active(at.core(), "W1", None, 9).items] == [
            first.id if isinstance(first, Assigned) else ""
        ]
        return hook.ran

    assert each_step(kind, attempt) > 5


# --- faults -------------------------------------------------------------------------------------


def single() -> Iterator[Any]:
    """State and command, for the commands that are one commit."""
    for start, asked in ASKED.items():
        for ask in asked:
            if not ask.__name__.startswith(("next", "sweep")):
                yield pytest.param(start, ask, id=f"{start.__name__}-{ask.__name__}")


@pytest.mark.parametrize(("start", "ask"), list(single()))
def test_m24_a_command_with_a_fault_is_done_once_or_not_at_all(start: Start, ask: Ask) -> None:
    """(M24, M36) Throttled or with a lost answer at each of its calls; a repeat makes it whole."""
    with make_world("sqlite") as world:
        untouched = set_up(world, start).seen()
    with make_world("sqlite") as world:
        stage, steps = set_up(world, start), list[Step]()
        expected = answer(ask, world.process(plan=steps.append), stage)
        done = stage.seen()
    for step in steps:
        for fault in sorted(faults_of(step.method) - CRASHES, key=lambda one: one.name):
            with make_world("sqlite") as world:
                stage = set_up(world, start)
                told = honest(ask, stage, world.process(plan={step: fault}.get), fault)
                world.heal()
                legal = [(expected, done), (None, untouched), (None, done)]
                assert (told, stage.seen()) in legal, f"{fault.name} at {step}"
                world.verify()


def honest(ask: Ask, stage: Stage, core: Core, fault: Fault) -> Answer | None:
    """The answer; None when it says that it may not have been done."""
    try:
        return answer(ask, core, stage)
    except StoreBusy:
        assert fault is not Fault.LOST, "it is not called busy when an answer was lost"
        return None
    except StoreError:
        return None


@pytest.mark.parametrize("fault", [one for one in Fault if one not in CRASHES])
def test_m36_a_keyed_next_with_a_fault_anywhere_is_answered_or_can_be_repeated(
    fault: Fault,
) -> None:
    """(M36) Lost answers, throttling, rows that were not placed: at each call of the store."""
    with make_world("sqlite") as world:
        steps: list[Step] = []
        at = two_records(world)
        at.next("W1", world.process(plan=steps.append), key="k")
    for step in (one for one in steps if fault in faults_of(one.method)):
        with make_world("sqlite") as world:
            at = two_records(world)
            try:
                taken = at.take_next("W1", world.process(plan={step: fault}.get), key="k")
            except StoreError:
                taken = at.take_next("W1", key="k")
            assert name_of(taken) == "1", step
            assert at.take_next("W1", key="k") == taken
            world.heal()
            assert at.active("W1") == "1"
            world.verify()


# --- many ---------------------------------------------------------------------------------------

PEOPLE = 20
RECORDS = 60


def test_m24_twenty_people_never_hold_one_record_twice_nor_answer_too_often() -> None:
    """(M24) They take, answer, return and skip until nothing is left; 2+1."""
    with make_world("sqlite") as world:
        at = Floor(world, task=make_task(world.process(), rule=Adjudication(2, 1)))
        load_records(world.process(), at.task, [str(n) for n in range(RECORDS)])
        failures: list[BaseException] = []
        cores = [real_core(world.store, f"{n:05}") for n in range(2)]
        threads = [
            Thread(target=work, args=(cores[n % 2], at, f"W{n}", n, failures))
            for n in range(PEOPLE)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        check_histories(world)
        statuses = [one.status for one in all_hits(at)]
        assert len(statuses) == RECORDS
        assert set(statuses) <= {"done", "unresolved"}
        world.verify()


def all_hits(at: Floor) -> list[hits.HitShown]:
    """Every hit of the task."""
    return hits.page(at.core(), at.name, None, None, None, 100).items


def work(core: Core, at: Floor, worker: str, seed: int, failures: list[BaseException]) -> None:
    """Take the next and answer, until there is none; some give a few back or skip them."""
    given_up = 0
    try:
        while True:
            one = patient(lambda: assigning.next_of(core, worker, at.name))
            if isinstance(one, Nothing):
                if one.reason == "contended":
                    continue
                if all(hit.status in ("done", "unresolved") for hit in all_hits(at)):
                    return
                core.sleep(0.005)
                continue
            if seed % 4 == 0 and given_up < 3:
                given_up += 1
                patient(lambda one=one: answering.skip(core, worker, one.id))
                continue
            text = str((seed + int(name_of(one))) % 3)
            patient(lambda one=one, text=text: answering.submit(core, worker, one.id, Raw(text)))
    except BaseException as error:
        failures.append(error)


def check_histories(world: World) -> None:
    """In every hit's ledger: one holder at a time, at most three answers, each by another."""
    for stream in {one.stream for one in world.store.all_commits() if one.stream[:4] == "hit/"}:
        holder: str | None = None
        answered: list[str] = []
        for event in (e for commit in world.store.commits(stream) for e in commit.events):
            worker = event.data.get("worker")
            if event.type == "AssignmentAccepted":
                assert holder is None
                holder = worker
            elif event.type in ("AnswerSubmitted", "AssignmentSkipped"):
                assert holder == worker
                holder = None
                answered += [str(worker)] if event.type == "AnswerSubmitted" else []
        assert holder is None
        assert len(answered) == len(set(answered)) <= 3


def test_m24_the_states_of_these_tests_are_what_they_say() -> None:
    """(M24) The rebuilt rows of all states are the live ones."""
    with make_world("sqlite") as world:
        for start in ASKED:
            set_up(world, start)
        world.heal()
        assert rebuilding.check(world.process()) == []
