"""Counts by status on DynamoDB: one row per queue, fed from the views table's stream.

The row remembers, for each shard of the stream, the last sequence number that it counted, and
moves on only from there: a batch that comes again, or overlaps another, counts once. Shards come
and go (a few a day); the row forgets those whose records the stream has dropped long since.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workledger.keys import COUNTS, counts_stream
from workledger.stores.dynamodb_items import Item, number, plain, row_key, text
from workledger.stores.dynamodb_requests import Refusal, write
from workledger.stores.dynamodb_tables import Tables

_UPTO = "upto."
"""Attribute names: `upto.<shard>`, the sequence number; `recounted`, a moment; else a status."""
_BORN = re.compile(r"shardId-0*(\d+)-")
"""A shard's name says when it was made, in milliseconds since 1970."""
_FORGOTTEN_MS = 3 * 86_400_000
"""A shard is open for hours, and what it holds is kept for a day."""


class Counts(Tables):
    """The part of the store that keeps counts."""

    def counted(self, queue: str, shard: str) -> tuple[str, str]:
        """A shard's last sequence number that was counted for a queue, and the last recount."""
        item = self._get(self._views, _key(queue)) or {}
        return plain(item, _UPTO + shard) or "", plain(item, "recounted") or ""

    def add_counts(
        self,
        queue: str,
        shard: str,
        after: tuple[str, str],
        upto: str,
        deltas: Mapping[str, int],
    ) -> bool:
        """Add to a queue's counts if the shard was counted up to `after`, and no recount came."""
        position, recounted = after
        update = "SET #upto = :upto"
        names = {"#upto": _UPTO + shard, "#recounted": "recounted"}
        values: Item = {":upto": text(upto)}
        if deltas:
            update += " ADD " + ", ".join(f"#{status} :{status}" for status in deltas)
            names |= {f"#{status}": status for status in deltas}
            values |= {f":{status}": number(delta) for status, delta in deltas.items()}
        if not position and (gone := self._forgotten(queue, shard)):
            update += " REMOVE " + ", ".join(f"#gone{n}" for n in range(len(gone)))
            names |= {f"#gone{n}": name for n, name in enumerate(gone)}
        held = (("upto", position), ("recounted", recounted))
        values |= {f":was_{name}": text(value) for name, value in held if value}
        return self._update(queue, update, " AND ".join(_is(*one) for one in held), names, values)

    def set_counts(self, queue: str, counts: Mapping[str, int], at: str) -> None:
        """Replace a queue's counts: what moved up to `at` is in them."""
        update = "SET #recounted = :at, " + ", ".join(f"#{name} = :{name}" for name in counts)
        names = {"#recounted": "recounted"} | {f"#{name}": name for name in counts}
        values = {":at": text(at)} | {f":{name}": number(count) for name, count in counts.items()}
        self._update(queue, update, None, names, values)

    def counts(self, queues: Sequence[str]) -> dict[str, dict[str, int]]:
        """Counts by status of each queue that was ever counted; one request for 100 queues."""
        of = {counts_stream(queue): queue for queue in queues}
        rows = self._get_many(self._views, [_key(queue) for queue in of.values()])
        return {of[plain(row, "stream")]: _numbers(row) for row in rows}

    def _forgotten(self, queue: str, shard: str) -> list[str]:
        """The attributes of shards whose records are gone since long before this one was made."""
        born = _BORN.match(shard)
        if born is None:
            return []
        row = self._get(self._views, _key(queue)) or {}
        known = ((name, _BORN.match(name.removeprefix(_UPTO))) for name in row)
        limit = int(born[1]) - _FORGOTTEN_MS
        return [name for name, made in known if made is not None and int(made[1]) < limit]

    def _update(
        self,
        queue: str,
        update: str,
        condition: str | None,
        names: Mapping[str, str],
        values: Item,
    ) -> bool:
        held: dict[str, Any] = {"ConditionExpression": condition} if condition else {}
        try:
            write(
                self._client.update_item,
                TableName=self._views,
                Key=_key(queue),
                UpdateExpression=update,
                ExpressionAttributeNames=names,
                ExpressionAttributeValues=values,
                **held,
            )
        except Refusal:
            return False
        return True


def _key(queue: str) -> Item:
    return row_key(counts_stream(queue), COUNTS)


def _is(name: str, value: str) -> str:
    return f"#{name} = :was_{name}" if value else f"attribute_not_exists(#{name})"


def _numbers(row: Item) -> dict[str, int]:
    return {name: int(value["N"]) for name, value in row.items() if "N" in value}
