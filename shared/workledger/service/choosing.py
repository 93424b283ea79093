"""A keyed `next`: each choice is committed before it is tried (Q26, M36).

A repeat reads what was chosen: mine is taken, another's is a lost race, absent is still to be put.
"""

from collections.abc import Callable, Iterator, Sequence

from workledger.ledger.commit import Commit
from workledger.queues import choices as rules
from workledger.queues.choices import Choice
from workledger.service.core import Core
from workledger.service.rowless import put
from workledger.stores.port import Address


class Choosing:
    """The choices of one keyed request, in a stream of its own."""

    def __init__(self, core: Core, actor: str, stream: str) -> None:
        self._core, self._actor, self._stream = core, actor, stream
        self._made = 0

    def choose(self, addresses: Sequence[Address]) -> tuple[list[Choice], bool]:
        """Choose, unless another sending did; what is chosen, and whether it is this."""
        number = self._made + 1
        commit = put(self._core, self._stream, number, self._actor, rules.chosen(addresses))
        self._made = number
        choices = rules.choices(commit)
        return choices, [(one.stream, one.number) for one in choices] == list(addresses)

    def earlier(self) -> Iterator[list[Choice]]:
        """What another sending of this request chose and this one does not know of yet."""
        for commit in self._core.store.commits(self._stream, self._made):
            self._made = commit.number
            yield rules.choices(commit)

    def taken(
        self, choices: Sequence[Choice], put_choice: Callable[[Choice], Commit | None] | None
    ) -> list[Commit]:
        """The takes of these choices that stand; one that nobody put yet is put, if it may be."""
        standing = self._core.store.commits_at([(one.stream, one.number) for one in choices])
        found: list[Commit] = []
        for one in choices:
            commit = standing.get((one.stream, one.number))
            if commit is None and put_choice is not None:
                commit = put_choice(one)
            if commit is not None and commit.id == one.command:
                found.append(commit)
        return found
