"""Random histories over the use cases, with faults, and what must be true of each (Q94).

Two processes behind one unlucky store. What was acknowledged is written down; what was not may or
may not have happened. Beside each answer, and at the end when everything is healed, the ledger is
read by other means (`truth`).
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.property import truth as truths
from tests.property.truth import Item, Truth
from tests.races.world import World, world
from tests.support import Surroundings, make_core
from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.jsontext import Raw
from workledger.queues.item_commands import Failure, NewItem
from workledger.queues.queue import Settings
from workledger.service import (
    adding,
    closing,
    feed,
    items,
    listing,
    projecting,
    queues,
    rebuilding,
    runs,
    sweeping,
    taking,
)
from workledger.service.core import Core
from workledger.service.taking import Taken, Wanted
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import Crash, Fault, Step, faults_of
from workledger.times import plus

NAME = "Invoices"
LEASE = 60
LATE = {"run_ended", "stale_claim", "already_closed"}
UNKNOWN = object()
"""Nobody knows whether it happened."""


@dataclass
class Luck:
    """The plan of a store: at which of the next steps what goes wrong."""

    coming: dict[int, Fault] = field(default_factory=dict[int, Fault])
    steps: int = 0
    fired: int = 0

    def __call__(self, step: Step) -> Fault | None:
        self.steps += 1
        fault = self.coming.get(self.steps)
        if fault is None or fault not in faults_of(step.method):
            return None
        self.fired += 1
        return fault

    def turn(self, faults: Sequence[tuple[int, Fault]] = ()) -> None:
        """From here on."""
        self.coming, self.steps = dict(faults), 0


faults = st.one_of(
    st.just([]),
    st.just([]),
    st.lists(st.tuples(st.integers(1, 14), st.sampled_from(Fault)), min_size=1, max_size=3),
)
which = st.integers(0, 99)
process = st.integers(0, 1)
worker = st.sampled_from(["ann", "bob"])


class Histories(RuleBasedStateMachine):
    """One queue name, two processes, two workers, a projector and a timekeeper."""

    kind = "sqlite"

    @initialize(
        lag=st.sampled_from([0.0, 0.5]),
        seed=st.integers(0, 9),
        retries=st.integers(0, 2),
        delay=st.sampled_from([0, 0, 20]),
    )
    def begin(self, lag: float, seed: int, retries: int, delay: int) -> None:
        """An empty world with a queue."""
        self.stack = ExitStack()
        self.world: World = self.stack.enter_context(world(self.kind))
        self.clock = self.world.clock
        self.luck = Luck()
        self.lag = lag
        self.store = FaultyStore(
            self.world.store, plan=self.luck, clock=self.clock, lag=lag, seed=seed
        )
        self.born = 0
        self.processes = [self._process(), self._process()]
        self.runs: dict[str, str] = {}
        self.claims: list[tuple[str, str, str]] = []
        self.taken: dict[str, str] = {}
        self.closed: dict[str, tuple[str, Any]] = {}
        self.adds: dict[tuple[str, str, int], Any] = {}
        self.takes: dict[tuple[str, str, str], Taken] = {}
        self.dirty = False
        self.moved_at = self.clock.now
        settings = Settings(retries=retries, retry_delay_seconds=delay)
        queue = queues.create(self.world.process(), "kai", NAME, settings).id
        entries = [NewItem("0", one, rank) for rank, one in enumerate(["a", None, "b", None])]
        added = adding.add(self.world.process(), "kai", queue, entries)
        self.ids = [one.id for one in added.items]
        self.created = set(self.ids)

    def _process(self) -> Core:
        self.born += 1
        return make_core(self.store, Surroundings(self.clock), f"p{self.born:04}")

    # --- what all rules share ---
    def ask(
        self, who: int, unlucky: Sequence[tuple[int, Fault]], call: Callable[[Core], Any]
    ) -> Any:
        """The answer, the code of a refusal, or UNKNOWN."""
        before = self.luck.fired
        self.luck.turn(unlucky)
        self.moved_at = self.clock.now
        try:
            return call(self.processes[who])
        except Refused as refused:
            return refused.code
        except StoreError:
            return UNKNOWN
        except Crash:
            self.processes[who] = self._process()
            return UNKNOWN
        finally:
            self.luck.turn()
            self.dirty |= self.luck.fired > before

    def truth(self) -> Truth:
        """What the ledger says now."""
        return truths.read(self.world.store.all_commits())

    def queue(self) -> str | None:
        """The id of the live queue, if there is one."""
        seen = self.world.process().executor.read(keys.queue_stream(NAME)).head
        return None if seen.deleted_at else keys.queue_id(keys.queue_stream(NAME), seen.generation)

    def is_lost(self, truth: Truth, run: str) -> bool:
        """Whether a run has ended or its lease has passed."""
        stream = keys.run_stream(run)
        if truth.ended[run]:
            return True
        _, beats = self.world.store.heads_and_beats([stream])
        started = self.world.store.commits(stream)[0].at
        until = max(plus(started, LEASE), beats[stream].deadline if stream in beats else "")
        return self.clock.now > until

    @property
    def calm(self) -> bool:
        """Whether nothing is left undone and every index has caught up."""
        return not self.dirty and (not self.lag or self.clock.now > plus(self.moved_at, 1))

    def item(self, at: int) -> str:
        """One of the items that were ever answered."""
        return self.ids[at % len(self.ids)]

    # --- producers ---
    @rule(
        who=process,
        unlucky=faults,
        references=st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=3),
        priority=st.sampled_from([0, 0, 5]),
        wait=st.sampled_from([0, 0, 0, 0, 40]),
        key=st.sampled_from([None, "k1", "k2"]),
    )
    def add(
        self,
        who: int,
        unlucky: Any,
        references: list[str | None],
        priority: int,
        wait: int,
        key: str | None,
    ) -> None:
        """Add one or some, with a key or without; a key that was used before is used the same way."""
        queue = self.queue() or NAME
        body = repr((references, priority, wait))
        used = next((at for at in self.adds if at[:2] == (queue, key)), None)
        moment = plus(self.clock.now, wait) if wait else None
        entries = [NewItem(f'"{one}"', one, priority, moment) for one in references]
        told = self.ask(
            who, unlucky, lambda core: adding.add(core, "kai", queue, entries, key, body)
        )
        if told == "key_reused":
            assert used is not None
            assert used[2] != hash(body)
        elif isinstance(told, str):
            assert (told, queue) == ("queue_not_found", NAME)
        else:
            self._note_add(queue, key, body, told)

    def _note_add(self, queue: str, key: str | None, body: str, told: Any) -> None:
        at = (queue, key or "", hash(body))
        if key is not None:
            earlier = self.adds.get(at, UNKNOWN)
            assert earlier in (UNKNOWN, told) or told is UNKNOWN, "a repeat was answered otherwise"
            self.adds[at] = earlier if told is UNKNOWN else told
        if told is not UNKNOWN:
            self.ids += [one.id for one in told.items if one.id not in self.ids]
            self.created |= {one.id for one in told.items if one.created}

    # --- workers ---
    @rule(
        who=process,
        unlucky=faults,
        name=worker,
        key=st.sampled_from([None, None, "k1", "k2"]),
        most=st.sampled_from([None, None, 2]),
    )
    def take(self, who: int, unlucky: Any, name: str, key: str | None, most: int | None) -> None:
        """The next item, or some, with a key or without."""
        queue = self.queue() or NAME
        run = self.runs.get(name)
        calm, before = self.calm, self.truth()
        wanted = Wanted(run=run, lease_seconds=LEASE, key=key, max_items=2 if key == "k2" else most)
        told = self.ask(who, unlucky, lambda core: taking.take(core, name, queue, wanted))
        if told is UNKNOWN:
            return
        if isinstance(told, str):
            self._refused_take(told, name, queue)
            return
        self.runs[name] = told.run
        known = self.takes.get((queue, told.run, key or ""))
        if key is not None and known is not None:
            assert [one.claim for one in told.items] == [one.claim for one in known.items]
            return
        if key is not None and told.items:
            self.takes[queue, told.run, key] = told
        for one in told.items:
            assert self.taken.get(one.claim) is None, "taken twice"
            self.taken[one.claim] = told.run
            self.claims.append((name, one.id, one.claim))
            self.ids += [one.id] if one.id not in self.ids else []
        if calm and not self.dirty and key is None:
            self._is_what_was_due(before, queue, told, wanted.max_items or 1)

    def _refused_take(self, told: str, name: str, queue: str) -> None:
        if told == "queue_not_found":
            assert queue == NAME
        else:
            assert told == "run_ended"
            run = self.runs.pop(name, None)
            assert run is None or self.is_lost(self.truth(), run)

    def _is_what_was_due(self, before: Truth, queue: str, told: Taken, most: int) -> None:
        """Without faults and rivals: exactly the first ones, or the true reason (Q20, Q22)."""
        there = before.of(queue)
        if before.queues[queue]["paused"]:
            assert told.reason == "paused"
            return
        if any(one.run and self.is_lost(before, one.run) for one in there):
            return
        ready = [one.id for one in there if one.ready(self.clock.now)]
        assert [one.id for one in told.items] == ready[:most]
        if not ready:
            waiting = any(one.status == "new" for one in there)
            assert told.reason == ("deferred" if waiting else "empty")

    @rule(who=process, unlucky=faults, name=worker, how=st.sampled_from("ccfFFx"))
    def work(self, who: int, unlucky: Any, name: str, how: str) -> None:
        """A round without trouble until it ends."""
        before = len(self.claims)
        self.take(who, [], name, None, None)
        if len(self.claims) > before:
            self.close(who, unlucky, 0, how, False)

    @precondition(lambda self: self.claims)
    @rule(who=process, unlucky=faults, at=which, how=st.sampled_from("ccfFFx"), again=st.booleans())
    def close(self, who: int, unlucky: Any, at: int, how: str, again: bool) -> None:
        """Complete, fail with retry or for good; now and then an old round."""
        name, item, claim = self.claims[at % len(self.claims) if again else -1]
        calls: dict[str, Callable[[Core], Any]] = {
            "c": lambda core: closing.complete(core, name, item, claim, Raw("1")),
            "x": lambda core: closing.complete(core, name, item, claim, None),
            "f": lambda core: closing.fail(core, name, item, claim, Failure("broken")),
            "F": lambda core: closing.fail(core, name, item, claim, Failure("bad", retry=False)),
        }
        told = self.ask(who, unlucky, calls[how])
        truth = self.truth()
        now = truth.items[item]
        number = int(claim.rsplit(":", 1)[1])
        live = truth.queues[now.queue]["live"]
        if isinstance(told, str):
            assert told in LATE if live else told == "queue_not_found"
            mine = now.status == "inProgress" and now.claim == number
            assert not (live and mine) or self.is_lost(truth, now.run or "")
            if live and number == max(now.closed, default=0):
                assert self.closed.get(claim, ("", ""))[0] != how, "an exact repeat"
        elif told is not UNKNOWN:
            assert live or self.dirty
            self.closed.setdefault(claim, (how, now.closed[number]))
            assert self.closed[claim] == (how, now.closed[number])

    @precondition(lambda self: self.claims)
    @rule(who=process, unlucky=faults, at=which)
    def beat(self, who: int, unlucky: Any, at: int) -> None:
        """A sign of life."""
        name, item, claim = self.claims[at % len(self.claims)]
        told = self.ask(
            who, unlucky, lambda core: closing.beat(core, name, item, claim, f"at {at}")
        )
        if isinstance(told, str) and told > "A":
            assert told in LATE | {"queue_not_found"} or told.startswith("2026-")

    @precondition(lambda self: self.runs)
    @rule(who=process, unlucky=faults, name=worker)
    def end(self, who: int, unlucky: Any, name: str) -> None:
        """A worker's run ends."""
        run = self.runs.get(name)
        if run is not None:
            told = self.ask(who, unlucky, lambda core: runs.end(core, name, run, "stop"))
            assert told is UNKNOWN or told.run.ended_at
            if told is not UNKNOWN:
                self.runs.pop(name)

    # --- managers ---
    @precondition(lambda self: self.ids)
    @rule(
        who=process,
        unlucky=faults,
        at=which,
        what=st.sampled_from(["requeue", "delete", "restore", "raise", "defer"]),
    )
    def manage(self, who: int, unlucky: Any, at: int, what: str) -> None:
        """Something is done to an item."""
        item = self.item(at)
        later = plus(self.clock.now, 30)
        calls: dict[str, Callable[[Core], Any]] = {
            "requeue": lambda core: items.requeue(core, "kai", item),
            "delete": lambda core: items.delete(core, "kai", item),
            "restore": lambda core: items.restore(core, "kai", item),
            "raise": lambda core: items.change(core, "kai", item, {"priority": 9}),
            "defer": lambda core: items.change(core, "kai", item, {"notBefore": later}),
        }
        before = self.truth().items[item]
        told = self.ask(who, unlucky, calls[what])
        truth = self.truth()
        if told is UNKNOWN:
            return
        if not truth.queues[before.queue]["live"]:
            assert told == "queue_not_found" or self.dirty
            return
        self._is_fair(what, told, before, truth.items[item])

    def _is_fair(self, what: str, told: Any, before: Item, after: Item) -> None:
        """The refusal is true, or it was done."""
        newest = max(
            (one for one in self.ids if one.split(".")[0] == before.id.split(".")[0]),
            key=lambda one: int(one.split(".")[1]),
        )
        legal = {
            "requeue": before.status == "failed" and newest == before.id,
            "delete": before.status != "inProgress",
            "restore": newest == before.id,
            "raise": before.status == "new" and newest == before.id,
            "defer": before.status == "new" and newest == before.id,
        }[what]
        if isinstance(told, str):
            assert not legal or newest != before.id or self.dirty, f"{what}: {told} for {before}"
        elif what == "requeue":
            assert (after.status, after.attempt) == ("new", 0)
        elif what == "delete":
            assert after.status == "deleted"
        elif what == "restore":
            assert after.status != "deleted"

    @rule(
        who=process,
        unlucky=faults,
        values=st.sampled_from(
            [{"paused": False}, {"retries": 2}, {"retries": 1}, {"paused": True}]
        ),
    )
    def change_queue(self, who: int, unlucky: Any, values: dict[str, Any]) -> None:
        """The queue's settings change."""
        queue = self.queue()
        if queue is None:
            return
        version = queues.find(self.world.process(), queue).queue.version
        told = self.ask(
            who, unlucky, lambda core: queues.change(core, "kai", queue, version, values)
        )
        assert not isinstance(told, str)

    @rule(who=process, unlucky=faults, sure=st.sampled_from([*[False] * 7, True]))
    def delete_queue(self, who: int, unlucky: Any, sure: bool) -> None:
        """The queue is deleted, if it is not there it is created again."""
        if self.queue() is None:
            told = self.ask(
                who, unlucky, lambda core: queues.create(core, "kai", NAME, Settings(retries=1))
            )
            assert not isinstance(told, str)
        elif sure:
            self.ask(who, unlucky, lambda core: queues.delete(core, "kai", NAME, None))

    # --- time, and what happens by itself ---
    @rule(seconds=st.sampled_from([0.01, 0.3, 2, 2, 25, 45, 70]))
    def tick(self, seconds: float) -> None:
        """Time passes."""
        self.clock.tick(seconds)

    @rule(who=process, unlucky=faults)
    def sweep(self, who: int, unlucky: Any) -> None:
        """The timekeeper comes by."""
        self.ask(who, unlucky, sweeping.sweep)

    @rule(who=process, unlucky=faults, chosen=st.randoms(use_true_random=False))
    def project(self, who: int, unlucky: Any, chosen: Any) -> None:
        """The projector gets some of what moved: in any order, now and then twice."""
        moved = [commit.stream for commit in self.world.store.all_commits()]
        batch = [chosen.choice(moved) for _ in range(4)]
        self.ask(who, unlucky, lambda core: projecting.moved(core, batch))

    @rule()
    def heal(self) -> None:
        """The projector catches up, and the indexes do."""
        self.luck.turn()
        moved = [commit.stream for commit in self.world.store.all_commits()]
        assert projecting.moved(self.processes[0], moved) == []
        self.clock.tick(2)
        self.dirty = False

    # --- the end ---
    def teardown(self) -> None:
        """Everything is healed; then everything is looked at."""
        if not hasattr(self, "stack"):
            return
        try:
            for seconds in (0, 62, 62, 32):
                self.clock.tick(seconds)
                self.heal()
                sweeping.sweep(self.processes[0])
            self.heal()
            self.is_well(self.truth())
        finally:
            self.stack.close()

    def is_well(self, truth: Truth) -> None:
        """What was acknowledged is true, and every view is what the ledger makes (Q94)."""
        core = self.processes[1]
        assert rebuilding.check(core) == []
        assert self.created <= truth.items.keys()
        for claim, run in self.taken.items():
            item, number = claim.rsplit(":", 1)
            assert (int(number), run) in truth.items[item].takes
        for claim, (_, event) in self.closed.items():
            item, number = claim.rsplit(":", 1)
            assert truth.items[item].closed[int(number)] == event
            if event == "ItemCompleted":
                assert truth.items[item].status in ("completed", "deleted")
        for queue, told in truth.queues.items():
            if told["live"]:
                self._queue_is_well(core, truth, queue)
        for run in truth.ended:
            held = [one for one in truth.items.values() if one.status == "inProgress"]
            mine = sorted(one.id.split(".")[0][2:] for one in held if one.run == run)
            found = core.store.read_index("run", run, limit=100)
            assert [one.stream[5:] for one in found] == mine
            assert not (truth.ended[run] and mine), "an ended run holds something"
        self._feed_is_well(core)

    def _queue_is_well(self, core: Core, truth: Truth, queue: str) -> None:
        there = truth.of(queue)
        counts = dict(truths.counts(there))
        assert queues.count(core, queue) == {"all": sum(counts.values()), **counts}
        shown: list[str] = []
        cursor = None
        while True:
            page = listing.page(core, queue, None, None, cursor, 3)
            shown += [one.id for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        alive = [one for one in there if one.status != "deleted"]
        assert shown == [one.id for one in sorted(alive, key=lambda one: one.number)]
        line = core.store.read_line(keys.queue_line(queue, "new"), limit=1000)
        ready = [one.id for one in there if one.status == "new" and one.not_before is None]
        assert [one.tie for one in line] == ready

    def _feed_is_well(self, core: Core) -> None:
        """Every event once, in order per stream (Q93)."""
        told: dict[str, list[int]] = {}
        after = None
        while True:
            page = feed.page(core, after, 7)
            for one in page.items:
                if one.index == 0:
                    told.setdefault(one.stream, []).append(one.commit)
            if not page.items:
                break
            after = page.next_cursor
        made: dict[str, list[int]] = {}
        for commit in self.world.store.all_commits():
            if keys.kind(commit.stream) in projecting.FED_KINDS:
                made.setdefault(commit.stream, []).append(commit.number)
        assert told == made
