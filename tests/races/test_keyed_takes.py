"""A keyed `next` is safe to send again: the same items, the same claims, no second take (Q26)."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.races.world import (
    Before,
    Dies,
    Once,
    World,
    add,
    commits,
    each_death,
    each_step,
    references,
    take,
)
from tests.races.world import world as make_world
from workledger.errors import Refused, StoreError
from workledger.queues.item_commands import Failure
from workledger.service import closing, items, queues, runs
from workledger.service.taking import Taken
from workledger.stores.faults_plan import Crash, Fault, Step, faults_of

Meanwhile = Callable[[World, str], None]


def nothing(world: World, queue: str) -> None:
    """Nobody does anything."""


def rival_takes(world: World, queue: str) -> None:
    """Another run takes an item."""
    take(world.process(), queue, "eve")


def first_changes(world: World, queue: str) -> None:
    """The first waiting item stands last from now on."""
    for at in world.store.read_line(f"{queue}/new#0", limit=1):
        with suppress(Refused):  # taken, although its row does not say so yet
            items.change(world.process(), "kai", f"i_{at.stream[5:]}.1", {"priority": -1})


def first_is_deleted(world: World, queue: str) -> None:
    """The first waiting item is deleted."""
    for at in world.store.read_line(f"{queue}/new#0", limit=1):
        with suppress(Refused):
            items.delete(world.process(), "kai", f"i_{at.stream[5:]}.1")


MEANWHILE = [nothing, rival_takes, first_changes, first_is_deleted]


def takes_of(world: World, queue: str, run: str) -> list[str]:
    """The claims of every take by a run in a queue, as the ledger has them."""
    return sorted(
        f"i_{one.stream[5:]}.{event.data['generation']}:{one.number}"
        for one in commits(world.store, "item")
        for event in one.events
        if event.type == "ItemTaken" and event.data["run"] == run
    )


def is_all_it_took(world: World, queue: str, taken: Taken) -> None:
    """The answer names every take that the run ever made."""
    assert takes_of(world, queue, taken.run) == sorted(one.claim for one in taken.items)


@pytest.mark.parametrize(
    ("kind", "meanwhile", "most"),
    [
        *(("sqlite", one, most) for one in MEANWHILE for most in (None, 3)),
        ("dynamodb", rival_takes, None),
        ("dynamodb", nothing, 3),
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_q26_a_take_that_died_anywhere_is_answered_by_its_repeat(
    kind: str, meanwhile: Meanwhile, most: int | None
) -> None:
    """The process dies before each of its store calls; another one gets the repeated request."""

    def attempt(world: World, dies: Dies) -> None:
        queue = world.queue()
        add(world.process(), queue, *"abcde")
        core = world.process(before_each_step=dies)
        with suppress(Crash):
            take(core, queue, key="k", max_items=most)
        meanwhile(world, queue)
        repeated = take(world.process(), queue, key="k", max_items=most)
        assert repeated.items
        assert take(world.process(), queue, key="k", max_items=most) == repeated
        world.heal()
        assert take(world.process(), queue, key="k", max_items=most) == repeated
        is_all_it_took(world, queue, repeated)

    assert each_death(kind, attempt) > 10


@pytest.mark.parametrize("fault", [one for one in Fault if not one.name.startswith("CRASH")])
def test_q26_a_take_with_one_fault_anywhere_is_answered_or_can_be_repeated(
    world: World, fault: Fault
) -> None:
    """Lost answers, throttling, rows that were not placed: at each call of the store, one by one."""
    seen: list[Step] = []
    queue = world.queue("note")
    add(world.process(), queue, *"abcde")
    take(world.process(plan=seen.append), queue, key="k", max_items=2)
    for number, step in enumerate(one for one in seen if fault in faults_of(one.method)):
        queue = world.queue(f"Q{number}")
        add(world.process(), queue, *"abcde")
        core = world.process(plan=lambda at, step=step: fault if at == step else None)
        try:
            taken = take(core, queue, key="k", max_items=2)
        except StoreError:
            taken = take(core, queue, key="k", max_items=2)
        assert references(taken) == ["a", "b"]
        assert take(world.process(), queue, key="k", max_items=2) == taken
        is_all_it_took(world, queue, taken)
    world.verify()


@pytest.mark.parametrize("most", [None, 3])
def test_q26_two_processes_with_one_key_take_together(kind: str, most: int | None) -> None:
    """The second sending runs whole before each step of the first: one take, one answer."""

    def attempt(world: World, nth: int) -> bool:
        queue = world.queue()
        add(world.process(), queue, *"abcde")
        other: list[Taken] = []
        second = world.process()
        hook = Before(nth, lambda: other.append(take(second, queue, key="k", max_items=most)))
        first = take(world.process(before_each_step=hook), queue, key="k", max_items=most)
        is_all_it_took(world, queue, first)
        assert other in ([], [first])
        return hook.ran

    assert each_step(kind, attempt) > 10


def test_q26_a_choice_that_another_thread_was_claiming_is_not_taken_by_the_repeat(
    world: World,
) -> None:
    """A thread has reserved the first item and fails; the keyed request took the second one."""
    queue = world.queue()
    add(world.process(), queue, "a", "b")
    run = runs.start(world.process(), "rob", None, 300).id
    keyed: list[Taken] = []
    ask = Once("append", "item/", lambda: keyed.append(take(core, queue, run=run, key="k")))
    busy = {("append", nth): Fault.BUSY for nth in range(3, 40)}
    core = world.process(before_each_step=ask, plan=busy.get)
    with pytest.raises(StoreError):
        take(core, queue, "rob", run=run)
    assert len(keyed[0].items) == 1
    assert take(world.process(), queue, run=run, key="k") == keyed[0]
    is_all_it_took(world, queue, keyed[0])


@pytest.mark.parametrize("end", ["ended", "vanished"])
def test_q53_a_repeated_take_of_an_ended_run_takes_nothing(world: World, end: str) -> None:
    """It died between its choice and the take, and then its run ended: 409, and no round is spent."""
    queue = world.queue()
    added = add(world.process(), queue, "a").items[0]
    run = runs.start(world.process(), "rob", None, 300).id

    def die() -> None:
        raise Crash

    with suppress(Crash):
        take(world.process(before_each_step=Once("append", "item/", die)), queue, run=run, key="k")
    if end == "ended":
        runs.end(world.process(), "rob", run, "done")
    else:
        world.clock.tick(400)
    with pytest.raises(Refused, match="has ended"):
        take(world.process(), queue, run=run, key="k")
    shown = items.show(world.process(), added.id)
    assert (shown.item.status_name, shown.item.attempt) == ("new", 0)
    assert len(items.history(world.process(), added.id, None, 10).items) == 1


def test_q26_the_same_claim_is_answered_after_the_item_was_closed(world: World) -> None:
    """A very late repeat: what it took is completed, then its reference is used again."""
    queue = world.queue()
    add(world.process(), queue, "a")
    taken = take(world.process(), queue, key="k")
    one = taken.items[0]
    closing.fail(world.process(), "rob", one.id, one.claim, Failure("broken", retry=False))
    assert take(world.process(), queue, key="k") == taken
    add(world.process(), queue, "a")
    assert take(world.process(), queue, key="k") == taken


def test_q5_a_repeated_take_of_a_deleted_queue_is_refused(world: World) -> None:
    """Late answers of old runs get queue not found, also by the queue's id."""
    queue = world.queue()
    add(world.process(), queue, "a")
    taken = take(world.process(), queue, key="k")
    queues.delete(world.process(), "kai", queue, None)
    for run in (None, taken.run):
        with pytest.raises(Refused, match="there is no queue"):
            take(world.process(), queue, run=run, key="k")


def test_q53_a_take_from_no_queue_starts_no_run(world: World) -> None:
    """Bad input leaves nothing behind."""
    for queue in ("q_" + "a" * 26 + ".1", "Nowhere"):
        with pytest.raises(Refused, match="there is no queue"):
            take(world.process(), queue)
    assert commits(world.store, "run") == []


@pytest.mark.parametrize("most", [2, 25, 60, 100])
def test_q27_as_many_items_are_taken_as_were_asked_for(most: int) -> None:
    """However many a page of the line holds."""
    with make_world("sqlite") as world:
        queue = world.queue()
        add(world.process(), queue, *[None] * 105)
        taken = take(world.process(), queue, max_items=most)
        assert [one.item.number for one in taken.items] == list(range(1, most + 1))
