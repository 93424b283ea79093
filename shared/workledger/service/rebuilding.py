"""Views from the ledger alone, and the proof that the live ones are equal (Q94)."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from workledger import keys
from workledger.ledger import fold
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks import hit, load, record
from workledger.queues import item as item_rules
from workledger.service.core import Core
from workledger.stores.port import Key, Write
from workledger.views.row import Row

RESTART_AFTER = 10_000
"""A lost counter restarts so far above the highest number seen: numbers have gaps."""


def rebuilt(core: Core) -> Iterator[Row]:
    """Every row that the ledger makes, folded from the first commit of each stream."""
    for stream, commits in groupby(core.store.all_commits(), key=lambda commit: commit.stream):
        if keys.kind(stream) in core.executor.aggregates:
            yield from _rows(core, stream, commits).values()


def _rows(core: Core, stream: str, commits: Iterator[Commit]) -> dict[str, Row]:
    aggregate = core.executor.aggregates[keys.kind(stream)]
    states: dict[str, Any] = {}
    rows: dict[str, Row] = {}
    for commit in commits:
        states = fold.after(aggregate, commit, states)
        for row in fold.write(aggregate, commit, states).rows:
            rows[row.thing] = row
    return {thing: row for thing, row in rows.items() if row.state != fold.TOMBSTONE}


def check(core: Core) -> list[Key]:
    """The keys of live rows that differ from what the ledger makes, are missing, or too many."""
    live = {(row.stream, row.thing): row for row in core.store.all_rows()}
    wrong: list[Key] = []
    for row in rebuilt(core):
        key = (row.stream, row.thing)
        if live.pop(key, None) != row:
            wrong.append(key)
    return sorted([*wrong, *live])


def rebuild(core: Core) -> int:
    """Drop every view and place it anew from the ledger; answers how many rows there are.

    For a store that nobody writes to meanwhile. Counters are kept; a lost one restarts.
    """
    core.store.drop_views()
    aggregates = core.executor.aggregates
    highest: dict[str, int] = {}
    count = 0
    for stream, commits in groupby(core.store.all_commits(), key=lambda commit: commit.stream):
        if keys.kind(stream) not in aggregates:
            continue
        states: dict[str, Any] = {}
        writes: list[Write] = []
        for commit in commits:
            states = fold.after(aggregates[keys.kind(stream)], commit, states)
            writes.append(fold.write(aggregates[keys.kind(stream)], commit, states))
            _note_numbers(commit, highest)
        core.store.place(writes)
        count += len({row.thing for write in writes for row in write.rows})
    for queue, number in highest.items():
        if core.store.take_numbers(queue, 1, core.clock())[0] <= number:
            core.store.restart_numbers(queue, number + RESTART_AFTER)
    return count


def _note_numbers(commit: Commit, highest: dict[str, int]) -> None:
    for event in commit.events:
        counter, number = _numbered(event)
        if counter is not None:
            highest[counter] = max(highest.get(counter, 0), number)


def _numbered(event: Event) -> tuple[str | None, int]:
    """The counter that an event's number is of: a queue's, a manual task's, a process's."""
    data = event.data
    match event.type:
        case item_rules.ADDED:
            return data["queue"], data["number"]
        case hit.CREATED:
            return data["task"], data["number"]
        case record.STARTED:
            return data["process"], data["number"]
        case load.STARTED:
            return data["owner"].partition("_")[2], data["first"] + data["count"] - 1
        case _:
            return None, 0
