"""What came of it: results as JSON or CSV (M60)."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from workledger.api import answers, table
from workledger.api.answers import Answered
from workledger.api.http import JSON
from workledger.api.operations import Answer, Operations
from workledger.api.operations import answers as answered
from workledger.api.params import Accept, Cursor, FeedLimit, ProcessInPath, TaskInPath
from workledger.api.permissions import Permission
from workledger.api.wire.base import Page
from workledger.api.wire.manual import results as wire
from workledger.api.wire.manual import statistics as statistics_wire
from workledger.bootstrap import app
from workledger.manual import processes, results, statistics
from workledger.service.core import Page as Part

operations = Operations("results")
add = operations.add

Load = Annotated[str | None, Query(description="Only records of this load.")]


def _results(model: Any) -> Answer:
    return Answer(
        models={JSON: Page[model], table.CONTENT_TYPE: str},
        headers={"X-Next-Cursor": "Of a table: the `nextCursor`; absent on the last part."},
    )


def _answer(found: Part[Any], shown: Any, rows: Any, accept: str | None) -> Answered:
    if accept is None or table.CONTENT_TYPE not in accept.lower():
        return answers.page(found, shown)
    headers = {"X-Next-Cursor": found.next_cursor} if found.next_cursor else {}
    content_type = f"{table.CONTENT_TYPE}; charset=utf-8; header=present"
    return answers.text(content_type, rows, headers)


@add(
    "GET",
    "/manual-tasks/{task}/results",
    Permission.MANAGE_TASKS,
    _results(wire.Result),
    refuses=("task_not_found", "load_not_found"),
)
def read_results(
    task: TaskInPath,
    load: Load = None,
    cursor: Cursor = None,
    limit: FeedLimit = 100,
    accept: Accept = None,
) -> Answered:
    """Read what came of a manual task's records.

    The original columns, the order that travels with the record, all answers, the decision (M60).
    With `load` in the order of its file.

    With `Accept: text/csv` a table: the columns, `_sys_record_order`, then `_hit`, `_load`,
    `_record`, `_status`, `_decision`, `_decided_by`, `_answers` (with one more `_` where a column
    is called so). It can be loaded again, in the same order (M6). A cell that a spreadsheet would
    run has an apostrophe in front.
    """
    core = app().core
    found = results.rows(core, task, load, cursor, limit)
    columns = results.columns(core, task, load)
    return _answer(found, wire.result, wire.result_table(columns, found.items), accept)


@add(
    "GET",
    "/manual-tasks/{task}/statistics",
    Permission.MANAGE_TASKS,
    answered(statistics_wire.Statistics),
    refuses=("task_not_found",),
)
def read_statistics(task: TaskInPath) -> Answered:
    """Read how a manual task is doing.

    What waits, is held, cools down, is starved (M26), unresolved, done; waiting and handling time
    as p50 and p95, within 2.5 %; what each worker did; with an SLA, what met it (M61, M63). What
    was done follows what happens within seconds.
    """
    return answers.json(statistics_wire.statistics(statistics.of(app().core, task)))


@add(
    "GET",
    "/processes/{process}/results",
    Permission.MANAGE_TASKS,
    _results(wire.Travelled),
    refuses=("process_not_found", "load_not_found"),
)
def process_results(
    process: ProcessInPath,
    load: Load = None,
    cursor: Cursor = None,
    limit: FeedLimit = 100,
    accept: Accept = None,
) -> Answered:
    """Read what came of a business process's records.

    The original columns with those that the steps' results made, and where each record is. With
    `Accept: text/csv` a table of all columns that the records of this part have.
    """
    found = processes.results(app().core, process, load, cursor, limit)
    return _answer(found, wire.travelled, wire.travelled_table(found.items), accept)
