"""`workledger`: all commands."""

from typing import Annotated

import typer

from workledger.cli import (
    adding,
    convert,
    events,
    items,
    process,
    queue,
    runs,
    serve,
    store,
    swf,
    swf_keys,
    taking,
    task,
    work,
)
from workledger.cli.failing import Commands
from workledger.cli.session import Inputs, Session

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="An event-sourced work queue. Exit codes: 1 refused, 2 wrong usage, 3 nothing to take, "
    "69 no server.",
)


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - reads files

        typer.echo(version("workledger"))
        raise typer.Exit


@app.callback()
def session(
    ctx: typer.Context,
    url: Annotated[
        str | None,
        typer.Option("--url", envvar="WORKLEDGER_URL", help="The server (http://127.0.0.1:8080)."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="WORKLEDGER_TOKEN", help="The access token, wl_..."),
    ] = None,
    actor: Annotated[
        str | None,
        typer.Option("--actor", envvar="WORKLEDGER_ACTOR", help="Who to be at a local server."),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options for all commands."""
    inputs = ctx.obj if isinstance(ctx.obj, Inputs) else Inputs()
    ctx.obj = Session(url, token, actor, inputs)


app.command("serve")(serve.serve)
app.add_typer(queue.app, name="queue")
app.command("add")(adding.add)
app.add_typer(convert.app, name="convert")
app.command("next")(taking.next_)
app.command("complete")(taking.complete)
app.command("fail")(taking.fail)
app.command("work")(work.work)
app.command("count")(items.count)
app.command("items")(items.items)
app.command("show")(items.show)
app.command("change")(items.change)
app.command("requeue")(items.requeue)
app.command("delete")(items.delete)
app.command("restore")(items.restore)
app.command("history")(events.history)
app.command("explain")(events.explain)
app.command("tail")(events.tail)
app.command("audit")(events.audit)
app.add_typer(runs.app, name="runs")
app.add_typer(task.app, name="task")
app.add_typer(process.app, name="process")
app.command("rebuild")(store.rebuild)
app.command("recount")(store.recount)
app.add_typer(store.app, name="token")
app.add_typer(swf.app, name="swf")
app.add_typer(swf_keys.app, name="swf-key")
