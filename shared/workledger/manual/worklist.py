"""What a worker may take of a task, in order (M20 to M22, M30 to M38).

The task's list minus the worker's own, merged as both are read in order. What a place's tie tells
drops a hit unread: another version, a time to come, a load that is not complete. The final check
is on the hit itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.keys import HEAD, worker_thing
from workledger.manual import common, merging, moving
from workledger.manual.merging import Sight
from workledger.manual.shown import attributes_and_data, contents_of
from workledger.manual_tasks import hit as hits
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.hit import Hit
from workledger.manual_tasks.load import Load
from workledger.manual_tasks.task import Task
from workledger.service import paging
from workledger.service.core import Core, Page
from workledger.stores.port import Key
from workledger.views.order import Spot
from workledger.views.row import Row

WINDOWS = (4, 16, 64, 100)
"""Hits read strongly at once, growing: those in front may be in work."""

MOST_LOADS = 10_000
"""Complete loads that a process remembers."""

MOST_BYTES = 4 * 1024 * 1024
"""A page's data stops here."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A record that a worker may take."""

    hit: str
    data: Raw
    custom_attributes: dict[str, object]
    version: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit that the worker may take, strongly read: its head, and what a take touches."""

    spot: Spot
    hit: Hit
    rows: dict[str, Row]


def look(core: Core, worker: str, task: str, version: int | None) -> Sight:
    """A look at a task by its name or id; what is due on the way to it is done first.

    Raises Refused: task_not_found, not_on_roster.
    """
    due = partial(_due, core, core.clock())
    moving_now, found = core.store.together([due, partial(common.find_task, core, task)])
    if moving_now:
        moving.settle(core)
    check_roster(found.task, worker)
    return Sight(worker, found.stream, found.task, version, core.clock())


def settle(core: Core) -> None:
    """Do what is due of records that go from one timed step to the next."""
    if _due(core, core.clock()):
        moving.settle(core)


def _due(core: Core, now: str) -> list[Spot]:
    return core.store.read_line(keys.MOVING_LINE, limit=1, until=now)


def check_roster(task: Task, worker: str) -> None:
    """Raises Refused("not_on_roster") (M62)."""
    if not task.may_work(worker):
        raise Refused("not_on_roster", f"you are not on the roster of the task {task.name!r}")


# --- the list, page by page ---------------------------------------------------------------------


def page(
    core: Core, worker: str, task: str, version: int | None, cursor: str | None, limit: int
) -> Page[Listed]:
    """What a worker may take, in order: the first is what `next` gives (M33).

    Raises Refused: task_not_found, not_on_roster, invalid_query.
    """
    sight = look(core, worker, task, version)
    if sight.task.settings.archived:
        return Page([])
    after = _after(sight, cursor)
    met = list(islice(candidates(core, sight, after, limit + 1), limit + 1))
    shown = met[:limit]
    listed, size = list[Listed](), 0
    payloads = contents_of(core, [one.spot.stream for one in shown])
    for one in shown:
        text = payloads[one.spot.stream]
        size += len(text)
        if size > MOST_BYTES and listed:
            break
        listed.append(_listed(one, text))
    more = len(met) > len(listed)
    return Page(listed, _cursor(sight, met[len(listed) - 1].spot) if more else None)


def _listed(one: Candidate, text: str) -> Listed:
    attributes, data = attributes_and_data(one.hit, text)
    return Listed(keys.manual_id(one.spot.stream), data, attributes, one.hit.version)


def _cursor(sight: Sight, spot: Spot) -> str:
    return paging.encode(sight.task.current.version, *spot)


def _after(sight: Sight, cursor: str | None) -> Spot | None:
    if cursor is None:
        return None
    ordering, *parts = paging.decode(cursor, int, *paging.SPOT)
    if ordering != sight.task.current.version:
        detail = "the order of this list has changed since: begin again without a cursor"
        raise Refused("invalid_query", detail, field="cursor")
    return paging.spot(parts)


# --- what may be taken --------------------------------------------------------------------------


def candidates(
    core: Core, sight: Sight, after: Spot | None = None, wanted: int = 1
) -> Iterator[Candidate]:
    """The hits that the worker may take, in order, each checked on the hit itself."""
    sizes = iter([one for one in WINDOWS if one >= min(wanted, WINDOWS[-1])])
    size = next(sizes)
    for spots in merging.spots(core, sight, after, wanted):
        window: list[Spot] = []
        for spot in spots:
            if _is_told_apart(sight, spot):
                continue
            window.append(spot)
            if len(window) == size:
                yield from _checked(core, sight, window)
                window, size = [], next(sizes, size)
        if window:
            yield from _checked(core, sight, window)


def _is_told_apart(sight: Sight, spot: Spot) -> bool:
    """Whether the place alone tells that the hit is not to be seen (M30, M54)."""
    tie = hits.read_tie(spot.tie)
    if sight.version is not None and tie.version != sight.version:
        return True
    if tie.visible_from is not None and tie.visible_from > sight.now:
        return True
    return tie.load in sight.hidden


def _checked(core: Core, sight: Sight, spots: Sequence[Spot]) -> Iterator[Candidate]:
    """Those of the spots that may be taken: the heads first, then the worker's assignments."""
    loads = {hits.read_tie(one.tie).load for one in spots}
    unknown = [f"load/{one}" for one in loads if one not in core.complete_loads]
    wanted = [(stream, HEAD) for stream in (*unknown, *(one.stream for one in spots))]
    rows = core.store.rows(wanted)
    _learn(core, sight, unknown, rows)
    free: list[tuple[Spot, Hit]] = []
    for spot in spots:
        hit: Hit | None = core.executor.state(rows.get((spot.stream, HEAD)))
        if hit is None or hit.load in sight.hidden:
            continue
        if hit_commands.why_hidden(hit, None, sight.now) is None:
            free.append((spot, hit))
    things = [(spot.stream, thing) for spot, hit in free for thing in _things(hit, sight.worker)]
    rows |= core.store.rows(things) if things else {}
    for spot, hit in free:
        names = (HEAD, *_things(hit, sight.worker))
        mine = {name: rows[spot.stream, name] for name in names if (spot.stream, name) in rows}
        own = core.executor.state(mine.get(worker_thing(sight.worker)))
        if hit_commands.why_hidden(hit, own, sight.now) is None:
            yield Candidate(spot, hit, mine)


def things_of(core: Core, stream: str, hit: Hit, worker: str) -> dict[str, Row]:
    """What a take of a hit touches besides its head, which was read before."""
    wanted = [(stream, thing) for thing in _things(hit, worker)]
    rows = core.store.rows(wanted) if wanted else {}
    return {thing: row for (_, thing), row in rows.items()}


def _things(hit: Hit, worker: str) -> tuple[str, ...]:
    """The things that a take touches and that are there: the head names all who met the hit."""
    holder = (hit.holder.worker,) if hit.holder is not None else ()
    own = (worker,) if worker in hit.met else ()
    return tuple(dict.fromkeys(worker_thing(one) for one in (*own, *holder)))


def _learn(core: Core, sight: Sight, streams: Sequence[str], rows: dict[Key, Row]) -> None:
    """Loads that are complete stay so: the process remembers them. The others are hidden."""
    if len(core.complete_loads) > MOST_LOADS:
        core.complete_loads.clear()
    for stream in streams:
        load: Load | None = core.executor.state(rows.get((stream, HEAD)))
        if load is not None and load.completed_at is not None:
            core.complete_loads.add(keys.bare(stream))
        else:
            sight.hidden.add(keys.bare(stream))
