"""History: a run's events out of the ledger, page by page, either way round (W22, W29)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workledger.ledger import spill
from workledger.ledger.commit import Commit, Event
from workledger.service.core import Core
from workledger.swf.call import epoch
from workledger.workflows.execution import Run

PAGE = 1_000
"""Events of a page where none is asked for, and the most that can be (1.6)."""

MOST_BYTES = 2_500_000
"""Bytes of inputs, results and the like after which a page ends: an answer has 6 MB on AWS."""

CHUNK = 100
AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Range:
    """Commits of a stream that bear events of a run: from, to (both included).

    `since` and `until` are the ids of its first and last event that are meant (0: to the end).
    """

    stream: str
    run: int
    first: int
    last: int
    since: int = 1
    until: int = 0

    def bears(self, event: Event) -> bool:
        """Whether an event is one that is meant."""
        data = event.data
        if data["gen"] != self.run or event.type[0] == "_":
            return False
        return self.since <= data["id"] <= (self.until or data["id"])


Position = tuple[int, int]
"""(commit, event): where an event stands."""


def range_of(core: Core, stream: str, run: Run) -> Range:
    """Where a run's events stand: up to the commit in which the next run began."""
    thing = f"g{run.generation + 1}"
    seen = core.executor.read(stream, (thing,))
    newest: Run = seen.head
    following: Run | None = seen.states.get(thing)
    if following is None and newest.generation == run.generation + 1:
        following = newest
    last = following.first if following else seen.number
    return Range(stream, run.generation, run.first, last, until=run.next_id - 1)


def page(
    core: Core, within: Range, start: Position | None, limit: int, *, backwards: bool = False
) -> tuple[list[dict[str, Any]], Position | None]:
    """Events from `start` on, and where the next page starts (None: no more).

    A page ends after `limit` events, or earlier where it would become too long to send.
    """
    events: list[dict[str, Any]] = []
    size = 0
    walk = _walk(core, within, start, backwards, limit + 1)
    for at, event, payload in _with_payloads(core, walk, min(limit + 1, AT_ONCE)):
        if len(events) == limit or size > MOST_BYTES:
            return events, at
        size += len(payload.encode()) if payload else 0
        events.append(shown(event, payload))
    return events, None


def _with_payloads(
    core: Core, walk: Iterator[tuple[Position, Event]], at_once: int
) -> Iterator[tuple[Position, Event, str | None]]:
    while found := list(islice(walk, at_once)):
        payloads = spill.payloads(core.store, [event for _, event in found])
        for (at, event), payload in zip(found, payloads, strict=True):
            yield at, event, payload


def _walk(
    core: Core, within: Range, start: Position | None, backwards: bool, wanted: int
) -> Iterator[tuple[Position, Event]]:
    read = _backwards if backwards else _forwards
    for commit in read(core, within, start, _sizes(within, wanted)):
        indexed = list(enumerate(commit.events))
        for index, event in reversed(indexed) if backwards else indexed:
            at = (commit.number, index)
            passed = start is not None and (at > start if backwards else at < start)
            if not passed and within.bears(event):
                yield at, event


def _sizes(within: Range, wanted: int) -> Iterator[int]:
    """How many commits to read at once: as many as are likely to be enough, then more and more.

    One may have thousands of events, or one.
    """
    commits = within.last - within.first + 1
    events = max(within.until - within.since + 1, commits)
    size = min(wanted * commits // events + 1, CHUNK)
    while True:
        yield size
        size = min(2 * size, CHUNK)


def _forwards(
    core: Core, within: Range, start: Position | None, sizes: Iterator[int]
) -> Iterator[Commit]:
    after = (start[0] if start else within.first) - 1
    while after < within.last:
        limit = min(next(sizes), within.last - after)
        commits = core.store.commits(within.stream, after, limit)
        if not commits:
            return
        yield from commits
        after = commits[-1].number


def _backwards(
    core: Core, within: Range, start: Position | None, sizes: Iterator[int]
) -> Iterator[Commit]:
    last = start[0] if start else within.last
    while last >= within.first:
        below = max(last - next(sizes), within.first - 1)
        at = [(within.stream, number) for number in range(last, below, -1)]
        found = core.store.commits_at(at)
        yield from (found[address] for address in at if address in found)
        last = below


def shown(event: Event, payload: str | None) -> dict[str, Any]:
    """An event as the service writes it (1.4)."""
    data = event.data
    name = f"{event.type[0].lower()}{event.type[1:]}EventAttributes"
    long: dict[str, Any] = json.loads(payload) if payload else {}
    attributes: dict[str, Any] = {**data["attrs"], **long}
    return {
        "eventId": data["id"],
        "eventType": event.type,
        "eventTimestamp": epoch(data.get("shown") or data["at"]),
        name: attributes,
    }


def event_at(core: Core, stream: str, at: Position) -> tuple[Event, dict[str, Any]]:
    """An event of a stream, and its attributes with its payload's members."""
    event = core.recent.at((stream, at[0])).events[at[1]]
    payload = spill.payloads(core.store, [event])[0]
    members: dict[str, Any] = json.loads(payload) if payload else {}
    return event, {**event.data["attrs"], **members}


def run_of(core: Core, stream: str, run_id: str) -> Run | None:
    """The run of a run id, newest or older."""
    newest: Run | None = core.executor.read(stream).head
    if newest is None or newest.run_id == run_id:
        return newest
    _, _, generation = run_id.rpartition(".")
    thing = f"g{generation}"
    older: Run | None = core.executor.read(stream, (thing,)).states.get(thing)
    return older if older is not None and older.run_id == run_id else None
