"""History: every event of a stream, read from the ledger itself (Q91)."""

from collections.abc import Callable

from workledger.ledger.commit import Commit, Event
from workledger.service import paging
from workledger.service.core import Core, EventShown, Page


def shown(commit: Commit) -> list[EventShown]:
    """The events of a commit with where they stand."""
    return [
        EventShown(commit.stream, commit.number, index, event, commit.at, commit.actor, commit.id)
        for index, event in enumerate(commit.events)
    ]


def _every(_commit: Commit, _event: Event) -> bool:
    return True


def page(
    core: Core,
    stream: str,
    cursor: str | None,
    limit: int,
    first: int = 1,
    is_about: Callable[[Commit, Event], bool] = _every,
) -> Page[EventShown]:
    """Events from a commit on, oldest first, of those that are meant. A commit is never cut in two.

    A page without events is the last one.
    """
    after = max(paging.decode(cursor, int)[0] if cursor else 0, first - 1)
    while True:
        commits = core.store.commits(stream, after, limit)
        met = [(commit, one) for commit in commits for one in shown(commit)]
        events = [one for commit, one in met if is_about(commit, one.event)]
        if len(commits) < limit:
            return Page(events, None)
        after = commits[-1].number
        if events:
            return Page(events, paging.encode(after))
