"""Lists and counts of executions, by time and one more filter, newest first (W23)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.swf import lists, tokens, visibility
from workledger.swf.call import Answer, Call
from workledger.times import from_epoch
from workledger.views.order import Spot
from workledger.workflows.execution import Run

MOST_SEEN = 10_000
"""Runs that one call looks at: then the page ends, and the next goes on from there."""

EXCLUSIVE = {
    "executionFilter": "WorkflowExecutionFilter",
    "typeFilter": "WorkflowTypeFilter",
    "tagFilter": "TagFilter",
    "closeStatusFilter": "CloseStatusFilter",
}
TIMES = {"startTimeFilter": "StartTimeFilter", "closeTimeFilter": "CloseTimeFilter"}
"""Filters of which one may be given, and the service's names of them (1.2)."""

_BY_ID = ["executionFilter"]


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for: runs of a line whose time lies between two moments, and that match."""

    lane: str
    oldest: str
    latest: str
    matches: Callable[[Run], bool]
    workflow_id: str | None

    @property
    def closed(self) -> bool:
        """Whether it is about closed runs."""
        return self.lane != "open"

    def date(self, run: Run) -> str:
        """The time of a run that counts here."""
        return run.closed[1] if self.lane == "closed_by_close" and run.closed else run.started_at


def list_open_workflow_executions(call: Call) -> Answer:
    """A page of the open runs, by their start, newest first."""
    return _list(call, _query(call, closed=False))


def list_closed_workflow_executions(call: Call) -> Answer:
    """A page of the closed runs, by their start or close, newest first."""
    return _list(call, _query(call, closed=True))


def count_open_workflow_executions(call: Call) -> Answer:
    """How many runs are open."""
    return _count(call, _query(call, closed=False))


def count_closed_workflow_executions(call: Call) -> Answer:
    """How many runs have closed and are kept."""
    return _count(call, _query(call, closed=True))


# --- the query ----------------------------------------------------------------------------------


def _query(call: Call, *, closed: bool) -> Query:
    """What the filters mean. Raises ValidationException, UnknownResourceFault."""
    params = call.params
    given = [name for name in EXCLUSIVE if params.get(name) is not None]
    times = [name for name in TIMES if params.get(name) is not None]
    for names in ([EXCLUSIVE[name] for name in given], [TIMES[name] for name in times]):
        if len(names) > 1:
            raise _invalid(
                "Cannot specify more than one exclusive filters in the same query: "
                f"[{', '.join(names)}]"
            )
    if not times:
        raise _invalid("Must specify time filter")
    call.domain()
    between = params[times[0]]
    by_close = times[0] == "closeTimeFilter"
    latest = between.get("latestDate")
    return Query(
        lane=("closed_by_close" if by_close else "closed") if closed else "open",
        oldest=from_epoch(between["oldestDate"]),
        latest=from_epoch(inf if latest is None else latest),
        matches=_MATCHES[given[0]](params[given[0]]) if given else _everything,
        workflow_id=params["executionFilter"]["workflowId"] if given == _BY_ID else None,
    )


def _invalid(message: str) -> Refused:
    return Refused("ValidationException", message)


def _everything(_: Run) -> bool:
    return True


def _of_id(wanted: Mapping[str, Any]) -> Callable[[Run], bool]:
    return lambda run: run.workflow_id == wanted["workflowId"]


def _of_type(wanted: Mapping[str, Any]) -> Callable[[Run], bool]:
    name, version = wanted["name"], wanted.get("version")
    return lambda run: run.type_name == name and version in (None, run.type_version)


def _with_tag(wanted: Mapping[str, Any]) -> Callable[[Run], bool]:
    return lambda run: wanted["tag"] in run.tags


def _with_status(wanted: Mapping[str, Any]) -> Callable[[Run], bool]:
    return lambda run: run.closed is not None and run.closed[0] == wanted["status"]


_MATCHES: Mapping[str, Callable[[Mapping[str, Any]], Callable[[Run], bool]]] = {
    "executionFilter": _of_id,
    "typeFilter": _of_type,
    "tagFilter": _with_tag,
    "closeStatusFilter": _with_status,
}


# --- walking ------------------------------------------------------------------------------------

Found = tuple[Spot, Run | None]
"""A place on the line, and the run that stands there if it is one that is asked for."""


def _list(call: Call, query: Query) -> Answer:
    backwards = not call.params.get("reverseOrder")
    limit = lists.page_size(call)
    after = _start(call, query, backwards)
    shown: list[Run] = []
    last, seen, more = after, 0, False
    for spot, run in _walk(call, query, after, limit + 1, backwards):
        if seen == MOST_SEEN or (run is not None and len(shown) == limit):
            more = True
            break
        if run is not None:
            shown.append(run)
        last, seen = spot, seen + 1
    answer: Answer = {"executionInfos": [visibility.info(run) for run in shown]}
    if more:
        answer |= lists.next_page(call, query.lane, *last)
    return answer


def _count(call: Call, query: Query) -> Answer:
    """Counts up to 10,000 runs, looking at no more than that."""
    after = _edge(query, backwards=True)
    found = islice(_walk(call, query, after, lists.CHUNK, backwards=True), MOST_SEEN + 1)
    counts = [run is not None for _, run in found]
    return {"count": sum(counts[:MOST_SEEN]), "truncated": len(counts) > MOST_SEEN}


def _start(call: Call, query: Query, backwards: bool) -> Spot:
    parts = lists.position(call, query.lane, int, str, int, str, str, str)
    if parts is None:
        return _edge(query, backwards=backwards)
    if "" in parts:
        raise tokens.invalid()
    return Spot(*parts)


def _edge(query: Query, *, backwards: bool) -> Spot:
    """Just beyond the latest, or just before the oldest, run that is asked for."""
    date = query.latest if backwards else query.oldest
    edge = lists.LAST if backwards else lists.FIRST
    return Spot(0, date, 0, edge, edge, edge)


def _walk(call: Call, query: Query, after: Spot, limit: int, backwards: bool) -> Iterator[Found]:
    """Every place from a spot on, to the end of the time that is asked for."""
    found = (
        _of_one_id(call, query.workflow_id, query, after, backwards)
        if query.workflow_id is not None
        else _of_line(call, query, after, limit, backwards)
    )
    now = call.core.clock()
    for spot, run in found:
        if (spot.date < query.oldest) if backwards else (spot.date > query.latest):
            return
        yield spot, run if run is not None and _shows(query, run, now) else None


def _shows(query: Query, run: Run, now: str) -> bool:
    """A line may lag: what the run's row says decides."""
    if bool(run.closed) != query.closed or visibility.expired(run, now):
        return False
    return query.oldest <= query.date(run) <= query.latest and query.matches(run)


