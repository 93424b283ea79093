"""Polls: a task by priority, at once or when one arrives (W2, W7, W8, W9, W22, W28)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger import fold
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.ledger.execute import Result
from workledger.service.core import Core
from workledger.swf import histories, limits, timing, tokens
from workledger.swf.call import Answer, Call, run
from workledger.times import plus, seconds_between
from workledger.views import claim as memory
from workledger.views.order import Spot, spot
from workledger.workflows import commands, execution
from workledger.workflows.commands import Asking, Token
from workledger.workflows.execution import Activity, DecisionTask, Run

LOOKS = 20
"""How often in a row a poll looks at a line that changes under it."""

LONGEST_WAIT = 1.0
"""A poll looks at least once a second: other processes schedule tasks too."""

Task = DecisionTask | Activity
Claim = Callable[[Spot, Task], Result]


@dataclass(frozen=True, slots=True)
class _Candidate:
    spot: Spot
    task: Task
    run: Run


def poll_for_activity_task(call: Call) -> Answer:
    """The next activity task of a list: higher priority first, then first scheduled (W8)."""
    line = _line(call, "activity")
    identity = call.params.get("identity")

    def claim(here: Spot, task: Task) -> Result:
        def decide(seen: Seen, asking: Asking) -> list[Event]:
            return commands.start_activity(seen, here.thing, task.id, identity, asking)

        return run(call.core, here.stream, call.actor, decide, (here.thing,))

    found = _poll(call, line, claim)
    if found is None:
        return {"startedEventId": 0}
    here, result = found
    return _activity_answer(call.core, here, result.states[here.thing], result.states[HEAD])


def _activity_answer(core: Core, here: Spot, activity: Activity, head: Run) -> Answer:
    started = activity.started[0] if activity.started else 0
    _, attrs = histories.event_at(core, here.stream, activity.event)
    answer = {
        "taskToken": tokens.task(
            here.stream, Token(head.generation, activity.id, started, here.thing)
        ),
        "activityId": activity.activity_id,
        "startedEventId": started,
        "workflowExecution": {"workflowId": head.workflow_id, "runId": head.run_id},
        "activityType": {"name": activity.type_name, "version": activity.type_version},
    }
    return {**answer, "input": attrs["input"]} if "input" in attrs else answer


def poll_for_decision_task(call: Call) -> Answer:
    """The next decision task of a list, by its execution's priority (W9), with its history."""
    if call.params.get("nextPageToken"):
        return _next_page(call, call.params["nextPageToken"])
    line = _line(call, "decision")
    identity = call.params.get("identity")

    def claim(here: Spot, task: Task) -> Result:
        def decide(seen: Seen, asking: Asking) -> list[Event]:
            return commands.start_decision(seen, task.id, identity, asking)

        return run(call.core, here.stream, call.actor, decide, (here.thing,))

    found = _poll(call, line, claim)
    if found is None:
        return {"previousStartedEventId": 0, "startedEventId": 0}
    here, result = found
    return _decision_answer(call, here.stream, result)


def _decision_answer(call: Call, stream: str, result: Result) -> Answer:
    head: Run = result.head
    started = head.started
    if started is None:
        raise commands.gone()
    since, first = 1, head.first
    if call.params.get("startAtPreviousStartedEvent") and head.previous[0]:
        since, first = head.previous
    within = histories.Range(stream, head.generation, first, started.commit, since, started.id)
    return _decision_page(call, head, within, started.scheduled_id, None, head.previous[0])


def _decision_page(
    call: Call,
    head: Run,
    within: histories.Range,
    scheduled_id: int,
    start: histories.Position | None,
    previous: int,
) -> Answer:
    """A page of what a decider is told: the history up to the start of its task (W3, W22)."""
    limit = call.params.get("maximumPageSize") or histories.PAGE
    backwards = bool(call.params.get("reverseOrder"))
    events, following = histories.page(call.core, within, start, limit, backwards=backwards)
    token = Token(within.run, scheduled_id, within.until)
    answer: Answer = {
        "taskToken": tokens.task(within.stream, token),
        "startedEventId": within.until,
        "previousStartedEventId": previous,
        "workflowExecution": {"workflowId": head.workflow_id, "runId": head.run_id},
        "workflowType": {"name": head.type_name, "version": head.type_version},
        "events": events,
    }
    if following is not None:
        parts = [*astuple(within), scheduled_id, previous, *following]
        answer["nextPageToken"] = tokens.page(call.core.clock(), "decision", *parts)
    return answer


def _next_page(call: Call, token: str) -> Answer:
    """The next page of the same task: the same token, never a new claim (W22)."""
    within, scheduled_id, previous, commit, index = tokens.decision_page(token, call.core.clock)
    seen = call.core.executor.read(within.stream)
    head: Run | None = seen.head
    if head is None or head.generation != within.run or head.scope != call.scope:
        raise tokens.invalid()
    if not 0 < within.first <= commit <= within.last <= seen.number:
        raise tokens.invalid()
    return _decision_page(call, head, within, scheduled_id, (commit, index), previous)


# --- the poll itself ----------------------------------------------------------------------------


def _line(call: Call, kind: str) -> str:
    call.domain()
    return keys.tasks_line(call.scope, call.params["domain"], kind, call.params["taskList"]["name"])


def _poll(call: Call, line: str, claim: Claim) -> tuple[Spot, Result] | None:
    """Claim the next task, waiting for one as long as the poll is held."""
    with limits.polling(call.core, line):
        return _wait(call, line, claim)


