"""Executions and the clock: time-outs, timers, reactions that are tried again (W16 to W18).

Whoever touches an execution settles it first, if anything in it is due; the timekeeper does the
rest. What is due is decided by time, not by whether somebody looked.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from workledger import keys
from workledger.keys import HEAD
from workledger.ledger import fold
from workledger.service.core import Core
from workledger.stores.port import Beat as StoredBeat
from workledger.swf import reacting
from workledger.swf.call import run
from workledger.workflows import timeouts
from workledger.workflows.execution import NONE, Activity, Reaction, Run
from workledger.workflows.timeouts import Beat


def settle(core: Core, stream: str) -> None:
    """Make what is due in an execution happen, if anything is."""
    due = core.store.due(stream)
    if due is not None and due.at <= core.clock():
        sweep(core, stream)


def sweep(core: Core, stream: str) -> str | None:
    """Make what is due happen; answers the next moment at which something will be."""
    states = _states(core, stream)
    head: Run | None = states.get(HEAD)
    if head is None:
        return None
    if not head.closed:
        _fire(core, stream, head, states)
    for thing, state in states.items():
        if isinstance(state, Reaction) and state.due <= core.clock():
            reacting.attempt(core, stream, thing)
    return _next(core, stream)


def _fire(core: Core, stream: str, head: Run, states: Mapping[str, Any]) -> None:
    now = core.clock()
    beats = beats_of(core, stream, states)
    due = [one for one in timeouts.deadlines(head, states, beats) if one.seen_from <= now]
    if not due:
        return
    things = tuple(one.thing for one in due if one.thing != HEAD)
    result = run(
        core, stream, "system", lambda seen, asking: timeouts.fire(seen, beats, asking), things
    )
    reacting.react_to(core, result)


def _next(core: Core, stream: str) -> str | None:
    states = _states(core, stream)
    head: Run | None = states.get(HEAD)
    if head is None:
        return None
    moments = [state.due for state in states.values() if isinstance(state, Reaction)]
    if not head.closed:
        found = timeouts.deadlines(head, states, beats_of(core, stream, states))
        moments += [one.seen_from for one in found]
    return min(moments, default=None)


def _states(core: Core, stream: str) -> dict[str, Any]:
    """Everything that is open in a stream, settled: no commit beyond the head."""
    core.executor.read(stream)
    aggregate = core.executor.aggregates[keys.kind(stream)]
    rows = core.store.things(stream)
    return {thing: fold.state(aggregate, row) for thing, row in rows.items()}


def beat_key(stream: str, thing: str, scheduled_id: int) -> str:
    """Where an activity's heartbeats are kept: an id that is used again starts without any."""
    return f"{stream}/{thing}/{scheduled_id}"


def last_beat(core: Core, stream: str, thing: str, scheduled_id: int) -> Beat | None:
    """The last heartbeat of one activity."""
    key = beat_key(stream, thing, scheduled_id)
    return _read(core, [key]).get(key)


def beats_of(core: Core, stream: str, states: Mapping[str, Any]) -> dict[str, Beat]:
    """The last heartbeats of the started activities that must send some."""
    wanted = {
        beat_key(stream, thing, state.id): thing
        for thing, state in states.items()
        if isinstance(state, Activity) and state.started and state.heartbeat != NONE
    }
    found = _read(core, wanted)
    return {wanted[key]: beat for key, beat in found.items()}


def _read(core: Core, wanted: Iterable[str]) -> dict[str, Beat]:
    asked = list(wanted)
    if not asked:
        return {}
    _, beats = core.store.heads_and_beats(asked)
    return {key: _beat(beat) for key, beat in beats.items()}


def _beat(stored: StoredBeat) -> Beat:
    return Beat(stored.details["at"], stored.details.get("details"))
