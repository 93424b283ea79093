"""The only place where order is defined.

Every row stands on at most one line, at (rank, date, sequence, tie), ascending: higher priority
first, then by date, then by sequence (Q20). The tie is never equal for two rows. The stores keep
one index by exactly these columns; nobody else compares, sorts or negates.
"""

from typing import NamedTuple

from workledger.keys import digest

BLANK = "-"
"""A date for lines that are not ordered by one: the index leaves out rows that lack a part."""


LONGEST_NAME = 900
"""Bytes of a name on a line: with rank, date and sequence a sort key of DynamoDB has 1,024."""

KEPT = 860
"""Bytes of a longer name by which it stands; whatever is equal so far is in no order."""


class Place(NamedTuple):
    """Where a row stands."""

    line: str
    rank: int
    date: str
    seq: int
    tie: str


class Spot(NamedTuple):
    """A row met on a line: its position, and which row it is. Compares in the line's order."""

    rank: int
    date: str
    seq: int
    tie: str
    stream: str
    thing: str


def by_priority(line: str, priority: int, date: str, seq: int, tie: str) -> Place:
    """Higher priority first, then first come first served."""
    return Place(line, -priority, date, seq, tie)


def by_date(line: str, date: str, seq: int, tie: str) -> Place:
    """Earliest first."""
    return Place(line, 0, date, seq, tie)


def by_record(line: str, date: str, seq: int, tie: str) -> Place:
    """By a record's date or comparator key, then by its number; ties by creation (M1, M4)."""
    return Place(line, 0, date, seq, tie)


def by_rank_and_name(line: str, priority: int, name: str) -> Place:
    """Higher priority first, then by code points of the name (M44)."""
    return Place(line, -priority, BLANK, 0, tie_of(name))


def by_name(line: str, name: str) -> Place:
    """By code points of the name."""
    return Place(line, 0, BLANK, 0, tie_of(name))


def tie_of(name: str) -> str:
    """How a name stands on a line: as it is, or cut, with a hash that keeps it apart."""
    return name if len(name.encode()) <= LONGEST_NAME else f"{beginning(name)}{digest(name)}"


def beginning(name: str) -> str:
    """What a name and all that begin with it stand by: as much of it as any of them keeps."""
    return name.encode()[:KEPT].decode(errors="ignore")


def spot(place: Place, stream: str, thing: str) -> Spot:
    """The position of a row as a reader of the line meets it."""
    return Spot(place.rank, place.date, place.seq, place.tie, stream, thing)
