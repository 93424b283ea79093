"""A store as far away as DynamoDB, in virtual time: each request takes as long as one there.

A read or write takes effect half-way through. Lines show what was placed `INDEX_LAG` ago. With
`partition_limit` the index takes only so many changes a second, and what exceeds it is tried again
as boto3 does: twice, after up to one and up to two seconds; then it is left undone.
"""

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from tests.bench.virtual import Simulation
from workledger.errors import StoreBusy
from workledger.ledger.commit import Commit
from workledger.stores.faults_index import LaggingIndex
from workledger.stores.port import Address, Beat, Key, Outcome, Write
from workledger.stores.sqlite import SqliteStore
from workledger.views.order import Spot
from workledger.views.row import Row

_T = TypeVar("_T")

READ = 0.005
WRITE = 0.012
INDEX_LAG = 0.015


class DistantStore:
    """What taking needs of the port. `changes` are the index entries that came or went."""

    lag = 0.5

    def __init__(
        self, inner: SqliteStore, simulation: Simulation, partition_limit: int | None = None
    ) -> None:
        self._inner = inner
        self._simulation = simulation
        self._index = LaggingIndex(inner, simulation.clock, lambda: INDEX_LAG, None)
        self._limit = partition_limit
        self._second, self._changes = 0, 0
        self._drawn = random.Random(7)
        self.refused = 0
        self.throttled = 0

    # --- writes ---
    def append(self, writes: Sequence[Write], *, place: bool = True) -> list[Outcome]:
        """Commits side by side, then their rows."""
        outcomes = self.together([partial(self._commit, each) for each in writes])
        new = [each for each, outcome in zip(writes, outcomes, strict=True) if outcome is None]
        if place and new:
            self.place(new)
        self.refused += len(writes) - len(new)
        return outcomes

    def _commit(self, each: Write) -> Outcome:
        return self._take(WRITE, lambda: self._inner.append([each], place=False)[0])

    def place(self, writes: Sequence[Write]) -> None:
        """Rows side by side; here each write has one."""
        self.together([partial(self._place, each) for each in writes])

    def _place(self, each: Write) -> None:
        for pause in (1.0, 2.0, None):
            if self._admits():
                self._take(WRITE, lambda: self._index.place(each))
                return
            self.throttled += 1
            self._simulation.sleep(WRITE)
            if pause is not None:
                self._simulation.sleep(self._drawn.uniform(0, pause))
        raise StoreBusy("throttled")

    def _admits(self) -> bool:
        """Whether the index takes two more changes this second: a row leaves a line for another."""
        second = int(self._simulation.now)
        if second != self._second:
            self._second, self._changes = second, 0
        if self._limit is not None and self._changes + 2 > self._limit:
            return False
        self._changes += 2
        return True

    # --- reads ---
    def commits_at(self, addresses: Sequence[Address]) -> dict[Address, Commit]:
        """One request."""
        return self._take(READ, lambda: self._inner.commits_at(addresses))

    def load(self, stream: str, things: Sequence[str] = ()) -> dict[str, Row]:
        """One request."""
        return self._take(READ, lambda: self._inner.load(stream, things))

    def rows(self, keys: Sequence[Key]) -> dict[Key, Row]:
        """One request."""
        return self._take(READ, lambda: self._inner.rows(keys))

    def heads_and_beats(self, streams: Sequence[str]) -> tuple[dict[str, Row], dict[str, Beat]]:
        """One request."""
        return self._take(READ, lambda: self._inner.heads_and_beats(streams))

    def read_line(
        self, line: str, *, after: Spot | None = None, limit: int, until: str | None = None
    ) -> list[Spot]:
        """One request; shows what was some time ago."""
        return self._take(
            READ,
            lambda: self._index.read_line(
                line, after=after, limit=limit, backwards=False, until=until
            ),
        )

    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """Side by side."""
        return [calls[0]()] if len(calls) == 1 else self._simulation.together(calls)

    def _take(self, seconds: float, request: Callable[[], _T]) -> _T:
        self._simulation.sleep(seconds / 2)
        answer = request()
        self._simulation.sleep(seconds / 2)
        return answer
