"""The ledger's table: commits, put where none stands; removed by a purge alone."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from workledger.keys import is_part_stream
from workledger.ledger.commit import Commit
from workledger.stores.dynamodb_items import (
    Item,
    commit_item,
    commit_key,
    commit_of,
    number,
    plain,
    text,
)
from workledger.stores.dynamodb_packing import pack, rest, unpack
from workledger.stores.dynamodb_requests import Refusal, names, read, write
from workledger.stores.dynamodb_tables import Tables
from workledger.stores.port import Address

_NEW_COMMIT = "attribute_not_exists(#stream)"
_BEYOND = "#stream = :stream AND #n > :n"


class Ledger(Tables):
    """The part of the store that keeps commits."""

    def commits(self, stream: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        """The commits of a stream beyond a number, in order, with payloads; strongly consistent."""
        values = {":stream": text(stream), ":n": number(after)}
        return self._commits_of(self._query_all(self._ledger, _BEYOND, values, limit))

    def commits_at(self, addresses: Sequence[Address]) -> dict[Address, Commit]:
        """The commits that stand at these addresses; strongly consistent."""
        keys = [commit_key(*address) for address in dict.fromkeys(addresses)]
        commits = self._commits_of(self._get_many(self._ledger, keys))
        return {(commit.stream, commit.number): commit for commit in commits}

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
                if is_part_stream(stream):
                    continue
                if commit == 1 or last == (stream, commit - 1):
                    last = (stream, commit)
                    yield from self._commits_of([item])
                else:
                    beyond[stream] = min(commit, beyond.get(stream, commit))
        for stream, commit in beyond.items():
            yield from self.commits(stream, commit - 1)

    def remove_commits(self, addresses: Sequence[Address]) -> None:
        """Remove commits, the earliest of a stream first (purge only)."""
        keys = [commit_key(*address) for address in sorted(set(addresses))]
        items = self._get_many(self._ledger, keys)
        self._delete_all(self._ledger, [key for item in items for key in rest(item)])
        self._delete_all(self._ledger, keys)

    def _put_commit(self, commit: Commit) -> None:
        """The only write to the ledger. Raises Refusal when another commit stands there."""
        *parts, item = pack(commit_item(commit))
        self._together([partial(self._put_part, part) for part in parts])
        self._put_new(item)

    def _put_part(self, item: Item) -> None:
        """What stands there is the same."""
        with suppress(Refusal):
            self._put_new(item)

    def _put_new(self, item: Item) -> None:
        write(
            self._client.put_item,
            TableName=self._ledger,
            Item=item,
            ConditionExpression=_NEW_COMMIT,
            ExpressionAttributeNames=names(_NEW_COMMIT),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    def _commits_of(self, items: Sequence[Item]) -> list[Commit]:
        """The commits of items, with the parts of those that did not fit."""
        keys = [key for item in items for key in rest(item)]
        found = self._get_many(self._ledger, keys) if keys else []
        parts = {(plain(one, "stream"), plain(one, "n")): one for one in found}

        def parts_of(item: Item) -> list[Item]:
            return [parts[plain(key, "stream"), plain(key, "n")] for key in rest(item)]

        return [commit_of(unpack(item, parts_of(item))) for item in items]

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
