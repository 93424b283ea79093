"""What was done in a manual task: people, times, decisions (M61, M63). Pure.

A stream of its own for each task, written by the projector. What a hit contributes up to one of its
commits is a function of its commits; a thing named as the hit's stream says up to which commit it
was counted, so whatever comes twice, late or swapped is added once. A thing `w.<worker>` holds a
worker's counts; the head holds waiting and handling times as histograms.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from workledger import keys, times
from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks import hit as hits
from workledger.views import order
from workledger.views.row import NOWHERE, Standing

# --- event: a stored name, never to be renamed ---------------------------------------------------

COUNTED = "WorkCounted"

KINDS = (hits.ACCEPTED, hits.SUBMITTED, hits.RETURNED, hits.ABANDONED, hits.SKIPPED)
"""What is counted of each worker, in this order."""

RATIO = 1.05
"""Of one bucket's bounds: a quantile, its bucket's geometric middle, is within 2.5 %."""

DIGITS = 15
"""Of a duration in milliseconds, by which decided hits stand on their line."""

Histogram = Mapping[int, int]
"""How many durations are in each bucket; those below a millisecond are in bucket -1."""

# --- states -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Times:
    """The head: waiting, from visible to first accepted, and handling, from taken to answered."""

    waiting: Histogram = field(default_factory=dict[int, int])
    handling: Histogram = field(default_factory=dict[int, int])


class Worker(NamedTuple):
    """What a worker did, by KINDS; `task` is the 26 characters of its id."""

    task: str
    name: str
    counts: tuple[int, ...]


class Upto(NamedTuple):
    """Up to which commit a hit was counted, and how long it took to decide, in milliseconds."""

    task: str
    number: int
    took: int | None


@dataclass(frozen=True, slots=True)
class Share:
    """What a hit contributes up to a commit."""

    workers: dict[str, Counter[int]] = field(default_factory=dict[str, "Counter[int]"])
    waiting: Counter[int] = field(default_factory=Counter[int])
    handling: Counter[int] = field(default_factory=Counter[int])
    took: int | None = None


# --- what a hit contributes ---------------------------------------------------------------------


def share(commits: Sequence[Commit], upto: int, instant: Callable[[str], str]) -> Share:
    """What a hit's commits 1 to `upto` contribute; `instant` reads a hitOrderDate (its zone)."""
    found = Share()
    accepted: dict[int, str] = {}
    visible = ordered = ""
    for commit in commits[:upto]:
        for event in commit.events:
            if event.type == hits.CREATED:
                visible = max(commit.at, event.data.get("visibleFrom") or commit.at)
                ordered = instant(event.data["hitOrderDate"])
            elif event.type in KINDS:
                _work(found, accepted, event, commit, visible)
            else:
                found = _decided(found, event.type, ordered, commit.at)
    return found


def _work(
    found: Share, accepted: dict[int, str], event: Event, commit: Commit, visible: str
) -> None:
    counts = found.workers.setdefault(event.data["worker"], Counter())
    counts[KINDS.index(event.type)] += 1
    if event.type == hits.ACCEPTED:
        if not accepted:
            found.waiting[bucket(_milliseconds(visible, commit.at))] += 1
        accepted[commit.number] = commit.at
    elif event.type == hits.SUBMITTED:
        began = accepted[event.data["take"]]
        found.handling[bucket(_milliseconds(began, commit.at))] += 1


def _decided(found: Share, event: str, ordered: str, at: str) -> Share:
    if event == hits.DECIDED:
        return replace(found, took=_milliseconds(ordered, at))
    open_again = event in (hits.REOPENED, hits.UNRESOLVED)
    return replace(found, took=None) if open_again else found


def _milliseconds(earlier: str, later: str) -> int:
    return max(0, round(times.seconds_between(earlier, later) * 1_000))


