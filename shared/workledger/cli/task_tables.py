"""Results as one CSV table over all pages: their headings may differ (M60)."""

import csv
import io
from collections.abc import Callable, Iterable

import typer

from workledger.cli import output

LARGEST_CELL = 2**31 - 1

Fetch = Callable[[str | None], tuple[str, str | None]]


def show(fetch: Fetch, cursor: str | None, *, every: bool) -> None:
    """Print the page at a cursor as the server wrote it, or all of them as one table."""
    text, cursor = fetch(cursor)
    if cursor is None or not every:
        typer.echo(text, nl=False)
        if cursor is not None:
            output.note(f"There is more: --cursor {cursor} (or --all)")
        return
    texts = [text]
    while cursor is not None:
        text, cursor = fetch(cursor)
        texts.append(text)
    typer.echo(together(texts), nl=False)


def together(texts: Iterable[str]) -> str:
    """One table: the columns of all, each at its first place; what a page lacks is empty."""
    # A record's columns count against the limit as one cell each; ours may hold a whole answer.
    csv.field_size_limit(LARGEST_CELL)
    columns: dict[str, None] = {}
    rows: list[dict[str, str]] = []
    for text in texts:
        page = csv.reader(io.StringIO(text, newline=""))
        header = next(page, list[str]())
        columns = _merged(list(columns), header)
        rows += (dict(zip(header, row, strict=True)) for row in page)
    written = io.StringIO(newline="")
    table = csv.DictWriter(written, list(columns), restval="")
    table.writeheader()
    table.writerows(rows)
    return written.getvalue()


def _merged(known: list[str], header: list[str]) -> dict[str, None]:
    """The columns of both: new ones stand before what the server says of each record."""
    if not known:
        return dict.fromkeys(header)
    new = [name for name in header if name not in known]
    about = known.index("_sys_record_order") if "_sys_record_order" in known else len(known)
    return dict.fromkeys([*known[:about], *new, *known[about:]])
