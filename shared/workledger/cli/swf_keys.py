"""`workledger swf-key`: access keys of the SWF service, made at the store (W30)."""

import os
from typing import Annotated

import typer

from workledger.cli import output
from workledger.cli.serve import EndpointUrl
from workledger.cli.store import DEFAULT_STORE, Store, actor, core_of

app = typer.Typer(
    no_args_is_help=True,
    help="Access keys for Amazon SWF clients. They are made at the store: no request over HTTP can "
    "make or show one. SWF_KMS_KEY names the KMS key that seals them, SWF_KEY_FILE the file.",
)


@app.command()
def create(
    owner: Annotated[str, typer.Argument(help="Who it is for: the actor of what it does.")],
    domains: Annotated[
        list[str] | None,
        typer.Option("--domain", help="Only for this domain; may be repeated.", metavar="DOMAIN"),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Only to look: no start, poll, answer, signal.")
    ] = False,
    store: Store = DEFAULT_STORE,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Make a key and print it, this once, as environment variables."""
    from workledger import bootstrap  # noqa: PLC0415 - only these commands need a store
    from workledger.swf import issuing  # noqa: PLC0415

    sealer = bootstrap.sealer_of(os.environ, store)
    with core_of(store, endpoint_url, must_exist=False) as core:
        secret, shown = issuing.issue(
            core, sealer, actor(), owner, domains or None, writes=not read_only
        )
    output.echo(f"AWS_ACCESS_KEY_ID={shown.id}\nAWS_SECRET_ACCESS_KEY={secret}")
    output.note(f"key {shown.id} for {shown.key.owner}: the secret is shown only now")


@app.command("list")
def list_(store: Store = DEFAULT_STORE, endpoint_url: EndpointUrl = None) -> None:
    """List the keys, newest first."""
    from workledger.swf import issuing  # noqa: PLC0415

    with core_of(store, endpoint_url, must_exist=True) as core:
        listed = issuing.listed(core)
    rows = [
        (
            one.id,
            one.key.owner,
            "all" if one.key.domains is None else ", ".join(one.key.domains),
            "read, write" if one.key.writes else "read",
            one.key.issued_at,
            one.key.revoked_at,
        )
        for one in listed
    ]
    output.table(("KEY", "OWNER", "DOMAINS", "FOR", "MADE", "REVOKED"), rows)


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help="Its id, WL...")],
    store: Store = DEFAULT_STORE,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Close a key for good."""
    from workledger.swf import issuing  # noqa: PLC0415

    with core_of(store, endpoint_url, must_exist=True) as core:
        issuing.revoke(core, actor(), key)
    output.note(f"key {key} is revoked")
