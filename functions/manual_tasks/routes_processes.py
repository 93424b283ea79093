"""Business processes: create, change, load, look (M6, M10 to M14)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.manual_tasks.routes_loads import LOADED, Delimiter, loaded
from workledger.api import answers, uploads
from workledger.api.answers import Answered
from workledger.api.http import CSV, JSON
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import (
    Cursor,
    IdempotencyKey,
    IfMatch,
    Limit,
    ProcessInPath,
    RecordInPath,
    required_version,
)
from workledger.api.permissions import Permission
from workledger.api.resolver import actor, event_of
from workledger.api.wire import events
from workledger.api.wire.base import Page
from workledger.api.wire.manual import loads
from workledger.api.wire.manual import processes as wire
from workledger.bootstrap import app
from workledger.manual import processes
from workledger.manual.processes import ProcessShown

operations = Operations("processes")
add = operations.add


def _process(shown: ProcessShown, status: int = 200, **headers: str) -> Answered:
    etag = f'"{shown.process.version}"'
    return answers.json(wire.process(shown), status, ETag=etag, **headers)


@add(
    "POST",
    "/processes",
    Permission.MANAGE_TASKS,
    answered(wire.Process, 201, ETag="The version.", Location="Where the process is."),
    refuses=("invalid_value", "process_exists"),
)
def create_process(request: Request, body: wire.CreateProcess) -> Answered:
    """Create a business process.

    Its steps are manual tasks, timed steps (one record at a time) and ends. From each, and from the
    start, a record goes on to a step: always the same, or by decision rules on its fields, of which
    the first that holds decides, with a mandatory else (M13). Checked whole before it is saved.
    """
    shown = processes.create(app().core, actor(request), body.name, body.start, body.steps)
    return _process(shown, 201, Location=f"/processes/{shown.id}")


@add("GET", "/processes", Permission.SEE_TASKS, answered(Page[wire.Process]))
def list_processes(
    name: Annotated[str | None, Query(description="Exactly this name: at most one.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List business processes, by name."""
    return answers.page(processes.page(app().core, name, cursor, limit), wire.process)


@add(
    "GET",
    "/processes/{process}",
    Permission.SEE_TASKS,
    answered(wire.Process, ETag="The version."),
    refuses=("process_not_found",),
)
def get_process(process: ProcessInPath) -> Answered:
    """Show a business process."""
    return _process(processes.show(app().core, process))


@add(
    "PATCH",
    "/processes/{process}",
    Permission.MANAGE_TASKS,
    answered(wire.Process, ETag="The new version."),
    refuses=("process_not_found", "invalid_value", "version_mismatch", "version_required"),
)
def change_process(
    request: Request, process: ProcessInPath, body: wire.ChangeProcess, if_match: IfMatch = None
) -> Answered:
    """Give a business process another definition.

    Needs `If-Match` with the ETag that the change is based on. Records on their way keep the
    definition that they were loaded with.
    """
    version = required_version(if_match)
    changed = processes.change(app().core, actor(request), process, version, body.start, body.steps)
    return _process(changed)


@add(
    "POST",
    "/processes/{process}/loads",
    Permission.MANAGE_TASKS,
    LOADED,
    refuses=("invalid_records", "too_many", "key_reused", "process_not_found"),
    takes=(CSV, JSON),
    request_body=loads.LOAD_BODY,
)
def start_process(
    request: Request,
    process: ProcessInPath,
    delimiter: Delimiter = None,
    key: IdempotencyKey = None,
) -> Answered:
    """Start a business process over records.

    As with a load of a manual task: all or nothing, and together. Records without a date have the
    process's start in every step (M2); their order travels with them (M6, M11).
    """
    core, event = app().core, event_of(request)
    started = core.clock()
    processes.find(core, process)  # a wrong name is said before a file is judged
    records = uploads.records_of(event, delimiter, started, core.manual.zone)
    body = uploads.body_hash(event, delimiter)
    return loaded(processes.load(core, actor(request), process, records, key, body, started))


@add(
    "GET",
    "/processes/{process}/records",
    Permission.LOOK,
    answered(Page[wire.Way]),
    refuses=("process_not_found", "load_not_found"),
)
def list_records(
    process: ProcessInPath,
    load: Annotated[str | None, Query(description="Only records of this load.")] = None,
    step: Annotated[str | None, Query(description="Only records at this step.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List records on their way through a process, and where they are."""
    return answers.page(processes.records(app().core, process, load, step, cursor, limit), wire.way)


@add(
    "GET",
    "/processes/{process}/loads",
    Permission.LOOK,
    answered(Page[loads.Load]),
    refuses=("process_not_found",),
)
def list_process_loads(
    process: ProcessInPath, cursor: Cursor = None, limit: Limit = 50
) -> Answered:
    """List the loads of a business process, the newest first."""
    return answers.page(processes.loads(app().core, process, cursor, limit), loads.load)


@add(
    "GET",
    "/processes/{process}/history",
    Permission.LOOK,
    answered(Page[events.Event]),
    refuses=("process_not_found",),
)
def process_history(process: ProcessInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """Show what happened to a business process's definition, oldest first."""
    return answers.page(processes.history(app().core, process, cursor, limit), events.event)


@add("GET", "/records/{record}", Permission.LOOK, answered(wire.Way), refuses=("record_not_found",))
def get_record(record: RecordInPath) -> Answered:
    """Show a record on its way through a process."""
    return answers.json(wire.way(processes.record(app().core, record)))


@add(
    "GET",
    "/records/{record}/history",
    Permission.LOOK,
    answered(Page[events.Event]),
    refuses=("record_not_found",),
)
def record_history(record: RecordInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """Show every event of a record, oldest first: routing is one (M13)."""
    found = processes.record_history(app().core, record, cursor, limit)
    return answers.page(found, events.event)
