"""One fault at any call of the store: done once, not done at all, or honestly unknown."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import pytest

from tests.races.stage import ASKED, SETTINGS, Ask, Stage, Start, absent, add_a, answer
from tests.races.world import MAKERS, World, add
from tests.races.world import world as make_world
from workledger.errors import StoreBusy, StoreError
from workledger.queues.item import Waiting
from workledger.service import items, rebuilding, runs, sweeping
from workledger.stores.faults_plan import CRASHES, Crash, Fault, Plan, Step, faults_of
from workledger.times import plus

COMPOSED = {"sweep", "project", "end_run", "take_eve", "take_keyed", "beat"}
"""Of several commands, or of none: each of these is safe to ask for again, not all or nothing."""

_names = count()


def single_commands() -> Iterator[Any]:
    """State and command, for the commands that are one commit."""
    for start, asked in [*ASKED.items(), (absent, SETTINGS)]:
        for ask in asked:
            if ask.__name__ not in COMPOSED:
                yield pytest.param(start, ask, id=f"{start.__name__}-{ask.__name__}")


def set_up(world: World, start: Start) -> Stage:
    stage = Stage(world, f"Q{next(_names)}")
    start(stage)
    return stage


def once(at: Step, fault: Fault) -> Plan:
    """This step fails once."""
    return lambda step: fault if step == at else None


def for_good(at: Step, fault: Fault) -> Plan:
    """This step fails, and from then on everything is throttled."""
    failed: list[Step] = []

    def plan(step: Step) -> Fault | None:
        if step == at or failed:
            failed.append(step)
            return Fault.BUSY if len(failed) > 1 else fault
        return None

    return plan


def steps_of(world: World, start: Start, ask: Ask) -> list[Step]:
    """The steps of a command without faults."""
    stage, steps = set_up(world, start), list[Step]()
    answer(ask, world.process(plan=steps.append), stage)
    return steps


@pytest.mark.parametrize("how", [once, for_good], ids=lambda how: how.__name__)
@pytest.mark.parametrize(("start", "ask"), list(single_commands()))
def test_q26_a_command_with_a_fault_is_done_once_or_not_at_all(
    start: Start, ask: Ask, how: Callable[[Step, Fault], Plan]
) -> None:
    """An answer is true; after `busy` or `answer lost` it was done in full or not at all.

    It is not called busy when the answer of the put itself was lost.
    """
    with make_world("sqlite") as world:
        untouched = set_up(world, start).seen()
        done = set_up(world, start)
        expected = answer(ask, done.core(), done)
        for step in steps_of(world, start, ask):
            for fault in sorted(faults_of(step.method) - CRASHES, key=lambda one: one.name):
                stage = set_up(world, start)
                about = f"{fault.name} at {step}"
                try:
                    told = answer(ask, world.process(plan=how(step, fault)), stage)
                except StoreError as error:
                    done_or_not = [untouched, done.seen()]
                    if isinstance(error, StoreBusy) and fault is Fault.LOST:
                        done_or_not.pop()
                    assert stage.seen() in done_or_not, about
                else:
                    assert (told, stage.seen()) == (expected, done.seen()), about
        assert rebuilding.check(world.process()) == []


@pytest.mark.parametrize("kind", MAKERS)
def test_q26_success_is_answered_although_the_rows_cannot_be_placed(kind: str) -> None:
    """The put's answer is lost, and when it is asked for again the rows are throttled."""
    with make_world(kind) as world:
        stage = Stage(world, "Q")
        plan = {("append", 1): Fault.LOST} | {("place", nth): Fault.BUSY for nth in range(1, 9)}
        core = world.process(plan=plan.get)
        assert add_a(core, stage) == ("created", 1, "new")


def test_q52_a_stream_that_cannot_be_settled_holds_up_no_other() -> None:
    """Throttled on its way, it comes again at the next sweep."""
    with make_world("sqlite") as world:
        queue = world.queue()
        moment = plus(world.clock.now, 60)
        added = add(world.process(), queue, *"abcdefgh", not_before=moment).items
        world.clock.tick(61)
        for _ in range(2):
            throttled = {("load", 2): Fault.BUSY, ("append", 3): Fault.UNSENT}
            sweeping.sweep(world.process(plan=throttled.get))
        left = [one.id for one in added if not _ready(world, one.id)]
        assert len(left) <= 1
        sweeping.sweep(world.process())
        assert all(_ready(world, one.id) for one in added)


def _ready(world: World, item: str) -> bool:
    return items.show(world.process(), item).item.status == Waiting()


def test_q52_a_run_is_started_once_although_its_answer_was_lost() -> None:
    """At every call, with every fault."""
    with make_world("sqlite") as world:
        steps: list[Step] = []
        runs.start(world.process(plan=steps.append), "rob", None, 300, "r_" + "a" * 26)
        for number, step in enumerate(steps):
            for fault in faults_of(step.method):
                run = f"r_{number:02}{fault.name.lower().replace('_', 'x'):a<24}"
                with suppress(StoreError, Crash):
                    runs.start(world.process(plan=once(step, fault)), "rob", None, 300, run)
                runs.start(world.process(), "rob", None, 300, run)
                assert len(world.store.commits(f"run/{run[2:]}")) == 1
