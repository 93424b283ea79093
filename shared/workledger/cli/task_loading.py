"""`workledger task load`, `loads`: files and records into tasks and processes (M50 to M55)."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import typer

from workledger import jsontext
from workledger.cli import listing, output
from workledger.cli.options import All, AsJson, Cursor, Key, Limit
from workledger.cli.session import client_of
from workledger.cli.task_inputs import LOAD, TaskName, bytes_of
from workledger.client.answers import Page
from workledger.client.manual_answers import Load
from workledger.client.manual_loading import Content, Delimiter

COLUMNS = ("LOAD", "STATE", "RECORDS", "CREATED", "STARTED", "BY", "COMPLETED")

Format = Literal["csv", "json", "ndjson"]

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE", help="CSV, JSON or NDJSON; standard input if left out.", allow_dash=True
    ),
]
AsFormat = Annotated[
    Format | None,
    typer.Option("--format", help="What FILE is, if its name and beginning do not tell."),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--delimiter", help="comma, semicolon or tab; else it is found.", metavar="DELIMITER"
    ),
]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Do not wait for a load that goes on by itself.")
]

_DELIMITERS: dict[str, Delimiter] = {
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    ",": ",",
    ";": ";",
    "\t": "\t",
    "\\t": "\t",
}
_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}


class Loadable(Protocol):
    """A task or a process."""

    def load(
        self,
        content: Content,
        *,
        delimiter: Delimiter | None,
        key: str | None,
        wait: bool,
        progress: Callable[[Load], object] | None,
    ) -> Load: ...


def load(
    ctx: typer.Context,
    task: TaskName,
    file: File = None,
    *,
    form: AsFormat = None,
    delimiter: Separator = None,
    hits: Annotated[
        bool,
        typer.Option("--hits", help='JSON of hits: {"data": {...}, "customAttributes": {...}}.'),
    ] = False,
    key: Key = None,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Load records into a task: all of them or none.

    A CSV file with a header row, or JSON objects. The column record_date says when a record counts
    as begun; without one it is now. Faults are listed with record, line and column.
    """
    handle = client_of(ctx).task(task)
    if not hits:
        run(handle, file, form, delimiter, key=key, no_wait=no_wait, as_json=as_json)
        return
    listed = [one.raw for one in jsontext.entries(text_of(file), sys.maxsize)]
    with _bar() as progress:
        made = handle.create_hits(listed, key=key, wait=not no_wait, progress=progress)
    tell(made, as_json)


def run(
    handle: Loadable,
    file: Path | None,
    form: Format | None,
    delimiter: str | None,
    *,
    key: str | None,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Load a file into a task or a process, and say what came of it."""
    separator = None if delimiter is None else _delimiter(delimiter)
    content = content_of(bytes_of(_checked(file)), form or _format(file))
    with _bar() as progress:
        made = handle.load(
            content, delimiter=separator, key=key, wait=not no_wait, progress=progress
        )
    tell(made, as_json)


def _checked(file: Path | None) -> Path | None:
    if file is None and sys.stdin.isatty():
        raise typer.BadParameter("nothing to load: give a file, or standard input")
    return file


def text_of(file: Path | None) -> str:
    """The text of a file of JSON."""
    return jsontext.text_of(bytes_of(_checked(file)))


def _delimiter(word: str) -> Delimiter:
    found = _DELIMITERS.get(word)
    if found is None:
        raise typer.BadParameter(f"{word!r}: comma, semicolon or tab", param_hint="--delimiter")
    return found


def _format(file: Path | None) -> Format | None:
    return None if file is None else _SUFFIXES.get(file.suffix.lower())


def content_of(body: bytes, form: Format | None) -> Content:
    """What is loaded. Without a format, what begins as JSON is taken for it.

    JSON is a list of records, one record, or a body of the API (`records`, or `csv`).
    """
    if form is None:
        start = body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        form = "json" if start in {b"[", b"{"} else "csv"
    if form == "csv":
        return body
    text = jsontext.text_of(body)
    if form == "ndjson":
        return [one.raw for one in jsontext.lines(text, sys.maxsize)]
    found = jsontext.entries(text, sys.maxsize)
    members = found[0].members if len(found) == 1 and not text.lstrip().startswith("[") else None
    match {name: one.value() for name, one in (members or {}).items()}:
        case {"csv": str(csv), **rest} if not rest:
            return csv.encode()
        case {"records": list(), **rest} if not rest and members is not None:
            return _raws(members["records"].text)
        case _:
            return [one.raw for one in found]


def _raws(text: str) -> list[jsontext.Raw]:
    return [one.raw for one in jsontext.entries(text, sys.maxsize)]


def tell(load: Load, as_json: bool) -> None:
    """Say what came of a load."""
    if as_json:
        output.echo(load.json_text)
        return
    if not load.complete:
        output.echo(f"{load.id} goes on: {load.created} of {load.records} records so far")
        return
    report = load.report
    told = [
        (report.undated, "without a date"),
        (report.converted, "with a zone, converted"),
        (report.cut, "cut to the millisecond"),
        (report.kept_order, "with an order of their own"),
    ]
    dates = ", ".join(f"{count} {words}" for count, words in told if count)
    records = "1 record" if load.records == 1 else f"{load.records} records"
    output.echo(f"{load.id}: {records} loaded{f' ({dates})' if dates else ''}")


def loads(
    ctx: typer.Context,
    task: Annotated[str, typer.Argument(metavar="TASK|LOAD", help="A task, or a load's id, l_...")],
    limit: Limit = None,
    cursor: Cursor = None,
    every: All = False,
    as_json: AsJson = False,
) -> None:
    """List a task's loads, the newest first; or show how far one load is."""
    client = client_of(ctx)
    if LOAD.fullmatch(task):
        show(client.loads.get(task), as_json)
        return
    handle = client.task(task)
    table(lambda at: handle.loads_page(cursor=at, limit=limit), cursor, every, as_json)


def table(
    fetch: Callable[[str | None], Page[Load]], cursor: str | None, every: bool, as_json: bool
) -> None:
    """List loads."""
    found = listing.pages(fetch, cursor, every=every)
    listing.show(found, COLUMNS, _row, as_json=as_json)


def _row(load: Load) -> tuple[output.Cell, ...]:
    return (
        load.id,
        load.state,
        load.records,
        load.created,
        load.started_at,
        load.started_by,
        load.completed_at,
    )


def show(load: Load, as_json: bool) -> None:
    """Show a load."""
    if as_json:
        output.echo(load.json_text)
        return
    report = load.report
    pairs: list[tuple[str, Any]] = [
        *zip((name.lower() for name in COLUMNS), _row(load), strict=True),
        ("columns", ", ".join(load.columns)),
        ("undated", report.undated),
        ("converted", report.converted),
        ("cut", report.cut),
        ("kept order", report.kept_order),
    ]
    output.fields(pairs)


@contextmanager
def _bar() -> Generator[Callable[[Load], object] | None]:
    """A progress bar on standard error, at a terminal, for a load that goes on by itself."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only for a bar
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("loading"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("loading", total=None)
        yield lambda load: bar.update(task, completed=load.created, total=load.records)
