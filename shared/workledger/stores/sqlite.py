"""The embedded store: one file, nothing else (Q9).

Safe for several threads and several processes; what was answered survives a loss of power. Every
read is one statement and sees all that was answered before; lines and indexes never lag.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from workledger.errors import StoreError
from workledger.keys import DUE, HEAD
from workledger.ledger.commit import Commit
from workledger.stores import sqlite_statements as sql
from workledger.stores.port import Address, Beat, Due, Found, Index, Key, Outcome, Write
from workledger.stores.sqlite_lines import (
    before_query,
    count_query,
    index_query,
    line_query,
    without_query,
)
from workledger.stores.sqlite_readers import Readers
from workledger.stores.sqlite_schema import BUSY_SECONDS, open_writer
from workledger.stores.sqlite_writer import Writer
from workledger.views.order import Spot
from workledger.views.row import Row

_PAGE = 1000


class SqliteStore:
    """A ledger and its views in one SQLite file, made when it is not there (see `Store`).

    `on_append`: each is called after a write with the lines on which rows were placed, by the
    thread that wrote; it must not raise. Writes of other processes are not heard of this way.
    """

    lag: float = 0.0

    def __init__(self, path: str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.on_append: list[Callable[[frozenset[str]], None]] = []
        self._writer = Writer(open_writer(path, busy_seconds))
        self._readers = Readers(path, busy_seconds, self._writer)

    def close(self) -> None:
        """Let what is being written end, then close the file; a killed process is safe too."""
        self._readers.close()
        self._writer.close()

    # --- the ledger ---
    def append(self, writes: Sequence[Write], *, place: bool = True) -> list[Outcome]:
        """Write commits and their rows; all that arrive together are one transaction."""
        answers = self._writer.run([sql.append_step(write, place) for write in writes])
        if place:
            self._tell(writes, answers)
        return [_outcome(answer) for answer in answers]

    def commits(self, stream: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        """The commits of a stream beyond a number."""
        stored = self._readers.all(
            f"{sql.COMMIT} WHERE stream = ? AND n > ? ORDER BY n LIMIT ?",
            (stream, after, -1 if limit is None else limit),
        )
        return [sql.commit_of(commit) for commit in stored]

    def commits_at(self, addresses: Sequence[Address]) -> dict[Address, Commit]:
        """The commits that stand at these addresses."""
        stored = self._readers.few(f"{sql.COMMIT} WHERE stream = ? AND n = ?", *addresses)
        return {(commit[0], commit[1]): sql.commit_of(commit) for commit in stored}

    # --- rows by key ---
    def load(self, stream: str, things: Sequence[str] = ()) -> dict[str, Row]:
        """The head row and the named ones, as of one moment."""
        if not things:
            stored = self._readers.few(f"{sql.ROW} WHERE stream = ? AND thing = ?", (stream, HEAD))
            return {row[1]: sql.row_of(row) for row in stored}
        named = f"{sql.ROW} WHERE stream = ? AND thing IN ({sql.LISTED})"
        stored = self._readers.few(named, (stream, json.dumps([HEAD, *things])))
        return {row[1]: sql.row_of(row) for row in stored}

    def rows(self, keys: Sequence[Key]) -> dict[Key, Row]:
        """Rows by key."""
        stored = self._readers.few(f"{sql.ROW} WHERE stream = ? AND thing = ?", *keys)
        return {(row[0], row[1]): sql.row_of(row) for row in stored}

    def things(self, stream: str) -> dict[str, Row]:
        """Every row of a stream that is a view, as of one moment."""
        stored = self._readers.all(
            f"{sql.ROW} WHERE stream = ? AND thing <> ? AND state <> 'null'", (stream, DUE)
        )
        return {row[1]: sql.row_of(row) for row in stored}

    def names_of(self, stream: str) -> list[str]:
        """The names of every row of a stream that is a view, tombstones too."""
        stored = self._readers.all(
            "SELECT thing FROM views WHERE stream = ? AND thing <> ?", (stream, DUE)
        )
        return [name for (name,) in stored]

    def heads_and_beats(self, streams: Sequence[str]) -> tuple[dict[str, Row], dict[str, Beat]]:
        """Head and beat rows by stream."""
        heads: dict[str, Row] = {}
        beats: dict[str, Beat] = {}
        stored = self._readers.few(sql.HEADS_AND_BEATS, (json.dumps(streams), HEAD))
        for stream, deadline, details, *row in stored:
            if deadline is not None:
                beats[stream] = Beat(deadline, json.loads(details))
            if row[0] is not None:
                heads[stream] = sql.row_of(row)
        return heads, beats

    def place(self, writes: Sequence[Write]) -> None:
        """Write the rows of commits that stand."""
        answers = self._writer.run([sql.place_step(write) for write in writes])
        self._tell(writes, answers)
        for answer in answers:
            if answer is not None:
                raise answer

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
        """Spots of a line, in order."""
        query = line_query(line, after, limit, backwards, until)
        return [Spot(*at) for at in self._readers.few(*query)]

    def read_line_without(
        self, line: str, without: str, *, after: Spot | None = None, limit: int
    ) -> list[Spot] | None:
        """Spots of a line whose streams do not stand at the same place of another."""
        query = without_query(line, without, after, limit)
        return [Spot(*at) for at in self._readers.few(*query)]

    def read_index(
        self,
        index: Index,
        partition: str,
        *,
        after: Found | None = None,
        limit: int,
        prefix: str = "",
    ) -> list[Found]:
        """Rows of an index's partition, in order."""
        return [
            Found(*found)
            for found in self._readers.all(*index_query(index, partition, after, limit, prefix))
        ]

    def count_line(self, line: str, limit: int) -> int:
        """How many rows stand on a line: exact up to `limit`."""
        return self._readers.all(*count_query(line, limit))[0][0]

    def count_before(self, line: str, spot: Spot, limit: int) -> tuple[int, int]:
        """How many rows stand before a spot: of lower rank, of the same rank."""
        return self._readers.all(*before_query(line, spot, limit))[0]

    # --- rows that are no views ---
    def take_numbers(self, counter: str, count: int, now: str) -> tuple[int, str]:
        """The first of `count` numbers, and the date."""
        return self._writer.one(sql.numbers_step(counter, count, now))

    def restart_numbers(self, counter: str, at_least: int) -> None:
        """Make the next number greater than `at_least`."""
        self._writer.one(sql.restart_step(counter, at_least))

    def beat(self, stream: str, deadline: str, now: str, details: Mapping[str, Any]) -> bool:
        """Move a stream's beat row to a later deadline, unless the present one has passed."""
        return self._writer.one(sql.beat_step(stream, deadline, now, details))

    def look_at_due(self, stream: str, at: str, looking: str) -> bool:
        """Mark a due row that still says `at`."""
        return self._writer.one(sql.look_step(stream, at, looking))

    def rearm(self, stream: str, looking: str, at: str | None) -> bool:
        """Set or remove a due row that still bears the mark."""
        return self._writer.one(sql.rearm_step(stream, looking, at))

    def due(self, stream: str) -> Due | None:
        """A stream's due row."""
        stored = self._readers.all(
            "SELECT date, state FROM views WHERE stream = ? AND thing = ?", (stream, DUE)
        )
        return Due(*stored[0]) if stored else None

    # --- the rest ---
    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """The calls' answers, one after the other: there is no network to wait for."""
        return [call() for call in calls]

    def remove_commits(self, addresses: Sequence[Address]) -> None:
        """Remove commits for good (purge only)."""
        self._writer.one(sql.remove_commits_step(addresses))

    def remove_rows(self, keys: Sequence[Key]) -> None:
        """Remove rows, tombstones and beats for good (purge only)."""
        self._writer.one(sql.remove_rows_step(keys))

    def all_commits(self) -> Iterator[Commit]:
        """Every commit, each stream's together and in order."""
        stream, number = "", 0
        while page := self._page_of_addresses(stream, number):
            yield from self.commits_at(page).values()
            stream, number = page[-1]

    def _page_of_addresses(self, stream: str, number: int) -> list[Address]:
        return self._readers.all(
            "SELECT stream, n FROM ledger WHERE (stream, n) > (?, ?) ORDER BY stream, n LIMIT ?",
            (stream, number, _PAGE),
        )

    def all_rows(self) -> Iterator[Row]:
        """Every row that is a view, by (stream, thing)."""
        page = self._page_of_rows("", "")
        while page:
            yield from (row for row in page if row.state != "null")
            page = self._page_of_rows(page[-1].stream, page[-1].thing)

    def _page_of_rows(self, stream: str, thing: str) -> list[Row]:
        stored = self._readers.all(
            f"{sql.ROW} WHERE thing <> ? AND (stream, thing) > (?, ?)"
            " ORDER BY stream, thing LIMIT ?",
            (DUE, stream, thing, _PAGE),
        )
        return [sql.row_of(row) for row in stored]

    def drop_views(self) -> None:
        """Remove every row that is a view."""
        self._writer.one(sql.drop_step)

    # --- only here: the ledger as a stream, for the pump of one machine ---
    def moved(self, after: int, limit: int) -> tuple[list[tuple[int, Address]], int]:
        """Where commits were added beyond a position, and the position to go on from.

        At most `limit`, in the order in which they were written; each is met once, whatever
        process wrote it.
        """
        stored = self._readers.all(
            "SELECT pos, stream, n FROM ledger WHERE pos > ? ORDER BY pos LIMIT ?", (after, limit)
        )
        found = [(position, (stream, number)) for position, stream, number in stored]
        return found, found[-1][0] if found else after

    def cursor(self, name: str) -> int:
        """The position remembered under a name; 0 at first."""
        stored = self._readers.all("SELECT pos FROM cursors WHERE name = ?", (name,))
        return stored[0][0] if stored else 0

    def set_cursor(self, name: str, position: int) -> None:
        """Remember a position."""
        self._writer.one(sql.cursor_step(name, position))

    def _tell(self, writes: Sequence[Write], answers: Sequence[Any]) -> None:
        if not self.on_append:
            return
        pairs = zip(writes, answers, strict=True)
        rows = [row for write, answer in pairs if answer is None for row in write.rows]
        lines = frozenset(row.place.line for row in rows if row.place)
        if lines:
            for hear in self.on_append:
                hear(lines)


def _outcome(answer: Any) -> Outcome:
    return answer if answer is None or isinstance(answer, StoreError) else sql.commit_of(answer)
