"""A queue in a known state, what may be asked of it, and what can be seen of it afterwards."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.races.world import Dies, World, add, take
from tests.support import FakeClock
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.queues.item import Completed, Failed, Held, Item
from workledger.queues.item_commands import Failure
from workledger.queues.queue import Settings
from workledger.service import closing, items, projecting, queues, runs, sweeping
from workledger.service.core import Core
from workledger.service.taking import TakenItem
from workledger.stores.faults_plan import Crash
from workledger.times import plus

LATE = {"run_ended", "stale_claim", "already_closed"}
"""Refusals of a holder that came too late: which of them depends on what is seen first."""

Answer = tuple[Any, ...]


@dataclass
class Stage:
    """One queue with one reference, `a`, and two runs: rob's, which may hold it, and eve's."""

    world: World
    name: str
    retries: int = 1
    queue: str = ""
    rob: str = ""
    eve: str = ""
    claims: list[TakenItem] = field(default_factory=list[TakenItem])

    def __post_init__(self) -> None:
        self.queue = self.world.queue(self.name, retries=self.retries)
        self.rob = runs.start(self.core(), "rob", None, 300).id
        self.eve = runs.start(self.core(), "eve", None, 100_000).id

    def core(self) -> Core:
        """A process without faults."""
        return self.world.process()

    @property
    def clock(self) -> FakeClock:
        """Everybody's clock."""
        return self.world.clock

    @property
    def stream(self) -> str:
        """The stream of the reference `a`."""
        return keys.item_stream(self.queue, "a")

    @property
    def streams(self) -> list[str]:
        """Every stream that anything here is about."""
        others = [keys.item_stream(self.queue, "b"), keys.queue_stream(self.name)]
        return [self.stream, *others, keys.run_stream(self.rob), keys.run_stream(self.eve)]

    def id(self, generation: int = 1) -> str:
        """The id of an item with the reference `a`."""
        return keys.item_id(self.stream, generation)

    def take(self) -> None:
        """Rob's run takes."""
        self.claims += take(self.core(), self.queue, "rob", run=self.rob).items

    @property
    def claim(self) -> TakenItem:
        """What rob took last."""
        return self.claims[-1]

    # --- what can be seen afterwards ---
    def seen(self) -> Mapping[str, Any]:
        """Everything that an observer can tell, without ids and moments.

        What was left unplaced is finished first. That a deferred item was made ready is told by
        nobody: whoever comes first does it.
        """
        core = self.core()
        found: dict[str, Any] = {}
        for name in ("a", "b"):
            stream = keys.item_stream(self.queue, name)
            head: Item | None = core.executor.read(stream).head
            if head is None:
                continue
            told = [one.type for commit in core.store.commits(stream) for one in commit.events]
            found[f"events of {name}"] = [one for one in told if one != "ItemReady"]
            for generation in range(1, head.generation + 1):
                item, _ = items.of_generation(core, stream, generation, head)
                found[f"{name}.{generation}"] = self._item(core, stream, item)
        queue = core.executor.read(keys.queue_stream(self.name)).head
        found["queue"] = (queue.generation, queue.settings, queue.version, bool(queue.deleted_at))
        found["runs"] = [
            bool(core.executor.read(keys.run_stream(run)).head.ended_at)
            for run in (self.rob, self.eve)
        ]
        assert self.world.forgotten(self.streams) == [], "nobody would be reminded (Q52)"
        self._counts(core, [found[key][0] for key in found if key[:2] in ("a.", "b.")])
        return found

    def _counts(self, core: Core, statuses: list[str]) -> None:
        """The counts are those of the items (Q70)."""
        if not core.store.lag:
            counts = queues.counts_of(core, self.queue)
            assert counts == {status: statuses.count(status) for status in counts}

    def _item(self, core: Core, stream: str, item: Item) -> Answer:
        status = item.status
        told: Any = None
        if isinstance(status, Failed):
            told = status.reason
        elif isinstance(status, Completed) and status.result:
            told = core.store.commits_at([(stream, status.result)])[stream, status.result].payload()
        elif isinstance(status, Held):
            told = {self.rob: "rob", self.eve: "eve"}[status.run]
        return (item.status_name, item.attempt, item.priority, told)


