"""The loop for streams that many write to at once: whoever loses catches up from the ledger.

Rows are a little behind the ledger, and losers who finish the winner's make it worse. So after a
lost race the missed commits are read and folded into what was seen; who wins at last sees to it
that all before its own commit is placed, for the head must never be ahead of the things.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from workledger.errors import StoreBusy, StoreError
from workledger.keys import HEAD, kind
from workledger.ledger import fold
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Commit
from workledger.ledger.execute import Executor, Result
from workledger.stores.port import Write

ATTEMPTS = 200
"""Rounds before a command gives up: some ten seconds."""

OLD = 30
"""Lost races after which a loser waits hardly any longer: before those that have just begun."""

TROUBLES = 60
"""Answers of a store that is busy before a command gives up: some ten to twenty seconds."""

CATCH_UP = 50
"""Commits that are read at once; who missed more loads the rows again."""


WAITS = 4
"""How often a winner looks whether those before it have placed their rows."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A write, and the states after it."""

    write: Write
    states: Mapping[str, Any]


class Contended:
    """One command on its way. Its `decide` refuses nothing: an empty list means "already so"."""

    def __init__(self, executor: Executor, command: Command) -> None:
        self._executor = executor
        self._store = executor.store
        self._command = command
        self._aggregate = executor.aggregates[kind(command.stream)]
        self._seen = Seen(command.stream)
        self._as_of: dict[str, int] = {}
        self._met: list[Commit] = []
        self._raced = False
        self._troubled, self._troubles = False, 0
        self._prepared: _Prepared | None = None
        self._error: StoreError = StoreBusy("too many writers at once: try again a little later")

    def run(self) -> Result:
        """Carry the command out. Raises StoreBusy, AnswerLost."""
        for attempt in range(ATTEMPTS):
            if attempt:
                self._executor.pause(attempt if attempt < OLD or self._troubled else 1)
            self._prepared = self._prepared or self._prepare()
            if self._prepared is not None:
                result = self._put(self._prepared)
                if result is not None:
                    return result
            elif self._is_newest():
                return Result(None, self._seen.states)
            if self._troubles == TROUBLES:
                break
        raise self._error

    # --- what is seen ---
    def _look(self) -> None:
        """Load what the command names, the first time; then follow what has happened since."""
        if self._raced and self._catch_up():
            return
        stream, things = self._command.stream, self._command.things
        rows = self._store.load(stream, things)
        self._as_of = {thing: row.commit for thing, row in rows.items()}
        self._met = []
        self._seen = fold.seen(self._executor.aggregates, stream, rows)

    def _catch_up(self) -> bool:
        missed = self._store.commits(self._command.stream, self._seen.number, CATCH_UP)
        if len(missed) == CATCH_UP:
            return False
        for commit in missed:
            self._follow(commit)
        return True

    def _follow(self, commit: Commit) -> None:
        """See what the command names as it is after a commit; a row may be ahead of the head."""
        states = dict(self._seen.states)
        for event in commit.events:
            head = states.get(HEAD)
            for thing in event.things:
                named = thing == HEAD or thing in self._command.things
                if named and self._as_of.get(thing, 0) < commit.number:
                    state = states.get(thing)
                    states[thing] = self._aggregate.evolve(thing, state, event, commit, head)
        self._seen = Seen(commit.stream, commit.number, states)
        self._met.append(commit)

    def _is_newest(self) -> bool:
        """Whether nothing stands beyond what was seen: only then is "nothing" an answer."""
        address = (self._seen.stream, self._seen.number + 1)
        beyond = self._store.commits_at([address]).get(address)
        self._raced = self._raced or beyond is not None
        return beyond is None

    # --- what is written ---
    def _prepare(self) -> _Prepared | None:
        self._look()
        command, seen = self._command, self._seen
        events = tuple(command.decide(seen))
        if not events:
            return None
        at = (command.stream, seen.number + 1)
        commit = Commit(*at, command.id, command.now, command.actor, events)
        states = fold.after(self._aggregate, commit, seen.states)
        return _Prepared(fold.write(self._aggregate, commit, states), states)

    def _put(self, prepared: _Prepared) -> Result | None:
        """Put it; None when the race was lost, or the store's answer says to put it again."""
        write = prepared.write
        outcome = self._store.append([write], place=not self._raced)[0]
        if outcome is None:
            if self._raced:
                self._place(write)
            self._executor.placed(write)
            return Result(write.commit, prepared.states)
        if isinstance(outcome, StoreError):
            self._error = outcome
            self._troubled, self._troubles = True, self._troubles + 1
            return None
        if outcome.id == self._command.id:
            return Result(outcome, self._executor.finish(outcome))
        self._follow(outcome)
        self._raced, self._troubled, self._prepared = True, False, None
        return None

    def _place(self, write: Write) -> None:
        """Place the things of what won, then the head: behind the things of all before it.

        Where that fails, others will.
        """
        things = tuple(row for row in write.rows if not row.is_head)
        head = tuple(row for row in write.rows if row.is_head)
        with suppress(StoreError):
            self._store.place([replace(write, rows=things)])
            for attempt in range(WAITS):
                if attempt:
                    self._executor.pause(attempt)
                if self._are_placed():
                    self._store.place([replace(write, rows=head, due=None)])
                    return
            self._finish(write.commit)

    def _are_placed(self) -> bool:
        """Whether the things of all that came in between are: heads do not matter, they follow."""
        stream = self._seen.stream
        newest = {thing: one.number for one in self._met for thing in fold.touched(one)[:-1]}
        rows = self._store.rows([(stream, thing) for thing in (*newest, HEAD)])
        at = {thing: row.commit for (_, thing), row in rows.items()}
        head = at.get(HEAD, 0)
        return all(at.get(thing, 0) >= number or number <= head for thing, number in newest.items())

    def _finish(self, commit: Commit) -> None:
        """Whoever was to place those before seems to be dead: place them, and then this one."""
        head = self._store.rows([(commit.stream, HEAD)]).get((commit.stream, HEAD))
        placed = head.commit if head else 0
        for one in self._store.commits(commit.stream, placed, commit.number - placed):
            self._executor.finish(one)
