"""A keyed add or load is safe to send again, whatever became of the first sending (Q83)."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.races.world import Before, Dies, World, add, commits, each_death, each_step, take
from workledger.errors import Refused, StoreError
from workledger.keys import item_of
from workledger.queues.item_commands import Failure
from workledger.service import closing, items
from workledger.service.adding import Added
from workledger.stores.faults_plan import Crash, Fault, Step, faults_of

ENTRIES = ("a", None, "b", "a", None)
"""Two with references, a repetition of one, two without."""

Meanwhile = Callable[[World, str], None]


def nothing(world: World, queue: str) -> None:
    """Nobody does anything."""


def complete_one(world: World, queue: str) -> None:
    """A worker takes and completes the first item, if there is one."""
    worker = world.process()
    for one in take(worker, queue).items:
        closing.complete(worker, "rob", one.id, one.claim, None)


def fail_one(world: World, queue: str) -> None:
    """A worker takes the first item and fails it for good."""
    worker = world.process()
    for one in take(worker, queue).items:
        closing.fail(worker, "rob", one.id, one.claim, Failure("broken", retry=False))


def fail_and_add_again(world: World, queue: str) -> None:
    """... and another producer adds its reference again: a generation more."""
    if made(world, queue):
        fail_one(world, queue)
        add(world.process(), queue, "a")


def delete_one(world: World, queue: str) -> None:
    """Somebody deletes the first item."""
    for item in made(world, queue)[:1]:
        items.delete(world.process(), "kai", item)


MEANWHILE = [nothing, complete_one, fail_one, fail_and_add_again, delete_one]


def made(world: World, queue: str) -> list[str]:
    """The ids of the items that the load made in a queue, in order of their numbers."""
    found = [
        (event.data["number"], f"i_{one.stream[5:]}.{event.data['generation']}")
        for one in commits(world.store, "item")
        for event in one.events
        if event.type == "ItemAdded" and event.data["queue"] == queue
    ]
    assert len({number for number, _ in found}) == len(found)
    return [item for _, item in sorted(found)]


def answers(world: World, queue: str, added: Added, others: int) -> None:
    """The answer names exactly the items that the load made, each once."""
    first, second, third, fourth, fifth = added.items
    assert [one.created for one in added.items] == [True, True, True, False, True]
    assert fourth.id == first.id or others
    mine = [first.id, second.id, third.id, fifth.id]
    assert mine == made(world, queue)[:4]
    assert len(made(world, queue)) == 4 + others
    assert all(item_of(one.id) is not None for one in added.items)


@pytest.mark.parametrize(
    ("kind", "meanwhile"),
    [
        *(("sqlite", one) for one in MEANWHILE),
        ("dynamodb", nothing),
        ("dynamodb", fail_and_add_again),
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_q83_a_load_that_died_anywhere_is_carried_on_by_its_repeat(
    kind: str, meanwhile: Meanwhile
) -> None:
    """The process dies before each of its store calls; another one gets the repeated request."""

    def attempt(world: World, dies: Dies) -> None:
        queue = world.queue()
        with suppress(Crash):
            add(world.process(before_each_step=dies), queue, *ENTRIES, key="k", body="h")
        world.heal()
        before = len(made(world, queue))
        meanwhile(world, queue)
        others = len(made(world, queue)) - before
        repeated = add(world.process(), queue, *ENTRIES, key="k", body="h")
        answers(world, queue, repeated, others)
        assert add(world.process(), queue, *ENTRIES, key="k", body="h") == repeated

    assert each_death(kind, attempt) > 12


def test_q83_a_load_of_50_that_died_anywhere_is_carried_on_without_references() -> None:
    """Half-way through, and without anything but the key to know the items by."""

    def attempt(world: World, dies: Dies) -> None:
        queue = world.queue()
        entries = [None] * 50
        with suppress(Crash):
            add(world.process(before_each_step=dies), queue, *entries, key="k")
        repeated = add(world.process(), queue, *entries, key="k")
        assert repeated.added == 50
        assert [one.id for one in repeated.items] == made(world, queue)

    assert each_death("sqlite", attempt) > 100


def _single(nth: Step, fault: Fault) -> Callable[[Step], Fault | None]:
    return lambda step: fault if step == nth else None


@pytest.mark.parametrize("fault", [one for one in Fault if not one.name.startswith("CRASH")])
def test_q83_a_load_with_one_fault_anywhere_is_answered_or_can_be_repeated(
    world: World, fault: Fault
) -> None:
    """Lost answers, throttling, rows that were not placed: at each call of the store, one by one."""
    seen: list[Step] = []

    def note(step: Step) -> None:
        seen.append(step)

    add(world.process(plan=note), world.queue("note"), *ENTRIES, key="k", body="h")
    for number, step in enumerate(one for one in seen if fault in faults_of(one.method)):
        queue = world.queue(f"Q{number}")
        core = world.process(plan=_single(step, fault))
        try:
            added = add(core, queue, *ENTRIES, key="k", body="h")
        except StoreError:
            added = add(core, queue, *ENTRIES, key="k", body="h")
        answers(world, queue, added, 0)
        assert add(world.process(), queue, *ENTRIES, key="k", body="h") == added
    world.verify()


def test_q83_the_same_key_with_another_body_is_refused_at_every_stage(kind: str) -> None:
    """422 half-way through and at the end; and nothing is added for it."""

    def attempt(world: World, dies: Dies) -> None:
        queue = world.queue()
        with suppress(Crash):
            add(world.process(before_each_step=dies), queue, "a", key="k", body="h")
        if not commits(world.store, "add"):
            return  # the first sending had not begun
        with pytest.raises(Refused, match="another body"):
            add(world.process(), queue, "b", key="k", body="other")
        repeated = add(world.process(), queue, "a", key="k", body="h")
        assert [one.id for one in repeated.items] == made(world, queue)

    each_death(kind, attempt)


def test_q83_two_processes_with_one_key_make_one_load(kind: str) -> None:
    """The second sending runs whole before each step of the first."""

    def attempt(world: World, nth: int) -> bool:
        queue = world.queue()
        other: list[Added] = []
        second = world.process()
        hook = Before(nth, lambda: other.append(add(second, queue, *ENTRIES, key="k", body="h")))
        first = add(world.process(before_each_step=hook), queue, *ENTRIES, key="k", body="h")
        answers(world, queue, first, 0)
        assert other in ([], [first])
        return hook.ran

    assert each_step(kind, attempt) > 12


@pytest.mark.parametrize("reference", ["a", None])
def test_q12_an_add_whose_answer_was_lost_answers_its_own_item(
    world: World, reference: str | None
) -> None:
    """Without a key: the store's answer is lost, and the item has a successor before it is asked."""
    queue = world.queue()
    step = Step("append", 1)

    def meanwhile(_attempt: int) -> None:
        world.heal()
        fail_one(world, queue)
        add(world.process(), queue, "a")

    core = world.process(pause=meanwhile, plan=_single(step, Fault.LOST))
    added = add(core, queue, reference)
    assert added.items[0].created
    assert added.items[0].id == made(world, queue)[0]
