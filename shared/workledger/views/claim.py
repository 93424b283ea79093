"""Which candidate to try: the memory that a process keeps of its claims on each line.

Alone, a worker always tries the first. After a lost race it tries a random one of the first 2^k,
k one up on a loss, one down on a win, zero after a second without a loss: rivals spread as far as
they must and no further. Candidates are counted whatever their priority.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from workledger.times import seconds_between
from workledger.views.order import Spot

T = TypeVar("T")
_Mark = tuple[str, str, str, int]

PAGE = 40
"""Spots read from a line at once; twice as many as rivals spread over, when that is more."""

WINDOW = 4
"""Rows read consistently at once: an index that lags shows some that are gone."""

MOST_K = 7
"""A spread of 128: beyond it, spreading costs more order than it saves conflicts."""

CALM_SECONDS = 1.0
PLACED_SECONDS = 2.0
"""How long a process remembers what it placed: longer than an index lags."""

GONE_SECONDS = 0.5
"""How long it passes over what it saw taken: half the second within which nothing may be missed."""

HEAL_SECONDS = 1.0
"""Losers of a claim finish only commits older than this: a younger one's writer is at it."""


@dataclass(slots=True)
class _Line:
    k: int = 0
    lost_at: str = ""
    placed: dict[Spot, str] = field(default_factory=dict[Spot, str])


@dataclass(slots=True)
class Memory:
    """What one process remembers of the lines it claims from. Safe under threads."""

    _lines: dict[str, _Line] = field(default_factory=dict[str, _Line])
    _claimed: set[_Mark] = field(default_factory=set[_Mark])
    _gone: dict[_Mark, str] = field(default_factory=dict[_Mark, str])
    _lock: Lock = field(default_factory=Lock)

    def k(self, line: str, now: str) -> int:
        """The exponent of the window on a line."""
        with self._lock:
            known = self._lines.get(line)
            if known is None:
                return 0
            if known.k and abs(seconds_between(known.lost_at, now)) > CALM_SECONDS:
                known.k = 0
            return known.k

    def won(self, line: str) -> None:
        """A race was won: spread less."""
        with self._lock:
            known = self._lines.get(line)
            if known is not None and known.k:
                known.k -= 1

    def lost(self, line: str, now: str) -> None:
        """A race was lost: spread more."""
        with self._lock:
            known = self._lines.setdefault(line, _Line())
            known.k = min(known.k + 1, MOST_K)
            known.lost_at = now

    def placed(self, line: str, spot: Spot, now: str) -> None:
        """This process placed a row on a line: count it although the index may not show it yet."""
        with self._lock:
            known = self._lines.setdefault(line, _Line())
            known.placed[spot] = now
            self._gone.pop(_mark(spot), None)
            if len(known.placed) > PAGE:
                self._forget(known.placed, now, PLACED_SECONDS)

    def recent(self, line: str, now: str) -> list[Spot]:
        """What this process placed on a line a moment ago."""
        with self._lock:
            known = self._lines.get(line)
            if known is None or not known.placed:
                return []
            self._forget(known.placed, now, PLACED_SECONDS)
            return list(known.placed)

    def reserve(self, candidates: Iterable[Spot]) -> list[Spot]:
        """Mark candidates as being claimed by this process; answers those nobody marked before."""
        with self._lock:
            mine = [spot for spot in candidates if _mark(spot) not in self._claimed]
            self._claimed.update(_mark(spot) for spot in mine)
            return mine

    def claiming(self) -> int:
        """How many candidates this process is claiming."""
        return len(self._claimed)

    def release(self, candidates: Iterable[Spot]) -> None:
        """The candidates are being claimed no more, whatever became of them."""
        with self._lock:
            self._claimed.difference_update(_mark(spot) for spot in candidates)

    def gone(self, spots: Iterable[Spot], now: str) -> None:
        """These were just taken: pass over them although the line may still show them."""
        with self._lock:
            self._gone.update((_mark(spot), now) for spot in spots)

    def free(self, spots: Sequence[Spot], now: str) -> list[Spot]:
        """The spots that this process is not claiming and did not just see taken."""
        with self._lock:
            self._forget(self._gone, now, GONE_SECONDS)
            return [
                spot
                for spot in spots
                if _mark(spot) not in self._claimed and _mark(spot) not in self._gone
            ]

    @staticmethod
    def _forget(remembered: dict[T, str], now: str, seconds: float) -> None:
        while remembered:
            oldest = next(iter(remembered))
            if abs(seconds_between(remembered[oldest], now)) <= seconds:
                return
            del remembered[oldest]


def _mark(spot: Spot) -> _Mark:
    """One stay at one place: what comes back, or follows under the same name, is another."""
    return spot.stream, spot.thing, spot.tie, spot.seq


def should_heal(committed_at: str, now: str) -> bool:
    """Whether a loser finishes the commit it met: only if it is not just being placed.

    A clock that is far off, in either direction, must not keep a dead writer's commit for ever.
    """
    return abs(seconds_between(committed_at, now)) > HEAL_SECONDS
