"""Lines and indexes that lag: a change is seen some time later, and until then the old position.

What lags is kept beside the store inside: for each row that moved, the positions it had and when
each can be seen. A reader meets the others where they are, and these where they were.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import NamedTuple

from workledger.errors import StoreBusy
from workledger.keys import BEAT, DUE, due_line, due_shard
from workledger.stores.port import Found, Index, Key, Store, Write
from workledger.times import Clock, plus
from workledger.views.order import Place, Spot, by_date, spot
from workledger.views.row import NO_KEYS, Keys


class _Position(NamedTuple):
    """Where a row stands."""

    place: Place | None = None
    keys: Keys = NO_KEYS


class _Seen(NamedTuple):
    """From when on a position can be seen."""

    since: str
    position: _Position


class LaggingIndex:
    """The lines and indexes of the store inside, as a reader sees them after a while."""

    def __init__(
        self, inner: Store, clock: Clock, delay: Callable[[], float], limit: int | None
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._delay = delay
        self._limit = limit
        self._moved: dict[Key, list[_Seen]] = {}
        self._second = ""
        self._changes: dict[str, int] = {}
        self._lock = RLock()

    # --- changes ---
    def place(self, each: Write) -> None:
        """Place rows. Raises StoreBusy when a line has had enough for this second."""
        stream = each.commit.stream
        keys = [(row.stream, row.thing) for row in each.rows]
        if each.due is not None:
            keys.append((stream, DUE))
        targets = {(row.stream, row.thing): row.place for row in each.rows}
        with self._moving(keys, targets):
            self._inner.place([each])

    def rearm(self, stream: str, looking: str, at: str | None) -> bool:
        """Set or remove a due row."""
        with self._moving([(stream, DUE)], {}):
            return self._inner.rearm(stream, looking, at)

    def remove(self, keys: Sequence[Key]) -> None:
        """Remove rows."""
        with self._moving([key for key in keys if key[1] != BEAT], {}):
            self._inner.remove_rows(keys)

    def forget(self) -> None:
        """Show everything as it is."""
        with self._lock:
            self._moved.clear()

    @contextmanager
    def _moving(self, keys: Sequence[Key], targets: dict[Key, Place | None]) -> Generator[None]:
        with self._lock:
            before = self._positions(keys)
            self._throttle(before, targets)
            yield
            now = self._clock()
            for key, position in self._positions(keys).items():
                if position != before[key]:
                    seen = self._moved.setdefault(key, [_Seen("", before[key])])
                    since = max(plus(now, self._delay()), seen[-1].since)
                    seen.append(_Seen(since, position))

    def _positions(self, keys: Sequence[Key]) -> dict[Key, _Position]:
        rows = self._inner.rows([key for key in keys if key[1] != DUE])
        found = {key: _Position(row.place, row.keys) for key, row in rows.items()}
        for stream, thing in keys:
            due = self._inner.due(stream) if thing == DUE else None
            if due is not None:
                line = due_line(due_shard(stream))
                found[stream, thing] = _Position(by_date(line, due.at, 0, stream))
        return {key: found.get(key, _Position()) for key in keys}

    def _throttle(self, before: dict[Key, _Position], targets: dict[Key, Place | None]) -> None:
        """Leaving a line is a write to it, entering it another."""
        if self._limit is None:
            return
        second = self._clock()[:19]
        if second != self._second:
            self._second, self._changes = second, {}
        changes = dict(self._changes)
        for key, target in targets.items():
            place = before[key].place
            for touched in (place, target) if place != target else ():
                if touched is not None:
                    changes[touched.line] = changes.get(touched.line, 0) + 1
        if any(count > self._limit for count in changes.values()):
            raise StoreBusy("a partition of an index takes no more writes in this second")
        self._changes = changes

    # --- reads ---
    def _late(self) -> dict[Key, _Position]:
        """Rows that are not seen where they are, and where they are seen."""
        now = self._clock()
        for key, seen in list(self._moved.items()):
            visible = [one for one in seen if one.since <= now]
            if len(visible) == len(seen):
                del self._moved[key]
            else:
                self._moved[key] = seen[len(visible) - 1 :]
        return {key: seen[0].position for key, seen in self._moved.items()}

    def read_line(
        self,
        line: str,
        *,
        after: Spot | None,
        limit: int,
        backwards: bool,
        until: str | None,
    ) -> list[Spot]:
        """As the port says."""
        with self._lock:
            late = self._late()
            spots = self._inner.read_line(
                line, after=after, limit=limit + len(late), backwards=backwards, until=until
            )
        shown = [one for one in spots if (one.stream, one.thing) not in late]
        for one in _spots(late, line):
            beyond = after is None or (one < after if backwards else one > after)
            if beyond and (until is None or (one.rank == 0 and one.date <= until)):
                shown.append(one)
        return sorted(shown, reverse=backwards)[:limit]

    def read_index(
        self,
        index: Index,
        partition: str,
        *,
        after: Found | None,
        limit: int,
        prefix: str,
    ) -> list[Found]:
        """As the port says."""
        with self._lock:
            late = self._late()
            found = self._inner.read_index(
                index, partition, after=after, limit=limit + len(late), prefix=prefix
            )
        shown = [one for one in found if (one.stream, one.thing) not in late]
        for key, position in late.items():
            one = _found(index, partition, key, position.keys)
            if one is None or not str(one.value).startswith(prefix):
                continue
            if after is None or _rank(one) > _rank(after):
                shown.append(one)
        return sorted(shown, key=_rank)[:limit]

    def count_line(self, line: str, limit: int) -> int:
        """As the port says."""
        with self._lock:
            late, present = self._late(), self._present()
            count = self._inner.count_line(line, limit + len(late))
        return min(limit, count - len(_spots(present, line)) + len(_spots(late, line)))

    def count_before(self, line: str, spot: Spot, limit: int) -> tuple[int, int]:
        """As the port says."""
        with self._lock:
            late, present = self._late(), self._present()
            lower, earlier = self._inner.count_before(line, spot, limit + len(late))
        for positions, sign in ((present, -1), (late, 1)):
            spots = _spots(positions, line)
            lower += sign * sum(one.rank < spot.rank for one in spots)
            earlier += sign * sum(one.rank == spot.rank and one < spot for one in spots)
        return min(limit, lower), min(limit, earlier)

    def _present(self) -> dict[Key, _Position]:
        """Where the late ones are in truth."""
        return {key: seen[-1].position for key, seen in self._moved.items()}


def _spots(positions: dict[Key, _Position], line: str) -> list[Spot]:
    return [
        spot(position.place, *key)
        for key, position in positions.items()
        if position.place is not None and position.place.line == line
    ]


def _found(index: Index, partition: str, key: Key, keys: Keys) -> Found | None:
    hashed = keys.run if index == "run" else keys.queue
    value = {"number": keys.number, "ref": keys.ref, "run": key[0]}[index]
    return Found(value, *key) if hashed == partition and value is not None else None


def _rank(found: Found) -> tuple[int | str, str, str]:
    return (found.value, found.stream, found.thing)
