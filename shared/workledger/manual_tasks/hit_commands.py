"""What can be asked of a hit (M20 to M36, M60). Pure; `seen` has the head and the named things.

Commands on an assignment name it by its worker and the commit that began it (`take`), and need
the thing `w.<worker>`; those that may close or re-open the hit need all of `Hit.things`. All are
safe to repeat: an empty list means that it is already so.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from workledger.errors import Refused
from workledger.keys import HEAD, place_thing, worker_thing
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.manual_tasks import answers as rules
from workledger.manual_tasks import hit as hits
from workledger.manual_tasks.answers import Decided, Unresolved
from workledger.manual_tasks.hit import Answer, Assignment, Hit, Placed


def create(seen: Seen, data: Mapping[str, Any], payload: str) -> list[Event]:
    """Create a hit of these values (see `hit_folding`); `payload` is {"data", "more"} as JSON."""
    if seen.head is not None:
        return []
    things = (*(place_thing(one[0]) for one in data["places"]), HEAD)
    return [Event(hits.CREATED, data, things, payload)]


def place(seen: Seen, places: Sequence[Placed]) -> list[Event]:
    """Stand at other places of the task's work lists (M43): nothing else changes."""
    hit: Hit | None = seen.head
    if hit is None or hit.state != hits.OPEN or hit.places == tuple(places):
        return []
    return [_over_all(hits.PLACED, hit, {"places": _stored(places)}, places)]


def why_hidden(hit: Hit, mine: Assignment | None, now: str) -> Refused | None:
    """Why a worker may not take a hit; None when the worker may (M30 to M32)."""
    if hit.state != hits.OPEN:
        return Refused("hit_taken", "this record has all its answers")
    if hit.visible_from is not None and hit.visible_from > now:
        return Refused("hidden", f"this record is not there before {hit.visible_from}")
    if hit.holder is not None and hit.holder.deadline > now:
        return Refused("hit_taken", "somebody works on this record")
    if mine is not None and mine.status in hits.FOR_GOOD:
        return Refused("hidden", f"you have {mine.status.lower()} this record before")
    if mine is not None and mine.deadline > now:
        return Refused("hidden", f"you gave this record back: it comes again at {mine.deadline}")
    return None


def take(seen: Seen, worker: str, deadline: str, now: str) -> list[Event]:
    """Begin an assignment; nothing when the worker holds the hit already (M36)."""
    hit, mine = _hit(seen), seen.states.get(worker_thing(worker))
    holder = hit.holder
    if holder is not None and holder.worker == worker and holder.deadline > now:
        return []
    hidden = why_hidden(hit, mine, now)
    if hidden is not None:
        raise hidden
    data = {"worker": worker, "deadline": deadline}
    return [*_overdue(hit, now), _of(hits.ACCEPTED, worker, data)]


def abandon_overdue(seen: Seen, now: str) -> list[Event]:
    """Record that a deadline has passed; for everybody it had before (M34)."""
    return _overdue(_hit(seen), now)


def _overdue(hit: Hit, now: str) -> list[Event]:
    holder = hit.holder
    if holder is None or holder.deadline > now:
        return []
    data = {"worker": holder.worker, "take": holder.take, "early": False}
    return [_of(hits.ABANDONED, holder.worker, data)]


def extend(seen: Seen, worker: str, take: int, deadline: str, now: str) -> list[Event]:
    """Move a running assignment's deadline, later only."""
    mine = _running(seen, worker, take, now)
    if deadline <= mine.deadline:
        return []
    return [_of(hits.EXTENDED, worker, {"worker": worker, "take": take, "deadline": deadline})]


def give_back(seen: Seen, worker: str, take: int, now: str) -> list[Event]:
    """Return a hit: others see it at once, the worker after the old deadline (M34)."""
    return _let_go(hits.RETURNED, seen, worker, take, now, {})


def skip(seen: Seen, worker: str, take: int, now: str) -> list[Event]:
    """Never show the hit to this worker again (M35)."""
    return _let_go(hits.SKIPPED, seen, worker, take, now, {})


def abandon(seen: Seen, worker: str, take: int, now: str) -> list[Event]:
    """End an assignment before its deadline, which still cools (M34)."""
    return _let_go(hits.ABANDONED, seen, worker, take, now, {"early": True})


def _let_go(
    event: str, seen: Seen, worker: str, take: int, now: str, more: Mapping[str, Any]
) -> list[Event]:
    mine = _mine(seen, worker, take)
    if mine.status == hits.STATUS[event]:
        return []
    _running(seen, worker, take, now)
    return [_of(event, worker, {"worker": worker, "take": take, **more})]


def submit(seen: Seen, worker: str, take: int, digest: str, payload: str, now: str) -> list[Event]:
    """Answer; the last one that is needed decides the hit (M23)."""
    hit, mine = _hit(seen), _mine(seen, worker, take)
    given = next((one for one in hit.answers if one.take == take), None)
    if given is not None and given.digest == digest:
        return []
    if mine.status in ("SUBMITTED", "APPROVED", "REJECTED"):
        raise Refused(
            "already_submitted", "this assignment was answered: an answer does not change"
        )
    _running(seen, worker, take, now)
    data = {"worker": worker, "take": take, "digest": digest}
    submitted = Event(hits.SUBMITTED, data, (worker_thing(worker), HEAD), payload)
    answers = (*hit.answers, Answer(worker, take, digest, seen.number + 1))
    return [submitted, *_closing(hit, answers)]


def approve(seen: Seen, worker: str, take: int) -> list[Event]:
    """Approve an answer: it can be rejected no more (M60)."""
    answer = _answer(seen, worker, take)
    if answer.approved:
        return []
    return [_of(hits.APPROVED, worker, {"worker": worker, "take": take})]


