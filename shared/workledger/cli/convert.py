"""`workledger convert`: another product's bulk request becomes a list of entries (Q85)."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from workledger import jsontext
from workledger.jsontext import Raw

app = typer.Typer(help="Convert another product's files into what `add` takes.")

PRIORITIES: Mapping[str, int] = {"High": 10, "Normal": 0, "Low": -10}

_MOMENTS: Mapping[str, str] = {"DueDate": "due", "DeferDate": "notBefore"}


@app.callback()
def convert() -> None:
    """Convert another product's files into what `add` takes."""


@app.command()
def uipath(
    file: Annotated[Path, typer.Argument(help="An object with queueItems; - is stdin.")],
) -> None:
    """Print the entries of a bulk request; pipe them into `workledger add QUEUE`."""
    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    typer.echo(jsontext.dumps(entries_of(text)))


def entries_of(text: str) -> list[dict[str, Any]]:
    """The entries of a request's text. Numbers are kept as they were written.

    Raises typer.BadParameter, naming the item.
    """
    try:
        request: Any = json.loads(text, parse_float=Raw, parse_int=Raw)
    except json.JSONDecodeError as error:
        raise typer.BadParameter(f"not JSON: {error}") from error
    items = _object(request).get("queueItems")
    if not isinstance(items, list):
        raise typer.BadParameter("there is no list queueItems in it")
    return [_entry(_object(item), index) for index, item in enumerate(cast("list[Any]", items))]


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _entry(item: Mapping[str, Any], index: int) -> dict[str, Any]:
    if not isinstance(item.get("SpecificContent"), dict):
        raise typer.BadParameter(f"queueItems[{index}] has no object SpecificContent")
    content = _object(item["SpecificContent"])
    entry: dict[str, Any] = {
        "data": {
            name: value for name, value in content.items() if not name.endswith("@odata.type")
        },
        "priority": _priority(item.get("Priority", "Normal"), index),
    }
    if item.get("Reference"):
        entry["reference"] = item["Reference"]
    for theirs, ours in _MOMENTS.items():
        if item.get(theirs) is not None:
            entry[ours] = item[theirs]
    return entry


def _priority(name: Any, index: int) -> int:
    if name not in PRIORITIES:
        known = ", ".join(PRIORITIES)
        raise typer.BadParameter(f"queueItems[{index}].Priority is none of {known}")
    return PRIORITIES[name]
