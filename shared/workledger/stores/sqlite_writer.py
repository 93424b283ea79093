"""Group commit: the writes of many threads become one transaction and one wait for the disk."""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any

from workledger.errors import AnswerLost, StoreError
from workledger.stores.sqlite_schema import code_of, translated

Step = Callable[[sqlite3.Connection], Any]
"""Statements that belong together; what it returns is its answer."""

_MOST = 100
"""Jobs that one transaction does at most: the first must not wait for ever more of them."""

_FAULTS = (sqlite3.Error, OverflowError, ValueError, TypeError)
"""What a step may raise: the last three are values that a database cannot hold."""


class _Job:
    """What a thread wants done. `turn` is released when it is done, or when the thread leads."""

    __slots__ = ("answers", "steps", "turn")

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.answers: list[Any] | None = None
        self.turn = Lock()
        self.turn.acquire()


class Writer:
    """The one connection that writes, and the queue of threads before it.

    A thread that finds nobody at work does its job at once. Others queue; when a transaction ends
    the first of them leads the next one, which does all that has queued by then: one wait for the
    disk, however many they are. Each step stands or falls alone: when one fails, the transaction
    is undone and every step gets one of its own.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._using = Lock()
        self._gate = Lock()
        self._waiting: deque[_Job] = deque()
        self._leader: _Job | None = None
        self._batch: list[_Job] = []

    def run(self, steps: Sequence[Step]) -> list[Any]:
        """Each step's answer, or the StoreError instead of it; on disk when this returns."""
        job = _Job(steps)
        try:
            with self._gate:
                self._waiting.append(job)
                self._leader = self._leader or job
            if self._leader is not job:
                job.turn.acquire()
            if job.answers is None:
                self._lead()
        finally:
            if self._leader is job or job.answers is None:
                self._leave(job)
        return job.answers or []

    def one(self, step: Step) -> Any:
        """The answer of one step. Raises what became of it otherwise."""
        (answer,) = self.run([step])
        if isinstance(answer, StoreError):
            raise answer
        return answer

    def borrow(self) -> sqlite3.Connection | None:
        """The connection for a short read, if nobody uses it now; `give_back` must follow."""
        return self._db if self._using.acquire(blocking=False) else None

    def give_back(self) -> None:
        """The read is done."""
        self._using.release()

    def close(self) -> None:
        """Close the connection after what is being written; later steps answer a StoreError."""
        with self._using:
            self._db.close()

    def _lead(self) -> None:
        with self._using:
            try:
                answers = self._transaction(self._answers)
                for job, answer in zip(self._batch, answers, strict=True):
                    job.answers = answer
            except StoreError as error:
                for job in self._batch or self._arriving():
                    job.answers = [error] * len(job.steps)
            except _FAULTS:
                for job in self._batch:
                    job.answers = [self._alone(step) for step in job.steps]

    def _answers(self, db: sqlite3.Connection) -> list[list[Any]]:
        return [[step(db) for step in job.steps] for job in self._arriving()]

    def _arriving(self) -> Iterator[_Job]:
        """The jobs that wait, and those that come while these are done."""
        while self._waiting and len(self._batch) < _MOST:
            self._batch.append(self._waiting.popleft())
            yield self._batch[-1]

    def _alone(self, step: Step) -> Any:
        try:
            return self._transaction(step)
        except StoreError as error:
            return error
        except _FAULTS as error:
            return translated(error)

    def _transaction(self, step: Step) -> Any:
        """The step's answer. A StoreError concerns the whole, any other error one of the steps."""
        db = self._db
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise translated(error) from error
        try:
            answer = step(db)
            _commit(db)
        except BaseException:
            if db.in_transaction:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
            raise
        return answer

    def _leave(self, job: _Job) -> None:
        """Hand over to the first who waits, and wake those whose job is done."""
        done: list[_Job] = []
        with self._gate:
            if job.answers is None:  # interrupted: it must not become the leader later
                with suppress(ValueError):
                    self._waiting.remove(job)
            if self._leader is job:
                done, self._batch = self._batch, []
                self._leader = self._waiting[0] if self._waiting else None
                if self._leader:
                    self._leader.turn.release()
        for other in done:
            if other.answers is None:  # interrupted, perhaps after the commit
                other.answers = _unknown(other)
            other.turn.release()


def _commit(db: sqlite3.Connection) -> None:
    try:
        db.execute("COMMIT")
    except sqlite3.Error as error:
        if code_of(error) == sqlite3.SQLITE_IOERR:  # the log may hold it all
            raise AnswerLost(f"the disk failed while committing: {error}") from error
        raise translated(error) from error


def _unknown(job: _Job) -> list[Any]:
    return [AnswerLost("interrupted while committing")] * len(job.steps)
