"""The work list of every worker beside an oracle that knows nothing of this package.

The oracle is the query of the WorkFusion documentation over two plain tables, filled from what the
people did: M30's counts, ABANDONED written at the deadline, a clock of its own (M1, M20 to M37).
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.manual.people import HOUR, Floor, floor, load_records, name_of
from tests.races.world import World, world
from workledger.jsontext import Raw
from workledger.manual import answering
from workledger.manual.assigning import Assigned

WORKERS = ("Ann", "Ben", "Cyd", "Dan", "Eve")
DATES = ("2020-03-11T10:15:55.935", "2020-03-10T00:00:00.000", "2031-01-01T00:00:00.000")
ANSWERS, MORE = 2, 1

TABLES = """
CREATE TABLE hit (name TEXT, status TEXT, max_assignments INT, custom_attributes TEXT, created INT);
CREATE TABLE assignment (
    id TEXT, hit TEXT, worker TEXT, status TEXT, deadline TEXT, answer TEXT, number INT
);
"""

ASSIGNMENT_COUNT = """(
    SELECT count(*) FROM assignment a
    WHERE a.hit = h.name AND a.status IN ('ACCEPTED', 'SUBMITTED', 'APPROVED')
)"""

LIST = f"""
SELECT h.name FROM hit h
WHERE h.status = 'ASSIGNABLE'
  AND {ASSIGNMENT_COUNT} < h.max_assignments
  AND NOT EXISTS (
    SELECT 1 FROM assignment a
    WHERE a.hit = h.name AND a.worker = :worker
      AND a.status IN ('SKIPPED', 'ACCEPTED', 'SUBMITTED', 'APPROVED', 'REJECTED'))
  AND NOT EXISTS (
    SELECT 1 FROM assignment a
    WHERE a.hit = h.name AND a.worker = :worker
      AND a.status IN ('RETURNED', 'ABANDONED') AND a.deadline > :now)
ORDER BY json_extract(h.custom_attributes, '$.hitOrderDate'),
         json_extract(h.custom_attributes, '$.hitOrder'), h.created
"""


@dataclass
class Oracle:
    """What happened, in two tables."""

    now: datetime
    db: sqlite3.Connection = field(default_factory=lambda: sqlite3.connect(":memory:"))

    def __post_init__(self) -> None:
        self.db.executescript(TABLES)

    def rows(self, sql: str, **values: Any) -> list[Any]:
        """The rows of a statement."""
        return self.db.execute(sql, values).fetchall()

    def text(self, moment: datetime) -> str:
        """A moment as the tables have it."""
        return moment.isoformat(timespec="milliseconds")

    def arrive(self, names: list[str], date: str) -> None:
        """Records of one load."""
        for number, name in enumerate(names, 1):
            attributes = json.dumps({"hitOrder": number, "hitOrderDate": date})
            row = {"name": name, "attributes": attributes}
            self.rows(
                "INSERT INTO hit SELECT :name, 'ASSIGNABLE', 1, :attributes, count(*) FROM hit",
                **row,
            )

    def listed(self, worker: str) -> list[str]:
        """The query itself."""
        rows = self.rows(LIST, worker=worker, now=self.text(self.now))
        return [name for (name,) in rows]

    def tick(self, seconds: int) -> None:
        """Time goes on; who is too late has abandoned."""
        self.now += timedelta(seconds=seconds)
        self.rows(
            "UPDATE assignment SET status = 'ABANDONED'"
            " WHERE status = 'ACCEPTED' AND deadline <= :now",
            now=self.text(self.now),
        )

    def take(self, assignment: str, worker: str, name: str) -> None:
        """A worker begins."""
        deadline = self.text(self.now + timedelta(seconds=HOUR))
        self.rows(
            "INSERT INTO assignment SELECT :id, :hit, :worker, 'ACCEPTED', :deadline, NULL,"
            " count(*) FROM assignment",
            id=assignment,
            hit=name,
            worker=worker,
            deadline=deadline,
        )

    def having(self, *statuses: str, worker: str = "%") -> list[tuple[str, str]]:
        """(assignment, its worker) of those in these statuses, the oldest first."""
        marks = ",".join(f"'{one}'" for one in statuses)
        sql = f"SELECT id, worker FROM assignment WHERE status IN ({marks}) AND worker LIKE :worker"
        return self.rows(f"{sql} ORDER BY number", worker=worker)

    def becomes(self, assignment: str, status: str, answer: str | None = None) -> None:
        """An assignment changes; what its hit is then follows from the answers that count."""
        self.rows(
            "UPDATE assignment SET status = :status, answer = coalesce(:answer, answer)"
            " WHERE id = :id",
            id=assignment,
            status=status,
            answer=answer,
        )
        [(name,)] = self.rows("SELECT hit FROM assignment WHERE id = :id", id=assignment)
        counted = self.rows(
            "SELECT count(*) FROM assignment WHERE hit = :hit AND status IN"
            " ('SUBMITTED', 'APPROVED') GROUP BY answer ORDER BY 1 DESC",
            hit=name,
        )
        given = sum(count for (count,) in counted)
        most = counted[0][0] if counted else 0
        closed = (most >= ANSWERS and 2 * most > given) or given == ANSWERS + MORE
        self.rows(
            "UPDATE hit SET status = :status, max_assignments = :most WHERE name = :name",
            name=name,
            status="CLOSED" if closed else "ASSIGNABLE",
            most=min(given + 1, ANSWERS + MORE),
        )


@dataclass
class Both:
    """The task of this package and the oracle, told the same."""

    floor: Floor
    oracle: Oracle
    loads: int = 1

    def check(self) -> None:
        """Everybody's list is the oracle's."""
        for worker in WORKERS:
            listed = [name_of(one) for one in self.floor.page(worker).items]
            assert listed == self.oracle.listed(worker), worker

    def arrive(self, date: str) -> None:
        """Two more records of a load that is complete."""
        self.loads += 1
        names = [f"{self.loads}-{index}" for index in (1, 2)]
        load_records(self.floor.core(), self.floor.task, names, date=date)
        self.oracle.arrive(names, date)

    def take(self, worker: str) -> None:
        """The next record: the first of the oracle's list."""
        first = self.oracle.listed(worker)[:1]
        found = self.floor.take_next(worker)
        if isinstance(found, Assigned):
            assert [name_of(found)] == first
            self.oracle.take(found.id, worker, first[0])
        else:
            assert not first

    def work(self, worker: str, what: str, answer: str) -> None:
        """Answer, skip or return what the worker has had for longest."""
        held = self.oracle.having("ACCEPTED", worker=worker)
        if not held:
            return
        assignment, core = held[0][0], self.floor.core()
        if what == "SUBMITTED":
            answering.submit(core, worker, assignment, Raw(f'"{answer}"'))
            self.oracle.becomes(assignment, what, answer)
        else:
            do = answering.skip if what == "SKIPPED" else answering.give_back
            do(core, worker, assignment)
            self.oracle.becomes(assignment, what)

    def answer(self, worker: str, answer: str) -> None:
        """Answer what the worker has, after taking the next."""
        self.take(worker)
        self.work(worker, "SUBMITTED", answer)

    def manage(self, what: str, which: int) -> None:
        """A requester rejects or approves an answer, or abandons for a worker."""
        found = self.oracle.having("ACCEPTED" if what == "ABANDONED" else "SUBMITTED")
        if not found:
            return
        (assignment, _), core = found[which % len(found)], self.floor.core()
        if what == "REJECTED":
            answering.reject(core, "Kai", assignment, "no")
        else:
            do = answering.approve if what == "APPROVED" else answering.abandon
            do(core, "Kai", assignment)
        self.oracle.becomes(assignment, what)

    def tick(self, seconds: int) -> None:
        """Time goes on for both."""
        self.floor.world.clock.tick(seconds)
        self.oracle.tick(seconds)


