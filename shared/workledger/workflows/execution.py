"""A workflow execution: its runs, its tasks, where each stands. Pure.

A stream holds all runs that ever bore one workflow id in one domain, one after the other as
generations. The newest run is the head row. What is open in a run (the decision task, activities,
timers, children, reactions) are things of the stream: a run with 1,000 open activities has 1,001
rows, and no command reads more than those it names.

Events are the history events of the service, under its names; what begins with `_` is ours and is
never shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from workledger import keys
from workledger.times import plus
from workledger.views import order
from workledger.views.row import NOWHERE, Standing

NONE = "NONE"
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Config:
    """The effective settings of a run: what was asked for, else the type's defaults (W12)."""

    task_list: str
    task_timeout: str
    execution_timeout: str
    child_policy: str
    task_priority: str | None = None
    lambda_role: str | None = None


@dataclass(frozen=True, slots=True)
class Parent:
    """The execution that started this one as its child."""

    workflow_id: str
    run_id: str
    initiated_id: int


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A decision task that waits for a decider."""

    id: int
    at: str
    task_list: str
    schedule_to_start: str = NONE


@dataclass(frozen=True, slots=True)
class Started:
    """A decision task that a decider works on; `commit` is the one that started it."""

    id: int
    at: str
    scheduled_id: int
    task_list: str
    commit: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `first` is its first commit; `next_id` the id its next history event gets.

    `previous` is (event id, commit) of the last completed decision task's start, `context` the
    (commit, event) that bears the latest execution context, `sticky` the task list that a decider
    asked for with its schedule-to-start timeout, `policy` what its end asked for its children.
    `purged` says up to which generation its stream was purged, and from which commit on it is kept.
    `last_at` is the time of its last history event while it is open; None in those whose times are
    not kept in order: they began before that was so.
    """

    scope: str
    domain: str
    workflow_id: str
    run_id: str
    generation: int
    type_name: str
    type_version: str
    config: Config
    started_at: str
    first: int
    next_id: int = 1
    tags: tuple[str, ...] = ()
    parent: Parent | None = None
    closed: tuple[str, str] | None = None
    scheduled: Scheduled | None = None
    started: Started | None = None
    previous: tuple[int, int] = (0, 0)
    context: tuple[int, int] | None = None
    sticky: tuple[str, str] | None = None
    latest_activity_at: str | None = None
    cancel_requested: bool = False
    activities: int = 0
    timers: int = 0
    children: int = 0
    lambdas: int = 0
    retention: str = NONE
    policy: str | None = None
    purged: tuple[int, int] = (0, 1)
    last_at: str | None = None

    @property
    def priority(self) -> int:
        """The priority of its decision tasks as a number; 0 where nobody set one (W9, W10)."""
        return int(self.config.task_priority or 0)


@dataclass(frozen=True, slots=True)
class DecisionTask:
    """The row by which a run's decision task stands on its task list, or by which it times out."""

    line: str
    priority: int
    at: str
    id: int
    waiting: bool
    due: str | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """An open activity task. `event` is (commit, event) of its schedule, `started` (id, at)."""

    line: str
    priority: int
    activity_id: str
    type_name: str
    type_version: str
    at: str
    id: int
    schedule_to_start: str
    schedule_to_close: str
    start_to_close: str
    heartbeat: str
    event: tuple[int, int]
    started: tuple[int, str] | None = None
    cancel_requested: int = 0


@dataclass(frozen=True, slots=True)
class Timer:
    """An open timer and the moment at which it fires."""

    timer_id: str
    id: int
    fires_at: str


@dataclass(frozen=True, slots=True)
class Child:
    """An open child: initiated, then started with a run id."""

    workflow_id: str
    type_name: str
    type_version: str
    initiated_id: int
    child_policy: str
    run_id: str | None = None
    started_id: int = 0


@dataclass(frozen=True, slots=True)
class Lambda:
    """An open Lambda function; `started` is (event id, at)."""

    lambda_id: str
    name: str
    id: int
    timeout: str
    event: tuple[int, int]
    started: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """What this run must still do to another stream; `event` bears what that is.

    `due` is when the timekeeper tries again; `tries` counts.
    """

    kind: str
    event: tuple[int, int]
    due: str
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """What another stream asked for and got here, in a run: a repeat gets the same answer."""

    run_id: str
    run: int


@dataclass(frozen=True, slots=True)
class ClosedRun:
    """The second row of a closed run: it stands on the line by close time."""

    scope: str
    domain: str
    run_id: str
    at: str


Thing = Run | DecisionTask | Activity | Timer | Child | Lambda | Reaction | Done | ClosedRun

# --- names of things ----------------------------------------------------------------------------


def decision_thing(run: int) -> str:
    """The decision task of a run."""
    return f"decision.{run}"


def activity_thing(run: int, activity_id: str) -> str:
    """An activity id of a run: open at most once (W4)."""
    return f"a.{run}.{keys.digest(activity_id)}"


def timer_thing(run: int, timer_id: str) -> str:
    """A timer id of a run."""
    return f"t.{run}.{keys.digest(timer_id)}"


def child_thing(run: int, workflow_id: str) -> str:
    """A child of a run, by its workflow id."""
    return f"c.{run}.{keys.digest(workflow_id)}"


def lambda_thing(run: int, lambda_id: str) -> str:
    """A Lambda id of a run."""
    return f"l.{run}.{keys.digest(lambda_id)}"


def reaction_thing(run: int, event_id: int, kind: str) -> str:
    """A reaction that an event of a run asks for."""
    return f"r.{run}.{event_id}.{kind}"