def reject(
    seen: Seen, worker: str, take: int, reason: str, places: Sequence[Placed], now: str
) -> list[Event]:
    """Reject an answer: it counts no more, and its place is open for somebody else (M25, M60).

    `places` are those of the hit in its task's lists, should it be open again. What was decided in
    a business process stands: the record goes on with it at once.
    """
    mine = _mine(seen, worker, take)
    if mine.status == "REJECTED":
        return []
    if _answer(seen, worker, take).approved:
        raise Refused("already_approved", "this answer was approved")
    hit = _hit(seen)
    if hit.routed or (hit.way is not None and hit.state == hits.DONE):
        raise Refused("already_routed", "this record went on to its next step with this answer")
    data = {"worker": worker, "take": take, "reason": reason}
    rejected = _of(hits.REJECTED, worker, data)
    kept = tuple(one for one in hit.answers if one.take != take)
    return [rejected, *_after_reject(hit, kept, places, now)]


def _after_reject(
    hit: Hit, kept: tuple[Answer, ...], places: Sequence[Placed], now: str
) -> list[Event]:
    if hit.decision is not None and hit.decision.by == "adjudicator":
        return []
    closing = _closing(hit, kept)
    if hit.state == hits.OPEN:
        return [*_ended_by(hit, now), *closing] if closing else []
    if closing:
        same = hit.decision is not None and _decides(closing, hit.decision.commit)
        return [] if same else closing
    return [_over_all(hits.REOPENED, hit, {"places": _stored(places)}, places)]


def _ended_by(hit: Hit, now: str) -> list[Event]:
    """Nobody works on a hit that is decided: without what was rejected, the others agree."""
    holder = hit.holder
    if holder is None:
        return []
    early = holder.deadline > now
    data = {"worker": holder.worker, "take": holder.take, "early": early}
    return [_of(hits.ABANDONED, holder.worker, data)]


def _decides(closing: Sequence[Event], commit: int) -> bool:
    return any(one.data.get("answer") == commit for one in closing)


def adjudicate(seen: Seen, who: str, payload: str) -> list[Event]:
    """Decide what the answers left unresolved; by somebody who gave none (M23)."""
    hit, mine = _hit(seen), seen.states.get(worker_thing(who))
    if hit.state != hits.NO_MAJORITY:
        raise Refused(
            "not_unresolved", "only a record whose answers have no majority is adjudicated"
        )
    if mine is not None and mine.status in ("SUBMITTED", "APPROVED", "REJECTED"):
        raise Refused("answered", "who gave an answer to this record cannot adjudicate it")
    data = {"by": "adjudicator", "answer": seen.number + 1, "who": who}
    return [Event(hits.DECIDED, data, (*hit.things, HEAD), payload)]


def routed(seen: Seen) -> list[Event]:
    """Record that the record went on to its next step with the decision."""
    hit = _hit(seen)
    return [] if hit.routed or hit.state != hits.DONE else [Event(hits.ROUTED)]


# --- helpers ------------------------------------------------------------------------------------


def _hit(seen: Seen) -> Hit:
    hit: Hit | None = seen.head
    if hit is None:
        raise Refused("hit_not_found", "there is no such record")
    return hit


def _mine(seen: Seen, worker: str, take: int) -> Assignment:
    mine: Assignment | None = seen.states.get(worker_thing(worker))
    if mine is None:
        raise Refused("assignment_not_found", "there is no such assignment")
    if mine.take != take:
        raise Refused(
            "assignment_over", "this assignment is over: the record was taken again since"
        )
    return mine


def _running(seen: Seen, worker: str, take: int, now: str) -> Assignment:
    """The assignment while it runs: from its deadline on it is abandoned (M31)."""
    mine = _mine(seen, worker, take)
    if mine.status != "ACCEPTED":
        raise Refused("assignment_over", f"this assignment is {mine.status.lower()}")
    if mine.deadline <= now:
        raise Refused("assignment_over", f"this assignment's deadline has passed: {mine.deadline}")
    return mine


def _answer(seen: Seen, worker: str, take: int) -> Answer:
    _mine(seen, worker, take)
    answer = next((one for one in _hit(seen).answers if one.take == take), None)
    if answer is None:
        raise Refused("not_submitted", "this assignment has no answer that counts")
    return answer


def _closing(hit: Hit, answers: Sequence[Answer]) -> list[Event]:
    """The event by which these answers decide the hit, or leave it without a majority."""
    digests = [one.digest for one in answers]
    outcome = rules.outcome(digests, hit.rule)
    things = (*hit.things, HEAD)
    if isinstance(outcome, Decided):
        first = next(one for one in answers if one.digest == outcome.digest)
        by = "agreement" if len(set(digests)) == 1 else "majority"
        return [Event(hits.DECIDED, {"by": by, "answer": first.commit}, things)]
    return [Event(hits.UNRESOLVED, {}, things)] if isinstance(outcome, Unresolved) else []


def _of(event: str, worker: str, data: Mapping[str, Any]) -> Event:
    return Event(event, data, (worker_thing(worker), HEAD))


def _stored(places: Sequence[Placed]) -> list[list[Any]]:
    return [list(one) for one in places]


def _over_all(event: str, hit: Hit, data: Mapping[str, Any], places: Sequence[Placed]) -> Event:
    """An event on a hit's places, old and new, and on everybody's assignment."""
    new = (place_thing(one.ordering) for one in places)
    return Event(event, data, (*dict.fromkeys((*hit.things, *new)), HEAD))
