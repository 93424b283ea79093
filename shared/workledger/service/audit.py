"""The audit log: who changed queues and access, when, before and after (Q6)."""

from datetime import timedelta
from typing import Any

from workledger import keys
from workledger.ledger import fold
from workledger.service import paging
from workledger.service.core import Core, Page
from workledger.times import to_datetime, to_text

MONTHS_AT_ONCE = 24
"""Empty months that one request passes over."""

EARLIEST = "2024-01"


def page(core: Core, cursor: str | None, limit: int) -> Page[Any]:
    """Audit entries, newest first. Each has at, actor, action, subject, before, after."""
    month, after = core.clock()[:7], None
    if cursor:
        month, *parts = paging.decode(cursor, str, *paging.SPOT)
        after = paging.spot(parts)
    entries: list[Any] = []
    for _ in range(MONTHS_AT_ONCE):
        spots = core.store.read_line(
            keys.audit_line(month), after=after, limit=limit - len(entries), backwards=True
        )
        rows = core.store.rows([(one.stream, one.thing) for one in spots])
        for one in spots:
            aggregate = core.executor.aggregates[keys.kind(one.stream)]
            entries.append(fold.state(aggregate, rows.get((one.stream, one.thing))))
        if len(entries) == limit:
            return Page(_known(entries), paging.encode(month, *spots[-1]))
        month, after = _before(month), None
        if month < EARLIEST:
            break
    return Page(_known(entries))


def _known(entries: list[Any]) -> list[Any]:
    return [entry for entry in entries if entry is not None]


def _before(month: str) -> str:
    first = to_datetime(f"{month}-01T00:00:00.000Z")
    return to_text(first - timedelta(days=1))[:7]
