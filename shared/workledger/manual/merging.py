"""A task's list without what the worker will not see again: two lines, read in order (M37, M38)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from workledger import keys
from workledger.manual_tasks.task import Task
from workledger.service.core import Core
from workledger.views.order import Spot

PAGES = (40, 400, 2_000)
"""Places read at once, growing: ten thousand that are not to be seen yet are passed quickly."""

SPARE = 4
"""Places read beyond what is wanted: some are in work."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A worker's look at a task: one moment for all of it (M33).

    `version` is the one that is asked for; `hidden` are the loads seen not to be complete.
    """

    worker: str
    stream: str
    task: Task
    version: int | None
    now: str
    hidden: set[str] = field(default_factory=set[str])

    @property
    def id(self) -> str:
        """The 26 characters of the task's id."""
        return keys.bare(self.stream)

    @property
    def line(self) -> str:
        """The task's list."""
        return keys.work_list_line(self.id, self.task.current.version)

    @property
    def excluded(self) -> str:
        """The worker's own: what the worker will not see again."""
        return keys.excluded_line(self.id, self.task.current.version, self.worker)


@dataclass(slots=True)
class _Pages:
    """A line as it is read, page by page, each larger than the one before."""

    core: Core
    line: str
    after: Spot | None
    least: int
    spots: list[Spot] = field(default_factory=list[Spot])
    reads: int = 0
    ended: bool = False

    def read(self) -> None:
        """Read the next page."""
        size = max(self.least, PAGES[min(self.reads, len(PAGES) - 1)])
        self.spots = self.core.store.read_line(self.line, after=self.after, limit=size)
        self.reads += 1
        self.ended = len(self.spots) < size
        self.after = self.spots[-1] if self.spots else self.after


@dataclass(slots=True)
class _Out:
    """The hits on a worker's own line, as far as it was read."""

    pages: _Pages
    streams: set[str] = field(default_factory=set[str])

    def reaches(self, spot: Spot) -> bool:
        """Whether all that stands up to a spot is known."""
        upto = self.pages.after
        return self.pages.ended or (upto is not None and upto[:4] >= spot[:4])

    def read(self) -> None:
        """Read the next page."""
        self.pages.read()
        self.streams.update(one.stream for one in self.pages.spots)


def spots(core: Core, sight: Sight, after: Spot | None, wanted: int) -> Iterator[list[Spot]]:
    """The places of the task's list without the worker's own; what lags stands where it belongs."""
    size = wanted + SPARE
    first = core.store.read_line_without(sight.line, sight.excluded, after=after, limit=size)
    if first is None:
        yield from _merged(core, sight, after, wanted)
    else:
        yield from _without(core, sight, first, size)


def _without(core: Core, sight: Sight, page: list[Spot], size: int) -> Iterator[list[Spot]]:
    """A store that can tell the difference of two lines does: what it says does not lag."""
    reads = 0
    while True:
        yield page
        if len(page) < size:
            return
        reads += 1
        size = max(size, PAGES[min(reads, len(PAGES) - 1)])
        lines = sight.line, sight.excluded
        page = core.store.read_line_without(*lines, after=page[-1], limit=size) or []


def _merged(core: Core, sight: Sight, after: Spot | None, wanted: int) -> Iterator[list[Spot]]:
    """The two lines, page by page."""
    listed = _Pages(core, sight.line, after, wanted + SPARE)
    out = _Out(_Pages(core, sight.excluded, after, wanted))
    unseen = _recent(core, sight, after)
    core.store.together([listed.read, out.read])
    while True:
        while listed.spots and not out.reaches(listed.spots[-1]):
            out.read()
        end = None if listed.ended else listed.spots[-1]
        here = [one for one in unseen if end is None or one <= end]
        unseen = unseen[len(here) :]
        page = sorted({*listed.spots, *here}) if here else listed.spots
        yield [one for one in page if one.stream not in out.streams]
        if listed.ended:
            return
        ahead = [] if out.pages.ended else [out.read]
        core.store.together([listed.read, *ahead])


def _recent(core: Core, sight: Sight, after: Spot | None) -> list[Spot]:
    """What this process placed on the list a moment ago, in order."""
    if not core.store.lag:
        return []
    recent = core.memory.recent(sight.line, core.clock())
    return sorted(one for one in recent if after is None or one > after)