def done_thing(command: str) -> str:
    """The memory of another stream's request, so that its repeat does nothing."""
    return f"m.{keys.digest(command)}"


def closed_thing(run: int) -> str:
    """The second row of a closed run."""
    return f"closed.{run}"


# --- where things stand -------------------------------------------------------------------------


def place(stream: str, thing: str, state: Thing) -> Standing:
    """Runs on the lines of open and closed ones, tasks on their task lists; the rest is due."""
    match state:
        case Run():
            return _place_run(state)
        case DecisionTask():
            where = order.by_priority(state.line, state.priority, state.at, state.id, stream)
            return Standing(where if state.waiting else None, due=state.due)
        case Activity():
            tie = f"{stream}/{thing}"
            where = order.by_priority(state.line, state.priority, state.at, state.id, tie)
            return Standing(None if state.started else where, due=activity_deadline(state)[0])
        case ClosedRun():
            line = keys.executions_line(state.scope, state.domain, "closed_by_close")
            return Standing(order.by_date(line, state.at, 0, state.run_id))
        case _:
            return Standing(due=_due(state))


def _due(state: Thing) -> str | None:
    match state:
        case Timer():
            return state.fires_at
        case Lambda():
            return lambda_deadline(state)
        case Reaction():
            return state.due
        case _:
            return None


def _place_run(run: Run) -> Standing:
    if is_purged(run):
        return NOWHERE
    lane = "closed" if run.closed else "open"
    line = keys.executions_line(run.scope, run.domain, lane)
    due = None if run.closed else run_deadline(run)
    return Standing(order.by_date(line, run.started_at, 0, run.run_id), due=due)


def deadline(since: str, timeout: str) -> str | None:
    """The moment at which a time-out is reached; None for NONE."""
    return None if timeout == NONE else plus(since, int(timeout))


def purged_run(scope: str, domain: str, generation: int, commit: int, at: str) -> Run:
    """What is left of a workflow id all of whose runs were purged: how many there were."""
    config = Config("", NONE, NONE, "")
    return Run(
        scope,
        domain,
        "",
        "",
        generation,
        "",
        "",
        config,
        at,
        commit,
        closed=("PURGED", at),
        purged=(generation, commit),
    )


def is_purged(run: Run) -> bool:
    """Whether this only says how many runs there were."""
    return not run.run_id


def days_kept(retention: str) -> int:
    """How many days a domain keeps what has closed; NONE is none."""
    return 0 if retention == NONE else int(retention)


def kept_until(run: Run) -> str | None:
    """When a closed run is kept no more (W31); None for one that is open."""
    kept = days_kept(run.retention) * DAY_SECONDS
    return plus(run.closed[1], kept) if run.closed else None


def is_late(at: str | None, now: str) -> bool:
    """Whether a deadline is reached."""
    return at is not None and at <= now


def is_over(run: Run, now: str) -> bool:
    """Whether a run has closed, or its time-out is reached and nobody has seen it yet."""
    return run.closed is not None or is_late(run_deadline(run), now)


def run_deadline(run: Run) -> str | None:
    """When a run times out."""
    return deadline(run.started_at, run.config.execution_timeout)


def decision_deadline(run: Run) -> str | None:
    """When a run's started decision task times out."""
    return deadline(run.started.at, run.config.task_timeout) if run.started else None


def activity_deadline(activity: Activity, beaten: str | None = None) -> tuple[str | None, str]:
    """(the earliest deadline, its time-out's type) of an activity; `beaten` is its last beat (1.7).

    The heartbeat's clock starts with the task and is set back by each beat; here, without a beat,
    it is a lower bound.
    """
    found = [(deadline(activity.at, activity.schedule_to_close), "SCHEDULE_TO_CLOSE")]
    if activity.started is None:
        found.append((deadline(activity.at, activity.schedule_to_start), "SCHEDULE_TO_START"))
    else:
        since = activity.started[1]
        found.append((deadline(since, activity.start_to_close), "START_TO_CLOSE"))
        found.append((deadline(beaten or since, activity.heartbeat), "HEARTBEAT"))
    known = [(at, kind) for at, kind in found if at is not None]
    return min(known, default=(None, ""))


def lambda_deadline(state: Lambda) -> str | None:
    """When a started Lambda function times out."""
    return deadline(state.started[1], state.timeout) if state.started else None


# --- stored form --------------------------------------------------------------------------------

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (Run, DecisionTask, Activity, Timer, Child, Lambda, Reaction, Done, ClosedRun)
}
_NESTED: Mapping[str, type[Any]] = {
    "config": Config,
    "parent": Parent,
    "scheduled": Scheduled,
    "started": Started,
}


_DEFAULTS: Mapping[type[Any], Mapping[str, Any]] = {
    kind: {field.name: field.default for field in fields(kind)}
    for kind in (*_KINDS.values(), *_NESTED.values())
}


def dump(state: Thing) -> dict[str, Any]:
    """The state as a JSON value; what is as it is by default is left out."""
    members: dict[str, Any] = {"is": type(state).__name__}
    for name, default in _DEFAULTS[type(state)].items():
        value = getattr(state, name)
        if value != default:
            members[name] = _plain(value)
    return members


def _plain(value: Any) -> Any:
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
    inner = _DEFAULTS.get(kind)
    return value if inner is None else {name: getattr(value, name) for name in inner}


def load(stored: dict[str, Any]) -> Thing:
    """The state from its JSON value."""
    members = {name: _load(name, value) for name, value in stored.items() if name != "is"}
    return _KINDS[stored["is"]](**members)


def _load(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _NESTED[name](**value)
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
