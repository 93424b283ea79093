"""Streams without rows: what a keyed request remembers. They are read from the ledger itself."""

from workledger.errors import AnswerLost, StoreBusy, StoreError
from workledger.ledger.commit import Commit, Event
from workledger.ledger.execute import ATTEMPTS
from workledger.service.core import Core
from workledger.stores.port import Write


def put(core: Core, stream: str, number: int, actor: str, event: Event) -> Commit:
    """Write a commit at this number unless one stands there; answers the one that stands.

    Raises StoreBusy or AnswerLost: the request can be repeated with its key.
    """
    commit = Commit(stream, number, core.new_id(), core.clock(), actor, (event,))
    error: StoreError = StoreBusy("the store is busy: try again a little later")
    for attempt in range(ATTEMPTS):
        if attempt:
            core.executor.pause(attempt)
        outcome = core.store.append([Write(commit)])[0]
        if not isinstance(outcome, StoreError):
            return outcome or commit
        error = error if isinstance(error, AnswerLost) else outcome
    raise error
