"""Items: show, list, change, delete, restore, back to the queue (Q16, Q71, Q72, Q91, Q92, Q95)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.ledger import fold
from workledger.ledger.aggregate import Decide, Seen
from workledger.ledger.commit import Commit, Event
from workledger.ledger.execute import Result
from workledger.queues import item_commands
from workledger.queues import queue as queue_rules
from workledger.queues.item import Completed, Deleted, Held, Item
from workledger.queues.item_commands import Change
from workledger.queues.queue import Queue
from workledger.service import histories, runs
from workledger.service.core import Core, EventShown, Page
from workledger.stores.port import Address
from workledger.views.row import Row


@dataclass(frozen=True, slots=True)
class ItemShown:
    """An item as people see it. `overdue`: the lease of the run that holds it has passed."""

    id: str
    queue_name: str
    item: Item
    data: Raw | None
    result: Raw | None
    progress: str | None
    overdue: bool


def queue_stream(item: Item) -> tuple[str, int]:
    """(stream, generation) of an item's queue."""
    located = keys.queue_of(item.queue)
    if located is None:
        raise ValueError(f"an item in no queue: {item.queue}")
    return located


def of_generation(
    core: Core, stream: str, generation: int, head: Item | None
) -> tuple[Item, tuple[str, ...]]:
    """The item of a generation and the things it is read from besides the head.

    Raises Refused("item_not_found").
    """
    if head is not None and head.generation == generation:
        return head, ()
    thing = keys.generation_thing(generation)
    item: Item | None = core.executor.read(stream, (thing,)).states.get(thing)
    if item is None:
        raise item_commands.not_found(keys.item_id(stream, generation))
    return item, (thing,)


@dataclass(frozen=True, slots=True)
class Located:
    """An item of a live queue."""

    stream: str
    generation: int
    item: Item
    queue: Queue
    things: tuple[str, ...]


def locate(core: Core, item_id: str, *, deleted_too: bool = False) -> Located:
    """The item of an id. Raises Refused: item_not_found; queue_not_found if its queue is gone."""
    located = keys.item_of(item_id)
    if located is None:
        raise item_commands.not_found(item_id)
    stream, generation = located
    item, things = of_generation(core, stream, generation, core.executor.read(stream).head)
    queue = live_queue(core, item)
    if isinstance(item.status, Deleted) and not deleted_too:
        raise item_commands.not_found(item_id)
    return Located(stream, generation, item, queue, things)


def live_queue(core: Core, item: Item) -> Queue:
    """An item's queue. Raises Refused("queue_not_found") when it was deleted (Q5)."""
    stream, generation = queue_stream(item)
    queue = queue_rules.live(core.executor.read(stream), generation)
    if queue is None:
        raise queue_rules.not_found(item.queue)
    return queue


def show(core: Core, item_id: str, as_of: str | None = None) -> ItemShown:
    """An item as it is, or as it was at a moment (Q92)."""
    found = locate(core, item_id, deleted_too=as_of is not None)
    if as_of is None:
        return shown_of(core, found.stream, found.queue.name, found.item)
    thing = keys.generation_thing(found.generation)
    states: Mapping[str, Any] = {}
    for commit in core.store.commits(found.stream):
        if commit.at > as_of:
            break
        states = fold.after(core.executor.aggregates["item"], commit, states)
    was: Item | None = states.get(thing) or states.get(keys.HEAD)
    if was is None or was.generation != found.generation or isinstance(was.status, Deleted):
        raise item_commands.not_found(item_id)
    return shown_of(core, found.stream, found.queue.name, was)


Known = Mapping[Address, Commit]
"""Commits that were read before."""


def shown_of(
    core: Core, stream: str, queue_name: str, item: Item, known: Known = MappingProxyType({})
) -> ItemShown:
    """An item with its payloads and what its holder last told."""
    return shown_many(core, queue_name, [(stream, item)], known)[0]


def shown_many(
    core: Core,
    queue_name: str,
    found: Sequence[tuple[str, Item]],
    known: Known = MappingProxyType({}),
) -> list[ItemShown]:
    """Items of one queue with their payloads, in a few requests however many they are."""
    addresses = {at for stream, item in found for at in _payloads(stream, item)} - known.keys()
    held = {item.run for _, item in found if item.run is not None}
    streams = [stream for stream, item in found if item.run is not None]
    commits, leases, (_, beats) = _read(core, sorted(addresses), sorted(held), streams)
    commits = {**known, **commits}
    now = core.clock()
    return [
        ItemShown(
            id=keys.item_id(stream, item.generation),
            queue_name=queue_name,
            item=item,
            data=_payload(commits, (stream, item.added)),
            result=_payload(commits, _payloads(stream, item)[-1]) if _has_result(item) else None,
            progress=_progress(item, beats[stream].details) if stream in beats else None,
            overdue=item.run in leases and leases[item.run].passed(now),
        )
        for stream, item in found
    ]


