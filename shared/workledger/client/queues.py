"""`client.queues`: the queues themselves and their settings (Q1 to Q8)."""

from collections.abc import Iterator
from typing import Any

from workledger.client import reading
from workledger.client.answers import Event, Page, Queue
from workledger.client.errors import NotFound
from workledger.client.http import Http, Request
from workledger.client.names import Names
from workledger.client.pages import every
from workledger.client.versioned import Settled
from workledger.client.wire import UNSET, Unset, body_of


class Queues:
    """Create, look at, change and delete queues. `queue` is a name or an id."""

    def __init__(self, http: Http, names: Names) -> None:
        self._http = http
        self._names = names

    def create(
        self,
        name: str,
        *,
        description: str = "",
        retries: int = 0,
        retry_delay_seconds: int = 0,
        paused: bool = False,
    ) -> Queue:
        """Create a queue (Q1). Raises Conflict (`queue_exists`), BadRequest."""
        settings = {
            "description": description,
            "retries": retries,
            "retryDelaySeconds": retry_delay_seconds,
            "paused": paused,
        }
        request = Request("POST", "/queues", body={"name": name, **settings})
        settled = Settled(lambda: self.get(name), settings)
        return settled.create(lambda: self._http.call(request, reading.queue))

    def get(self, queue: str, *, as_of: str | None = None) -> Queue:
        """A queue, or its settings as they were at a moment (Q92). Raises NotFound."""
        return self._call("GET", queue, query={"asOf": as_of})

    def list(self) -> Iterator[Queue]:
        """All queues by name."""
        return every(lambda cursor: self.page(cursor=cursor))

    def page(self, *, cursor: str | None = None, limit: int | None = None) -> Page[Queue]:
        """One page of the queues by name."""
        request = Request("GET", "/queues", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(reading.queue))

    def change(
        self,
        queue: str,
        *,
        version: int | None = None,
        description: str | Unset = UNSET,
        retries: int | Unset = UNSET,
        retry_delay_seconds: int | Unset = UNSET,
        paused: bool | Unset = UNSET,
    ) -> Queue:
        """Change settings (Q4). Raises VersionMismatch if they are not at `version` any more.

        Without `version` the change is based on the settings as they are.
        """
        values = body_of(
            description=description,
            retries=retries,
            retryDelaySeconds=retry_delay_seconds,
            paused=paused,
        )
        settled = Settled(lambda: self.get(queue), values)
        return settled.change(version, lambda at: self._put(queue, at, values))

    def _put(self, queue: str, version: int, values: dict[str, Any]) -> Queue:
        return self._call("PATCH", queue, body=values, headers={"If-Match": f'"{version}"'})

    def pause(self, queue: str) -> Queue:
        """Adding goes on, taking answers `paused` (Q8)."""
        return self.change(queue, paused=True)

    def resume(self, queue: str) -> Queue:
        """End a pause (Q8)."""
        return self.change(queue, paused=False)

    def delete(self, queue: str, *, version: int | None = None) -> None:
        """Delete a queue with all its items (Q5). Raises NotFound, VersionMismatch."""
        headers = None if version is None else {"If-Match": f'"{version}"'}
        try:
            self._names.call(
                queue,
                lambda part: self._http.send(Request("DELETE", f"/queues/{part}", headers=headers)),
            )
        except NotFound as error:
            if not error.uncertain:
                raise

    def restore(self, queue: str) -> Queue:
        """Undo a delete (Q95); `queue` is the deleted queue's id. Raises Conflict, NotFound."""
        return self._call("POST", queue, "/restore", body={})

    def history(self, queue: str) -> Iterator[Event]:
        """What happened to the queue (Q91)."""
        return every(lambda cursor: self.history_page(queue, cursor=cursor))

    def history_page(
        self, queue: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Page[Event]:
        """One page of what happened to the queue."""
        query = {"cursor": cursor, "limit": limit}
        return self._names.call(
            queue,
            lambda part: self._http.call(
                Request("GET", f"/queues/{part}/history", query), reading.page(reading.event)
            ),
        )

    def _call(self, method: str, queue: str, suffix: str = "", **request: Any) -> Queue:
        return self._names.call(
            queue,
            lambda part: self._http.call(
                Request(method, f"/queues/{part}{suffix}", **request), reading.queue
            ),
        )
