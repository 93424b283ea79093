"""Counts by status on DynamoDB: a row per queue and shard, fed from the views table's stream.

Each row remembers the last sequence number of its shard, and moves on only from there: a batch that
comes again, or overlaps another, counts once. Shards come and go (a few a day), and so do rows: a
count adds up all of a queue's.
"""

from collections.abc import Mapping
from typing import Any

from workledger.keys import counts_stream
from workledger.stores.dynamodb_items import plain, row_key, text
from workledger.stores.dynamodb_requests import Refusal, names, read, write
from workledger.stores.dynamodb_tables import Tables

_FIRST = "attribute_not_exists(#upto)"
_NEXT = "#upto = :after"
_OF = "#stream = :stream"


class Counts(Tables):
    """The part of the store that keeps counts."""

    def counted(self, queue: str, shard: str) -> str:
        """The last sequence number of a shard that was counted for a queue; "" for none."""
        item = self._get(self._views, row_key(counts_stream(queue), shard))
        return plain(item, "upto") if item else ""

    def add_counts(
        self, queue: str, shard: str, after: str, upto: str, deltas: Mapping[str, int]
    ) -> bool:
        """Add to a queue's counts if the shard was counted up to `after`."""
        adds = ", ".join(f"#{status} :{status}" for status in deltas)
        update = f"SET #upto = :upto ADD {adds}" if adds else "SET #upto = :upto"
        condition = _NEXT if after else _FIRST
        values = {":upto": text(upto)} | ({":after": text(after)} if after else {})
        values |= {f":{status}": {"N": str(delta)} for status, delta in deltas.items()}
        try:
            write(
                self._client.update_item,
                TableName=self._views,
                Key=row_key(counts_stream(queue), shard),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeNames=names(update, condition),
                ExpressionAttributeValues=values,
            )
        except Refusal:
            return False
        return True

    def counts(self, queue: str) -> dict[str, int]:
        """A queue's counts by status, of all shards; empty when nothing was ever counted."""
        params: dict[str, Any] = {
            "TableName": self._views,
            "KeyConditionExpression": _OF,
            "ExpressionAttributeNames": names(_OF),
            "ExpressionAttributeValues": {":stream": text(counts_stream(queue))},
        }
        total: dict[str, int] = {}
        while True:
            page = read(self._client.query, **params)
            for item in page["Items"]:
                for name, value in item.items():
                    if "N" in value:
                        total[name] = total.get(name, 0) + int(value["N"])
            if "LastEvaluatedKey" not in page:
                return total
            params["ExclusiveStartKey"] = page["LastEvaluatedKey"]
