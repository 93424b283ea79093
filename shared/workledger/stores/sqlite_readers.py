"""The connections that read: as many as there are threads that read at the same time."""

import sqlite3
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from workledger.errors import StoreError
from workledger.stores.sqlite_schema import open_reader, translated
from workledger.stores.sqlite_writer import Writer

_FEW = 50
"""Statements for which a writer is kept waiting at most."""


class Readers:
    """Connections in store. The one that was used last is taken first: its statements are ready."""

    def __init__(self, path: str, busy_seconds: float, writer: Writer) -> None:
        self._writer = writer
        self._path = path
        self._busy_seconds = busy_seconds
        self._idle: deque[sqlite3.Connection] = deque()
        self._closed = False

    def all(self, statement: str, parameters: Sequence[Any]) -> list[Any]:
        """What the statement finds."""
        return self.each(statement, (parameters,))

    def each(self, statement: str, parameters: Sequence[Sequence[Any]]) -> list[Any]:
        """What the statement finds for each of the parameters."""
        db = self._take()
        try:
            return _found(db, statement, parameters)
        finally:
            self._idle.append(db)
            if self._closed:
                self._close_idle()

    def few(self, statement: str, *parameters: Sequence[Any]) -> list[Any]:
        """`each` for short reads.

        Every write makes the others' pages stale: while nobody writes, the connection that does
        has them at hand.
        """
        db = self._writer.borrow() if len(parameters) <= _FEW else None
        if db is None:
            return self.each(statement, parameters)
        try:
            return _found(db, statement, parameters)
        finally:
            self._writer.give_back()

    def close(self) -> None:
        """Close all; those in use when they are given back."""
        self._closed = True
        self._close_idle()

    def _take(self) -> sqlite3.Connection:
        with suppress(IndexError):
            return self._idle.pop()
        if self._closed:
            raise StoreError("the store is closed")
        return open_reader(self._path, self._busy_seconds)

    def _close_idle(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


def _found(
    db: sqlite3.Connection, statement: str, parameters: Sequence[Sequence[Any]]
) -> list[Any]:
    try:
        return [row for given in parameters for row in db.execute(statement, given)]
    except sqlite3.Error as error:
        raise translated(error) from error
