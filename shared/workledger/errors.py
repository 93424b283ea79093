"""What can go wrong, each with its code: `api.problems` maps the codes to HTTP, once."""


class WorkledgerError(Exception):
    """The root of every error that this package raises on purpose."""


class Refused(WorkledgerError):
    """A command that the state does not allow, or a value that a rule forbids.

    `code` is stable and meant for programs, `detail` for the person who reads it: what was wrong
    and what to do. `field` and `index` say where, when the fault lies in the request.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        field: str | None = None,
        index: int | None = None,
        **extra: object,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.field = field
        self.index = index
        self.extra = extra


class StoreError(WorkledgerError):
    """The store did not do what it was asked; the outcome is known: nothing was written."""


class StoreBusy(StoreError):
    """Throttled, or too many conflicts in a row: try again a little later."""


class AnswerLost(StoreError):
    """The request may or may not have been carried out: ask again with the same command id."""


class NewerShape(WorkledgerError):
    """A stored event has a version this code does not know: a newer deployment wrote it."""


class FunctionError(WorkledgerError):
    """A Lambda function failed: `reason` is the error's type, `details` what it said."""

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(reason)
        self.reason, self.details = reason, details
