"""Commands that wait for one stream in one process become one commit.

An execution whose 1,000 activities end together is one stream: without this, every one of its
commands would race all others for each number. Whoever finds nobody at work on a stream takes all
that wait for it, decides one after the other, each on the states that those before left, and puts
one commit. Each is answered the states that its own events left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Condition
from typing import Any

from workledger.keys import kind
from workledger.ledger import fold
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Commit, Event
from workledger.ledger.contended import Contended
from workledger.ledger.execute import Executor, Result
from workledger.ledger.spill import Spill

MOST = 50
"""Commands of one commit."""


@dataclass(slots=True, eq=False)
class _Waiting:
    command: Command
    result: Result | None = None
    error: BaseException | None = None
    events: Sequence[Event] = ()
    states: Mapping[str, Any] = field(default_factory=dict[str, Any])
    failed: Exception | None = None

    @property
    def answered(self) -> bool:
        return self.result is not None or self.error is not None


@dataclass(slots=True)
class _Lane:
    waiting: list[_Waiting] = field(default_factory=list[_Waiting])
    busy: bool = False


class Merger:
    """Runs commands of streams with many writers. Safe under threads; long payloads are spilled."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._lanes: dict[str, _Lane] = {}
        self._changed = Condition()

    def run(self, command: Command) -> Result:
        """Carry out a command, with others of its stream or alone.

        Raises Refused, StoreBusy, AnswerLost.
        """
        mine = _Waiting(command)
        with self._changed:
            lane = self._lanes.setdefault(command.stream, _Lane())
            lane.waiting.append(mine)
            while lane.busy and not mine.answered:
                self._changed.wait()
            leads = not mine.answered
            lane.busy = lane.busy or leads
        if leads:
            self._lead(command.stream, lane, mine)
        if mine.error is not None:
            raise mine.error
        if mine.result is None:
            raise RuntimeError("a command was neither answered nor refused")
        return mine.result

    def _lead(self, stream: str, lane: _Lane, mine: _Waiting) -> None:
        """Carry out what waits until mine is done; then another may lead, whatever happened."""
        try:
            while not mine.answered:
                with self._changed:
                    batch = _batch(lane.waiting)
                    lane.waiting = [one for one in lane.waiting if one not in batch]
                self._run(batch)
        finally:
            with self._changed:
                lane.busy = False
                if not lane.waiting:
                    self._lanes.pop(stream, None)
                self._changed.notify_all()

    def _run(self, batch: list[_Waiting]) -> None:
        try:
            self._run_together(batch)
        except BaseException as error:
            for one in batch:
                one.error = error
            if not isinstance(error, Exception):
                raise

    def _run_together(self, batch: list[_Waiting]) -> None:
        first = batch[0].command
        shared = first.id if len(batch) == 1 else f"{first.id}+{len(batch) - 1}"
        things = tuple(dict.fromkeys(thing for one in batch for thing in one.command.things))
        now = max(one.command.now for one in batch)
        spill = Spill(self._executor)

        def decide(seen: Seen) -> list[Event]:
            events = _decide_all(self._executor, spill, batch, seen)
            spill.flush()
            return events

        together = replace(first, id=shared, decide=decide, things=things, now=now)
        result = Contended(self._executor, together).run()
        for one in batch:
            commit = result.commit if one.events else None
            if one.failed is None:
                one.result = Result(commit, one.states, one.events)
            else:
                one.error = one.failed


def _batch(waiting: list[_Waiting]) -> list[_Waiting]:
    """A commit has one actor: the first one's commands go, the others' in the next."""
    actor = waiting[0].command.actor
    return [one for one in waiting if one.command.actor == actor][:MOST]


def _decide_all(executor: Executor, spill: Spill, batch: list[_Waiting], seen: Seen) -> list[Event]:
    aggregate = executor.aggregates[kind(seen.stream)]
    events: list[Event] = []
    states: Mapping[str, Any] = seen.states
    for one in batch:
        command, one.events, one.failed = one.command, (), None
        try:
            decided = command.decide(Seen(seen.stream, seen.number, states, len(events)))
            one.events = spill.shorten(command, decided)
        except Exception as error:  # noqa: BLE001 - one command's fault is not the others'
            one.failed = error
        mine = tuple(one.events)
        at = (seen.stream, seen.number + 1)
        commit = Commit(*at, command.id, command.now, command.actor, mine)
        states = one.states = fold.after(aggregate, commit, states)
        events += mine
    return events
