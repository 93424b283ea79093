"""A store that tells what was placed on its lines, whatever store it is."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from workledger.stores.port import Outcome, Store, Write

Hear = Callable[[Mapping[str, int]], None]
"""Hears, after a write, how many rows were placed on which lines."""


class _Telling:
    def __init__(self, store: Store, hear: Hear) -> None:
        self._store = store
        self._hear = hear

    def append(self, writes: Sequence[Write], *, place: bool = True) -> list[Outcome]:
        outcomes = self._store.append(writes, place=place)
        pairs = zip(writes, outcomes, strict=True)
        written = [write for write, outcome in pairs if outcome is None]
        if written:
            self._hear(_lines(written) if place else {})
        return outcomes

    def place(self, writes: Sequence[Write]) -> None:
        try:
            self._store.place(writes)
        finally:  # a part of them may stand
            self._hear(_lines(writes))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def telling(store: Store, hear: Hear) -> Store:
    """The store, telling `hear` of what is written; `hear` must not raise."""
    return cast("Store", _Telling(store, hear))


def _lines(writes: Sequence[Write]) -> Mapping[str, int]:
    return Counter(row.place.line for write in writes for row in write.rows if row.place)
