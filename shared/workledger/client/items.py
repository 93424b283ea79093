"""`client.items`: single items by their id."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import quote

from workledger.client import reading
from workledger.client.answers import Event, Explanation, Item, Page
from workledger.client.errors import Conflict, NotFound
from workledger.client.http import Http, Request
from workledger.client.pages import every
from workledger.client.wire import UNSET, Unset, body_of, given, moment


class Claimed(Protocol):
    """What holds an item: `Taken`, `Claim`, or the item of a worker's round."""

    @property
    def id(self) -> str: ...

    @property
    def claim(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Claim:
    """An item's id and the claim that one take of it gave (Q25)."""

    id: str
    claim: str


class Items:
    """Look at items, close what one holds, manage the rest."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self, item: str, *, as_of: str | None = None) -> Item:
        """An item, or how it was at a moment (Q92). Raises NotFound."""
        return self._http.call(Request("GET", _path(item), {"asOf": as_of}), reading.item)

    def change(
        self,
        item: str,
        *,
        priority: int | Unset = UNSET,
        not_before: str | datetime | Unset | None = UNSET,
        due: str | datetime | Unset | None = UNSET,
    ) -> Item:
        """Change a waiting item (Q16); None takes a moment away. Raises Conflict, BadRequest."""
        values = body_of(
            priority=priority,
            notBefore=not_before if not_before is UNSET else moment(not_before),
            due=due if due is UNSET else moment(due),
        )
        return self._http.call(Request("PATCH", _path(item), body=values), reading.item)

    def delete(self, item: str) -> None:
        """Delete an item that is not in progress; its reference is free again (Q32, Q72)."""
        try:
            self._http.send(Request("DELETE", _path(item)))
        except NotFound as error:
            if not error.uncertain:
                raise

    def complete(self, held: Claimed, result: Any = UNSET) -> Item:
        """Completed, with a result to keep if one is given (Q40). Raises StaleClaim."""
        return self._close(held, "/complete", body_of(claim=held.claim, result=result))

    def fail(
        self,
        held: Claimed,
        reason: str = "",
        *,
        retry: bool = True,
        not_before: str | datetime | None = None,
    ) -> Item:
        """Back to the queue while retries are left, else failed; `retry=False`: failed for good.

        `not_before` keeps an item that is put back waiting until then (Q41, Q42, Q47).
        """
        until = given(moment(not_before))
        body = body_of(claim=held.claim, reason=reason, retry=retry, notBefore=until)
        return self._close(held, "/fail", body)

    def _close(self, held: Claimed, suffix: str, body: dict[str, Any]) -> Item:
        return self._http.call(Request("POST", _path(held.id) + suffix, body=body), reading.item)

    def beat(self, held: Claimed, progress: str | None = None) -> str:
        """Keep the run's lease alive, with a word on progress; answers until when (Q46)."""
        body = body_of(claim=held.claim, progress=given(progress))
        request = Request("POST", f"{_path(held.id)}/beat", body=body)
        return self._http.call(request, reading.beaten).lease_until

    def requeue(self, item: str) -> Item:
        """Back to the queue: a failed item, all retries available again (Q72)."""
        try:
            return self._again(item, "/requeue")
        except Conflict as error:
            # The repeat of a try whose answer was lost finds the item back already.
            if error.uncertain and error.code == "not_failed":
                return self.get(item)
            raise

    def restore(self, item: str) -> Item:
        """Undo a delete (Q95). Raises Conflict (`reference_taken`, `not_newest`)."""
        return self._again(item, "/restore")

    def _again(self, item: str, suffix: str) -> Item:
        return self._http.call(Request("POST", _path(item) + suffix, body={}), reading.item)

    def history(self, item: str) -> Iterator[Event]:
        """Everything that happened to an item, oldest first (Q91)."""
        return every(lambda cursor: self.history_page(item, cursor=cursor))

    def history_page(
        self, item: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Page[Event]:
        """One page of what happened to an item."""
        request = Request("GET", f"{_path(item)}/history", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(reading.event))

    def explain(self, item: str) -> Explanation:
        """Why an item stands where it stands, or why it was taken when it was (Q90)."""
        return self._http.call(Request("GET", f"{_path(item)}/explain"), reading.explanation)


def _path(item: str) -> str:
    # An id is plain already; anything else is quoted, and not found.
    return f"/items/{quote(item, safe='')}"
