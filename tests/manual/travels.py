"""A process, what is loaded into it, what people see and decide: for tests of business processes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from itertools import count
from typing import Any

from tests.races.world import World
from workledger import keys
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, processes, worklist
from workledger.manual.onhit import on_all
from workledger.manual_tasks import columns, csvfile, hit_commands, task_commands
from workledger.manual_tasks.answers import Adjudication, digest
from workledger.manual_tasks.hit import Hit
from workledger.manual_tasks.task import Rules, Settings
from workledger.manual_tasks.task_commands import Form
from workledger.service.core import Core

Json = dict[str, Any]

_names = count()


def rule(field: str, value: Any, step: str, op: str = "eq") -> Json:
    """A decision rule."""
    return {"field": field, "op": op, "value": value, "step": step}


def routes(*rules: Json, other: str) -> Json:
    """Rules in order, and the else."""
    return {"rules": list(rules), "else": other}


def timed(name: str, seconds: float, after: Any) -> Json:
    """A timed step."""
    return {"name": name, "kind": "timed", "seconds": seconds, "next": after}


def manual(name: str, task: str, after: Any) -> Json:
    """A manual step."""
    return {"name": name, "kind": "manual", "task": task, "next": after}


END: Json = {"name": "done", "kind": "end"}

GATEWAY_STEPS = [
    timed("ten", 10, "check"),
    timed("thirty", 30, "check"),
    manual("check", "Check", "done"),
    END,
]
GATEWAY_START = routes(rule("kind", "fast", "ten"), other="thirty")
GATEWAY_FILE = "name,kind\nr1,fast\nr2,slow\nr3,fast\nr4,slow\nr5,fast\n"


def make_task(core: Core, name: str = "Check", answers: int = 1, more: int = 0) -> str:
    """A manual task; its 26 characters."""
    command, stream = core.new_id(), keys.task_stream(name)
    form = Form(Settings(), Rules(adjudication=Adjudication(answers, more, ())))
    decide = partial(task_commands.create, name=name, form=form, fifo=True, command=command)
    core.executor.run(core.command(stream, "kai", decide, command=command))
    return keys.bare(stream)


@dataclass
class Travel:
    """A process in a world; `loads` count."""

    world: World
    name: str = "Gateway"
    task: str = "Check"

    @property
    def core(self) -> Core:
        """A process of its own for each look: nothing is remembered."""
        return self.world.process()

    def define(self, start: Any, *steps: Json) -> None:
        """Make the process."""
        processes.create(self.core, "kai", self.name, start, list(steps))

    def load(self, text: str, core: Core | None = None, key: str | None = None) -> str:
        """Load a CSV file; the load's id."""
        core = core or self.core
        started = core.clock()
        read = csvfile.read(text.encode(), started, UTC)
        key = key or f"k{next(_names)}"
        return processes.load(core, "kai", self.name, read, key, "body", started).id

    def hits(self, core: Core | None = None) -> Iterator[tuple[str, Hit]]:
        """The open hits of the task, in order."""
        core = core or self.core
        line = keys.work_list_line(keys.bare(keys.task_stream(self.task)), 1)
        for spot in core.store.read_line(line, limit=1_000):
            yield spot.stream, core.executor.read(spot.stream).head

    def list(self, worker: str = "W1") -> list[str]:
        """The names of the records that a worker may take now, in order."""
        listed = worklist.page(self.core, worker, self.task, None, None, 100).items
        return [str(one.data.value()["name"]) for one in listed]

    def name_of(self, core: Core, stream: str) -> str:
        """What the record of a hit is called."""
        return str(data_of(core, stream)["name"])

    def hit(self, name: str) -> str:
        """The stream of the open hit of a record."""
        core = self.core
        return next(one for one, _ in self.hits(core) if self.name_of(core, one) == name)

    def take(self, name: str, worker: str = "W1") -> str:
        """Take a record; the assignment's id."""
        return assigning.take(self.core, worker, keys.manual_id(self.hit(name))).id

    def decide(self, name: str, answer: str = "{}", worker: str = "W1") -> str:
        """Take a record and answer, and die before going on; the hit."""
        stream, take = assigning.located(self.take(name, worker))
        core, now = self.core, self.world.clock()
        decide = partial(
            hit_commands.submit,
            worker=worker,
            take=take,
            digest=digest(answer),
            payload=answer,
            now=now,
        )
        on_all(core, stream, worker, decide)
        return stream

    def answer(self, name: str, answer: str = "{}", worker: str = "W1") -> str:
        """Take a record and answer it: it goes on at once; the hit."""
        stream, assignment = self.hit(name), self.take(name, worker)
        answering.submit(self.core, worker, assignment, Raw(answer))
        return stream

    def results(self, load: str | None = None) -> dict[str, processes.Row]:
        """The results by the records' names."""
        rows = processes.results(self.core, self.name, load, None, 100).items
        return {str(one.columns["name"].value()): one for one in rows}

    def where(self) -> dict[str, str]:
        """Where each record is now."""
        return {name: row.step for name, row in self.results().items()}


def data_of(core: Core, stream: str) -> Json:
    """What a hit shows."""
    (created,) = core.store.commits(stream, 0, 1)
    shown, _ = columns.split(created.payload() or "")
    return {name: raw.value() for name, raw in shown.items()}


def happened(world: World, stream: str) -> list[str]:
    """The events of a stream."""
    return [event.type for commit in world.store.commits(stream) for event in commit.events]


def gateway(world: World) -> Travel:
    """The flow of the WorkFusion documentation: two timed steps, then a manual task."""
    travel = Travel(world)
    make_task(travel.core)
    travel.define(GATEWAY_START, *GATEWAY_STEPS)
    return travel
