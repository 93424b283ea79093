"""Items that share a reference one after the other: each keeps its own history, claim, progress."""

import pytest

from tests.races.world import World, add, take
from workledger.queues.item_commands import Failure
from workledger.service import closing, items, projecting, runs
from workledger.service.taking import TakenItem
from workledger.stores.faults import Hook
from workledger.stores.faults_plan import Crash, Fault, Plan, Step


def failed(world: World, queue: str) -> TakenItem:
    """Take what is there and fail it for good."""
    one = take(world.process(), queue).items[0]
    closing.fail(world.process(), "rob", one.id, one.claim, Failure("bad", retry=False))
    return one


def history(world: World, item: str, limit: int = 100) -> list[str]:
    """The types of an item's events, page by page."""
    told: list[str] = []
    cursor = None
    while True:
        page = items.history(world.process(), item, cursor, limit)
        told += [one.event.type for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return told


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_q91_what_happens_to_an_older_item_stands_in_its_own_history(
    world: World, limit: int
) -> None:
    """It is deleted after its reference was added again: the newer item has nothing to do with it."""
    queue = world.queue()
    first = add(world.process(), queue, "a").items[0].id
    failed(world, queue)
    second = add(world.process(), queue, "a").items[0].id
    items.delete(world.process(), "kai", first)
    failed(world, queue)
    assert history(world, first, limit) == ["ItemAdded", "ItemTaken", "ItemFailed", "ItemDeleted"]
    assert history(world, second, limit) == ["ItemAdded", "ItemTaken", "ItemFailed"]


def test_q46_progress_can_be_told_whatever_was_told_before(world: World) -> None:
    """By a run with a shorter lease than the last holder's, and after a long silence."""
    queue = world.queue(retries=5)
    add(world.process(), queue, "a")
    slow = take(world.process(), queue, lease_seconds=86_400).items[0]
    closing.beat(world.process(), "rob", slow.id, slow.claim, "half of it")
    closing.fail(world.process(), "rob", slow.id, slow.claim, Failure("broken"))
    taken = take(world.process(), queue, lease_seconds=60)
    quick = taken.items[0]
    assert items.show(world.process(), quick.id).progress is None
    closing.beat(world.process(), "rob", quick.id, quick.claim, "a third")
    assert items.show(world.process(), quick.id).progress == "a third"
    for _ in range(10):
        world.clock.tick(50)
        runs.heartbeat(world.process(), "rob", taken.run)
    closing.beat(world.process(), "rob", quick.id, quick.claim, "two thirds")
    assert items.show(world.process(), quick.id).progress == "two thirds"


@pytest.mark.parametrize("fault", [Fault.BUSY, Fault.CRASH_BEFORE])
def test_q51_the_projector_releases_what_an_ended_run_took_also_at_its_second_try(
    world: World, fault: Fault
) -> None:
    """Its first try fails at one of its calls; the batch comes again."""
    steps: list[Step] = []
    for number in range(100):
        queue = world.queue(f"Q{number}", retries=5)
        item = add(world.process(), queue, "a").items[0].id
        run = runs.start(world.process(), "rob", None, 300).id
        taker = world.process(before_each_step=ends(world, run))
        with pytest.raises(Crash):
            take(taker, queue, run=run)
        stream = f"item/{item[2:-2]}"
        core = world.process(plan=steps.append if number == 0 else at(steps, number, fault))
        try:
            projecting.moved(core, [stream])
        except Crash:
            assert fault is Fault.CRASH_BEFORE
        assert projecting.moved(world.process(), [stream]) == []
        assert items.show(world.process(), item).item.status_name == "new"
        if number == len(steps):
            break
    assert number > 5


def ends(world: World, run: str) -> Hook:
    """A hook: the taker's run ends just before its take is committed, and the taker dies after it."""

    def hook(step: str, args: tuple[object, ...]) -> None:
        if step == "append":
            runs.end(world.process(), "rob", run, "stop")
        if step == "append.head" or step.startswith("place"):
            raise Crash

    return hook


def at(steps: list[Step], number: int, fault: Fault) -> Plan:
    """A plan: the step of this number fails."""
    return lambda step: fault if step == steps[number - 1] else None
