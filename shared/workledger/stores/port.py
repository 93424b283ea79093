"""The port: everything the ledger and the views need of a store, and nothing else.

Two stores implement it, `sqlite` and `dynamodb`; `faults` wraps either. One conformance suite
(tests/stores) runs on all. Reads by key are strongly consistent; reads by line or index may lag by
`lag` seconds: they give candidates, never a decision.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from workledger.errors import StoreError
from workledger.ledger.commit import Commit
from workledger.views.order import Spot
from workledger.views.row import Row

Key = tuple[str, str]
"""(stream, thing)."""

Address = tuple[str, int]
"""(stream, commit number)."""

Index = Literal["number", "ref", "run"]


@dataclass(frozen=True, slots=True)
class Write:
    """A commit with the rows it makes, the head last, and the stream's next due moment, if any.

    Placing a write with `due` makes the due row, or moves it when it says something later, or
    leaves its moment alone; in any case the row bears no mark afterwards, so that a timekeeper
    who has begun to look fails to re-arm it and looks again. Without `due` the row stays as it is.
    """

    commit: Commit
    rows: tuple[Row, ...] = ()
    due: str | None = None


Outcome = Commit | StoreError | None
"""What became of a write: None it stands; the commit that stood there before; or a failure.

An `AnswerLost` among the failures means that the write may stand: put the same write again.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A row met in an index: the sort value it was met at, and which row it is."""

    value: int | str
    stream: str
    thing: str


@dataclass(frozen=True, slots=True)
class Due:
    """A stream's due row: the moment, and the marker of the timekeeper that is looking at it."""

    at: str
    looking: str | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """A stream's beat row: until when it is alive, and what was last told (progress)."""

    deadline: str
    details: Mapping[str, Any]


