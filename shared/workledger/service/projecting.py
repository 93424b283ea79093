"""What the projector does for each stream that moved: finish, feed, release, count (Q50, Q93)."""

from collections.abc import Mapping, Sequence
from functools import partial

from workledger import keys
from workledger.errors import StoreError
from workledger.ledger import feed
from workledger.manual import counting, timekeeping
from workledger.manual_tasks.hit import Hit
from workledger.queues.item import Held, Item
from workledger.service import runs
from workledger.service.core import Core
from workledger.workflows.execution import Run

FED_KINDS = (
    "item",
    "queue",
    "run",
    "token",
    "hit",
    "load",
    "task",
    "process",
    "record",
    "step",
    "domain",
    "type",
    "execution",
)
"""Kinds of streams whose events are told to the world."""


PARTS = ("chunk", "part")
"""Kinds of streams that hold what is too long for another one's commits."""


def moved(core: Core, streams: Sequence[str]) -> list[str]:
    """Project these streams, in this order; answers those that failed and are to come again.

    A record only says which stream moved: two commits of one stream may arrive swapped, so the
    ledger itself is read. Everything here may be done twice.
    """
    wanted = [stream for stream in dict.fromkeys(streams) if keys.kind(stream) in FED_KINDS]
    failed: list[str] = []
    heads: dict[str, int] = {}
    held: dict[str, list[tuple[str, int]]] = {}
    hits: list[tuple[str, Hit]] = []
    for stream in wanted:
        try:
            seen = core.executor.read(stream)
        except StoreError:
            failed.append(stream)
            continue
        heads[stream] = seen.number
        if isinstance(seen.head, Item) and isinstance(seen.head.status, Held):
            held.setdefault(seen.head.status.run, []).append((stream, seen.head.status.claim))
        if isinstance(seen.head, Hit):
            hits.append((stream, seen.head))
    for lane in range(keys.FEED_LANES):
        mine = {at: head for at, head in heads.items() if keys.feed_lane(at) == lane}
        try:
            _feed(core, lane, mine)
        except StoreError:
            failed += mine
    failed += _release(core, held)
    failed += timekeeping.place(core, hits)
    failed += counting.count(core, hits)
    return [stream for stream in streams if stream in failed]


def is_purge(core: Core, removed: Sequence[tuple[str, int]]) -> bool:
    """Whether these commits were for a purge to remove: those before what it marked (W31)."""
    marked: dict[str, int] = {}
    for stream in {stream for stream, _ in removed if keys.kind(stream) == "execution"}:
        run: Run | None = core.executor.read(stream).head
        marked[stream] = run.purged[1] if run else 0
    return all(
        keys.kind(stream) in PARTS or number < marked.get(stream, 0) for stream, number in removed
    )


def _feed(core: Core, lane: int, heads: dict[str, int]) -> None:
    """Tell the lane of what moved."""
    if heads:
        decide = partial(feed.feed, heads=heads)
        core.executor.run(core.command(keys.feed_stream(lane), "system", decide, tuple(heads)))


def _release(core: Core, held: Mapping[str, Sequence[tuple[str, int]]]) -> list[str]:
    """Release what a run holds that had ended: its taker may have died (Q51); what failed.

    Whoever is looked at again is looked at in full, so that no crash or throttling skips it.
    """
    failed: list[str] = []
    for run, claims in held.items():
        try:
            lease = runs.leases(core, [run]).get(run)
            if lease is not None and lease.run.ended_at is not None:
                for stream, claim in claims:
                    runs.release(core, run, [stream], claim)
        except StoreError:
            failed += [stream for stream, _ in claims]
    return failed
