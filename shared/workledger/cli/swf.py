"""`workledger swf`: looking at the Amazon SWF service, and the few things a person does to it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

import typer

from workledger import times
from workledger.cli import output
from workledger.cli.options import All, AsJson, Yes, moment_of
from workledger.cli.swf_service import Answer, SwfService, service_of
from workledger.errors import Refused

app = typer.Typer(
    no_args_is_help=True,
    help="Amazon SWF: domains, types, executions. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
    "AWS_REGION say who you are and where; a local server believes any key.",
)

Domain = Annotated[str, typer.Argument(metavar="DOMAIN", help="The domain's name.")]
WorkflowId = Annotated[str, typer.Argument(metavar="WORKFLOW", help="The workflow id.")]
RunId = Annotated[
    str | None, typer.Option("--run-id", help="This run; else the open, or newest, one.")
]
Registration = Annotated[
    Literal["registered", "deprecated"], typer.Option("--status", help="Only such ones.")
]
MOMENT_ZERO = 0


@app.command()
def domains(
    ctx: typer.Context,
    status: Registration = "registered",
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the domains."""
    found = service_of(ctx).pages("ListDomains", every=every, registrationStatus=status.upper())
    rows = (
        (one["name"], one["status"], one.get("description"), one["arn"])
        for one in _members(found, "domainInfos", as_json)
    )
    _table(("DOMAIN", "STATUS", "DESCRIPTION", "ARN"), rows, as_json)


