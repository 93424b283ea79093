"""`workledger runs`: who works, and under which lease (Q50 to Q53)."""

from typing import Annotated, Literal

import typer

from workledger.cli import listing, output
from workledger.cli.options import All, AsJson, Cursor, Lease, Limit
from workledger.cli.session import client_of
from workledger.client.answers import Run

app = typer.Typer(no_args_is_help=True, help="Runs: who works, and under which lease.")

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, r_...")]
COLUMNS = ("RUN", "NAME", "BY", "STATUS", "HOLDING", "STARTED", "LEASE UNTIL", "ENDED", "REASON")


@app.command()
def start(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Option("--name", help="For people.")] = None,
    lease: Lease = None,
    as_json: AsJson = False,
) -> None:
    """Start a run, for `next --run`; prints its id."""
    run = client_of(ctx).runs.start(name, lease_seconds=lease)
    output.echo(run.json_text if as_json else run.id)


@app.command("list")
def list_(
    ctx: typer.Context,
    status: Annotated[
        Literal["active", "ended"] | None, typer.Option("--status", help="Only such runs.")
    ] = None,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the runs."""
    runs = client_of(ctx).runs
    found = listing.pages(lambda at: runs.page(status, cursor=at, limit=limit), cursor, every=every)
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _row(run: Run) -> tuple[output.Cell, ...]:
    return (
        run.id,
        run.name,
        run.actor,
        "overdue" if run.overdue else run.status,
        run.holding,
        run.started_at,
        run.lease_until,
        run.ended_at,
        run.end_reason,
    )


@app.command()
def show(ctx: typer.Context, run: RunId, as_json: AsJson = False) -> None:
    """Show a run."""
    _show(client_of(ctx).runs.get(run), as_json)


@app.command()
def heartbeat(ctx: typer.Context, run: RunId, as_json: AsJson = False) -> None:
    """Keep a run's lease alive."""
    _show(client_of(ctx).runs.heartbeat(run), as_json)


@app.command()
def end(
    ctx: typer.Context,
    run: RunId,
    reason: Annotated[str | None, typer.Option("--reason", help="Why.")] = None,
    as_json: AsJson = False,
) -> None:
    """End a run; what it holds goes back to the queue."""
    _show(client_of(ctx).runs.end(run, reason), as_json)


def _show(run: Run, as_json: bool) -> None:
    if as_json:
        output.echo(run.json_text)
        return
    names = ("id", "name", "by", "status", "holding", "started", "lease until", "ended", "reason")
    output.fields(list(zip(names, _row(run), strict=True)))
