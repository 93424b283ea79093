"""History: every event of a stream, read from the ledger itself (Q91)."""

from workledger.ledger.commit import Commit
from workledger.service import paging
from workledger.service.core import Core, EventShown, Page


def shown(commit: Commit) -> list[EventShown]:
    """The events of a commit with where they stand."""
    return [
        EventShown(commit.stream, commit.number, index, event, commit.at, commit.actor, commit.id)
        for index, event in enumerate(commit.events)
    ]


def page(
    core: Core,
    stream: str,
    cursor: str | None,
    limit: int,
    first: int = 1,
    last: int | None = None,
) -> Page[EventShown]:
    """Events of the commits `first` to `last`, oldest first. A commit is never cut in two."""
    after = paging.decode(cursor, int)[0] if cursor else first - 1
    commits = core.store.commits(stream, max(after, first - 1), limit)
    kept = [commit for commit in commits if last is None or commit.number <= last]
    events = [event for commit in kept for event in shown(commit)]
    more = len(commits) == limit and len(kept) == len(commits)
    return Page(events, paging.encode(commits[-1].number) if more else None)
