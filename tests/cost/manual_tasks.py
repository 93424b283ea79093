"""What each operation of manual tasks sends to DynamoDB: for the test and `make bench`.

A task with adjudication 2+1, records of some 100 bytes; nobody else is at work.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from typing import Any

from tests.cost.operations import Cost, cost_of
from tests.support import Surroundings, make_core
from workledger import keys
from workledger.jsontext import Raw
from workledger.manual import (
    answering,
    assigning,
    counting,
    loading,
    reordering,
    statistics,
    tasks,
    worklist,
)
from workledger.manual.assigned import Assigned
from workledger.manual_tasks import csvfile
from workledger.manual_tasks.hit import Hit
from workledger.service.core import Core
from workledger.stores.dynamodb_requests import Client
from workledger.stores.recording import Recorder, recorded
from workledger.times import plus

TASK = "Check"
RECORDS = 100
LISTED = 50
HELD = 3
COUNTED = 10
SETTINGS: Mapping[str, Any] = {"adjudication": {"answers": 2, "more": 1}}
BY_TOTAL: Mapping[str, Any] = {
    "dtr": True,
    "comparator": [{"field": "total", "type": "number", "direction": "desc"}],
}
YES, NO = Raw('{"verdict":"pay"}'), Raw('{"verdict":"ask"}')


@dataclass
class Desk:
    """A task on recorded tables."""

    core: Core
    recorder: Recorder
    task: str = TASK

    def cost(self, operation: Callable[[], object]) -> Cost:
        """What the operation sends."""
        self.recorder.clear()
        operation()
        return cost_of(self.recorder)

    def load(self, count: int, key: str | None = None) -> str:
        """Load so many records; the load's id."""
        rows = (f"A-{n:06d},Supplier of paper and ink {n % 7},{n}.50,EUR\n" for n in range(count))
        body = ("invoice,supplier,total,currency\n" + "".join(rows)).encode()
        started = self.core.clock()
        records = csvfile.read(body, started, UTC)
        return loading.load(self.core, "kai", self.task, records, key, "hash", started).id

    def next(self, worker: str, key: str | None = None) -> Assigned:
        """The worker takes the next."""
        found = assigning.next_of(self.core, worker, TASK, None, key)
        assert isinstance(found, Assigned)
        return found

    def submit(self, one: Assigned, answer: Raw = YES) -> None:
        """Its worker answers."""
        answering.submit(self.core, one.worker, one.id, answer)

    def both(self, second: Raw) -> tuple[Assigned, Assigned]:
        """A record that one worker has answered, and another holds, whose answer is to follow."""
        hit = keys.manual_id(keys.hit_stream(self.load(1)[2:], 1))
        first = assigning.take(self.core, "first", hit)
        self.submit(first)
        return first, assigning.take(self.core, f"after {second.text}", hit)

    def page(self, worker: str) -> None:
        """A page of a worker's list."""
        worklist.page(self.core, worker, TASK, None, None, LISTED)

    def reorder(self) -> None:
        """Another order, until readers have switched."""
        version = tasks.show(self.core, self.task).task.version
        shown = tasks.change(self.core, "kai", self.task, version, dict(BY_TOTAL))
        stream = f"task/{shown.id[2:]}"
        reordering.carry_on(self.core, stream, plus(self.core.clock(), 3_600))


def operations(client: Client) -> Iterator[tuple[str, Cost]]:
    """Every operation and its cost, in order."""
    store, recorder = recorded(client, "ledger", "views")
    here = Desk(make_core(store, Surroundings()), recorder)
    cost = here.cost
    create = partial(tasks.create, here.core, "kai", TASK, dict(SETTINGS))
    yield "create a manual task", cost(create)
    here.load(1)
    yield "load one record", cost(partial(here.load, 1, "one"))
    yield "load one record, sent again", cost(partial(here.load, 1, "one"))
    yield f"load {RECORDS}", cost(partial(here.load, RECORDS))
    yield f"page of {LISTED} of the list", cost(partial(here.page, "W1"))
    yield from _working(here)
    yield from _managing(here)
    yield from _ending(here)


def _working(here: Desk) -> Iterator[tuple[str, Cost]]:
    cost, core = here.cost, here.core
    here.submit(here.next("W1"))
    yield "next record", cost(partial(here.next, "W1"))
    yield "next record with a key", cost(partial(here.next, "W2", "k"))
    yield "next record with a key, sent again", cost(partial(here.next, "W2", "k"))
    yield "extend", cost(_later(here, partial(answering.extend, core, "W3", here.next("W3").id)))
    yield "submit, not deciding", cost(partial(here.submit, here.next("W4")))
    yield "submit, deciding", cost(partial(here.submit, here.both(YES)[1]))
    yield "return", cost(partial(answering.give_back, core, "W5", here.next("W5").id))
    yield "skip", cost(partial(answering.skip, core, "W6", here.next("W6").id))


def _later(here: Desk, operation: Callable[[], object]) -> Callable[[], object]:
    here.core.sleep(1)
    return operation


def _managing(here: Desk) -> Iterator[tuple[str, Cost]]:
    cost, core = here.cost, here.core
    one = here.next("W7")
    here.submit(one)
    yield "reject, the record was open", cost(partial(answering.reject, core, "kai", one.id, "no"))
    first, second = here.both(YES)
    here.submit(second)
    yield "approve", cost(partial(answering.approve, core, "kai", first.id))
    reject = partial(answering.reject, core, "kai", second.id, "no")
    yield "reject, the record was decided", cost(reject)
    _, second = here.both(NO)
    here.submit(second, NO)
    third = assigning.take(core, "third", second.hit)
    here.submit(third, Raw('"neither"'))
    yield (
        "adjudicate",
        cost(partial(answering.adjudicate, core, "eve", third.hit, YES)),
    )


def _ending(here: Desk) -> Iterator[tuple[str, Cost]]:
    core = here.core
    for _ in range(HELD):
        here.next("W8")
    yield f"what one holds ({HELD})", here.cost(partial(assigning.active, core, "W8", None, LISTED))
    yield f"sign out of {HELD}", here.cost(partial(answering.sign_out, core, "W8"))
    tasks.create(core, "kai", "Other", dict(SETTINGS))
    other = replace(here, task="Other")
    yield "next record, nothing there", here.cost(partial(assigning.next_of, core, "W8", "Other"))
    other.load(RECORDS)
    yield f"place {RECORDS} anew", here.cost(other.reorder)
    yield from _counting(here)


def _counting(here: Desk) -> Iterator[tuple[str, Cost]]:
    core, load = here.core, here.load(COUNTED)
    found: list[tuple[str, Hit]] = []
    for index in range(1, COUNTED + 1):
        stream = keys.hit_stream(load[2:], index)
        for worker in ("W9", "W10"):
            here.submit(assigning.take(core, worker, keys.manual_id(stream)))
        found.append((stream, core.executor.read(stream).head))
    count = partial(counting.count, core, found)
    yield f"projector: count {COUNTED} that were decided", here.cost(count)
    yield f"projector: count {COUNTED} once more", here.cost(count)
    yield "statistics", here.cost(partial(statistics.of, core, TASK))
