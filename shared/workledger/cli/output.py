"""What is printed: a table for people, tab-separated lines for pipes, the server's JSON exactly."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer

Cell = str | int | bool | None


def echo(text: str) -> None:
    """A line on standard output."""
    typer.echo(text)


def note(text: str) -> None:
    """A line for the person, beside the output."""
    typer.echo(text, err=True)


def compact(value: Any) -> str:
    """A JSON value in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, err: bool = False) -> None:
    """Rows under headings on a terminal; tab-separated and without headings in a pipe.

    Those on standard error are for people in any case: they have headings, and nothing is cut.
    """
    from rich.console import Console  # noqa: PLC0415 - not for --json
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(stderr=err)
    if not console.is_terminal:
        for row in [columns, *rows] if err else rows:
            typer.echo("\t".join(_plain(cell) for cell in row), err=err)
        return
    drawn = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for column in drawn.columns:
        column.no_wrap, column.overflow = not err, "fold" if err else "ellipsis"
    for row in rows:
        drawn.add_row(*(Text(_plain(cell)) for cell in row))
    console.print(drawn)


def fields(pairs: Sequence[tuple[str, Cell]]) -> None:
    """One thing, a line for each of its fields."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        echo(f"{name:<{width}}  {_plain(value)}".rstrip())


def _plain(cell: Cell) -> str:
    """Text without what could move a terminal's cursor, or be taken for a separator."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in str(cell))
