"""`workledger queue`: create, look at, change and delete queues (Q1 to Q8)."""

from typing import Annotated

import typer

from workledger.cli import listing, output
from workledger.cli.options import All, AsJson, AsOf, Cursor, Limit, QueueName, Yes, moment_of
from workledger.cli.session import client_of
from workledger.client.answers import Queue
from workledger.client.wire import UNSET

app = typer.Typer(no_args_is_help=True, help="Queues and their settings.")

Description = Annotated[str | None, typer.Option("--description", help="What it is for.")]
Retries = Annotated[
    int | None, typer.Option("--retries", help="How often a failed item is put back (0 to 100).")
]
RetryDelay = Annotated[
    int | None,
    typer.Option(
        "--retry-delay", help="How long an item that was put back waits.", metavar="SECONDS"
    ),
]
Version = Annotated[
    int | None, typer.Option("--version", help="Only if the settings are still at this version.")
]

COLUMNS = (
    "NAME",
    "NEW",
    "IN PROGRESS",
    "COMPLETED",
    "FAILED",
    "RETRIES",
    "PAUSED",
    "OLDEST WAITING",
    "CHANGED",
    "DESCRIPTION",
)


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="1 to 128 characters, unique.")],
    description: Description = None,
    retries: Retries = None,
    retry_delay: RetryDelay = None,
    paused: Annotated[bool, typer.Option("--paused", help="Start it paused.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create a queue."""
    queue = client_of(ctx).queues.create(
        name,
        description=description or "",
        retries=retries or 0,
        retry_delay_seconds=retry_delay or 0,
        paused=paused,
    )
    _show(queue, as_json)


@app.command("list")
def list_(
    ctx: typer.Context,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the queues by name, with their counts."""
    queues = client_of(ctx).queues
    found = listing.pages(lambda at: queues.page(cursor=at, limit=limit), cursor, every=every)
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _row(queue: Queue) -> tuple[output.Cell, ...]:
    counts = queue.counts
    return (
        queue.name,
        counts.new,
        counts.in_progress,
        counts.completed,
        counts.failed,
        queue.retries,
        queue.paused,
        queue.oldest_waiting_at,
        queue.changed_at,
        queue.description,
    )


@app.command()
def show(ctx: typer.Context, queue: QueueName, as_of: AsOf = None, as_json: AsJson = False) -> None:
    """Show a queue's settings and counts."""
    _show(client_of(ctx).queues.get(queue, as_of=moment_of(as_of, "--as-of")), as_json)


@app.command()
def edit(
    ctx: typer.Context,
    queue: QueueName,
    description: Description = None,
    retries: Retries = None,
    retry_delay: RetryDelay = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Change a queue's settings; what is not named stays as it is."""
    if description is None and retries is None and retry_delay is None:
        raise typer.BadParameter("nothing to change: --description, --retries, --retry-delay")
    changed = client_of(ctx).queues.change(
        queue,
        version=version,
        description=UNSET if description is None else description,
        retries=UNSET if retries is None else retries,
        retry_delay_seconds=UNSET if retry_delay is None else retry_delay,
    )
    _show(changed, as_json)


@app.command()
def delete(ctx: typer.Context, queue: QueueName, version: Version = None, yes: Yes = False) -> None:
    """Delete a queue with all its items."""
    client = client_of(ctx)
    found = client.queues.get(queue)
    if not yes:
        typer.confirm(f"Delete {found.name!r} with its {found.counts.all} items?", abort=True)
    client.queues.delete(found.id, version=version)
    output.note(f"deleted {found.name} (its id was {found.id})")


@app.command()
def restore(
    ctx: typer.Context,
    queue: Annotated[str, typer.Argument(metavar="ID", help="The deleted queue's id, q_...")],
    as_json: AsJson = False,
) -> None:
    """Undo a delete."""
    _show(client_of(ctx).queues.restore(queue), as_json)


@app.command()
def pause(ctx: typer.Context, queue: QueueName, as_json: AsJson = False) -> None:
    """Stop giving out items; adding goes on."""
    _show(client_of(ctx).queues.pause(queue), as_json)


@app.command()
def resume(ctx: typer.Context, queue: QueueName, as_json: AsJson = False) -> None:
    """Give out items again."""
    _show(client_of(ctx).queues.resume(queue), as_json)


def _show(queue: Queue, as_json: bool) -> None:
    if as_json:
        output.echo(queue.json_text)
        return
    counts = queue.counts
    output.fields(
        [
            ("name", queue.name),
            ("id", queue.id),
            ("description", queue.description),
            ("retries", queue.retries),
            ("retry delay", f"{queue.retry_delay_seconds} s"),
            ("paused", queue.paused),
            ("new", counts.new),
            ("in progress", counts.in_progress),
            ("completed", counts.completed),
            ("failed", counts.failed),
            ("oldest waiting", queue.oldest_waiting_at),
            ("created", f"{queue.created_at} by {queue.created_by}"),
            ("changed", queue.changed_at),
            ("version", queue.version),
        ]
    )
