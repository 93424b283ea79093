"""The feed: every event from a position on, at least once (Q93)."""

from functools import partial

from workledger import keys
from workledger.ledger.commit import Commit
from workledger.service import histories, paging
from workledger.service.core import Core, EventShown, Page

COMMITS_AT_ONCE = 100


def page(core: Core, after: str | None, limit: int) -> Page[EventShown]:
    """Events beyond a position, in order per stream, and the position after them.

    A position names, per lane, the lane's commit and how many of its entries were read. A commit
    may come again after a crash of the projector: its stream and number tell.
    """
    shape = (int,) * (2 * keys.FEED_LANES)
    at = paging.decode(after, *shape) if after else [0] * (2 * keys.FEED_LANES)
    reads = [
        partial(core.store.commits, keys.feed_stream(lane), at[2 * lane], limit)
        for lane in range(keys.FEED_LANES)
    ]
    lanes: list[list[Commit]] = core.store.together(reads)
    events: list[EventShown] = []
    for lane, commits in enumerate(lanes):
        share = (limit - len(events)) // (keys.FEED_LANES - lane)
        shown, at[2 * lane], at[2 * lane + 1] = _read(
            core, commits, at[2 * lane], at[2 * lane + 1], max(share, 1)
        )
        events += shown
    return Page(events, paging.encode(*at))


def _read(
    core: Core, commits: list[Commit], number: int, read: int, limit: int
) -> tuple[list[EventShown], int, int]:
    """About `limit` events of a lane; a commit is never cut in two."""
    events: list[EventShown] = []
    for commit in commits:
        addresses = _addresses(commit)[read:]
        for start in range(0, len(addresses), COMMITS_AT_ONCE):
            chunk = addresses[start : start + COMMITS_AT_ONCE]
            found = core.store.commits_at(chunk)
            for address in chunk:
                if len(events) >= limit:
                    return events, number, read
                events += histories.shown(found[address]) if address in found else []
                read += 1
        number, read = commit.number, 0
        if len(events) >= limit:
            break
    return events, number, read


def _addresses(commit: Commit) -> list[tuple[str, int]]:
    """The commits that a lane's commit feeds, in order per stream."""
    streams: dict[str, list[int]] = commit.events[0].data["streams"]
    return [
        (stream, number)
        for stream, (first, last) in streams.items()
        for number in range(first, last + 1)
    ]
