"""Rows that are no views, on DynamoDB: numbers, heartbeats, due rows. Each call is conditional."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from workledger.errors import StoreBusy
from workledger.keys import BEAT, COUNTER, DUE
from workledger.stores.dynamodb_items import Item, due_item, number, plain, row_key, text
from workledger.stores.dynamodb_requests import Refusal, names, write
from workledger.stores.dynamodb_tables import Tables
from workledger.stores.port import Beat, Due

_DUE_TRIES = 5


def beat_of(item: Item) -> Beat:
    """The beat row of an item."""
    return Beat(plain(item, "deadline"), json.loads(plain(item, "details")))


class Marks(Tables):
    """The part of the store that keeps what no event says."""

    def take_numbers(self, counter: str, count: int, now: str) -> tuple[int, str]:
        """The first of `count` numbers (from 1), never given twice; a date that never runs back.

        When this clock is behind the last date given, that date is given again: one request more.
        """
        step = {":count": number(count)}
        key = row_key(counter, COUNTER)
        try:
            item = self._change(
                key,
                "ADD #last :count SET #given = :now",
                "attribute_not_exists(#given) OR #given <= :now",
                step | {":now": text(now)},
            )
        except Refusal:
            item = self._change(key, "ADD #last :count", None, step)
        return plain(item, "last") - count + 1, plain(item, "given")

    def restart_numbers(self, counter: str, at_least: int) -> None:
        """Make the next number greater than `at_least` (rebuild)."""
        with suppress(Refusal):
            self._change(
                row_key(counter, COUNTER),
                "SET #last = :last",
                "attribute_not_exists(#last) OR #last < :last",
                {":last": number(at_least)},
            )

    def beat(self, stream: str, deadline: str, now: str, details: Mapping[str, Any]) -> bool:
        """Move a stream's beat row to a later deadline; False when the present one has passed."""
        try:
            self._change(
                row_key(stream, BEAT),
                "SET #deadline = :deadline, #details = :details",
                "attribute_not_exists(#deadline) OR (#deadline >= :now AND #deadline <= :deadline)",
                {
                    ":deadline": text(deadline),
                    ":details": text(json.dumps(details, separators=(",", ":"))),
                    ":now": text(now),
                },
            )
        except Refusal as refusal:
            present = plain(refusal.old or {}, "deadline")
            return present is not None and present >= now
        return True

    def due(self, stream: str) -> Due | None:
        """A stream's due row."""
        item = self._get(self._views, row_key(stream, DUE))
        return Due(plain(item, "date"), plain(item, "looking")) if item else None

    def look_at_due(self, stream: str, at: str, looking: str) -> bool:
        """Mark a due row that still says `at`, whoever marked it before; False when it does not."""
        values = {":at": text(at), ":looking": text(looking)}
        return self._holds(stream, "SET #looking = :looking", "#date = :at", values)

    def rearm(self, stream: str, looking: str, at: str | None) -> bool:
        """Set or (None) remove a due row that still bears the mark; False when it does not."""
        values = {":looking": text(looking)}
        condition = "#looking = :looking"
        if at is not None:
            values[":at"] = text(at)
            return self._holds(stream, "SET #date = :at REMOVE #looking", condition, values)
        try:
            write(
                self._client.delete_item,
                TableName=self._views,
                Key=row_key(stream, DUE),
                ConditionExpression=condition,
                ExpressionAttributeNames=names(condition),
                ExpressionAttributeValues=values,
            )
        except Refusal:
            return False
        return True

    def _place_due(self, stream: str, at: str) -> None:
        """Set a due row unless an earlier one stands; that one loses its mark.

        A mark says that somebody is about to move the row on: what was placed meanwhile would be
        lost, so he must look again.
        """
        for _ in range(_DUE_TRIES):
            try:
                self._put_due(stream, at)
            except Refusal as refusal:
                mark = plain(refusal.old or {}, "looking")
                if mark is None or self._unmark(stream, mark):
                    return
            else:
                return
        raise StoreBusy("the due row keeps changing")

    def _put_due(self, stream: str, at: str) -> None:
        condition = "attribute_not_exists(#date) OR #date > :at"
        write(
            self._client.put_item,
            TableName=self._views,
            Item=due_item(stream, at),
            ConditionExpression=condition,
            ExpressionAttributeNames=names(condition),
            ExpressionAttributeValues={":at": text(at)},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    def _unmark(self, stream: str, mark: str) -> bool:
        values = {":looking": text(mark)}
        return self._holds(stream, "REMOVE #looking", "#looking = :looking", values)

    def _holds(self, stream: str, update: str, condition: str, values: Item) -> bool:
        """Whether the condition held, and the due row was changed."""
        try:
            self._change(row_key(stream, DUE), update, condition, values)
        except Refusal:
            return False
        return True

    def _change(self, key: Item, update: str, condition: str | None, values: Item) -> Item:
        """Change a row; the row as it is then. Raises Refusal with the row that stands instead."""
        conditional: dict[str, Any] = {}
        if condition is not None:
            conditional = {
                "ConditionExpression": condition,
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        answer = write(
            self._client.update_item,
            TableName=self._views,
            Key=key,
            UpdateExpression=update,
            ExpressionAttributeNames=names(update, condition or ""),
            ExpressionAttributeValues=values,
            ReturnValues="ALL_NEW",
            **conditional,
        )
        return answer["Attributes"]
