"""`workledger add`: one item, a list, a file of any size (Q80 to Q84)."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from workledger import jsontext
from workledger.cli import output
from workledger.cli.options import AsJson, Key, QueueName, moment_of
from workledger.cli.session import client_of
from workledger.client.answers import Added
from workledger.client.loading import NewItem, Progress
from workledger.errors import Refused

MANY = 1_000
"""From so many entries on a progress bar is worth its line."""

NO_LIMIT = sys.maxsize
LINES = (".ndjson", ".jsonl")


@dataclass(frozen=True, slots=True)
class Load:
    """Entries on their way, and how many they are if that is known."""

    entries: Iterable[Any]
    total: int | None


def add(
    ctx: typer.Context,
    queue: QueueName,
    entry: Annotated[
        str | None, typer.Argument(metavar="JSON", help="One entry, or a list; else see --file.")
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", "-f", help="A JSON or NDJSON file; - is standard input.", allow_dash=True
        ),
    ] = None,
    ndjson: Annotated[
        bool, typer.Option("--ndjson", help="An entry a line (implied by .ndjson, .jsonl).")
    ] = False,
    reference: Annotated[
        str | None, typer.Option("--reference", help="The business key of the one item.")
    ] = None,
    priority: Annotated[int | None, typer.Option("--priority", help="Higher first.")] = None,
    not_before: Annotated[
        str | None, typer.Option("--not-before", help="Not taken before then.", metavar="MOMENT")
    ] = None,
    due: Annotated[
        str | None, typer.Option("--due", help="When it should be done.", metavar="MOMENT")
    ] = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Add items.

    An entry is its data, or {"data": ..., "reference": ..., "priority": ...}. With --reference,
    --priority, --not-before or --due the JSON is the data of one item. Loads of any size are cut
    into requests; with --key the same command can be given again after a failure.
    """
    if entry is not None and file is not None:
        raise typer.BadParameter("either JSON or --file, not both")
    until, by = moment_of(not_before, "--not-before"), moment_of(due, "--due")
    if (reference, priority, until, by) != (None, None, None, None):
        data = jsontext.Raw(_checked(entry if entry is not None else _read(file)))
        load = Load([NewItem(data, reference, priority, until, by)], 1)
    elif entry is not None:
        load = _of_text(entry)
    else:
        load = _of_file(file, ndjson=ndjson)
    with _bar(load.total) as progress:
        added = (
            client_of(ctx)
            .queue(queue)
            .add_many(
                load.entries, key=key, progress=progress, answered=_print if as_json else None
            )
        )
    if not as_json:
        _tell(added)


def _print(answer: Added) -> None:
    output.echo(answer.json_text)


def _tell(added: Added) -> None:
    if len(added.items) == 1:
        one = added.items[0]
        output.echo(f"{'added' if one.created else 'exists as'} {one.id} ({one.status})")
    else:
        output.echo(f"added {added.added}, skipped {added.skipped}")


def _checked(text: str) -> str:
    jsontext.parse(text)
    return text.strip()


def _of_text(text: str) -> Load:
    entries = [one.raw for one in jsontext.entries(text, NO_LIMIT)]
    return Load(entries, len(entries))


def _of_file(file: Path | None, *, ndjson: bool) -> Load:
    if ndjson or (file is not None and file.suffix.lower() in LINES):
        return Load(_lines(file), _count(file))
    return _of_text(_read(file))


def _is_stdin(file: Path | None) -> bool:
    if file is None and sys.stdin.isatty():
        raise typer.BadParameter("nothing to add: give JSON, --file, or standard input")
    return file is None or str(file) == "-"


def _read(file: Path | None) -> str:
    if _is_stdin(file) or file is None:
        return jsontext.text_of(sys.stdin.buffer.read())
    return jsontext.text_of(_opened(file, file.read_bytes))


def _opened(file: Path, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}", param_hint="--file") from error


def _count(file: Path | None) -> int | None:
    if _is_stdin(file) or file is None or not file.is_file():
        return None
    with file.open("rb") as stream:
        return sum(1 for line in stream if line.strip())


def _lines(file: Path | None) -> Iterator[jsontext.Raw]:
    """The entries of a file that has one on each line, read as they are needed."""
    if _is_stdin(file) or file is None:
        yield from _entries(sys.stdin.buffer)
        return
    try:
        stream = file.open("rb")
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}", param_hint="--file") from error
    with stream:
        yield from _entries(stream)


def _entries(lines: Iterable[bytes]) -> Iterator[jsontext.Raw]:
    index = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            found = jsontext.lines(jsontext.text_of(line), 1)
        except Refused as refused:
            raise Refused(refused.code, refused.detail, index=index) from refused
        yield from (one.raw for one in found)
        index += 1


@contextmanager
def _bar(total: int | None) -> Generator[Callable[[Progress], object] | None]:
    """A progress bar on standard error, for large loads at a terminal."""
    if not sys.stderr.isatty() or (total is not None and total < MANY):
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only for a bar
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("adding"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("adding", total=total)
        yield lambda far: bar.update(task, completed=far.entries)
