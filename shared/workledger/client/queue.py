"""`client.queue(name)`: the work in one queue."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar

from workledger.client import loading, reading
from workledger.client.answers import (
    Added,
    AddedItem,
    Counted,
    Counts,
    Item,
    Matched,
    Nothing,
    Page,
    Status,
    Taken,
    TakenItems,
)
from workledger.client.errors import WorkledgerApiError
from workledger.client.http import TABLE, Http, Reply, Request
from workledger.client.loading import NewItem, Part, Progress
from workledger.client.names import Names
from workledger.client.pages import every
from workledger.client.reading import Reader
from workledger.client.wire import body_of, given, moment

T = TypeVar("T")


class QueueHandle:
    """One queue, by its name or id; nothing is asked of the server before a method is called.

    Every method raises NotFound (`queue_not_found`) while no such queue exists (Q5).
    """

    def __init__(self, http: Http, names: Names, name: str) -> None:
        self.name = name
        self._http = http
        self._names = names

    # --- adding -------------------------------------------------------------------------------

    def add(self, entries: Any, *, key: str | None = None) -> Added:
        """Add one entry, or a list of up to 5,000 (Q80, Q81).

        An entry is its data, an envelope `{"data": ..., "reference": ...}`, a `NewItem`, or JSON
        text as `Raw`. `key` makes a later call with the same entries safe too (Q83).
        """
        return self._add(loading.body(entries), key or self._http.new_key())

    def add_one(
        self,
        data: Any,
        *,
        reference: str | None = None,
        priority: int | None = None,
        not_before: str | datetime | None = None,
        due: str | datetime | None = None,
        key: str | None = None,
    ) -> AddedItem:
        """Add one item with any data; `created` is False if its reference is there (Q12, Q30)."""
        entry = NewItem(data, reference, priority, not_before, due)
        return self.add(entry, key=key).items[0]

    def add_many(
        self,
        entries: Iterable[Any],
        *,
        key: str | None = None,
        progress: Callable[[Progress], object] | None = None,
        answered: Callable[[Added], object] | None = None,
    ) -> Added:
        """Add any number of entries, in requests of their own under `<key>/<part>` (Q84).

        Call it again with the same entries and the same key after a failure: what was added is
        not added twice. Raises WorkledgerApiError with the index in the whole load; the parts
        before it are added.
        """
        key = key or self._http.new_key()
        sent: list[tuple[Part, Added]] = []
        far = Progress(0, 0, 0, 0)
        for part in loading.parts(entries):
            answer = self._add_part(part, key)
            sent.append((part, answer))
            if answered is not None:
                answered(answer)
            far = Progress(
                part.number,
                part.first + len(part.texts),
                far.added + answer.added,
                far.skipped + answer.skipped,
            )
            if progress is not None:
                progress(far)
        return loading.together(sent)

    def _add_part(self, part: Part, key: str) -> Added:
        try:
            return self._add(loading.whole(part.texts), f"{key}/{part.number}")
        except WorkledgerApiError as error:
            raise error.shifted(part.first) from error

    def _add(self, content: bytes, key: str) -> Added:
        return self._call(Request("POST", "/items", content=content, key=key), reading.added)

    # --- taking -------------------------------------------------------------------------------

    def next(
        self,
        *,
        run: str | None = None,
        run_name: str | None = None,
        lease_seconds: int | None = None,
        wait_seconds: int = 0,
        key: str | None = None,
    ) -> Taken | Nothing:
        """Take the next item (Q20, Q22), or learn why there is none: `Nothing` is false.

        Without `run` one is started, with this name and lease (Q53). With `wait_seconds` up to 20
        the server answers as soon as there is one (Q28). Raises Forbidden, RunHasEnded.
        """
        return self._take(reading.taken, None, run, run_name, lease_seconds, wait_seconds, key)

    def next_items(
        self,
        max_items: int,
        *,
        run: str | None = None,
        run_name: str | None = None,
        lease_seconds: int | None = None,
        wait_seconds: int = 0,
        key: str | None = None,
    ) -> TakenItems | Nothing:
        """Take up to 100 items in one call, in order (Q27)."""
        return self._take(
            reading.taken_items, max_items, run, run_name, lease_seconds, wait_seconds, key
        )

    def _take(
        self,
        reader: Reader[T],
        max_items: int | None,
        run: str | None,
        run_name: str | None,
        lease_seconds: int | None,
        wait_seconds: int,
        key: str | None,
    ) -> T:
        wanted = {
            "run": run,
            "runName": run_name,
            "leaseSeconds": lease_seconds,
            "waitSeconds": wait_seconds or None,
            "maxItems": max_items,
        }
        body = body_of(**{name: given(value) for name, value in wanted.items()})
        key = key or self._http.new_key()
        request = Request("POST", "/next", body=body, key=key, wait_seconds=wait_seconds)
        return self._call(request, reader)

    # --- looking ------------------------------------------------------------------------------

    def items(
        self, status: Status | None = None, *, reference: str | None = None
    ) -> Iterator[Item]:
        """The items, all or of one status, whose reference begins so (Q71)."""
        return every(lambda cursor: self.items_page(status, reference=reference, cursor=cursor))

    def items_page(
        self,
        status: Status | None = None,
        *,
        reference: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Page[Item]:
        """One page of the items."""
        query = {"status": status, "reference": reference, "cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/items", query), reading.page(reading.item))

    def items_csv(
        self,
        status: Status | None = None,
        *,
        reference: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> tuple[str, str | None]:
        """One page of the items as CSV with a header line, and the next page's cursor (Q75)."""
        query = {"status": status, "reference": reference, "cursor": cursor, "limit": limit}
        return self._send(Request("GET", "/items", query, headers=TABLE)).table()

    def count(self, status: Status | None = None) -> int:
        """How many items, all or of one status (Q70)."""
        return self.counted(status).count

    def counts(self) -> Counts:
        """How many items of each status (Q70)."""
        return self.counted().counts

    def counted(self, status: Status | None = None) -> Counted:
        """The number asked for and all of them, in one answer."""
        return self._call(Request("GET", "/count", {"status": status}), reading.counted)

    # --- managing -----------------------------------------------------------------------------

    def requeue(
        self,
        *,
        since: str | datetime | None = None,
        reason_prefix: str | None = None,
        dry_run: bool = False,
    ) -> Matched:
        """Back to the queue: all failed items that match (Q72)."""
        return self._all("/requeue", None, since, reason_prefix, dry_run)

    def purge(
        self,
        status: Status | None = None,
        *,
        since: str | datetime | None = None,
        reason_prefix: str | None = None,
        dry_run: bool = False,
    ) -> Matched:
        """Delete all items that match and are not in progress (Q72)."""
        return self._all("/purge", status, since, reason_prefix, dry_run)

    def _all(
        self,
        path: str,
        status: Status | None,
        since: str | datetime | None,
        reason_prefix: str | None,
        dry_run: bool,
    ) -> Matched:
        """The whole of it: the server answers in stretches, each with the cursor of the next."""
        where = body_of(
            status=given(status), since=given(moment(since)), reasonPrefix=given(reason_prefix)
        )
        total = Matched(0, 0, 0, ())
        cursor: str | None = None
        while True:
            body = body_of(filter=where, dryRun=dry_run, cursor=given(cursor))
            request = Request("POST", path, body=body)
            got = self._call(request, reading.matched)
            total = Matched(
                total.matched + got.matched,
                total.done + got.done,
                total.skipped + got.skipped,
                total.ids + got.ids,
            )
            cursor = got.next_cursor
            if cursor is None:
                return total

    # --- sending ------------------------------------------------------------------------------

    def _send(self, request: Request) -> Reply:
        return self._names.call(
            self.name,
            lambda part: self._http.send(request.with_path(f"/queues/{part}{request.path}")),
        )

    def _call(self, request: Request, reader: Reader[T]) -> T:
        return self._send(request).read(reader)
