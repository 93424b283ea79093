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
from typing import Any

from workledger.errors import StoreBusy, StoreError
from workledger.keys import BEAT, COUNTER, DUE, HEAD, counts_stream
from workledger.ledger.commit import Commit
from workledger.stores.dynamodb_counts import Counts
from workledger.stores.dynamodb_items import (
    Item,
    commit_item,
    commit_key,
    commit_of,
    number,
    plain,
    row_item,
    row_key,
    row_of,
    text,
)
from workledger.stores.dynamodb_lines import Lines
from workledger.stores.dynamodb_marks import Marks, beat_of
from workledger.stores.dynamodb_requests import Refusal, names, read, write
from workledger.stores.dynamodb_tables import BATCH_WRITES
from workledger.stores.port import Address, Beat, Key, Outcome, Write
from workledger.views.row import Row

_log = logging.getLogger(__name__)

_NO_VIEWS = {BEAT, COUNTER, DUE}
_NEW_COMMIT = "attribute_not_exists(#stream)"
_NEWER_ROW = "attribute_not_exists(#n) OR #n < :n"
_OF_STREAM = "#stream = :stream"
_BEYOND = "#stream = :stream AND #n > :n"


class DynamoStore(Lines, Marks, Counts):
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
            return commit_of(refusal.old or {})
        except StoreError as error:
            return error
        if place:
            try:
                self._place_stream([each])
            except StoreError as error:
                commit = each.commit
                _log.warning("%s/%d stands, unplaced: %s", commit.stream, commit.number, error)
        return None

    def _put_commit(self, commit: Commit) -> None:
        """The only write to the ledger."""
        write(
            self._client.put_item,
            TableName=self._ledger,
            Item=commit_item(commit),
            ConditionExpression=_NEW_COMMIT,
            ExpressionAttributeNames=names(_NEW_COMMIT),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    def commits(self, stream: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        """The commits of a stream beyond a number, in order, with payloads; strongly consistent."""
        values = {":stream": text(stream), ":n": number(after)}
        return [commit_of(item) for item in self._query_all(self._ledger, _BEYOND, values, limit)]

    def _query_all(
        self, table: str, condition: str, values: Item, limit: int | None = None
    ) -> list[Item]:
        """The items of a stream that meet a condition, strongly consistent, page after page."""
        params: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names(condition),
            "ExpressionAttributeValues": values,
            "ConsistentRead": True,
        }
        found: list[Item] = []
        while limit is None or len(found) < limit:
            left = {} if limit is None else {"Limit": limit - len(found)}
            page = read(self._client.query, **params, **left)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            params["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        return found

    def commits_at(self, addresses: Sequence[Address]) -> dict[Address, Commit]:
        """The commits that stand at these addresses; strongly consistent."""
        keys = [commit_key(*address) for address in dict.fromkeys(addresses)]
        commits = [commit_of(item) for item in self._get_many(self._ledger, keys)]
        return {(commit.stream, commit.number): commit for commit in commits}

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
    def all_commits(self) -> Iterator[Commit]:
        """Every commit, each stream's in order.

        A scan meets a stream's commits in order, but for a stream that the service has split over
        partitions: what does not begin with the first commit is kept for the end.
        """
        beyond: dict[str, int] = {}
        last = ("", 0)
        for items in self._scan(self._ledger):
            for item in items:
                stream, commit = plain(item, "stream"), plain(item, "n")
                if commit == 1 or last == (stream, commit - 1):
                    last = (stream, commit)
                    yield commit_of(item)
                else:
                    beyond[stream] = min(commit, beyond.get(stream, commit))
        for stream, commit in beyond.items():
            yield from self.commits(stream, commit - 1)

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
