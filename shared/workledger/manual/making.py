"""What a load makes: hits of a task, or records on their way through a process (M13, M54).

Made again, all that is there stays as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from workledger import keys
from workledger.ledger import fold
from workledger.ledger.aggregate import Command
from workledger.manual import common, reordering, storing
from workledger.manual.departing import Departure
from workledger.manual.storing import Stored
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.load import Load
from workledger.manual_tasks.task import Task
from workledger.service.core import Core


class Hits:
    """Makes the hits of a load into a task."""

    def __init__(self, core: Core, stream: str, load: Load, records: Iterator[Stored]) -> None:
        self.records = records
        self._core, self._load, self._bare = core, load, keys.bare(stream)
        self._task = f"task/{load.owner[2:]}"
        self._rule = common.rules_of(core, self._task, load.version).adjudication

    def make(self, batch: Sequence[Stored]) -> None:
        """Make these; those that are there are made again, which changes nothing."""
        task = self._read()
        self._core.executor.once_all([(self._create(task, one), {}) for one in batch])

    def _read(self) -> Task:
        core, stream = self._core, self._task
        return fold.seen(core.executor.aggregates, stream, core.store.load(stream)).head

    def _create(self, task: Task, one: Stored) -> Command:
        load, number = self._load, self._load.first + one.index - 1
        compared = any(each.kind.comparator is not None for each in task.orderings)
        values: Mapping[str, Any] = one.values if compared else {}
        places = common.placements(self._core, task, one.order, values, number)
        data = {
            "task": load.owner[2:],
            "version": load.version,
            "load": self._bare,
            "index": one.index,
            "number": number,
            "hitOrder": one.hit_order,
            "hitOrderDate": one.hit_order_date,
            "answers": self._rule.answers,
            "more": self._rule.more,
            "places": [list(each) for each in places],
        }
        decide = partial(hit_commands.create, data=data, payload=one.payload)
        stream, command = keys.hit_stream(self._bare, one.index), f"{self._bare}/{one.index}"
        return self._core.command(stream, load.started_by, decide, command=command)

    def finish(self, until: str) -> bool:
        """See that all stand where the task's order wants them: it may have changed meanwhile.

        False when there was no time to.
        """
        known = self._load.ordering
        while True:
            task: Task = self._core.executor.read(self._task).head
            if task.newest.version == known:
                return True
            indexes = range(1, self._load.count + 1)
            streams = (keys.hit_stream(self._bare, index) for index in indexes)
            if not reordering.place_all(self._core, self._task, streams, until):
                return False
            known = task.newest.version


class Ways:
    """Sends the records of a load into a process on their way."""

    def __init__(
        self, core: Core, stream: str, load: Load, kept: Sequence[Stored], done: int
    ) -> None:
        records = {one.index: one.record for one in kept}
        self.records = iter([one for one in kept if one.index > done])
        self._of = records
        self._departure = Departure(core, stream, load, list(records.values()))

    def make(self, batch: Sequence[Stored]) -> None:
        """Start these."""
        self._departure.make([self._of[one.index] for one in batch])

    def finish(self, until: str) -> bool:  # noqa: ARG002 (as of hits)
        """Whoever makes a record's hit sees to its place."""
        return True


def maker(
    core: Core, stream: str, load: Load, kept: Sequence[Stored] | None, done: int
) -> Hits | Ways:
    """What makes the records of a load beyond the first `done`."""
    if load.owner.startswith("t_"):
        records = iter(kept[done:]) if kept is not None else storing.read(core, load, done)
        return Hits(core, stream, load, records)
    return Ways(core, stream, load, kept or list(storing.read(core, load)), done)
