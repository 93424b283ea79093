"""Assignments as their workers see them: what is needed to work, and nobody else's answer (M27)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.jsontext import Raw
from workledger.keys import HEAD
from workledger.ledger.commit import Commit
from workledger.manual import common
from workledger.manual.shown import attributes_and_data, contents_of, status_of_assignment
from workledger.manual_tasks.hit import ACCEPTED, Assignment, Hit
from workledger.manual_tasks.task import Task
from workledger.service.core import Core


@dataclass(frozen=True, slots=True)
class Assigned:
    """A worker's own attempt at a record, with what is needed to work it. Ids as on the wire."""

    id: str
    hit: str
    task: str
    task_name: str
    version: int
    worker: str
    status: str
    accepted_at: str
    deadline: str
    data: Raw
    custom_attributes: dict[str, object]
    instructions: str
    schema: Raw | None


class Receipt:
    """A hit's content, read while the rows of its take are being placed."""

    def __init__(self, core: Core, stream: str) -> None:
        self._core, self._stream = core, stream
        self._text: str | None = None

    def read(self) -> None:
        """Read it."""
        self._text = contents_of(self._core, [self._stream])[self._stream]

    @property
    def text(self) -> str:
        """The content; read now, if it was not read yet."""
        if self._text is None:
            self.read()
        return self._text or ""


def of_take(core: Core, take: Commit, task: Task, hit: Hit, text: str) -> Assigned:
    """The assignment as a take made it, whatever became of it since: a repeat answers the same."""
    return _assigned(core, take.stream, hit, taken(take, hit), task, text)


def again(core: Core, take: Commit) -> Assigned:
    """The same of a take that was made before."""
    hit: Hit = core.executor.read(take.stream).head
    return shown_many(core, [(take.stream, hit, taken(take, hit))])[0]


def taken(take: Commit, hit: Hit) -> Assignment:
    """The assignment that a commit began."""
    data = next(one.data for one in take.events if one.type == ACCEPTED)
    return Assignment(
        worker=data["worker"],
        take=take.number,
        status="ACCEPTED",
        accepted_at=take.at,
        at=take.at,
        deadline=data["deadline"],
        task=hit.task,
        place=None,
    )


Found = tuple[str, Hit, Assignment]
"""A hit's stream, the hit, and an assignment of it."""


def shown(core: Core, stream: str, hit: Hit, one: Assignment) -> Assigned:
    """An assignment as it is now."""
    return shown_many(core, [(stream, hit, one)])[0]


def shown_many(core: Core, found: Sequence[Found]) -> list[Assigned]:
    """Assignments of several hits, in a few requests however many they are."""
    tasks, texts = core.store.together(
        [
            partial(_tasks, core, {hit.task for _, hit, _ in found}),
            partial(contents_of, core, [stream for stream, _, _ in found]),
        ]
    )
    now = core.clock()
    return [
        _assigned(core, stream, hit, one, tasks[hit.task], texts[stream], now)
        for stream, hit, one in found
    ]


def _tasks(core: Core, tasks: set[str]) -> Mapping[str, Task]:
    rows = core.store.rows([(f"task/{one}", HEAD) for one in tasks]) if tasks else {}
    states = {one: core.executor.state(rows.get((f"task/{one}", HEAD))) for one in tasks}
    return {one: state or core.executor.read(f"task/{one}").head for one, state in states.items()}


def _assigned(
    core: Core, stream: str, hit: Hit, one: Assignment, task: Task, text: str, now: str = ""
) -> Assigned:
    rules = common.rules_of(core, f"task/{hit.task}", hit.version)
    attributes, data = attributes_and_data(hit, text)
    return Assigned(
        id=keys.assignment_id(stream, one.take),
        hit=keys.manual_id(stream),
        task=f"t_{hit.task}",
        task_name=task.name,
        version=hit.version,
        worker=one.worker,
        status=status_of_assignment(one, now)[0],
        accepted_at=one.accepted_at,
        deadline=one.deadline,
        data=data,
        custom_attributes=attributes,
        instructions=rules.instructions,
        schema=common.schema_of(core, f"task/{hit.task}", rules),
    )
