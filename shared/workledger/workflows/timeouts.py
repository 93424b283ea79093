"""Time-outs and timers: what is due in a run, and what it leaves in the history (1.7). Pure.

An event bears the moment at which the limit was reached, even if it is discovered later; the
earliest comes first when several are due.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.times import plus
from workledger.workflows.commands import Asking
from workledger.workflows.draft import Draft
from workledger.workflows.execution import (
    Activity,
    DecisionTask,
    Lambda,
    Run,
    Timer,
    activity_deadline,
    lambda_deadline,
    run_deadline,
)

BEAT_GRACE_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Beat:
    """An activity's last heartbeat: when, and what it told."""

    at: str
    details: str | None


Beats = Mapping[str, Beat]
"""Activity thing -> its last heartbeat."""


@dataclass(frozen=True, slots=True, order=True)
class Due:
    """A deadline: when, which time-out, of which thing."""

    at: str
    kind: str
    thing: str

    @property
    def seen_from(self) -> str:
        """From when on it counts: a beat that came in time may be written a little late."""
        return plus(self.at, BEAT_GRACE_SECONDS) if self.kind == "HEARTBEAT" else self.at


def deadlines(run: Run, states: Mapping[str, Any], beats: Beats) -> list[Due]:
    """Every deadline of an open run, the earliest first; reactions are not among them.

    What earlier runs of the stream have left is nobody's any more.
    """
    found = [
        due
        for thing, state in _of_run(states, run).items()
        if (due := _deadline(run, thing, state, beats.get(thing))) is not None
    ]
    return sorted(found)


def _deadline(run: Run, thing: str, state: Any, beat: Beat | None) -> Due | None:
    at, kind = _when(run, thing, state, beat)
    return Due(at, kind, thing) if at is not None else None


def _when(run: Run, thing: str, state: Any, beat: Beat | None) -> tuple[str | None, str]:
    match state:
        case Run() if thing == HEAD:
            return run_deadline(run), "START_TO_CLOSE"
        case DecisionTask():
            return state.due, "SCHEDULE_TO_START" if state.waiting else "START_TO_CLOSE"
        case Activity():
            return activity_deadline(state, beat.at if beat else None)
        case Timer():
            return state.fires_at, "FIRED"
        case Lambda():
            return lambda_deadline(state), "START_TO_CLOSE"
        case _:
            return None, ""


def fire(seen: Seen, beats: Beats, asking: Asking) -> list[Event]:
    """Everything that is due now, the earliest first; nothing in a closed run."""
    run: Run | None = seen.head
    if run is None or run.closed:
        return []
    draft = asking.draft(seen)
    for due in deadlines(run, seen.states, beats):
        if draft.run.closed:
            break
        state = draft.states.get(due.thing) if due.seen_from <= asking.now else None
        if (
            state is not None
            and _deadline(draft.run, due.thing, state, beats.get(due.thing)) == due
        ):
            _FIRES[type(state)](draft, state, due, beats.get(due.thing))
    return draft.finish()


def _of_run(states: Mapping[str, Any], run: Run) -> dict[str, Any]:
    part = str(run.generation)
    return {
        thing: state
        for thing, state in states.items()
        if thing == HEAD or thing.split(".")[1:2] == [part]
    }


def _run(draft: Draft, run: Run, due: Due, _: Beat | None) -> None:
    policy = run.config.child_policy
    attrs = {"timeoutType": due.kind, "childPolicy": policy}
    draft.close("WorkflowExecutionTimedOut", attrs, at=due.at, child_policy=policy)


def _decision(draft: Draft, task: DecisionTask, due: Due, _: Beat | None) -> None:
    started = draft.run.started
    attrs = {
        "timeoutType": due.kind,
        "scheduledEventId": task.id,
        "startedEventId": started.id if started and not task.waiting else 0,
    }
    draft.add("DecisionTaskTimedOut", attrs, due.thing, at=due.at)
    draft.schedule_decision(due.at)


def _activity(draft: Draft, activity: Activity, due: Due, beat: Beat | None) -> None:
    details = beat.details if beat and due.kind == "HEARTBEAT" else None
    attrs = {
        "timeoutType": due.kind,
        "scheduledEventId": activity.id,
        "startedEventId": activity.started[0] if activity.started else 0,
    }
    payload = {"details": details}
    draft.add("ActivityTaskTimedOut", attrs, due.thing, payload=payload, at=due.at)
    draft.schedule_decision(due.at)


def _timer(draft: Draft, timer: Timer, due: Due, _: Beat | None) -> None:
    attrs = {"timerId": timer.timer_id, "startedEventId": timer.id}
    draft.add("TimerFired", attrs, due.thing, at=due.at)
    draft.schedule_decision(due.at)


def _lambda(draft: Draft, state: Lambda, due: Due, _: Beat | None) -> None:
    attrs = {
        "scheduledEventId": state.id,
        "startedEventId": state.started[0] if state.started else 0,
        "timeoutType": due.kind,
    }
    draft.add("LambdaFunctionTimedOut", attrs, due.thing, at=due.at)
    draft.schedule_decision(due.at)


_FIRES: Mapping[type, Callable[[Draft, Any, Due, Beat | None], None]] = {
    Run: _run,
    DecisionTask: _decision,
    Activity: _activity,
    Timer: _timer,
    Lambda: _lambda,
}
