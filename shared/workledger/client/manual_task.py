"""`client.task(name)`: the work in one manual task."""

from collections.abc import Iterator
from typing import TypeVar

from workledger.client import manual_loading as loading
from workledger.client import manual_reading, reading
from workledger.client.answers import Nothing, Page
from workledger.client.http import TABLE, Http, Reply, Request
from workledger.client.manual_answers import (
    Hit,
    HitStatus,
    Listed,
    Load,
    Statistics,
    TaskResult,
)
from workledger.client.manual_loading import Content, Delimiter, Hits, Told
from workledger.client.manual_work import Assignment, Assignments
from workledger.client.names import Names
from workledger.client.pages import every
from workledger.client.reading import Reader
from workledger.client.wire import body_of, given

T = TypeVar("T")


class TaskHandle:
    """One manual task, by its name or id; nothing is asked before a method is called.

    Every method raises NotFound (`task_not_found`) while no such task exists.
    """

    def __init__(self, http: Http, names: Names, assignments: Assignments, name: str) -> None:
        self.name = name
        self._http = http
        self._names = names
        self._assignments = assignments

    # --- loading --------------------------------------------------------------------------------

    def load(
        self,
        content: Content,
        *,
        delimiter: Delimiter | None = None,
        key: str | None = None,
        wait: bool = True,
        progress: Told | None = None,
    ) -> Load:
        """Load a CSV file (its path, bytes or text), or records; all or none (M50 to M55).

        `key` makes a later call with the same content safe too: the same load. A large load goes on
        after the server's first answer: this waits until it is complete, telling `progress` how
        far it is, unless `wait` is False. Raises InvalidRecords with the problems.
        """
        key = key or self._http.new_key()
        request = loading.request_of("/loads", content, delimiter, key)
        return loading.start(self._http, self._load, request, wait=wait, progress=progress)

    def create_hits(
        self,
        hits: Hits,
        *,
        key: str | None = None,
        wait: bool = True,
        progress: Told | None = None,
    ) -> Load:
        """Create hits with customAttributes, one or several, as one load (M8)."""
        key = key or self._http.new_key()
        request = Request("POST", "/hits", content=loading.hits_body(hits), key=key)
        return loading.start(self._http, self._load, request, wait=wait, progress=progress)

    def _load(self, request: Request) -> Load:
        return self._call(request, manual_reading.load)

    def loads(self) -> Iterator[Load]:
        """The task's loads, the newest first."""
        return every(lambda cursor: self.loads_page(cursor=cursor))

    def loads_page(self, *, cursor: str | None = None, limit: int | None = None) -> Page[Load]:
        """One page of the loads."""
        query = {"cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/loads", query), reading.page(manual_reading.load))

    # --- working --------------------------------------------------------------------------------

    def list(self, *, version: int | None = None) -> Iterator[Listed]:
        """What you may take, in order; the first is what `next` gives (M33)."""
        return every(lambda cursor: self.list_page(version=version, cursor=cursor))

    def list_page(
        self, *, version: int | None = None, cursor: str | None = None, limit: int | None = None
    ) -> Page[Listed]:
        """One page of what you may take."""
        query = {"version": version, "cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/list", query), reading.page(manual_reading.listed))

    def next(self, *, version: int | None = None, key: str | None = None) -> Assignment | Nothing:
        """Take the next record, or learn why there is none: `Nothing` is false."""
        body = body_of(version=given(version))
        request = Request("POST", "/next", body=body, key=key or self._http.new_key())
        return self._call(request, self._assignments.next_reader)

    # --- looking --------------------------------------------------------------------------------

    def hits(self, status: HitStatus | None = None, *, load: str | None = None) -> Iterator[Hit]:
        """The hits with what became of them, all or of one status or load."""
        return every(lambda cursor: self.hits_page(status, load=load, cursor=cursor))

    def hits_page(
        self,
        status: HitStatus | None = None,
        *,
        load: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Page[Hit]:
        """One page of the hits."""
        query = {"status": status, "load": load, "cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/hits", query), reading.page(manual_reading.hit))

    def results(self, *, load: str | None = None) -> Iterator[TaskResult]:
        """What came of the records: columns, order, answers, decision (M60)."""
        return every(lambda cursor: self.results_page(load=load, cursor=cursor))

    def results_page(
        self, *, load: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> Page[TaskResult]:
        """One page of the results."""
        query = {"load": load, "cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/results", query), reading.page(manual_reading.result))

    def results_csv(
        self, *, load: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> tuple[str, str | None]:
        """One page of the results as CSV with a header line, and the next page's cursor."""
        query = {"load": load, "cursor": cursor, "limit": limit}
        return self._send(Request("GET", "/results", query, headers=TABLE)).table()

    def statistics(self) -> Statistics:
        """How the task is doing (M61)."""
        return self._call(Request("GET", "/statistics"), manual_reading.statistics)

    # --- sending --------------------------------------------------------------------------------

    def _send(self, request: Request) -> Reply:
        return self._names.call(
            self.name,
            lambda part: self._http.send(request.with_path(f"/manual-tasks/{part}{request.path}")),
        )

    def _call(self, request: Request, reader: Reader[T]) -> T:
        return self._send(request).read(reader)


class Loads:
    """`client.loads`: a load by its id, of a task or a process."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self, load: str) -> Load:
        """A load, and how far it is. Raises NotFound."""
        return self._http.call(Request("GET", loading.path_of(load)), manual_reading.load)

    def wait(self, load: str, progress: Told | None = None) -> Load:
        """Wait until a load is complete."""
        return loading.finished(self._http, self.get(load), progress)
