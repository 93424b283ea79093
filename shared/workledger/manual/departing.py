"""A load of records sets out on its way through a process (M13, M14, M54).

All enter their timed steps first, in the order of the records, whatever their order in the file;
then each is started, in the file's order, and the hits that are known by then are made. Everything
may be done again: the steps remember what they answered, the records and the hits are there.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from workledger import jsontext, keys
from workledger.jsontext import Raw
from workledger.ledger.aggregate import Command
from workledger.manual import contents, moving, offering
from workledger.manual.contents import Content
from workledger.manual.offering import Offer
from workledger.manual_tasks import record as records
from workledger.manual_tasks.columns import ORDER_COLUMN
from workledger.manual_tasks.load import Load
from workledger.manual_tasks.process import TIMED, Step
from workledger.manual_tasks.record import Way
from workledger.manual_tasks.records import Record
from workledger.manual_tasks.step import Arrival
from workledger.service.core import Core

ENTER_AT_ONCE = 500
"""Records that enter a timed step in one commit."""


class Departure:
    """The records of one load; `make` starts some of them."""

    def __init__(self, core: Core, stream: str, load: Load, loaded: Sequence[Record]) -> None:
        self._core, self._load, self._bare = core, load, keys.bare(stream)
        self._process = load.owner.partition("_")[2]
        self._definition = contents.definition(core, self._process, load.version)
        self._contents = {one.index: _content(one) for one in loaded}
        self._ways = {one.index: self._way(one) for one in loaded}
        self._enter(sorted(loaded, key=_order))

    def make(self, batch: Sequence[Record]) -> None:
        """Start these records, and make the hits that they wait for."""
        results = self._core.executor.run_all([self._start(one) for one in batch])
        offers: list[Offer] = []
        for one, result in zip(batch, results, strict=True):
            record: records.Record = result.unwrap().head
            if record.hit is not None:
                content = self._contents[one.index]
                offers.append(Offer(self._stream(one), record, self._definition, content))
        there = set(offering.missing(self._core, [one.hit for one in offers]))
        offering.offer(self._core, [one for one in offers if one.hit in there])

    def _stream(self, one: Record) -> str:
        return keys.record_stream(self._bare, one.index)

    def _way(self, one: Record) -> Way:
        values = self._contents[one.index].values
        at = self._load.started_at
        return records.way(self._definition, None, values, at, self._core.manual.zone)

    def _enter(self, loaded: Sequence[Record]) -> None:
        by_step: dict[str, list[Record]] = {}
        for one in loaded:
            target = self._ways[one.index].target
            if target.kind == TIMED:
                by_step.setdefault(target.name, []).append(one)
        if by_step:
            moving.settle(self._core, self._load.started_at)
        for name, entering in by_step.items():
            step = self._definition.step(name)
            for first in range(0, len(entering), ENTER_AT_ONCE):
                self._enter_some(step, entering[first : first + ENTER_AT_ONCE], first)

    def _enter_some(self, step: Step, entering: Sequence[Record], first: int) -> None:
        at = self._load.started_at
        arrivals = [Arrival(keys.bare(self._stream(one)), at) for one in entering]
        entry = f"load/{self._bare}/{step.name}/{first}"
        leaves = moving.enter(self._core, self._process, step, arrivals, entry)
        for one, leave in zip(entering, leaves, strict=True):
            self._ways[one.index] = self._ways[one.index]._replace(leave=leave)

    def _start(self, one: Record) -> Command:
        load, order = self._load, one.order
        data: Mapping[str, Any] = {
            "process": self._process,
            "version": load.version,
            "load": self._bare,
            "index": one.index,
            "number": load.first + one.index - 1,
            "hitOrder": order.hit_order,
            "hitOrderDate": order.hit_order_date,
        }
        decide = partial(
            records.start,
            data=data,
            payload=self._contents[one.index].payload,
            way=self._ways[one.index],
        )
        command = f"load/{self._bare}/{one.index}"
        return self._core.command(self._stream(one), load.started_by, decide, command=command)


def _order(one: Record) -> tuple[str, int, int]:
    """The order of the records (M1)."""
    return one.order.hit_order_date, one.order.hit_order, one.index


def _content(one: Record) -> Content:
    columns = {
        name: value if isinstance(value, Raw) else Raw(jsontext.dumps(value))
        for name, value in one.values.items()
        if name != ORDER_COLUMN
    }
    return Content(columns, Raw(jsontext.dumps(dict(one.order.more))))
