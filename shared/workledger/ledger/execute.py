"""Load, decide, append, place: the only loop that retries a conflict."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from workledger.errors import AnswerLost, Refused, StoreBusy, StoreError
from workledger.keys import HEAD, kind
from workledger.ledger import fold
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Commit, Event
from workledger.stores.port import Outcome, Store, Write
from workledger.views.row import Row

ATTEMPTS = 12
"""Rounds before a command gives up with StoreBusy; with the pauses, a few seconds."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a command: the commit it made (None: already so), and the states after it.

    `own` are its events where it shares the commit with others.
    """

    commit: Commit | None
    states: Mapping[str, Any]
    own: Sequence[Event] | None = None
    refused: Refused | None = None

    @property
    def head(self) -> Any:
        """The head's state after the command."""
        return self.states.get(HEAD)

    @property
    def events(self) -> Sequence[Event]:
        """The command's own events."""
        if self.own is not None:
            return self.own
        return self.commit.events if self.commit else ()

    def unwrap(self) -> "Result":
        """This result; raises the refusal if it is one."""
        if self.refused is not None:
            raise self.refused
        return self


@dataclass(slots=True)
class _Try:
    """A command on its way."""

    command: Command
    rows: Mapping[str, Row] | None = None
    seen: Seen = field(default_factory=lambda: Seen(""))
    write: Write | None = None
    states: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tentative: Result | None = None
    result: Result | None = None
    error: StoreError | None = None


