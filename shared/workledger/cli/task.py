"""`workledger task`: manual tasks, their settings and rosters; the commands of the group (M40)."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, cast

import typer

from workledger.cli import listing, output, task_hits, task_loading, task_statistics, task_work
from workledger.cli.options import All, AsJson, Cursor, Limit
from workledger.cli.session import client_of
from workledger.cli.task_inputs import TaskName, Version, json_or_file
from workledger.cli.task_work import HitType
from workledger.client.manual_answers import Adjudication, SortBy, Task
from workledger.client.tasks import TaskChanges

app = typer.Typer(
    no_args_is_help=True, help="Manual tasks: records that people work, in order of their dates."
)

Description = Annotated[str | None, typer.Option("--description", help="What it is for.")]
Instructions = Annotated[
    str | None, typer.Option("--instructions", help="What people are shown beside a record.")
]
Priority = Annotated[
    int | None, typer.Option("--priority", help="Higher first, for who asks for any work.")
]
Deadline = Annotated[
    int | None,
    typer.Option("--deadline", help="How long an assignment runs (3600).", metavar="SECONDS"),
]
Adjudicated = Annotated[
    str | None,
    typer.Option(
        "--adjudication",
        help="N answers that agree, and up to M more while they do not: 2+1 (1+0).",
        metavar="N+M",
    ),
]
Compared = Annotated[
    list[str] | None,
    typer.Option("--compare", help="A field that has to agree; none: all.", metavar="FIELD"),
]
Schema = Annotated[
    str | None,
    typer.Option(
        "--schema", help="JSON Schema of answers: JSON, a file, or none.", metavar="JSON|FILE"
    ),
]
Sort = Annotated[
    list[str] | None,
    typer.Option(
        "--sort",
        help="Up to three, for --dtr: a field, its type (text, number, date), asc or desc, missing "
        "first or last; none: no comparator.",
        metavar="FIELD[:TYPE][:desc][:first]",
    ),
]
Dtr = Annotated[
    bool | None, typer.Option("--dtr/--fifo", help="In the order of --sort, or of records' dates.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="A column that records will have.", metavar="COLUMN"),
]
Sla = Annotated[
    str | None,
    typer.Option("--sla", help="From the record's date on; or none.", metavar="SECONDS"),
]

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
_WORDS: dict[str, str] = {
    **dict.fromkeys(("text", "number", "date"), "type"),
    **dict.fromkeys(("asc", "desc"), "direction"),
    **dict.fromkeys(("first", "last"), "missing"),
}


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
    settings = _settings(
        description=description,
        instructions=instructions,
        priority=priority,
        deadline_seconds=deadline,
        adjudication=_adjudication(adjudication, compare),
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
    settings = _settings(
        description=description,
        instructions=instructions,
        priority=priority,
        deadline_seconds=deadline,
        adjudication=_adjudication(adjudication, compare),
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


def _settings(**given: Any) -> TaskChanges:
    """What was given, as the client takes it. Raises BadParameter."""
    found = {name: value for name, value in given.items() if value is not None}
    if "schema" in found:
        schema = found["schema"]
        found["schema"] = None if schema == "none" else json_or_file(schema, "--schema")
    if "comparator" in found:
        listed = found["comparator"]
        found["comparator"] = None if listed == ["none"] else [sort_by(one) for one in listed]
    if "sla_seconds" in found:
        found["sla_seconds"] = _seconds(found["sla_seconds"])
    return cast("TaskChanges", cast("object", found))


def _seconds(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit()):
        raise typer.BadParameter(f"{text!r}: seconds, or none", param_hint="--sla")
    return int(text)


def _adjudication(rule: str | None, compare: Sequence[str] | None) -> Adjudication | None:
    if rule is None:
        if compare:
            raise typer.BadParameter("--compare goes with --adjudication")
        return None
    found = re.fullmatch(r"([0-9]{1,4})(?:\+([0-9]{1,4}))?", rule)
    if found is None:
        raise typer.BadParameter(f"{rule!r}: N+M, as in 2+1", param_hint="--adjudication")
    return Adjudication(int(found[1]), int(found[2] or 0), tuple(compare or ()))


def sort_by(text: str) -> SortBy:
    """`amount:number:desc:first`; a field's name may have colons. Raises BadParameter."""
    field, found = text, dict[str, str]()
    while True:
        before, colon, word = field.rpartition(":")
        if not colon or word not in _WORDS or not before:
            break
        kind = _WORDS[word]
        if kind in found:
            raise typer.BadParameter(f"{text!r}: {found[kind]} and {word}", param_hint="--sort")
        field, found[kind] = before, word
    return SortBy(field, **cast("dict[str, Any]", found))


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
