"""The records of a load as the ledger keeps them, so that whoever finds it half done goes on (M54).

A chunk is JSON text, two values for each record: `[index, hitOrder, hitOrderDate]`, and
`{"data", "more"}`, which is the payload of its hit as it stands there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workledger import jsontext, keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.ledger.commit import Commit, Event
from workledger.ledger.execute import ATTEMPTS
from workledger.ledger.spill import CHUNK
from workledger.manual_tasks import columns
from workledger.manual_tasks.load import Load
from workledger.manual_tasks.records import Order, Problem, Record, refuse
from workledger.service.core import Core
from workledger.stores.port import StoreError, Write

CHUNK_BYTES = 300_000
"""A chunk's text stops here, if it has one record at least."""

CHUNKS_AT_ONCE = 20

Chunks = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Stored:
    """One record as it is kept; `payload` is that of its hit."""

    index: int
    hit_order: int
    hit_order_date: str
    payload: str

    @property
    def text(self) -> str:
        """It as it stands in a chunk."""
        head = jsontext.dumps([self.index, self.hit_order, self.hit_order_date])
        return f"{head}{self.payload}\n"

    @property
    def order(self) -> Order:
        """Where it stands, without the further members."""
        return Order(self.hit_order, self.hit_order_date)

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """Its values as comparators read them."""
        return columns.values(columns.split(self.payload)[0])

    @property
    def record(self) -> Record:
        """It as it was loaded."""
        own, more = columns.split(self.payload)
        further = jsontext.entry(more.text)[0].members or {}
        return Record(self.index, own, Order(self.hit_order, self.hit_order_date, further))


def stored(records: Sequence[Record]) -> list[Stored]:
    """Records as they are kept. Raises Refused("invalid_records") of one nested too deep."""
    return [_stored(one) for one in records]


def _stored(record: Record) -> Stored:
    order = record.order
    payload = columns.payload(record.values, dict(order.more))
    if order.more or any(isinstance(one, Raw | dict | list) for one in record.values.values()):
        try:
            jsontext.entry(payload)
        except Refused as refused:
            problem = Problem(record.index, None, None, None, "nested_too_deep", refused.detail)
            raise refuse([problem]) from refused
    return Stored(record.index, order.hit_order, order.hit_order_date, payload)


def write(core: Core, actor: str, stream: str, records: Sequence[Stored]) -> Chunks:
    """Write the records of a load before anything names them; answers where they stand.

    Each try has chunks of its own: undated records of two tries have two dates.
    """
    command, now = core.new_id(), core.clock()
    named: list[tuple[str, int]] = []
    for first in range(0, len(cut := _cut(records)), CHUNKS_AT_ONCE):
        writes: list[Write] = []
        for count, text in cut[first : first + CHUNKS_AT_ONCE]:
            at = keys.chunk_stream(stream, command, len(named))
            named.append((at, count))
            event = Event(CHUNK, things=(), payload=text)
            writes.append(Write(Commit(at, 1, command, now, actor, (event,))))
        _append(core, writes)
    return tuple(named)


def _cut(records: Sequence[Stored]) -> list[tuple[int, str]]:
    """(how many records, their text), in order."""
    found: list[tuple[int, str]] = []
    texts: list[str] = []
    size = 0
    for one in records:
        text = one.text
        length = len(text.encode())
        if texts and size + length > CHUNK_BYTES:
            found.append((len(texts), "".join(texts)))
            texts, size = [], 0
        texts.append(text)
        size += length
    return [*found, (len(texts), "".join(texts))]


def _append(core: Core, writes: Sequence[Write]) -> None:
    """Write them side by side; one that stands there already is this very one."""
    waiting = list(writes)
    for attempt in range(ATTEMPTS):
        if attempt:
            core.executor.pause(attempt)
        outcomes = core.store.append(waiting)
        pairs = list(zip(waiting, outcomes, strict=True))
        errors = [outcome for _, outcome in pairs if isinstance(outcome, StoreError)]
        if not errors:
            return
        waiting = [write for write, outcome in pairs if isinstance(outcome, StoreError)]
        if attempt == ATTEMPTS - 1:
            raise errors[0]


def read(core: Core, load: Load, skip: int = 0) -> Iterator[Stored]:
    """The records of a load, in order, beyond the first `skip`."""
    passed = 0
    for stream, count in load.chunks:
        if passed + count > skip:
            address = (stream, 1)
            commit: Commit = core.store.commits_at([address])[address]
            for one in parsed(commit.payload() or ""):
                if one.index > skip:
                    yield one
        passed += count


def parsed(text: str) -> Iterator[Stored]:
    """The records in a chunk's text."""
    at, end = 0, len(text)
    while at < end:
        head, at = jsontext.entry(text, at)
        payload, at = jsontext.entry(text, at)
        index, hit_order, hit_order_date = head.value
        yield Stored(index, hit_order, hit_order_date, payload.raw.text)
        at += 1  # the newline