class Executor:
    """Runs commands against a store.

    `pause(attempt)` waits a little, with jitter, before a further attempt. `placed` is told what
    was written: this process knows of it before the index shows it.
    """

    def __init__(
        self,
        store: Store,
        aggregates: fold.Aggregates,
        pause: Callable[[int], None],
        placed: Callable[[Write], None] = lambda _: None,
    ) -> None:
        self.store = store
        self.aggregates = aggregates
        self.pause = pause
        self.placed = placed

    def run(self, command: Command, rows: Mapping[str, Row] | None = None) -> Result:
        """Carry out one command; rows just read save the first read.

        Raises Refused, StoreBusy, AnswerLost.
        """
        return self._run([_Try(command, rows)])[0].unwrap()

    def run_all(self, commands: Sequence[Command]) -> list[Result]:
        """Carry out commands of different streams, each alone; refusals are in the results.

        Raises the StoreError of any that could not be carried out: the others stand, and a repeat
        with the same ids is safe.
        """
        return self._run([_Try(command) for command in commands])

    def _run(self, tries: list[_Try]) -> list[Result]:
        waiting = tries
        for attempt in range(ATTEMPTS):
            if attempt:
                self.pause(attempt)
            self._decide([one for one in waiting if one.write is None])
            self._append([one for one in waiting if one.write is not None])
            waiting = [one for one in waiting if one.result is None]
            if not waiting:
                break
        return [self._result(one) for one in tries]

    def once(self, command: Command, rows: Mapping[str, Row]) -> Result | Commit:
        """Decide on rows just read and put once: a claim that loses goes elsewhere.

        Answers the commit that stood there before when the race was lost. Raises Refused.
        """
        return self.once_all([(command, rows)])[0]

    def once_all(
        self,
        commands: Sequence[tuple[Command, Mapping[str, Row]]],
        beside: Sequence[Callable[[], object]] = (),
    ) -> list[Result | Commit]:
        """`once` for several commands of different streams, written side by side.

        `beside` is called after commits of these stand, while their rows are placed.
        """
        tries = [_Try(command, rows) for command, rows in commands]
        for one in tries:
            self._load_one(one)
            self._prepare(one, one.command.decide(one.seen))
        waiting: list[_Try] = tries
        lost: dict[int, Commit] = {}
        for attempt in range(ATTEMPTS):
            if attempt:
                self.pause(attempt)
            for one, outcome in self._put(waiting, beside):
                lost[id(one)] = outcome
            waiting = [one for one in waiting if one.result is None and id(one) not in lost]
            if not waiting:
                break
        return [lost.get(id(one)) or self._result(one) for one in tries]

    def state(self, row: Row | None) -> Any:
        """The state in a row; None where there is no row or a tombstone."""
        return None if row is None else fold.state(self.aggregates[kind(row.stream)], row)

    def read(self, stream: str, things: Iterable[str] = ()) -> Seen:
        """What stands in a stream, strongly read and settled: fit for a "not found"."""
        names = tuple(things)
        seen = fold.seen(self.aggregates, stream, self.store.load(stream, names))
        while beyond := self._beyond(seen):
            self.finish(beyond)
            seen = fold.seen(self.aggregates, stream, self.store.load(stream, names))
        return seen

    def _beyond(self, seen: Seen) -> Commit | None:
        address = (seen.stream, seen.number + 1)
        return self.store.commits_at([address]).get(address)

    def finish(self, commit: Commit) -> Mapping[str, Any]:
        """Place what a writer left: the rows of a commit that are older than it. Repeat-safe.

        Answers the states after it. Only the commit directly beyond the head row can be finished;
        for an older one the present states are answered.
        """
        states, write = self._unfinished(commit)
        if write is not None:
            self.store.place([write])
            self.placed(write)
        return states

    def _unfinished(self, commit: Commit) -> tuple[Mapping[str, Any], Write | None]:
        """The states after a commit, and the rows that are still to be placed, if any."""
        aggregate = self.aggregates[kind(commit.stream)]
        rows = self.store.load(commit.stream, tuple(fold.touched(commit)[:-1]))
        placed = {thing for thing, row in rows.items() if row.commit >= commit.number}
        states = {thing: fold.state(aggregate, row) for thing, row in rows.items()}
        if HEAD in placed:
            return states, None
        states = fold.after(aggregate, commit, states, placed)
        return states, fold.write(aggregate, commit, states, placed)

    def _own(self, commit: Commit) -> Result:
        """A command's own commit stands: a success, whether or not its rows can be placed now.

        Raises AnswerLost when not even its outcome can be read.
        """
        try:
            states, write = self._unfinished(commit)
        except StoreError as error:
            raise AnswerLost("it was done, but what it did could not be read") from error
        if write is not None:
            self._place([write])
            self.placed(write)
        return Result(commit, states)

    def _result(self, one: _Try) -> Result:
        if one.result is None:
            raise one.error or StoreBusy("too many writers at once: try again a little later")
        return one.result

    def _decide(self, tries: list[_Try]) -> None:
        if not tries:
            return
        self._load(tries)
        for one in tries:
            one.tentative = None
            try:
                events = one.command.decide(one.seen)
            except Refused as refused:
                one.tentative = Result(None, one.seen.states, refused=refused)
                continue
            if events:
                self._prepare(one, events)
            else:
                one.tentative = Result(None, one.seen.states)
        self._confirm([one for one in tries if one.tentative is not None])

    def _load(self, tries: list[_Try]) -> None:
        """The heads first, then the things: never in one batch, which is no snapshot."""
        if len(tries) == 1:
            self._load_one(tries[0])
            return
        heads = self.store.rows([(one.command.stream, HEAD) for one in tries])
        named = [(one.command.stream, thing) for one in tries for thing in one.command.things]
        things = self.store.rows(named) if named else {}
        for one in tries:
            stream = one.command.stream
            found = {thing: things.get((stream, thing)) for thing in one.command.things}
            found[HEAD] = heads.get((stream, HEAD))
            rows = {thing: row for thing, row in found.items() if row is not None}
            one.seen = fold.seen(self.aggregates, stream, rows)

    def _load_one(self, one: _Try) -> None:
        command, rows = one.command, one.rows
        if rows is None:
            rows = self.store.load(command.stream, command.things)
        one.seen, one.rows = fold.seen(self.aggregates, command.stream, rows), None

    def _prepare(self, one: _Try, events: Sequence[Event]) -> None:
        command, seen = one.command, one.seen
        commit = Commit(
            command.stream, seen.number + 1, command.id, command.now, command.actor, tuple(events)
        )
        aggregate = self.aggregates[kind(command.stream)]
        one.states = fold.after(aggregate, commit, seen.states)
        one.write = fold.write(aggregate, commit, one.states)

    def _confirm(self, tries: list[_Try]) -> None:
        """A refusal is answered only where the stream has no commit beyond the head row."""
        if not tries:
            return
        beyond = self.store.commits_at([(one.seen.stream, one.seen.number + 1) for one in tries])
        for one in tries:
            commit = beyond.get((one.seen.stream, one.seen.number + 1))
            if commit is None:
                one.result = one.tentative
            else:
                self._meet(one, commit)

    def _append(self, tries: list[_Try]) -> None:
        for one, commit in self._put(tries):
            self._meet(one, commit)

    def _put(
        self, tries: list[_Try], beside: Sequence[Callable[[], object]] = ()
    ) -> list[tuple[_Try, Commit]]:
        """Put what is prepared; answers those that met another's commit."""
        writes = [one.write for one in tries if one.write is not None]
        outcomes = self._write(writes, beside) if beside else self.store.append(writes)
        met: list[tuple[_Try, Commit]] = []
        for one, write, outcome in zip(tries, writes, outcomes, strict=True):
            if outcome is None:
                one.result = Result(write.commit, one.states)
                self.placed(write)
            elif isinstance(outcome, StoreError):
                one.error = one.error if isinstance(one.error, AnswerLost) else outcome
            elif _is_of(write, outcome):
                one.result = self._own(outcome)
            else:
                met.append((one, outcome))
        return met

    def _write(
        self, writes: Sequence[Write], beside: Sequence[Callable[[], object]]
    ) -> list[Outcome]:
        """Append; a store whose lines lag places rows by requests of their own: the last trip."""
        apart = self.store.lag > 0
        outcomes = self.store.append(writes, place=not apart)
        pairs = list(zip(writes, outcomes, strict=True))
        if any(outcome is None or _is_of(write, outcome) for write, outcome in pairs):
            new = [write for write, outcome in pairs if outcome is None]
            places = [partial(self._place, new)] if new and apart else []
            self.store.together([*places, *beside])
        return outcomes

    def _place(self, writes: Sequence[Write]) -> None:
        """Place what stands; where that fails, others will."""
        with suppress(StoreError):
            self.store.place(writes)

    def _meet(self, one: _Try, commit: Commit) -> None:
        """Another commit stands where mine was to go: mine after all, or one to finish first."""
        one.write = one.error = None
        if commit.id == one.command.id:
            one.result = self._own(commit)
        else:
            self.finish(commit)


def _is_of(write: Write, outcome: Outcome) -> bool:
    """Whether this write stood there already: the answer to its first try was lost."""
    return isinstance(outcome, Commit) and outcome.id == write.commit.id
