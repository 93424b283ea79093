"""`workledger count`, `items`, `show`, `change`, `requeue`, `delete`, `restore` (Q70 to Q75)."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from workledger.cli import listing, output
from workledger.cli.options import (
    All,
    AsJson,
    AsOf,
    Cursor,
    DryRun,
    InQueue,
    ItemId,
    Limit,
    QueueName,
    ReasonPrefix,
    Since,
    Status,
    Yes,
    given_moment,
    moment_of,
    status_of,
)
from workledger.cli.session import client_of
from workledger.client.answers import Error, HeldBy, Item, Matched, Result
from workledger.client.wire import UNSET

ItemIds = Annotated[
    list[str] | None, typer.Argument(metavar="ITEM", help="Items by their ids, i_...")
]

COLUMNS = (
    "ITEM",
    "REFERENCE",
    "STATUS",
    "ATTEMPT",
    "PRIORITY",
    "ADDED",
    "BY",
    "OUTCOME",
    "DATA",
)


def count(
    ctx: typer.Context, queue: QueueName, status: Status = None, as_json: AsJson = False
) -> None:
    """Count a queue's items, all or of one status."""
    counted = client_of(ctx).queue(queue).counted(status_of(status))
    output.echo(counted.json_text if as_json else str(counted.count))


def items(
    ctx: typer.Context,
    queue: QueueName,
    *,
    status: Status = None,
    reference: Annotated[
        str | None, typer.Option("--reference", help="Whose reference begins so.")
    ] = None,
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="A CSV table.")] = False,
) -> None:
    """List a queue's items: new in the order of taking, closed ones newest first."""
    handle, wanted = client_of(ctx).queue(queue), status_of(status)
    if as_csv:
        _csv(
            lambda at: handle.items_csv(wanted, reference=reference, cursor=at, limit=limit),
            cursor,
            every,
        )
        return
    found = listing.pages(
        lambda at: handle.items_page(wanted, reference=reference, cursor=at, limit=limit),
        cursor,
        every=every,
    )
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _csv(
    fetch: Callable[[str | None], tuple[str, str | None]], cursor: str | None, every: bool
) -> None:
    """One table over all pages: the heading once."""
    first = True
    while True:
        text, cursor = fetch(cursor)
        typer.echo(text if first else text.partition("\n")[2], nl=False)
        first = False
        if cursor is None:
            return
        if not every:
            output.note(f"There is more: --cursor {cursor} (or --all)")
            return


def _row(item: Item) -> tuple[output.Cell, ...]:
    return (
        item.id,
        item.reference if item.reference is not None else f"#{item.number}",
        item.status,
        item.attempt,
        item.priority,
        item.added_at,
        item.added_by,
        _outcome(item),
        item.data_text,
    )


def _outcome(item: Item) -> str | None:
    match item.outcome:
        case Result():
            return item.result_text
        case Error(reason):
            return reason
        case HeldBy(run, _):
            return f"held by {run}" + (f": {item.progress}" if item.progress else "")
        case None:
            return None


def show(ctx: typer.Context, item: ItemId, as_of: AsOf = None, as_json: AsJson = False) -> None:
    """Show one item."""
    _show(client_of(ctx).items.get(item, as_of=moment_of(as_of, "--as-of")), as_json)


def _show(item: Item, as_json: bool) -> None:
    if as_json:
        output.echo(item.json_text)
        return
    output.fields(
        [
            ("id", item.id),
            ("queue", item.queue_name),
            ("number", item.number),
            ("reference", item.reference),
            ("status", item.status),
            ("attempt", item.attempt),
            ("priority", item.priority),
            ("not before", item.not_before),
            ("due", item.due),
            ("added", f"{item.added_at} by {item.added_by}"),
            ("taken", item.claimed_at),
            ("overdue", item.claim_overdue),
            ("closed", item.closed_at),
            ("outcome", _outcome(item)),
            ("data", item.data_text),
        ]
    )


def change(
    ctx: typer.Context,
    item: ItemId,
    priority: Annotated[int | None, typer.Option("--priority", help="Higher first.")] = None,
    not_before: Annotated[
        str | None, typer.Option("--not-before", help="A moment, or none.", metavar="MOMENT")
    ] = None,
    due: Annotated[
        str | None, typer.Option("--due", help="A moment, or none.", metavar="MOMENT")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a waiting item's priority, notBefore or due."""
    if priority is None and not_before is None and due is None:
        raise typer.BadParameter("nothing to change: --priority, --not-before, --due")
    changed = client_of(ctx).items.change(
        item,
        priority=UNSET if priority is None else priority,
        not_before=UNSET if not_before is None else given_moment(not_before, "--not-before"),
        due=UNSET if due is None else given_moment(due, "--due"),
    )
    _show(changed, as_json)


def requeue(
    ctx: typer.Context,
    items: ItemIds = None,
    *,
    queue: InQueue = None,
    since: Since = None,
    reason: ReasonPrefix = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Put failed items back to the queue: some by id, or with --queue all that match."""
    client = client_of(ctx)
    if _by_filter(items, queue, since=since, reason=reason, dry_run=dry_run):
        matched = client.queue(str(queue)).requeue(
            since=moment_of(since, "--since"), reason_prefix=reason, dry_run=dry_run
        )
        _tell(matched, "put back", dry_run=dry_run, as_json=as_json)
        return
    for one in items or []:
        back = client.items.requeue(one)
        output.echo(back.json_text if as_json else f"{back.id} back in the queue")


def delete(
    ctx: typer.Context,
    items: ItemIds = None,
    *,
    queue: InQueue = None,
    status: Status = None,
    since: Since = None,
    reason: ReasonPrefix = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete items that are not in progress: some by id, or with --queue all that match."""
    client = client_of(ctx)
    if not _by_filter(items, queue, status=status, since=since, reason=reason, dry_run=dry_run):
        for one in items or []:
            client.items.delete(one)
            output.note(f"{one} deleted")
        return
    handle = client.queue(str(queue))
    where: dict[str, Any] = {
        "status": status_of(status),
        "since": moment_of(since, "--since"),
        "reason_prefix": reason,
    }
    if not dry_run and not yes:
        meant = handle.purge(**where, dry_run=True).matched
        typer.confirm(f"Delete {meant} items of {queue!r}?", abort=True)
    _tell(handle.purge(**where, dry_run=dry_run), "deleted", dry_run=dry_run, as_json=as_json)


def _by_filter(items: list[str] | None, queue: str | None, **conditions: object) -> bool:
    """Whether a filter is meant, and not items by their ids. Raises BadParameter for both, none."""
    if bool(items) == (queue is not None):
        raise typer.BadParameter("give the ids of items, or --queue with what must match")
    if items and any(conditions.values()):
        raise typer.BadParameter("conditions go with --queue, not with the ids of items")
    return queue is not None


def _tell(matched: Matched, done: str, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        told = {
            "matched": matched.matched,
            "done": matched.done,
            "skipped": matched.skipped,
            "ids": matched.ids,
        }
        output.echo(output.compact(told))
    elif dry_run:
        output.echo(f"{matched.matched} match; nothing was done")
    else:
        output.echo(f"{matched.done} {done}, {matched.skipped} skipped")


def restore(ctx: typer.Context, item: ItemId, as_json: AsJson = False) -> None:
    """Undo the delete of an item."""
    _show(client_of(ctx).items.restore(item), as_json)
