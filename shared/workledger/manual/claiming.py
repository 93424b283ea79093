"""The claim of a record by one worker: put once; who loses goes on to the next one (M24, M36)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.keys import HEAD, worker_thing
from workledger.ledger.aggregate import Command
from workledger.ledger.commit import Commit
from workledger.manual import assigned, common, worklist
from workledger.manual.assigned import Assigned, Receipt
from workledger.manual.merging import Sight
from workledger.manual.worklist import Candidate
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.hit import ACCEPTED, Hit
from workledger.manual_tasks.task import Rules, Task
from workledger.queues.choices import Choice
from workledger.service.choosing import Choosing
from workledger.service.core import Core
from workledger.service.looking import heal
from workledger.times import plus
from workledger.views.order import Spot
from workledger.views.row import Row

ATTEMPTS = 16
"""Races a `next` may lose on one task before it says `contended`."""

LOOK_AGAIN_SECONDS = 0.1
"""Before `empty` is said, an index that lags is looked at once more."""

TASKS_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why a `next` brought nothing: empty, paused, archived or contended."""

    reason: str


class Next:
    """One `next` of one worker."""

    def __init__(
        self, core: Core, worker: str, task: str | None, version: int | None, key: str | None
    ) -> None:
        self.core, self.worker, self.task, self.version = core, worker, task, version
        self.choosing: Choosing | None = None
        if key:
            of = common.find_task(core, task).id if task is not None else ""
            scope = f"manual/{of}/{version or ''}"
            self.choosing = Choosing(core, worker, keys.take_stream(worker, scope, key))

    def answer(self) -> Assigned | Nothing:
        """An assignment or a reason. Another sending of this is looked for before and after."""
        found = self._resume() or self._search()
        if isinstance(found, Nothing):
            found = self._resume() or found
        return found

    def _search(self) -> Assigned | Nothing:
        found = self._pass()
        if found == Nothing("empty") and self.core.store.lag:
            self.core.sleep(LOOK_AGAIN_SECONDS)
            found = self._pass()
        return found

    def _pass(self) -> Assigned | Nothing:
        """Look once at the task, or at every task in turn."""
        if self.task is not None:
            sight = worklist.look(self.core, self.worker, self.task, self.version)
            reason = closed(sight.task)
            return Nothing(reason) if reason else self._of(sight)
        worklist.settle(self.core)
        reason = "empty"
        for stream, task in _tasks(self.core, self.worker):
            sight = Sight(self.worker, stream, task, None, self.core.clock())
            found = self._of(sight)
            if isinstance(found, Assigned):
                return found
            reason = found.reason if found.reason == "contended" else reason
        return Nothing(reason)

    def _of(self, sight: Sight) -> Assigned | Nothing:
        """Take from one task; who loses a record to another goes on to the next one (M36)."""
        gone: set[str] = set()
        for attempt in range(ATTEMPTS):
            if attempt:
                sight = replace(sight, now=self.core.clock())
            found = self._try(sight, gone)
            if isinstance(found, Assigned):
                return found
            if found is None and not gone:
                return Nothing("empty")
            if found is None:  # before `empty`, what the winners may not have placed is read
                for stream in gone:
                    self.core.executor.read(stream)
                gone.clear()
        return Nothing("contended")

    def _try(self, sight: Sight, gone: set[str]) -> Assigned | bool | None:
        """Claim one; True when another try may bring one, None when there is nothing to try."""
        busy = False
        for one in self._chosen(sight, gone):
            if not self.core.memory.reserve([one.spot]):
                busy = True
                continue
            try:
                return self._claim(sight, one, gone) or True
            finally:
                self.core.memory.release([one.spot])
        if busy:
            self.core.executor.pause(1)
        return True if busy else None

    def _chosen(self, sight: Sight, gone: set[str]) -> Iterator[Candidate]:
        """The first, or after lost races from a random one of the first 2^k on."""
        spread = 1 << self.core.memory.k(sight.line, sight.now)
        found = worklist.candidates(self.core, sight, wanted=spread)
        free = (one for one in found if one.spot.stream not in gone)
        first = list(islice(free, spread))
        start = self.core.choose(len(first)) if len(first) > 1 else 0
        yield from first[start:]
        yield from first[:start]
        yield from free

    def _claim(self, sight: Sight, one: Candidate, gone: set[str]) -> Assigned | None:
        stream, number = one.spot.stream, one.rows[HEAD].commit + 1
        command = self.core.new_id()
        if self.choosing is not None:
            choices, same = self.choosing.choose([(stream, number)])
            if not same:
                return self._carry_on(self.choosing, choices)
            command = choices[0].command
        return self._put(sight, one, command, gone)

    def _put(self, sight: Sight, one: Candidate, command: str, gone: set[str]) -> Assigned | None:
        receipt = Receipt(self.core, one.spot.stream)
        rules = common.rules_of(self.core, sight.stream, one.hit.version)
        asked = _take(self.worker, one.spot.stream, one.rows, rules, command, sight.now)
        try:
            outcome = self.core.executor.once_all([(asked, one.rows)], [receipt.read])[0]
        except Refused:
            gone.add(one.spot.stream)
            return None
        if isinstance(outcome, Commit):
            self._lost(sight, outcome, gone)
            return None
        self.core.memory.won(sight.line)
        if outcome.commit is None:
            return None
        return assigned.of_take(self.core, outcome.commit, sight.task, one.hit, receipt.text)

    def _lost(self, sight: Sight, commit: Commit, gone: set[str]) -> None:
        """Another came first: with a take the record is gone, with another change it is not."""
        if any(event.type == ACCEPTED for event in commit.events):
            self.core.memory.lost(sight.line, sight.now)
            gone.add(commit.stream)
            heal(self.core, commit, sight.now)
        else:
            with suppress(StoreError):
                self.core.executor.finish(commit)

    # --- repeats ---

    def _resume(self) -> Assigned | None:
        """What an earlier sending of this request took, or was about to take."""
        if self.choosing is None:
            return None
        for choices in self.choosing.earlier():
            found = self._carry_on(self.choosing, choices)
            if found is not None:
                return found
        return None

    def _carry_on(self, choosing: Choosing, choices: Sequence[Choice]) -> Assigned | None:
        taken = choosing.taken(choices, self._put_choice)
        return assigned.again(self.core, taken[0]) if taken else None

    def _put_choice(self, choice: Choice) -> Commit | None:
        """Put a choice that an earlier sending did not put, if it may still be."""
        core, stream, now = self.core, choice.stream, self.core.clock()
        rows = core.store.load(stream)
        hit: Hit | None = core.executor.state(rows.get(HEAD))
        if hit is None or rows[HEAD].commit != choice.number - 1:
            address = (stream, choice.number)
            return core.store.commits_at([address]).get(address)
        task: Task = core.executor.read(f"task/{hit.task}").head
        if closed(task) or not task.may_work(self.worker):
            return None
        rows |= worklist.things_of(core, stream, hit, self.worker)
        rules = common.rules_of(core, f"task/{hit.task}", hit.version)
        asked = _take(self.worker, stream, rows, rules, choice.command, now)
        try:
            outcome = core.executor.once(asked, rows)
        except Refused:
            return None
        return outcome if isinstance(outcome, Commit) else outcome.commit