def shown(item: items.ItemShown) -> Answer:
    """An item in an answer."""
    one = item.item
    return (one.reference, one.generation, one.status_name, one.attempt, one.priority)


# --- the states it can be in --------------------------------------------------------------------


def absent(stage: Stage) -> None:
    """Nothing was ever added."""


def new(stage: Stage) -> None:
    """Waiting."""
    add(stage.core(), stage.queue, "a")


def two(stage: Stage) -> None:
    """Waiting, and another one behind it."""
    add(stage.core(), stage.queue, "a", "b")


def due(stage: Stage) -> None:
    """Deferred until just now."""
    add(stage.core(), stage.queue, "a", not_before=plus(stage.clock.now, 60))
    stage.clock.tick(60)


def held(stage: Stage) -> None:
    """In progress, a retry left."""
    new(stage)
    stage.take()


def held_last(stage: Stage) -> None:
    """In progress for the last time."""
    held(stage)
    fail_retry(stage.core(), stage)
    stage.take()


def failed(stage: Stage) -> None:
    """Failed for good."""
    held(stage)
    fail_final(stage.core(), stage)


def completed(stage: Stage) -> None:
    """Completed."""
    held(stage)
    complete(stage.core(), stage)


def deleted(stage: Stage) -> None:
    """Deleted while it waited."""
    new(stage)
    delete(stage.core(), stage)


def deleted_failed(stage: Stage) -> None:
    """Deleted after it failed."""
    failed(stage)
    delete(stage.core(), stage)


def newer(stage: Stage) -> None:
    """Failed, and its reference added again."""
    failed(stage)
    new(stage)


def newer_failed(stage: Stage) -> None:
    """Failed, added again, failed again."""
    newer(stage)
    stage.take()
    one = stage.claim
    closing.fail(stage.core(), "rob", one.id, one.claim, Failure("again", retry=False))


def vanished(stage: Stage) -> None:
    """Held by a run whose lease has passed."""
    held(stage)
    stage.clock.tick(400)


def unreleased(stage: Stage) -> None:
    """Held by a run that ended by a process that died before it released anything."""
    held(stage)
    for nth in range(1, 20):
        hook = Dies(nth)
        with suppress(Crash):
            runs.end(stage.world.process(before_each_step=hook), "rob", stage.rob, "stop")
        if runs.show(stage.core(), stage.rob).run.ended_at:
            return


# --- what can be asked of it --------------------------------------------------------------------


def add_a(core: Core, stage: Stage) -> Answer:
    """Add the reference."""
    one = add(core, stage.queue, "a").items[0]
    located = keys.item_of(one.id)
    assert located is not None
    assert located[0] == stage.stream
    return ("created" if one.created else "exists", located[1], one.status)


def take_eve(core: Core, stage: Stage, key: str | None = None) -> Answer:
    """Another run takes."""
    taken = take(core, stage.queue, "eve", run=stage.eve, key=key)
    if not taken.items:
        return ("nothing", taken.reason)
    item = taken.items[0].item
    return ("took", item.reference, item.generation, item.attempt, item.priority)


def take_keyed(core: Core, stage: Stage) -> Answer:
    """Another run takes, with an idempotency key."""
    return take_eve(core, stage, "k")


def complete(core: Core, stage: Stage) -> Answer:
    """Rob completes what he took last."""
    one = stage.claim
    return shown(closing.complete(core, "rob", one.id, one.claim, Raw("1")))


def complete_other(core: Core, stage: Stage) -> Answer:
    """... with another result."""
    one = stage.claim
    return shown(closing.complete(core, "rob", one.id, one.claim, Raw("2")))


def fail_retry(core: Core, stage: Stage) -> Answer:
    """Rob fails what he took last."""
    one = stage.claim
    return shown(closing.fail(core, "rob", one.id, one.claim, Failure("broken")))


def fail_final(core: Core, stage: Stage) -> Answer:
    """... for good."""
    one = stage.claim
    return shown(closing.fail(core, "rob", one.id, one.claim, Failure("bad", retry=False)))


