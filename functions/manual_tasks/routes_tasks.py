"""Manual tasks: create, list, show, change, who may work them (M40 to M44, M62)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import Cursor, IfMatch, Limit, TaskInPath, required_version
from workledger.api.permissions import Permission
from workledger.api.resolver import actor
from workledger.api.wire import events
from workledger.api.wire.base import Page
from workledger.api.wire.manual import tasks as wire
from workledger.bootstrap import app
from workledger.manual import tasks
from workledger.manual.tasks import TaskShown

operations = Operations("manual tasks")
add = operations.add


def _task(shown: TaskShown, status: int = 200, **headers: str) -> Answered:
    return answers.json(wire.task(shown), status, ETag=f'"{shown.task.version}"', **headers)


@add(
    "POST",
    "/manual-tasks",
    Permission.MANAGE_TASKS,
    answered(wire.Task, 201, ETag="The version.", Location="Where the task is."),
    refuses=("invalid_value", "comparator_needed", "task_exists"),
)
def create_task(request: Request, body: wire.CreateTask) -> Answered:
    """Create a manual task.

    Records are offered by their date, then by their number in the file (FIFO, M1). With `dtr` they
    are offered as the `comparator` sorts them (M41, M42).
    """
    shown = tasks.create(app().core, actor(request), body.name, body.values())
    return _task(shown, 201, Location=f"/manual-tasks/{shown.id}")


@add("GET", "/manual-tasks", Permission.SEE_TASKS, answered(Page[wire.Task]))
def list_tasks(
    name: Annotated[str | None, Query(description="Exactly this name: at most one task.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List manual tasks.

    By priority, higher first, then by name: the order in which any work is looked for (M44).
    """
    return answers.page(tasks.page(app().core, name, cursor, limit), wire.task)


@add(
    "GET",
    "/manual-tasks/{task}",
    Permission.SEE_TASKS,
    answered(wire.Task, ETag="The version."),
    refuses=("task_not_found",),
)
def get_task(task: TaskInPath) -> Answered:
    """Show a manual task."""
    return _task(tasks.show(app().core, task))


@add(
    "PATCH",
    "/manual-tasks/{task}",
    Permission.MANAGE_TASKS,
    answered(wire.Task, ETag="The new version."),
    refuses=(
        "task_not_found",
        "invalid_value",
        "comparator_needed",
        "version_mismatch",
        "version_required",
    ),
)
def change_task(
    request: Request, task: TaskInPath, body: wire.ChangeTask, if_match: IfMatch = None
) -> Answered:
    """Change a manual task's settings.

    Needs `If-Match` with the ETag that the change is based on. Another order places anew what
    waits, and nothing else: `ordering` says how far that is, and until then the old order holds
    (M43). Other instructions, deadline, adjudication or schema make a new version (hit type), which
    only later loads follow.
    """
    version = required_version(if_match)
    return _task(tasks.change(app().core, actor(request), task, version, body.values()))


@add(
    "GET",
    "/manual-tasks/{task}/roster",
    Permission.SEE_TASKS,
    answered(wire.Roster),
    refuses=("task_not_found",),
)
def get_roster(task: TaskInPath) -> Answered:
    """Show who may work a manual task (M62)."""
    return answers.json(wire.roster(tasks.show(app().core, task)))


@add(
    "PUT",
    "/manual-tasks/{task}/roster",
    Permission.MANAGE_TASKS,
    answered(wire.Roster, ETag="The task's new version."),
    refuses=("task_not_found", "invalid_value"),
)
def set_roster(request: Request, task: TaskInPath, body: wire.SetRoster) -> Answered:
    """Say who may work a manual task; nobody named means every worker (M62)."""
    shown = tasks.set_roster(app().core, actor(request), task, body.workers)
    return answers.json(wire.roster(shown), ETag=f'"{shown.task.version}"')


@add(
    "GET",
    "/manual-tasks/{task}/history",
    Permission.LOOK,
    answered(Page[events.Event]),
    refuses=("task_not_found",),
)
def task_history(task: TaskInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """Show what happened to a manual task's settings, roster and order, oldest first."""
    return answers.page(tasks.history(app().core, task, cursor, limit), events.event)
