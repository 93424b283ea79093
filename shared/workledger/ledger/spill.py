"""Long payloads of streams with many things: written first, in the ledger, each at an address.

A put that may be lost to another writer is cheap that way, and no row grows beyond what a store
bears. A chunk's stream is named by (stream, command id, n): a retry of the command finds it again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workledger.errors import StoreBusy, StoreError
from workledger.keys import chunk_stream
from workledger.ledger.aggregate import Command
from workledger.ledger.commit import Commit, Event
from workledger.ledger.execute import ATTEMPTS, Executor
from workledger.stores.port import Address, Store, Write

LONGEST = 1_024
"""Characters of a payload that stay with their commit."""

CHUNK = "_Chunk"


class Spill:
    """The long payloads of commands that are carried out together.

    `shorten` is pure and gives a payload the same address each time; `flush` writes what is not
    written yet, side by side. It comes before the commit that names the addresses.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._known: dict[tuple[str, str], Address] = {}
        self._unwritten: list[Commit] = []

    def shorten(self, command: Command, events: Sequence[Event]) -> list[Event]:
        """The events of a command with addresses where their payloads are long."""
        return [self._shorten(command, event) for event in events]

    def _shorten(self, command: Command, event: Event) -> Event:
        text = event.payload
        if text is None or len(text) <= LONGEST:
            return event
        at = self._known.get((command.id, text))
        if at is None:
            number = sum(known == command.id for known, _ in self._known)
            at = self._known[command.id, text] = (
                chunk_stream(command.stream, command.id, number),
                1,
            )
            chunk = Event(CHUNK, things=(), payload=text)
            self._unwritten.append(Commit(*at, command.id, command.now, command.actor, (chunk,)))
        return replace(event, payload=None, chunk=at)

    def flush(self) -> None:
        """Write the chunks; one that stands there already is its command's own."""
        error: StoreError = StoreBusy("the store is busy: try again a little later")
        for attempt in range(ATTEMPTS):
            if not self._unwritten:
                return
            if attempt:
                self._executor.pause(attempt)
            writes = [Write(chunk) for chunk in self._unwritten]
            outcomes = self._executor.store.append(writes)
            failed = [
                (write.commit, outcome)
                for write, outcome in zip(writes, outcomes, strict=True)
                if isinstance(outcome, StoreError)
            ]
            self._unwritten = [commit for commit, _ in failed]
            error = failed[0][1] if failed else error
        if self._unwritten:
            raise error


def payloads(store: Store, events: Iterable[Event]) -> list[str | None]:
    """The payloads of events, wherever they stand; None for none, or one that was purged."""
    wanted = list(events)
    addresses: list[Address] = [event.chunk for event in wanted if event.chunk is not None]
    chunks = store.commits_at(addresses) if addresses else {}
    return [_payload(event, chunks.get(event.chunk) if event.chunk else None) for event in wanted]


def _payload(event: Event, chunk: Commit | None) -> str | None:
    return chunk.payload() if chunk is not None else event.payload
