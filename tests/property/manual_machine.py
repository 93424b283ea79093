"""Random histories over the use cases of manual tasks, with faults, and what must be true of each.

As `machine` does for queues: two processes behind one unlucky store, a projector, a timekeeper;
records that are loaded into a task and into a process with timed steps; four people who work them;
requesters who change the order meanwhile. Beside answers, and at the end when everything is
healed, the ledger is read by other means (`manual_truth`).
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.manual.travels import END, manual, routes, timed
from tests.manual.travels import rule as when
from tests.property import manual_truth as truths
from tests.property.machine import UNKNOWN, Luck, faults
from tests.property.manual_truth import Hit, Truth
from tests.races.world import World, world
from tests.support import Surroundings, make_core
from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.jsontext import Raw
from workledger.manual import (
    answering,
    assigning,
    hits,
    loading,
    processes,
    results,
    tasks,
    worklist,
)
from workledger.manual.assigning import Assigned, Nothing
from workledger.manual_tasks import csvfile
from workledger.service import projecting, rebuilding, sweeping
from workledger.service.core import Core
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import Crash, Fault
from workledger.times import plus

TASK, AFTERWARDS, WAY = "Check", "Look again", "Gateway"
DEADLINE = 60
PEOPLE = ("W1", "W2", "W3", "W4")
STEPS = [
    timed("ten", 10, "five"),
    timed("five", 5, "check"),
    timed("thirty", 30, "check"),
    manual("check", TASK, routes(when("verdict", "no", "again"), other="done")),
    manual("again", AFTERWARDS, "done"),
    END,
]
START = routes(when("amount", "1", "ten"), when("amount", "2", "thirty"), other="check")
BY_AMOUNT = [{"field": "amount", "type": "number", "direction": "desc"}]

who = st.integers(0, 1)
which = st.integers(0, 99)
person = st.sampled_from(PEOPLE)
answers = st.sampled_from(["yes", "yes", "no", "perhaps"])
half_way = st.tuples(st.integers(5, 16), st.just(Fault.CRASH_BEFORE)).map(lambda one: [one])
acts = st.sampled_from(["skip", "give_back", "extend", "approve", "reject", "reject", "abandon"])
rows = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", ""]),
        st.sampled_from(["", "", "2020-03-11T10:15:55", "2031-01-01T00:00:00"]),
    ),
    min_size=1,
    max_size=4,
)


class ManualHistories(RuleBasedStateMachine):
    """Two tasks and a process, two processes of the machine, four people."""

    kind = "sqlite"

    @initialize(
        lag=st.sampled_from([0.0, 0.0, 0.5]),
        seed=st.integers(0, 9),
        rule_of=st.sampled_from([(1, 0), (2, 1), (2, 1), (2, 2), (3, 0)]),
    )
    def begin(self, lag: float, seed: int, rule_of: tuple[int, int]) -> None:
        """An empty world with the tasks and the process."""
        self.stack = ExitStack()
        self.world: World = self.stack.enter_context(world(self.kind))
        self.clock = self.world.clock
        self.luck, self.lag, self.fifo, self.born = Luck(), lag, True, 0
        self.store = FaultyStore(
            self.world.store, plan=self.luck, clock=self.clock, lag=lag, seed=seed
        )
        core = self.world.process()
        rule = {"answers": rule_of[0], "more": rule_of[1]}
        more = {"deadline_seconds": DEADLINE, "columns": ["name", "amount"]}
        tasks.create(core, "kai", TASK, {"adjudication": rule, **more})
        tasks.create(core, "kai", AFTERWARDS, {"adjudication": {"answers": 1, "more": 0}, **more})
        processes.create(core, "kai", WAY, START, STEPS)
        self.processes = [self._process(), self._process()]
        self.assigned: list[tuple[str, str]] = []
        self.submitted: dict[str, str] = {}
        self.keyed: dict[tuple[str, str], tuple[str, str, int]] = {}
        self.takes: dict[tuple[str, str], str] = {}
        self.loads: dict[str, int] = {}
        self.healed: dict[str, int] = {}
        self.made = 0
        self.dirty, self.moved_at = False, self.clock.now
        self.load(0, [], [("3", ""), ("1", "")], None, 20.0, False)
        self.load(0, [], [("3", ""), ("2", ""), ("1", ""), ("3", "")], None, 20.0, True)

    def _process(self) -> Core:
        self.born += 1
        core = make_core(self.store, Surroundings(self.clock), f"p{self.born:04}")
        return replace(core, manual=replace(core.manual, fifo=self.fifo))

    def fresh(self) -> Core:
        """A process without faults that sees everything."""
        core = self.world.process()
        return replace(core, manual=replace(core.manual, fifo=self.fifo))

    # --- what all rules share ---
    def ask(self, who: int, unlucky: Any, call: Callable[[Core], Any]) -> Any:
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

    @property
    def calm(self) -> bool:
        """Whether nothing is left undone and every index has caught up."""
        return not self.dirty and (not self.lag or self.clock.now > plus(self.moved_at, 1))

    def due(self, truth: Truth, name: str, task: str = TASK) -> list[Hit]:
        """What a person may take, counted anew, in order."""
        shown = self.fresh().executor.read(keys.task_stream(task)).head
        there = truth.of(keys.bare(keys.task_stream(task)))
        if shown.settings.archived or not shown.may_work(name):
            return []
        kind = shown.current.kind

        def order(hit: Hit) -> tuple[Any, ...]:
            data = hit.data
            fifo = (data["hitOrderDate"], data["hitOrder"], data["number"])
            if kind.name == "legacy":
                return (data["number"],)
            if kind.name == "fifo":
                return fifo
            amount = hit.values.get("amount", "")
            rank = (1, 0) if amount == "" else (0, -int(amount))
            return (rank, fifo if kind.fifo_ties else data["number"])

        return sorted((one for one in there if one.visible(name, self.clock.now)), key=order)

    # --- requesters ---
    @rule(
        who=who,
        unlucky=faults | half_way,
        told=rows,
        key=st.sampled_from([None, "k1", "k2"]),
        seconds=st.sampled_from([20.0, 0.0]),
        way=st.booleans(),
    )
    def load(
        self,
        who: int,
        unlucky: Any,
        told: list[tuple[str, str]],
        key: str | None,
        seconds: float,
        way: bool,
    ) -> None:
        """Load some records; a key that was used before is used the same way or another."""
        lines = [f"r{self.made}.{at},{one[0]},{one[1]}" for at, one in enumerate(told)]
        self.made += 1
        text = "name,amount,record_date\n" + "\n".join(lines) + "\n"
        body = repr(told)
        started = self.clock.now
        read = csvfile.read(text.encode(), started, UTC)
        call = processes.load if way else loading.load
        of = WAY if way else TASK
        shown = self.ask(
            who,
            unlucky,
            lambda core: call(core, "kai", of, read, key, body, started, seconds=seconds),
        )
        known = self.keyed.get((of, key or ""))
        if isinstance(shown, str):
            assert shown in ("key_reused", "task_archived")
            assert shown == "task_archived" or known is None or known[0] != body
            return
        if shown is UNKNOWN:
            return
        assert key is None or known is None or known == (body, shown.id, shown.load.count)
        if key is not None:
            self.keyed[of, key] = (body, shown.id, shown.load.count)
        self.loads[shown.id] = shown.load.count

    @rule(
        who=who,
        unlucky=faults,
        values=st.sampled_from(
            [
                {"dtr": True, "comparator": BY_AMOUNT},
                {"dtr": False},
                {"paused": True},
                {"archived": True},
                *[{"archived": False, "paused": False}] * 3,
            ]
        ),
    )
    def change(self, who: int, unlucky: Any, values: dict[str, Any]) -> None:
        """The task's settings change, its order among them."""
        version = self.fresh().executor.read(keys.task_stream(TASK)).head.version
        told = self.ask(who, unlucky, lambda core: tasks.change(core, "kai", TASK, version, values))
        assert not isinstance(told, str)

    @rule(who=who, unlucky=faults, workers=st.sampled_from([(), (), PEOPLE[:3]]))
    def roster(self, who: int, unlucky: Any, workers: Sequence[str]) -> None:
        """Who may work it changes."""
        told = self.ask(who, unlucky, lambda core: tasks.set_roster(core, "kai", TASK, workers))
        assert not isinstance(told, str)

    @rule()
    def switch_fifo(self) -> None:
        """The setting of the environment changes: both processes start anew (M40)."""
        self.fifo = not self.fifo
        self.processes = [self._process(), self._process()]

    # --- people ---
    @rule(who=who, unlucky=faults, name=person, key=st.sampled_from([None, None, "k1", "k2"]))
    def next(self, who: int, unlucky: Any, name: str, key: str | None) -> None:
        """The next record: without faults exactly the first of the list (M33)."""
        calm, before = self.calm, self.truth()
        told = self.ask(who, unlucky, lambda core: assigning.next_of(core, name, TASK, None, key))
        if isinstance(told, str):
            assert told == "not_on_roster"
            return
        if told is UNKNOWN:
            return
        known = self.takes.get((name, key or "")) if key else None
        if known is not None:
            assert isinstance(told, Assigned)
            assert told.id == known, "a repeat was answered otherwise"
            return
        if isinstance(told, Assigned):
            self._note(name, told)
            if key:
                self.takes[name, key] = told.id
        if calm and not self.dirty and key is None:
            self._is_what_was_due(before, name, told)

    def _note(self, name: str, told: Assigned) -> None:
        assert all(one != told.id or mine == name for mine, one in self.assigned), "taken twice"
        self.assigned.append((name, told.id))

    def _is_what_was_due(self, before: Truth, name: str, told: Assigned | Nothing) -> None:
        head = self.fresh().executor.read(keys.task_stream(TASK)).head
        if isinstance(told, Nothing) and told.reason in ("paused", "archived"):
            assert getattr(head.settings, told.reason)
            return
        assert not head.settings.paused
        known = sorted(before.hits)
        now = self.truth()
        taken = told.hit if isinstance(told, Assigned) else None
        if taken is not None:  # as it was before this take
            work = now.hits[taken].work
            work.pop(max(work))
        due = self.due(now, name)
        assert taken == (due[0].id if due else None), f"{known} {due}"

    @rule(who=who, name=person)
    def look(self, who: int, name: str) -> None:
        """A list: without faults and rivals it is what a recount gives; else nothing is wrong."""
        calm = self.calm
        told = self.ask(who, [], lambda core: worklist.page(core, name, TASK, None, None, 100))
        truth = self.truth()
        due = [one.id for one in self.due(truth, name)]
        if isinstance(told, str):
            assert told == "not_on_roster"
            return
        listed = [one.hit for one in told.items]
        assert len(set(listed)) == len(listed)
        assert self.dirty or set(listed) <= set(due)
        for hit in listed:
            assert truth.loads[truth.hits[hit].data["load"]]["complete"], "of half a load"
        if calm and not self.dirty:
            assert listed == due

    @precondition(lambda self: self.truth().hits)
    @rule(who=who, unlucky=faults, name=person, at=which)
    def take(self, who: int, unlucky: Any, name: str, at: int) -> None:
        """A record by its name."""
        before = self.truth()
        ids = self.open(before) if at < 90 else sorted(before.hits)
        if not ids:
            return
        hit = before.hits[ids[at % len(ids)]]
        told = self.ask(who, unlucky, lambda core: assigning.take(core, name, hit.id))
        if isinstance(told, Assigned):
            self._note(name, told)
        elif isinstance(told, str):
            assert told in ("hit_taken", "hidden", "not_on_roster", "task_archived")
            if hit.data["task"] == keys.bare(keys.task_stream(AFTERWARDS)):
                loaded = before.loads[hit.data["load"]]["complete"]
                assert not (loaded and hit.visible(name, self.clock.now))

    def open(self, truth: Truth) -> list[str]:
        """Hits that are not closed, those with most answers first."""
        there = [one for one in truth.hits.values() if one.state == "open"]
        return [one.id for one in sorted(there, key=lambda one: (-len(one.work), one.id))]

    @rule(who=who, unlucky=faults, name=person, answer=answers, at=st.integers(0, 5))
    def take_and_answer(self, who: int, unlucky: Any, name: str, answer: str, at: int) -> None:
        """A record that others have met before, until it is decided."""
        before = len(self.assigned)
        self.take(who, [], name, at)
        if len(self.assigned) > before:
            self.submit(who, unlucky, 0, answer, False)

    @rule(who=who, unlucky=faults, name=person, what=acts, at=st.integers(0, 5))
    def take_and_act(self, who: int, unlucky: Any, name: str, what: str, at: int) -> None:
        """The same, and then something else than an answer."""
        before = len(self.assigned)
        self.take(who, [], name, at)
        if len(self.assigned) > before:
            self.act(who, unlucky, -1, what)

    @rule(who=who, name=person, answer=answers, unlucky=faults)
    def work(self, who: int, name: str, answer: str, unlucky: Any) -> None:
        """A round without trouble until the answer."""
        before = len(self.assigned)
        self.next(who, [], name, None)
        if len(self.assigned) > before:
            self.submit(who, unlucky, 0, answer, False)

    @precondition(lambda self: self.assigned)
    @rule(
        who=who,
        unlucky=faults,
        at=which,
        answer=answers,
        again=st.booleans(),
    )
    def submit(self, who: int, unlucky: Any, at: int, answer: str, again: bool) -> None:
        """An answer; now and then to an old assignment, or a second time."""
        name, assignment = self.assigned[at % len(self.assigned) if again else -1]
        text = json.dumps({"verdict": answer})
        told = self.ask(
            who, unlucky, lambda core: answering.submit(core, name, assignment, Raw(text))
        )
        if isinstance(told, str):
            assert told in ("assignment_over", "already_submitted")
            mine = self._attempt(assignment)
            if told == "assignment_over":
                assert mine.status != "ACCEPTED" or mine.deadline <= self.clock.now
            else:
                assert mine.answer != text or mine.status == "REJECTED"
        elif told is not UNKNOWN:
            assert self.submitted.setdefault(assignment, text) == text

    def _attempt(self, assignment: str) -> truths.Work:
        hit, take = assignment.rsplit(".", 1)
        return self.truth().hits[f"h_{hit[2:]}"].work[int(take)]

    @precondition(lambda self: self.assigned)
    @rule(
        who=who,
        unlucky=faults,
        at=which,
        what=acts,
    )
    def act(self, who: int, unlucky: Any, at: int, what: str) -> None:
        """Something else is done with an assignment, by its worker or by a requester."""
        name, assignment = self.assigned[at % len(self.assigned)]
        calls: dict[str, Callable[[Core], Any]] = {
            "skip": lambda core: answering.skip(core, name, assignment),
            "give_back": lambda core: answering.give_back(core, name, assignment),
            "extend": lambda core: answering.extend(core, name, assignment),
            "approve": lambda core: answering.approve(core, "kai", assignment),
            "reject": lambda core: answering.reject(core, "kai", assignment, "wrong"),
            "abandon": lambda core: answering.abandon(core, "kai", assignment),
        }
        before = self._attempt(assignment)
        told = self.ask(who, unlucky, calls[what])
        if told is UNKNOWN:
            return
        after = self._attempt(assignment).status
        running = before.status == "ACCEPTED" and before.deadline > self.clock.now
        if isinstance(told, str):
            assert not running or what in ("approve", "reject"), f"{what}: {told}"
        else:
            done = {
                "skip": "SKIPPED",
                "give_back": "RETURNED",
                "extend": "ACCEPTED",
                "approve": "APPROVED",
                "reject": "REJECTED",
                "abandon": "ABANDONED",
            }
            assert after == done[what]

    @rule(who=who, unlucky=faults, name=person)
    def sign_out(self, who: int, unlucky: Any, name: str) -> None:
        """A person goes: what they hold is free."""
        calm = self.calm
        told = self.ask(who, unlucky, lambda core: answering.sign_out(core, name))
        if calm and not self.dirty and told is not UNKNOWN:
            now = self.clock.now
            held = [one.holder(now) for one in self.truth().hits.values()]
            assert not [one for one in held if one and one.worker == name]

    @rule(who=who, unlucky=faults, name=st.sampled_from([*PEOPLE, "Judge"]), at=which)
    def adjudicate(self, who: int, unlucky: Any, name: str, at: int) -> None:
        """Somebody decides what is unresolved."""
        before = self.truth()
        ids = [one.id for one in before.hits.values() if one.state == "unresolved"]
        if not ids:
            return
        hit = before.hits[ids[at % len(ids)]]
        answer = Raw('{"verdict":"yes"}')
        told = self.ask(who, unlucky, lambda core: answering.adjudicate(core, name, hit.id, answer))
        if isinstance(told, str):
            assert told == "answered"
            assert hit.latest(name) is not None
        elif told is not UNKNOWN:
            assert told.status == "done"

    # --- time, and what happens by itself ---
    @rule(seconds=st.sampled_from([0.01, 0.3, 2, 5, 10, 31, 59.99, 60]))
    def tick(self, seconds: float) -> None:
        """Time passes."""
        self.clock.tick(seconds)

    @rule(who=who, unlucky=faults)
    def sweep(self, who: int, unlucky: Any) -> None:
        """The timekeeper comes by."""
        self.ask(who, unlucky, sweeping.sweep)

    @rule(who=who, unlucky=faults, chosen=st.randoms(use_true_random=False))
    def project(self, who: int, unlucky: Any, chosen: Any) -> None:
        """The projector gets some of what moved: in any order, now and then twice."""
        moved = [commit.stream for commit in self.world.store.all_commits()]
        batch = [chosen.choice(moved) for _ in range(4)]
        self.ask(who, unlucky, lambda core: projecting.moved(core, batch))

    @rule()
    def heal(self) -> None:
        """The projector catches up, the indexes and the timekeeper do."""
        self.luck.turn()
        for _ in range(2):
            heads = {one.stream: one.number for one in self.world.store.all_commits()}
            moved = [stream for stream, head in heads.items() if self.healed.get(stream) != head]
            assert projecting.moved(self.processes[0], moved) == []
            self.healed = heads
            self.clock.tick(2)
            sweeping.sweep(self.processes[0])
        self.clock.tick(2)
        self.dirty = False

    # --- the end ---
    def teardown(self) -> None:
        """Everything is healed; then everything is looked at."""
        if not hasattr(self, "stack"):
            return
        try:
            for seconds in (0, 31, 62, 32, 62, 300, 32):
                self.clock.tick(seconds)
                for task in (TASK, AFTERWARDS):  # an archived one is put in order when it is met
                    tasks.show(self.fresh(), task)
                self.heal()
            self.is_well(self.truth())
        finally:
            self.stack.close()

    def is_well(self, truth: Truth) -> None:
        """What was acknowledged is true, and every view is what the ledger makes."""
        core = self.fresh()
        assert rebuilding.check(core) == []
        for assignment, text in self.submitted.items():
            assert self._attempt(assignment).answer == text, "an answer was lost"
        for name, assignment in self.assigned:
            assert self._attempt(assignment).worker == name
        for load, many in self.loads.items():
            told = truth.loads[load[2:]]
            assert (told["complete"], told["count"]) == (True, many)
        assert all(one["complete"] for one in truth.loads.values())
        self._hits_are_all_there(truth)
        for task in (TASK, AFTERWARDS):
            self._task_is_well(core, truth, task)
        self._records_went_on(truth)

    def _hits_are_all_there(self, truth: Truth) -> None:
        """A hit for each record of a load, none too many (M54, M55)."""
        plain = [one for one in truth.hits.values() if "way" not in one.data]
        found = Counter(one.data["load"] for one in plain)
        ways = Counter(event.data["load"] for told in truth.records.values() for event in told[:1])
        for name, told in truth.loads.items():
            assert (found if told["owner"].startswith("t_") else ways)[name] == told["count"]

    def _task_is_well(self, core: Core, truth: Truth, task: str) -> None:
        now, there = self.clock.now, truth.of(keys.bare(keys.task_stream(task)))
        shown = tasks.show(core, task)
        told = Counter(one.status(now) for one in there)
        assert {name: many for name, many in shown.counts.items() if many} == dict(told)
        assert shown.progress is None
        settings = shown.task.settings
        kind = "dtr" if settings.dtr else "fifo" if self.fifo else "legacy"
        assert (shown.task.current.kind.name, shown.task.old) == (kind, ())
        for name in ("waiting", "held", "unresolved", "done"):
            page = hits.page(core, task, name, None, None, 100)
            mine = {one.id for one in there if one.status(now) == name}
            assert {one.id for one in page.items} == mine
        table = results.rows(core, task, None, None, 100).items
        assert [one.hit for one in table] == [
            one.id for one in sorted(there, key=lambda one: one.data["number"])
        ]
        for one in table:
            self._result_is_true(truth.hits[one.hit], one)
        for name in PEOPLE:
            if shown.task.may_work(name):
                listed = worklist.page(core, name, task, None, None, 100).items
                assert [one.hit for one in listed] == [
                    one.id for one in self.due(truth, name, task)
                ]

    def _result_is_true(self, hit: Hit, told: results.Result) -> None:
        assert [one.answer.text for one in told.answers] == [
            one.answer for one in sorted(hit.answers(), key=lambda one: _met(hit, one.worker))
        ]
        decided = (told.decision.by, told.decision.answer.text) if told.decision else None
        assert decided == hit.decided

    def _records_went_on(self, truth: Truth) -> None:
        """Each decision of a process's hit sent its record on, once, and to where it should."""
        for hit in truth.hits.values():
            if "way" not in hit.data:
                continue
            record, step = hit.data["way"]
            told = [one for one in truth.records[record] if one.type == "RecordAnswered"]
            mine = [one for one in told if one.data["hit"] == hit.id[2:]]
            assert len(mine) == (hit.decided is not None), f"{hit} {told}"
            assert hit.routed == (hit.decided is not None)
            routed = [one.data for one in truth.records[record] if one.type == "RecordRouted"]
            after = [one["to"] for one in routed if one["from"] == step]
            if hit.decided is not None:
                no = step == "check" and json.loads(hit.decided[1])["verdict"] == "no"
                assert after == ["again" if no else "done"]
            else:
                assert after == []
        for record, told in truth.records.items():
            ends = [one for one in told if one.type == "RecordFinished"]
            mine = [one for one in truth.hits.values() if one.data.get("way", [""])[0] == record]
            waits = [one for one in mine if one.decided is None]
            assert len(waits) + len(ends) == 1, f"{told} {mine}"


def _met(hit: Hit, worker: str) -> int:
    """The order in which people came to a hit."""
    return next(take for take, one in sorted(hit.work.items()) if one.worker == worker)
