"""Long payloads of streams with many things: written first, in the ledger, each at an address.

A put that may be lost to another writer is cheap that way, and no row grows beyond what a store
bears. A chunk is named (stream, command id, n): a retry of the command finds it again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workledger.errors import StoreBusy, StoreError
from workledger.keys import chunk_stream
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Commit, Event
from workledger.ledger.execute import ATTEMPTS, Executor
from workledger.stores.port import Address, Store, Write

LONGEST = 1_024
"""Characters of a payload that stay with their commit."""

CHUNK = "_Chunk"


def spilling(executor: Executor, command: Command) -> Command:
    """The command, whose long payloads go elsewhere before its commit is put."""
    spilled: dict[str, tuple[str, int]] = {}

    def decide(seen: Seen) -> Sequence[Event]:
        return [_spill(executor, command, event, spilled) for event in command.decide(seen)]

    return replace(command, decide=decide)


def _spill(
    executor: Executor, command: Command, event: Event, spilled: dict[str, tuple[str, int]]
) -> Event:
    text = event.payload
    if text is None or len(text) <= LONGEST:
        return event
    if text not in spilled:
        number = len(spilled) + 1
        at = (chunk_stream(command.stream, command.id), number)
        chunk = Event(CHUNK, things=(), payload=text)
        _put(executor, Commit(*at, command.id, command.now, command.actor, (chunk,)))
        spilled[text] = at
    return replace(event, payload=None, chunk=spilled[text])


def _put(executor: Executor, commit: Commit) -> None:
    """A chunk that stands there already is this command's own."""
    error: StoreError = StoreBusy("the store is busy: try again a little later")
    for attempt in range(ATTEMPTS):
        if attempt:
            executor.pause(attempt)
        outcome = executor.store.append([Write(commit)])[0]
        if not isinstance(outcome, StoreError):
            return
        error = outcome
    raise error


def payloads(store: Store, events: Iterable[Event]) -> list[str | None]:
    """The payloads of events, wherever they stand; None for none, or one that was purged."""
    wanted = list(events)
    addresses: list[Address] = [event.chunk for event in wanted if event.chunk is not None]
    chunks = store.commits_at(addresses) if addresses else {}
    return [_payload(event, chunks.get(event.chunk) if event.chunk else None) for event in wanted]


def _payload(event: Event, chunk: Commit | None) -> str | None:
    return chunk.payload() if chunk is not None else event.payload
