"""States of two records, r1 and r2, and what may be asked in them: for tests of races."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.manual.people import HOUR, Floor, load_records, make_task, name_of
from tests.races.world import World
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, hits, worklist
from workledger.manual.assigning import Assigned
from workledger.service import sweeping
from workledger.service.core import Core

Answer = tuple[Any, ...]
WORKERS = ("W1", "W2", "W3")


@dataclass
class Stage:
    """A task of its own; `taken` are the assignments that the people began."""

    world: World
    name: str
    taken: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        core = self.world.process()
        task = make_task(core, self.name)
        self.load = load_records(core, task, ["r1", "r2"])
        self.floor = Floor(self.world, self.name, task, self.load)

    def hit(self, index: int = 1) -> str:
        """The id of r1 or r2."""
        return keys.manual_id(keys.hit_stream(self.load, index))

    def take(self, worker: str) -> str:
        """A worker takes r1."""
        one = assigning.take(self.world.process(), worker, self.hit())
        self.taken[worker] = one.id
        return one.id

    def answer(self, worker: str, answer: str) -> None:
        """A worker takes r1 and answers."""
        answering.submit(self.world.process(), worker, self.take(worker), Raw(answer))

    def seen(self) -> Any:
        """All that people can see, and what happened, whatever the numbers of the commits."""
        core = self.world.process()
        pages = {one: worklist.page(core, one, self.name, None, None, 9).items for one in WORKERS}
        return {
            **{f"list {one}": [name_of(each) for each in page] for one, page in pages.items()},
            **{f"r{n}": self._shown(core, n) for n in (1, 2)},
            **{f"events of r{n}": self._events(n) for n in (1, 2)},
        }

    def _shown(self, core: Core, index: int) -> Any:
        one = hits.show(core, self.hit(index))
        decision = one.decision
        return (
            one.status,
            sorted((each.worker, each.status) for each in one.assignments),
            (decision.by, decision.who, decision.answer.text) if decision is not None else None,
        )

    def _events(self, index: int) -> list[str]:
        commits = self.world.store.commits(keys.hit_stream(self.load, index))
        return [one.type for commit in commits for one in commit.events]


# --- states -------------------------------------------------------------------------------------


def free(stage: Stage) -> None:
    """Nobody has it."""


def held(stage: Stage) -> None:
    """W1 has it."""
    stage.take("W1")


def overdue(stage: Stage) -> None:
    """W1 has had it for too long."""
    stage.take("W1")
    stage.world.clock.tick(HOUR)


def second(stage: Stage) -> None:
    """W1 has answered, W2 has it."""
    stage.answer("W1", "1")
    stage.take("W2")


def last(stage: Stage) -> None:
    """W1 and W2 do not agree, W3 has it."""
    stage.answer("W1", "1")
    stage.answer("W2", "2")
    stage.take("W3")


def unresolved(stage: Stage) -> None:
    """No two agree."""
    for worker in WORKERS:
        stage.answer(worker, f'"{worker}"')


def done(stage: Stage) -> None:
    """Two agree."""
    stage.answer("W1", "1")
    stage.answer("W2", "1")


# --- what is asked ------------------------------------------------------------------------------

Ask = Callable[[Core, Stage], Answer]
Start = Callable[[Stage], None]


def named(name: str, ask: Ask) -> Ask:
    """With a name for the test's id."""
    ask.__name__ = name  # pyright: ignore[reportFunctionMemberAccess]
    return ask


def next_of(worker: str, key: str | None = None) -> Ask:
    """The worker takes the next."""

    def ask(core: Core, stage: Stage) -> Answer:
        found = assigning.next_of(core, worker, stage.name, None, key)
        return ("took", name_of(found)) if isinstance(found, Assigned) else (found.reason,)

    return named(f"next_{worker}{key or ''}", ask)


def take_of(worker: str) -> Ask:
    """The worker takes r1."""

    def ask(core: Core, stage: Stage) -> Answer:
        return ("took", name_of(assigning.take(core, worker, stage.hit())))

    return named(f"take_{worker}", ask)


def of(worker: str, what: str, *more: Any) -> Ask:
    """Something is done with the assignment that the worker began."""

    def ask(core: Core, stage: Stage) -> Answer:
        actor = "kai" if what in ("approve", "reject", "abandon") else worker
        getattr(answering, what)(core, actor, stage.taken[worker], *more)
        return (what,)

    text = "".join(one.text if isinstance(one, Raw) else "" for one in more)
    return named(f"{what}_{worker}{text}", ask)


def adjudicate(who: str) -> Ask:
    """Somebody decides."""

    def ask(core: Core, stage: Stage) -> Answer:
        answering.adjudicate(core, who, stage.hit(), Raw(f'"{who}"'))
        return ("decided",)

    return named(f"adjudicate_{who}", ask)


def sweep(core: Core, stage: Stage) -> Answer:
    """The timekeeper comes round."""
    sweeping.sweep(core)
    return ()


def answer(ask: Ask, core: Core, stage: Stage) -> Answer:
    """The answer, or the refusal."""
    try:
        return ask(core, stage)
    except Refused as refused:
        return ("refused", refused.code)


ASKED: Mapping[Start, Sequence[Ask]] = {
    free: (next_of("W1"), next_of("W2"), next_of("W1", "k"), take_of("W1"), take_of("W2")),
    held: (
        of("W1", "submit", Raw("1")),
        of("W1", "submit", Raw("2")),
        of("W1", "skip"),
        of("W1", "give_back"),
        of("W1", "extend"),
        of("W1", "abandon"),
        next_of("W2"),
        take_of("W1"),
    ),
    overdue: (
        sweep,
        next_of("W1"),
        next_of("W2"),
        take_of("W2"),
        of("W1", "submit", Raw("1")),
        of("W1", "extend"),
    ),
    second: (
        of("W2", "submit", Raw("1")),
        of("W2", "submit", Raw("2")),
        of("W2", "give_back"),
        of("W1", "reject", "no"),
        of("W1", "approve"),
        next_of("W3"),
    ),
    last: (
        of("W3", "submit", Raw("1")),
        of("W3", "submit", Raw("3")),
        of("W1", "reject", "no"),
        of("W2", "reject", "no"),
        of("W3", "abandon"),
    ),
    unresolved: (
        adjudicate("ann"),
        adjudicate("bob"),
        of("W1", "reject", "no"),
        of("W2", "approve"),
        next_of("W4"),
    ),
    done: (
        of("W1", "reject", "no"),
        of("W1", "approve"),
        of("W2", "reject", "no"),
        next_of("W3"),
    ),
}
"""In which state what is asked: all that is legal there, or becomes legal by another."""
