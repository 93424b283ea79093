"""A row: the state of one thing, and where it stands."""

from dataclasses import dataclass
from typing import NamedTuple

from workledger.keys import HEAD
from workledger.views.order import Place


class Keys(NamedTuple):
    """What a row is found by besides its line; None means not in that index.

    `queue` with the place's sequence lists all items of a queue generation; with `ref` it finds
    references by prefix; `run` finds what a run holds.
    """

    queue: str | None = None
    number: int | None = None
    ref: str | None = None
    run: str | None = None


NO_KEYS = Keys()


@dataclass(frozen=True, slots=True)
class Standing:
    """What `place(thing)` says: the line position, the other keys, the next moment of attention."""

    place: Place | None = None
    keys: Keys = NO_KEYS
    due: str | None = None


NOWHERE = Standing()


@dataclass(frozen=True, slots=True)
class Row:
    """A thing's state as stored. `commit` is the number that wrote it: only newer ones overwrite.

    `state` is JSON text; `"null"` is a tombstone: the thing is known not to exist any more.
    """

    stream: str
    thing: str
    commit: int
    state: str
    place: Place | None = None
    keys: Keys = NO_KEYS

    @property
    def is_head(self) -> bool:
        """Whether this row bears its stream's commit number."""
        return self.thing == HEAD
