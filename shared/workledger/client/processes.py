"""`client.processes`, `client.process(name)`: business processes and their records (M10 to M14)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypeVar
from urllib.parse import quote

from workledger.client import manual_loading as loading
from workledger.client import manual_reading, reading
from workledger.client.answers import Event, Page
from workledger.client.http import TABLE, Http, Reply, Request
from workledger.client.manual_answers import Load, Process, Step, Travelled, Way
from workledger.client.manual_loading import Content, Delimiter, Told
from workledger.client.names import Names
from workledger.client.pages import every
from workledger.client.reading import Reader
from workledger.client.versioned import Settled
from workledger.client.wire import UNSET, Raw, Unset, body_of

T = TypeVar("T")

Routes = str | Mapping[str, Any] | Raw
"""A step's name, or `{"rules": [{"field", "op", "value", "step"}], "else": step}`."""

Steps = Iterable[Step | Mapping[str, Any] | Raw]


class Processes:
    """Create, look at and change business processes. `process` is a name or an id."""

    def __init__(self, http: Http, names: Names) -> None:
        self._http = http
        self._names = names

    def create(self, name: str, start: Routes, steps: Steps) -> Process:
        """Create a process (M13). Raises Conflict (`process_exists`), BadRequest with the field."""
        body = {"start": start, "steps": [_step(one) for one in steps]}
        request = Request("POST", "/processes", body={"name": name, **body})
        settled = Settled(lambda: self.get(name), body)
        return settled.create(lambda: self._http.call(request, manual_reading.process))

    def get(self, process: str) -> Process:
        """A process. Raises NotFound."""
        return self._call(process, Request("GET", ""))

    def list(self) -> Iterator[Process]:
        """All processes by name."""
        return every(lambda cursor: self.page(cursor=cursor))

    def page(self, *, cursor: str | None = None, limit: int | None = None) -> Page[Process]:
        """One page of the processes by name."""
        request = Request("GET", "/processes", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(manual_reading.process))

    def change(
        self,
        process: str,
        *,
        version: int | None = None,
        start: Routes | Unset = UNSET,
        steps: Steps | Unset = UNSET,
    ) -> Process:
        """Give a process another definition; records on their way keep the one they have.

        Raises VersionMismatch if it is not at `version` any more; without it the change is based on
        the process as it is.
        """
        listed = steps if isinstance(steps, Unset) else [_step(one) for one in steps]
        values = body_of(start=start, steps=listed)
        settled = Settled(lambda: self.get(process), values)
        return settled.change(version, lambda at: self._put(process, at, values))

    def _put(self, process: str, version: int, values: dict[str, Any]) -> Process:
        request = Request("PATCH", "", body=values, headers={"If-Match": f'"{version}"'})
        return self._call(process, request)

    def _call(self, process: str, request: Request) -> Process:
        return self._names.call(
            process,
            lambda part: self._http.call(
                request.with_path(f"/processes/{part}"), manual_reading.process
            ),
        )


def _step(one: Step | Mapping[str, Any] | Raw) -> Any:
    if not isinstance(one, Step):
        return one
    return {name: value for name, value in asdict(one).items() if value is not None}


class ProcessHandle:
    """One business process, by its name or id.

    Every method raises NotFound (`process_not_found`) while no such process exists.
    """

    def __init__(self, http: Http, names: Names, name: str) -> None:
        self.name = name
        self._http = http
        self._names = names

    def load(
        self,
        content: Content,
        *,
        delimiter: Delimiter | None = None,
        key: str | None = None,
        wait: bool = True,
        progress: Told | None = None,
    ) -> Load:
        """Start the process over a CSV file or records, as `TaskHandle.load` does (M10)."""
        key = key or self._http.new_key()
        request = loading.request_of("/loads", content, delimiter, key)
        return loading.start(self._http, self._load, request, wait=wait, progress=progress)

    def _load(self, request: Request) -> Load:
        return self._call(request, manual_reading.load)

    def loads(self) -> Iterator[Load]:
        """The process's loads, the newest first."""
        return every(lambda cursor: self.loads_page(cursor=cursor))

    def loads_page(self, *, cursor: str | None = None, limit: int | None = None) -> Page[Load]:
        """One page of the loads."""
        query = {"cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/loads", query), reading.page(manual_reading.load))

    def records(self, *, load: str | None = None, step: str | None = None) -> Iterator[Way]:
        """The records on their way: where each is, since when."""
        return every(lambda cursor: self.records_page(load=load, step=step, cursor=cursor))

    def records_page(
        self,
        *,
        load: str | None = None,
        step: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Page[Way]:
        """One page of the records."""
        query = {"load": load, "step": step, "cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/records", query), reading.page(manual_reading.way))

    def results(self, *, load: str | None = None) -> Iterator[Travelled]:
        """What came of the records: columns, with those that the steps' results made."""
        return every(lambda cursor: self.results_page(load=load, cursor=cursor))

    def results_page(
        self, *, load: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> Page[Travelled]:
        """One page of the results."""
        query = {"load": load, "cursor": cursor, "limit": limit}
        return self._call(Request("GET", "/results", query), reading.page(manual_reading.travelled))

    def results_csv(
        self, *, load: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> tuple[str, str | None]:
        """One page of the results as CSV with a header line, and the next page's cursor."""
        query = {"load": load, "cursor": cursor, "limit": limit}
        return self._send(Request("GET", "/results", query, headers=TABLE)).table()

    def _send(self, request: Request) -> Reply:
        return self._names.call(
            self.name,
            lambda part: self._http.send(request.with_path(f"/processes/{part}{request.path}")),
        )

    def _call(self, request: Request, reader: Reader[T]) -> T:
        return self._send(request).read(reader)


class Records:
    """`client.records`: a record on its way through a process, by its id."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self, record: str) -> Way:
        """A record. Raises NotFound."""
        return self._http.call(Request("GET", _record(record)), manual_reading.way)

    def history(self, record: str) -> Iterator[Event]:
        """Everything that happened to a record, oldest first; routing is an event (M13)."""
        return every(lambda cursor: self.history_page(record, cursor=cursor))

    def history_page(
        self, record: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Page[Event]:
        """One page of what happened to a record."""
        query = {"cursor": cursor, "limit": limit}
        request = Request("GET", f"{_record(record)}/history", query)
        return self._http.call(request, reading.page(reading.event))


def _record(record: str) -> str:
    return f"/records/{quote(record, safe='')}"
