"""What every part of the DynamoDB store shares: the client, two tables, batches, threads."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol, TypeVar

from workledger.errors import StoreBusy
from workledger.stores.dynamodb_items import Item
from workledger.stores.dynamodb_requests import Answer, Client, read, write

_T = TypeVar("_T")

BATCH_READS = 100
BATCH_WRITES = 25
_PAUSES = (0.025, 0.05, 0.1, 0.2, 0.4)
"""Seconds before what a batch left undone is asked for again, while it makes no headway."""


class Together(Protocol):
    """Makes calls side by side and gives their answers in order."""

    def __call__(self, calls: Sequence[Callable[[], _T]], /) -> list[_T]: ...


class Threads:
    """Side by side on a pool of threads, nested calls too: who waits helps."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="store")

    def __call__(self, calls: Sequence[Callable[[], _T]], /) -> list[_T]:
        """The answers; when a call fails, its error is raised once all have ended."""
        futures = [self._pool.submit(call) for call in calls[:-1]]
        last: list[_T] = []
        errors: list[BaseException] = []

        def run(call: Callable[[], _T], answers: list[_T]) -> None:
            try:
                answers.append(call())
            except BaseException as error:  # noqa: BLE001 - raised below, after the others
                errors.append(error)

        if calls:
            run(calls[-1], last)
        answers: list[_T] = []
        for future, call in zip(futures, calls[:-1], strict=True):
            run(call if future.cancel() else future.result, answers)
        if errors:
            raise errors[0]
        return answers + last


class Tables:
    """The client and the names of the two tables."""

    def __init__(
        self,
        client: Client,
        ledger_table: str,
        views_table: str,
        *,
        threads: int = 16,
        together: Together | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._ledger = ledger_table
        self._views = views_table
        self._together = together or Threads(threads)
        self._sleep = sleep

    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """The calls' answers, made side by side."""
        return self._together(calls)

    def _get(self, table: str, key: Item) -> Item | None:
        answer = read(self._client.get_item, TableName=table, Key=key, ConsistentRead=True)
        return answer.get("Item")

    def _get_many(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """The items that stand at these keys (no key twice), in any order."""
        chunks = [keys[i : i + BATCH_READS] for i in range(0, len(keys), BATCH_READS)]
        found = self._together([partial(self._get_batch, table, chunk) for chunk in chunks])
        return [item for items in found for item in items]

    def _get_batch(self, table: str, keys: Sequence[Item]) -> list[Item]:
        found: list[Item] = []

        def ask(left: Any) -> Answer:
            answer = read(self._client.batch_get_item, RequestItems=left)
            found.extend(answer["Responses"].get(table, []))
            return answer.get("UnprocessedKeys", {})

        self._until_done(ask, {table: {"Keys": list(keys), "ConsistentRead": True}})
        return found

    def _delete_batch(self, table: str, keys: Sequence[Item]) -> None:
        def ask(left: Any) -> Answer:
            answer = write(self._client.batch_write_item, RequestItems=left)
            return answer.get("UnprocessedItems", {})

        self._until_done(ask, {table: [{"DeleteRequest": {"Key": key}} for key in keys]})

    def _delete_all(self, table: str, keys: Sequence[Item]) -> None:
        """Remove items one by one, side by side: who may do that may put nothing."""
        calls = [partial(write, self._client.delete_item, TableName=table, Key=key) for key in keys]
        self._together(calls)

    def _until_done(self, ask: Callable[[Any], Answer], left: Any) -> None:
        """Ask until nothing is left: under load a batch is done in part, which is no error."""
        idle = 0
        while True:
            rest = ask(left)
            if not rest:
                return
            idle = idle + 1 if rest == left else 0
            if idle == len(_PAUSES):
                raise StoreBusy("a batch made no headway")
            self._sleep(_PAUSES[idle])
            left = rest

    def _scan(self, table: str) -> Iterator[list[Item]]:
        """All items of a table, page by page."""
        start: Answer = {}
        while True:
            answer = read(self._client.scan, TableName=table, ConsistentRead=True, **start)
            yield answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
