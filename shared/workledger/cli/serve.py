"""`workledger serve`: the deployed system in one process."""

from typing import Annotated

import typer

Host = Annotated[str, typer.Option("--host", help="Where to listen; others need tokens.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65_535, help="0: any that is free.")]
Store = Annotated[
    str,
    typer.Option("--store", help="sqlite:PATH, moto (in memory) or dynamodb.", metavar="STORE"),
]
EndpointUrl = Annotated[
    str | None,
    typer.Option("--endpoint-url", help="With dynamodb: another engine than AWS.", metavar="URL"),
]


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    store: Store = "sqlite:./workledger.db",
    endpoint_url: EndpointUrl = None,
    role: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="Role of requests without a token: viewer, operator, worker, requester, "
            "adjudicator, developer (default), admin.",
            metavar="ROLE",
        ),
    ] = None,
    require_tokens: Annotated[
        bool,
        typer.Option(
            "--require-tokens",
            help="Nobody without a token (Amazon SWF: without a key), not even from here.",
        ),
    ] = False,
    poll_seconds: Annotated[
        float,
        typer.Option(
            "--poll-seconds", min=0, max=55, help="How long Amazon SWF's polls wait for a task."
        ),
    ] = 50,
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting of manual tasks: core.task.queue.fifo.enabled, core.record.date.zone.",
            metavar="NAME=VALUE",
        ),
    ] = None,
) -> None:
    """Serve the whole system on this machine until Ctrl-C; everything is in one file."""
    from workledger.local.serve import run  # noqa: PLC0415 - Powertools, uvicorn: only for this

    given = settings or ()
    run(host, port, store, endpoint_url, role, require_tokens, poll_seconds, settings_given=given)
