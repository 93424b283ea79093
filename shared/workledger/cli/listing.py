"""Lists on the screen: one page, or all of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from workledger.cli import output
from workledger.cli.output import Cell
from workledger.client.answers import Page

T = TypeVar("T")


def pages(
    fetch: Callable[[str | None], Page[T]], cursor: str | None, *, every: bool
) -> Iterator[Page[T]]:
    """The page at a cursor, or all from there on; says how to go on."""
    while True:
        page = fetch(cursor)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
        if not every:
            output.note(f"There is more: --cursor {cursor} (or --all)")
            return


def show(
    found: Iterable[Page[T]],
    columns: Sequence[str],
    row: Callable[[T], Sequence[Cell]],
    *,
    as_json: bool,
) -> None:
    """Print pages: each as the server's JSON on a line of its own, or together as a table."""
    if as_json:
        for page in found:
            output.echo(page.json_text)
    else:
        output.table(columns, (row(one) for page in found for one in page.items))
