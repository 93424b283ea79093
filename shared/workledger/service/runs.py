"""Runs: start, beat, end; what they hold and how it is released (Q46, Q50 to Q53)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.ledger.aggregate import Command
from workledger.queues import item_commands
from workledger.queues import run as run_rules
from workledger.queues.item import Item
from workledger.queues.item_commands import RetryRule
from workledger.queues.queue import Queue
from workledger.queues.run import Run
from workledger.service import paging
from workledger.service.core import Core, Page
from workledger.stores.port import Beat
from workledger.times import plus, seconds_between
from workledger.views.row import Row

HELD_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class RunShown:
    """A run as people see it. `overdue`: its lease has passed although nothing ended it yet."""

    id: str
    run: Run
    lease_until: str
    overdue: bool
    holding: int


@dataclass(frozen=True, slots=True)
class Lease:
    """A run and the deadline that its beats have moved so far."""

    stream: str
    run: Run
    until: str

    def passed(self, now: str) -> bool:
        """Whether a beat is refused now."""
        return self.run.ended_at is not None or now > self.until


def leases(core: Core, runs: Sequence[str]) -> dict[str, Lease]:
    """The runs of these ids with their leases, strongly read in one request."""
    heads, beats = core.store.heads_and_beats([keys.run_stream(run) for run in runs])
    found = {run: lease_of(core, run, heads, beats) for run in runs}
    return {run: lease for run, lease in found.items() if lease is not None}


def lease_of(
    core: Core, run: str, heads: Mapping[str, Row], beats: Mapping[str, Beat]
) -> Lease | None:
    """A run's lease out of rows already read: the first deadline, or where beats moved it."""
    stream = keys.run_stream(run)
    state: Run | None = fold.state(core.executor.aggregates["run"], heads.get(stream))
    if state is None:
        return None
    beat = beats.get(stream)
    until = state.first_deadline
    return Lease(stream, state, max(until, beat.deadline) if beat else until)


def own(core: Core, actor: str, run: str) -> Lease:
    """The lease of an active run of this actor (Q53).

    Raises Refused: run_ended for an ended, vanished or unknown one, foreign_run.
    """
    return check_own(core, actor, run, leases(core, [run]).get(run))


def check_own(core: Core, actor: str, run: str, lease: Lease | None) -> Lease:
    """`own` for a lease already read."""
    if lease is None:
        lease = _settled(core, run)
    if lease is None:
        raise Refused("run_ended", f"there is no run {run}: start one, or leave it out", run=run)
    if lease.run.actor != actor:
        raise Refused("foreign_run", f"run {run} belongs to another", run=run)
    if lease.passed(core.clock()):
        raise ended(run, lease.run)
    return lease


def _settled(core: Core, run: str) -> Lease | None:
    """A run whose row its writer had not yet placed is finished first."""
    if not keys.is_run_id(run) or core.executor.read(keys.run_stream(run)).head is None:
        return None
    return leases(core, [run]).get(run)


def ended(run: str, was: Run) -> Refused:
    """The refusal for a run that has ended or whose lease has passed."""
    reason = was.end_reason or run_rules.LOST
    return Refused(
        "run_ended", f"run {run} has ended ({reason}) and holds nothing any more", run=run
    )


def start(
    core: Core, actor: str, name: str | None, lease_seconds: int, run: str | None = None
) -> RunShown:
    """Start a run; with an id of one's own it is safe to repeat."""
    stream = keys.run_stream(run or f"r_{core.new_id()}")
    decide = partial(run_rules.start, name=name, lease_seconds=lease_seconds)
    result = core.executor.run(core.command(stream, actor, decide))
    begun: Run = result.head
    return RunShown(keys.run_id(stream), begun, begun.first_deadline, False, 0)


def show(core: Core, run: str) -> RunShown:
    """A run. Raises Refused("run_not_found")."""
    lease = leases(core, [run]).get(run) if keys.is_run_id(run) else None
    lease = lease or _settled(core, run)
    if lease is None:
        raise run_rules.not_found(run)
    return _shown(core, lease)


