"""Queues: create, list, show, change, delete, count, history (Q1 to Q8, Q70, Q91)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.operations import NOTHING, Operations
from workledger.api.operations import answers as answered
from workledger.api.params import (
    AsOf,
    Cursor,
    IfMatch,
    Limit,
    QueueInPath,
    required_version,
    version_of,
)
from workledger.api.permissions import Permission
from workledger.api.resolver import actor
from workledger.api.wire import events
from workledger.api.wire import queues as wire
from workledger.api.wire.base import NoMembers, Page
from workledger.api.wire.items import AnyStatus
from workledger.bootstrap import app
from workledger.service import queues
from workledger.service.queues import QueueShown

operations = Operations("queues")
add = operations.add


def _queue(shown: QueueShown, status: int = 200, **headers: str) -> Answered:
    return answers.json(wire.queue(shown), status, ETag=f'"{shown.queue.version}"', **headers)


@add(
    "POST",
    "/queues",
    Permission.MANAGE_QUEUES,
    answered(wire.Queue, 201, ETag="The version.", Location="Where the queue is."),
    refuses=("invalid_value", "queue_exists"),
)
def create_queue(request: Request, body: wire.CreateQueue) -> Answered:
    """Create a queue.

    The name cannot change later: it is what others refer to (Q4). A new queue with the name of a
    deleted one starts empty (Q5).
    """
    shown = queues.create(app().core, actor(request), body.name, body.settings())
    return _queue(shown, 201, Location=f"/queues/{shown.id}")


@add("GET", "/queues", Permission.LOOK, answered(Page[wire.Queue]))
def list_queues(
    name: Annotated[str | None, Query(description="Exactly this name: at most one queue.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List queues.

    By name, in code point order (Q3). Their counts may lag two seconds.
    """
    return answers.page(queues.page(app().core, name, cursor, limit), wire.queue)


@add(
    "GET",
    "/queues/{queue}",
    Permission.LOOK,
    answered(wire.Queue, ETag="The version."),
    refuses=("queue_not_found",),
)
def get_queue(queue: QueueInPath, as_of: AsOf = None) -> Answered:
    """Show a queue."""
    return _queue(queues.show(app().core, queue, as_of))


@add(
    "PATCH",
    "/queues/{queue}",
    Permission.MANAGE_QUEUES,
    answered(wire.Queue, ETag="The new version."),
    refuses=("queue_not_found", "version_mismatch", "version_required"),
)
def change_queue(
    request: Request, queue: QueueInPath, body: wire.ChangeQueue, if_match: IfMatch = None
) -> Answered:
    """Change a queue's settings.

    Needs `If-Match` with the ETag that the change is based on: 428 without it, 412 when somebody
    changed the queue meanwhile (Q4). A changed Retries applies to the next failures of items that
    are there already (Q7).
    """
    version = required_version(if_match)
    return _queue(queues.change(app().core, actor(request), queue, version, body.values()))


@add(
    "DELETE",
    "/queues/{queue}",
    Permission.MANAGE_QUEUES,
    NOTHING,
    refuses=("queue_not_found", "version_mismatch"),
)
def delete_queue(request: Request, queue: QueueInPath, if_match: IfMatch = None) -> Answered:
    """Delete a queue and all its items (Q5)."""
    queues.delete(app().core, actor(request), queue, version_of(if_match))
    return answers.nothing()


@add(
    "POST",
    "/queues/{queue}/restore",
    Permission.MANAGE_QUEUES,
    answered(wire.Queue, ETag="The new version."),
    refuses=("queue_not_found", "queue_exists", "too_late"),
)
def restore_queue(request: Request, queue: QueueInPath, body: NoMembers) -> Answered:  # noqa: ARG001
    """Restore a deleted queue with all its items.

    Within 30 days, and only while no queue of that name was made since (Q95).
    """
    return _queue(queues.restore(app().core, actor(request), queue))


@add(
    "GET",
    "/queues/{queue}/count",
    Permission.LOOK,
    answered(wire.CountAnswer),
    refuses=("queue_not_found",),
)
def count_items(
    queue: QueueInPath,
    status: Annotated[AnyStatus, Query(description="Which items `count` is of.")] = "all",
) -> Answered:
    """Count items by status (Q70)."""
    counts = queues.count(app().core, queue)
    return answers.json(wire.CountAnswer(count=counts[status], counts=counts))


@add(
    "GET",
    "/queues/{queue}/history",
    Permission.LOOK,
    answered(Page[events.Event]),
    refuses=("queue_not_found",),
)
def queue_history(queue: QueueInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """Show what happened to a queue's settings, oldest first (Q91)."""
    return answers.page(queues.history(app().core, queue, cursor, limit), events.event)
