"""The feed as it should be read: in order per stream, each event once (Q93)."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from workledger.client.answers import Event, Page

Commit = tuple[Event, ...]
"""The events of one command: the server never cuts them in two."""

REMEMBERED = 100_000
"""Streams whose last commit is remembered, to know what comes again."""

POLL_SECONDS = 1.0
PATIENCE = 60
"""Answers after which a gap is not waited for any longer: what is missing was purged."""


class InOrder:
    """Holds back what comes too early and drops what comes again. Pure.

    From the start of the feed every stream begins with its first commit; from a position within,
    with whichever comes first.
    """

    def __init__(self, *, from_start: bool, remembered: int = REMEMBERED) -> None:
        self._from_start = from_start
        self._remembered = remembered
        self._last: OrderedDict[str, int] = OrderedDict()
        self._held: dict[str, dict[int, Commit]] = {}

    @property
    def holds(self) -> bool:
        """Whether anything is held back."""
        return bool(self._held)

    def offer(self, commit: Commit) -> Iterator[Event]:
        """What may be handed on now that this commit, whole as the server sends it, has come."""
        stream, number = commit[0].stream, commit[0].commit
        last = self._last.get(stream)
        if last is None and not self._from_start:
            last = number - 1
        if number <= (last or 0):
            return
        held = self._held.setdefault(stream, {})
        held[number] = commit
        expected = (last or 0) + 1
        while expected in held:
            yield from self._hand_on(held.pop(expected))
            expected += 1
        if not held:
            del self._held[stream]
        self._forget()

    def flush(self) -> Iterator[Event]:
        """Everything that is held, in order, whatever is missing in between."""
        for stream in list(self._held):
            held = self._held.pop(stream)
            for number in sorted(held):
                yield from self._hand_on(held[number])

    def _hand_on(self, commit: Commit) -> Commit:
        stream = commit[0].stream
        self._last[stream] = commit[0].commit
        self._last.move_to_end(stream)
        return commit

    def _forget(self) -> None:
        while len(self._last) > max(self._remembered, len(self._held)):
            oldest = next(iter(self._last))
            if oldest in self._held:
                self._last.move_to_end(oldest)
                continue
            del self._last[oldest]
            # From now on, a stream that is not remembered may be one that was seen before.
            self._from_start = False


class Tail:
    """An iterator over the feed. `after` is the position to go on from after a restart.

    It moves only past what was handed on: after a restart the last few events may come again,
    none is left out. Without `follow` it ends with the feed.
    """

    def __init__(
        self,
        fetch: Callable[[str | None], Page[Event]],
        sleep: Callable[[float], object],
        *,
        after: str | None = None,
        follow: bool = False,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self.after = after
        self._fetch = fetch
        self._sleep = sleep
        self._follow = follow
        self._poll_seconds = poll_seconds
        self._order = InOrder(from_start=after is None)

    def __iter__(self) -> Iterator[Event]:
        position, waited = self.after, 0
        while True:
            page = self._fetch(position)
            yield from self._ordered(page.items)
            at_end = not page.items and page.next_cursor == position
            waited = waited + 1 if self._order.holds else 0
            position = page.next_cursor or position
            if waited >= PATIENCE or (at_end and not self._follow):
                yield from self._order.flush()
            if not self._order.holds:
                self.after = position
            if at_end:
                if not self._follow:
                    return
                self._sleep(self._poll_seconds)

    def _ordered(self, events: Iterable[Event]) -> Iterator[Event]:
        for _, commit in groupby(events, key=lambda event: (event.stream, event.commit)):
            yield from self._order.offer(tuple(commit))
