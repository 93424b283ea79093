"""Reads by line and by index on DynamoDB: eventually consistent, so candidates, never a decision.

The index `line` has a sort key of four attributes (rank, date, seq, tie), which is the order of
`views.order` spelled in the schema.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from workledger.stores.dynamodb_items import (
    Item,
    number,
    plain,
    row_key,
    spot_key,
    spot_of,
    text,
)
from workledger.stores.dynamodb_requests import Answer, names, read
from workledger.stores.dynamodb_tables import Tables
from workledger.stores.port import Found, Index
from workledger.views.order import Spot

_LINE = "#line = :line"
_INDEXES: Mapping[Index, tuple[str, str]] = {
    "number": ("queue", "number"),
    "ref": ("queue", "ref"),
    "run": ("run", "stream"),
}
"""The partition and the sort attribute of each index besides `line`."""


@dataclass(frozen=True, slots=True)
class _Range:
    """What a query covers: part of one partition of an index, from a position on."""

    index: str
    condition: str
    values: Item
    start: Item | None = None
    backwards: bool = False

    def params(self) -> dict[str, Any]:
        """The query's parameters."""
        start = {"ExclusiveStartKey": self.start} if self.start else {}
        return start | {
            "IndexName": self.index,
            "KeyConditionExpression": self.condition,
            "ExpressionAttributeNames": names(self.condition),
            "ExpressionAttributeValues": self.values,
            "ScanIndexForward": not self.backwards,
        }


class Lines(Tables):
    """The part of the store that reads lines and indexes."""

    def read_line(
        self,
        line: str,
        *,
        after: Spot | None = None,
        limit: int,
        backwards: bool = False,
        until: str | None = None,
    ) -> list[Spot]:
        """At most `limit` spots of a line, in order, beyond `after`; fewer only at the end."""
        condition, values = _LINE, {":line": text(line)}
        if until is not None:
            condition += " AND #rank = :rank AND #date <= :date"
            values |= {":rank": number(0), ":date": text(until)}
            if after is not None and (after.rank != 0 or after.date > until):
                # The service refuses a start outside of the range.
                if (after.rank < 0) == backwards:
                    return []
                after = None
        start = spot_key(line, after) if after else None
        covered = _Range("line", condition, values, start, backwards)
        return [spot_of(item) for item in self._first(covered, limit)]

    def read_line_without(
        self, line: str, without: str, *, after: Spot | None = None, limit: int
    ) -> list[Spot] | None:
        """There is no such query: None."""

    def read_index(
        self,
        index: Index,
        partition: str,
        *,
        after: Found | None = None,
        limit: int,
        prefix: str = "",
    ) -> list[Found]:
        """At most `limit` rows of an index's partition, in order; fewer only at the end."""
        hashed, sorted_by = _INDEXES[index]
        condition, values = f"#{hashed} = :{hashed}", {f":{hashed}": text(partition)}
        if prefix:
            condition += f" AND begins_with(#{sorted_by}, :prefix)"
            values[":prefix"] = text(prefix)
            if after is not None and not str(after.value).startswith(prefix):
                if str(after.value) > prefix:
                    return []
                after = None
        start = _found_key(index, partition, after) if after else None
        covered = _Range(index, condition, values, start)
        return [
            Found(plain(item, sorted_by), plain(item, "stream"), plain(item, "thing"))
            for item in self._first(covered, limit)
        ]

    def count_line(self, line: str, limit: int) -> int:
        """How many rows stand on a line; stops at `limit`."""
        return self._count(_Range("line", _LINE, {":line": text(line)}), limit)

    def count_before(self, line: str, spot: Spot, limit: int) -> tuple[int, int]:
        """(of lower rank, of the same rank but earlier) than `spot`; each stops at `limit`."""
        values = {":line": text(line), ":rank": number(spot.rank)}
        lower = _Range("line", f"{_LINE} AND #rank < :rank", values)
        earlier = _Range(
            "line", f"{_LINE} AND #rank = :rank", values, spot_key(line, spot), backwards=True
        )
        counts = self._together([partial(self._count, part, limit) for part in (lower, earlier)])
        return counts[0], counts[1]

    def _first(self, covered: _Range, limit: int) -> list[Item]:
        return [item for page in self._pages(covered, limit) for item in page["Items"]]

    def _count(self, covered: _Range, limit: int) -> int:
        return sum(page["Count"] for page in self._pages(covered, limit, Select="COUNT"))

    def _pages(self, covered: _Range, limit: int, **params: Any) -> Iterator[Answer]:
        """Pages until `limit` items were seen or nothing is left: an empty page is not the end."""
        params |= {"TableName": self._views, **covered.params()}
        while limit > 0:
            page = read(self._client.query, Limit=limit, **params)
            yield page
            limit -= page["Count"]
            if "LastEvaluatedKey" not in page:
                return
            params["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _found_key(index: Index, partition: str, found: Found) -> Item:
    """Where a read of an index goes on: the index's keys and the table's."""
    hashed, sorted_by = _INDEXES[index]
    value = number(found.value) if isinstance(found.value, int) else text(found.value)
    return {hashed: text(partition), sorted_by: value} | row_key(found.stream, found.thing)
