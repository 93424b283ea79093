"""Settings of manual tasks, as options of `task create` and `task edit` (M40 to M43, M60, M63)."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, cast

import typer

from workledger.cli.task_inputs import json_or_file
from workledger.client.manual_answers import Adjudication, SortBy
from workledger.client.tasks import TaskChanges

Description = Annotated[str | None, typer.Option("--description", help="What it is for.")]
Instructions = Annotated[
    str | None, typer.Option("--instructions", help="What people are shown beside a record.")
]
Priority = Annotated[
    int | None, typer.Option("--priority", help="Higher first, for who asks for any work.")
]
Deadline = Annotated[
    int | None,
    typer.Option("--deadline", help="How long an assignment runs (3600).", metavar="SECONDS"),
]
Adjudicated = Annotated[
    str | None,
    typer.Option(
        "--adjudication",
        help="N answers that agree, and up to M more while they do not: 2+1 (1+0).",
        metavar="N+M",
    ),
]
Compared = Annotated[
    list[str] | None,
    typer.Option("--compare", help="A field that has to agree; none: all.", metavar="FIELD"),
]
Schema = Annotated[
    str | None,
    typer.Option(
        "--schema", help="JSON Schema of answers: JSON, a file, or none.", metavar="JSON|FILE"
    ),
]
Sort = Annotated[
    list[str] | None,
    typer.Option(
        "--sort",
        help="Up to three, for --dtr: a field, its type (text, number, date), asc or desc, missing "
        "first or last; none: no comparator.",
        metavar="FIELD[:TYPE][:desc][:first]",
    ),
]
Dtr = Annotated[
    bool | None, typer.Option("--dtr/--fifo", help="In the order of --sort, or of records' dates.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="A column that records will have.", metavar="COLUMN"),
]
Sla = Annotated[
    str | None,
    typer.Option("--sla", help="From the record's date on; or none.", metavar="SECONDS"),
]

_WORDS: dict[str, str] = {
    **dict.fromkeys(("text", "number", "date"), "type"),
    **dict.fromkeys(("asc", "desc"), "direction"),
    **dict.fromkeys(("first", "last"), "missing"),
}


def settings_of(**given: Any) -> TaskChanges:
    """What was given, as the client takes it. Raises BadParameter."""
    found = {name: value for name, value in given.items() if value is not None}
    if "schema" in found:
        schema = found["schema"]
        found["schema"] = None if schema == "none" else json_or_file(schema, "--schema")
    if "comparator" in found:
        listed = found["comparator"]
        found["comparator"] = None if listed == ["none"] else [sort_by(one) for one in listed]
    if "sla_seconds" in found:
        found["sla_seconds"] = _seconds(found["sla_seconds"])
    return cast("TaskChanges", cast("object", found))


def _seconds(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit()):
        raise typer.BadParameter(f"{text!r}: seconds, or none", param_hint="--sla")
    return int(text)


def adjudication_of(rule: str | None, compare: Sequence[str] | None) -> Adjudication | None:
    """`2+1`, by these fields. Raises BadParameter."""
    if rule is None:
        if compare:
            raise typer.BadParameter("--compare goes with --adjudication")
        return None
    found = re.fullmatch(r"([0-9]{1,4})(?:\+([0-9]{1,4}))?", rule)
    if found is None:
        raise typer.BadParameter(f"{rule!r}: N+M, as in 2+1", param_hint="--adjudication")
    return Adjudication(int(found[1]), int(found[2] or 0), tuple(compare or ()))


def sort_by(text: str) -> SortBy:
    """`amount:number:desc:first`; a field's name may have colons. Raises BadParameter."""
    field, found = text, dict[str, str]()
    while True:
        before, colon, word = field.rpartition(":")
        if not colon or word not in _WORDS or not before:
            break
        kind = _WORDS[word]
        if kind in found:
            raise typer.BadParameter(f"{text!r}: {found[kind]} and {word}", param_hint="--sort")
        field, found[kind] = before, word
    return SortBy(field, **cast("dict[str, Any]", found))
