"""What is done with an assignment: answer, skip, return, extend; approve, reject, decide (M60).

Only its worker acts on an assignment; requesters approve, reject and abandon anybody's. Of the
answers of others a worker is told nothing (M27).
"""

from collections.abc import Callable, Sequence
from functools import partial

from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.keys import HEAD, place_thing, worker_thing
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Event
from workledger.ledger.execute import Result
from workledger.manual import assigned as assignments
from workledger.manual import assigning, common, hits, moving
from workledger.manual.assigned import Assigned
from workledger.manual.hits import HitShown
from workledger.manual.onhit import Things, on_all, read_all
from workledger.manual_tasks import answers as answer_rules
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.hit import OPEN, Assignment, Hit
from workledger.manual_tasks.task import Rules
from workledger.service.core import Core
from workledger.times import plus

LONGEST_ANSWER = 256 * 1024
"""Bytes of an answer's JSON text."""

LOOK_AGAIN_SECONDS = 0.1

Asked = Callable[[Seen, str, int, str], Sequence[Event]]
"""A command on an assignment: what is seen, its worker, the commit of its take, now."""


# --- by its worker ------------------------------------------------------------------------------


def submit(core: Core, worker: str, assignment: str, answer: Raw) -> Assigned:
    """Answer; the exact repeat answers the same (M23, M34).

    Raises Refused: assignment_not_found, not_yours, assignment_over, already_submitted, too_large,
    answer_invalid.
    """
    stream, take = assigning.located(assignment)
    read = read_all(core, stream, (worker_thing(worker),))
    if not _is_mine(core, read, worker, take):
        core.executor.read(stream)  # the take's writer may not have placed its rows
        read = read_all(core, stream, (worker_thing(worker),))
    if not _is_mine(core, read, worker, take):
        raise _why_not(core, worker, assignment, _over())
    digest = _digest(core, core.executor.state(read.rows[HEAD]), answer)
    decide = partial(
        _submit, worker=worker, take=take, digest=digest, payload=answer.text, clock=core.clock
    )
    result = on_all(core, stream, worker, decide, (worker_thing(worker),), read)
    _go_on(core, stream, result)
    return _shown(core, stream, worker, result)


def _is_mine(core: Core, read: Things, worker: str, take: int) -> bool:
    mine: Assignment | None = core.executor.state(read.rows.get(worker_thing(worker)))
    return mine is not None and mine.take == take


def _submit(
    seen: Seen, worker: str, take: int, digest: str, payload: str, clock: Callable[[], str]
) -> Sequence[Event]:
    return hit_commands.submit(seen, worker, take, digest, payload, clock())


def _digest(core: Core, hit: Hit, answer: Raw) -> str:
    """What stands for an answer that fits; raises too_large, answer_invalid."""
    if len(answer.text.encode()) > LONGEST_ANSWER:
        raise Refused(
            "too_large", f"an answer has at most {LONGEST_ANSWER:,} bytes", field="answer"
        )
    task = f"task/{hit.task}"
    rules: Rules = common.rules_of(core, task, hit.version)
    common.check_answer(core, task, rules, answer)
    return answer_rules.digest(answer_rules.read(answer.text), rules.adjudication.fields)


def skip(core: Core, worker: str, assignment: str) -> Assigned:
    """Never see the record again; others do (M35)."""
    return _own(core, worker, assignment, hit_commands.skip)


def give_back(core: Core, worker: str, assignment: str) -> Assigned:
    """Return the record: others see it at once, its worker at the old deadline (M34)."""
    return _own(core, worker, assignment, hit_commands.give_back)


def extend(core: Core, worker: str, assignment: str) -> Assigned:
    """Begin the time that the version gives anew, from now (M60)."""

    def asked(seen: Seen, worker: str, take: int, now: str) -> Sequence[Event]:
        hit: Hit | None = seen.head
        if hit is None:
            raise assigning.not_found(assignment)
        rules = common.rules_of(core, f"task/{hit.task}", hit.version)
        return hit_commands.extend(seen, worker, take, plus(now, rules.deadline_seconds), now)

    return _own(core, worker, assignment, asked)


def _own(core: Core, worker: str, assignment: str, asked: Asked) -> Assigned:
    """Ask something of one's own assignment; whose it is, is looked up only where it fails."""
    stream, take = assigning.located(assignment)
    try:
        result = core.executor.run(_command(core, worker, stream, worker, take, asked))
    except Refused as refused:
        raise _why_not(core, worker, assignment, refused) from refused
    return _shown(core, stream, worker, result)


