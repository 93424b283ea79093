"""`workledger work`: run a program for each item of a queue (Q60 to Q63)."""

import logging
import os
import shutil
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, BinaryIO

import typer

from workledger.cli import output
from workledger.cli.options import QueueName
from workledger.cli.program import Program
from workledger.cli.session import session_of
from workledger.cli.verdict import Completed, verdict
from workledger.client import Worker, WorkItem
from workledger.client.loop import LEASE_SECONDS

STDERR = 2
RETRIES = 12
"""A worker waits out half a minute without a server, or a restart."""


def work(
    ctx: typer.Context,
    queue: QueueName,
    command: Annotated[
        list[str], typer.Argument(metavar="-- CMD [ARG]...", help="The program, after --.")
    ],
    *,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for more items instead of ending.")
    ] = False,
    measure: Annotated[
        bool, typer.Option("--measure", help="At the end: items, seconds, items per minute.")
    ] = False,
    run_name: Annotated[
        str | None, typer.Option("--run-name", help="Name of the worker's run.")
    ] = None,
    lease: Annotated[
        int,
        typer.Option(
            "--lease",
            help="If this worker vanishes, its item is released so long after.",
            metavar="SECONDS",
        ),
    ] = LEASE_SECONDS,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", help="End a program that takes longer; a retry.", metavar="SECONDS", min=0
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line per item.")] = False,
) -> None:
    """Run a program for each item until the queue is empty.

    The item's data is its standard input, as JSON. Exit code 0 completes the item, with standard
    output as the result; 65 fails it for good; any other code, a signal or a time-out puts it
    back while retries are left. The last line of standard error is the reason.

    Ctrl-C or SIGTERM ends after the current item; the second one ends the program too, and the
    item goes back to the queue.
    """
    if shutil.which(command[0]) is None:
        raise typer.BadParameter(f"no such program: {command[0]}", param_hint="CMD")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    client = session_of(ctx).client_with(RETRIES)
    program = Program(command, timeout=timeout, stderr=_stderr())
    with (
        client.worker(queue, run_name=run_name, lease_seconds=lease, follow=follow) as worker,
        stopping(worker) as stop,
    ):
        try:
            for work_round in worker:
                with work_round as item:
                    _one(program, queue, item, quiet)
        except KeyboardInterrupt:
            worker.close()
            if stop.killed:
                raise typer.Exit(128 + stop.signal) from None
    if measure:
        output.echo(str(worker.measured))


def _stderr() -> BinaryIO:
    return sys.stderr.buffer


def _one(program: Program, queue: str, item: WorkItem, quiet: bool) -> None:
    ran = program.run(item.data_text.encode(), environment(queue, item), lambda: item.lost)
    found = verdict(ran)
    if isinstance(found, Completed):
        item.result = found.result
        told = "completed"
    else:
        told = f"failed: {found.reason}"
        if not item.lost:
            item.fail(found.reason, retry=found.retry)
    if not quiet:
        name = item.reference if item.reference is not None else f"#{item.number}"
        output.note(f"{name} (attempt {item.attempt}) {told}")


def environment(queue: str, item: WorkItem) -> dict[str, str]:
    """What a program finds in its environment besides its input."""
    found = {
        "WORKLEDGER_ITEM_ID": item.id,
        "WORKLEDGER_ITEM_REFERENCE": item.reference or "",
        "WORKLEDGER_ITEM_ATTEMPT": str(item.attempt),
        "WORKLEDGER_ITEM_PRIORITY": str(item.priority),
        "WORKLEDGER_ITEM_QUEUE": queue,
    }
    # A variable cannot hold a NUL; the item's data can still be worked on.
    return {name: value.replace("\0", "") for name, value in found.items()}


class Stop:
    """What to do at a signal: end after the item, or at once."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self.signal = 0
        self.killed = False

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        again, self.signal = self.signal != 0, number
        if self._worker.busy and not again:
            self._worker.stop()
            # Not `output.note`: the signal may have interrupted somebody who is writing.
            os.write(STDERR, b"Ends after this item; once more ends it now.\n")
            return
        self.killed = self._worker.busy
        raise KeyboardInterrupt


@contextmanager
def stopping(worker: Worker) -> Generator[Stop]:
    """Have Ctrl-C and SIGTERM end the worker in an orderly way."""
    stop = Stop(worker)
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
