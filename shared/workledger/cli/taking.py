"""`workledger next`, `complete`, `fail`: work items by hand, or from a shell script (Q22, Q40)."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from workledger import jsontext
from workledger.cli import output
from workledger.cli.failing import NOTHING
from workledger.cli.options import AsJson, Key, Lease, QueueName, RunName, moment_of
from workledger.cli.session import client_of
from workledger.client import reading
from workledger.client.answers import Item, Nothing, Taken, TakenItems
from workledger.client.items import Claim
from workledger.client.wire import UNSET, Raw, Source

Printed = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="What `next --json` printed; standard input if left out.",
        allow_dash=True,
    ),
]


def next_(
    ctx: typer.Context,
    queue: QueueName,
    *,
    run: Annotated[
        str | None, typer.Option("--run", help="Take it in this run; otherwise one is started.")
    ] = None,
    run_name: RunName = None,
    lease: Lease = None,
    wait: Annotated[
        int, typer.Option("--wait", help="Wait for an item, up to 20.", metavar="SECONDS")
    ] = 0,
    max_items: Annotated[
        int | None, typer.Option("--max-items", help="Take several in one call, up to 100.")
    ] = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Take the next item; exit code 3 if there is none.

    It is yours until the run's lease passes: `complete` or `fail` it with what --json prints.
    """
    handle = client_of(ctx).queue(queue)
    options: dict[str, Any] = {
        "run": run,
        "run_name": run_name,
        "lease_seconds": lease,
        "wait_seconds": wait,
        "key": key,
    }
    taken: Taken | TakenItems | Nothing = (
        handle.next(**options) if max_items is None else handle.next_items(max_items, **options)
    )
    if as_json:
        output.echo(taken.json_text)
    elif isinstance(taken, Nothing):
        until = f" until {taken.retry_at}" if taken.retry_at else ""
        output.note(f"nothing to take: {taken.reason}{until}")
    else:
        for one in taken if isinstance(taken, TakenItems) else (taken,):
            _tell_taken(one)
    if isinstance(taken, Nothing):
        raise typer.Exit(NOTHING)


def _tell_taken(taken: Taken) -> None:
    output.fields(
        [
            ("id", taken.id),
            ("reference", taken.reference),
            ("attempt", taken.attempt),
            ("priority", taken.priority),
            ("due", taken.due),
            ("data", taken.data_text),
            ("claim", taken.claim),
            ("run", taken.run),
        ]
    )


def complete(
    ctx: typer.Context,
    taken: Printed = None,
    result: Annotated[
        str | None, typer.Option("--result", help="The result to keep.", metavar="JSON")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Complete what was taken."""
    kept = None if result is None else _raw(result, "--result")
    items = client_of(ctx).items
    for held in _held(taken):
        own: Any = held.text("result") or UNSET
        _tell(items.complete(held.claim, own if kept is None else kept), as_json)


def fail(
    ctx: typer.Context,
    taken: Printed = None,
    reason: Annotated[str | None, typer.Option("--reason", help="What went wrong.")] = None,
    final: Annotated[
        bool, typer.Option("--final", help="For good, whatever the queue's retries say.")
    ] = False,
    not_before: Annotated[
        str | None,
        typer.Option("--not-before", help="If it is put back: not before then.", metavar="MOMENT"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fail what was taken: it goes back to the queue while retries are left."""
    until = moment_of(not_before, "--not-before")
    items = client_of(ctx).items
    for held in _held(taken):
        item = items.fail(
            held.claim,
            held.body.get("reason", "") if reason is None else reason,
            retry=not final and held.body.get("retry", True),
            not_before=until or held.body.get("notBefore"),
        )
        _tell(item, as_json)


def _tell(item: Item, as_json: bool) -> None:
    if as_json:
        output.echo(item.json_text)
        return
    words = {"new": "back in the queue", "inProgress": "in progress"}
    output.echo(f"{item.id} {words.get(item.status, item.status)} (attempt {item.attempt})")


@dataclass(frozen=True, slots=True)
class Held:
    """An item as `next --json` printed it; a script may have put result or reason into it."""

    claim: Claim
    body: dict[str, Any]
    source: Source

    def text(self, member: str) -> Raw | None:
        """A member's JSON text, digit for digit."""
        return Raw(self.source.at(member).exact()) if member in self.body else None


def _held(file: Path | None) -> Iterator[Held]:
    text = jsontext.text_of(_bytes(file))
    try:
        body = reading.parse(text)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"not what `next --json` prints: {error}") from error
    if body.get("found") is False:
        output.note(f"nothing was taken: {body.get('reason', '')}")
        raise typer.Exit(NOTHING)
    if "items" in body:
        several = cast("list[dict[str, Any]]", body["items"])
        for place, one in enumerate(several):
            yield _one(one, Source(text).at("items", place))
    else:
        yield _one(body, Source(text))


def _one(body: dict[str, Any], source: Source) -> Held:
    named = [body.get("id"), body.get("claim")]
    if not all(isinstance(one, str) for one in named):
        raise typer.BadParameter("not what `next --json` prints: no id and claim in it")
    return Held(Claim(*cast("list[str]", named)), body, source)


def _bytes(file: Path | None) -> bytes:
    read: Callable[[], bytes] = sys.stdin.buffer.read
    if file is not None and str(file) != "-":
        read = file.read_bytes
    try:
        return read()
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}") from error


def _raw(text: str, option: str) -> Raw:
    try:
        jsontext.parse(text)
    except jsontext.Refused as refused:
        raise typer.BadParameter(refused.detail, param_hint=option) from refused
    return Raw(text.strip())