def steps() -> st.SearchStrategy[tuple[Any, ...]]:
    """What may happen next: (method, arguments...)."""
    worker = st.sampled_from(WORKERS)
    return st.one_of(
        st.tuples(st.just("take"), worker),
        st.tuples(st.just("answer"), worker, st.sampled_from("xxy")),
        st.tuples(
            st.just("work"),
            worker,
            st.sampled_from(["SUBMITTED", "SUBMITTED", "SKIPPED", "RETURNED"]),
            st.sampled_from("xy"),
        ),
        st.tuples(
            st.just("manage"),
            st.sampled_from(["REJECTED", "APPROVED", "ABANDONED"]),
            st.integers(0, 5),
        ),
        st.tuples(st.just("tick"), st.sampled_from([1, HOUR // 2, HOUR - 1, HOUR])),
        st.tuples(st.just("arrive"), st.sampled_from(DATES)),
    )


def play(world: World, history: list[tuple[Any, ...]]) -> Iterator[Both]:
    """Both after each step."""
    made = floor(world, 4)
    oracle = Oracle(datetime.fromisoformat(world.clock().removesuffix("Z")))
    oracle.arrive(["1", "2", "3", "4"], DATES[0])
    both = Both(made, oracle)
    yield both
    for method, *arguments in history:
        getattr(both, method)(*arguments)
        yield both


@settings(max_examples=150, deadline=None)
@given(history=st.lists(steps(), max_size=40))
def test_m30_every_list_is_what_the_query_gives(history: list[tuple[Any, ...]]) -> None:
    """M1, M20 to M37: five workers, after every step of any history."""
    with world("sqlite") as made:
        for both in play(made, history):
            both.check()


def test_m23_the_oracle_is_no_rubber_stamp() -> None:
    """M20 to M23: what it says of one history, by hand."""
    with world("sqlite") as made:
        *_, both = play(
            made,
            [
                ("take", "Ann"),
                ("take", "Ben"),
                ("work", "Ann", "SUBMITTED", "x"),
                ("take", "Ann"),
                ("work", "Ben", "RETURNED", "x"),
            ],
        )
        both.check()
        assert both.oracle.listed("Ann") == ["2", "4"]
        assert both.oracle.listed("Ben") == ["1", "4"]
        assert both.oracle.listed("Cyd") == ["1", "2", "4"]
