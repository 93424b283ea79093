"""What may be asked of a work item. Each decision is a pure function of what was seen.

Every function answers the events to append; none means "already so". A refusal is a `Refused`.
"""

import json
from dataclasses import dataclass
from typing import Any

from workledger.errors import Refused
from workledger.keys import HEAD, generation_thing, item_id
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.queues import item as items
from workledger.queues.item import Deleted, Failed, Held, Item, Waiting
from workledger.times import plus, seconds_between

RUN_ENDED = "The run ended before the item was completed."
"""The reason of a release (Q50)."""

NO_REASON = "No reason was given."
"""The standard text for an empty reason (Q45)."""

RESTORE_DAYS = 30
"""How long a deleted item can be restored (Q95)."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """An entry that is to become an item: `data` is JSON text, the rest as in Q11 and Q15."""

    data: str
    reference: str | None = None
    priority: int = 0
    not_before: str | None = None
    due: str | None = None


@dataclass(frozen=True, slots=True)
class RetryRule:
    """A queue's settings at the moment of a failure (Q7, Q47)."""

    retries: int
    delay_seconds: int = 0


def add(seen: Seen, new: NewItem, queue: str, number: int, arrived: str, now: str) -> list[Event]:
    """Add an item; nothing when its reference is New, In progress or Completed (Q30)."""
    old: Item | None = seen.head
    if old is not None and old.occupies:
        return []
    data: dict[str, Any] = {
        "queue": queue,
        "generation": old.generation + 1 if old else 1,
        "number": number,
        "priority": new.priority,
        "arrived": arrived,
        "size": len(new.data.encode()),
    }
    if new.reference is not None:
        data["reference"] = new.reference
    if new.not_before is not None and new.not_before > now:
        data["notBefore"] = new.not_before
    if new.due is not None:
        data["due"] = new.due
    things = (items.superseded_thing(old), HEAD) if old else (HEAD,)
    return [Event(items.ADDED, data, things, new.data)]


def ready(seen: Seen, generation: int, now: str) -> list[Event]:
    """Move a deferred item that is due to its place on the ready line."""
    item = _newest(seen, generation)
    if item is None or not isinstance(item.status, Waiting):
        return []
    not_before = item.status.not_before
    return [Event(items.READY)] if not_before is not None and not_before <= now else []


def take(seen: Seen, run: str, ahead: int) -> list[Event]:
    """Tie a New item to a run (Q23, Q24, Q25). `ahead`: items seen before it (Q90).

    Raises Refused("not_new") for every other status: the taker goes to the next one.
    """
    item: Item | None = seen.head
    if item is None or item.status != Waiting():
        raise Refused("not_new", "the item is not waiting to be taken")
    return [
        Event(
            items.TAKEN,
            {
                "run": run,
                "generation": item.generation,
                "attempt": item.attempt + 1,
                "ahead": ahead,
            },
        )
    ]


def complete(seen: Seen, generation: int, claim: int, result: str | None) -> list[Event]:
    """Complete a held item (Q40). Raises Refused: stale_claim, already_closed (Q43)."""
    digest = items.closing_digest("complete", result or "", str(result is None))
    if _held(seen, generation, claim, digest) is None:
        return []
    data = {"claim": claim, "digest": digest, "result": result is not None}
    return [Event(items.COMPLETED, data, payload=result)]


@dataclass(frozen=True, slots=True)
class Failure:
    """What a worker says when a round went wrong."""

    reason: str = ""
    retry: bool = True
    not_before: str | None = None


def fail(
    seen: Seen, generation: int, claim: int, failure: Failure, rule: RetryRule, now: str
) -> list[Event]:
    """End a round: put back while attempt <= Retries, else failed (Q41, Q42)."""
    told = json.dumps([failure.reason, failure.retry, failure.not_before])
    digest = items.closing_digest("fail", told)
    item = _held(seen, generation, claim, digest)
    if item is None:
        return []
    reason = failure.reason.strip() or NO_REASON
    closing = {"claim": claim, "digest": digest, "reason": reason}
    if failure.retry and item.attempt <= rule.retries:
        return [_put_back(closing, failure.not_before, rule, now)]
    return [Event(items.FAILED, {**closing, "why": "error" if failure.retry else "final"})]


def release(
    seen: Seen, generation: int, run: str, claim: int | None, rule: RetryRule, now: str
) -> list[Event]:
    """Take an item back from a run that has ended (Q50, Q51); nothing if it holds it no more."""
    item = _newest(seen, generation)
    if item is None or not isinstance(item.status, Held) or item.status.run != run:
        return []
    if claim is not None and item.status.claim != claim:
        return []
    held = item.status.claim
    digest = items.closing_digest("release", run)
    closing = {"claim": held, "digest": digest, "reason": RUN_ENDED, "why": "runEnded"}
    if item.attempt <= rule.retries:
        return [_put_back(closing, None, rule, now)]
    return [Event(items.FAILED, closing)]


def _put_back(closing: dict[str, Any], not_before: str | None, rule: RetryRule, now: str) -> Event:
    if not_before is None and rule.delay_seconds:
        not_before = plus(now, rule.delay_seconds)
    if not_before is None or not_before <= now:
        return Event(items.PUT_BACK, closing)
    return Event(items.PUT_BACK, {**closing, "notBefore": not_before})