def closed(task: Task) -> str | None:
    """Why nothing of a task is offered: archived, paused; None when it is."""
    if task.settings.archived:
        return "archived"
    return "paused" if task.settings.paused else None


def _take(
    worker: str, stream: str, rows: Mapping[str, Row], rules: Rules, command: str, now: str
) -> Command:
    """The take of a hit, at the very moment for which it was found free (M33)."""
    deadline = plus(now, rules.deadline_seconds)
    decide = partial(hit_commands.take, worker=worker, deadline=deadline, now=now)
    things = tuple(dict.fromkeys((worker_thing(worker), *(one for one in rows if one != HEAD))))
    return Command(stream, command, worker, now, decide, things)


def _tasks(core: Core, worker: str) -> Iterator[tuple[str, Task]]:
    """The tasks that a worker may work, by priority, then name (M44)."""
    after: Spot | None = None
    while True:
        spots = core.store.read_line(keys.TASKS_LINE, after=after, limit=TASKS_AT_ONCE)
        rows = core.store.rows([(one.stream, HEAD) for one in spots]) if spots else {}
        for one in spots:
            task: Task | None = core.executor.state(rows.get((one.stream, HEAD)))
            if task is not None and not closed(task) and task.may_work(worker):
                yield one.stream, task
        if len(spots) < TASKS_AT_ONCE:
            return
        after = spots[-1]