def _of_line(call: Call, query: Query, after: Spot, limit: int, backwards: bool) -> Iterator[Found]:
    line = keys.executions_line(call.scope, call.params["domain"], query.lane)
    for batch in lists.spots(call.core, line, after, limit, backwards=backwards):
        yield from _runs(call, batch)


def _runs(call: Call, spots: Sequence[Spot]) -> Iterator[Found]:
    """The runs that stand at spots, whose ties they are: the newest of a stream is its head."""
    wanted = [(one.stream, thing) for one in spots for thing in (HEAD, _older(one))]
    rows = call.core.store.rows(list(dict.fromkeys(wanted))) if wanted else {}
    states = {key: call.core.executor.state(row) for key, row in rows.items()}
    for one in spots:
        found = [states.get((one.stream, thing)) for thing in (HEAD, _older(one))]
        yield one, next((run for run in found if run is not None and run.run_id == one.tie), None)


def _older(spot: Spot) -> str:
    """The row of a run that is not the newest any more: its run id ends in its number."""
    return keys.generation_thing(int(spot.tie.rpartition(".")[2]))


def _of_one_id(
    call: Call, workflow_id: str, query: Query, after: Spot, backwards: bool
) -> Iterator[Found]:
    """The runs of one workflow id without looking at any other: they follow each other."""
    core, stream = call.core, call.execution_stream(workflow_id)
    head: Run | None = core.executor.read(stream).head
    if head is None:
        return
    numbers = range(head.generation, 0, -1) if backwards else range(1, head.generation + 1)
    for start in range(0, len(numbers), lists.CHUNK):
        things = [keys.generation_thing(one) for one in numbers[start : start + lists.CHUNK]]
        rows = core.store.rows([(stream, thing) for thing in things])
        for thing in things:
            run = head if thing == keys.generation_thing(head.generation) else None
            run = run or core.executor.state(rows.get((stream, thing)))
            if run is None:
                continue
            spot = Spot(0, query.date(run), 0, run.run_id, stream, thing)
            if (spot < after) if backwards else (spot > after):
                yield spot, run