@app.command()
def types(
    ctx: typer.Context,
    domain: Domain,
    kind: Annotated[
        Literal["workflow", "activity"] | None, typer.Option("--kind", help="Only this kind.")
    ] = None,
    status: Registration = "registered",
    name: Annotated[str | None, typer.Option("--name", help="Only versions of this name.")] = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List the types of a domain."""
    service = service_of(ctx)
    rows = (
        (one, of["name"], of["version"], info["status"], info.get("description"))
        for one in ([kind] if kind else ["workflow", "activity"])
        for info in _members(
            service.pages(
                f"List{one.capitalize()}Types",
                every=every,
                domain=domain,
                registrationStatus=status.upper(),
                name=name,
            ),
            "typeInfos",
            as_json,
        )
        for of in (info[f"{one}Type"],)
    )
    _table(("KIND", "NAME", "VERSION", "STATUS", "DESCRIPTION"), rows, as_json)


@app.command()
def executions(
    ctx: typer.Context,
    domain: Domain,
    *,
    closed: Annotated[bool, typer.Option("--closed", help="Closed ones, not open ones.")] = False,
    workflow: Annotated[str | None, typer.Option("--id", help="Of this workflow id.")] = None,
    type_name: Annotated[str | None, typer.Option("--type", help="Of this type.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="With this tag.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Started since then.", metavar="MOMENT")
    ] = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List executions, the newest first."""
    found = service_of(ctx).pages(
        f"List{'Closed' if closed else 'Open'}WorkflowExecutions",
        every=every,
        domain=domain,
        startTimeFilter={"oldestDate": _since(since)},
        executionFilter={"workflowId": workflow} if workflow else None,
        typeFilter={"name": type_name} if type_name else None,
        tagFilter={"tag": tag} if tag else None,
    )
    rows = (_execution(one) for one in _members(found, "executionInfos", as_json))
    columns = ("WORKFLOW", "RUN", "TYPE", "VERSION", "STATUS", "STARTED", "CLOSED", "TAGS")
    _table(columns, rows, as_json)


def _since(moment: str | None) -> float:
    given = moment_of(moment, "--since")
    return times.to_datetime(given).timestamp() if given else MOMENT_ZERO


def _execution(one: Mapping[str, Any]) -> tuple[output.Cell, ...]:
    return (
        one["execution"]["workflowId"],
        one["execution"]["runId"],
        one["workflowType"]["name"],
        one["workflowType"]["version"],
        one.get("closeStatus") or one["executionStatus"],
        _moment(one["startTimestamp"]),
        _moment(one.get("closeTimestamp")),
        ", ".join(tag or "" for tag in one.get("tagList", ())),
    )


@app.command()
def history(
    ctx: typer.Context,
    domain: Domain,
    workflow: WorkflowId,
    run_id: RunId = None,
    newest_first: Annotated[bool, typer.Option("--reverse", help="Newest first.")] = False,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """Show what happened in a run."""
    service = service_of(ctx)
    found = service.pages(
        "GetWorkflowExecutionHistory",
        every=every,
        domain=domain,
        execution={"workflowId": workflow, "runId": run_id or _newest(service, domain, workflow)},
        reverseOrder=newest_first or None,
    )
    rows = (_event(one) for one in _members(found, "events", as_json))
    _table(("ID", "AT", "EVENT", "DETAILS"), rows, as_json)


def _newest(service: SwfService, domain: str, workflow: str) -> str:
    """The open run of a workflow id, else the one that was started last. Raises Refused."""
    for state in ("Open", "Closed"):
        answer = service.call(
            f"List{state}WorkflowExecutions",
            domain=domain,
            startTimeFilter={"oldestDate": MOMENT_ZERO},
            executionFilter={"workflowId": workflow},
            maximumPageSize=1,
        )
        for one in answer.members["executionInfos"]:
            return one["execution"]["runId"]
    raise Refused("UnknownResourceFault", f"Unknown execution, workflowId = {workflow}")


def _event(one: Mapping[str, Any]) -> tuple[output.Cell, ...]:
    kind: str = one["eventType"]
    attributes = one[f"{kind[0].lower()}{kind[1:]}EventAttributes"]
    details = ", ".join(
        f"{name} {value if isinstance(value, str) else output.compact(value)}"
        for name, value in attributes.items()
    )
    return one["eventId"], _moment(one["eventTimestamp"]), kind, details


@app.command()
def signal(
    ctx: typer.Context,
    domain: Domain,
    workflow: WorkflowId,
    name: Annotated[str, typer.Argument(metavar="SIGNAL", help="The signal's name.")],
    text: Annotated[str | None, typer.Option("--input", help="What it says.")] = None,
    run_id: RunId = None,
) -> None:
    """Signal an open execution."""
    service_of(ctx).call(
        "SignalWorkflowExecution",
        domain=domain,
        workflowId=workflow,
        signalName=name,
        input=text,
        runId=run_id,
    )
    output.note(f"{workflow} has the signal {name}")


@app.command()
def terminate(
    ctx: typer.Context,
    domain: Domain,
    workflow: WorkflowId,
    *,
    reason: Annotated[str | None, typer.Option("--reason", help="Why.")] = None,
    details: Annotated[str | None, typer.Option("--details", help="More about it.")] = None,
    children: Annotated[
        Literal["terminate", "request_cancel", "abandon"] | None,
        typer.Option("--children", help="What becomes of its children; else as it was started."),
    ] = None,
    run_id: RunId = None,
    yes: Yes = False,
) -> None:
    """Close an open execution now."""
    if not yes:
        typer.confirm(f"Terminate {workflow}?", abort=True)
    service_of(ctx).call(
        "TerminateWorkflowExecution",
        domain=domain,
        workflowId=workflow,
        reason=reason,
        details=details,
        childPolicy=children.upper() if children else None,
        runId=run_id,
    )
    output.note(f"{workflow} is terminated")


# --- what the commands share --------------------------------------------------------------------


def _members(found: Iterable[Answer], name: str, as_json: bool) -> Iterator[Mapping[str, Any]]:
    """The members of pages; with --json they are printed as they came, and none are left."""
    for page in found:
        if as_json:
            output.echo(page.text)
        else:
            yield from page.members[name]
        if page.members.get("nextPageToken"):
            output.note("There may be more: --all")


def _table(
    columns: tuple[str, ...], rows: Iterable[tuple[output.Cell, ...]], as_json: bool
) -> None:
    kept = list(rows)
    if not as_json:
        output.table(columns, kept)


def _moment(seconds: float | None) -> str | None:
    return times.from_epoch(seconds) if seconds is not None else None
