"""`client.runs`: who works, and under which lease (Q50 to Q53)."""

from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import quote

from workledger.client import reading
from workledger.client.answers import Page, Run
from workledger.client.http import Http, Request
from workledger.client.pages import every
from workledger.client.wire import body_of, given

RunStatus = Literal["active", "ended"]


class Runs:
    """Start, look at, keep alive and end runs. Raises NotFound, Forbidden, RunHasEnded."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def start(self, name: str | None = None, *, lease_seconds: int | None = None) -> Run:
        """Start a run; `next` without a run starts one as well (Q53).

        If the answer is lost, the repeat starts another; the first one, which holds nothing, ends
        with its lease.
        """
        return self._post("/runs", body_of(name=given(name), leaseSeconds=given(lease_seconds)))

    def get(self, run: str) -> Run:
        """A run, and how many items it holds."""
        return self._http.call(Request("GET", _path(run)), reading.run)

    def list(self, status: RunStatus | None = None) -> Iterator[Run]:
        """The runs, active or ended."""
        return every(lambda cursor: self.page(status, cursor=cursor))

    def page(
        self,
        status: RunStatus | None = None,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Page[Run]:
        """One page of the runs."""
        query = {"status": status, "cursor": cursor, "limit": limit}
        return self._http.call(Request("GET", "/runs", query), reading.page(reading.run))

    def heartbeat(self, run: str) -> Run:
        """Keep the lease alive (Q52)."""
        return self._post(f"{_path(run)}/heartbeat", {})

    def end(self, run: str, reason: str | None = None, *, retries: int | None = None) -> Run:
        """End a run: what it holds is released (Q50). Safe to repeat."""
        return self._post(f"{_path(run)}/end", body_of(reason=given(reason)), retries)

    def _post(self, path: str, body: dict[str, Any], retries: int | None = None) -> Run:
        return self._http.call(Request("POST", path, body=body, retries=retries), reading.run)


def _path(run: str) -> str:
    return f"/runs/{quote(run, safe='')}"
