"""Records on their way: entering timed steps, going on with what people decided (M10 to M14).

Nothing has to run for a record to be seen in time: entering a timed step fixes when it leaves, and
the hit that follows is made at once, visible from then. What is left stands on the moving line,
and whoever reads a list first does all that is due there, in the order of time.
"""

import heapq
import logging
from collections.abc import Sequence
from functools import partial

from workledger import keys
from workledger.errors import StoreError
from workledger.keys import MOVING_THING
from workledger.ledger.commit import Commit
from workledger.ledger.execute import Result
from workledger.manual import contents, offering
from workledger.manual.contents import Content
from workledger.manual.offering import Offer
from workledger.manual_tasks import hit as hits
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks import record as records
from workledger.manual_tasks import step as steps
from workledger.manual_tasks.hit import Hit
from workledger.manual_tasks.process import TIMED, Definition, Step
from workledger.manual_tasks.record import Moving, Record, Way
from workledger.manual_tasks.step import Arrival
from workledger.service.core import Core
from workledger.views.order import Spot

AT_ONCE = 100

_log = logging.getLogger(__name__)


def enter(
    core: Core, process: str, step: Step, arrivals: Sequence[Arrival], entry: str
) -> tuple[str, ...]:
    """Have records enter a timed step, in this order; answers when each leaves.

    Who asks again with the same `entry` gets the same answer.
    """
    stream, thing = keys.step_stream(process, step.name), keys.entry_thing(entry)
    decide = partial(
        steps.enter,
        process=process,
        step=step.name,
        seconds=step.seconds,
        arrivals=arrivals,
        thing=thing,
    )
    result = core.executor.run(core.command(stream, "system", decide, (thing,), command=entry))
    return result.states[thing]


# --- after people -------------------------------------------------------------------------------


def try_to_go_on(core: Core, hit_stream: str) -> None:
    """Go on with a hit that may have been decided; what fails now is tried again by the clock."""
    try:
        go_on(core, hit_stream)
    except StoreError as error:
        _log.warning("the record of %s goes on later: %s", hit_stream, error)


def go_on(core: Core, hit_stream: str) -> None:
    """Send a record on with what was decided about it; never twice, never forgotten.

    A command to the record, which remembers it; what that asks for; then HitRouted in the hit,
    which is due until then. Nothing when the hit is open, unresolved, or of no process.
    """
    hit: Hit | None = core.executor.read(hit_stream).head
    if hit is None or hit.way is None or hit.decision is None or hit.routed:
        return
    stream = f"record/{hit.way[0]}"
    went = _answer(core, hit_stream, hit, stream)
    if went is None:
        ensure_offered(core, stream)
    else:
        offering.offer(core, [went])
    core.executor.run(core.command(hit_stream, "system", hit_commands.routed))


def _answer(core: Core, hit_stream: str, hit: Hit, stream: str) -> Offer | None:
    """Tell the record; what it is offered with now. None: it went on before, or has since."""
    record: Record | None = core.executor.read(stream).head
    decision = hit.decision
    if record is None or decision is None or record.hit != keys.bare(hit_stream):
        return None
    command = f"{hit_stream}/{decision.commit}"
    text = _decided(core, hit_stream, decision.commit)
    content = contents.of(core, stream, record).answered(record.step, text)
    definition = contents.definition(core, record.process, record.version)
    way = records.way(definition, record.step, content.values, decision.at, core.manual.zone)
    if way.target.kind == TIMED:
        settle(core, decision.at)
        way = entered(core, record.process, stream, way, command)
    decide = partial(
        records.answer, hit=keys.bare(hit_stream), by=decision.by, payload=text, way=way
    )
    asked = core.command(stream, decision.who or "system", decide, command=command)
    now: Record = core.executor.run(asked).head
    same = len(now.answers) == len(record.answers) + 1
    return Offer(stream, now, definition, content) if same else None


