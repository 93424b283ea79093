"""Manual tasks with many records, in process on SQLite; what nobody measures is written in bulk."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import quantiles

from tests.manual.people import load_records, make_task
from workledger import bootstrap, keys
from workledger.jsontext import Raw
from workledger.keys import HEAD
from workledger.ledger.aggregate import Command
from workledger.manual import answering, assigning
from workledger.manual.assigning import Assigned
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.answers import Adjudication, digest
from workledger.service.core import Core
from workledger.stores.sqlite import SqliteStore
from workledger.times import plus

ANSWER = '{"ok":true}'
FRONT, BEHIND = "2020-01-01T00:00:00.000", "2021-01-01T00:00:00.000"
AT_ONCE = 500


class Desk:
    """A task on a file of its own, and its records."""

    def __init__(self, folder: Path, rule: Adjudication, records: int, hidden: int = 0) -> None:
        folder.mkdir()
        self.store = SqliteStore(str(folder / "desk.db"))
        self.core: Core = bootstrap.build(self.store).core
        self.task = make_task(self.core, rule=rule)
        if hidden:
            names = [f"h{number}" for number in range(hidden)]
            load_records(self.core, self.task, names, complete=False, date=FRONT)
        self.names = [f"r{number}" for number in range(records)]
        self.load = load_records(self.core, self.task, self.names, date=BEHIND)
        self.times: dict[str, list[float]] = {}

    @property
    def stream(self) -> str:
        """The task's stream."""
        return f"task/{self.task}"

    def next(self, worker: str, name: str = "") -> None:
        """A timed `next`, kept under a name; the answer that follows is not timed."""
        begun = time.perf_counter()
        found = assigning.next_of(self.core, worker, "Check")
        spent = time.perf_counter() - begun
        assert isinstance(found, Assigned)
        self.times.setdefault(name, []).append(spent)
        answering.submit(self.core, worker, found.id, Raw(ANSWER))

    def milliseconds(self, name: str = "") -> float:
        """The quickest tenth of what was kept: other load on the machine delays the long ones most."""
        return quantiles(self.times[name], n=10)[0] * 1_000

    def answer_all(self, worker: str, count: int) -> None:
        """A worker takes and answers the first so many records."""
        line = keys.work_list_line(self.task, 1)
        streams = [one.stream for one in self.core.store.read_line(line, limit=count)]
        for first in range(0, len(streams), AT_ONCE):
            self._answer(worker, streams[first : first + AT_ONCE])

    def _answer(self, worker: str, streams: Sequence[str]) -> None:
        now = self.core.clock()
        take = partial(hit_commands.take, worker=worker, deadline=plus(now, 3_600), now=now)
        taken = self._all(worker, streams, lambda _: take)

        def submit(stream: str) -> Callable[..., object]:
            return partial(
                hit_commands.submit, worker=worker, take=taken[stream],
                digest=digest(ANSWER), payload=ANSWER, now=now,
            )  # fmt: skip

        self._all(worker, streams, submit)

    def _all(
        self, worker: str, streams: Sequence[str], decide: Callable[[str], Callable[..., object]]
    ) -> dict[str, int]:
        """One command on each of these hits with all of its things; the commits' numbers."""
        rows = self.core.store.rows([(stream, HEAD) for stream in streams])
        commands: list[Command] = []
        for stream in streams:
            hit = self.core.executor.state(rows[stream, HEAD])
            things = tuple(dict.fromkeys((*hit.things, keys.worker_thing(worker))))
            commands.append(self.core.command(stream, worker, decide(stream), things))  # type: ignore[arg-type]
        commits = [one.unwrap().commit for one in self.core.executor.run_all(commands)]
        return {one.stream: one.number for one in commits if one is not None}

    def close(self) -> None:
        """Close the file."""
        self.store.close()
