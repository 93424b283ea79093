"""Hits as requesters and adjudicators see them: with all answers (M23, M60)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import AssignmentInPath, Cursor, HitInPath, Limit, TaskInPath
from workledger.api.permissions import Permission
from workledger.api.resolver import actor
from workledger.api.wire import events
from workledger.api.wire.base import NoMembers, Page
from workledger.api.wire.manual import hits as wire
from workledger.api.wire.manual import work
from workledger.bootstrap import app
from workledger.manual import answering, hits

operations = Operations("hits")
add = operations.add

Load = Annotated[str | None, Query(description="Only records of this load.")]


@add(
    "GET",
    "/manual-tasks/{task}/hits",
    Permission.LOOK,
    answered(Page[wire.Hit]),
    refuses=("task_not_found", "load_not_found"),
)
def list_hits(
    task: TaskInPath,
    status: Annotated[wire.AnyStatus, Query(description="Only these.")] = "all",
    load: Load = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List a manual task's hits, with what became of them.

    All by creation; of one status by record date; of one load as in its file.
    """
    wanted = None if status == "all" else status
    return answers.page(hits.page(app().core, task, wanted, load, cursor, limit), wire.hit)


@add("GET", "/hits/{hit}", Permission.LOOK, answered(wire.Hit), refuses=("hit_not_found",))
def get_hit(hit: HitInPath) -> Answered:
    """Show a hit."""
    return answers.json(wire.hit(hits.show(app().core, hit)))


@add(
    "GET",
    "/hits/{hit}/history",
    Permission.LOOK,
    answered(Page[events.Event]),
    refuses=("hit_not_found",),
)
def hit_history(hit: HitInPath, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """Show every event of a hit, oldest first."""
    return answers.page(hits.history(app().core, hit, cursor, limit), events.event)


@add(
    "POST",
    "/hits/{hit}/adjudicate",
    Permission.ADJUDICATE,
    answered(wire.Hit),
    refuses=("hit_not_found", "not_unresolved", "answered", "answer_invalid", "too_large"),
)
def adjudicate_hit(request: Request, hit: HitInPath, body: wire.Adjudicate) -> Answered:
    """Decide a record whose answers have no majority, as who gave none of them (M23)."""
    return answers.json(
        wire.hit(answering.adjudicate(app().core, actor(request), hit, body.answer))
    )


@add(
    "POST",
    "/assignments/{assignment}/approve",
    Permission.MANAGE_TASKS,
    answered(wire.Hit),
    refuses=("assignment_not_found", "assignment_over", "not_submitted"),
)
def approve_answer(
    request: Request,
    assignment: AssignmentInPath,
    body: NoMembers,  # noqa: ARG001
) -> Answered:
    """Approve an answer: it can be rejected no more (M60)."""
    return answers.json(wire.hit(answering.approve(app().core, actor(request), assignment)))


@add(
    "POST",
    "/assignments/{assignment}/reject",
    Permission.MANAGE_TASKS,
    answered(wire.Hit),
    refuses=(
        "assignment_not_found",
        "assignment_over",
        "not_submitted",
        "already_approved",
        "already_routed",
    ),
)
def reject_answer(request: Request, assignment: AssignmentInPath, body: work.Reject) -> Answered:
    """Reject an answer: it counts no more, and its place is open for somebody else (M60)."""
    shown = answering.reject(app().core, actor(request), assignment, body.reason)
    return answers.json(wire.hit(shown))


@add(
    "POST",
    "/assignments/{assignment}/abandon",
    Permission.MANAGE_TASKS,
    answered(wire.Hit),
    refuses=("assignment_not_found", "assignment_over"),
)
def abandon_assignment(
    request: Request,
    assignment: AssignmentInPath,
    body: NoMembers,  # noqa: ARG001
) -> Answered:
    """End somebody's assignment before its deadline (M34).

    Others see the record at once, its worker at the old deadline.
    """
    return answers.json(wire.hit(answering.abandon(app().core, actor(request), assignment)))
