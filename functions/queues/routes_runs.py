"""Runs: start, beat, end, look (Q50 to Q53)."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Request
from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers
from workledger.api.answers import Answered
from workledger.api.operations import Operations
from workledger.api.operations import answers as answered
from workledger.api.params import Cursor, Limit, RunInPath
from workledger.api.permissions import Permission
from workledger.api.resolver import actor
from workledger.api.wire import runs as wire
from workledger.api.wire.base import NoMembers, Page
from workledger.bootstrap import app
from workledger.service import runs

operations = Operations("runs")
add = operations.add


@add(
    "POST",
    "/runs",
    Permission.WORK,
    answered(wire.Run, 201, Location="Where the run is."),
)
def start_run(request: Request, body: wire.StartRun) -> Answered:
    """Start a run.

    A run holds what it takes as long as it gives signs of life within its lease (Q52).
    """
    run = runs.start(app().core, actor(request), body.name, body.lease_seconds)
    return answers.json(wire.run(run), 201, Location=f"/runs/{run.id}")


@add("GET", "/runs", Permission.LOOK, answered(Page[wire.Run]))
def list_runs(
    status: Annotated[wire.RunStatus, Query(description="Which runs.")] = "active",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Answered:
    """List runs, the newest first."""
    return answers.page(runs.page(app().core, status, cursor, limit), wire.run)


@add("GET", "/runs/{run}", Permission.LOOK, answered(wire.Run), refuses=("run_not_found",))
def get_run(run: RunInPath) -> Answered:
    """Show a run."""
    return answers.json(wire.run(runs.show(app().core, run)))


@add(
    "POST",
    "/runs/{run}/heartbeat",
    Permission.WORK,
    answered(wire.Run),
    refuses=("run_not_found", "foreign_run", "run_ended"),
)
def run_heartbeat(request: Request, run: RunInPath, body: NoMembers) -> Answered:  # noqa: ARG001
    """Keep a run's lease alive (Q52)."""
    return answers.json(wire.run(runs.heartbeat(app().core, actor(request), run)))


@add(
    "POST",
    "/runs/{run}/end",
    Permission.WORK,
    answered(wire.Run),
    refuses=("run_not_found", "foreign_run"),
)
def end_run(request: Request, run: RunInPath, body: wire.EndRun) -> Answered:
    """End a run; what it holds is released (Q50)."""
    return answers.json(wire.run(runs.end(app().core, actor(request), run, body.reason)))
