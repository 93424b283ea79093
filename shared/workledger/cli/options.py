"""Options and arguments that several commands have, each described once."""

from typing import Annotated, Literal, cast

import typer

from workledger import times

StatusWord = Literal["new", "inProgress", "completed", "failed"]

_WORDS: dict[str, StatusWord | None] = {
    "new": "new",
    "inProgress": "inProgress",
    "in-progress": "inProgress",
    "completed": "completed",
    "failed": "failed",
    "all": None,
}


def status_of(word: str | None) -> StatusWord | None:
    """A status in the API's word; None for all. Raises BadParameter."""
    if word is None:
        return None
    if word not in _WORDS:
        raise typer.BadParameter(
            f"{word!r} is no status: new, in-progress, completed, failed or all",
            param_hint="--status",
        )
    return _WORDS[word]


def moment_of(text: str | None, option: str) -> str | None:
    """A moment as the API takes it. Raises BadParameter."""
    if text is None:
        return None
    try:
        return times.parse(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def given_moment(text: str, option: str) -> str | None:
    """A moment, or None for `none`, which takes it away."""
    return None if text == "none" else cast("str", moment_of(text, option))


QueueName = Annotated[str, typer.Argument(metavar="QUEUE", help="The queue's name, or its id.")]
ItemId = Annotated[str, typer.Argument(metavar="ITEM", help="The item's id, i_...")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the server's JSON exactly.")]
Status = Annotated[
    str | None,
    typer.Option("--status", help="new, in-progress, completed, failed or all.", metavar="STATUS"),
]
AsOf = Annotated[
    str | None, typer.Option("--as-of", help="As it was at this moment.", metavar="MOMENT")
]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, max=100, help="How many on a page (50).")
]
Cursor = Annotated[str | None, typer.Option("--cursor", help="Go on where the page before ended.")]
All = Annotated[bool, typer.Option("--all", help="All pages.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]
Key = Annotated[
    str | None,
    typer.Option("--key", help="Idempotency key: makes it safe to call this again.", metavar="KEY"),
]
Lease = Annotated[
    int | None,
    typer.Option("--lease", help="The run's lease in seconds (300).", metavar="SECONDS"),
]
RunName = Annotated[str | None, typer.Option("--run-name", help="Name of the run that is started.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", help="With --queue: closed (or, if open, added) since then.", metavar="MOMENT"
    ),
]
ReasonPrefix = Annotated[
    str | None,
    typer.Option(
        "--reason", help="With --queue: whose reason of failure begins so.", metavar="TEXT"
    ),
]
InQueue = Annotated[
    str | None,
    typer.Option("--queue", help="All items of this queue that match.", metavar="QUEUE"),
]
