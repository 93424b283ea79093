"""`client.tasks`: the manual tasks themselves, and who may work them (M40 to M44, M62)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict, TypeVar, Unpack

from workledger.client import manual_reading, reading
from workledger.client.answers import Page
from workledger.client.http import Http, Request
from workledger.client.manual_answers import Adjudication, Roster, SortBy, Task
from workledger.client.names import Names
from workledger.client.pages import every
from workledger.client.reading import Reader
from workledger.client.versioned import Settled

T = TypeVar("T")


class TaskSettings(TypedDict, total=False):
    """What a task is like. What is left out is the default, or stays as it is."""

    description: str
    instructions: str
    priority: int
    deadline_seconds: int
    adjudication: Adjudication | Mapping[str, Any]
    schema: Any
    dtr: bool
    comparator: Iterable[SortBy | Mapping[str, Any]] | None
    columns: Iterable[str]
    sla_seconds: int | None
    paused: bool


class TaskChanges(TaskSettings, total=False):
    """What can change; the name cannot."""

    archived: bool


class Tasks:
    """Create, look at and change manual tasks. `task` is a name or an id."""

    def __init__(self, http: Http, names: Names) -> None:
        self._http = http
        self._names = names

    def create(self, name: str, **settings: Unpack[TaskSettings]) -> Task:
        """Create a manual task. Raises Conflict (`task_exists`), BadRequest with the field."""
        body = _body(settings)
        request = Request("POST", "/manual-tasks", body={"name": name, **body})
        settled = Settled(lambda: self.get(name), body)
        return settled.create(lambda: self._http.call(request, manual_reading.task))

    def get(self, task: str) -> Task:
        """A manual task with its counts. Raises NotFound."""
        return self._call(task, Request("GET", ""), manual_reading.task)

    def list(self) -> Iterator[Task]:
        """All tasks by priority, higher first, then by name (M44)."""
        return every(lambda cursor: self.page(cursor=cursor))

    def page(self, *, cursor: str | None = None, limit: int | None = None) -> Page[Task]:
        """One page of the tasks."""
        request = Request("GET", "/manual-tasks", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(manual_reading.task))

    def change(
        self, task: str, *, version: int | None = None, **settings: Unpack[TaskChanges]
    ) -> Task:
        """Change settings. Another order places anew what waits: see `Task.ordering` (M43).

        Raises VersionMismatch if they are not at `version` any more; without it the change is
        based on the settings as they are.
        """
        values = _body(settings)
        settled = Settled(lambda: self.get(task), values)
        return settled.change(version, lambda at: self._put(task, at, values))

    def _put(self, task: str, version: int, values: dict[str, Any]) -> Task:
        request = Request("PATCH", "", body=values, headers={"If-Match": f'"{version}"'})
        return self._call(task, request, manual_reading.task)

    def pause(self, task: str) -> Task:
        """Loading goes on, nothing is given out."""
        return self.change(task, paused=True)

    def resume(self, task: str) -> Task:
        """End a pause."""
        return self.change(task, paused=False)

    def archive(self, task: str) -> Task:
        """Nothing is given out or loaded any more, until `change(task, archived=False)`."""
        return self.change(task, archived=True)

    def roster(self, task: str) -> Roster:
        """Who may work it; nobody named: every worker (M62)."""
        return self._call(task, Request("GET", "/roster"), manual_reading.roster)

    def set_roster(self, task: str, workers: Iterable[str]) -> Roster:
        """Say who may work it; nobody: every worker."""
        request = Request("PUT", "/roster", body={"workers": [*workers]})
        return self._call(task, request, manual_reading.roster)

    def _call(self, task: str, request: Request, reader: Reader[T]) -> T:
        return self._names.call(
            task,
            lambda part: self._http.call(
                request.with_path(f"/manual-tasks/{part}{request.path}"), reader
            ),
        )


def _body(settings: TaskChanges | TaskSettings) -> dict[str, Any]:
    return {reading.camel(name): _plain(value) for name, value in settings.items()}


def _plain(value: Any) -> Any:
    """A value as it is sent: sorting and adjudication may be given as they are answered."""
    if isinstance(value, Adjudication | SortBy):
        return value.body()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return value
