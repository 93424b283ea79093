"""The claim of work items: put once, and what becomes of those that were held (Q23 to Q26, Q52)."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.ledger.aggregate import Command
from workledger.ledger.commit import Commit
from workledger.ledger.execute import Result
from workledger.queues import item_commands
from workledger.queues import run as run_rules
from workledger.queues.choices import Choice
from workledger.queues.item import TAKEN, Held, Item
from workledger.service import runs
from workledger.service.core import Core
from workledger.service.looking import SETTLE, Candidate, Line, heal
from workledger.times import plus


@dataclass(frozen=True, slots=True)
class Claimed:
    """A take that stands, and the item as the take made it."""

    commit: Commit
    item: Item


@contextmanager
def reserved(core: Core, chosen: Sequence[Candidate]) -> Generator[list[Candidate]]:
    """Those of the chosen that no other thread of this process is claiming; free again behind."""
    mine = set(core.memory.reserve([one.spot for one in chosen]))
    try:
        yield [one for one in chosen if one.spot in mine]
    finally:
        core.memory.release(mine)


def claim(
    core: Core,
    actor: str,
    line: Line,
    run: str,
    chosen: Sequence[Candidate],
    ids: Sequence[str],
    beside: Sequence[Callable[[], object]] = (),
) -> list[Claimed]:
    """Put each take once, with `beside` beside the last write; who loses goes elsewhere."""
    results = core.executor.once_all(
        [
            (_take(core, actor, run, one, command), {keys.HEAD: one.row})
            for one, command in zip(chosen, ids, strict=True)
        ],
        beside,
    )
    claimed = [_claimed(core, one) for one in results if isinstance(one, Result)]
    for one in results:
        if isinstance(one, Commit):
            _lost(core, line, one)
    if claimed and len(claimed) == len(results):
        core.memory.won(line.name)
    if core.store.lag:
        gone = [at.spot for at, one in zip(chosen, results, strict=True) if _takes(one)]
        core.memory.gone(gone, core.clock())
    return [one for one in claimed if one is not None]


def _takes(outcome: Result | Commit) -> bool:
    """Whether the item is taken now, by this or by another; a change leaves it where it is."""
    commit = outcome.commit if isinstance(outcome, Result) else outcome
    return commit is not None and commit.events[0].type == TAKEN


def _take(core: Core, actor: str, run: str, one: Candidate, command: str) -> Command:
    decide = partial(item_commands.take, run=run, ahead=one.ahead)
    return core.command(one.row.stream, actor, decide, command=command)


def _claimed(core: Core, result: Result) -> Claimed | None:
    """The take; when an answer was lost, the item may have moved on since."""
    commit: Commit | None = result.commit
    if commit is None:
        return None
    item: Item = result.head
    return Claimed(commit, item if _is_in_round(item, commit) else item_taken(core, commit))


def _is_in_round(item: Item | None, commit: Commit) -> bool:
    return item is not None and item.status == Held(
        commit.events[0].data["run"], commit.number, commit.at
    )


def item_taken(core: Core, commit: Commit) -> Item:
    """The item as a take made it, whatever became of it since: every repeat answers the same."""
    item: Item | None = core.executor.read(commit.stream).head
    if item is not None and _is_in_round(item, commit):
        return item
    states: Mapping[str, Any] = {}
    for one in core.store.commits(commit.stream):
        if one.number <= commit.number:
            states = fold.after(core.executor.aggregates["item"], one, states)
    return states[keys.HEAD]


def _lost(core: Core, line: Line, commit: Commit) -> None:
    now = core.clock()
    core.memory.lost(line.name, now)
    heal(core, commit, now)


def put_choice(core: Core, actor: str, run: str, choice: Choice) -> Commit | None:
    """Put a choice that an earlier sending made and did not put, if it still can be."""
    rows = core.store.load(choice.stream)
    row = rows.get(keys.HEAD)
    if row is None or row.commit != choice.number - 1:
        return core.store.commits_at([(choice.stream, choice.number)]).get(
            (choice.stream, choice.number)
        )
    decide = partial(item_commands.take, run=run, ahead=0)
    command = core.command(choice.stream, actor, decide, command=choice.command)
    try:
        result = core.executor.once(command, rows)
    except Refused:
        return None
    return result if isinstance(result, Commit) else result.commit


def settle_vanished(core: Core, line: Line) -> bool:
    """Release the oldest items whose run has ended or vanished (Q52); whether there were any.

    Who finds that another was faster in releasing them must look again all the same.
    """
    spots = core.store.read_line(line.in_progress, limit=SETTLE)
    if not spots:
        return False
    rows = core.store.rows([(one.stream, one.thing) for one in spots])
    holders: dict[str, list[str]] = {}
    for (stream, _), row in rows.items():
        item: Item | None = fold.state(core.executor.aggregates["item"], row)
        if item is not None and isinstance(item.status, Held):
            holders.setdefault(item.status.run, []).append(stream)
    leases = runs.leases(core, list(holders)) if holders else {}
    found = False
    for run, streams in holders.items():
        lease = leases.get(run)
        if lease is None:
            continue
        if lease.run.ended_at is not None:
            runs.release(core, run, streams)
            found = True
        elif core.clock() > plus(lease.until, run_rules.GRACE_SECONDS):
            runs.finish(core, "system", lease.stream, run_rules.LOST, lost=True)
            found = True
    return found
