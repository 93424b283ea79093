"""What the client raises: one class per kind of refusal, found by its code or else its status."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from workledger.errors import WorkledgerError


class BusinessError(Exception):
    """Raised on purpose inside a round: the item fails for good, whatever Retries says (Q61)."""


class ServerUnreachable(WorkledgerError):
    """No answer after all repeats: the server is not there, or too slow (Q102)."""

    def __init__(self, url: str, cause: str) -> None:
        super().__init__(f"no answer from {url}: {cause}")
        self.url = url
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request: at which entry (`index`), in which field, what is wrong."""

    field: str | None
    code: str
    message: str
    index: int | None = None


class WorkledgerApiError(WorkledgerError):
    """A refusal of the server. `code` is stable and meant for programs, `detail` for people.

    `errors` lists each fault with its index and field. `uncertain`: the answer to an earlier try
    of the same request was lost, so that this may be the answer to a repeat of what was done.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: tuple[Fault, ...] = (),
        *,
        problem: Mapping[str, Any] | None = None,
        uncertain: bool = False,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.problem = problem or {}
        self.uncertain = uncertain

    def shifted(self, by: int) -> "WorkledgerApiError":
        """The same refusal with every index so much higher: a part of a larger load (Q84)."""
        errors = tuple(
            fault if fault.index is None else replace(fault, index=fault.index + by)
            for fault in self.errors
        )
        return type(self)(
            self.status,
            self.code,
            self.detail,
            errors,
            problem=self.problem,
            uncertain=self.uncertain,
        )


class BadRequest(WorkledgerApiError):
    """400: the JSON, a field or the query is not as it must be."""


class Unauthenticated(WorkledgerApiError):
    """401: no token, or one that is unknown, expired or revoked."""


class Forbidden(WorkledgerApiError):
    """403: the role lacks the permission, or the run belongs to another actor (Q53, Q73)."""


class NotFound(WorkledgerApiError):
    """404: no such queue, item or run."""


class Conflict(WorkledgerApiError):
    """409: the state does not allow it, nothing was changed."""


class StaleClaim(Conflict):
    """409: this claim does not hold the item any more, or ended it in another way (Q43)."""


class RunHasEnded(Conflict):
    """409: the run has ended (Q53)."""


class VersionMismatch(WorkledgerApiError):
    """412: the settings were changed since they were read (Q4)."""


class TooLarge(WorkledgerApiError):
    """413: the request, or an item's data and result, is too large (Q14)."""


class KeyReused(WorkledgerApiError):
    """422: the Idempotency-Key was used for another request (Q83)."""


class AssignmentOver(Conflict):
    """409: the assignment's deadline has passed, or it ended otherwise (M34)."""


@dataclass(frozen=True, slots=True)
class RecordProblem:
    """One thing that is wrong in a load: in which record (from 1), on which line, and what."""

    record: int | None
    line: int | None
    column: str | None
    value: str | None
    code: str
    hint: str


class InvalidRecords(WorkledgerApiError):
    """422: records with faults; nothing was loaded (M54)."""

    @property
    def problems(self) -> tuple[RecordProblem, ...]:
        """The first 100 of them."""
        return tuple(
            RecordProblem(
                one.get("record"),
                one.get("line"),
                one.get("column"),
                one.get("value"),
                str(one.get("code")),
                str(one.get("hint")),
            )
            for one in _objects(self.problem.get("problems"))
        )

    @property
    def total(self) -> int:
        """How many there are."""
        total = self.problem.get("total")
        return total if isinstance(total, int) else len(self.problems)


class Busy(WorkledgerApiError):
    """429 or 503, still so after all repeats."""


_BY_CODE: Mapping[str, type[WorkledgerApiError]] = {
    "stale_claim": StaleClaim,
    "already_closed": StaleClaim,
    "run_ended": RunHasEnded,
    "assignment_over": AssignmentOver,
    "invalid_records": InvalidRecords,
}
_BY_STATUS: Mapping[int, type[WorkledgerApiError]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: VersionMismatch,
    413: TooLarge,
    422: KeyReused,
    429: Busy,
    503: Busy,
}


def error_of(status: int, problem: Mapping[str, Any], *, uncertain: bool) -> WorkledgerApiError:
    """The exception for a problem+json body."""
    code = str(problem.get("code") or f"http_{status}")
    detail = str(problem.get("detail") or problem.get("title") or f"HTTP status {status}")
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, WorkledgerApiError)
    return kind(status, code, detail, _faults(problem), problem=problem, uncertain=uncertain)


def _faults(problem: Mapping[str, Any]) -> tuple[Fault, ...]:
    return tuple(
        Fault(one.get("field"), str(one.get("code")), str(one.get("message")), one.get("index"))
        for one in _objects(problem.get("errors"))
    )


def _objects(found: Any) -> list[dict[str, Any]]:
    listed = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("dict[str, Any]", one) for one in listed if isinstance(one, dict)]
