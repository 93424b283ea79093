"""Taking items: highest priority first, each to one run only (Q20 to Q28)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.jsontext import Raw
from workledger.ledger import fold
from workledger.ledger.commit import Commit
from workledger.queues import run as run_rules
from workledger.queues.choices import Choice
from workledger.queues.item import Item
from workledger.queues.queue import Queue
from workledger.queues.run import Run
from workledger.service import claiming, looking, queues, runs
from workledger.service.choosing import Choosing
from workledger.service.claiming import Claimed
from workledger.service.core import Core
from workledger.service.looking import Candidate, Line, Sight
from workledger.stores.port import Address
from workledger.times import plus, seconds_between

ATTEMPTS = 16
"""Races a `next` may lose before it says `contended`."""

LOOK_AGAIN_SECONDS = 0.1
"""Before `empty` is said, an index that lags is looked at once more (Q22)."""

LONGEST_WAIT = 1.0
"""A waiting `next` looks at least once a second: other processes add work too (Q28)."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a `next` asks for. Without a run one is started."""

    run: str | None = None
    run_name: str | None = None
    lease_seconds: int = run_rules.LEASE_SECONDS
    wait_seconds: float = 0
    max_items: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class TakenItem:
    """An item that a run now holds, with the token of this take (Q22, Q25)."""

    id: str
    claim: str
    item: Item
    data: Raw


@dataclass(frozen=True, slots=True)
class Taken:
    """What a `next` brought: items, or the reason why there are none (Q22)."""

    run: str
    items: list[TakenItem]
    reason: str | None = None
    retry_at: str | None = None


def take(core: Core, actor: str, queue: str, wanted: Wanted) -> Taken:
    """Take the next item, or up to `max_items`, waiting for it if asked to.

    Raises Refused: queue_not_found, run_ended, foreign_run.
    """
    known = wanted.run is not None and keys.queue_of(queue) is not None
    found = None if known else queues.find(core, queue)
    queue_id = found.id if found else queue
    run = wanted.run or _start(core, actor, queue_id, wanted)
    request = _Request(core, actor, queue_id, run, wanted)
    until = plus(core.clock(), wanted.wait_seconds) if wanted.wait_seconds else ""
    while True:
        taken = request.answer()
        left = seconds_between(core.clock(), until) if until and not taken.items else 0
        if left <= 0:
            return taken
        if taken.retry_at is not None:
            left = min(left, max(0.01, seconds_between(core.clock(), taken.retry_at)))
        core.waiter.wait(request.line.name, min(left, LONGEST_WAIT))


def _start(core: Core, actor: str, queue: str, wanted: Wanted) -> str:
    run = f"r_{keys.digest('run', actor, queue, wanted.key)}" if wanted.key else None
    return runs.start(core, actor, wanted.run_name, wanted.lease_seconds, run).id


def _choosing(core: Core, actor: str, scope: str, key: str | None) -> Choosing | None:
    return Choosing(core, actor, keys.take_stream(actor, scope, key)) if key else None


