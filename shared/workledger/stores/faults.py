"""A store that fails on purpose: any store, made slower and less lucky, each time the same.

It takes DynamoDB's steps on whatever store is inside: a commit, then its things and due row, then
the head; the head first, then the things. Between the steps it can be throttled, lose an answer,
die (`Crash`), or run something else (`before_each_step`). Its lines and indexes lag, and one
partition of an index takes only so many writes a second. Nothing is drawn but from a seed.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from workledger.errors import AnswerLost, StoreBusy, StoreError
from workledger.ledger.commit import Commit
from workledger.stores.faults_index import LaggingIndex
from workledger.stores.faults_plan import Crash, Fault, Plan, Step, no_faults
from workledger.stores.port import (
    Address,
    Beat,
    Due,
    Found,
    Index,
    Key,
    Outcome,
    Store,
    Write,
)
from workledger.times import Clock, system_clock
from workledger.views.order import Spot
from workledger.views.row import Row

_T = TypeVar("_T")

Hook = Callable[[str, tuple[Any, ...]], None]
"""Told of each step before it is taken: its name (a method, or `append.rows`, `append.head`,
`load.things` and the like) and what it is about."""

_UNPLACED = {Fault.UNPLACED, Fault.REPEATED, Fault.LOST, Fault.CRASH_COMMITTED}
_HEADLESS = {Fault.HEADLESS, Fault.CRASH_HEADLESS}


def _nothing(_step: str, _args: tuple[Any, ...]) -> None:
    """The hook of those who need none."""


class FaultyStore:
    """Wraps a store.

    `lag` is the longest time, in seconds of `clock`, until a line or index shows a change;
    `partition_limit` how many changes of a line's entries a second of `clock` may bring.
    """

    def __init__(
        self,
        inner: Store,
        *,
        plan: Plan = no_faults,
        clock: Clock = system_clock,
        lag: float = 0.0,
        seed: int = 0,
        partition_limit: int | None = None,
        before_each_step: Hook = _nothing,
    ) -> None:
        self.inner = inner
        self.lag = max(lag, inner.lag)
        self.before_each_step = before_each_step
        self.faults: list[tuple[Step, Fault]] = []
        """What was injected so far."""
        self._plan = plan
        self._calls: dict[str, int] = {}
        drawn = random.Random(seed)  # noqa: S311
        self._index = LaggingIndex(inner, clock, lambda: drawn.uniform(0, lag), partition_limit)

    # --- the ledger ---
    def append(self, writes: Sequence[Write], *, place: bool = True) -> list[Outcome]:
        """As the port says, write by write."""
        return [self._append(each, place) for each in writes]

    def _append(self, each: Write, place: bool) -> Outcome:
        fault = self._next("append", each)
        if fault is Fault.CRASH_BEFORE:
            raise Crash("before the commit")
        if fault is Fault.BUSY:
            return StoreBusy("injected")
        if fault is Fault.UNSENT:
            return AnswerLost("injected: not carried out")
        outcome = self.inner.append([each], place=False)[0]
        if fault is Fault.REPEATED:
            outcome = self.inner.append([each], place=False)[0]
        if place and outcome is None and fault not in _UNPLACED:
            self._try_to_place("append", _without_head(each) if fault in _HEADLESS else each)
        if fault in {Fault.CRASH_COMMITTED, Fault.CRASH_HEADLESS, Fault.CRASH_AFTER}:
            raise Crash("after the commit")
        return AnswerLost("injected: carried out") if fault is Fault.LOST else outcome

    def _try_to_place(self, step: str, each: Write) -> None:
        try:
            self._place(step, each)
        except StoreError:
            return

    def _place(self, step: str, each: Write) -> None:
        others = _without_head(each)
        if others.rows or others.due is not None:
            self.before_each_step(f"{step}.rows", (others,))
            self._index.place(others)
        head = replace(each, rows=tuple(row for row in each.rows if row.is_head), due=None)
        if head.rows:
            self.before_each_step(f"{step}.head", (head,))
            self._index.place(head)

    def commits(self, stream: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        """As the port says."""
        return self._read(
            "commits", lambda: self.inner.commits(stream, after, limit), stream, after, limit
        )

    def commits_at(self, addresses: Sequence[Address]) -> dict[Address, Commit]:
        """As the port says."""
        return self._read("commits_at", lambda: self.inner.commits_at(addresses), addresses)

    # --- rows by key ---
    def load(self, stream: str, things: Sequence[str] = ()) -> dict[str, Row]:
        """As the port says: the head, and in a further step the things."""
        found = self._read("load", lambda: self.inner.load(stream), stream, things)
        if things:
            self.before_each_step("load.things", (stream, things))
            others = self.inner.rows([(stream, thing) for thing in things if thing not in found])
            found |= {row.thing: row for row in others.values() if not row.is_head}
        return found

    def rows(self, keys: Sequence[Key]) -> dict[Key, Row]:
        """As the port says."""
        return self._read("rows", lambda: self.inner.rows(keys), keys)

    def things(self, stream: str) -> dict[str, Row]:
        """As the port says: the head, and in a further step the others."""
        head = self._read("things", lambda: self.inner.load(stream), stream)
        self.before_each_step("things.others", (stream,))
        others = self.inner.things(stream).items()
        return {thing: row for thing, row in others if not row.is_head} | head

    def names_of(self, stream: str) -> list[str]:
        """As the port says."""
        return self._read("names_of", lambda: self.inner.names_of(stream), stream)

    def heads_and_beats(self, streams: Sequence[str]) -> tuple[dict[str, Row], dict[str, Beat]]:
        """As the port says."""
        return self._read("heads_and_beats", lambda: self.inner.heads_and_beats(streams), streams)

    def place(self, writes: Sequence[Write]) -> None:
        """As the port says, write by write."""
        for each in writes:
            self._write("place", lambda each=each: self._place("place", each), each)

    # --- lines and indexes ---
    def read_line(
        self,
        line: str,
        *,
        after: Spot | None = None,
        limit: int,
        backwards: bool = False,
        until: str | None = None,
    ) -> list[Spot]:
        """As the port says, some time ago."""
        return self._read(
            "read_line",
            lambda: self._index.read_line(
                line, after=after, limit=limit, backwards=backwards, until=until
            ),
            line,
        )

    def read_line_without(
        self, line: str, without: str, *, after: Spot | None = None, limit: int
    ) -> list[Spot] | None:
        """As the port says; where lines lag, each does so for itself."""
        if self.lag:
            return None
        return self._read(
            "read_line_without",
            lambda: self.inner.read_line_without(line, without, after=after, limit=limit),
            line,
        )

    def read_index(
        self,
        index: Index,
        partition: str,
        *,
        after: Found | None = None,
        limit: int,
        prefix: str = "",
    ) -> list[Found]:
        """As the port says, some time ago."""
        return self._read(
            "read_index",
            lambda: self._index.read_index(
                index, partition, after=after, limit=limit, prefix=prefix
            ),
            index,
            partition,
        )

    def count_line(self, line: str, limit: int) -> int:
        """As the port says, some time ago."""
        return self._read("count_line", lambda: self._index.count_line(line, limit), line)

    def count_before(self, line: str, spot: Spot, limit: int) -> tuple[int, int]:
        """As the port says, some time ago."""
        return self._read(
            "count_before", lambda: self._index.count_before(line, spot, limit), line, spot
        )

    # --- rows that are no views ---
    def take_numbers(self, counter: str, count: int, now: str) -> tuple[int, str]:
        """As the port says."""
        return self._write(
            "take_numbers", lambda: self.inner.take_numbers(counter, count, now), counter, count
        )

    def restart_numbers(self, counter: str, at_least: int) -> None:
        """As the port says."""
        self._write(
            "restart_numbers",
            lambda: self.inner.restart_numbers(counter, at_least),
            counter,
            at_least,
        )

    def beat(self, stream: str, deadline: str, now: str, details: Mapping[str, Any]) -> bool:
        """As the port says."""
        return self._write(
            "beat", lambda: self.inner.beat(stream, deadline, now, details), stream, deadline
        )

    def look_at_due(self, stream: str, at: str, looking: str) -> bool:
        """As the port says."""
        return self._write(
            "look_at_due", lambda: self.inner.look_at_due(stream, at, looking), stream, at
        )

    def rearm(self, stream: str, looking: str, at: str | None) -> bool:
        """As the port says."""
        return self._write(
            "rearm", lambda: self._index.rearm(stream, looking, at), stream, looking, at
        )

    def due(self, stream: str) -> Due | None:
        """As the port says."""
        return self._read("due", lambda: self.inner.due(stream), stream)

    # --- the rest ---
    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """One after the other, so that each run is the same."""
        return [call() for call in calls]

    def remove_commits(self, addresses: Sequence[Address]) -> None:
        """As the port says."""
        self._write("remove_commits", lambda: self.inner.remove_commits(addresses), addresses)

    def remove_rows(self, keys: Sequence[Key]) -> None:
        """As the port says."""
        self._write("remove_rows", lambda: self._index.remove(keys), keys)

    def all_commits(self) -> Iterator[Commit]:
        """As the port says; never fails."""
        return self.inner.all_commits()

    def all_rows(self) -> Iterator[Row]:
        """As the port says; never fails."""
        return self.inner.all_rows()

    def drop_views(self) -> None:
        """As the port says; never fails, and is seen at once."""
        self.inner.drop_views()
        self._index.forget()

    # --- injecting ---
    def _next(self, step: str, *args: Any) -> Fault | None:
        """Tell of a step; what shall go wrong with it."""
        self.before_each_step(step, args)
        self._calls[step] = self._calls.get(step, 0) + 1
        taken = Step(step, self._calls[step])
        fault = self._plan(taken)
        if fault is not None:
            self.faults.append((taken, fault))
        return fault

    def _read(self, step: str, call: Callable[[], _T], *args: Any) -> _T:
        fault = self._next(step, *args)
        if fault is Fault.CRASH_BEFORE:
            raise Crash(f"before {step}")
        if fault is not None:
            raise StoreBusy("injected")
        return call()

    def _write(self, step: str, call: Callable[[], _T], *args: Any) -> _T:
        fault = self._next(step, *args)
        if fault is Fault.CRASH_BEFORE:
            raise Crash(f"before {step}")
        if fault is Fault.BUSY:
            raise StoreBusy("injected")
        if fault is Fault.UNSENT:
            raise AnswerLost("injected: not carried out")
        answer = call()
        if fault is Fault.REPEATED:
            answer = call()
        if fault is Fault.LOST:
            raise AnswerLost("injected: carried out")
        if fault is Fault.CRASH_AFTER:
            raise Crash(f"after {step}")
        return answer


def _without_head(each: Write) -> Write:
    return replace(each, rows=tuple(row for row in each.rows if not row.is_head))