def _wait(call: Call, line: str, claim: Claim) -> tuple[Spot, Result] | None:
    core = call.core
    until = plus(core.clock(), call.poll_seconds)
    while call.connected():
        found = _claim_next(call, line, claim)
        left = seconds_between(core.clock(), until)
        if found is not None or left <= 0:
            return found
        core.waiter.wait(line, min(left, LONGEST_WAIT))
    return None


def _claim_next(call: Call, line: str, claim: Claim) -> tuple[Spot, Result] | None:
    """Claim a task; who lost one looks once more, further on, for there may be others.

    Who would find nothing at last finishes first what the writers that won have not yet placed:
    they may be dead, and what they scheduled is on no line.
    """
    moved: set[str] = set()
    for _ in range(LOOKS):
        found, lost = _look(call, line, claim, moved)
        if found is not None or not lost:
            return found
    for stream in moved:
        call.core.executor.read(stream)
    return _look(call, line, claim, moved)[0]


def _look(
    call: Call, line: str, claim: Claim, moved: set[str]
) -> tuple[tuple[Spot, Result] | None, bool]:
    """What was claimed, and whether some were lost; the streams of those go to `moved`.

    Nothing for a client that went away while the line was read (W28).
    """
    core, lost = call.core, False
    for one in _candidates(core, line):
        if one is None:
            lost = lost or not core.store.lag
            continue
        if not call.connected():
            break
        if not core.memory.reserve([one.spot]):
            continue
        try:
            return (one.spot, _claim(core, line, one, claim)), False
        except Refused:
            core.memory.lost(line, core.clock())
            moved.add(one.spot.stream)
            return None, True
        finally:
            core.memory.release([one.spot])
    return None, lost


def _candidates(core: Core, line: str) -> Iterator[_Candidate | None]:
    """What may be tried, in the order in which to try it; None: some are not there any more.

    A line that lags shows some that are gone since long: that says nothing.
    """
    for window in _windows(core, line):
        candidates = _alive(core, window)
        if len(candidates) < len(window):
            yield None
        yield from candidates


def _claim(core: Core, line: str, one: _Candidate, claim: Claim) -> Result:
    """Claim a task. Raises Refused: it was taken by another, or its run has closed."""
    result = claim(one.spot, one.task)
    if result.head.closed:  # this was the last event that its history may have
        raise commands.gone()
    core.memory.won(line)
    if core.store.lag:
        core.memory.gone([one.spot], core.clock())
    return result


def _windows(core: Core, line: str) -> Iterator[list[Spot]]:
    """The spots of the line in windows: from the first on, or after lost races from one of the
    first 2^k on; those before it come last."""
    spread = 1 << core.memory.k(line, core.clock())
    before: list[Spot] = []
    for page in _pages(core, line, max(memory.PAGE, 2 * spread)):
        spots = core.memory.free(page, core.clock())
        if spread > 1:
            start = core.choose(min(spread, len(spots))) if spots else 0
            before, spots, spread = spots[:start], spots[start:], 1
        yield from _cut(spots)
    yield from _cut(before)


def _pages(core: Core, line: str, size: int) -> Iterator[list[Spot]]:
    """The spots of the line, page by page, with what the first may not show yet."""
    after: Spot | None = None
    recent = core.memory.recent(line, core.clock()) if core.store.lag else []
    while True:
        spots = core.store.read_line(line, after=after, limit=size)
        yield sorted({*spots, *recent}) if after is None else spots
        if len(spots) < size:
            return
        after = spots[-1]


def _cut(spots: Sequence[Spot]) -> Iterator[list[Spot]]:
    size = memory.WINDOW
    for start in range(0, len(spots), size):
        yield list(spots[start : start + size])


def _alive(core: Core, spots: Sequence[Spot]) -> list[_Candidate]:
    """Those that still wait, read consistently; overdue ones are settled, dead ones dropped."""
    wanted = [(one.stream, thing) for one in spots for thing in (one.thing, HEAD)]
    rows = core.store.rows(wanted)
    aggregate = core.executor.aggregates["execution"]
    found: list[_Candidate] = []
    dead: set[str] = set()
    for one in spots:
        task = fold.state(aggregate, rows.get((one.stream, one.thing)))
        head: Run | None = fold.state(aggregate, rows.get((one.stream, HEAD)))
        if task is None or head is None or not _stands(one, task):
            continue
        if head.closed or one.thing.split(".")[1] != str(head.generation):
            dead.add(one.stream)
        elif execution.is_over(head, core.clock()) or _overdue(one, task, core.clock()):
            timing.sweep(core, one.stream)
        else:
            found.append(_Candidate(one, task, head))
    for stream in dead:
        drop(core, stream)
    return found


def _stands(here: Spot, task: Task) -> bool:
    place = execution.place(here.stream, here.thing, task).place
    return place is not None and spot(place, here.stream, here.thing) == here


def _overdue(here: Spot, task: Task, now: str) -> bool:
    due = execution.place(here.stream, here.thing, task).due
    return due is not None and due <= now


def drop(core: Core, stream: str) -> None:
    """Take all tasks of closed runs off their lists."""
    things = tuple(thing for thing in core.store.things(stream) if thing.startswith("a."))
    run(
        core,
        stream,
        "system",
        lambda seen, asking: commands.drop_tasks(seen, things, asking),
        things,
    )
