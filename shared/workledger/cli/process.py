"""`workledger process`: business processes and their records (M10 to M14)."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from workledger import jsontext
from workledger.cli import events, listing, output, task_loading, task_tables
from workledger.cli.options import All, AsJson, Cursor, Key, Limit
from workledger.cli.session import client_of
from workledger.cli.task_inputs import (
    LOAD,
    AsCsv,
    OfLoad,
    ProcessName,
    ResultLimit,
    Version,
)
from workledger.cli.task_loading import AsFormat, File, NoWait, Separator
from workledger.client.manual_answers import Process, Step, Travelled, Way

app = typer.Typer(
    no_args_is_help=True, help="Business processes: records that travel through steps."
)

Definition = Annotated[
    str | None,
    typer.Argument(
        metavar="JSON",
        help='{"start": ..., "steps": [...]}, or what `show --json` printed; else --file, or '
        "standard input.",
    ),
]
DefinitionFile = Annotated[
    Path | None, typer.Option("--file", "-f", help="A file of such JSON.", allow_dash=True)
]
RecordId = Annotated[str, typer.Argument(metavar="RECORD", help="The record's id, d_...")]

SHOWN = frozenset({"id", "name", "version", "createdAt", "createdBy", "changedAt"})
"""Members of what `show --json` prints that are no part of a definition."""

MOST_STEPS = 100_000
"""More than any server takes: it says so itself."""

COLUMNS = ("NAME", "VERSION", "STEPS", "CREATED", "BY", "CHANGED")
RECORD_COLUMNS = ("RECORD", "NUMBER", "STATUS", "STEP", "SINCE", "HIT", "ORDER DATE", "DATA")
RESULT_COLUMNS = ("RECORD", "NUMBER", "STATUS", "STEP", "FINISHED", "DATA")


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="1 to 128 characters, unique.")],
    definition: Definition = None,
    file: DefinitionFile = None,
    as_json: AsJson = False,
) -> None:
    """Create a business process: manual steps, timed ones, ends, and the rules between them."""
    found = _definition(definition, file)
    for member in ("start", "steps"):
        if member not in found:
            raise typer.BadParameter(f"the definition has no {member!r}")
    made = client_of(ctx).processes.create(name, found["start"], found["steps"])
    _show(made, as_json)


@app.command()
def edit(
    ctx: typer.Context,
    process: ProcessName,
    definition: Definition = None,
    file: DefinitionFile = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Give a process another definition; records on their way keep the one they have."""
    found = _definition(definition, file)
    if not found:
        raise typer.BadParameter("the definition has neither 'start' nor 'steps'")
    _show(client_of(ctx).processes.change(process, version=version, **found), as_json)


def _definition(given: str | None, file: Path | None) -> dict[str, Any]:
    """`start` and `steps` of a definition, as they were written. Raises BadParameter, Refused."""
    if given is not None and file is not None:
        raise typer.BadParameter("either JSON or --file, not both")
    text = given if given is not None else task_loading.text_of(file)
    entry, _ = jsontext.entry(text)
    jsontext.parse(text)
    members = entry.members
    if members is None:
        raise typer.BadParameter('the definition is an object: {"start": ..., "steps": [...]}')
    unknown = sorted({*members} - SHOWN - {"start", "steps"})
    if unknown:
        raise typer.BadParameter(f"the definition has {unknown[0]!r}: only 'start' and 'steps'")
    found: dict[str, Any] = {name: one for name, one in members.items() if name not in SHOWN}
    if "steps" in found:
        if not found["steps"].text.startswith("["):
            raise typer.BadParameter("'steps' is a list")
        found["steps"] = [one.raw for one in jsontext.entries(found["steps"].text, MOST_STEPS)]
    return found


