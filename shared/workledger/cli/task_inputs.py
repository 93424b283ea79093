"""What the commands of manual tasks read: ids, what `--json` printed, answers, files (M60)."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from workledger import jsontext
from workledger.cli import output
from workledger.cli.failing import NOTHING
from workledger.client import reading
from workledger.client.wire import Raw, Source
from workledger.errors import Refused

ASSIGNMENT = re.compile(r"a_[a-z2-7]{26}\.[0-9]+")
HIT = re.compile(r"h_[a-z2-7]{26}")
LOAD = re.compile(r"l_[a-z2-7]{26}")

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="The task's name, or its id.")]
ProcessName = Annotated[
    str, typer.Argument(metavar="PROCESS", help="The process's name, or its id.")
]
OfLoad = Annotated[
    str | None, typer.Option("--load", help="Only records of this load, l_...", metavar="LOAD")
]
ResultLimit = Annotated[
    int | None, typer.Option("--limit", min=1, max=1000, help="How many on a page (100).")
]
AsCsv = Annotated[bool, typer.Option("--csv", help="A CSV table.")]
Version = Annotated[
    int | None, typer.Option("--version", help="Only if it is still at this version.")
]
Answer = Annotated[
    str | None, typer.Option("--answer", "-a", help="The answer: any JSON.", metavar="JSON")
]
AnswerFile = Annotated[
    Path | None,
    typer.Option(
        "--answer-file", help="A file with the answer; - is standard input.", allow_dash=True
    ),
]


@dataclass(frozen=True, slots=True)
class Meant:
    """An assignment or hit that was named, or printed; a script may have put an answer into it."""

    id: str
    answer: Raw | None = None


def meant(target: str | None, form: re.Pattern[str]) -> Iterator[Meant]:
    """What an argument means: an id, a file with what `--json` printed, or standard input."""
    if target is not None and form.fullmatch(target):
        yield Meant(target)
        return
    text = jsontext.text_of(_printed(target))
    try:
        body = reading.parse(text)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"not what --json prints: {error}") from error
    if body.get("found") is False:
        output.note(f"nothing was taken: {body.get('reason', '')}")
        raise typer.Exit(NOTHING)
    if "items" not in body:
        yield _one(body, Source(text), form)
        return
    for place, one in enumerate(cast("list[dict[str, Any]]", body["items"])):
        yield _one(one, Source(text).at("items", place), form)


def _one(body: dict[str, Any], source: Source, form: re.Pattern[str]) -> Meant:
    found = body.get("id")
    if not isinstance(found, str) or not form.fullmatch(found):
        kind = "assignment" if form is ASSIGNMENT else "hit"
        raise typer.BadParameter(f"not what --json prints: the id of no {kind} in it")
    answer = Raw(source.at("answer").exact()) if "answer" in body else None
    return Meant(found, answer)


def _printed(target: str | None) -> bytes:
    if target is None and sys.stdin.isatty():
        raise typer.BadParameter("give an id, a file, or what --json printed on standard input")
    return bytes_of(None if target is None else Path(target))


def answers(
    target: str | None, form: re.Pattern[str], answer: str | None, file: Path | None
) -> list[tuple[str, Raw]]:
    """Ids with their answers: of --answer, of a file, of what was printed, of standard input.

    All of them, or BadParameter: nothing is answered before every answer is there.
    """
    if answer is not None and file is not None:
        raise typer.BadParameter("either --answer or --answer-file, not both")
    if str(file) == "-" and (target is None or target == "-"):
        raise typer.BadParameter("standard input is either what was printed, or the answer")
    given = None if answer is None else json_of(answer, "--answer")
    if file is not None:
        given = json_of(jsontext.text_of(bytes_of(file)), "--answer-file")
    found: list[tuple[str, Raw]] = []
    for one in meant(target, form):
        own = given if given is not None else one.answer
        if own is None and one.id == target:
            own = _from_stdin()
        if own is None:
            raise typer.BadParameter("no answer: --answer, --answer-file, or a member `answer`")
        found.append((one.id, own))
    return found


def _from_stdin() -> Raw:
    if sys.stdin.isatty():
        raise typer.BadParameter("no answer: --answer, --answer-file, or standard input")
    return json_of(jsontext.text_of(sys.stdin.buffer.read()), "standard input")


def json_of(text: str, where: str) -> Raw:
    """JSON text as it was given. Raises BadParameter when it is none."""
    try:
        jsontext.parse(text)
    except Refused as refused:
        raise typer.BadParameter(refused.detail, param_hint=where) from refused
    return Raw(text.strip())


def json_or_file(given: str, where: str) -> Raw:
    """JSON text, or that of the file named so (`-`: standard input)."""
    if given.lstrip()[:1] in {"{", "["}:
        return json_of(given, where)
    return json_of(jsontext.text_of(bytes_of(Path(given))), where)


def bytes_of(file: Path | None) -> bytes:
    """A file's bytes; those of standard input for None and `-`. Raises BadParameter."""
    read: Callable[[], bytes] = sys.stdin.buffer.read
    if file is not None and str(file) != "-":
        read = file.read_bytes
    try:
        return read()
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else str(error)
        raise typer.BadParameter(f"{file}: {told}") from error