class Store(Protocol):
    """A ledger and its views."""

    lag: float
    """Seconds by which lines and indexes may lag; 0 when they never do."""

    # --- the ledger ---
    def append(self, writes: Sequence[Write], *, place: bool = True) -> list[Outcome]:
        """Write each commit where none stands at its number, then its rows.

        Each write stands or falls alone. Once a commit stands, its outcome is None whatever
        became of the rows: others finish them. `place=False` leaves the rows out (faults, tests).
        """
        ...

    def commits(self, stream: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        """The commits of a stream beyond a number, in order, with payloads; strongly consistent."""
        ...

    def commits_at(self, addresses: Sequence[Address]) -> dict[Address, Commit]:
        """The commits that stand at these addresses; strongly consistent."""
        ...

    # --- rows by key ---
    def load(self, stream: str, things: Sequence[str] = ()) -> dict[str, Row]:
        """The head row, then the named ones: strongly consistent, the head never newer."""
        ...

    def rows(self, keys: Sequence[Key]) -> dict[Key, Row]:
        """Rows by key, tombstones too, each strongly consistent, together no snapshot."""
        ...

    def things(self, stream: str) -> dict[str, Row]:
        """Every row of a stream that is a view, tombstones left out; the head read first.

        Strongly consistent: for whoever must see all that is open in it.
        """
        ...

    def names_of(self, stream: str) -> list[str]:
        """The names of a stream's rows that are views, tombstones too; strongly consistent."""
        ...

    def heads_and_beats(self, streams: Sequence[str]) -> tuple[dict[str, Row], dict[str, Beat]]:
        """Head and beat rows by stream, each strongly consistent, together no snapshot.

        On DynamoDB one request for each 50 streams: a run's lease is its beat row, if there is one.
        """
        ...

    def place(self, writes: Sequence[Write]) -> None:
        """Write the rows of commits that stand, each only over an older one, the head last.

        Raises StoreError when a row could not be written. Twice, late, swapped is harmless.
        """
        ...

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
        """At most `limit` spots of a line, in order, beyond `after`; fewer only at the end.

        `until` keeps to rank 0 and dates up to and including it.
        """
        ...

    def read_line_without(
        self, line: str, without: str, *, after: Spot | None = None, limit: int
    ) -> list[Spot] | None:
        """The same without the streams that stand at the same place of another line.

        None: this store has no such read, so both lines are to be read.
        """
        ...

    def read_index(
        self,
        index: Index,
        partition: str,
        *,
        after: Found | None = None,
        limit: int,
        prefix: str = "",
    ) -> list[Found]:
        """At most `limit` rows of an index's partition, in order; fewer only at the end.

        Sorted by number, reference, or (index `run`) stream; `prefix` is for the texts.
        """
        ...

    def count_line(self, line: str, limit: int) -> int:
        """How many rows stand on a line; stops at `limit`."""
        ...

    def count_before(self, line: str, spot: Spot, limit: int) -> tuple[int, int]:
        """(of lower rank, of the same rank but earlier) than `spot`; each stops at `limit`."""
        ...

    # --- rows that are no views ---
    def take_numbers(self, counter: str, count: int, now: str) -> tuple[int, str]:
        """The first of `count` numbers (from 1), never given twice; a date that never runs back."""
        ...

    def restart_numbers(self, counter: str, at_least: int) -> None:
        """Make the next number greater than `at_least` (rebuild)."""
        ...

    def beat(self, stream: str, deadline: str, now: str, details: Mapping[str, Any]) -> bool:
        """Move a stream's beat row to a later deadline; False when the present one has passed.

        It has passed when it is earlier than `now`. Where no beat row stands one is made: the
        caller has checked the first deadline. A deadline earlier than the present one changes
        nothing and is True; an equal one replaces the details.
        """
        ...

    def look_at_due(self, stream: str, at: str, looking: str) -> bool:
        """Mark a due row that still says `at`, whoever marked it before; False when it does not."""
        ...

    def rearm(self, stream: str, looking: str, at: str | None) -> bool:
        """Set or (None) remove a due row that still bears the mark; False when it does not.

        What is set bears no mark. A due row stands on its due line at (0, moment, 0, stream).
        """
        ...

    def due(self, stream: str) -> Due | None:
        """A stream's due row."""
        ...

    # --- the rest ---
    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """The calls' answers, made side by side where that saves time."""
        ...

    def remove_commits(self, addresses: Sequence[Address]) -> None:
        """Remove commits for good; those that are gone already do not matter (purge only).

        The last commit of a stream always stays: whoever follows the ledger goes on behind it.
        """
        ...

    def remove_rows(self, keys: Sequence[Key]) -> None:
        """Remove rows, tombstones and (thing `beat`) beats for good (purge only)."""
        ...

    def all_commits(self) -> Iterator[Commit]:
        """Every commit, each stream's together and in order (maintenance only)."""
        ...

    def all_rows(self) -> Iterator[Row]:
        """Every row that is a view (maintenance only): no tombstones, counters, beats, due rows."""
        ...

    def drop_views(self) -> None:
        """Remove every row that is a view, and tombstones (maintenance only)."""
        ...


@runtime_checkable
class Counters(Protocol):
    """Counts by status, kept by who follows the views' stream: for stores whose lines lag.

    Where a line can be counted exactly however long it is, nothing of this is needed.
    """

    def counted(self, queue: str, shard: str) -> tuple[str, str]:
        """The last sequence number of a shard that was counted for a queue, and the moment of the
        queue's last recount; "" for none."""
        ...

    def add_counts(
        self,
        queue: str,
        shard: str,
        after: tuple[str, str],
        upto: str,
        deltas: Mapping[str, int],
    ) -> bool:
        """Add to a queue's counts if `counted` still says `after`; then it is up to `upto`.

        False when it does not: somebody else counted these records, or recounted the queue.
        """
        ...

    def set_counts(self, queue: str, counts: Mapping[str, int], at: str) -> None:
        """Replace a queue's counts: what moved up to the moment `at` is in them."""
        ...

    def counts(self, queues: Sequence[str]) -> dict[str, dict[str, int]]:
        """Counts by status, of those queues that were ever counted; one request for 100 queues."""
        ...
