"""A hit: a record offered to people, and their assignments. Pure.

The head is the hit. A thing `p<v>` is where it stands in its task's work list of ordering v: from
its creation until it is closed, also while somebody holds it, so that a deadline that passes needs
nothing to be written (M34). A thing `w.<worker>` is that worker's latest assignment (M38).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, NamedTuple

from workledger.keys import place_thing, worker_thing
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.ordering import Ordering, Position
from workledger.manual_tasks.records import Order

# --- events: stored names, never to be renamed -------------------------------------------------

CREATED = "HitCreated"
PLACED = "HitPlaced"
ACCEPTED = "AssignmentAccepted"
EXTENDED = "AssignmentExtended"
RETURNED = "AssignmentReturned"
SKIPPED = "AssignmentSkipped"
ABANDONED = "AssignmentAbandoned"
SUBMITTED = "AnswerSubmitted"
APPROVED = "AnswerApproved"
REJECTED = "AnswerRejected"
REOPENED = "HitReopened"
DECIDED = "HitDecided"
UNRESOLVED = "HitUnresolved"
ROUTED = "HitRouted"

STATUS: Mapping[str, str] = {
    ACCEPTED: "ACCEPTED",
    RETURNED: "RETURNED",
    SKIPPED: "SKIPPED",
    ABANDONED: "ABANDONED",
    SUBMITTED: "SUBMITTED",
    APPROVED: "APPROVED",
    REJECTED: "REJECTED",
}
"""The event -> the assignment's status after it."""

FOR_GOOD = frozenset({"SKIPPED", "SUBMITTED", "APPROVED", "REJECTED"})
"""Statuses that hide a hit from their worker whatever the time (M31)."""

# --- state --------------------------------------------------------------------------------------


class Placed(NamedTuple):
    """Where a hit stands in one ordering of its task."""

    ordering: int
    date: str
    seq: int

    @classmethod
    def at(cls, ordering: int, position: Position) -> "Placed":
        """A position in an ordering."""
        return cls(ordering, *position)


class Answer(NamedTuple):
    """An answer that counts: SUBMITTED or APPROVED. Its payload is that of commit `commit`."""

    worker: str
    take: int
    digest: str
    commit: int
    approved: bool = False


class Holder(NamedTuple):
    """Who works on the hit: from commit `take`, until the deadline."""

    worker: str
    take: int
    deadline: str


class Decision(NamedTuple):
    """How the hit was decided. The answer is the payload of commit `commit`.

    `by` is agreement, majority or adjudicator.
    """

    at: str
    by: str
    commit: int
    who: str | None = None


OPEN, NO_MAJORITY, DONE = "open", "unresolved", "done"


@dataclass(frozen=True, slots=True)
class Hit:
    """A hit; `task` and `load` are the 26 characters of their ids.

    `way` is (record, step) in a business process, and `routed` says that the record went on.
    `met` are all workers who have an assignment.
    """

    task: str
    version: int
    load: str
    index: int
    number: int
    hit_order: int
    hit_order_date: str
    rule: Adjudication
    places: tuple[Placed, ...]
    visible_from: str | None = None
    way: tuple[str, str] | None = None
    met: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    holder: Holder | None = None
    state: str = OPEN
    decision: Decision | None = None
    routed: bool = False

    @property
    def tie(self) -> str:
        """The tie of its places: what a reader of the list can tell without reading the hit."""
        return tie(self.number, self.version, self.load, self.visible_from)

    @property
    def things(self) -> tuple[str, ...]:
        """Every thing of it besides the head: where it is placed, and the assignments."""
        return (*self.placed_things, *map(worker_thing, self.met))

    @property
    def placed_things(self) -> tuple[str, ...]:
        """The rows by which it stands in work lists."""
        return tuple(place_thing(one.ordering) for one in self.places)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A worker's latest attempt at a hit. `take` is the commit that began it, `at` the last change.

    `place` is (ordering, date, seq, tie) of the hit in its task's list while that is open. The
    answer, if one was given, is the payload of commit `answer`.
    """

    worker: str
    take: int
    status: str
    accepted_at: str
    at: str
    deadline: str
    task: str
    place: tuple[int, str, int, str] | None
    reason: str | None = None
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class Spotted:
    """A hit's row in a work list."""

    task: str
    placed: Placed
    tie: str


class Tie(NamedTuple):
    """What a place's tie tells of a hit."""

    number: int
    version: int
    load: str
    visible_from: str | None


def tie(number: int, version: int, load: str, visible_from: str | None) -> str:
    """Creation first (M4), then what lets a reader drop a hit without reading it."""
    parts = [f"{number:012d}", str(version), load]
    return "_".join([*parts, visible_from] if visible_from else parts)


def read_tie(text: str) -> Tie:
    """What stands in a tie."""
    number, version, load, *rest = text.split("_")
    return Tie(int(number), int(version), load, rest[0] if rest else None)


def places(
    orderings: Iterable[Ordering],
    order: Order,
    values: Mapping[str, Any],
    number: int,
    zone: tzinfo = UTC,
) -> tuple[Placed, ...]:
    """Where a record stands in each of these orderings of its task; `zone` as in M53."""
    return tuple(
        Placed.at(one.version, one.position(order, values, number, zone)) for one in orderings
    )
