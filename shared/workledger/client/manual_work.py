"""Assignments: what a worker holds, answers, gives back; what a requester does about it (M60)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from workledger.client import manual_reading, reading
from workledger.client.answers import Event, Nothing, Page
from workledger.client.http import Http, Request
from workledger.client.manual_answers import AssignmentStatus, Hit, WithData
from workledger.client.manual_reading import Json
from workledger.client.pages import every
from workledger.client.reading import Reader
from workledger.client.wire import Source

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Assignment(WithData):
    """One's own attempt at a record, with what is needed to work it; good until `deadline`."""

    id: str
    hit: str
    task: str
    task_name: str
    version: int
    worker: str
    status: AssignmentStatus
    accepted_at: str
    deadline: str
    data: Any
    custom_attributes: dict[str, Any]
    instructions: str
    schema: Any
    desk: "Assignments" = field(kw_only=True, repr=False, compare=False)

    def submit(self, answer: Any) -> "Assignment":
        """Answer. Raises AssignmentOver, Conflict (`already_submitted`), BadRequest."""
        return self.desk.submit(self.id, answer)

    def skip(self) -> "Assignment":
        """Never see the record again; others do (M35)."""
        return self.desk.skip(self.id)

    def give_back(self) -> "Assignment":
        """Others see the record at once, you at the old deadline (M34)."""
        return self.desk.give_back(self.id)

    def extend(self) -> "Assignment":
        """Start the deadline anew from now; the answer has it."""
        return self.desk.extend(self.id)


class Assignments:
    """One's own assignments, and those that one manages; all is safe to repeat.

    Raises NotFound, Forbidden (`not_yours`), AssignmentOver.
    """

    def __init__(self, http: Http) -> None:
        self._http = http

    def reader(self, body: Json, source: Source) -> Assignment:
        """Reads an assignment."""
        return reading.part(Assignment, body, desk=self, source=source)

    def next_reader(self, body: Json, source: Source) -> Assignment | Nothing:
        """Reads the answer to a `next`."""
        if body.get("found") is False:
            return reading.part(Nothing, body, source=source)
        return self.reader(body, source)

    def get(self, assignment: str) -> Assignment:
        """One of your assignments."""
        return self._http.call(Request("GET", _path(assignment)), self.reader)

    def active(self) -> Iterator[Assignment]:
        """What you hold, the longest held first (M35)."""
        return every(lambda cursor: self.active_page(cursor=cursor))

    def active_page(
        self, *, cursor: str | None = None, limit: int | None = None
    ) -> Page[Assignment]:
        """One page of what you hold."""
        request = Request("GET", "/assignments", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(self.reader))

    def submit(self, assignment: str, answer: Any) -> Assignment:
        """Answer, with any JSON value that fits the task's schema, or `Raw` JSON text."""
        return self._post(assignment, "submit", {"answer": answer}, self.reader)

    def skip(self, assignment: str) -> Assignment:
        """Never see the record again; others do (M35)."""
        return self._post(assignment, "skip", {}, self.reader)

    def give_back(self, assignment: str) -> Assignment:
        """Others see the record at once, you at the old deadline (M34)."""
        return self._post(assignment, "return", {}, self.reader)

    def extend(self, assignment: str) -> Assignment:
        """Start the deadline anew from now."""
        return self._post(assignment, "extend", {}, self.reader)

    def sign_out(self) -> int:
        """Give up all that you hold (M34); says how much that was, or what a repeat still found."""
        request = Request("POST", "/assignments/sign-out", body={})
        return self._http.call(request, lambda body, _: int(body["abandoned"]))

    # --- by who manages the task ----------------------------------------------------------------

    def approve(self, assignment: str) -> Hit:
        """Approve an answer: it can be rejected no more (M60)."""
        return self._post(assignment, "approve", {}, manual_reading.hit)

    def reject(self, assignment: str, reason: str) -> Hit:
        """Reject an answer: it counts no more, its place is open for somebody else (M60)."""
        return self._post(assignment, "reject", {"reason": reason}, manual_reading.hit)

    def abandon(self, assignment: str) -> Hit:
        """End somebody's assignment before its deadline (M34)."""
        return self._post(assignment, "abandon", {}, manual_reading.hit)

    def _post(self, assignment: str, verb: str, body: Json, reader: Reader[T]) -> T:
        return self._http.call(Request("POST", f"{_path(assignment)}/{verb}", body=body), reader)


class Hits:
    """Single hits: take one, look at it, decide it."""

    def __init__(self, http: Http, assignments: Assignments) -> None:
        self._http = http
        self._assignments = assignments

    def get(self, hit: str) -> Hit:
        """A hit with everybody's answers. Raises NotFound."""
        return self._http.call(Request("GET", _hit(hit)), manual_reading.hit)

    def take(self, hit: str) -> Assignment:
        """Take this record; what one holds already is answered again (M36).

        Raises Conflict (`hit_taken`, `hidden`), Forbidden (`not_on_roster`).
        """
        request = Request("POST", f"{_hit(hit)}/take", body={})
        return self._http.call(request, self._assignments.reader)

    def adjudicate(self, hit: str, answer: Any) -> Hit:
        """Decide a record whose answers have no majority, as who gave none of them (M23)."""
        request = Request("POST", f"{_hit(hit)}/adjudicate", body={"answer": answer})
        return self._http.call(request, manual_reading.hit)

    def history(self, hit: str) -> Iterator[Event]:
        """Everything that happened to a hit, oldest first."""
        return every(lambda cursor: self.history_page(hit, cursor=cursor))

    def history_page(
        self, hit: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Page[Event]:
        """One page of what happened to a hit."""
        request = Request("GET", f"{_hit(hit)}/history", {"cursor": cursor, "limit": limit})
        return self._http.call(request, reading.page(reading.event))


def _path(assignment: str) -> str:
    return f"/assignments/{quote(assignment, safe='')}"


def _hit(hit: str) -> str:
    return f"/hits/{quote(hit, safe='')}"
