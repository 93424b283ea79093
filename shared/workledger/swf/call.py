"""One call of the service, and what its answers share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.ledger.execute import Result
from workledger.service.core import Core
from workledger.times import to_datetime
from workledger.workflows import domain as domain_rules
from workledger.workflows.commands import Asking
from workledger.workflows.domain import Domain

Answer = dict[str, Any]
Decide = Callable[[Seen, Asking], list[Event]]


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the protocol understood it.

    `params` are validated and have the model's names; `poll_seconds` is how long a poll is held;
    `connected` tells whether the caller is still there (W28).
    """

    core: Core
    region: str
    account: str
    actor: str
    params: Mapping[str, Any]
    poll_seconds: float = 20
    connected: Callable[[], bool] = lambda: True

    @property
    def scope(self) -> str:
        """What names are unique in (1.0)."""
        return f"{self.region}/{self.account}"

    def domain(self, name: str | None = None) -> Domain:
        """The call's domain, or another. Raises UnknownResourceFault."""
        wanted: str = name or self.params["domain"]
        stream = keys.domain_stream(self.scope, wanted)
        found: Domain | None = self.core.executor.read(stream).head
        if found is None:
            raise domain_rules.unknown(wanted)
        return found

    def open_domain(self) -> Domain:
        """The call's domain, if new things may begin in it. Raises DomainDeprecatedFault too."""
        found = self.domain()
        if found.status == domain_rules.DEPRECATED:
            raise Refused("DomainDeprecatedFault", found.name)
        return found

    def execution_stream(self, workflow_id: str) -> str:
        """The stream of a workflow id in the call's domain."""
        return keys.execution_stream(self.scope, self.params["domain"], workflow_id)


def glance(core: Core, stream: str, things: tuple[str, ...] = ()) -> Seen:
    """What the rows of a stream say, which may be a moment behind it.

    Enough for what never changes and for what is decided again later; who finishes what others
    are just about to place is in their way.
    """
    seen = fold.seen(core.executor.aggregates, stream, core.store.load(stream, things))
    return seen if seen.head is not None else core.executor.read(stream, things)


def run(
    core: Core,
    stream: str,
    actor: str,
    decide: Decide,
    things: tuple[str, ...] = (),
    command: str | None = None,
) -> Result:
    """Carry out a command of an execution, with others that wait for it (design: many writers)."""
    asking = Asking(core.clock(), command or core.new_id(), actor)
    asked = core.command(stream, actor, lambda seen: decide(seen, asking), things, asking.command)
    return core.merger.run(asked)


def epoch(moment: str) -> float:
    """A moment as the service writes it: seconds since 1970, to the millisecond."""
    return round(to_datetime(moment).timestamp(), 3)
