"""What a record carries, and the definition it follows, read strongly."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workledger import jsontext, keys
from workledger.jsontext import Raw
from workledger.ledger.commit import Commit
from workledger.manual_tasks import columns
from workledger.manual_tasks import record as records
from workledger.manual_tasks.process import Definition
from workledger.manual_tasks.record import Record
from workledger.manual_tasks.records import Order
from workledger.service.core import Core


@dataclass(frozen=True)
class Content:
    """A record's columns as they were written, and what came with its order."""

    columns: Mapping[str, Raw]
    more: Raw

    @cached_property
    def values(self) -> dict[str, Any]:
        """The values that rules and comparators read."""
        return columns.values(self.columns)

    @property
    def payload(self) -> str:
        """The payload of a hit that shows them."""
        return columns.payload(self.columns, self.more)

    def attributes(self, record: Record) -> dict[str, Any]:
        """A record's customAttributes, which are its `_sys_record_order` (M6)."""
        further = jsontext.entry(self.more.text)[0].members or {}
        return Order(record.hit_order, record.hit_order_date, further).attributes()

    def answered(self, step: str, text: str | None) -> "Content":
        """The content after a step's answer (None: it was purged)."""
        if text is None:
            return self
        return Content(columns.joined(self.columns, [(step, text)]), self.more)


def definition(core: Core, process: str, version: int) -> Definition:
    """A version of a process's definition: it was there before any record that follows it."""
    stream, thing = f"process/{process}", keys.version_thing(version)
    row = core.store.rows([(stream, thing)]).get((stream, thing))
    if row is not None:
        return core.executor.state(row)
    return core.executor.read(stream, (thing,)).states[thing]


def of(core: Core, stream: str, record: Record) -> Content:
    """A record's columns: its own and those of all answers so far (M13)."""
    return of_many(core, [(stream, record)])[0]


def of_many(core: Core, wanted: Iterable[tuple[str, Record]]) -> list[Content]:
    """The columns of several records."""
    pairs = list(wanted)
    at = [(stream, number) for stream, one in pairs for number in _commits(one)]
    commits = core.store.commits_at(at)
    return [_content(stream, one, commits) for stream, one in pairs]


def _commits(record: Record) -> list[int]:
    return [1, *(one.commit for one in record.answers)]


def _content(stream: str, record: Record, commits: Mapping[tuple[str, int], Commit]) -> Content:
    started = _payload(commits.get((stream, 1)), records.STARTED)
    own, more = columns.split(started) if started is not None else ({}, Raw("{}"))
    given = [
        (one.step, _payload(commits.get((stream, one.commit)), records.ANSWERED))
        for one in record.answers
    ]
    told = [(step, text) for step, text in given if text is not None]
    return Content(columns.joined(own, told), more)


def _payload(commit: Commit | None, event: str) -> str | None:
    events = commit.events if commit else ()
    return next((one.payload for one in events if one.type == event), None)