@app.command("list")
def list_(
    ctx: typer.Context,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the processes by name."""
    processes = client_of(ctx).processes
    found = listing.pages(lambda at: processes.page(cursor=at, limit=limit), cursor, every=every)
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _row(process: Process) -> tuple[output.Cell, ...]:
    steps = ", ".join(one.name for one in process.steps)
    return (
        process.name,
        process.version,
        steps,
        process.created_at,
        process.created_by,
        process.changed_at,
    )


@app.command()
def show(ctx: typer.Context, process: ProcessName, as_json: AsJson = False) -> None:
    """Show a process: its start, and each step with what it is and where records go on."""
    _show(client_of(ctx).processes.get(process), as_json)


def _show(process: Process, as_json: bool) -> None:
    if as_json:
        output.echo(process.json_text)
        return
    output.fields(
        [
            ("name", process.name),
            ("id", process.id),
            ("version", process.version),
            ("created", f"{process.created_at} by {process.created_by}"),
            ("changed", process.changed_at),
            ("start", f"-> {_routes(process.start)}"),
            *((f"step {one.name}", _step(one)) for one in process.steps),
        ]
    )


def _step(step: Step) -> str:
    what = {"manual": f"manual task {step.task}", "timed": f"{step.seconds} s"}
    if step.kind == "end":
        return "end"
    return f"{what[step.kind]} -> {_routes(step.next)}"


def _routes(routes: Any) -> str:
    """`fast if amount > 1000, else slow`."""
    if not isinstance(routes, dict):
        return str(routes)
    found = cast("dict[str, Any]", routes)
    rules = [
        f"{rule['step']} if {rule['field']} {rule['op']}"
        + (f" {output.compact(rule['value'])}" if rule.get("value") is not None else "")
        for rule in found.get("rules") or ()
    ]
    return ", ".join([*rules, f"else {found.get('else')}" if rules else str(found.get("else"))])


@app.command()
def load(
    ctx: typer.Context,
    process: ProcessName,
    file: File = None,
    *,
    form: AsFormat = None,
    delimiter: Separator = None,
    key: Key = None,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Start a process over records: a CSV file with a header row, or JSON objects; all or none."""
    handle = client_of(ctx).process(process)
    task_loading.run(handle, file, form, delimiter, key=key, no_wait=no_wait, as_json=as_json)


@app.command()
def loads(
    ctx: typer.Context,
    process: Annotated[
        str, typer.Argument(metavar="PROCESS|LOAD", help="A process, or a load's id, l_...")
    ],
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List a process's loads, the newest first; or show how far one load is."""
    client = client_of(ctx)
    if LOAD.fullmatch(process):
        task_loading.show(client.loads.get(process), as_json)
        return
    handle = client.process(process)
    task_loading.table(lambda at: handle.loads_page(cursor=at, limit=limit), cursor, every, as_json)


@app.command()
def records(
    ctx: typer.Context,
    process: ProcessName,
    *,
    load: OfLoad = None,
    step: Annotated[str | None, typer.Option("--step", help="Only records at this step.")] = None,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the records of a process, and where they are."""
    handle = client_of(ctx).process(process)
    found = listing.pages(
        lambda at: handle.records_page(load=load, step=step, cursor=at, limit=limit),
        cursor,
        every=every,
    )
    listing.show(found, RECORD_COLUMNS, _record_row, as_json=as_json)


def _record_row(way: Way) -> tuple[output.Cell, ...]:
    return (
        way.id,
        way.record,
        way.status,
        way.step,
        way.since,
        way.hit,
        way.custom_attributes.get("hitOrderDate"),
        way.data_text,
    )


@app.command()
def record(ctx: typer.Context, record: RecordId, as_json: AsJson = False) -> None:
    """Show one record on its way."""
    way = client_of(ctx).records.get(record)
    if as_json:
        output.echo(way.json_text)
        return
    output.fields(list(zip((one.lower() for one in RECORD_COLUMNS), _record_row(way), strict=True)))


@app.command()
def history(
    ctx: typer.Context,
    record: RecordId,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """Show everything that happened to a record, oldest first: where it went, by which rule."""
    of = client_of(ctx).records
    found = listing.pages(
        lambda at: of.history_page(record, cursor=at, limit=limit), cursor, every=every
    )
    listing.show(found, events.COLUMNS, events.row, as_json=as_json)


@app.command()
def results(
    ctx: typer.Context,
    process: ProcessName,
    *,
    load: OfLoad = None,
    limit: ResultLimit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Print what came of a process's records: their columns, with those that the steps made."""
    handle = client_of(ctx).process(process)
    where: dict[str, Any] = {"load": load, "limit": limit}
    if as_csv:
        task_tables.show(lambda at: handle.results_csv(cursor=at, **where), cursor, every=every)
        return
    found = listing.pages(lambda at: handle.results_page(cursor=at, **where), cursor, every=every)
    listing.show(found, RESULT_COLUMNS, _result_row, as_json=as_json)


def _result_row(of: Travelled) -> tuple[output.Cell, ...]:
    return (of.id, of.record, of.status, of.step, of.finished_at, of.data_text)
