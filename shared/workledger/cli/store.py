"""Commands that work on the store itself, not through a server: `rebuild`, `recount`, `token`."""

import getpass
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workledger import times
from workledger.cli import output
from workledger.cli.failing import REFUSED
from workledger.cli.options import Yes, moment_of
from workledger.cli.serve import EndpointUrl

if TYPE_CHECKING:
    from workledger.service.core import Core

app = typer.Typer(
    no_args_is_help=True,
    help="Access tokens. They are made at the store: no request over HTTP can make one.",
)

Store = Annotated[
    str,
    typer.Option(
        "--store", envvar="WORKLEDGER_STORE", help="sqlite:PATH or dynamodb.", metavar="STORE"
    ),
]
DEFAULT_STORE = "sqlite:./workledger.db"


@contextmanager
def core_of(store: str, endpoint_url: str | None, *, must_exist: bool) -> "Generator[Core]":
    """The wired application on a store. Raises BadParameter if there is no such store."""
    from workledger import bootstrap  # noqa: PLC0415 - only these commands need a store

    kind, _, path = store.partition(":")
    if must_exist and kind == "sqlite" and not Path(path).expanduser().is_file():
        raise typer.BadParameter(f"there is no file {path}", param_hint="--store")
    if store == "moto":
        raise typer.BadParameter("moto lives in the server's memory", param_hint="--store")
    try:
        opened = bootstrap.open_store(
            store,
            endpoint_url=endpoint_url,
            ledger_table=os.environ.get("LEDGER_TABLE", "ledger"),
            views_table=os.environ.get("VIEWS_TABLE", "views"),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--store") from error
    try:
        yield bootstrap.build(opened).core
    finally:
        close = getattr(opened, "close", None)
        if close is not None:
            close()


def rebuild(
    check: Annotated[
        bool, typer.Option("--check", help="Only compare; exit code 1 at any difference.")
    ] = False,
    store: Store = DEFAULT_STORE,
    endpoint_url: EndpointUrl = None,
    yes: Yes = False,
) -> None:
    """Make the views anew from the ledger, or prove that they are equal to it.

    Both want a store that nobody writes to meanwhile: stop the server first.
    """
    from workledger.service import rebuilding  # noqa: PLC0415

    with core_of(store, endpoint_url, must_exist=True) as core:
        if not check:
            if not yes:
                typer.confirm("Has the server been stopped?", abort=True)
            output.echo(f"{rebuilding.rebuild(core)} rows made of the ledger")
            return
        wrong = rebuilding.check(core)
    for stream, thing in wrong:
        output.echo(f"{stream} {thing}")
    if wrong:
        output.note(f"{len(wrong)} rows differ from the ledger")
        raise typer.Exit(REFUSED)
    output.note("Every row is as the ledger makes it.")


def recount(
    queues: Annotated[
        list[str] | None, typer.Argument(metavar="[QUEUE]...", help="Names or ids; else all.")
    ] = None,
    store: Store = DEFAULT_STORE,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Count the items of queues anew, after what feeds their counts was down for hours.

    Meant for DynamoDB, where the counts in lists of queues are fed; a file counts exactly.
    """
    from workledger.service import recounting  # noqa: PLC0415

    with core_of(store, endpoint_url, must_exist=True) as core:
        counted = list(recounting.recount(core, queues or ()))
    if any(counts is None for _, counts in counted):
        output.note("This store counts exactly: there is nothing to recount.")
        return
    rows = [(name, *counts.values()) for name, counts in counted if counts is not None]
    output.table(("QUEUE", "NEW", "IN PROGRESS", "COMPLETED", "FAILED"), rows)


@app.command()
def create(
    owner: Annotated[str, typer.Argument(help="Who it is for: the actor of what it does.")],
    role: Annotated[
        str,
        typer.Option(
            "--role",
            help="viewer, operator, developer, admin; of people's work: worker, requester, "
            "adjudicator.",
            metavar="ROLE",
        ),
    ],
    expires: Annotated[
        str | None, typer.Option("--expires", help="Until when it is good.", metavar="MOMENT")
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=1, help="How long it is good, instead of --expires.")
    ] = None,
    store: Store = DEFAULT_STORE,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Make a token and print it, this once: only its hash is kept."""
    from workledger.service import tokens  # noqa: PLC0415

    if expires is not None and days is not None:
        raise typer.BadParameter("either --expires or --days")
    until = moment_of(expires, "--expires")
    if days is not None:
        until = times.plus(times.system_clock(), days * 86_400)
    with core_of(store, endpoint_url, must_exist=False) as core:
        text, shown = tokens.issue(core, actor(), owner, role, until)
    output.echo(text)
    output.note(f"token {shown.id} for {shown.token.owner}, {role}: it is shown only now")


@app.command("list")
def list_(store: Store = DEFAULT_STORE, endpoint_url: EndpointUrl = None) -> None:
    """List the tokens, newest first."""
    from workledger.service import tokens  # noqa: PLC0415

    with core_of(store, endpoint_url, must_exist=True) as core:
        listed = tokens.listed(core)
    rows = [
        (
            one.id,
            one.token.owner,
            one.token.role,
            one.token.issued_at,
            one.token.expires_at,
            one.token.revoked_at,
            one.last_used_at,
        )
        for one in listed
    ]
    output.table(("TOKEN", "OWNER", "ROLE", "MADE", "EXPIRES", "REVOKED", "LAST USED"), rows)


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="Its id, or the token itself.")],
    store: Store = DEFAULT_STORE,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Close a token for good."""
    from workledger.service import tokens  # noqa: PLC0415

    with core_of(store, endpoint_url, must_exist=True) as core:
        public = token.split("_")[1] if token.startswith("wl_") and "_" in token[3:] else token
        tokens.revoke(core, actor(), public)
    output.note(f"token {public} is revoked")


def actor() -> str:
    """Who sits at the store: the user of this machine."""
    try:
        return f"{getpass.getuser()} (at the store)"
    except (KeyError, OSError):
        return "somebody (at the store)"
