"""Adding items, one or a load of them (Q10 to Q15, Q30 to Q33, Q80 to Q86)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workledger import keys
from workledger.ledger import fold
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Commit, Event
from workledger.ledger.execute import Result
from workledger.queues import item_commands, loads
from workledger.queues.entries import new_items as entries_of
from workledger.queues.item import NAMES, Item, Waiting
from workledger.queues.item_commands import NewItem
from workledger.queues.loads import AddedItem, Numbers
from workledger.service import queues
from workledger.service.core import Core
from workledger.service.rowless import put
from workledger.views.row import Row

__all__ = ["Added", "AddedItem", "add", "entries_of"]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a load: per entry, and in numbers (Q82)."""

    items: list[AddedItem]

    @property
    def added(self) -> int:
        """How many entries became items."""
        return sum(one.created for one in self.items)

    @property
    def skipped(self) -> int:
        """How many had a reference that is there already."""
        return len(self.items) - self.added


def add(
    core: Core,
    actor: str,
    queue: str,
    entries: Sequence[NewItem],
    key: str | None = None,
    body_hash: str = "",
) -> Added:
    """Add entries in list order; known references are skipped.

    With a key the whole load is safe to send again, also half-way through (Q83). Raises Refused:
    queue_not_found, key_reused.
    """
    found = queues.find(core, queue)
    if not entries:
        return Added([])
    if key is not None:
        return _keyed(core, actor, found.id, entries, key, body_hash)
    base = core.new_id()
    plan = _Plan(core, actor, found.id, base, entries)
    return Added(plan.answer(_run_fresh(core, plan)))


class _Plan:
    """Entry i becomes an item in stream i by command `<base>/i`; of equal references the first."""

    def __init__(
        self, core: Core, actor: str, queue: str, base: str, entries: Sequence[NewItem]
    ) -> None:
        self.queue = queue
        self.entries = entries
        self.streams = [
            keys.item_stream(queue, entry.reference)
            if entry.reference is not None
            else keys.fresh_item_stream(queue, f"{base}/{index}")
            for index, entry in enumerate(entries)
        ]
        self.firsts = {stream: at for at, stream in reversed(list(enumerate(self.streams)))}
        self.order = sorted(self.firsts.values())
        self._core, self._actor, self._base, self._now = core, actor, base, core.clock()

    def id(self, index: int) -> str:
        """The id of the command that adds an entry."""
        return f"{self._base}/{index}"

    def command(self, index: int, decide: Callable[[Seen], list[Event]]) -> Command:
        """The command that adds an entry."""
        return Command(self.streams[index], self.id(index), self._actor, self._now, decide)

    def adding(self, index: int, numbers: Numbers) -> Callable[[Seen], list[Event]]:
        """The decision that adds an entry under its number."""
        return partial(
            item_commands.add,
            new=self.entries[index],
            queue=self.queue,
            number=numbers.first + index,
            arrived=numbers.date,
            now=self._now,
        )

    def take_numbers(self, count: int) -> Numbers:
        """Numbers and a date from the queue's counter: arrival is the store's (Q20)."""
        return Numbers(*self._core.store.take_numbers(self.queue, count, self._now))

    def answer(self, results: dict[int, AddedItem]) -> list[AddedItem]:
        """The answer of every entry: its own, or that of the first with its reference."""
        answers: list[AddedItem] = []
        for index, stream in enumerate(self.streams):
            first = results[self.firsts[stream]]
            mine = first.created and first.index == index
            answers.append(replace(first, index=index, created=mine))
        return answers

    def outcome(self, index: int, result: Result, mine: Commit | None) -> AddedItem:
        """An entry's own item as this load made it, or the one that has its reference."""
        stream = self.streams[index]
        if mine is not None:
            item_id = keys.item_id(stream, mine.events[0].data["generation"])
            return AddedItem(index, item_id, True, NAMES[Waiting])
        item: Item = result.head
        return AddedItem(index, keys.item_id(stream, item.generation), False, item.status_name)


def _run_fresh(core: Core, plan: _Plan) -> dict[int, AddedItem]:
    """Look first, then number and put only what is new; who loses a race looks again."""
    referenced = [at for at in plan.order if plan.entries[at].reference is not None]
    heads = core.store.rows([(plan.streams[at], keys.HEAD) for at in referenced])
    rows = {stream: {keys.HEAD: row} for (stream, _), row in heads.items()}
    new = [at for at in plan.order if not _occupied(core, rows.get(plan.streams[at]))]
    numbers = plan.take_numbers(len(plan.entries)) if new else Numbers(0, "")
    decide = {at: _numbering(plan, at, numbers) for at in plan.order}
    once = core.executor.once_all(
        [(plan.command(at, decide[at]), rows.get(plan.streams[at], {})) for at in new]
    )
    results = {at: one for at, one in zip(new, once, strict=True) if isinstance(one, Result)}
    again = [at for at in plan.order if at not in results]
    ran = core.executor.run_all([plan.command(at, decide[at]) for at in again])
    results.update(zip(again, ran, strict=True))
    return {at: plan.outcome(at, one.unwrap(), one.commit) for at, one in results.items()}


def _numbering(plan: _Plan, index: int, numbers: Numbers) -> Callable[[Seen], list[Event]]:
    """Adds under the load's number, or under one of its own if all seemed to be known before."""

    def decide(seen: Seen) -> list[Event]:
        events = plan.adding(index, numbers)(seen)
        if events and not numbers.first:
            one = plan.take_numbers(1)
            return plan.adding(index, Numbers(one.first - index, one.date))(seen)
        return events

    return decide


def _occupied(core: Core, rows: dict[str, Row] | None) -> bool:
    if not rows:
        return False
    item: Item = fold.state(core.executor.aggregates["item"], rows[keys.HEAD])
    return item.occupies


def _keyed(
    core: Core, actor: str, queue: str, entries: Sequence[NewItem], key: str, body_hash: str
) -> Added:
    """The numbers are committed first, the answer last: whoever repeats carries the load on."""
    stream = keys.add_stream(queue, actor, key)
    plan = _Plan(core, actor, queue, stream, entries)
    commits = core.store.commits(stream)
    if not commits:
        event = loads.started(body_hash, plan.take_numbers(len(entries)), len(entries))
        commits = [put(core, stream, 1, actor, event)]
    numbers = loads.numbers_of(commits[0], body_hash)
    if len(commits) == 1:
        answer = plan.answer(_run_keyed(core, plan, numbers))
        commits.append(put(core, stream, 2, actor, loads.answered(answer)))
    return Added(loads.answer_of(commits[1]))


def _run_keyed(core: Core, plan: _Plan, numbers: Numbers) -> dict[int, AddedItem]:
    decide = {at: _unless_mine(core, plan, at, numbers) for at in plan.order}
    ran = core.executor.run_all([plan.command(at, decide[at]) for at in plan.order])
    return {
        at: plan.outcome(at, one.unwrap(), one.commit or _mine(core, plan, at))
        for at, one in zip(plan.order, ran, strict=True)
    }


def _unless_mine(
    core: Core, plan: _Plan, index: int, numbers: Numbers
) -> Callable[[Seen], list[Event]]:
    """Adds an entry unless this load did so before, whatever became of that item since."""

    def decide(seen: Seen) -> list[Event]:
        events = plan.adding(index, numbers)(seen)
        return [] if events and seen.number and _mine(core, plan, index) else events

    return decide


def _mine(core: Core, plan: _Plan, index: int) -> Commit | None:
    """The commit by which this load added an entry before."""
    commits = core.store.commits(plan.streams[index])
    return next((commit for commit in commits if commit.id == plan.id(index)), None)
