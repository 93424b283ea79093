"""Records of a process, page by page: where each is, and what it carries (M13)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.manual import common, contents
from workledger.manual.contents import Content
from workledger.manual_tasks import routing
from workledger.manual_tasks.process import MANUAL, TIMED, Definition, Process
from workledger.manual_tasks.record import Record
from workledger.service import paging
from workledger.service.core import Core, Page
from workledger.stores.port import Found
from workledger.views.order import Spot

CHUNK = 100

MOST_BYTES = 4 * 1024 * 1024
"""A page's data stops here."""


@dataclass(frozen=True, slots=True)
class RecordShown:
    """A record: its id, the step where it is now, and its columns."""

    id: str
    record: Record
    step: str
    content: Content

    @property
    def custom_attributes(self) -> dict[str, Any]:
        """Its order, the same at every step (M6); `Raw` parts stay as they were written."""
        return self.content.attributes(self.record)

    @property
    def status(self) -> str:
        """Whether it is on its way or has come to an end."""
        return "finished" if self.record.finished_at is not None else "moving"


@dataclass(frozen=True, slots=True)
class _Met:
    stream: str
    record: Record
    cursor: str


def not_found(record: str) -> Refused:
    """The refusal for an id that no record has."""
    return Refused("record_not_found", f"there is no record {record!r}", record=record)


def page(
    core: Core,
    process: str,
    load: str | None,
    step: str | None,
    cursor: str | None,
    limit: int,
) -> Page[RecordShown]:
    """Records of a process (its stream): of a load by number, at a step in order, else by arrival.

    Those of a load that is not complete are not there yet (M54). Raises Refused: load_not_found,
    invalid_query. A page stops at 4 MB of data.
    """
    walk = _shown_only(core, _walk(core, process, load, step, cursor), step)
    met = list(islice(walk, limit + 1))
    shown = _within(show_many(core, [(one.stream, one.record) for one in met[:limit]]))
    more = len(met) > len(shown)
    return Page(shown, met[len(shown) - 1].cursor if more else None)


def _within(shown: list[RecordShown]) -> list[RecordShown]:
    """As many as an answer may bear."""
    total = 0
    for at, one in enumerate(shown):
        total += 512 + sum(len(raw.text) for raw in one.content.columns.values())
        if total > MOST_BYTES and at:
            return shown[:at]
    return shown


def show_many(core: Core, pairs: list[tuple[str, Record]]) -> list[RecordShown]:
    """Records as people see them now."""
    now = core.clock()
    return [
        RecordShown(keys.manual_id(stream), record, record.step_at(now), content)
        for (stream, record), content in zip(pairs, contents.of_many(core, pairs), strict=True)
    ]


def _shown_only(
    core: Core, batches: Iterator[list[tuple[str, str]]], step: str | None
) -> Iterator[_Met]:
    """What is there: of complete loads, and at the step by now."""
    complete: dict[str, bool] = {}
    for batch in batches:
        rows = core.store.rows([(stream, keys.HEAD) for stream, _ in batch])
        now = core.clock()
        for stream, at in batch:
            record: Record | None = core.executor.state(rows.get((stream, keys.HEAD)))
            if record is None or (step is not None and record.step_at(now) != step):
                continue
            if record.load not in complete:
                complete[record.load] = common.is_complete(core, record.load)
            if complete[record.load]:
                yield _Met(stream, record, at)


def _walk(
    core: Core, process: str, load: str | None, step: str | None, cursor: str | None
) -> Iterator[list[tuple[str, str]]]:
    bare = keys.bare(process)
    if load is not None:
        stream = keys.manual_stream("load", load)
        found = core.executor.read(stream).head if stream is not None else None
        if stream is None or found is None or found.owner != keys.manual_id(process):
            raise Refused("load_not_found", f"there is no load {load!r}", load=load)
        return _by_ref(core, bare, f"{keys.bare(stream)}/", cursor)
    if step is not None:
        return _by_step(core, process, step, cursor)
    return _by_number(core, bare, cursor)


def _by_ref(
    core: Core, process: str, prefix: str, cursor: str | None
) -> Iterator[list[tuple[str, str]]]:
    after = Found(*paging.decode(cursor, str, str, str)) if cursor else None
    while True:
        found = core.store.read_index("ref", process, after=after, limit=CHUNK, prefix=prefix)
        yield [(one.stream, paging.encode(one.value, one.stream, one.thing)) for one in found]
        if len(found) < CHUNK:
            return
        after = found[-1]


def _by_number(core: Core, process: str, cursor: str | None) -> Iterator[list[tuple[str, str]]]:
    after = Found(*paging.decode(cursor, int, str, str)) if cursor else None
    while True:
        found = core.store.read_index("number", process, after=after, limit=CHUNK)
        yield [(one.stream, paging.encode(one.value, one.stream, one.thing)) for one in found]
        if len(found) < CHUNK:
            return
        after = found[-1]


def _by_step(
    core: Core, process: str, step: str, cursor: str | None
) -> Iterator[list[tuple[str, str]]]:
    """Who is in a timed step may stand on the line of the manual one that follows."""
    names = [step, *_behind(core, process, step)]
    first, after = _line_cursor(cursor, len(names))
    for at in range(first, len(names)):
        line = keys.records_line(keys.bare(process), names[at])
        while True:
            spots = core.store.read_line(line, after=after, limit=CHUNK)
            yield [(one.stream, paging.encode(at, *one)) for one in spots]
            if len(spots) < CHUNK:
                break
            after = spots[-1]
        after = None


def _line_cursor(cursor: str | None, lines: int) -> tuple[int, Spot | None]:
    if not cursor:
        return 0, None
    at, *parts = paging.decode(cursor, int, *paging.SPOT)
    if not 0 <= at < lines:
        raise Refused("invalid_query", "this cursor is of another list", field="cursor")
    return at, paging.spot(parts)


def _behind(core: Core, process: str, step: str) -> list[str]:
    """The manual steps that come after a timed one, in any version of the process."""
    found: dict[str, None] = {}
    for definition in _definitions(core, process):
        kinds = {one.name: one.kind for one in definition.steps}
        for one in definition.steps:
            if one.name == step and one.kind == TIMED and one.next is not None:
                found.update(
                    (name, None) for name in routing.targets(one.next) if kinds[name] == MANUAL
                )
    return list(found)


def _definitions(core: Core, process: str) -> list[Definition]:
    head: Process = core.executor.read(process).head
    at = [(process, keys.version_thing(number + 1)) for number in range(head.version)]
    rows: Mapping[tuple[str, str], object] = core.store.rows(at)
    return [core.executor.state(rows[key]) for key in at if key in rows]  # pyright: ignore[reportArgumentType]
