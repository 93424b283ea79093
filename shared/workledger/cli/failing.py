"""How a command ends when something is wrong: one table of exit codes, messages on stderr."""

from typing import Any

import typer
from typer.core import TyperGroup

from workledger.cli import output
from workledger.client import InvalidRecords, ServerUnreachable, WorkledgerApiError
from workledger.errors import Refused, StoreError, WorkledgerError

REFUSED = 1
"""The server, or the store, refused; also: a check found a difference."""

USAGE = 2
"""The command line itself is wrong (Click's own code)."""

NOTHING = 3
"""`next` found nothing to take."""

UNREACHABLE = 69
"""No server answers (Q102; EX_UNAVAILABLE)."""


PROBLEM_COLUMNS = ("RECORD", "LINE", "COLUMN", "VALUE", "CODE", "HINT")


class Commands(TyperGroup):
    """The root of all commands: turns errors into messages and exit codes."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except WorkledgerError as error:
            lines, code = told(error)
            for line in lines:
                typer.echo(line, err=True)
            if isinstance(error, InvalidRecords):
                _list_problems(error)
            raise typer.Exit(code) from error


def _list_problems(error: InvalidRecords) -> None:
    """What is wrong in a file of records, a line each (M54)."""
    rows = [
        (one.record, one.line, one.column, one.value, one.code, one.hint) for one in error.problems
    ]
    output.table(PROBLEM_COLUMNS, rows, err=True)
    if error.total > len(rows):
        output.note(f"and {error.total - len(rows)} more")


def told(error: WorkledgerError) -> tuple[list[str], int]:
    """What is said about an error, and the exit code."""
    if isinstance(error, Refused):
        where = "" if error.index is None else f"entry {error.index}: "
        return [f"error: {error.code}: {where}{error.detail}"], REFUSED
    if isinstance(error, StoreError):
        return [f"error: the store: {error}"], REFUSED
    return _told_by_server(error)


def _told_by_server(error: WorkledgerError) -> tuple[list[str], int]:
    if isinstance(error, ServerUnreachable):
        advice = "Is it running? `workledger serve` starts one; --url or WORKLEDGER_URL names it."
        return [f"error: {error}", advice], UNREACHABLE
    if not isinstance(error, WorkledgerApiError):
        return [f"error: {error}"], REFUSED
    lines = [f"error: {error.code}: {error.detail}"]
    for fault in error.errors:
        if fault.index is None and fault.message == error.detail:
            continue
        entry = "" if fault.index is None else f"entry {fault.index}: "
        where = f"{fault.field}: " if fault.field else ""
        lines.append(f"  {entry}{where}{fault.message}")
    advice = error.problem.get("advice")
    return [*lines, *([str(advice)] if advice else [])], REFUSED
