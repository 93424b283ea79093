"""The production store: two tables, conditional puts, no transaction anywhere.

A commit is one put where none stands: the commit point, the lock and the dedupe. Its rows follow,
each only over an older one: first the things and the due row side by side, then the head, which
says that all of it is placed; so the head is never written when one of the others failed. What a
writer leaves undone, others finish.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from workledger.errors import StoreBusy, StoreError
from workledger.keys import BEAT, COUNTER, DUE, HEAD, counts_stream
from workledger.stores.dynamodb_counts import Counts
from workledger.stores.dynamodb_items import (
    Item,
    number,
    plain,
    row_item,
    row_key,
    row_of,
    text,
)
from workledger.stores.dynamodb_ledger import Ledger
from workledger.stores.dynamodb_lines import Lines
from workledger.stores.dynamodb_marks import Marks, beat_of
from workledger.stores.dynamodb_requests import Refusal, names, write
from workledger.stores.dynamodb_tables import BATCH_WRITES
from workledger.stores.port import Beat, Key, Outcome, Write
from workledger.views.row import Row

_log = logging.getLogger(__name__)

_NO_VIEWS = {BEAT, COUNTER, DUE}
_NEWER_ROW = "attribute_not_exists(#n) OR #n < :n"
_OF_STREAM = "#stream = :stream"


class DynamoStore(Ledger, Lines, Marks, Counts):
    """A ledger and its views on DynamoDB."""

    lag = 0.5

    # --- the ledger ---
    def append(self, writes: Sequence[Write], *, place: bool = True) -> list[Outcome]:
        """Write each commit where none stands at its number, then its rows."""
        streams = _by_stream(writes)
        calls = [partial(self._append_to, stream, place) for stream in streams.values()]
        found = dict(pair for pairs in self._together(calls) for pair in pairs)
        return [found[index] for index in range(len(writes))]

    def _append_to(
        self, writes: Sequence[tuple[int, Write]], place: bool
    ) -> list[tuple[int, Outcome]]:
        """The writes of one stream, in order; behind one that may not stand, none is tried."""
        outcomes: list[tuple[int, Outcome]] = []
        outcome: Outcome = None
        for index, each in writes:
            if isinstance(outcome, StoreError):
                outcome = StoreBusy("an earlier commit of the stream was not written")
            else:
                outcome = self._append_one(each, place)
            outcomes.append((index, outcome))
        return outcomes

    def _append_one(self, each: Write, place: bool) -> Outcome:
        try:
            self._put_commit(each.commit)
        except Refusal as refusal:
            return self._commits_of([refusal.old or {}])[0]
        except StoreError as error:
            return error
        if place:
            try:
                self._place_stream([each])
            except StoreError as error:
                commit = each.commit
                _log.warning("%s/%d stands, unplaced: %s", commit.stream, commit.number, error)
        return None

    # --- rows by key ---
    def load(self, stream: str, things: Sequence[str] = ()) -> dict[str, Row]:
        """The head row, then the named ones: strongly consistent, the head never newer."""
        head = self._get(self._views, row_key(stream, HEAD))
        others = self.rows([(stream, thing) for thing in things if thing != HEAD])
        found = {thing: row for (_, thing), row in others.items()}
        return {HEAD: row_of(head)} | found if head else found

    def rows(self, keys: Sequence[Key]) -> dict[Key, Row]:
        """Rows by key, tombstones too, each strongly consistent, together no snapshot."""
        rows = [row_of(item) for item in self._rows(keys)]
        return {(row.stream, row.thing): row for row in rows}

    def things(self, stream: str) -> dict[str, Row]:
        """Every row of a stream that is a view; the head as it was before the others were read."""
        head = self._get(self._views, row_key(stream, HEAD))
        found: dict[str, Row] = {}
        for item in self._query_all(self._views, _OF_STREAM, {":stream": text(stream)}):
            if _is_view(item) and plain(item, "thing") != HEAD:
                row = row_of(item)
                found[row.thing] = row
        live = {thing: row for thing, row in found.items() if row.state != "null"}
        return live | {HEAD: row_of(head)} if head else live

    def names_of(self, stream: str) -> list[str]:
        """The names of every row of a stream that is a view, tombstones too."""
        items = self._query_all(self._views, _OF_STREAM, {":stream": text(stream)})
        return [plain(item, "thing") for item in items if _is_view(item)]

    def remove_rows(self, keys: Sequence[Key]) -> None:
        """Remove rows, tombstones and beats (purge only)."""
        self._delete_all(self._views, [row_key(*key) for key in keys])

    def heads_and_beats(self, streams: Sequence[str]) -> tuple[dict[str, Row], dict[str, Beat]]:
        """Head and beat rows by stream, in one request for each 50 streams."""
        heads: dict[str, Row] = {}
        beats: dict[str, Beat] = {}
        for item in self._rows([(stream, thing) for stream in streams for thing in (HEAD, BEAT)]):
            stream = plain(item, "stream")
            if plain(item, "thing") == HEAD:
                heads[stream] = row_of(item)
            else:
                beats[stream] = beat_of(item)
        return heads, beats

    def _rows(self, keys: Sequence[Key]) -> list[Item]:
        return self._get_many(self._views, [row_key(*key) for key in dict.fromkeys(keys)])

    def place(self, writes: Sequence[Write]) -> None:
        """Write the rows of commits that stand, each only over an older one, the heads last."""
        streams = _by_stream(writes)
        self._together(
            [partial(self._place_stream, [each for _, each in pairs]) for pairs in streams.values()]
        )

    def _place_stream(self, writes: Sequence[Write]) -> None:
        """Each thing's newest row of these commits of a stream; the head when all others stand."""
        rows = _newest(row for each in writes for row in each.rows)
        head = rows.pop(HEAD, None)
        calls: list[Callable[[], None]] = [partial(self._put_row, row) for row in rows.values()]
        moments = [each.due for each in writes if each.due is not None]
        if moments:
            calls.append(partial(self._place_due, writes[0].commit.stream, min(moments)))
        self._together(calls)
        if head is not None:
            self._put_row(head)

    def _put_row(self, row: Row) -> None:
        """Write a row over an older one; where a newer one stands, there is nothing to do."""
        with suppress(Refusal):
            write(
                self._client.put_item,
                TableName=self._views,
                Item=row_item(row),
                ConditionExpression=_NEWER_ROW,
                ExpressionAttributeNames=names(_NEWER_ROW),
                ExpressionAttributeValues={":n": number(row.commit)},
            )

    # --- maintenance ---
    def all_rows(self) -> Iterator[Row]:
        """Every row that is a view: no tombstones, counters, beats, due rows."""
        for items in self._scan(self._views):
            rows = [row_of(item) for item in items if _is_view(item)]
            yield from (row for row in rows if row.state != "null")

    def drop_views(self) -> None:
        """Remove every row that is a view, and tombstones."""
        for items in self._scan(self._views):
            views = [item for item in items if _is_view(item)]
            gone = [row_key(plain(item, "stream"), plain(item, "thing")) for item in views]
            for i in range(0, len(gone), BATCH_WRITES):
                self._delete_batch(self._views, gone[i : i + BATCH_WRITES])


def _is_view(item: Item) -> bool:
    counts = plain(item, "stream").startswith(counts_stream(""))
    return not counts and plain(item, "thing") not in _NO_VIEWS


def _by_stream(writes: Sequence[Write]) -> dict[str, list[tuple[int, Write]]]:
    """Writes with their positions, by stream: one stream's are made one after the other."""
    streams: dict[str, list[tuple[int, Write]]] = {}
    for index, each in enumerate(writes):
        streams.setdefault(each.commit.stream, []).append((index, each))
    return streams


def _newest(rows: Iterable[Row]) -> dict[str, Row]:
    newest: dict[str, Row] = {}
    for row in rows:
        if row.thing not in newest or newest[row.thing].commit < row.commit:
            newest[row.thing] = row
    return newest
