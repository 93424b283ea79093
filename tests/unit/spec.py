"""Given events, when command, then events: how a domain's rules are told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support import START
from workledger.aggregates import AGGREGATES
from workledger.errors import Refused
from workledger.keys import HEAD, kind
from workledger.ledger import fold
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event


@dataclass(frozen=True)
class Given:
    """A stream in which these events happened, one commit each, all at START by `kai`."""

    stream: str
    seen: Seen

    def when(self, decide: Callable[..., Sequence[Event]], *args: Any, **kwargs: Any) -> "Outcome":
        """Ask a command of the stream."""
        try:
            events = list(decide(self.seen, *args, **kwargs))
        except Refused as refused:
            return Outcome(self, [], refused)
        return Outcome(self, events, None)

    def and_then(self, *events: Event) -> "Given":
        """More events happen."""
        seen = self.seen
        aggregate = AGGREGATES[kind(self.stream)]
        for event in events:
            number = seen.number + 1
            commit = Commit(self.stream, number, f"c{number}", START, "kai", (event,))
            seen = Seen(self.stream, number, fold.after(aggregate, commit, seen.states))
        return Given(self.stream, seen)

    @property
    def state(self) -> Any:
        """The head's state."""
        return self.seen.states.get(HEAD)


@dataclass(frozen=True)
class Outcome:
    """What a command answered."""

    given: Given
    events: list[Event]
    refused: Refused | None

    def then(self, *types: str) -> Given:
        """Exactly events of these types; answers the stream after them."""
        assert self.refused is None, self.refused
        assert [event.type for event in self.events] == list(types)
        return self.given.and_then(*self.events)

    def then_nothing(self) -> Given:
        """Already so: no event."""
        return self.then()

    def then_refused(self, code: str) -> Refused:
        """A refusal with this code, and a text that says something."""
        assert self.refused is not None, self.events
        assert self.refused.code == code
        assert len(self.refused.detail) > 10
        return self.refused

    @property
    def data(self) -> dict[str, Any]:
        """The data of the one event."""
        (event,) = self.events
        return dict(event.data)


def given(stream: str, *events: Event) -> Given:
    """A stream in which these events happened."""
    return Given(stream, Seen(stream)).and_then(*events)
