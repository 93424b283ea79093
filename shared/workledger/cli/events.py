"""`workledger history`, `explain`, `tail`, `audit`: what happened, and why (Q90 to Q93)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workledger import keys
from workledger.cli import listing, output
from workledger.cli.options import All, AsJson, Cursor, ItemId, Limit
from workledger.cli.session import client_of, session_of
from workledger.client.answers import AuditEntry, Event

RETRIES = 20
"""Following, an outage of a minute and a half is waited out."""

COLUMNS = ("AT", "EVENT", "BY", "DETAILS")


def history(
    ctx: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="ITEM|QUEUE", help="An item's id, or a queue.")],
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """Show everything that happened to an item or a queue, oldest first."""
    client = client_of(ctx)
    of = client.items if keys.item_of(subject) else client.queues
    found = listing.pages(
        lambda at: of.history_page(subject, cursor=at, limit=limit), cursor, every=every
    )
    listing.show(found, COLUMNS, row, as_json=as_json)


def row(event: Event) -> tuple[output.Cell, ...]:
    """An event in a history."""
    return event.at, event.type, event.actor, _details(event.data)


def _details(data: Mapping[str, Any]) -> str:
    """The data without what only programs need."""
    return ", ".join(
        f"{name} {value if isinstance(value, str) else output.compact(value)}"
        for name, value in data.items()
        if name not in {"digest", "generation"}
    )


def explain(ctx: typer.Context, item: ItemId, as_json: AsJson = False) -> None:
    """Say why an item stands where it stands, or why it was taken when it was."""
    explanation = client_of(ctx).items.explain(item)
    output.echo(explanation.json_text if as_json else explanation.text)


def tail(
    ctx: typer.Context,
    after: Annotated[
        str | None, typer.Option("--after", help="Go on from this position.", metavar="POSITION")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more.")] = False,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="Keep the position in this file, and go on from there."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print every event, in order per stream, each once; --json prints one on a line.

    After a restart from a position the last few events may come again; none is left out.
    """
    if state is not None and state.exists() and after is None:
        after = state.read_text().strip() or None
    feed = session_of(ctx).client_with(RETRIES if follow else 2).tail(after, follow=follow)
    try:
        kept = after
        for event in feed:
            if state is not None and feed.after != kept:
                kept = feed.after
                _keep(state, kept)
            output.echo(event.json_text if as_json else "\t".join(map(str, _line(event))))
    finally:
        if state is not None:
            _keep(state, feed.after)
    if state is None:
        output.note(f"The feed ends here: --after {feed.after}")


def _keep(state: Path, position: str | None) -> None:
    """Replace the file in one step: a crash leaves the old position or the new one."""
    new = state.with_name(state.name + ".new")
    new.write_text(f"{position or ''}\n")
    new.replace(state)


def _line(event: Event) -> tuple[output.Cell, ...]:
    return event.at, event.stream, event.commit, event.type, event.actor, _details(event.data)


def audit(
    ctx: typer.Context,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """Show who changed what about queues and access, newest first."""
    client = client_of(ctx)
    found = listing.pages(lambda at: client.audit_page(cursor=at, limit=limit), cursor, every=every)
    listing.show(found, ("AT", "BY", "ACTION", "SUBJECT", "CHANGES"), _audit_row, as_json=as_json)


def _audit_row(entry: AuditEntry) -> tuple[output.Cell, ...]:
    return entry.at, entry.actor, entry.action, entry.subject, changes(entry)


def changes(entry: AuditEntry) -> str:
    """What is different after it: `retries 0 -> 2`."""
    before, after = entry.before or {}, entry.after or {}
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    shown = {
        name: [output.compact(side[name]) if name in side else "-" for side in (before, after)]
        for name in names
    }
    return ", ".join(f"{name} {old} -> {new}" for name, (old, new) in shown.items())
