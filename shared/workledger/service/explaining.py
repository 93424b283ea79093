"""Why an item stands where it stands, or why it was taken when it was (Q90)."""

from dataclasses import dataclass

from workledger import keys
from workledger.queues import item as item_rules
from workledger.queues.item import Completed, Failed, Held, Waiting
from workledger.service import items, queues
from workledger.service.core import Core
from workledger.views.order import spot

EXACT = 1_000
"""Places are exact up to this many ahead."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """An item's place in words and numbers; the numbers are of waiting items only."""

    id: str
    status: str
    text: str
    place: int | None = None
    of: int | None = None
    higher_priority: int | None = None
    earlier: int | None = None
    exact: bool = True


def explain(core: Core, item_id: str) -> Explanation:
    """Explain an item. Raises Refused: item_not_found, queue_not_found."""
    found = items.locate(core, item_id)
    status = found.item.status
    if status == Waiting():
        return _waiting(core, item_id, found)
    return Explanation(item_id, found.item.status_name, _text(core, found))


def _waiting(core: Core, item_id: str, found: items.Located) -> Explanation:
    place = item_rules.ready_place(found.stream, found.item)
    thing = found.things[0] if found.things else keys.HEAD
    here = spot(place, found.stream, thing)
    higher, earlier = core.store.count_before(place.line, here, EXACT + 1)
    if higher + earlier > EXACT:
        text = f"more than {EXACT:,} items are ahead: {_more(higher)} of higher priority, "
        text += f"{_more(earlier)} earlier" + _paused(found)
        return Explanation(item_id, "new", text, exact=False)
    waiting = queues.counts_of(core, found.item.queue)["new"]
    ahead = higher + earlier + 1
    total = max(waiting, ahead)
    text = f"place {ahead:,} of {total:,}: {higher:,} of higher priority, {earlier:,} earlier"
    return Explanation(item_id, "new", text + _paused(found), ahead, total, higher, earlier)


def _more(count: int) -> str:
    return f"more than {EXACT:,}" if count > EXACT else f"{count:,}"


def _paused(found: items.Located) -> str:
    return "; the queue is paused: nothing is taken" if found.queue.settings.paused else ""


def _text(core: Core, found: items.Located) -> str:
    status = found.item.status
    match status:
        case Waiting(not_before):
            return f"deferred until {not_before}; then it takes its old place (priority, arrival)"
        case Held(run, claim, since):
            return f"held by run {run} since {since}: {_taken(core, found.stream, claim)}"
        case Completed(at, _):
            return f"completed at {at} in round {found.item.attempt}; {_last(core, found)}"
        case Failed(at, reason):
            rounds = f"round {found.item.attempt}"
            return f"failed at {at} in {rounds}: {reason}; {_last(core, found)}"
        case _:
            return "deleted"


def _last(core: Core, found: items.Located) -> str:
    closing = found.item.closing
    if closing is None:
        return "it was never taken"
    return _taken(core, found.stream, closing[0])


def _taken(core: Core, stream: str, claim: int) -> str:
    """What the taker saw is in the event of the take itself."""
    commit = core.store.commits_at([(stream, claim)])[(stream, claim)]
    data = commit.events[0].data
    ahead: int = data["ahead"]
    if ahead:
        saw = f"{ahead} stood before it on the line, which rivals were taking at that moment"
    else:
        saw = "it was the first of what was ready"
    return f"taken at {commit.at} for round {data['attempt']}: {saw}"
