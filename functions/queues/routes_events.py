"""What happened: the feed and the audit log (Q6, Q93)."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import Cursor, FeedLimit, Limit
from workledger.api.permissions import Permission
from workledger.api.wire import events as wire
from workledger.api.wire.base import Page
from workledger.bootstrap import app
from workledger.service import audit, feed

operations = Operations("events")
add = operations.add

After = Annotated[str | None, Query(description="The `nextCursor` of the part before.")]


@add("GET", "/feed", Permission.LOOK, answered(Page[wire.Event]))
def read_feed(after: After = None, limit: FeedLimit = 100) -> Answered:
    """Read every event from a position on.

    At least once, in order per stream: a stream and commit number that was seen before is a repeat;
    a gap closes in a later part (Q93). `nextCursor` is always there: send it as `after`, also when
    `items` is empty. `limit` is about how many; a commit is never cut in two.
    """
    return answers.page(feed.page(app().core, after, limit), wire.event)


@add("GET", "/audit", Permission.READ_AUDIT, answered(Page[wire.AuditEntry]))
def read_audit(cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """Read who changed queues and access, newest first (Q6)."""
    return answers.page(audit.page(app().core, cursor, limit), wire.audit_entry)
