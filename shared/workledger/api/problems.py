"""The one table from codes to HTTP, and the problem+json bodies made of it (Q100)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from workledger.errors import AnswerLost, NewerShape, Refused, StoreBusy

CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """How a code shows over HTTP: the status, a title, and what the sender can do."""

    status: int
    title: str
    advice: str


_FIX = "Correct the request; sending it again unchanged gives the same answer."
_LOOK = "Read the item again: somebody else acted on it."
_LIST = "Look at your list again, or take the next one."
_HIT = "Read the record again: somebody else acted on it."
_RUN = "Go on without a run, or start one: the next take answers it."

TABLE: Mapping[str, Kind] = {
    # 400: the request itself
    "invalid_json": Kind(400, "The body is not JSON", _FIX),
    "invalid_body": Kind(400, "The body has a fault", _FIX),
    "invalid_query": Kind(400, "The query has a fault", _FIX),
    "invalid_header": Kind(400, "A header has a fault", _FIX),
    "invalid_value": Kind(400, "A value is not allowed", _FIX),
    "unknown_member": Kind(400, "The body has an unknown member", _FIX),
    "comparator_needed": Kind(400, "A custom order needs a Task Comparator", _FIX),
    "answer_invalid": Kind(
        400, "The answer does not fit the task's schema", "Correct the answer: `errors` says where."
    ),
    "foreign_request": Kind(400, "The body belongs to another product", "Convert it first."),
    # who and whether
    "unauthenticated": Kind(
        401, "Who are you?", "Send a valid token: `Authorization: Bearer wl_...`."
    ),
    "forbidden": Kind(403, "Not allowed", "Ask an admin for a role that holds the permission."),
    "foreign_run": Kind(403, "The run belongs to another", _RUN),
    "not_yours": Kind(403, "The assignment is another worker's", _LIST),
    "not_on_roster": Kind(
        403, "Not on the task's roster", "Ask who manages the task, or work another one."
    ),
    "answered": Kind(403, "Who answered a record does not adjudicate it", "Leave it to another."),
    # not there
    "not_found": Kind(404, "No such address", "See docs/openapi.json for what there is."),
    "queue_not_found": Kind(404, "No such queue", "List the queues, or create this one."),
    "item_not_found": Kind(404, "No such item", "Its id is in the answer of the add."),
    "run_not_found": Kind(404, "No such run", _RUN),
    "token_not_found": Kind(404, "No such token", "List the tokens with `workledger token list`."),
    "key_not_found": Kind(404, "No such key", "List the keys on the command line."),
    "task_not_found": Kind(404, "No such manual task", "List the tasks, or create this one."),
    "load_not_found": Kind(404, "No such load", "Its id is in the answer that began it."),
    "hit_not_found": Kind(404, "No such hit", "List the task's hits."),
    "assignment_not_found": Kind(404, "No such assignment", _LIST),
    "process_not_found": Kind(
        404, "No such business process", "List the processes, or create this one."
    ),
    "record_not_found": Kind(404, "No such record", "List the process's records."),
    "method_not_allowed": Kind(
        405, "No such method here", "The header Allow names those there are."
    ),
    # the state says no
    "queue_exists": Kind(409, "The queue exists", "Use that queue, or choose another name."),
    "reference_taken": Kind(409, "The reference is taken", "Look at the item that holds it."),
    "not_newest": Kind(409, "Not the newest item of its reference", "Use the newest one."),
    "not_failed": Kind(409, "The item has not failed", _LOOK),
    "not_waiting": Kind(409, "The item is not waiting", _LOOK),
    "not_new": Kind(409, "The item is not new", _LOOK),
    "not_deleted": Kind(409, "It is not deleted", _LOOK),
    "in_progress": Kind(409, "The item is in progress", "Wait until its run closes it."),
    "stale_claim": Kind(409, "The claim is out of date", "Drop this round; take an item again."),
    "already_closed": Kind(409, "The round was closed otherwise", _LOOK),
    "run_ended": Kind(409, "The run has ended", _RUN),
    "too_late": Kind(409, "The restore time is over", "Add the item again."),
    "task_exists": Kind(409, "The manual task exists", "Use that task, or choose another name."),
    "process_exists": Kind(
        409, "The business process exists", "Use that process, or choose another name."
    ),
    "task_archived": Kind(
        409, "The manual task is archived", "Take it out of the archive: `archived` false."
    ),
    "hit_taken": Kind(409, "The record is not to be had", _LIST),
    "hidden": Kind(409, "The record is hidden from you", _LIST),
    "assignment_over": Kind(409, "The assignment is over", _LIST),
    "already_submitted": Kind(409, "The assignment was answered", _LIST),
    "already_approved": Kind(409, "The answer was approved", _HIT),
    "already_decided": Kind(409, "The record was decided", _HIT),
    "already_routed": Kind(409, "The record went on to its next step", _HIT),
    "not_submitted": Kind(409, "The assignment has no answer", _HIT),
    "not_unresolved": Kind(409, "The record needs no adjudicator", _HIT),
    "version_mismatch": Kind(
        412, "Changed in the meantime", "Read it again and base the change on its new version."
    ),
    "too_large": Kind(413, "Too large", "Keep the document elsewhere and send its address."),
    "too_many": Kind(
        413,
        "Too many items",
        "Cut the load into requests under `<key>/<part>`, as the client does.",
    ),
    "request_too_large": Kind(
        413,
        "The request is too large",
        "5,000 items fit into 6 MB only up to about 1 KB each: cut the load into requests "
        "under `<key>/<part>`, as the client and the command line do.",
    ),
    "unsupported_media_type": Kind(
        415, "The content type is not understood", "Send the content type that the detail names."
    ),
    "key_reused": Kind(422, "The key was used for something else", "Use a new Idempotency-Key."),
    "invalid_records": Kind(
        422,
        "The records have faults",
        "Correct the file: `problems` says where, the first 100 of `total`. Nothing was created.",
    ),
    "version_required": Kind(
        428, "Say which version the change is based on", 'Send `If-Match` with the ETag, like "3".'
    ),
    # ours
    "internal": Kind(500, "Something went wrong here", "Report the id; a repeat may succeed."),
    "busy": Kind(503, "Busy", "Send the same request again a little later, with the same key."),
    "upgrading": Kind(503, "Being upgraded", "Send the same request again a little later."),
}

RETRY_AFTER_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a request, and where."""

    field: str | None
    code: str
    message: str
    index: int | None = None

    def wire(self) -> dict[str, Any]:
        """The fault as it is on the wire."""
        at = {} if self.index is None else {"index": self.index}
        return {**at, "field": self.field, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal on its way out."""

    code: str
    detail: str
    faults: Sequence[Fault] = ()
    context: Mapping[str, Any] | None = None
    id: str | None = None

    @property
    def status(self) -> int:
        """The HTTP status."""
        return TABLE[self.code].status

    def body(self) -> dict[str, Any]:
        """The problem+json body; `context` holds the ids and numbers that the detail speaks of."""
        kind = TABLE[self.code]
        body: dict[str, Any] = {
            "type": f"urn:workledger:problem:{self.code}",
            "title": kind.title,
            "status": kind.status,
            "code": self.code,
            "detail": self.detail,
            "advice": kind.advice,
            "errors": [fault.wire() for fault in self.faults],
        }
        if self.code == "invalid_records":
            return {**body, **(self.context or {})}
        if self.context:
            body["context"] = dict(self.context)
        if self.id:
            body["id"] = self.id
        return body

    def headers(self) -> dict[str, str]:
        """What the status asks for besides the content type."""
        if self.status == 503:
            return {"Retry-After": str(RETRY_AFTER_SECONDS)}
        if self.status == 401:
            return {"WWW-Authenticate": "Bearer"}
        if self.status == 405 and self.context:
            return {"Allow": ", ".join(self.context["allow"])}
        return {}


def of_refusal(refused: Refused) -> Problem:
    """The problem of a refusal; a code that is missing in the table is a fault of ours."""
    code = refused.code if refused.code in TABLE else "internal"
    extra = dict(refused.extra)
    faults = _several(refused.code, extra.pop("faults", ()))
    if not faults and (refused.field is not None or refused.index is not None):
        faults = (Fault(refused.field, refused.code, refused.detail, refused.index),)
    return Problem(code, refused.detail, faults, extra or None)


def _several(code: str, told: object) -> tuple[Fault, ...]:
    """Of an answer that does not fit its schema: every place, `{field, message}`."""
    found = cast("Iterable[Mapping[str, str]]", told)
    return tuple(Fault(one["field"], code, one["message"]) for one in found)


def of_error(error: Exception, incident: str) -> Problem:
    """The problem of any error; what is not one of ours tells its id and nothing else."""
    if isinstance(error, Refused) and error.code in TABLE:
        return of_refusal(error)
    if isinstance(error, StoreBusy | AnswerLost):
        return Problem(
            "busy", "The store is busy, or its answer was lost: nothing is known to fail."
        )
    if isinstance(error, NewerShape):
        return Problem(
            "upgrading", "This was written by a newer deployment than the one that answers."
        )
    return Problem("internal", f"An unexpected error, logged under the id {incident}.", id=incident)
