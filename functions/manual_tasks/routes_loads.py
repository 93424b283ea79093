"""Loads: a file or records into a manual task (M2, M3, M8, M50 to M55)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers, uploads
from workledger.api.answers import Answered
from workledger.api.http import CSV, JSON
from workledger.api.operations import Answer, Operations
from workledger.api.operations import answers as answered
from workledger.api.params import Cursor, IdempotencyKey, Limit, LoadInPath, TaskInPath
from workledger.api.permissions import Permission
from workledger.api.resolver import actor, event_of
from workledger.api.wire.base import Page
from workledger.api.wire.manual import loads as wire
from workledger.bootstrap import app
from workledger.manual import loading, tasks

operations = Operations("loads")
add = operations.add

LOADED = Answer(
    201,
    {JSON: wire.Load},
    {"Location": "Where the load is."},
    also=(
        Answer(
            202,
            {JSON: wire.Load},
            {"Location": "Where its progress is."},
            "It goes on by itself: look there until its state is `complete`",
        ),
    ),
)
REFUSES = ("invalid_records", "too_many", "key_reused", "task_not_found", "task_archived")

Delimiter = Annotated[
    str | None,
    Query(
        description="What separates columns: `,`, `;` or a tab (%09); otherwise it is found in the "
        "header (M51).",
        json_schema_extra={"enum": [",", ";", "\t"]},
    ),
]


def loaded(shown: loading.LoadShown) -> Answered:
    """A load as it is answered: 202 while it goes on."""
    status = 202 if shown.load.completed_at is None else 201
    return answers.json(wire.load(shown), status, Location=f"/loads/{shown.id}")


@add(
    "POST",
    "/manual-tasks/{task}/loads",
    Permission.MANAGE_TASKS,
    LOADED,
    refuses=REFUSES,
    takes=(CSV, JSON),
    request_body=wire.LOAD_BODY,
)
def start_load(
    request: Request,
    task: TaskInPath,
    delimiter: Delimiter = None,
    key: IdempotencyKey = None,
) -> Answered:
    """Load records into a manual task.

    A file as `text/csv`, or in JSON as `{"csv": "..."}`, or records as `{"records": [{...}]}`. The
    column `record_date` (`YYYY-MM-DDThh:mm:ss[.sss]`) says when a record counts as begun; without
    one it is the load's start (M2). `_sys_record_order` comes before it (M6).

    All or nothing: one bad row and nothing is created; `problems` lists up to 100 of `total`, each
    with record, line, column, value, code and hint (M54). All records become visible together.
    What would take longer than a request may is answered with 202 and goes on by itself. With an
    `Idempotency-Key` the request can be sent again: the same load, no second set (M55).
    """
    core, event = app().core, event_of(request)
    started = core.clock()
    tasks.find(core, task)  # a wrong name is said before a file is judged
    records = uploads.records_of(event, delimiter, started, core.manual.zone)
    body = uploads.body_hash(event, delimiter)
    return loaded(loading.load(core, actor(request), task, records, key, body, started))


@add(
    "POST",
    "/manual-tasks/{task}/hits",
    Permission.MANAGE_TASKS,
    LOADED,
    refuses=REFUSES,
    request_body=wire.HITS_BODY,
)
def create_hits(request: Request, task: TaskInPath, key: IdempotencyKey = None) -> Answered:
    """Create hits with their customAttributes.

    One, or a list, as one load. A missing hitOrder is its number in the list, a missing
    hitOrderDate the start of the load; a malformed one is refused (M8).
    """
    core, event = app().core, event_of(request)
    started = core.clock()
    tasks.find(core, task)  # a wrong name is said before a file is judged
    records = uploads.hits_of(event, started, core.manual.zone)
    body = uploads.body_hash(event, None)
    return loaded(loading.load(core, actor(request), task, records, key, body, started))


@add(
    "GET",
    "/manual-tasks/{task}/loads",
    Permission.LOOK,
    answered(Page[wire.Load]),
    refuses=("task_not_found",),
)
def list_loads(task: TaskInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """List the loads of a manual task, the newest first."""
    return answers.page(loading.page(app().core, task, cursor, limit), wire.load)


@add("GET", "/loads/{load}", Permission.LOOK, answered(wire.Load), refuses=("load_not_found",))
def get_load(load: LoadInPath) -> Answered:
    """Show a load, and how far it is (M54)."""
    return answers.json(wire.load(loading.show(app().core, load)))
