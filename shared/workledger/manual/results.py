"""Results: every record with its columns, its order, all answers and the decision (M60)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from workledger import jsontext, keys
from workledger.jsontext import Raw
from workledger.manual import common, hits
from workledger.manual.hits import DecisionShown, HitShown
from workledger.service.core import Core, Page

COUNTING = frozenset({"SUBMITTED", "APPROVED"})
"""Statuses of assignments whose answer counts."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that counts, and whose it is."""

    worker: str
    answer: Raw
    at: str
    approved: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A record and what became of it. `values` are its own columns, as they were written.

    `order` is its `_sys_record_order` (M6). `status`: waiting, held, unresolved, done.
    """

    hit: str
    load: str
    record: int
    values: Mapping[str, Raw]
    order: Mapping[str, object]
    status: str
    answers: tuple[Given, ...]
    decision: DecisionShown | None


def rows(core: Core, task: str, load: str | None, cursor: str | None, limit: int) -> Page[Result]:
    """The records of a task in the order of creation, or of one of its loads as in its file.

    A page stops at 4 MB of data. Raises Refused: task_not_found, load_not_found, invalid_query.
    """
    found = common.find_task(core, task)
    walk = hits.walk(core, keys.bare(found.stream), None, load, cursor, limit + 1)
    page = hits.paged(core, list(islice(walk, limit + 1)), limit)
    return Page([_row(one) for one in page.items], page.next_cursor)


def columns(core: Core, task: str, load: str | None) -> tuple[str, ...]:
    """The columns of a table of results: the load's own, or all that the task has seen.

    Raises Refused: task_not_found, load_not_found.
    """
    found = common.find_task(core, task)
    if load is None:
        return found.task.columns
    return hits.load_of(core, keys.bare(found.stream), load).columns


def _row(hit: HitShown) -> Result:
    members = jsontext.entry(hit.data.text)[0].members
    return Result(
        hit=hit.id,
        load=hit.load,
        record=hit.record,
        values=members if members is not None else {"data": hit.data},
        order=hit.custom_attributes,
        status=hit.status,
        answers=tuple(
            Given(one.worker, one.answer, one.at, one.status == "APPROVED")
            for one in hit.assignments
            if one.status in COUNTING and one.answer is not None
        ),
        decision=hit.decision,
    )
