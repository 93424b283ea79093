"""Group commit: the writes of many threads become one transaction and one wait for the disk."""

import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any

from workledger.errors import AnswerLost, StoreError
from workledger.stores.sqlite_schema import code_of, translated

Step = Callable[[sqlite3.Connection], Any]
"""Statements that belong together; what it returns is its answer."""

_FAULTS = (sqlite3.Error, OverflowError, ValueError, TypeError)
"""What a step may raise: the last three are values that a database cannot hold."""


class _Job:
    __slots__ = ("answers", "steps")

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.answers: list[Any] | None = None


class Writer:
    """The one connection that writes, and the queue of threads before it.

    Each thread puts its job into the queue and asks for the lock. Who gets it does all that is
    queued, in one transaction; the others find their answers when their turn comes. A thread that
    is alone does its own job at once. Each step stands or falls alone: when one fails, the
    transaction is undone and every step gets one of its own.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lock = Lock()
        self._waiting: deque[_Job] = deque()

    def run(self, steps: Sequence[Step]) -> list[Any]:
        """Each step's answer, or the StoreError instead of it; on disk when this returns."""
        job = _Job(steps)
        self._waiting.append(job)
        with self._lock:
            if job.answers is None:
                self._lead()
        return _unknown(job) if job.answers is None else job.answers

    def one(self, step: Step) -> Any:
        """The answer of one step. Raises what became of it otherwise."""
        (answer,) = self.run([step])
        if isinstance(answer, StoreError):
            raise answer
        return answer

    def close(self) -> None:
        """Let the present transaction end, then close the connection."""
        with self._lock:
            self._db.close()

    def _lead(self) -> None:
        jobs: list[_Job] = []
        try:
            while self._waiting:
                jobs.append(self._waiting.popleft())
            self._do(jobs)
        finally:
            for job in jobs:
                if job.answers is None:  # interrupted: perhaps after the commit
                    job.answers = _unknown(job)

    def _do(self, jobs: list[_Job]) -> None:
        steps = [step for job in jobs for step in job.steps]
        try:
            answers = self._transaction(steps)
        except StoreError as error:
            answers = [error] * len(steps)
        except _FAULTS:
            answers = [self._alone(step) for step in steps]
        end = 0
        for job in jobs:
            start, end = end, end + len(job.steps)
            job.answers = answers[start:end]

    def _alone(self, step: Step) -> Any:
        try:
            return self._transaction([step])[0]
        except StoreError as error:
            return error
        except _FAULTS as error:
            return translated(error)

    def _transaction(self, steps: list[Step]) -> list[Any]:
        """The answers. A StoreError concerns the whole, any other error one of the steps."""
        db = self._db
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise translated(error) from error
        try:
            answers = [step(db) for step in steps]
            _commit(db)
        except BaseException:
            if db.in_transaction:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
            raise
        return answers


def _commit(db: sqlite3.Connection) -> None:
    try:
        db.execute("COMMIT")
    except sqlite3.Error as error:
        if code_of(error) == sqlite3.SQLITE_IOERR:  # the log may hold it all
            raise AnswerLost(f"the disk failed while committing: {error}") from error
        raise translated(error) from error


def _unknown(job: _Job) -> list[Any]:
    return [AnswerLost("interrupted while committing")] * len(job.steps)
