"""`workledger task stats`: how a manual task is doing (M26, M61, M63)."""

import typer

from workledger.cli import output
from workledger.cli.options import AsJson
from workledger.cli.session import client_of
from workledger.cli.task_inputs import AsCsv, TaskName
from workledger.client.manual_answers import Percentiles, Statistics, WorkerCounts

WORKERS = ("WORKER", "ACCEPTED", "SUBMITTED", "RETURNED", "ABANDONED", "SKIPPED")


def stats(
    ctx: typer.Context,
    task: TaskName,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how a task is doing: what waits, how long, and who did what.

    --csv prints the workers only.
    """
    found = client_of(ctx).task(task).statistics()
    if as_json:
        output.echo(found.json_text)
    elif as_csv:
        _csv(found)
    else:
        _show(found)


def _show(found: Statistics) -> None:
    sla = found.sla
    output.fields(
        [
            ("waiting", found.waiting),
            ("held", found.held),
            ("cooling", found.cooling),
            ("starved", found.starved),
            ("unresolved", found.unresolved),
            ("done", found.done),
            ("oldest waiting", found.oldest_waiting_at),
            ("waited", _percentiles(found.waiting_seconds)),
            ("handled", _percentiles(found.handling_seconds)),
            *(
                [("SLA", f"{sla.met} met, {sla.missed} missed, {sla.at_risk} at risk")]
                if sla
                else []
            ),
        ]
    )
    if found.workers:
        output.echo("")
        output.table(WORKERS, (_worker(one) for one in found.workers))


def _percentiles(of: Percentiles) -> str | None:
    if of.p50 is None or of.p95 is None:
        return None
    return f"half within {of.p50:g} s, 95 of 100 within {of.p95:g} s"


def _worker(one: WorkerCounts) -> tuple[output.Cell, ...]:
    return one.worker, one.accepted, one.submitted, one.returned, one.abandoned, one.skipped


def _csv(found: Statistics) -> None:
    import csv  # noqa: PLC0415
    import sys  # noqa: PLC0415

    written = csv.writer(sys.stdout)
    written.writerow([name.lower() for name in WORKERS])
    # A spreadsheet runs what looks like a formula; an apostrophe says that it is text.
    for worker, *counts in map(_worker, found.workers):
        risky = str(worker)[:1] in {"=", "+", "-", "@"}
        written.writerow([f"'{worker}" if risky else worker, *counts])
