"""Work: list, take the next, submit, skip, return, extend, sign out (M20 to M36, M60)."""

from typing import Annotated

from annotated_types import Interval
from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import (
    AssignmentInPath,
    Cursor,
    HitInPath,
    IdempotencyKey,
    Limit,
    TaskInPath,
)
from workledger.api.permissions import Permission
from workledger.api.resolver import actor
from workledger.api.wire.base import DIGITS, NoMembers, Page
from workledger.api.wire.manual import work as wire
from workledger.bootstrap import app
from workledger.manual import answering, assigning, worklist

operations = Operations("manual work")
add = operations.add

WORK = Permission.WORK_TASKS
NEXT = answered(wire.NextAssignment | wire.NothingNext)
OWN = ("assignment_not_found", "not_yours", "assignment_over")
Version = Annotated[
    Annotated[int, Interval(ge=1), DIGITS] | None,
    Query(description="Only records of this version of the task (M30)."),
]


@add(
    "GET",
    "/manual-tasks/{task}/list",
    WORK,
    answered(Page[wire.Listed]),
    refuses=("task_not_found", "not_on_roster"),
)
def list_work(
    request: Request,
    task: TaskInPath,
    version: Version = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List what you may take, in order: the first is what `next` gives (M1, M33).

    Left out are records that somebody works on, that have their answers, and those that you
    answered or skipped before; one that you gave back comes again at its old deadline (M31, M32).
    """
    found = worklist.page(app().core, actor(request), task, version, cursor, limit)
    return answers.page(found, wire.listed)


@add(
    "POST",
    "/manual-tasks/{task}/next",
    WORK,
    NEXT,
    refuses=("task_not_found", "not_on_roster", "key_reused"),
)
def next_of_task(
    request: Request, task: TaskInPath, body: wire.NextOfTask, key: IdempotencyKey = None
) -> Answered:
    """Take the next record of a manual task.

    With an `Idempotency-Key` a lost answer can be asked for again: the same assignment. `found` is
    false when there is none: `reason` says why.
    """
    found = assigning.next_of(app().core, actor(request), task, body.version, key)
    return answers.json(wire.next_of(found))


@add("POST", "/manual-tasks/next", WORK, NEXT, refuses=("key_reused",))
def next_of_any(request: Request, body: NoMembers, key: IdempotencyKey = None) -> Answered:  # noqa: ARG001
    """Take the next record of any manual task.

    The tasks whose roster you are on, by priority, higher first, then by name (M44).
    """
    return answers.json(wire.next_of(assigning.next_of(app().core, actor(request), key=key)))


@add(
    "POST",
    "/hits/{hit}/take",
    WORK,
    answered(wire.Assignment),
    refuses=("hit_not_found", "not_on_roster", "hit_taken", "hidden", "task_archived"),
)
def take_hit(request: Request, hit: HitInPath, body: NoMembers) -> Answered:  # noqa: ARG001
    """Take this record.

    Taking what one holds answers the same assignment; of two who take the last place one gets it
    (M36).
    """
    return answers.json(wire.assignment(assigning.take(app().core, actor(request), hit)))


@add("GET", "/assignments", WORK, answered(Page[wire.Assignment]))
def list_assignments(request: Request, cursor: Cursor = None, limit: Limit = 50) -> Answered:
    """List what you hold, the longest held first (M35)."""
    return answers.page(
        assigning.active(app().core, actor(request), cursor, limit), wire.assignment
    )


@add("GET", "/assignments/{assignment}", WORK, answered(wire.Assignment), refuses=OWN[:2])
def get_assignment(request: Request, assignment: AssignmentInPath) -> Answered:
    """Show one of your assignments."""
    shown = assigning.assigned(app().core, actor(request), assignment)
    return answers.json(wire.assignment(shown))


@add(
    "POST",
    "/assignments/{assignment}/submit",
    WORK,
    answered(wire.Assignment),
    refuses=(*OWN, "answer_invalid", "already_submitted", "too_large"),
)
def submit_answer(request: Request, assignment: AssignmentInPath, body: wire.Submit) -> Answered:
    """Submit the answer to a record (M60).

    The exact repeat answers the same again. From the deadline on it is refused (M34).
    """
    shown = answering.submit(app().core, actor(request), assignment, body.answer)
    return answers.json(wire.assignment(shown))


@add("POST", "/assignments/{assignment}/skip", WORK, answered(wire.Assignment), refuses=OWN)
def skip_assignment(
    request: Request,
    assignment: AssignmentInPath,
    body: NoMembers,  # noqa: ARG001
) -> Answered:
    """Skip a record: you never see it again, others do (M35)."""
    return answers.json(wire.assignment(answering.skip(app().core, actor(request), assignment)))


@add("POST", "/assignments/{assignment}/return", WORK, answered(wire.Assignment), refuses=OWN)
def return_assignment(
    request: Request,
    assignment: AssignmentInPath,
    body: NoMembers,  # noqa: ARG001
) -> Answered:
    """Give a record back: others see it at once, you at its old deadline (M34)."""
    shown = answering.give_back(app().core, actor(request), assignment)
    return answers.json(wire.assignment(shown))


@add("POST", "/assignments/{assignment}/extend", WORK, answered(wire.Assignment), refuses=OWN)
def extend_assignment(
    request: Request,
    assignment: AssignmentInPath,
    body: NoMembers,  # noqa: ARG001
) -> Answered:
    """Start the deadline anew from now (M60)."""
    return answers.json(wire.assignment(answering.extend(app().core, actor(request), assignment)))


@add("POST", "/assignments/sign-out", WORK, answered(wire.SignedOut))
def sign_out(request: Request, body: NoMembers) -> Answered:  # noqa: ARG001
    """Give up all that you hold; each comes again to you at its old deadline (M34)."""
    abandoned = answering.sign_out(app().core, actor(request))
    return answers.json(wire.SignedOut(abandoned=abandoned))
