"""Ending a round: complete, fail, beat (Q40 to Q47)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.ledger import fold
from workledger.ledger.aggregate import Decide
from workledger.ledger.commit import Commit
from workledger.queues import entries, item_commands
from workledger.queues import queue as queue_rules
from workledger.queues.item import Item
from workledger.queues.item_commands import Failure, RetryRule
from workledger.queues.queue import Queue
from workledger.service import items, runs
from workledger.service.core import Core
from workledger.service.items import ItemShown
from workledger.service.runs import Lease
from workledger.stores.port import Address
from workledger.views.row import Row

PROGRESS_LENGTH = 1_000

ALWAYS = "9999-12-31T23:59:59.999Z"
"""An item's beat row has no deadline, its run has: progress can be told at any time, by any run."""


@dataclass(frozen=True, slots=True)
class _Holder:
    """A claim, and what must be known to decide about it.

    `rows` are the item's as just read, `known` the commit that bears its data.
    """

    stream: str
    generation: int
    claim: int
    item: Item
    queue: Queue
    things: tuple[str, ...]
    lease: Lease | None
    rows: Mapping[str, Row] | None
    known: Mapping[Address, Commit]


def complete(core: Core, actor: str, item_id: str, claim: str, result: Raw | None) -> ItemShown:
    """Complete an item (Q40). The exact repeat answers the same again (Q43).

    Raises Refused: item_not_found, queue_not_found, stale_claim, already_closed, run_ended,
    foreign_run, too_large.
    """
    holder = _holder(core, actor, item_id, claim)
    text = result.text if result is not None else None
    size = len(text.encode()) if text else 0
    if size and holder.item.size + size > entries.MOST_BYTES:
        raise entries.too_large(holder.item.size + size, "result")
    return _close(
        core,
        actor,
        holder,
        partial(
            item_commands.complete,
            generation=holder.generation,
            claim=holder.claim,
            result=text,
        ),
    )


def fail(core: Core, actor: str, item_id: str, claim: str, failure: Failure) -> ItemShown:
    """End a round that went wrong: put back while attempt <= Retries, else failed (Q41, Q42).

    Raises Refused as `complete` does.
    """
    holder = _holder(core, actor, item_id, claim)
    return _close(
        core,
        actor,
        holder,
        partial(
            item_commands.fail,
            generation=holder.generation,
            claim=holder.claim,
            failure=failure,
            rule=_rule(holder.queue),
            now=core.clock(),
        ),
    )


def beat(core: Core, actor: str, item_id: str, claim: str, progress: str | None) -> str:
    """Keep the holder's run alive and note its progress (Q46); answers until when.

    Raises Refused: item_not_found, stale_claim, run_ended, foreign_run.
    """
    holder = _holder(core, actor, item_id, claim, data=False)
    if holder.lease is None:
        raise item_commands.stale()
    until = runs.beat(core, holder.lease)
    if progress is not None:
        details = {"progress": progress[:PROGRESS_LENGTH], "claim": holder.claim}
        core.store.beat(holder.stream, ALWAYS, core.clock(), details)
    return until


def _rule(queue: Queue) -> RetryRule:
    return runs.rule_of(queue)


def _close(core: Core, actor: str, holder: _Holder, decide: Decide) -> ItemShown:
    if holder.lease is not None:
        runs.beat_if_half_gone(core, holder.lease)
    about = (holder.stream, holder.generation)
    result, item = items.run(core, actor, about, decide, holder.things, holder.rows)
    known = dict(holder.known)
    if result.commit is not None:
        known[result.commit.stream, result.commit.number] = result.commit
    return items.shown_of(core, holder.stream, holder.queue.name, item, known)


def _holder(core: Core, actor: str, item_id: str, claim: str, *, data: bool = True) -> _Holder:
    """The item and, if this claim holds it, its run: of this actor, active, in time (Q53).

    `data`: read the item's data beside its queue and run, to answer with it.
    """
    parsed = keys.claim_of(claim)
    located = keys.item_of(item_id)
    if located is None:
        raise item_commands.not_found(item_id)
    if parsed is None or parsed[0] != item_id:
        raise Refused(
            "invalid_value",
            "this is not a claim on this item: send what `next` gave",
            field="claim",
        )
    stream, generation = located
    rows = core.store.load(stream)
    head: Item | None = fold.state(core.executor.aggregates["item"], rows.get(keys.HEAD))
    if head is None or head.generation < generation or not head.holds(parsed[1]):
        rows, head = None, core.executor.read(stream).head
    item, things = items.of_generation(core, stream, generation, head)
    holds = item.generation == generation and item.holds(parsed[1])
    around, known = core.store.together(
        [
            partial(_around, core, item, holds=holds),
            partial(core.store.commits_at, [(stream, item.added)] if data else []),
        ]
    )
    queue, lease = around
    if holds:
        lease = runs.check_own(core, actor, item.run or "", lease)
    return _Holder(stream, generation, parsed[1], item, queue, things, lease, rows, known)


def _around(core: Core, item: Item, *, holds: bool) -> tuple[Queue, Lease | None]:
    """The item's queue, and the lease of the run that holds it."""
    stream, generation = items.queue_stream(item)
    run = item.run if holds else None
    streams = [stream, keys.run_stream(run)] if run else [stream]
    heads, beats = core.store.heads_and_beats(streams)
    rows = {keys.HEAD: heads[stream]} if stream in heads else {}
    queue = queue_rules.live(fold.seen(core.executor.aggregates, stream, rows), generation)
    if queue is None:
        raise queue_rules.not_found(item.queue)
    return queue, runs.lease_of(core, run, heads, beats) if run else None
