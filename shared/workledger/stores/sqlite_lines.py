"""The embedded store's reads by line and index: statement and parameters, each one index range.

A bound that nobody asked for is a value beyond all others; SQLite sorts numbers < texts < blobs.
"""

from typing import Any

from workledger.stores.port import Found, Index
from workledger.views.order import Spot

Query = tuple[str, tuple[Any, ...]]

_LEAST = -(1 << 63)
_MOST = b""

_SPOTS = "SELECT rank, date, seq, tie, stream, thing FROM views WHERE line = ?"
_FORWARDS = (
    f"{_SPOTS} AND (rank, date, seq, tie, stream, thing) > (?, ?, ?, ?, ?, ?)"
    " AND (rank, date) <= (?, ?)"
    " ORDER BY rank, date, seq, tie, stream, thing LIMIT ?"
)
_BACKWARDS = (
    f"{_SPOTS} AND (rank, date, seq, tie, stream, thing) < (?, ?, ?, ?, ?, ?) AND rank >= ?"
    " ORDER BY rank DESC, date DESC, seq DESC, tie DESC, stream DESC, thing DESC LIMIT ?"
)
# SQLite walks both ranges side by side, as they stand, and ends with the page.
_WITHOUT = (
    "SELECT rank, date, seq, tie, stream, (SELECT thing FROM views WHERE line = ?1"
    " AND rank = found.rank AND date = found.date AND seq = found.seq AND tie = found.tie"
    " AND stream = found.stream) FROM (SELECT rank, date, seq, tie, stream FROM views"
    " WHERE line = ?1 AND (rank, date, seq, tie, stream, thing) > (?3, ?4, ?5, ?6, ?7, ?8)"
    " EXCEPT SELECT rank, date, seq, tie, stream FROM views"
    " WHERE line = ?2 AND (rank, date, seq, tie) >= (?3, ?4, ?5, ?6)"
    " ORDER BY rank, date, seq, tie, stream LIMIT ?9) AS found"
)

_COUNT = "SELECT count(*) FROM (SELECT 1 FROM views WHERE line = ? LIMIT ?)"
_COUNT_BEFORE = (
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM views WHERE line = ?1 AND rank < ?2 LIMIT ?8)),"
    " (SELECT count(*) FROM (SELECT 1 FROM views WHERE line = ?1 AND rank = ?2"
    " AND (date, seq, tie, stream, thing) < (?3, ?4, ?5, ?6, ?7) LIMIT ?8))"
)

_INDEXES: dict[Index, str] = {
    "number": (
        "SELECT number, stream, thing FROM views WHERE queue = ?1 AND number IS NOT NULL"
        " AND (number, stream, thing) > (?2, ?3, ?4) AND number < ?5"
        " ORDER BY number, stream, thing LIMIT ?6"
    ),
    "ref": (
        "SELECT ref, stream, thing FROM views WHERE queue = ?1 AND ref IS NOT NULL"
        " AND (ref, stream, thing) > (?2, ?3, ?4) AND ref < ?5"
        " ORDER BY ref, stream, thing LIMIT ?6"
    ),
    "run": (
        "SELECT stream, stream, thing FROM views WHERE run = ?1"
        " AND (stream, thing) > (?2, ?4) AND stream < ?5 ORDER BY stream, thing LIMIT ?6"
    ),
}


def line_query(
    line: str, after: Spot | None, limit: int, backwards: bool, until: str | None
) -> Query:
    """Spots of a line beyond `after`, in order; `until` keeps to rank 0 and dates up to it."""
    least = _LEAST if until is None else 0
    most = (_MOST, "") if until is None else (0, until)
    if backwards:
        end = after
        if end is None or (until is not None and (end.rank, end.date) > (0, until)):
            end = (*most, _MOST, "", "", "")
        return _BACKWARDS, (line, *end, least, limit)
    start = (least, "", _LEAST, "", "", "")
    return _FORWARDS, (line, *max(start, after or start), *most, limit)


def without_query(line: str, without: str, after: Spot | None, limit: int) -> Query:
    """Spots of a line beyond `after`, in order, without the streams that stand there on another."""
    start = after or (_LEAST, "", _LEAST, "", "", "")
    return _WITHOUT, (line, without, *start, limit)


def count_query(line: str, limit: int) -> Query:
    """How many rows stand on a line."""
    return _COUNT, (line, limit)


def before_query(line: str, spot: Spot, limit: int) -> Query:
    """How many rows stand before a spot: of lower rank, of the same rank."""
    return _COUNT_BEFORE, (line, *spot, limit)


def index_query(
    index: Index, partition: str, after: Found | None, limit: int, prefix: str
) -> Query:
    """(value, stream, thing) of an index's partition beyond `after`, in order."""
    start: tuple[Any, ...] = (_LEAST if index == "number" else prefix, "", "")
    if after is not None:
        start = max(start, (after.value, after.stream, after.thing))
    return _INDEXES[index], (partition, *start, _after_all(prefix), limit)


def _after_all(prefix: str) -> str | bytes:
    """The least value greater than every text that begins with the prefix."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return _MOST
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(0xE000 if following == 0xD800 else following)
