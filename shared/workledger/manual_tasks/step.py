"""A timed step: it handles one record at a time and keeps until when it is busy (M14). Pure.

Entering fixes when each record leaves: max(arrival, busy-until) + seconds, in the order given. A
thing `e.<entry>` remembers what was answered to an entering, so that who asks again, after a
crash, gets the same answer and takes no second turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.times import plus
from workledger.views.row import NOWHERE, Standing

ENTERED = "StepEntered"

LAST_MOMENT = "9999-12-31T23:59:59.999Z"


@dataclass(frozen=True, slots=True)
class Busy:
    """A timed step of a process (26 characters): until when it is busy, how many it has seen."""

    process: str
    step: str
    until: str
    entered: int


class Arrival(NamedTuple):
    """A record (26 characters) that comes to a step."""

    record: str
    at: str


def enter(
    seen: Seen, process: str, step: str, seconds: float, arrivals: Sequence[Arrival], thing: str
) -> list[Event]:
    """Have records enter, in this order; nothing when this entering was answered before."""
    if seen.states.get(thing) is not None or not arrivals:
        return []
    busy: Busy | None = seen.head
    until = busy.until if busy else ""
    entered: list[list[str]] = []
    for record, at in arrivals:
        until = later(max(at, until), seconds)
        entered.append([record, at, until])
    data = {"process": process, "step": step, "seconds": seconds, "records": entered}
    return [Event(ENTERED, data, (thing, HEAD))]


def later(moment: str, seconds: float) -> str:
    """So many seconds later; never beyond the calendar."""
    try:
        return plus(moment, seconds)
    except OverflowError:
        return LAST_MOMENT


def evolve(thing: str, state: Any, event: Event, commit: Commit, head: Busy | None) -> Any:  # noqa: ARG001 (an aggregate's shape)
    """The step, or what it answered, after an event."""
    data = event.data
    leaves = tuple(leave for _, _, leave in data["records"])
    if thing != HEAD:
        return leaves
    before = head.entered if head else 0
    return Busy(data["process"], data["step"], leaves[-1], before + len(leaves))


def place(stream: str, thing: str, state: Any) -> Standing:  # noqa: ARG001 (an aggregate's shape)
    """On no line: nothing of it has to run."""
    return NOWHERE


def dump(state: Busy | tuple[str, ...]) -> dict[str, Any]:
    """The state as a JSON value."""
    if isinstance(state, Busy):
        return {"b": state.process, "s": state.step, "u": state.until, "n": state.entered}
    return {"l": list(state)}


def load(stored: dict[str, Any]) -> Busy | tuple[str, ...]:
    """The state from its JSON value."""
    if "l" in stored:
        return tuple(stored["l"])
    return Busy(stored["b"], stored["s"], stored["u"], stored["n"])