def _read(
    core: Core, addresses: Sequence[Address], held: Sequence[str], streams: Sequence[str]
) -> list[Any]:
    """Commits, leases, heads and beats; often there is nothing to read."""
    if not addresses and not held:
        return [{}, {}, ({}, {})]
    return core.store.together(
        [
            partial(core.store.commits_at, addresses),
            partial(runs.leases, core, held),
            partial(core.store.heads_and_beats, streams),
        ]
    )


def _payloads(stream: str, item: Item) -> list[Address]:
    status = item.status
    if isinstance(status, Completed) and status.result:
        return [(stream, item.added), (stream, status.result)]
    return [(stream, item.added)]


def _has_result(item: Item) -> bool:
    return isinstance(item.status, Completed) and item.status.result > 0


def _payload(commits: Mapping[Address, Commit], address: Address) -> Raw | None:
    commit = commits.get(address)
    text = commit.payload() if commit else None
    return Raw(text) if text is not None else None


def _progress(item: Item, details: Mapping[str, Any]) -> str | None:
    status = item.status
    if isinstance(status, Held) and details.get("claim") == status.claim:
        return details.get("progress")
    return None


class DecideItem(Protocol):
    """What is asked of an item."""

    def __call__(self, seen: Seen, generation: int) -> list[Event]:
        """The events, given what was seen and which generation is meant."""
        ...


def change(core: Core, actor: str, item_id: str, values: Mapping[str, Any]) -> ItemShown:
    """Change priority, notBefore, due of a waiting item (Q16). Raises not_waiting, not_newest."""
    new, now = Change(dict(values)), core.clock()

    def decide(seen: Seen, generation: int) -> list[Event]:
        return item_commands.change(seen, generation, new, now)

    return _run(core, actor, locate(core, item_id), decide)


def requeue(core: Core, actor: str, item_id: str) -> ItemShown:
    """Back to the queue (Q72). Raises not_failed, reference_taken, not_newest (Q34)."""
    return _run(core, actor, locate(core, item_id), item_commands.requeue)


def delete(core: Core, actor: str, item_id: str) -> None:
    """Delete an item that is not in progress (Q72); nothing when it is deleted."""
    found = locate(core, item_id, deleted_too=True)
    decide = partial(item_commands.delete, generation=found.generation)
    run(core, actor, (found.stream, found.generation), decide, found.things)


def restore(core: Core, actor: str, item_id: str) -> ItemShown:
    """Undo a delete (Q95). Raises reference_taken, not_newest, too_late."""
    now = core.clock()

    def decide(seen: Seen, generation: int) -> list[Event]:
        return item_commands.restore(seen, generation, now)

    return _run(core, actor, locate(core, item_id, deleted_too=True), decide)


def _run(core: Core, actor: str, found: Located, decide: DecideItem) -> ItemShown:
    decision = partial(decide, generation=found.generation)
    _, item = run(core, actor, (found.stream, found.generation), decision, found.things)
    return shown_of(core, found.stream, found.queue.name, item)


def run(
    core: Core,
    actor: str,
    item: tuple[str, int],
    decide: Decide,
    things: tuple[str, ...],
    rows: Mapping[str, Row] | None = None,
) -> tuple[Result, Item]:
    """Run a command about an item (stream, generation); answers what came of it, and the item.

    An item that was the newest of its reference when it was looked up may be so no more: then the
    command is decided on the row that it has got since.
    """
    stream, generation = item
    try:
        result = core.executor.run(core.command(stream, actor, decide, things), rows)
    except Refused as refused:
        if refused.code != "not_newest" or things:
            raise
        things = (keys.generation_thing(generation),)
        result = core.executor.run(core.command(stream, actor, decide, things))
    head: Item = result.head
    if things and head.generation != generation:
        return result, result.states[things[0]]
    return result, of_generation(core, stream, generation, head)[0]


def history(core: Core, item_id: str, cursor: str | None, limit: int) -> Page[EventShown]:
    """Every event of an item: who, when, which run, all attempts' errors (Q91).

    Of an item that is not the newest of its reference, also what was done to it since.
    """
    found = locate(core, item_id, deleted_too=True)
    thing, following = keys.generation_thing(found.generation), None
    if found.things:
        head: Item = core.executor.read(found.stream).head
        newer, _ = of_generation(core, found.stream, found.generation + 1, head)
        following = newer.added

    def is_about(commit: Commit, event: Event) -> bool:
        if following is None or commit.number < following:
            return keys.HEAD in event.things
        return thing in event.things and commit.number > following

    return histories.page(core, found.stream, cursor, limit, found.item.added, is_about)


def item_in(core: Core, row: Row | None) -> Item | None:
    """The item in a row."""
    return fold.state(core.executor.aggregates["item"], row)
