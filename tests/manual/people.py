"""A manual task, its records r1, r2, ... and the people who work it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.races.world import World
from workledger import keys
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, hits, worklist
from workledger.manual.assigning import Assigned, Nothing
from workledger.manual.shown import contents_of
from workledger.manual_tasks import hit as hit_rules
from workledger.manual_tasks import hit_commands, load, task_commands
from workledger.manual_tasks.answers import Adjudication
from workledger.manual_tasks.records import Order
from workledger.manual_tasks.task import Rules, Settings, Task
from workledger.manual_tasks.task_commands import Form
from workledger.service.core import Core

DATE = "2020-03-11T10:15:55.935"
HOUR = 3_600
TWO_AND_ONE = Adjudication(2, 1)
AT_ONCE = 500


def make_task(
    core: Core,
    name: str = "Check",
    rule: Adjudication = TWO_AND_ONE,
    roster: Sequence[str] = (),
    schema: str | None = None,
    **settings: Any,
) -> str:
    """A manual task whose assignments last an hour; its 26 characters."""
    command, stream = core.new_id(), keys.task_stream(name)
    rules = Rules("Look at it.", HOUR, rule)
    form = Form(Settings(**settings), rules, schema=schema)
    decide = partial(task_commands.create, name=name, form=form, fifo=True, command=command)
    core.executor.run(core.command(stream, "kai", decide, command=command))
    if roster:
        decide = partial(task_commands.set_roster, workers=roster, command=f"{command}r")
        core.executor.run(core.command(stream, "kai", decide))
    return keys.bare(stream)


def load_records(
    core: Core,
    task: str,
    names: Sequence[str],
    *,
    complete: bool = True,
    visible_from: str | None = None,
    date: str = DATE,
    way: bool = False,
) -> str:
    """A load of records in this order, at the task's rule; the load's stream."""
    head: Task = core.executor.read(f"task/{task}").head
    first, _ = core.store.take_numbers(task, max(1, len(names)), core.clock())
    stream = keys.load_stream(task, core.new_id())
    start: dict[str, Any] = {
        "owner": f"t_{task}",
        "version": head.hit_type,
        "ordering": head.newest.version,
        "count": len(names),
        "first": first,
        "body": "",
        "columns": ["name"],
        "report": {},
        "chunks": [],
    }
    core.executor.run(core.command(stream, "kai", partial(load.start, data=start)))
    commands = [
        _create(core, task, head, stream, index, first + index - 1, name, date, visible_from, way)
        for index, name in enumerate(names, 1)
    ]
    for at in range(0, len(commands), AT_ONCE):
        for result in core.executor.run_all(commands[at : at + AT_ONCE]):
            result.unwrap()
    if complete:
        complete_load(core, stream)
    return stream


def complete_load(core: Core, stream: str) -> None:
    """Make its records visible."""
    core.executor.run(core.command(stream, "kai", load.complete))


def _create(
    core: Core,
    task: str,
    head: Task,
    of: str,
    index: int,
    number: int,
    name: str,
    date: str,
    visible_from: str | None,
    way: bool,
) -> Any:
    rule = head.rules.adjudication
    places = hit_rules.places(head.orderings, Order(index, date), {"name": name}, number)
    data = {
        "task": task,
        "version": head.hit_type,
        "load": keys.bare(of),
        "index": index,
        "number": number,
        "hitOrder": index,
        "hitOrderDate": date,
        "answers": rule.answers,
        "more": rule.more,
        "places": [list(one) for one in places],
        **({"visibleFrom": visible_from} if visible_from else {}),
        **({"way": [f"{index:026}", "check"]} if way else {}),
    }
    payload = f'{{"data":{{"name":"{name}","total":1.50}},"more":{{"note":"kept"}}}}'
    decide = partial(hit_commands.create, data=data, payload=payload)
    return core.command(keys.hit_stream(of, index), "kai", decide, command=f"{of}/{index}")


@dataclass
class Floor:
    """A task in a world. Each look is by a process of its own, unless one is given."""

    world: World
    name: str = "Check"
    task: str = ""
    load: str = ""

    def core(self) -> Core:
        """A fresh process: nothing is remembered."""
        return self.world.process()

    def list(self, worker: str, core: Core | None = None, **wanted: Any) -> str:
        """The names of what a worker may take: `1 2 3`."""
        page = self.page(worker, core, **wanted)
        return " ".join(name_of(one) for one in page.items)

    def page(
        self,
        worker: str,
        core: Core | None = None,
        *,
        version: int | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Any:
        """A page of a worker's list."""
        return worklist.page(core or self.core(), worker, self.name, version, cursor, limit)

    def next(self, worker: str, core: Core | None = None, **wanted: Any) -> str:
        """Takes the next: its name, or the reason why there is none."""
        found = self.take_next(worker, core, **wanted)
        return name_of(found) if isinstance(found, Assigned) else found.reason

    def take_next(
        self, worker: str, core: Core | None = None, *, key: str | None = None
    ) -> Assigned | Nothing:
        """Takes the next."""
        return assigning.next_of(core or self.core(), worker, self.name, None, key)

    def take(self, worker: str, name: str, core: Core | None = None) -> Assigned:
        """Takes the record of that name."""
        return assigning.take(core or self.core(), worker, self.hit(name))

    def submit(self, worker: str, name: str, answer: str = '"yes"') -> None:
        """Answers what the worker holds."""
        answering.submit(self.core(), worker, self.held(worker, name), Raw(answer))

    def answer(self, worker: str, name: str, answer: str = '"yes"') -> None:
        """Takes the record of that name and answers."""
        taken = self.take(worker, name)
        answering.submit(self.core(), worker, taken.id, Raw(answer))

    def skip(self, worker: str, name: str) -> None:
        """Skips what the worker holds."""
        answering.skip(self.core(), worker, self.held(worker, name))

    def give_back(self, worker: str, name: str) -> None:
        """Returns what the worker holds."""
        answering.give_back(self.core(), worker, self.held(worker, name))

    def held(self, worker: str, name: str) -> str:
        """The assignment by which a worker holds a record."""
        page = assigning.active(self.core(), worker, None, 100)
        return next(one.id for one in page.items if name_of(one) == name)

    def active(self, worker: str) -> str:
        """The names of what a worker holds."""
        page = assigning.active(self.core(), worker, None, 100)
        return " ".join(name_of(one) for one in page.items)

    def hit(self, name: str) -> str:
        """The id of the record of that name."""
        core = self.core()  # also one of half a load, which stands in no list
        found = core.store.read_index("number", self.task, limit=1_000)
        texts = contents_of(core, [one.stream for one in found])
        named = (stream for stream, text in texts.items() if f'"name":"{name}"' in text)
        return keys.manual_id(next(named))

    def stream(self, name: str) -> str:
        """The stream of the record of that name."""
        return f"hit/{self.hit(name)[2:]}"

    def shown(self, name: str) -> hits.HitShown:
        """The record of that name as requesters see it."""
        return hits.show(self.core(), self.hit(name))

    def set(self, **settings: Any) -> None:
        """Change the task's settings."""
        core, stream = self.core(), f"task/{self.task}"
        head: Task = core.executor.read(stream).head
        form = Form(Settings(**settings), head.rules)
        decide = partial(
            task_commands.change, version=head.version, form=form, fifo=True, command=core.new_id()
        )
        core.executor.run(core.command(stream, "kai", decide))


def name_of(one: Any) -> str:
    """What a record is called."""
    return str(one.data.value()["name"])


def floor(world: World, records: int = 5, rule: Adjudication = TWO_AND_ONE, **more: Any) -> Floor:
    """The records 1 to 5 of a task with adjudication 2+1."""
    task = make_task(world.process(), rule=rule, **more)
    names = [str(index) for index in range(1, records + 1)]
    return Floor(world, task=task, load=load_records(world.process(), task, names))
