"""The timekeeper: what is due is done, by time and not by whether a sweep ran (design: Time)."""

import logging
from functools import partial

from workledger import keys
from workledger.errors import NewerShape, StoreError
from workledger.ledger.aggregate import Seen
from workledger.manual import loading, moving, reordering, timekeeping
from workledger.queues import item_commands
from workledger.queues import run as run_rules
from workledger.queues.item import Item, Waiting
from workledger.queues.run import Run
from workledger.service import runs
from workledger.service.core import Core
from workledger.swf import timing
from workledger.times import plus
from workledger.views.order import Spot

_log = logging.getLogger(__name__)

AT_ONCE = 100
LOOKS_AHEAD_SECONDS = 15 * 60
"""The longest delay of a wake message; a schedule runs more often than that."""

LONG = ("load", "task")
"""Kinds of streams that may take long: they come last."""

LONG_SECONDS = 10
"""For so long one of those is gone on with; then others get their turn."""

LONGEST_SECONDS = 30
"""After so long what is left of them waits for the next sweep: the function has a minute."""

ORDERS_EVERY_SECONDS = 5 * 60
"""How often a process looks whether all manual tasks are in the order that is wanted (M40)."""


def sweep(core: Core) -> str | None:
    """Do everything that is due; answers the next moment at which something will be.

    Safe to run twice, at once, late.
    """
    now = core.clock()
    _look_at_orders(core, now)
    shards = range(keys.DUE_SHARDS)
    long: list[Spot] = []
    for shard, spots in zip(shards, _due(core, now), strict=True):
        _sweep_shard(core, shard, spots, now, long)
    until = plus(core.clock(), LONGEST_SECONDS)
    for spot in long:
        if core.clock() < until:
            _sweep_stream(core, spot.stream, spot.date, now)
    upcoming = _due(core, plus(now, LOOKS_AHEAD_SECONDS), limit=1)
    wake = min((spots[0].date for spots in upcoming if spots), default=None)
    if wake is not None:
        core.waker.wake(max(wake, plus(now, 1)))
    return wake


def _due(core: Core, until: str, limit: int = AT_ONCE) -> list[list[Spot]]:
    return core.store.together(
        [
            partial(core.store.read_line, keys.due_line(shard), limit=limit, until=until)
            for shard in range(keys.DUE_SHARDS)
        ]
    )


def _look_at_orders(core: Core, now: str) -> None:
    """A setting of the environment may have changed since the last process looked (M40)."""
    last = core.moments.get("orders")
    if last is not None and plus(last, ORDERS_EVERY_SECONDS) > now:
        return
    try:
        reordering.look_at_all(core)
        core.moments["orders"] = now
    except (StoreError, NewerShape) as error:
        _log.warning("the order of manual tasks was not looked at: %s", error)


def _sweep_shard(core: Core, shard: int, spots: list[Spot], now: str, long: list[Spot]) -> None:
    """Settle what is due on a shard; what may take long is put off to `long`."""
    while spots:
        for spot in spots:
            if keys.kind(spot.stream) in LONG:
                long.append(spot)
            else:
                _sweep_stream(core, spot.stream, spot.date, now)
        if len(spots) < AT_ONCE:
            return
        spots = core.store.read_line(
            keys.due_line(shard), after=spots[-1], limit=AT_ONCE, until=now
        )


def _sweep_stream(core: Core, stream: str, at: str, now: str) -> None:
    """Mark the due row, read the real deadlines, do what is due, re-arm.

    The mark is lost when a placement sets a deadline meanwhile: then the row is left as it is. A
    stream that cannot be settled now keeps its due row and holds up no other.
    """
    looking = core.new_id()
    try:
        if core.store.look_at_due(stream, at, looking):
            core.store.rearm(stream, looking, _do(core, stream, now))
    except (StoreError, NewerShape) as error:
        _log.warning("%s is due since %s and was not settled: %s", stream, at, error)


def _do(core: Core, stream: str, now: str) -> str | None:
    """Settle a stream; answers its next deadline."""
    seen = core.executor.read(stream)
    match keys.kind(stream):
        case "item":
            return _item(core, seen, now)
        case "run":
            return _run(core, seen, now)
        case "execution":
            return timing.sweep(core, stream)
        case "hit":
            return timekeeping.sweep(core, stream, now)
        case "record":
            return moving.sweep(core, stream, now)
        case "load" | "task":
            return _long(core, stream, now)
        case _:
            return None


def _long(core: Core, stream: str, now: str) -> str | None:
    of = loading if keys.kind(stream) == "load" else reordering
    return of.sweep(core, stream, now, LONG_SECONDS)


def _item(core: Core, seen: Seen, now: str) -> str | None:
    item: Item | None = seen.head
    if item is None or not isinstance(item.status, Waiting) or item.status.not_before is None:
        return None
    if item.status.not_before > now:
        return item.status.not_before
    decide = partial(item_commands.ready, generation=item.generation, now=now)
    core.executor.run(core.command(seen.stream, "system", decide))
    return None


def _run(core: Core, seen: Seen, now: str) -> str | None:
    """End a run whose lease has passed; release once more what an ended one held."""
    run: Run | None = seen.head
    if run is None or run.swept:
        return None
    run_id = keys.run_id(seen.stream)
    if run.ended_at is None:
        deadline = plus(runs.leases(core, [run_id])[run_id].until, run_rules.GRACE_SECONDS)
        if now < deadline:
            return deadline
        runs.finish(core, "system", seen.stream, run_rules.LOST, lost=True)
        return plus(now, run_rules.SECOND_SWEEP_SECONDS)
    second = plus(run.ended_at, run_rules.SECOND_SWEEP_SECONDS)
    if now < second:
        return second
    runs.release_all(core, run_id)
    core.executor.run(core.command(seen.stream, "system", run_rules.sweep))
    return None