def count(
    seen: Seen, moved: Mapping[str, Sequence[Commit]], instant: Callable[[str], str]
) -> list[Event]:
    """Count hits (stream -> its commits from 1 on) up to these commits; what was is left out."""
    hit_parts: dict[str, list[Any]] = {}
    workers: dict[str, Counter[int]] = {}
    waiting, handling = Counter[int](), Counter[int]()
    for stream, commits in moved.items():
        known: Upto = seen.states.get(stream) or Upto("", 0, None)
        before = share(commits, known.number, instant)
        after = share(commits, len(commits), instant)
        if len(commits) <= known.number or after == before:
            continue
        hit_parts[stream] = [len(commits), after.took]
        waiting += after.waiting - before.waiting
        handling += after.handling - before.handling
        for name, counts in after.workers.items():
            more = counts - before.workers.get(name, Counter())
            if more:
                workers[name] = workers.get(name, Counter()) + more
    if not hit_parts:
        return []
    data = {
        "hits": hit_parts,
        "workers": {
            keys.worker_thing(name): [name, [counts[at] for at in range(len(KINDS))]]
            for name, counts in workers.items()
        },
        "waiting": _stored(waiting),
        "handling": _stored(handling),
    }
    return [Event(COUNTED, data, (*hit_parts, *data["workers"], HEAD))]


def things(moved: Mapping[str, Sequence[Commit]]) -> tuple[str, ...]:
    """The things that counting these hits may touch."""
    names = {
        event.data["worker"]
        for commits in moved.values()
        for commit in commits
        for event in commit.events
        if event.type in KINDS
    }
    return (*moved, *map(keys.worker_thing, sorted(names)))


# --- histograms ---------------------------------------------------------------------------------


def bucket(milliseconds: int) -> int:
    """The bucket of a duration."""
    return math.floor(math.log(milliseconds) / math.log(RATIO)) if milliseconds > 0 else -1


def quantile(histogram: Histogram, part: float) -> float | None:
    """The duration, in seconds, that this part of all does not exceed; None where there is none.

    Within 2.5 % of the value at that rank.
    """
    rank = math.ceil(part * sum(histogram.values()))
    for at in sorted(histogram):
        rank -= histogram[at]
        if rank <= 0:
            return 0.0 if at < 0 else round(RATIO ** (at + 0.5) / 1_000, 3)
    return None


# --- an aggregate -------------------------------------------------------------------------------


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Any) -> Any:  # noqa: ARG001 (an aggregate's shape)
    """The times, a worker's counts, or how far a hit was counted, after an event."""
    data, task = event.data, keys.bare(commit.stream)
    if thing == HEAD:
        known: Times = state or Times()
        return Times(
            _added(known.waiting, data["waiting"]), _added(known.handling, data["handling"])
        )
    if thing in data["workers"]:
        name, more = data["workers"][thing]
        counts = state.counts if state is not None else (0,) * len(KINDS)
        return Worker(task, name, tuple(a + b for a, b in zip(counts, more, strict=True)))
    return Upto(task, *data["hits"][thing])


def place(stream: str, thing: str, state: Any) -> Standing:  # noqa: ARG001 (an aggregate's shape)
    """Workers by name; decided hits by how long they took: what met any SLA is counted (M63)."""
    if isinstance(state, Worker):
        return Standing(order.by_name(keys.hits_line(state.task, "workers"), state.name))
    if isinstance(state, Upto) and state.took is not None:
        line = keys.hits_line(state.task, "took")
        return Standing(order.by_date(line, duration(state.took), 0, keys.bare(thing)))
    return NOWHERE


def duration(milliseconds: int) -> str:
    """How a duration stands on a line."""
    return f"{milliseconds:0{DIGITS}d}"


def dump(state: Times | Worker | Upto) -> Any:
    """The state as a JSON value."""
    if isinstance(state, Times):
        return {"w": _stored(state.waiting), "h": _stored(state.handling)}
    return [*state[:2], list(state.counts)] if isinstance(state, Worker) else list(state)


def load(stored: Any) -> Times | Worker | Upto:
    """The state from its JSON value."""
    if isinstance(stored, dict):
        told = cast("dict[str, dict[str, int]]", stored)
        return Times(_added({}, told["w"]), _added({}, told["h"]))
    task, second, third = cast("list[Any]", stored)
    return (
        Worker(task, second, tuple(third)) if isinstance(second, str) else Upto(task, second, third)
    )


def _stored(histogram: Histogram) -> dict[str, int]:
    return {str(at): histogram[at] for at in sorted(histogram)}


def _added(histogram: Histogram, more: Mapping[str, int]) -> dict[int, int]:
    total = dict(histogram)
    for at, many in more.items():
        total[int(at)] = total.get(int(at), 0) + many
    return {at: total[at] for at in sorted(total)}
