"""`workledger task next`, `submit`, `skip`, `return`, ...: what a worker does (M20 to M36, M60)."""

from collections.abc import Callable
from typing import Annotated

import typer

from workledger.cli import listing, output
from workledger.cli.failing import NOTHING
from workledger.cli.options import All, AsJson, Cursor, Key, Limit
from workledger.cli.session import client_of
from workledger.cli.task_inputs import ASSIGNMENT, Answer, AnswerFile, answers, meant
from workledger.client.answers import Nothing
from workledger.client.manual_answers import Listed
from workledger.client.manual_work import Assignment

LIST_COLUMNS = ("HIT", "DATE", "ORDER", "DATA")
ACTIVE_COLUMNS = ("ASSIGNMENT", "TASK", "ACCEPTED", "DEADLINE", "DATA")

Target = Annotated[
    str | None,
    typer.Argument(
        metavar="ASSIGNMENT|FILE",
        help="An assignment's id, a_..., or what `next --json` printed; else standard input.",
    ),
]
HitType = Annotated[
    int | None, typer.Option("--version", help="Only records of this version of the task.")
]


def next_(
    ctx: typer.Context,
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="A task; left out: any, the highest priority first."),
    ] = None,
    *,
    version: HitType = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Take the next record; exit code 3 if there is none.

    It is yours until its deadline: `submit` it, or `skip`, `return`, `extend`, with what --json
    prints.
    """
    client = client_of(ctx)
    if task is None and version is not None:
        raise typer.BadParameter("--version goes with a task")
    taken = (
        client.next_assignment(key=key)
        if task is None
        else client.task(task).next(version=version, key=key)
    )
    if isinstance(taken, Assignment):
        _show(taken, as_json)
        return
    _tell_nothing(taken, as_json)


def _tell_nothing(nothing: Nothing, as_json: bool) -> None:
    if as_json:
        output.echo(nothing.json_text)
    else:
        output.note(f"nothing to take: {nothing.reason}")
    raise typer.Exit(NOTHING)


def take(
    ctx: typer.Context,
    hit: Annotated[str, typer.Argument(metavar="HIT", help="A hit's id, h_...")],
    as_json: AsJson = False,
) -> None:
    """Take this record; what you hold already is shown again."""
    _show(client_of(ctx).hits.take(hit), as_json)


def _show(one: Assignment, as_json: bool) -> None:
    if as_json:
        output.echo(one.json_text)
        return
    output.fields(
        [
            ("id", one.id),
            ("task", one.task_name),
            ("hit", one.hit),
            ("status", one.status),
            ("accepted", one.accepted_at),
            ("deadline", one.deadline),
            ("instructions", one.instructions),
            ("data", one.data_text),
        ]
    )


def submit(
    ctx: typer.Context,
    assignment: Target = None,
    answer: Answer = None,
    answer_file: AnswerFile = None,
    as_json: AsJson = False,
) -> None:
    """Submit the answer to a record.

    The answer is any JSON that fits the task's schema: --answer, --answer-file, the member `answer`
    of what was printed, or standard input if the assignment is named.
    """
    assignments = client_of(ctx).assignments
    for found, own in answers(assignment, ASSIGNMENT, answer, answer_file):
        _tell(assignments.submit(found, own), as_json)


def skip(ctx: typer.Context, assignment: Target = None, as_json: AsJson = False) -> None:
    """Skip a record: you never see it again, others do."""
    _each(assignment, client_of(ctx).assignments.skip, as_json)


def return_(ctx: typer.Context, assignment: Target = None, as_json: AsJson = False) -> None:
    """Give a record back: others see it at once, you at its old deadline."""
    _each(assignment, client_of(ctx).assignments.give_back, as_json)


def extend(ctx: typer.Context, assignment: Target = None, as_json: AsJson = False) -> None:
    """Start the deadline anew from now."""
    _each(assignment, client_of(ctx).assignments.extend, as_json)


def _each(target: str | None, act: Callable[[str], Assignment], as_json: bool) -> None:
    for one in meant(target, ASSIGNMENT):
        _tell(act(one.id), as_json)


def _tell(one: Assignment, as_json: bool) -> None:
    if as_json:
        output.echo(one.json_text)
        return
    until = f" until {one.deadline}" if one.status == "ACCEPTED" else ""
    output.echo(f"{one.id} {one.status.lower()}{until}")


def active(
    ctx: typer.Context,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List what you hold, the longest held first."""
    assignments = client_of(ctx).assignments
    found = listing.pages(
        lambda at: assignments.active_page(cursor=at, limit=limit), cursor, every=every
    )
    listing.show(found, ACTIVE_COLUMNS, _active_row, as_json=as_json)


def _active_row(one: Assignment) -> tuple[output.Cell, ...]:
    return (one.id, one.task_name, one.accepted_at, one.deadline, one.data_text)


def sign_out(ctx: typer.Context) -> None:
    """Give up all that you hold; each comes again to you at its old deadline."""
    count = client_of(ctx).assignments.sign_out()
    output.echo("1 assignment given up" if count == 1 else f"{count} assignments given up")


def work_list(
    ctx: typer.Context,
    task: str,
    limit: int | None,
    cursor: str | None,
    *,
    every: bool,
    version: int | None,
    as_json: bool,
) -> None:
    """List what you may take, in order."""
    handle = client_of(ctx).task(task)
    found = listing.pages(
        lambda at: handle.list_page(version=version, cursor=at, limit=limit), cursor, every=every
    )
    listing.show(found, LIST_COLUMNS, _list_row, as_json=as_json)


def _list_row(one: Listed) -> tuple[output.Cell, ...]:
    order = one.custom_attributes
    return (one.hit, order.get("hitOrderDate"), order.get("hitOrder"), one.data_text)