def page(core: Core, status: str, cursor: str | None, limit: int) -> Page[RunShown]:
    """Active or ended runs, the newest first."""
    after = paging.spot(paging.decode(cursor, *paging.SPOT)) if cursor else None
    spots = core.store.read_line(keys.runs_line(status), after=after, limit=limit, backwards=True)
    ids = [keys.run_id(spot.stream) for spot in spots]
    found = leases(core, ids) if ids else {}
    shown = core.store.together([partial(_shown, core, found[run]) for run in ids if run in found])
    wanted = [one for one in shown if (one.run.ended_at is None) == (status == "active")]
    return Page(wanted, paging.encode(*spots[-1]) if len(spots) == limit else None)


def heartbeat(core: Core, actor: str, run: str) -> RunShown:
    """Keep a run's lease alive (Q52). Raises Refused: run_not_found, run_ended, foreign_run."""
    shown = show(core, run)
    lease = Lease(keys.run_stream(run), shown.run, shown.lease_until)
    until = beat(core, check_own(core, actor, run, lease))
    return RunShown(run, shown.run, until, False, shown.holding)


def beat(core: Core, lease: Lease) -> str:
    """Move the deadline a lease ahead; answers the new one. Raises Refused("run_ended")."""
    now = core.clock()
    until = plus(now, lease.run.lease_seconds)
    if not core.store.beat(lease.stream, until, now, {}):
        raise ended(keys.run_id(lease.stream), lease.run)
    return until


def beat_if_half_gone(core: Core, lease: Lease) -> None:
    """Working is a sign of life: beat when less than half the lease is left (Q52)."""
    if seconds_between(core.clock(), lease.until) * 2 < lease.run.lease_seconds:
        beat(core, lease)


def end(core: Core, actor: str, run: str, reason: str) -> RunShown:
    """End one's own run and release what it holds (Q50); safe to repeat.

    Raises Refused: run_not_found, foreign_run.
    """
    shown = show(core, run)
    if shown.run.actor != actor:
        raise Refused("foreign_run", f"run {run} belongs to another", run=run)
    ended_run = finish(core, actor, keys.run_stream(run), reason, lost=False)
    return _shown(core, Lease(keys.run_stream(run), ended_run, shown.lease_until))


def finish(core: Core, actor: str, stream: str, reason: str, *, lost: bool) -> Run:
    """End a run and release what it holds; its due row sees to the second release."""
    decide = partial(run_rules.end, reason=reason, lost=lost)
    result = core.executor.run(core.command(stream, actor, decide))
    release_all(core, keys.run_id(stream))
    return result.head


def release_all(core: Core, run: str) -> int:
    """Release every item that an ended run still holds (Q50, Q51); answers how many."""
    released, after = 0, None
    while True:
        found = core.store.read_index("run", run, after=after, limit=HELD_AT_ONCE)
        released += release(core, run, [one.stream for one in found])
        if len(found) < HELD_AT_ONCE:
            return released
        after = found[-1]


def release(core: Core, run: str, streams: Sequence[str], claim: int | None = None) -> int:
    """Release these items if this run holds them (by this claim, if one is named)."""
    rows = core.store.rows([(stream, keys.HEAD) for stream in streams])
    commands: list[Command] = []
    rules: dict[str, RetryRule] = {}
    for (stream, _), row in rows.items():
        item: Item = fold.state(core.executor.aggregates["item"], row)
        rule = rules.get(item.queue)
        if rule is None:
            rule = rules[item.queue] = retry_rule(core, item.queue)
        decide = partial(
            item_commands.release,
            generation=item.generation,
            run=run,
            claim=claim,
            rule=rule,
            now=core.clock(),
        )
        commands.append(core.command(stream, "system", decide))
    results = core.executor.run_all(commands) if commands else []
    return sum(one.commit is not None for one in results)


def retry_rule(core: Core, queue: str) -> RetryRule:
    """A queue's settings for failures, as they are now (Q7), also while it is being deleted."""
    located = keys.queue_of(queue)
    queue_head: Queue | None = core.executor.read(located[0]).head if located else None
    return rule_of(queue_head)


def rule_of(queue: Queue | None) -> RetryRule:
    """The rule in a queue's settings."""
    if queue is None:
        return RetryRule(0)
    return RetryRule(queue.settings.retries, queue.settings.retry_delay_seconds)


def _shown(core: Core, lease: Lease) -> RunShown:
    run = keys.run_id(lease.stream)
    held = core.store.read_index("run", run, limit=HELD_AT_ONCE)
    overdue = lease.run.ended_at is None and lease.passed(core.clock())
    return RunShown(run, lease.run, lease.until, overdue, len(held))
