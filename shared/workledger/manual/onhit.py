"""Commands on a hit that touch all of its things: those that may close or re-open it."""

from collections.abc import Sequence

from workledger.errors import StoreBusy
from workledger.keys import HEAD, worker_thing
from workledger.ledger.aggregate import Decide, Seen
from workledger.ledger.commit import Event
from workledger.ledger.execute import ATTEMPTS, Result
from workledger.manual_tasks.hit import Hit
from workledger.service.core import Core


class _Joined(Exception):
    """Somebody met the hit after its things were read."""


def on_all(
    core: Core, stream: str, actor: str, decide: Decide, others: Sequence[str] = ()
) -> Result:
    """Carry out a command with all things of a hit and these others.

    Who comes to it meanwhile is read too. Raises Refused, StoreBusy, AnswerLost.
    """
    command = core.new_id()
    for _ in range(ATTEMPTS):
        rows = core.store.load(stream)
        hit: Hit | None = core.executor.state(rows.get(HEAD))
        things = tuple(dict.fromkeys((*(hit.things if hit else ()), *others)))
        found = core.store.rows([(stream, thing) for thing in things]) if things else {}
        rows |= {thing: row for (_, thing), row in found.items()}
        asked = core.command(stream, actor, _guarded(decide, things), things, command)
        try:
            return core.executor.run(asked, rows)
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


def on_own(core: Core, stream: str, actor: str, worker: str, decide: Decide) -> Result:
    """Carry out a command that touches one worker's assignment only."""
    return core.executor.run(core.command(stream, actor, decide, (worker_thing(worker),)))
