"""What each operation sends to DynamoDB: the same steps for tests, `make bench`, `make fidelity`.

An item has 900 bytes of data, a reference and a priority; its queue has retries. Nobody else is
at work, unless the operation says so.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from tests.support import FakeClock, Surroundings, make_core
from workledger.jsontext import Raw
from workledger.queues.item_commands import Failure, NewItem
from workledger.queues.queue import Settings
from workledger.service import adding, closing, counting, queues, runs, taking
from workledger.service.core import Core
from workledger.service.taking import TakenItem, Wanted
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.dynamodb_requests import Client
from workledger.stores.recording import Recorder, recorded

LISTED = 10
"""Queues on a page."""
ACTOR = "ada.lovelace@example.org"
DATA = '{"invoice":"' + "x" * 886 + '"}'
assert len(DATA) == 900


@dataclass(frozen=True, slots=True)
class Cost:
    """What one operation sent. `trips` is the longest chain of requests that wait for each other;
    `units` are write units with indexes; `refused` of the writes lost a race."""

    reads: int
    writes: int
    trips: int
    units: int
    refused: int = 0
    read_trips: int = 0
    """Round trips before the first write."""


@dataclass(slots=True)
class World:
    """A queue with a run at work, on a recorded store."""

    client: Client
    core: Core
    recorder: Recorder
    clock: FakeClock
    queue: str
    run: str
    references: int = 0

    def cost(self, operation: Callable[[], object]) -> Cost:
        """What the operation sends."""
        self.recorder.clear()
        operation()
        return cost_of(self.recorder)

    def entry(self, **values: object) -> NewItem:
        """An entry with a reference of its own."""
        self.references += 1
        return NewItem(DATA, f"INV-2026-{self.references:06d}", priority=5, **values)  # type: ignore[arg-type]

    def add(self, *entries: NewItem, key: str | None = None) -> None:
        """Add entries, one if none is given."""
        adding.add(self.core, ACTOR, self.queue, entries or (self.entry(),), key, "hash")

    def take(self, core: Core | None = None, **wanted: object) -> list[TakenItem]:
        """A `next` of the run."""
        wish = Wanted(run=self.run, **wanted)  # type: ignore[arg-type]
        return taking.take(core or self.core, ACTOR, self.queue, wish).items

    def taken(self) -> TakenItem:
        """A fresh item that the run holds."""
        self.add()
        [item] = self.take()
        return item

    def complete(self, item: TakenItem, result: str | None = None) -> None:
        """Complete it."""
        told = Raw(result) if result is not None else None
        closing.complete(self.core, ACTOR, item.id, item.claim, told)

    def fail(self, item: TakenItem, *, retry: bool) -> None:
        """End its round with an error."""
        failure = Failure("System.TimeoutException: the ERP did not answer", retry)
        closing.fail(self.core, ACTOR, item.id, item.claim, failure)


def cost_of(recorder: Recorder) -> Cost:
    """What the recorder saw."""
    writes = [request for request in recorder.requests if request.units]
    first = min((request.trip for request in writes), default=recorder.trips + 1)
    refused = sum(request.refused for request in writes)
    return Cost(recorder.reads, recorder.writes, recorder.trips, recorder.units, refused, first - 1)


def world(client: Client) -> World:
    """A fresh world on a client whose tables are empty."""
    store, recorder = recorded(client, "ledger", "views")
    around = Surroundings()
    core = make_core(store, around)
    shown = queues.create(core, ACTOR, "Invoices", Settings(retries=3))
    run = runs.start(core, ACTOR, "robot 7", 300)
    return World(client, core, recorder, around.clock, shown.id, run.id)


def operations(client: Client) -> Iterator[tuple[str, Cost]]:
    """Every operation and its cost, in order."""
    here = world(client)
    cost = here.cost
    here.add()
    yield "add, first of its reference", cost(here.add)
    repeated = here.entry()
    here.add(repeated)
    yield "add, reference known: skipped", cost(partial(here.add, repeated))
    yield "add, this server's clock is behind", _behind(here)
    yield "add with a key", cost(partial(here.add, key="a"))
    yield "add with a key, sent again", cost(partial(here.add, here.entry(), key="a"))
    load = [here.entry() for _ in range(100)]
    yield "add 100", cost(partial(here.add, *load))
    yield "next", cost(here.take)
    yield "next with a key", cost(partial(here.take, key="b"))
    yield "next with a key, sent again", cost(partial(here.take, key="b"))
    yield "next, one race lost", _one_race_lost(here)
    yield "next, 10 items", cost(partial(here.take, max_items=10))
    yield "complete", cost(partial(here.complete, here.taken()))
    yield (
        "complete with 100 bytes of result",
        cost(partial(here.complete, here.taken(), DATA[:99] + '"}')),
    )
    yield "fail, put back", cost(partial(here.fail, here.taken(), retry=True))
    yield "fail for good", cost(partial(here.fail, here.taken(), retry=False))
    yield "beat of a run", cost(partial(runs.heartbeat, here.core, ACTOR, here.run))
    while here.take(max_items=100):
        pass
    yield "next, nothing there", cost(here.take)
    yield from _lists(here)


def _lists(here: World) -> Iterator[tuple[str, Cost]]:
    """Pages of as many queues without waiting items, whose counts are fed or not."""
    ids = [queues.create(here.core, ACTOR, f"Queue {n}", Settings()).id for n in range(LISTED - 1)]
    page = partial(queues.page, here.core, None, None, LISTED)
    yield "list of queues, never counted", here.cost(page)
    for queue in (here.queue, *ids):
        counting.recount(here.core, queue)
    yield "list of queues", here.cost(page)
    yield "count of a queue", here.cost(partial(queues.count, here.core, here.queue))


def _behind(here: World) -> Cost:
    here.clock.tick(-60)
    spent = here.cost(here.add)
    here.clock.tick(60)
    return spent


def _one_race_lost(here: World) -> Cost:
    """A rival takes the item between our reads and our write: when we make our command's id."""
    rival = make_core(DynamoStore(here.client, "ledger", "views"), Surroundings(here.clock), "b")
    taken: list[TakenItem] = []

    def new_id() -> str:
        if not taken:
            taken.extend(here.take(rival))
        return here.core.new_id()

    return here.cost(partial(here.take, replace(here.core, new_id=new_id)))
