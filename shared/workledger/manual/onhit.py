"""Commands on a hit that touch all of its things: those that may close or re-open it."""

from collections.abc import Sequence
from dataclasses import dataclass

from workledger.errors import StoreBusy
from workledger.keys import HEAD
from workledger.ledger.aggregate import Decide, Seen
from workledger.ledger.commit import Event
from workledger.ledger.execute import ATTEMPTS, Result
from workledger.manual_tasks.hit import Hit
from workledger.service.core import Core
from workledger.views.row import Row


class _Joined(Exception):
    """Somebody met the hit after its things were read."""


@dataclass(frozen=True, slots=True)
class Things:
    """A hit's head and, read after it, all of its things and some others."""

    names: tuple[str, ...]
    rows: dict[str, Row]


def read_all(core: Core, stream: str, others: Sequence[str] = ()) -> Things:
    """A hit with all of its things and these others: two requests."""
    rows = core.store.load(stream)
    hit: Hit | None = core.executor.state(rows.get(HEAD))
    names = tuple(dict.fromkeys((*(hit.things if hit else ()), *others)))
    found = core.store.rows([(stream, thing) for thing in names]) if names else {}
    return Things(names, rows | {thing: row for (_, thing), row in found.items()})


def on_all(
    core: Core,
    stream: str,
    actor: str,
    decide: Decide,
    others: Sequence[str] = (),
    first: Things | None = None,
) -> Result:
    """Carry out a command with all things of a hit and these others; `first` was just read.

    Who comes to it meanwhile is read too. Raises Refused, StoreBusy, AnswerLost.
    """
    command = core.new_id()
    for _ in range(ATTEMPTS):
        read, first = first or read_all(core, stream, others), None
        asked = core.command(stream, actor, _guarded(decide, read.names), read.names, command)
        try:
            return core.executor.run(asked, read.rows)
        except _Joined:
            continue
    raise StoreBusy("too many writers at once: try again a little later")


def _guarded(decide: Decide, things: Sequence[str]) -> Decide:
    """The decision, only where all things that it may touch were read."""

    def guarded(seen: Seen) -> Sequence[Event]:
        hit: Hit | None = seen.head
        if hit is not None and not set(hit.things) <= set(things):
            raise _Joined
        return decide(seen)

    return guarded
