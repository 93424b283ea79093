"""What a domain gives the ledger: how a thing changes, and where it stands."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workledger.keys import HEAD
from workledger.ledger.commit import Commit, Event
from workledger.views.row import Standing


class Aggregate(Protocol):
    """One kind of stream. Pure: everything comes in as data, and a state is never changed.

    A thing's next state depends on its own state, the event, and the head's state before it. So
    whoever finds some rows of a commit placed and others not can finish the others: the head is
    placed last.
    """

    def load(self, stored: Any) -> Any:
        """The state from its JSON value."""
        ...

    def dump(self, state: Any) -> Any:
        """The state as a JSON value; the same state always gives the same text."""
        ...

    def evolve(self, thing: str, state: Any, event: Event, commit: Commit, head: Any) -> Any:
        """The thing's state after the event; None when it exists no more."""
        ...

    def place(self, stream: str, thing: str, state: Any) -> Standing:
        """Where the thing stands."""
        ...


@dataclass(frozen=True, slots=True)
class Seen:
    """What a command meets: the states of the head and of the things it named, None for absent.

    `number` is the head's commit: a new commit goes to `number + 1`. `ahead` counts the events that
    other commands of the same commit have put before this one's (see `merge`).
    """

    stream: str
    number: int = 0
    states: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ahead: int = 0

    @property
    def head(self) -> Any:
        """The head's state, None in a stream that does not exist."""
        return self.states.get(HEAD)


Decide = Callable[[Seen], Sequence[Event]]
"""Events to append; an empty list means "already so"; raises Refused."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is asked of one stream.

    `id` makes it safe to repeat: a commit that bears it is this command's. `things` are all rows,
    besides the head, whose present state the decision or its events' effect depends on; a thing
    that an event names beyond them must be new.
    """

    stream: str
    id: str
    actor: str
    now: str
    decide: Decide
    things: tuple[str, ...] = ()
