"""What the projector does for each stream that moved: finish, feed, release (Q50, Q93)."""

from collections.abc import Sequence
from functools import partial

from workledger import keys
from workledger.errors import StoreError
from workledger.ledger import feed
from workledger.ledger.commit import Commit
from workledger.queues import item as item_rules
from workledger.service import runs
from workledger.service.core import Core

FED_KINDS = ("item", "queue", "run", "token", "domain", "type", "execution")
"""Kinds of streams whose events are told to the world."""


def moved(core: Core, streams: Sequence[str]) -> list[str]:
    """Project these streams, in this order; answers those that failed and are to come again.

    A record only says which stream moved: two commits of one stream may arrive swapped, so the
    ledger itself is read. Everything here may be done twice.
    """
    wanted = [stream for stream in dict.fromkeys(streams) if keys.kind(stream) in FED_KINDS]
    failed: list[str] = []
    heads: dict[str, int] = {}
    for stream in wanted:
        try:
            heads[stream] = core.executor.read(stream).number
        except StoreError:
            failed.append(stream)
    for lane in range(keys.FEED_LANES):
        mine = {at: head for at, head in heads.items() if keys.feed_lane(at) == lane}
        try:
            _feed(core, lane, mine)
        except StoreError:
            failed += mine
    return [stream for stream in streams if stream in failed]


def _feed(core: Core, lane: int, heads: dict[str, int]) -> None:
    """Tell the lane of what moved, then look at the runs of what was taken."""
    if not heads:
        return
    command = core.command(
        keys.feed_stream(lane), "system", partial(feed.feed, heads=heads), tuple(heads)
    )
    result = core.executor.run(command)
    if result.commit is not None:
        _look_at_runs(core, result.commit)


def _look_at_runs(core: Core, fed: Commit) -> None:
    """Release what was taken by a run that had ended: its taker may have died (Q51)."""
    parts: dict[str, list[int]] = fed.events[0].data["streams"]
    addresses = [
        (stream, number)
        for stream, (first, last) in parts.items()
        if keys.kind(stream) == "item"
        for number in range(first, last + 1)
    ]
    takes: dict[str, list[tuple[str, int]]] = {}
    for (stream, number), commit in core.store.commits_at(addresses).items():
        for event in commit.events:
            if event.type == item_rules.TAKEN:
                takes.setdefault(event.data["run"], []).append((stream, number))
    leases = runs.leases(core, list(takes)) if takes else {}
    for run, lease in leases.items():
        if lease.run.ended_at is not None:
            for stream, claim in takes[run]:
                runs.release(core, run, [stream], claim)
