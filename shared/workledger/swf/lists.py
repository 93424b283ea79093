"""Pages of lists: up to a thousand of what stands on a line, either way round (W22)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from workledger import keys
from workledger.keys import HEAD
from workledger.service.core import Core
from workledger.swf import tokens
from workledger.swf.call import Answer, Call
from workledger.views.order import BLANK, Spot, tie_of
from workledger.views.order import beginning as order_beginning

T = TypeVar("T")

LONGEST_PAGE = 1_000
CHUNK = 100

FIRST, LAST = "-", "~"
"""Below and above every stream and thing: a spot that no row has, but that can be read from."""


@dataclass(frozen=True, slots=True)
class Met(Generic[T]):
    """Something met on a line."""

    spot: Spot
    state: T


def page_size(call: Call) -> int:
    """How many a page has; 0 and nothing mean as many as can be."""
    return call.params.get("maximumPageSize") or LONGEST_PAGE


def position(call: Call, kind: str, *shape: type) -> list[Any] | None:
    """Where the page begins that is asked for: the token's parts. Raises ValidationException."""
    token: str | None = call.params.get("nextPageToken")
    if not token:
        return None
    parts = tokens.checked(tokens.page_of(token, call.core.clock), str, *shape)
    if parts[0] != kind:
        raise tokens.invalid()
    return parts[1:]


def next_page(call: Call, kind: str, *parts: Any) -> Answer:
    """The member of an answer that asks for the next page."""
    return {"nextPageToken": tokens.page(call.core.clock(), kind, *parts)}


def by_name(name: str, *, end: bool = False) -> Spot:
    """Before (or with `end` after) everything that bears a name on a line that is by name."""
    edge = LAST if end else FIRST
    return Spot(0, BLANK, 0, tie_of(name), edge, edge)


def beginning(name: str) -> tuple[Spot, Spot]:
    """Before and after everything whose name begins with a text, and maybe some more."""
    kept = order_beginning(name)
    return (
        Spot(0, BLANK, 0, kept, FIRST, FIRST),
        Spot(0, BLANK, 0, f"{kept}\U0010ffff", LAST, LAST),
    )


def spots(
    core: Core, line: str, after: Spot | None, limit: int, *, backwards: bool
) -> Iterator[list[Spot]]:
    """The spots of a line beyond `after`, in batches."""
    chunk = min(limit, CHUNK)
    while True:
        found = core.store.read_line(line, after=after, limit=chunk, backwards=backwards)
        yield found
        if len(found) < chunk:
            return
        after, chunk = found[-1], CHUNK


def heads(core: Core, found: Sequence[Spot]) -> Iterator[Met[Any]]:
    """The streams' states, strongly read; those that are there no more are left out."""
    rows = core.store.rows([(one.stream, one.thing) for one in found]) if found else {}
    for one in found:
        row = rows.get((one.stream, one.thing))
        state = core.executor.state(row) if row else None
        if state is not None:
            yield Met(one, state)


def named(
    call: Call,
    line: str,
    after: Spot | None,
    stands: Callable[[Any], bool],
    *,
    until: Spot | None = None,
) -> tuple[list[Met[Any]], bool]:
    """A page of a line that is by name, and whether there is more; `stands` as the row says."""
    backwards, limit = bool(call.params.get("reverseOrder")), page_size(call)

    def walk() -> Iterator[Met[Any]]:
        for batch in spots(call.core, line, after, limit + 1, backwards=backwards):
            for met in heads(call.core, batch):
                if until is not None and (met.spot < until if backwards else met.spot > until):
                    return
                if stands(met.state):
                    yield met

    found = list(islice(walk(), limit + 1))
    return found[:limit], len(found) > limit


def head_of(core: Core, stream: str, kind: str) -> Any:
    """The state of a stream that a page token names. Raises ValidationException: it is another."""
    if keys.kind(stream) != kind:
        raise tokens.invalid()
    row = core.store.rows([(stream, HEAD)]).get((stream, HEAD))
    state = core.executor.state(row)
    if state is None:
        raise tokens.invalid()
    return state
