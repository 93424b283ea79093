"""What the ledger says, read by other means than the code under test: events, one after the other.

Whatever is not allowed to happen is an assertion here: an item taken twice, a round that nobody
began, a number given twice, a reference held by two items (Q13, Q23, Q30, Q42, Q44).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workledger.ledger.commit import Commit, Event

MOVES = {
    "ItemReady": {"new": "new"},
    "ItemChanged": {"new": "new"},
    "ItemTaken": {"new": "inProgress"},
    "ItemPutBack": {"inProgress": "new"},
    "ItemCompleted": {"inProgress": "completed"},
    "ItemFailed": {"inProgress": "failed"},
    "ItemRequeued": {"failed": "new"},
    "ItemDeleted": {"new": "deleted", "completed": "deleted", "failed": "deleted"},
    "ItemRestored": {"deleted": "?"},
}
"""Event -> from which status to which (Q44)."""


@dataclass
class Item:
    """One item, as its events tell."""

    id: str
    queue: str
    reference: str | None
    number: int
    arrived: str
    priority: int
    since: str
    not_before: str | None
    status: str = "new"
    kept: str = ""
    attempt: int = 0
    run: str | None = None
    claim: int = 0
    takes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    closed: dict[int, str] = field(default_factory=dict[int, str])

    @property
    def order(self) -> tuple[int, str, int]:
        """Where it stands among those that wait (Q20)."""
        return (-self.priority, self.arrived, self.number)

    def ready(self, now: str) -> bool:
        """Whether it can be taken."""
        return self.status == "new" and (self.not_before is None or self.not_before <= now)


@dataclass
class Truth:
    """Items by id, queues by id (False: deleted), runs by id (True: ended)."""

    items: dict[str, Item] = field(default_factory=dict[str, Item])
    queues: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    ended: dict[str, bool] = field(default_factory=dict[str, bool])

    def of(self, queue: str) -> list[Item]:
        """A queue's items in order."""
        return sorted((one for one in self.items.values() if one.queue == queue), key=_order)


def _order(item: Item) -> tuple[int, str, int]:
    return item.order


def read(commits: Iterable[Commit]) -> Truth:
    """The truth in a ledger."""
    truth = Truth()
    newest: dict[str, Item] = {}
    for commit in commits:
        kind, name = commit.stream.split("/", 1)
        for event in commit.events:
            if kind == "item":
                _item(truth, newest, name, commit, event)
            elif kind == "queue":
                _queue(truth, name, event)
            elif kind == "run":
                truth.ended[f"r_{name}"] = event.type != "RunStarted"
    _numbers_are_unique(truth)
    return truth


def _queue(truth: Truth, name: str, event: Event) -> None:
    if event.type == "QueueCreated":
        assert not any(one["live"] for at, one in truth.queues.items() if at[2:28] == name)
        truth.queues[f"q_{name}.{event.data['generation']}"] = {**event.data, "live": True}
        return
    live = next(one for at, one in truth.queues.items() if at[2:28] == name and one["live"])
    live.update(event.data, live=event.type != "QueueDeleted")


def _item(truth: Truth, newest: dict[str, Item], name: str, commit: Commit, event: Event) -> None:
    data = event.data
    if event.type == "ItemAdded":
        older = newest.get(name)
        assert older is None or older.status in ("failed", "deleted"), f"{commit} on {older}"
        made = Item(
            f"i_{name}.{data['generation']}",
            data["queue"],
            data.get("reference"),
            data["number"],
            data["arrived"],
            data["priority"],
            commit.at,
            data.get("notBefore"),
        )
        assert made.id not in truth.items
        truth.items[made.id] = newest[name] = made
        return
    item = newest[name]
    if "head" not in event.things:  # an older item of the reference
        [thing] = event.things
        item = truth.items[f"i_{name}.{thing[1:]}"]
        assert event.type == "ItemDeleted"
    _move(item, event, commit)


def _move(item: Item, event: Event, commit: Commit) -> None:
    data = event.data
    assert item.status in MOVES[event.type], f"{event.type} on {item}"
    if event.type == "ItemDeleted":
        item.kept = item.status
    item.status = MOVES[event.type][item.status]
    item.since = commit.at
    if event.type == "ItemTaken":
        assert item.not_before is None, f"taken while deferred: {item}"
        item.attempt += 1
        assert data["attempt"] == item.attempt
        item.run, item.claim = data["run"], commit.number
        item.takes.append((commit.number, data["run"]))
    elif event.type in ("ItemPutBack", "ItemCompleted", "ItemFailed"):
        assert data["claim"] == item.claim, f"closed by another claim: {item}"
        item.closed[item.claim] = event.type
        item.run = None
        item.not_before = data.get("notBefore")
    elif event.type == "ItemReady":
        item.not_before = None
    elif event.type == "ItemChanged":
        item.priority, item.not_before = data["priority"], data.get("notBefore")
    elif event.type == "ItemRequeued":
        item.attempt, item.not_before = 0, None
    elif event.type == "ItemRestored":
        item.status = item.kept


def _numbers_are_unique(truth: Truth) -> None:
    for queue in truth.queues:
        numbers = [one.number for one in truth.items.values() if one.queue == queue]
        assert len(numbers) == len(set(numbers)), "a number was given twice"


def counts(items: Iterable[Item]) -> Iterator[tuple[str, int]]:
    """How many have each status."""
    found = [one.status for one in items]
    for status in ("new", "inProgress", "completed", "failed"):
        yield status, found.count(status)
