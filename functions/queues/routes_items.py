"""Items: list, show, change, delete, restore, back to the queue (Q16, Q71 to Q75, Q90 to Q95)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers, table
from workledger.api.answers import Answered
from workledger.api.http import JSON
from workledger.api.operations import NOTHING, Answer, Operations
from workledger.api.operations import answers as answered
from workledger.api.params import Accept, AsOf, Cursor, ItemInPath, Limit, QueueInPath
from workledger.api.permissions import Permission
from workledger.api.resolver import actor
from workledger.api.wire import events
from workledger.api.wire import items as wire
from workledger.api.wire.base import NoMembers, Page
from workledger.bootstrap import app
from workledger.service import explaining, items, listing

operations = Operations("items")
add = operations.add

GONE = ("item_not_found", "queue_not_found")

LIST = Answer(
    models={JSON: Page[wire.Item], table.CONTENT_TYPE: str},
    headers={"X-Next-Cursor": "Of a table: the `nextCursor`; absent on the last part."},
)


@add("GET", "/queues/{queue}/items", Permission.LOOK, LIST, refuses=("queue_not_found",))
def list_items(
    queue: QueueInPath,
    status: Annotated[wire.AnyStatus, Query(description="Only these.")] = "all",
    reference: Annotated[
        str | None,
        Query(max_length=512, description="How the reference begins; combined with `status`."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
    accept: Accept = None,
) -> Answered:
    """List a queue's items.

    Order (Q71): all by arrival; `new` in the order of taking, deferred ones last; `inProgress` the
    longest held first; closed ones newest first; with `reference` by reference. An item that does
    not move meanwhile appears exactly once.

    With `Accept: text/csv` a table (Q75): a header row, `data` and results as JSON text. A cell
    that a spreadsheet would run (it begins with = + - @ or a control character, and is no number)
    has an apostrophe in front.
    """
    found = listing.page(app().core, queue, status, reference or None, cursor, limit)
    if accept is None or table.CONTENT_TYPE not in accept.lower():
        return answers.page(found, wire.item)
    headers = {"X-Next-Cursor": found.next_cursor} if found.next_cursor else {}
    content_type = f"{table.CONTENT_TYPE}; charset=utf-8; header=present"
    shown = [wire.item(one) for one in found.items]
    return answers.text(content_type, table.rows(shown), headers)


@add("GET", "/items/{id}", Permission.LOOK, answered(wire.Item), refuses=GONE)
def get_item(id: ItemInPath, as_of: AsOf = None) -> Answered:  # noqa: A002 - the route's name
    """Show an item."""
    return answers.json(wire.item(items.show(app().core, id, as_of)))


@add(
    "PATCH",
    "/items/{id}",
    Permission.MANAGE_QUEUES,
    answered(wire.Item),
    refuses=(*GONE, "not_waiting", "not_newest", "reference_taken"),
)
def change_item(request: Request, id: ItemInPath, body: wire.ChangeItem) -> Answered:  # noqa: A002
    """Change a waiting item's priority, notBefore or due (Q16)."""
    changed = items.change(app().core, actor(request), id, body.values())
    return answers.json(wire.item(changed))


@add("DELETE", "/items/{id}", Permission.MANAGE_QUEUES, NOTHING, refuses=(*GONE, "in_progress"))
def delete_item(request: Request, id: ItemInPath) -> Answered:  # noqa: A002
    """Delete an item that is not in progress; its reference is free again (Q32, Q72)."""
    items.delete(app().core, actor(request), id)
    return answers.nothing()


@add(
    "POST",
    "/items/{id}/requeue",
    Permission.MANAGE_QUEUES,
    answered(wire.Item),
    refuses=(*GONE, "not_failed", "reference_taken", "not_newest"),
)
def requeue_item(request: Request, id: ItemInPath, body: NoMembers) -> Answered:  # noqa: A002, ARG001
    """Put a failed item back to the queue, with all retries available again (Q72)."""
    return answers.json(wire.item(items.requeue(app().core, actor(request), id)))


@add(
    "POST",
    "/items/{id}/restore",
    Permission.MANAGE_QUEUES,
    answered(wire.Item),
    refuses=(*GONE, "reference_taken", "not_newest", "too_late"),
)
def restore_item(request: Request, id: ItemInPath, body: NoMembers) -> Answered:  # noqa: A002, ARG001
    """Undo the deletion of an item within 30 days (Q95)."""
    return answers.json(wire.item(items.restore(app().core, actor(request), id)))


@add("GET", "/items/{id}/history", Permission.LOOK, answered(Page[events.Event]), refuses=GONE)
def item_history(id: ItemInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:  # noqa: A002
    """Show every event of an item, oldest first: all attempts, who, when, which run (Q91)."""
    return answers.page(items.history(app().core, id, cursor, limit), events.event)


@add("GET", "/items/{id}/explain", Permission.LOOK, answered(events.Explanation), refuses=GONE)
def explain_item(id: ItemInPath) -> Answered:  # noqa: A002
    """Explain why an item stands where it stands, or why it was taken when it was (Q90)."""
    return answers.json(events.explanation(explaining.explain(app().core, id)))


@add(
    "POST",
    "/queues/{queue}/requeue",
    Permission.MANAGE_QUEUES,
    answered(wire.MatchedAnswer),
    refuses=("queue_not_found", "invalid_value"),
)
def requeue_items(request: Request, queue: QueueInPath, body: wire.RequeueItems) -> Answered:
    """Put all failed items that match back to the queue (Q72).

    Items whose reference is taken by a newer one are skipped and counted (Q34). A request does
    1,000 items at most: go on with `nextCursor`.
    """
    did = listing.requeue_matching(
        app().core, actor(request), queue, wire.wanted(body.filter), body.dry_run, body.cursor
    )
    return answers.json(wire.matched(did))


@add(
    "POST",
    "/queues/{queue}/purge",
    Permission.MANAGE_QUEUES,
    answered(wire.MatchedAnswer),
    refuses=("queue_not_found", "invalid_value"),
)
def purge_items(request: Request, queue: QueueInPath, body: wire.PurgeItems) -> Answered:
    """Delete all items that match and are not in progress (Q72)."""
    did = listing.delete_matching(
        app().core, actor(request), queue, wire.wanted(body.filter), body.dry_run, body.cursor
    )
    return answers.json(wire.matched(did))
