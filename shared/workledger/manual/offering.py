"""The hits of a process's records: made when a record comes to a manual step, or is known to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.ledger import fold
from workledger.ledger.aggregate import Command
from workledger.manual import common
from workledger.manual.contents import Content
from workledger.manual_tasks import hit as hits
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.process import TIMED, Definition
from workledger.manual_tasks.record import Record
from workledger.manual_tasks.records import Order
from workledger.manual_tasks.task import Task
from workledger.service.core import Core


@dataclass(frozen=True, slots=True)
class Offer:
    """A record that waits at a manual step, or will, and what it carries."""

    stream: str
    record: Record
    definition: Definition
    content: Content

    @property
    def hit(self) -> str:
        """The stream of the hit."""
        return f"hit/{self.record.hit}"

    @property
    def task(self) -> str:
        """The stream of the step's task."""
        return f"task/{self.definition.step(self.record.step).task}"

    @property
    def visible_from(self) -> str | None:
        """When the record comes out of a timed step; None when it is there already (M14)."""
        before = self.record.before
        timed = before is not None and self.definition.step(before).kind == TIMED
        return self.record.since if timed else None

    def places(self, core: Core, task: Task, number: int) -> tuple[hits.Placed, ...]:
        """Where the hit stands: by the record's own order, at every step (M6)."""
        order = Order(self.record.hit_order, self.record.hit_order_date)
        return common.placements(core, task, order, self.content.values, number)

    def create(self, core: Core, task: Task, number: int) -> Command:
        """The command that makes the hit."""
        record, rule = self.record, task.rules.adjudication
        visible = self.visible_from
        data = {
            "task": keys.bare(self.task),
            "version": task.hit_type,
            "load": record.load,
            "index": record.index,
            "number": number,
            "hitOrder": record.hit_order,
            "hitOrderDate": record.hit_order_date,
            "answers": rule.answers,
            "more": rule.more,
            "places": [list(one) for one in self.places(core, task, number)],
            "way": [keys.bare(self.stream), record.step],
            **({"visibleFrom": visible} if visible is not None else {}),
        }
        decide = partial(hit_commands.create, data=data, payload=self.content.payload)
        return core.command(self.hit, "system", decide, command=f"{self.stream}/{record.visit}")


def missing(core: Core, streams: Sequence[str]) -> list[str]:
    """Those of these hits that are not there yet."""
    rows = core.store.rows([(stream, keys.HEAD) for stream in streams])
    return [stream for stream in streams if (stream, keys.HEAD) not in rows]


def offer(core: Core, offers: Sequence[Offer]) -> None:
    """Make the hits that these records wait for, if any; who makes them again makes none."""
    by_task: dict[str, list[Offer]] = {}
    for one in offers:
        if one.record.hit is None:
            continue
        by_task.setdefault(one.task, []).append(one)
    for stream, wanted in by_task.items():
        _offer(core, stream, wanted)


def _offer(core: Core, stream: str, offers: Sequence[Offer]) -> None:
    task: Task = fold.seen(core.executor.aggregates, stream, core.store.load(stream)).head
    first, _ = core.store.take_numbers(keys.bare(stream), len(offers), core.clock())
    commands = [one.create(core, task, first + at) for at, one in enumerate(offers)]
    for result in core.executor.run_all(commands):
        result.unwrap()
    # who died before placing a change of the order leaves it to the projector
    if core.executor.read(stream).head.orderings != task.orderings:
        for one in offers:
            common.place_again(core, one.hit)