def _decided(core: Core, hit_stream: str, number: int) -> str | None:
    """The answer that won: the payload of its commit."""
    commit: Commit | None = core.store.commits_at([(hit_stream, number)]).get((hit_stream, number))
    events = commit.events if commit else ()
    given = (hits.SUBMITTED, hits.DECIDED)
    return next((one.payload for one in events if one.type in given and one.payload), None)


def entered(core: Core, process: str, stream: str, way: Way, entry: str) -> Way:
    """The way with the moment at which the record leaves its target, where that is timed."""
    if way.target.kind != TIMED:
        return way
    arrival = Arrival(keys.bare(stream), way.at)
    (leave,) = enter(core, process, way.target, [arrival], entry)
    return way._replace(leave=leave)


def ensure_offered(core: Core, stream: str) -> None:
    """See that the hit that a record waits for is there: a writer may have died before it was."""
    record: Record | None = core.executor.read(stream).head
    if record is None or record.hit is None:
        return
    if not offering.missing(core, [f"hit/{record.hit}"]):
        return
    content = contents.of(core, stream, record)
    definition = contents.definition(core, record.process, record.version)
    offering.offer(core, [Offer(stream, record, definition, content)])


# --- by time ------------------------------------------------------------------------------------


def settle(core: Core, until: str | None = None) -> int:
    """Do all that is due on the moving line up to a moment, in the order of time; how many.

    Repeat-safe, and safe to do at once with others: each does it in the same order.
    """
    until = until or core.clock()
    moved, after = 0, None
    while True:
        spots = core.store.read_line(keys.MOVING_LINE, after=after, limit=AT_ONCE, until=until)
        moved += _settle(core, spots, until if len(spots) < AT_ONCE else None)
        if len(spots) < AT_ONCE:
            return moved
        after = spots[-1]


def _settle(core: Core, spots: Sequence[Spot], until: str | None) -> int:
    """Move these, and whatever thereby comes to stand among them, or before `until`."""
    waiting = [(one.date, one.tie, one.stream) for one in spots]
    last = waiting[-1][:2] if waiting else ("", "")
    heapq.heapify(waiting)
    moved = 0
    while waiting:
        at, _, stream = heapq.heappop(waiting)
        again = _move(core, stream, at)
        moved += 1
        if again is None:
            continue
        among = again.leave <= until if until is not None else (again.leave, again.tie) <= last
        if among:
            heapq.heappush(waiting, (again.leave, again.tie, stream))
    return moved


def _move(core: Core, stream: str, at: str) -> Moving | None:
    """Move one record that leaves a timed step; answers where it stands on the line after that."""
    seen = core.executor.read(stream, (MOVING_THING,))
    record: Record | None = seen.head
    moving: Moving | None = seen.states.get(MOVING_THING)
    if record is None or moving is None or moving.leave != at:
        return None
    definition = contents.definition(core, record.process, record.version)
    content = contents.of(core, stream, record)
    result = _leave(core, stream, record, definition, content)
    if result.head.answers == record.answers:
        offering.offer(core, [Offer(stream, result.head, definition, content)])
    else:  # somebody was faster, and people have answered since
        ensure_offered(core, stream)
    return result.states.get(MOVING_THING)


def _leave(
    core: Core, stream: str, record: Record, definition: Definition, content: Content
) -> Result:
    at = record.until or record.since
    way = records.way(definition, record.step, content.values, at, core.manual.zone)
    command = f"{stream}/{record.visit}"
    way = entered(core, record.process, stream, way, command)
    decide = partial(records.move, visit=record.visit, way=way)
    return core.executor.run(
        core.command(stream, "system", decide, (MOVING_THING,), command=command)
    )


def sweep(core: Core, stream: str, now: str) -> str | None:
    """What is due of a record (timekeeper); answers the next moment."""
    settle(core, now)
    ensure_offered(core, stream)
    moving: Moving | None = core.executor.read(stream, (MOVING_THING,)).states.get(MOVING_THING)
    return moving.leave if moving is not None else None
