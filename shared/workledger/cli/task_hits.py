"""`workledger task hits`, `approve`, `reject`, `results`, ...: what requesters do (M60)."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from workledger.cli import events, listing, output, task_tables
from workledger.cli.options import All, AsJson, Cursor, Limit
from workledger.cli.session import client_of
from workledger.cli.task_inputs import (
    HIT,
    Answer,
    AnswerFile,
    AsCsv,
    OfLoad,
    ResultLimit,
    TaskName,
    answers,
)
from workledger.client.manual_answers import Hit, TaskResult

COLUMNS = ("HIT", "RECORD", "STATUS", "DATE", "ORDER", "HELD BY", "ANSWERS", "DECISION", "DATA")
RESULT_COLUMNS = ("HIT", "RECORD", "STATUS", "DECISION", "BY", "ANSWERS", "DATA")

HitId = Annotated[str, typer.Argument(metavar="HIT", help="The hit's id, h_...")]
AssignmentIds = Annotated[
    list[str], typer.Argument(metavar="ASSIGNMENT...", help="Assignments' ids, a_...")
]


def hits(
    ctx: typer.Context,
    task: TaskName,
    *,
    status: Annotated[
        Literal["waiting", "held", "unresolved", "done"] | None,
        typer.Option("--status", help="Only such ones."),
    ] = None,
    load: OfLoad = None,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List a task's records with what became of them."""
    handle = client_of(ctx).task(task)
    found = listing.pages(
        lambda at: handle.hits_page(status, load=load, cursor=at, limit=limit), cursor, every=every
    )
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _row(hit: Hit) -> tuple[output.Cell, ...]:
    held = [one.worker for one in hit.assignments if one.status == "ACCEPTED"]
    given = [one for one in hit.assignments if one.status in {"SUBMITTED", "APPROVED"}]
    return (
        hit.id,
        hit.record,
        hit.status,
        hit.custom_attributes.get("hitOrderDate"),
        hit.custom_attributes.get("hitOrder"),
        ", ".join(held),
        len(given),
        _decided(hit),
        hit.data_text,
    )


def _decided(of: Hit | TaskResult) -> str | None:
    return None if of.decision is None else of.source.at("decision", "answer").exact()


def hit(ctx: typer.Context, hit: HitId, as_json: AsJson = False) -> None:
    """Show a record with everybody's answers."""
    _show(client_of(ctx).hits.get(hit), as_json)


def _show(hit: Hit, as_json: bool) -> None:
    if as_json:
        output.echo(hit.json_text)
        return
    decision = hit.decision
    by = None if decision is None else decision.by + (f", {decision.who}" if decision.who else "")
    pairs: list[tuple[str, output.Cell]] = [
        ("id", hit.id),
        ("task", hit.task),
        ("version", hit.version),
        ("load", hit.load),
        ("record", hit.record),
        ("status", hit.status),
        ("date", hit.custom_attributes.get("hitOrderDate")),
        ("order", hit.custom_attributes.get("hitOrder")),
        ("visible from", hit.visible_from),
        ("data", hit.data_text),
        ("decision", _decided(hit)),
        ("decided", None if decision is None else f"{decision.at} by {by}"),
    ]
    output.fields(
        pairs + [("assignment", _assignment(hit, n)) for n in range(len(hit.assignments))]
    )


def _assignment(hit: Hit, place: int) -> str:
    one = hit.assignments[place]
    words = f"{one.id} {one.worker} {one.status.lower()} {one.at}"
    if one.status == "ACCEPTED":
        return f"{words}, until {one.deadline}"
    if one.status in {"SUBMITTED", "APPROVED", "REJECTED"} and one.answer is not None:
        words += f": {hit.source.at('assignments', place, 'answer').exact()}"
    return words + (f" ({one.reason})" if one.reason else "")


def history(
    ctx: typer.Context,
    hit: HitId,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """Show everything that happened to a record, oldest first."""
    of = client_of(ctx).hits
    found = listing.pages(
        lambda at: of.history_page(hit, cursor=at, limit=limit), cursor, every=every
    )
    listing.show(found, events.COLUMNS, events.row, as_json=as_json)


def approve(ctx: typer.Context, assignments: AssignmentIds, as_json: AsJson = False) -> None:
    """Approve answers: they can be rejected no more."""
    _each(assignments, client_of(ctx).assignments.approve, "approved", as_json)


def reject(
    ctx: typer.Context,
    assignments: AssignmentIds,
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    as_json: AsJson = False,
) -> None:
    """Reject answers: they count no more, their places are open for somebody else."""
    found = client_of(ctx).assignments
    _each(assignments, lambda one: found.reject(one, reason), "rejected", as_json)


def abandon(ctx: typer.Context, assignments: AssignmentIds, as_json: AsJson = False) -> None:
    """End somebody's assignments before their deadlines."""
    _each(assignments, client_of(ctx).assignments.abandon, "abandoned", as_json)


def _each(ids: list[str], act: Callable[[str], Hit], done: str, as_json: bool) -> None:
    for one in ids:
        hit = act(one)
        output.echo(hit.json_text if as_json else f"{one} {done}: {hit.id} is {hit.status}")


def adjudicate(
    ctx: typer.Context,
    hit: Annotated[
        str | None,
        typer.Argument(
            metavar="HIT|FILE",
            help="A hit's id, h_..., or what `hit --json` printed; standard input if left out.",
        ),
    ] = None,
    answer: Answer = None,
    answer_file: AnswerFile = None,
    as_json: AsJson = False,
) -> None:
    """Decide records whose answers have no majority, as who gave none of them."""
    found = client_of(ctx).hits
    for one, own in answers(hit, HIT, answer, answer_file):
        decided = found.adjudicate(one, own)
        output.echo(decided.json_text if as_json else f"{one} is {decided.status}")


def results(
    ctx: typer.Context,
    task: TaskName,
    *,
    load: OfLoad = None,
    limit: ResultLimit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Print what came of a task's records: columns, order, answers, decision.

    The table of --csv can be loaded again, in the same order.
    """
    handle = client_of(ctx).task(task)
    where: dict[str, Any] = {"load": load, "limit": limit}
    if as_csv:
        task_tables.show(lambda at: handle.results_csv(cursor=at, **where), cursor, every=every)
        return
    found = listing.pages(lambda at: handle.results_page(cursor=at, **where), cursor, every=every)
    listing.show(found, RESULT_COLUMNS, _result, as_json=as_json)


def _result(of: TaskResult) -> tuple[output.Cell, ...]:
    given = [
        f"{one.worker}: {of.source.at('answers', place, 'answer').exact()}"
        for place, one in enumerate(of.answers)
    ]
    by = None if of.decision is None else of.decision.who or of.decision.by
    return (of.hit, of.record, of.status, _decided(of), by, "; ".join(given), of.data_text)
