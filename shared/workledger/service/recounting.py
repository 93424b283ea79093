"""Recount: queues counted anew from their lines, after the stream that feeds counts had a gap."""

from collections.abc import Iterator, Sequence

from workledger import keys
from workledger.queues.queue import live
from workledger.service import counting, queues
from workledger.service.core import Core
from workledger.views.order import Spot

AT_ONCE = 100


def recount(core: Core, names: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, int] | None]]:
    """Recount these queues, by name or id, or all; tells each one's name and counts.

    None instead of counts: the store counts lines exactly, and there is nothing to recount. Raises
    Refused("queue_not_found").
    """
    for found in _named(core, names) if names else _all(core):
        yield found.queue.name, counting.recount(core, found.id)


def _named(core: Core, names: Sequence[str]) -> Iterator[queues.Found]:
    for name in names:
        yield queues.find(core, name)


def _all(core: Core) -> Iterator[queues.Found]:
    after: Spot | None = None
    while spots := core.store.read_line(keys.QUEUES_LINE, after=after, limit=AT_ONCE):
        for spot in spots:
            queue = live(core.executor.read(spot.stream))
            if queue is not None:
                yield queues.Found(keys.queue_id(spot.stream, queue.generation), spot.stream, queue)
        after = spots[-1]