class _Request:
    """One `next` of one run at one queue."""

    def __init__(self, core: Core, actor: str, queue: str, run: str, wanted: Wanted) -> None:
        self.core, self.actor, self.queue, self.run = core, actor, queue, run
        self.line = Line(queue)
        self.most = wanted.max_items or 1
        self.choosing = _choosing(core, actor, f"{queue}/{run}", wanted.key)
        self.receipt = _Receipt(core, run)

    def answer(self) -> Taken:
        """Items, or a reason. Nothing is said before another sending of this was looked for."""
        found = self._resume() or self._search()
        if isinstance(found, Taken):
            found = self._resume() or found
        return found if isinstance(found, Taken) else self._taken(found)

    def _search(self) -> list[Claimed] | Taken:
        """Look, try, look again: what a run gave back meanwhile is seen by a second look only."""
        looks_left = 1
        for _ in range(ATTEMPTS):
            sight = looking.look(self.core, self.actor, self.line, self.run, self.most)
            if sight.queue.settings.paused:
                return Taken(self.run, [], "paused")
            candidates = looking.candidates(self.core, self.line, sight, self.most)
            if candidates:
                claimed = self._try(candidates)
                if claimed:
                    return claimed
            elif sight.moving or claiming.settle_vanished(self.core, self.line):
                continue
            elif looks_left:
                looks_left -= 1
                if self.core.store.lag:
                    self.core.sleep(LOOK_AGAIN_SECONDS)
            else:
                return self._nothing(sight)
        return self._contended()

    def _contended(self) -> Taken:
        return Taken(self.run, [], "contended", plus(self.core.clock(), 1))

    def _nothing(self, sight: Sight) -> Taken:
        if looking.being_claimed(self.core, self.line, sight):
            return self._contended()
        deferred = self.core.store.read_line(self.line.deferred, limit=1)
        if deferred:
            return Taken(self.run, [], "deferred", deferred[0].date)
        return Taken(self.run, [], "empty")

    def _try(self, candidates: Sequence[Candidate]) -> list[Claimed]:
        """Claim the candidates; a keyed request first commits its choice (Q26)."""
        with claiming.reserved(self.core, candidates) as mine:
            if not mine:
                return []
            if self.choosing is None:
                return self._claim(mine, [self.core.new_id() for _ in mine])
            return self._choose(self.choosing, mine)

    def _claim(self, mine: Sequence[Candidate], ids: Sequence[str]) -> list[Claimed]:
        """Claim; the data is read, and the run again, while the last write is on its way."""
        self.receipt.addresses = [(one.row.stream, one.item.added) for one in mine]
        calls = self.receipt.calls
        return claiming.claim(self.core, self.actor, self.line, self.run, mine, ids, calls)

    def _choose(self, choosing: Choosing, mine: Sequence[Candidate]) -> list[Claimed]:
        addresses = [(one.row.stream, one.row.commit + 1) for one in mine]
        choices, same = choosing.choose(addresses)
        if not same:
            return self._carry_on(choosing, choices)
        return self._claim(mine, [choice.command for choice in choices])

    def _resume(self) -> list[Claimed]:
        """What an earlier sending of this request chose: taken, lost, or still to be put.

        Of a queue that is paused meanwhile nothing more is put.
        """
        if self.choosing is None:
            return []
        paused: bool | None = None
        for choices in self.choosing.earlier():
            paused = self._admit().settings.paused if paused is None else paused
            claimed = self._carry_on(self.choosing, choices, put=not paused)
            if claimed:
                return claimed
        return []

    def _admit(self) -> Queue:
        return looking.admit(self.core, self.actor, self.line, self.run)

    def _carry_on(
        self, choosing: Choosing, choices: Sequence[Choice], *, put: bool = True
    ) -> list[Claimed]:
        put_choice = partial(claiming.put_choice, self.core, self.actor, self.run)
        taken = choosing.taken(choices, put_choice if put else None)
        return [Claimed(one, claiming.item_taken(self.core, one)) for one in taken]

    def _taken(self, claimed: Sequence[Claimed]) -> Taken:
        """What was taken, with its data; given back if the run has ended meanwhile."""
        addresses = [(one.commit.stream, one.item.added) for one in claimed]
        if not self.receipt.covers(addresses):
            self.receipt.addresses = addresses
            self.core.store.together(self.receipt.calls)
        if self.receipt.run is not None and self.receipt.run.ended_at is not None:
            for one in claimed:
                runs.release(self.core, self.run, [one.commit.stream], one.commit.number)
            raise runs.ended(self.run, self.receipt.run)
        return Taken(self.run, [self._item(one) for one in claimed])

    def _item(self, one: Claimed) -> TakenItem:
        item_id = keys.item_id(one.commit.stream, one.item.generation)
        added = self.receipt.commits[one.commit.stream, one.item.added]
        token = keys.claim_token(item_id, one.commit.number)
        return TakenItem(item_id, token, one.item, Raw(added.payload() or "null"))


class _Receipt:
    """What is read once a take stands: the data of what was taken, and the run again."""

    def __init__(self, core: Core, run: str) -> None:
        self._core, self._stream = core, keys.run_stream(run)
        self.addresses: Sequence[Address] = ()
        self.calls = [self._read_data, self._read_run]
        self.commits: Mapping[Address, Commit] = {}
        self.run: Run | None = None

    def covers(self, addresses: Sequence[Address]) -> bool:
        """Whether the data was read already, and with it the run."""
        return self.commits.keys() >= set(addresses)

    def _read_data(self) -> None:
        self.commits = self._core.store.commits_at(self.addresses)

    def _read_run(self) -> None:
        row = self._core.store.load(self._stream).get(keys.HEAD)
        self.run = fold.state(self._core.executor.aggregates["run"], row)