def beat(core: Core, stage: Stage) -> Answer:
    """Rob tells how far he is."""
    one = stage.claim
    closing.beat(core, "rob", one.id, one.claim, "half")
    return ("alive",)


def end_run(core: Core, stage: Stage) -> Answer:
    """Rob's run ends."""
    return ("ended", bool(runs.end(core, "rob", stage.rob, "stop").run.ended_at))


def sweep(core: Core, stage: Stage) -> Answer:
    """The timekeeper comes by."""
    sweeping.sweep(core)
    return ("swept",)


def project(core: Core, stage: Stage) -> Answer:
    """The projector comes by."""
    assert projecting.moved(core, stage.streams) == []
    return ("projected",)


def delete(core: Core, stage: Stage) -> Answer:
    """Delete the first item of the reference."""
    items.delete(core, "kai", stage.id())
    return ("deleted",)


def delete_newer(core: Core, stage: Stage) -> Answer:
    """Delete the second one."""
    items.delete(core, "kai", stage.id(2))
    return ("deleted",)


def requeue(core: Core, stage: Stage) -> Answer:
    """The first item goes back to the queue."""
    return shown(items.requeue(core, "kai", stage.id()))


def requeue_newer(core: Core, stage: Stage) -> Answer:
    """The second one does."""
    return shown(items.requeue(core, "kai", stage.id(2)))


def restore(core: Core, stage: Stage) -> Answer:
    """Undo the deletion of the first item."""
    return shown(items.restore(core, "kai", stage.id()))


def change(core: Core, stage: Stage) -> Answer:
    """Give the first item another priority."""
    return shown(items.change(core, "kai", stage.id(), {"priority": 5}))


def pause(core: Core, stage: Stage) -> Answer:
    """Pause the queue."""
    return ("version", queues.change(core, "kai", stage.queue, 1, {"paused": True}).queue.version)


def no_retries(core: Core, stage: Stage) -> Answer:
    """Allow no retries."""
    return ("version", queues.change(core, "kai", stage.queue, 1, {"retries": 0}).queue.version)


def delete_queue(core: Core, stage: Stage) -> Answer:
    """Delete the queue."""
    queues.delete(core, "kai", stage.queue, None)
    return ("deleted",)


def create_queue(core: Core, stage: Stage) -> Answer:
    """Create a queue of that name."""
    return ("created", queues.create(core, "kai", stage.name, Settings()).queue.generation)


Ask = Callable[[Core, Stage], Answer]
Start = Callable[[Stage], None]


def answer(ask: Ask, core: Core, stage: Stage) -> Answer:
    """The answer, or the refusal."""
    try:
        return ask(core, stage)
    except Refused as refused:
        return ("refused", "late" if refused.code in LATE else refused.code)


HOLDER: Sequence[Ask] = (complete, complete_other, fail_retry, fail_final, beat, end_run)
TAKERS: Sequence[Ask] = (take_eve, take_keyed)
SETTINGS: Sequence[Ask] = (pause, no_retries, delete_queue, create_queue)

ASKED: Mapping[Start, Sequence[Ask]] = {
    absent: (add_a, take_eve, delete_queue),
    new: (add_a, take_eve, take_keyed, delete, change, pause, delete_queue, project),
    two: (take_eve, take_keyed, delete, change),
    due: (take_eve, take_keyed, sweep, change, delete, add_a),
    held: (*HOLDER, add_a, delete, take_eve, delete_queue, no_retries, project),
    held_last: (complete, fail_retry, end_run, add_a, no_retries),
    failed: (add_a, requeue, delete, take_eve, fail_final, delete_queue),
    completed: (complete, complete_other, add_a, delete, end_run),
    deleted: (restore, add_a, take_eve, delete, requeue),
    deleted_failed: (restore, add_a, requeue, fail_final),
    newer: (requeue, delete, restore, take_eve, delete_newer, add_a, fail_final),
    newer_failed: (requeue, requeue_newer, delete, delete_newer, add_a, take_eve),
    vanished: (sweep, take_eve, complete, beat, end_run, project, add_a),
    unreleased: (sweep, take_eve, complete, end_run, project, delete),
}
"""In which state what is asked: all that is legal there, or becomes legal by another."""
