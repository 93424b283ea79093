"""The ledger in a SQLite file, read as if it were a DynamoDB stream."""

from collections.abc import Callable, Sequence
from typing import Protocol

from workledger.local.following import Read, Record
from workledger.stores.port import Address

CURSOR = "projector"
"""The name under which the file remembers how far the projector came: never rename it."""

KEPT_EVERY = 1.0
"""Seconds between two times that the position is written: after a crash, what came since is played
again, which is harmless."""


class File(Protocol):
    """What the SQLite store can do beyond the port."""

    def moved(self, after: int, limit: int) -> tuple[list[tuple[int, Address]], int]:
        """Where commits were added beyond a position, and the position to go on from."""
        ...

    def cursor(self, name: str) -> int:
        """The position remembered under a name."""
        ...

    def set_cursor(self, name: str, position: int) -> None:
        """Remember a position."""
        ...


class LedgerFile:
    """A source of one shard; `met` hears of every page that is not empty.

    A commit that another process wrote is met within `poll` seconds."""

    shard = "shardId-00000000000000000000-00000000"
    poll = 0.2
    short_pages = False

    def __init__(self, file: File, clock: Callable[[], float], met: Callable[[], None]) -> None:
        self._file = file
        self._met = met
        self._clock = clock
        self._position = self._kept = file.cursor(CURSOR)
        self._kept_at = clock()

    def read(self, limit: int) -> Sequence[Read]:
        """The next commits."""
        found, _ = self._file.moved(self._position, limit)
        if found:
            self._met()
        return [Read(position, _record(position, address)) for position, address in found]

    def done(self, position: int) -> None:
        """Go on from here."""
        self._position = position

    def tidy(self, *, ending: bool = False) -> None:
        """Remember the position in the file, once a second at most."""
        if self._position != self._kept and (ending or self._clock() - self._kept_at >= KEPT_EVERY):
            self._file.set_cursor(CURSOR, self._position)
            self._kept, self._kept_at = self._position, self._clock()


def _record(position: int, address: Address) -> Record:
    stream, number = address
    sequence = f"{position:021d}"
    return {
        "eventID": f"{position:032x}",
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "local",
        "eventSourceARN": "arn:aws:dynamodb:local:000000000000:table/ledger/stream/local",
        "dynamodb": {
            "Keys": {"stream": {"S": stream}, "n": {"N": str(number)}},
            "SequenceNumber": sequence,
            "SizeBytes": len(stream) + 8,
            "StreamViewType": "KEYS_ONLY",
        },
    }
