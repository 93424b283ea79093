"""`workledger task`: manual tasks, their settings and rosters; the commands of the group (M40)."""

from typing import Annotated

import typer

from workledger.cli import listing, output, task_hits, task_loading, task_statistics, task_work
from workledger.cli.options import All, AsJson, Cursor, Limit
from workledger.cli.session import client_of
from workledger.cli.task_inputs import TaskName, Version
from workledger.cli.task_settings import (
    Adjudicated,
    Columns,
    Compared,
    Deadline,
    Description,
    Dtr,
    Instructions,
    Priority,
    Schema,
    Sla,
    Sort,
    adjudication_of,
    settings_of,
)
from workledger.cli.task_work import HitType
from workledger.client.manual_answers import SortBy, Task

app = typer.Typer(
    no_args_is_help=True, help="Manual tasks: records that people work, in order of their dates."
)

COLUMNS = (
    "NAME",
    "PRIORITY",
    "ORDER",
    "WAITING",
    "HELD",
    "UNRESOLVED",
    "DONE",
    "STATE",
    "CHANGED",
    "DESCRIPTION",
)


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="1 to 128 characters, unique.")],
    *,
    description: Description = None,
    instructions: Instructions = None,
    priority: Priority = None,
    deadline: Deadline = None,
    adjudication: Adjudicated = None,
    compare: Compared = None,
    schema: Schema = None,
    sort: Sort = None,
    dtr: Dtr = None,
    column: Columns = None,
    sla: Sla = None,
    paused: Annotated[bool | None, typer.Option("--paused", help="Start it paused.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a manual task: records are offered by their dates, then by their number (FIFO)."""
    settings = settings_of(
        description=description,
        instructions=instructions,
        priority=priority,
        deadline_seconds=deadline,
        adjudication=adjudication_of(adjudication, compare),
        schema=schema,
        comparator=sort,
        dtr=dtr,
        columns=column,
        sla_seconds=sla,
        paused=paused,
    )
    _show(client_of(ctx).tasks.create(name, **settings), as_json)


@app.command()
def edit(
    ctx: typer.Context,
    task: TaskName,
    *,
    description: Description = None,
    instructions: Instructions = None,
    priority: Priority = None,
    deadline: Deadline = None,
    adjudication: Adjudicated = None,
    compare: Compared = None,
    schema: Schema = None,
    sort: Sort = None,
    dtr: Dtr = None,
    column: Columns = None,
    sla: Sla = None,
    paused: Annotated[
        bool | None, typer.Option("--pause/--resume", help="Give out nothing; go on.")
    ] = None,
    archived: Annotated[
        bool | None,
        typer.Option("--archive/--reopen", help="Give out and load nothing; go on."),
    ] = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Change a task's settings; what is not named stays as it is.

    Another order places anew what waits: `show` says how far that is.
    """
    settings = settings_of(
        description=description,
        instructions=instructions,
        priority=priority,
        deadline_seconds=deadline,
        adjudication=adjudication_of(adjudication, compare),
        schema=schema,
        comparator=sort,
        dtr=dtr,
        columns=column,
        sla_seconds=sla,
        paused=paused,
        archived=archived,
    )
    if not settings:
        raise typer.BadParameter("nothing to change: `workledger task edit --help` lists options")
    _show(client_of(ctx).tasks.change(task, version=version, **settings), as_json)


@app.command("list")
def list_(
    ctx: typer.Context,
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="What you may take of this one, in order."),
    ] = None,
    *,
    version: HitType = None,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the tasks by priority; or with TASK what you may take of it: the first is `next`."""
    if task is not None:
        task_work.work_list(ctx, task, limit, cursor, every=every, version=version, as_json=as_json)
        return
    if version is not None:
        raise typer.BadParameter("--version goes with a task")
    tasks = client_of(ctx).tasks
    found = listing.pages(lambda at: tasks.page(cursor=at, limit=limit), cursor, every=every)
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _row(task: Task) -> tuple[output.Cell, ...]:
    counts = task.counts
    return (
        task.name,
        task.priority,
        task.ordering.kind,
        counts.waiting,
        counts.held,
        counts.unresolved,
        counts.done,
        "archived" if task.archived else "paused" if task.paused else "open",
        task.changed_at,
        task.description,
    )


@app.command()
def show(ctx: typer.Context, task: TaskName, as_json: AsJson = False) -> None:
    """Show a task's settings and counts."""
    _show(client_of(ctx).tasks.get(task), as_json)


def _show(task: Task, as_json: bool) -> None:
    if as_json:
        output.echo(task.json_text)
        return
    rule, counts = task.adjudication, task.counts
    fields = f" by {', '.join(rule.fields)}" if rule.fields else ""
    output.fields(
        [
            ("name", task.name),
            ("id", task.id),
            ("description", task.description),
            ("instructions", task.instructions),
            ("priority", task.priority),
            ("deadline", f"{task.deadline_seconds} s"),
            ("adjudication", f"{rule.answers}+{rule.more}{fields}"),
            ("schema", None if task.schema is None else task.source.at("schema").exact()),
            ("order", _order(task)),
            ("comparator", ", ".join(_sorted(one) for one in task.comparator or ())),
            ("columns", ", ".join(task.columns)),
            ("SLA", None if task.sla_seconds is None else f"{task.sla_seconds} s"),
            ("paused", task.paused),
            ("archived", task.archived),
            ("roster", ", ".join(task.roster) or "every worker"),
            ("waiting", counts.waiting),
            ("held", counts.held),
            ("unresolved", counts.unresolved),
            ("done", counts.done),
            ("created", f"{task.created_at} by {task.created_by}"),
            ("changed", task.changed_at),
            ("hit type", task.hit_type),
            ("version", task.version),
        ]
    )


def _order(task: Task) -> str:
    order = task.ordering
    if not order.changing:
        return order.kind
    far = "" if order.placed is None else f": {order.placed} of {order.of} placed"
    return f"{order.kind}, changing{far}"


def _sorted(one: SortBy) -> str:
    return f"{one.field}:{one.type}:{one.direction}:{one.missing}"


@app.command()
def roster(
    ctx: typer.Context,
    task: TaskName,
    workers: Annotated[
        list[str] | None, typer.Argument(metavar="WORKER...", help="Owners of tokens.")
    ] = None,
    *,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="Every worker: an empty roster.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show who may work a task; or, with workers, set it: these and nobody else."""
    tasks = client_of(ctx).tasks
    if workers and everybody:
        raise typer.BadParameter("either workers or --everybody")
    found = tasks.set_roster(task, workers or ()) if workers or everybody else tasks.roster(task)
    if as_json:
        output.echo(found.json_text)
    elif not found.workers:
        output.note("every worker")
    for one in () if as_json else found.workers:
        output.echo(one)


app.command("load")(task_loading.load)
app.command("loads")(task_loading.loads)
app.command("next")(task_work.next_)
app.command("take")(task_work.take)
app.command("submit")(task_work.submit)
app.command("skip")(task_work.skip)
app.command("return")(task_work.return_)
app.command("extend")(task_work.extend)
app.command("active")(task_work.active)
app.command("sign-out")(task_work.sign_out)
app.command("hits")(task_hits.hits)
app.command("hit")(task_hits.hit)
app.command("history")(task_hits.history)
app.command("approve")(task_hits.approve)
app.command("reject")(task_hits.reject)
app.command("abandon")(task_hits.abandon)
app.command("adjudicate")(task_hits.adjudicate)
app.command("results")(task_hits.results)
app.command("stats")(task_statistics.stats)
