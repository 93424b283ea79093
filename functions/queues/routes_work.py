"""Work: add, take, complete, fail, beat (Q10 to Q47, Q80 to Q86)."""

from hashlib import sha256

from aws_lambda_powertools.event_handler import Request

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.entries import REQUEST_BODY, entries_of
from workledger.api.http import JSON, NDJSON
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import IdempotencyKey, ItemInPath, QueueInPath
from workledger.api.permissions import Permission
from workledger.api.resolver import actor, event_of
from workledger.api.wire import items
from workledger.api.wire import work as wire
from workledger.bootstrap import app
from workledger.service import adding, closing, taking

operations = Operations("work")
add = operations.add

CLOSING = (
    "item_not_found",
    "queue_not_found",
    "invalid_value",
    "foreign_run",
    "run_ended",
    "stale_claim",
    "already_closed",
)


@add(
    "POST",
    "/queues/{queue}/items",
    Permission.ADD_ITEMS,
    answered(wire.AddedAnswer),
    refuses=(
        "invalid_value",
        "unknown_member",
        "foreign_request",
        "queue_not_found",
        "too_large",
        "too_many",
        "key_reused",
    ),
    takes=(JSON, NDJSON),
    request_body=REQUEST_BODY,
)
def add_items(request: Request, queue: QueueInPath, key: IdempotencyKey = None) -> Answered:
    """Add an item, or up to 5,000.

    An entry is its data itself, or an envelope: an object with `data` and no other members than
    `reference`, `priority`, `notBefore`, `due`. `data` beside any other member is refused: wrap the
    object as `{"data": {...}}` (Q80). A known reference is skipped, not an error: `created` is
    false and `id` is the item that has it (Q12, Q82). A bad entry anywhere: nothing is added (Q81).

    With an `Idempotency-Key` the whole load can be sent again, also half-way through (Q83). A
    request has 6 MB at most: 5,000 items of about 1 KB (Q84). Data and result of an item have
    256 KiB together (Q14).
    """
    text = event_of(request).text
    entries = entries_of(text, event_of(request).content_type)
    body_hash = sha256(text.encode()).hexdigest() if key else ""
    return answers.json(
        wire.added(adding.add(app().core, actor(request), queue, entries, key, body_hash))
    )


@add(
    "POST",
    "/queues/{queue}/next",
    Permission.WORK,
    answered(wire.TakenAnswer | wire.TakenItems | wire.NothingTaken),
    refuses=("queue_not_found", "foreign_run", "run_ended"),
)
def next_item(
    request: Request, queue: QueueInPath, body: wire.TakeItems, key: IdempotencyKey = None
) -> Answered:
    """Take the next item.

    Highest priority first, then in the order they arrived (Q20). Without `run` one is started and
    answered (Q53). With an `Idempotency-Key` a lost answer can be asked for again: the same item,
    the same claim (Q26). `found` is false when there is none: `reason` says why (Q22).
    """
    taken = taking.take(app().core, actor(request), queue, body.wanted(key))
    return answers.json(wire.taken(taken, several=body.max_items is not None))


@add(
    "POST",
    "/items/{id}/complete",
    Permission.WORK,
    answered(items.Item),
    refuses=(*CLOSING, "too_large"),
)
def complete_item(request: Request, id: ItemInPath, body: wire.CompleteItem) -> Answered:  # noqa: A002
    """Complete an item (Q40).

    Needs the claim that `next` gave. The exact repeat answers the same again; a different one, or a
    claim of an earlier round, is a 409 and changes nothing (Q43).
    """
    shown = closing.complete(app().core, actor(request), id, body.claim, body.result)
    return answers.json(items.item(shown))


@add("POST", "/items/{id}/fail", Permission.WORK, answered(items.Item), refuses=CLOSING)
def fail_item(request: Request, id: ItemInPath, body: wire.FailItem) -> Answered:  # noqa: A002
    """End a round that went wrong.

    Back to new while retries are left (Q42), else, or with `retry` false, failed with the reason
    (Q41).
    """
    shown = closing.fail(app().core, actor(request), id, body.claim, body.failure())
    return answers.json(items.item(shown))


@add("POST", "/items/{id}/beat", Permission.WORK, answered(wire.BeatAnswer), refuses=CLOSING)
def beat_item(request: Request, id: ItemInPath, body: wire.BeatItem) -> Answered:  # noqa: A002
    """Keep the run's lease alive, and say how far the work is (Q46)."""
    until = closing.beat(app().core, actor(request), id, body.claim, body.progress)
    return answers.json(wire.BeatAnswer(leaseUntil=until))
