"""The client: `Client(url, token)` and what hangs on it."""

import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

import httpx

from workledger.client import reading
from workledger.client.answers import AuditEntry, Event, Nothing, Page
from workledger.client.beats import Pause
from workledger.client.http import Http, Patience, Request
from workledger.client.items import Items
from workledger.client.loop import LEASE_SECONDS, Loop
from workledger.client.manual_task import Loads, TaskHandle
from workledger.client.manual_work import Assignment, Assignments, Hits
from workledger.client.names import Names
from workledger.client.pages import every
from workledger.client.processes import Processes, ProcessHandle, Records
from workledger.client.queue import QueueHandle
from workledger.client.queues import Queues
from workledger.client.runs import Runs
from workledger.client.tail import POLL_SECONDS, Tail
from workledger.client.tasks import Tasks
from workledger.client.worker import Worker

DEFAULT_URL = "http://127.0.0.1:8080"
FEED_PAGE = 1_000


def _new_key() -> str:
    return uuid.uuid4().hex


class Client:
    """A connection to a Workledger server. Safe under threads; close it, or use it as a context.

    `url` and `token` come from WORKLEDGER_URL and WORKLEDGER_TOKEN if they are not given; `actor`
    (WORKLEDGER_ACTOR) is only heard by a local server that is asked without a token. A request
    whose answer does not come is sent again up to `retries` times, under the same idempotency
    key. `sleep`, `new_key`, `jitter`, `clock`, `pause` and `transport` are inputs for tests.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        actor: str | None = None,
        timeout: float = 35.0,
        retries: int = 5,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        new_key: Callable[[], str] = _new_key,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause | None = None,
    ) -> None:
        self._sleep, self._clock, self._pause = sleep, clock, pause
        self._http = Http(
            url or os.environ.get("WORKLEDGER_URL") or DEFAULT_URL,
            _headers(token, actor),
            timeout=timeout,
            transport=transport,
            patience=Patience(retries, sleep, jitter),
            new_key=new_key,
        )
        self._names = Names(self._http)
        self.queues = Queues(self._http, self._names)
        self.items = Items(self._http)
        self.runs = Runs(self._http)
        self._task_names = Names(self._http, "/manual-tasks", "task")
        self._process_names = Names(self._http, "/processes", "process")
        self.tasks = Tasks(self._http, self._task_names)
        self.loads = Loads(self._http)
        self.assignments = Assignments(self._http)
        self.hits = Hits(self._http, self.assignments)
        self.processes = Processes(self._http, self._process_names)
        self.records = Records(self._http)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._http.url

    def queue(self, name: str) -> QueueHandle:
        """A queue by name or id, to add to, take from and look at."""
        return QueueHandle(self._http, self._names, name)

    def worker(
        self,
        queue: str,
        *,
        run: str | None = None,
        run_name: str | None = None,
        lease_seconds: int = LEASE_SECONDS,
        follow: bool = False,
        measure: bool = False,
    ) -> Worker:
        """A worker of a queue (Q60). `follow` waits for more items instead of ending.

        Its run, under `run_name` and `lease_seconds`, is started at its first item and ended with
        the loop; with `run` it works in a run that the caller starts and ends.
        """
        loop = Loop(run, run_name, lease_seconds, follow, measure)
        return Worker(
            self.queue(queue),
            self.items,
            self.runs,
            loop,
            sleep=self._sleep,
            clock=self._clock,
            pause=self._pause,
        )

    def task(self, name: str) -> TaskHandle:
        """A manual task by name or id, to load, work and look at."""
        return TaskHandle(self._http, self._task_names, self.assignments, name)

    def process(self, name: str) -> ProcessHandle:
        """A business process by name or id, to load and look at."""
        return ProcessHandle(self._http, self._process_names, name)

    def next_assignment(self, *, key: str | None = None) -> Assignment | Nothing:
        """Take the next record of any manual task, by the tasks' priority (M44)."""
        key = key or self._http.new_key()
        request = Request("POST", "/manual-tasks/next", body={}, key=key)
        return self._http.call(request, self.assignments.next_reader)

    def tail(
        self,
        after: str | None = None,
        *,
        follow: bool = False,
        poll_seconds: float = POLL_SECONDS,
    ) -> Tail:
        """The feed from a position on: in order per stream, each event once (Q93)."""
        return Tail(
            self.feed_page, self._sleep, after=after, follow=follow, poll_seconds=poll_seconds
        )

    def feed_page(self, after: str | None = None, limit: int = FEED_PAGE) -> Page[Event]:
        """One page of the feed as the server gives it: at least once, `next_cursor` always set."""
        request = Request("GET", "/feed", {"after": after, "limit": limit})
        return self._http.call(request, reading.page(reading.event))

    def audit(self) -> Iterator[AuditEntry]:
        """Who changed what about queues and access, newest first (Q6). Needs the role admin."""
        return every(lambda cursor: self.audit_page(cursor=cursor))

    def audit_page(
        self, *, cursor: str | None = None, limit: int | None = None
    ) -> Page[AuditEntry]:
        """One page of the audit log."""
        request = Request("GET", "/audit", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(reading.audit_entry))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _headers(token: str | None, actor: str | None) -> dict[str, str]:
    token = token or os.environ.get("WORKLEDGER_TOKEN")
    actor = actor or os.environ.get("WORKLEDGER_ACTOR")
    found = {
        "Authorization": f"Bearer {token}" if token else None,
        "X-Workledger-Actor": actor or None,
    }
    return {name: value for name, value in found.items() if value}