def _command(core: Core, actor: str, stream: str, worker: str, take: int, asked: Asked) -> Command:
    def decide(seen: Seen) -> Sequence[Event]:
        return asked(seen, worker, take, core.clock())

    return core.command(stream, actor, decide, (worker_thing(worker),))


def _over() -> Refused:
    return Refused("assignment_over", "this assignment is over: the record was taken again since")


def _why_not(core: Core, worker: str, assignment: str, refused: Refused) -> Refused:
    """What a worker is told: whether there is such an assignment, whose it is, and only then why.

    The numbers of takes are easily guessed, and tell nothing of others.
    """
    try:
        begun = assigning.begun_by(core, assignment)
    except Refused as not_found:
        return not_found
    return refused if begun.worker == worker else assigning.not_yours()


def _shown(core: Core, stream: str, worker: str, result: Result) -> Assigned:
    own: Assignment = result.states[worker_thing(worker)]
    return assignments.shown(core, stream, result.head, own)


def sign_out(core: Core, worker: str) -> int:
    """Abandon all that a worker holds, before its time (M34); answers how much it was.

    A line that lags is looked at once more.
    """
    abandoned = _abandon_all(core, worker)
    if core.store.lag:
        core.sleep(LOOK_AGAIN_SECONDS)
        abandoned += _abandon_all(core, worker)
    return abandoned


def _abandon_all(core: Core, worker: str) -> int:
    found = [(stream, own.take) for _, (stream, _, own) in assigning.held(core, worker)]
    commands = [
        _command(core, worker, stream, worker, take, hit_commands.abandon) for stream, take in found
    ]
    results = core.executor.run_all(commands) if commands else []
    return sum(one.commit is not None for one in results)


# --- by requesters and adjudicators -------------------------------------------------------------


def approve(core: Core, actor: str, assignment: str) -> HitShown:
    """Approve an answer: it can be rejected no more (M60).

    Raises Refused: assignment_not_found, assignment_over, not_submitted.
    """

    def asked(seen: Seen, worker: str, take: int, now: str) -> Sequence[Event]:  # noqa: ARG001
        return hit_commands.approve(seen, worker, take)

    return _anybodys(core, actor, assignment, asked)


def abandon(core: Core, actor: str, assignment: str) -> HitShown:
    """End an assignment before its deadline, which still cools (M34).

    Raises Refused: assignment_not_found, assignment_over.
    """
    return _anybodys(core, actor, assignment, hit_commands.abandon)


def _anybodys(core: Core, actor: str, assignment: str, asked: Asked) -> HitShown:
    stream, take = assigning.located(assignment)
    worker = assigning.begun_by(core, assignment).worker
    core.executor.run(_command(core, actor, stream, worker, take, asked))
    return hits.show(core, keys.manual_id(stream))


def reject(core: Core, actor: str, assignment: str, reason: str) -> HitShown:
    """Reject an answer: it counts no more, and its place is open for somebody else (M25, M60).

    Raises Refused: assignment_not_found, assignment_over, not_submitted, already_approved,
    already_routed.
    """
    stream, take = assigning.located(assignment)
    worker = assigning.begun_by(core, assignment).worker
    places = common.places_of(core, stream)

    def decide(seen: Seen) -> Sequence[Event]:
        return hit_commands.reject(seen, worker, take, reason, places, core.clock())

    new = (place_thing(one.ordering) for one in places)
    result = on_all(core, stream, actor, decide, (worker_thing(worker), *new))
    if result.head.state == OPEN:
        common.place_again(core, stream)
    _go_on(core, stream, result)
    return hits.show(core, keys.manual_id(stream))


def adjudicate(core: Core, who: str, hit: str, answer: Raw) -> HitShown:
    """Decide a record whose answers have no majority, as who gave none of them (M23).

    Raises Refused: hit_not_found, not_unresolved, answered, too_large, answer_invalid.
    """
    stream = hits.stream_of(hit)
    found: Hit | None = core.executor.read(stream).head
    if found is None:
        raise hits.not_found(hit)
    _digest(core, found, answer)
    decide = partial(hit_commands.adjudicate, who=who, payload=answer.text)
    result = on_all(core, stream, who, decide, (worker_thing(who),))
    _go_on(core, stream, result)
    return hits.show(core, hit)


def _go_on(core: Core, stream: str, result: Result) -> None:
    """A record of a process goes on with what was decided, at once; the timekeeper sees to it."""
    hit: Hit = result.head
    if hit.way is not None and hit.decision is not None and not hit.routed:
        moving.try_to_go_on(core, stream)
