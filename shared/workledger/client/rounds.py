"""One round: an item is taken, worked on, and closed exactly once (Q60 to Q64)."""

import logging
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Any, Literal

from workledger.client.answers import Taken
from workledger.client.beats import Beats
from workledger.client.errors import (
    BusinessError,
    Conflict,
    NotFound,
    WorkledgerApiError,
)
from workledger.client.items import Items
from workledger.client.wire import UNSET

Ending = Literal["completed", "failed", "lost", "abandoned"]
"""How a round ended; failed with or without a retry. Lost: another holds the item by now."""


log = logging.getLogger("workledger")


class WorkItem:
    """The item of a round: `item.data["invoiceNo"]` (Q64).

    Set `result`, or return it from the handler, to have it kept as the item's outcome; or close
    the item yourself with `complete` or `fail`, and the loop leaves it alone (Q62). `lost` turns
    true when the claim is gone: somebody else may work on the item, so stop.
    """

    def __init__(self, items: Items, taken: Taken) -> None:
        self._items = items
        self._closing = False
        self.taken = taken
        self.result: Any = UNSET
        self.lost = False
        self.ending: Ending | None = None

    @property
    def id(self) -> str:
        """The item's id."""
        return self.taken.id

    @property
    def claim(self) -> str:
        """What this take of the item is closed with (Q25)."""
        return self.taken.claim

    @property
    def run(self) -> str:
        """The run that holds it."""
        return self.taken.run

    @property
    def number(self) -> int:
        """Its number in the queue (Q13)."""
        return self.taken.number

    @property
    def reference(self) -> str | None:
        """The business key, if it has one (Q11)."""
        return self.taken.reference

    @property
    def data(self) -> Any:
        """Its data, equal to what was added (Q10)."""
        return self.taken.data

    @property
    def data_text(self) -> str:
        """Its data as JSON text, digit for digit."""
        return self.taken.data_text

    @property
    def attempt(self) -> int:
        """Which round this is, from 1 (Q24)."""
        return self.taken.attempt

    @property
    def priority(self) -> int:
        """Higher first (Q11)."""
        return self.taken.priority

    @property
    def due(self) -> str | None:
        """When it should be done, if that was said (Q15)."""
        return self.taken.due

    @property
    def closed(self) -> bool:
        """Whether the round has ended."""
        return self.ending is not None

    def complete(self, result: Any = UNSET) -> None:
        """Complete it now (Q40). Raises StaleClaim when the claim is gone."""
        self._close("completed", lambda: self._items.complete(self.taken, result))

    def fail(
        self,
        reason: str = "",
        *,
        retry: bool = True,
        not_before: str | datetime | None = None,
    ) -> None:
        """End the round without success now (Q41, Q42). Raises StaleClaim."""
        self._close(
            "failed",
            lambda: self._items.fail(self.taken, reason, retry=retry, not_before=not_before),
        )

    def progress(self, text: str) -> None:
        """Show how far the work is; keeps the lease alive as well (Q46). Raises StaleClaim."""
        self._items.beat(self.taken, text)

    def beat(self) -> None:
        """Keep the lease alive; the worker's background thread does it by itself."""
        self._items.beat(self.taken)

    def tell_lost(self) -> None:
        """Called by the beats when the server says that the claim is gone."""
        # The answer to a beat that was under way while the item was closed says nothing.
        if not self._closing:
            self.lost = True

    def _close(self, ending: Ending, send: Callable[[], object]) -> None:
        self._closing = True
        try:
            send()
        except (Conflict, NotFound):
            self.lost, self.ending = True, "lost"
            raise
        except BaseException:
            self._closing = False
            raise
        self.ending = ending


class Round:
    """The context of one item: `with round as item:`. The only place where a round ends.

    A normal end (`break` and `continue` too) completes the item; BusinessError fails it for good;
    any other error fails it with a retry; the loop goes on. What is meant to end the program
    (KeyboardInterrupt, SystemExit) goes through: the run is ended, which releases the item (Q50).
    """

    def __init__(
        self, item: WorkItem, beats: Beats, ended: Callable[["Round", BaseException | None], object]
    ) -> None:
        self._item = item
        self._beats = beats
        self._ended = ended
        self.entered = False

    @property
    def ending(self) -> Ending | None:
        """How it ended."""
        return self._item.ending

    def __enter__(self) -> WorkItem:
        self.entered = True
        self._beats.hold(self._item)
        return self._item

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        fatal: BaseException | None = None
        try:
            fatal = self._close(error)
        except BaseException as late:
            fatal = late
            raise
        finally:
            self._beats.let_go()
            if fatal is not None and self._item.ending is None:
                self._item.ending = "abandoned"
            self._ended(self, fatal)
        return fatal is None

    def _close(self, error: BaseException | None) -> BaseException | None:
        """Close the item as the end of its block asks for; answers what must go through."""
        item = self._item
        if error is not None and not isinstance(error, Exception):
            return error
        if error is not None:
            _tell(item, error)
        if item.closed:
            return None
        if item.lost:
            item.ending = "lost"
            return None
        try:
            if error is None:
                self._complete()
            else:
                item.fail(reason_of(error), retry=not isinstance(error, BusinessError))
        except (Conflict, NotFound):
            return None
        return None

    def _complete(self) -> None:
        """Complete; a result that cannot be kept is an error of this round like any other."""
        item = self._item
        try:
            item.complete(item.result)
        except (TypeError, ValueError) as error:
            item.fail(f"the result is not JSON: {error}")
        except WorkledgerApiError as error:
            if error.status not in {400, 413}:
                raise
            item.fail(f"the result was refused: {error.detail}")


def _tell(item: WorkItem, error: Exception) -> None:
    """Errors of the code go on to the log, since the loop does: with their trace, if unexpected."""
    business = isinstance(error, BusinessError)
    log.log(
        logging.INFO if business else logging.WARNING,
        "item %s: %s",
        item.id,
        reason_of(error),
        exc_info=None if business else error,
    )


def reason_of(error: BaseException) -> str:
    """An error in one line, as it is kept as the reason."""
    if isinstance(error, BusinessError):
        return str(error)
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
