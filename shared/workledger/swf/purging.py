"""Purge: runs that their domain keeps no longer leave the store, all but one commit (W31).

Lists, descriptions and histories leave them out as soon as their time is over; this removes them,
an hour later, so that no reaction is on its way that would be carried out twice if it were
forgotten here. It marks what goes, removes it, and takes the row last by which it found it: so it
may die anywhere and run again.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from workledger import keys
from workledger.errors import StoreError
from workledger.keys import BEAT, HEAD
from workledger.ledger.commit import Commit
from workledger.service.core import Core
from workledger.stores.port import Key
from workledger.swf import timing
from workledger.swf.call import run
from workledger.times import plus
from workledger.views.order import Spot
from workledger.workflows import commands
from workledger.workflows.domain import Domain
from workledger.workflows.execution import DAY_SECONDS, Done, Run, days_kept, is_purged, kept_until

_log = logging.getLogger(__name__)

GRACE_SECONDS = 3_600
AT_ONCE = 100


def purge(core: Core, until: str) -> int:
    """Remove what is kept no more, but stop at a moment; answers how many streams were purged.

    Safe to run twice, at once, late; what was not reached or failed is met again.
    """
    count = 0
    now = core.clock()
    for domain in _domains(core):
        for stream in _expired(core, domain, now):
            if core.clock() >= until:
                return count
            count += _try(core, stream, now)
    return count


def _domains(core: Core) -> Iterator[Domain]:
    for spots in _pages(core, keys.ALL_DOMAINS_LINE, None):
        rows = core.store.rows([(one.stream, one.thing) for one in spots])
        yield from (core.executor.state(row) for row in rows.values())


def _expired(core: Core, domain: Domain, now: str) -> Iterator[str]:
    """Streams with runs that closed so long ago."""
    seconds = days_kept(domain.retention) * DAY_SECONDS + GRACE_SECONDS
    line = keys.executions_line(domain.scope, domain.name, "closed_by_close")
    for spots in _pages(core, line, plus(now, -seconds)):
        yield from dict.fromkeys(one.stream for one in spots)


def _pages(core: Core, line: str, until: str | None) -> Iterator[list[Spot]]:
    after: Spot | None = None
    while spots := core.store.read_line(line, after=after, limit=AT_ONCE, until=until):
        after = spots[-1]
        yield spots


def _try(core: Core, stream: str, now: str) -> bool:
    try:
        return _purge(core, stream, now)
    except StoreError as error:
        _log.warning("%s was not purged: %s", stream, error)
        return False


def _purge(core: Core, stream: str, now: str) -> bool:
    """Purge the oldest runs of a stream, all that are kept no more and have nothing to do."""
    head: Run | None = core.executor.read(stream).head
    if head is None:
        return False
    states = _states(core, stream)
    upto = _upto(head, states, now)
    if upto == 0:
        return False
    if upto > head.purged[0]:
        following: Run | None = _runs(head, states).get(upto + 1)
        first = following.first if following else None
        run(core, stream, "system", lambda seen, asking: commands.purge(seen, upto, first, asking))
        head = core.executor.read(stream).head
    if head is None or head.purged[0] < upto:
        return False
    _remove_commits(core, stream, head.purged[1])
    _remove_rows(core, stream, upto, states)
    return True


def _states(core: Core, stream: str) -> dict[str, Any]:
    rows = core.store.things(stream)
    return {thing: core.executor.state(row) for thing, row in rows.items()}


def _runs(head: Run, states: Mapping[str, Any]) -> dict[int, Run]:
    """The runs that there still are, by generation."""
    found = [state for thing, state in states.items() if thing[0] == "g"]
    return {one.generation: one for one in (*found, head) if not is_purged(one)}


def _upto(head: Run, states: Mapping[str, Any], now: str) -> int:
    """Up to which generation everything may go."""
    runs, upto = _runs(head, states), head.purged[0]
    waiting = {generation_of(thing) for thing in states if thing.startswith("r.")}
    while (one := runs.get(upto + 1)) is not None and upto + 1 not in waiting:
        until = kept_until(one)
        if until is None or plus(until, GRACE_SECONDS) > now:
            break
        upto += 1
    return upto


def generation_of(thing: str) -> int | None:
    """The run that a row is of; None for those that are of no run, or do not say it."""
    if thing in (HEAD, BEAT) or thing.startswith("m."):
        return None
    return int(thing[1:] if thing[0] == "g" else thing.split(".")[1])


def _remove_commits(core: Core, stream: str, below: int) -> None:
    """Remove a stream's commits below one, with their chunks and heartbeats, the oldest first."""
    while commits := [one for one in core.store.commits(stream, 0, AT_ONCE) if one.number < below]:
        events = [event for one in commits for event in one.events]
        core.store.remove_commits([event.chunk for event in events if event.chunk is not None])
        core.store.remove_rows([key for one in commits for key in _beats(one)])
        core.store.remove_commits([(stream, one.number) for one in commits])


def _beats(commit: Commit) -> Iterator[Key]:
    """Where the heartbeats of a commit's activities may stand."""
    for event in commit.events:
        if event.type == "ActivityTaskScheduled":
            thing = next(thing for thing in event.things if thing.startswith("a."))
            yield timing.beat_key(commit.stream, thing, event.data["id"]), BEAT


def _remove_rows(core: Core, stream: str, upto: int, states: Mapping[str, Any]) -> None:
    """Remove the rows and tombstones of the runs up to one; those last by which they are found."""
    names = core.store.names_of(stream)
    dead = [thing for thing in names if (generation_of(thing) or upto + 1) <= upto]
    dead += [
        thing for thing, state in states.items() if isinstance(state, Done) and state.run <= upto
    ]
    found_by = [thing for thing in dead if thing.startswith("closed.")]
    core.store.remove_rows([(stream, thing) for thing in dead if thing not in found_by])
    core.store.remove_rows([(stream, thing) for thing in found_by])