def requeue(seen: Seen, generation: int) -> list[Event]:
    """Back to the queue: Failed only, all retries available again (Q72, Q34)."""
    item = _must_be_newest(seen, generation)
    if not isinstance(item.status, Failed):
        raise Refused(
            "not_failed",
            f"the item is {_words(item)}; only a failed item goes back to the queue",
            status=item.status_name,
        )
    return [Event(items.REQUEUED)]


@dataclass(frozen=True, slots=True)
class Change:
    """New values for a waiting item; a member that is absent stays as it is (Q16)."""

    values: dict[str, Any]


def change(seen: Seen, generation: int, new: Change, now: str) -> list[Event]:
    """Change priority, notBefore or due of a waiting item (Q16)."""
    item = _must_be_newest(seen, generation)
    if not isinstance(item.status, Waiting):
        raise Refused(
            "not_waiting",
            f"the item is {_words(item)}; only a waiting item can be changed",
            status=item.status_name,
        )
    old = {"priority": item.priority, "notBefore": item.status.not_before, "due": item.due}
    wanted: dict[str, Any] = {**old, **new.values}
    if wanted["notBefore"] is not None and wanted["notBefore"] <= now:
        wanted["notBefore"] = None
    if wanted == old:
        return []
    data = {name: value for name, value in wanted.items() if value is not None}
    return [Event(items.CHANGED, {**data, "before": old})]


def delete(seen: Seen, generation: int) -> list[Event]:
    """Delete an item that is not in progress; it frees its reference (Q32, Q72)."""
    item = _any(seen, generation)
    if isinstance(item.status, Deleted):
        return []
    if isinstance(item.status, Held):
        raise Refused("in_progress", "the item is in progress; only its run can close it")
    newest: Item = seen.head
    thing = HEAD if newest.generation == generation else generation_thing(generation)
    return [Event(items.DELETED, things=(thing,))]


def restore(seen: Seen, generation: int, now: str) -> list[Event]:
    """Undo a delete within RESTORE_DAYS (Q95); the newest item of a reference only (Q34)."""
    item = _must_be_newest(seen, generation, deleted_too=True)
    if not isinstance(item.status, Deleted):
        return []
    if seconds_between(item.status.at, now) > RESTORE_DAYS * 86_400:
        raise Refused(
            "too_late", f"the item was deleted more than {RESTORE_DAYS} days ago", at=item.status.at
        )
    return [Event(items.RESTORED)]


# --- what the commands share --------------------------------------------------------------------


def _newest(seen: Seen, generation: int) -> Item | None:
    item: Item | None = seen.head
    return item if item is not None and item.generation == generation else None


def _any(seen: Seen, generation: int) -> Item:
    """The item of a generation, newest or not. Raises Refused: item_not_found, not_newest."""
    item = _newest(seen, generation) or seen.states.get(generation_thing(generation))
    if item is not None:
        return item
    newest: Item | None = seen.head
    if newest is not None and newest.generation > generation:
        raise _not_newest(item_id(seen.stream, newest.generation))
    raise not_found(item_id(seen.stream, generation))


def not_found(item: str) -> Refused:
    """The refusal for an id that no item has."""
    return Refused("item_not_found", f"there is no item {item}", item=item)


def _must_be_newest(seen: Seen, generation: int, *, deleted_too: bool = False) -> Item:
    item = _any(seen, generation)
    if isinstance(item.status, Deleted) and not deleted_too:
        raise not_found(item_id(seen.stream, generation))
    newest: Item = seen.head
    if newest is item:
        return item
    holder = item_id(seen.stream, newest.generation)
    if newest.occupies:
        raise Refused(
            "reference_taken", f"the reference is held by the newer item {holder}", item=holder
        )
    raise _not_newest(holder)


def _not_newest(newest: str) -> Refused:
    return Refused(
        "not_newest",
        f"{newest} is the newest item of this reference; only that one changes its status",
        item=newest,
    )


def _held(seen: Seen, generation: int, claim: int, digest: str) -> Item | None:
    """The item if this claim holds it; None if exactly this call ended the round before (Q43)."""
    item = _any(seen, generation)
    if isinstance(item.status, Held) and item.status.claim == claim:
        return item
    if item.closing == (claim, digest):
        return None
    if item.closing is not None and item.closing[0] == claim:
        raise Refused(
            "already_closed",
            "this round was already ended in another way; nothing was changed",
            status=item.status_name,
        )
    raise stale()


def stale() -> Refused:
    """The refusal for a claim that holds its item no more (Q43)."""
    return Refused("stale_claim", "this claim does not hold the item any more; nothing was changed")


def _words(item: Item) -> str:
    return {"new": "new", "inProgress": "in progress"}.get(item.status_name, item.status_name)


def occupied_by(seen: Seen) -> tuple[str, str] | None:
    """(id, status) of the item that keeps a reference, if one does."""
    item: Item | None = seen.head
    if item is None or not item.occupies:
        return None
    return item_id(seen.stream, item.generation), item.status_name
