"""Random processes, loads and looks against a simulation that watches every moment (M14, M1)."""

import heapq
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from tests.manual.travels import END, Json, Travel, make_task, manual, routes, rule, timed
from tests.races.world import world as make_world
from workledger.times import plus

SECONDS = (0, 0, 1, 2.5, 7)
KINDS = ("a", "b", "c")


@dataclass
class Simulation:
    """What happens when somebody watches: time in seconds, records by (date, name)."""

    steps: list[tuple[float, dict[str, int]]]
    """Seconds, and by kind the step that follows; behind the last one is the task."""

    busy: dict[int, float] = field(default_factory=dict[int, float])
    waiting: list[tuple[float, str, str, str, int]] = field(
        default_factory=list[tuple[float, str, str, str, int]]
    )
    comes: dict[str, float] = field(default_factory=dict[str, float])

    def enter(self, at: float, date: str, name: str, kind: str, step: int) -> None:
        """A record comes to a step, or to the task."""
        if step == len(self.steps):
            self.comes[name] = at
            return
        leave = max(at, self.busy.get(step, 0)) + self.steps[step][0]
        self.busy[step] = leave
        heapq.heappush(self.waiting, (leave, date, name, kind, step))

    def watch(self, until: float) -> None:
        """All that happens up to a moment."""
        while self.waiting and self.waiting[0][0] <= until:
            at, date, name, kind, step = heapq.heappop(self.waiting)
            self.enter(at, date, name, kind, self.steps[step][1][kind])


def drawn_steps(drawn: random.Random) -> list[tuple[float, dict[str, int]]]:
    """Four timed steps, each leading further on by kind."""
    return [
        (drawn.choice(SECONDS), {kind: drawn.randint(at + 1, 4) for kind in KINDS})
        for at in range(4)
    ]


def defined(steps: list[tuple[float, dict[str, int]]]) -> list[Json]:
    """The same as a process."""

    def name(step: int) -> str:
        return f"s{step}" if step < len(steps) else "check"

    return [
        timed(
            f"s{at}",
            seconds,
            routes(
                *(rule("kind", kind, name(after[kind])) for kind in "ab"), other=name(after["c"])
            ),
        )
        for at, (seconds, after) in enumerate(steps)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_m14_every_record_comes_when_it_would_if_somebody_watched(seed: int) -> None:
    """(M14, M1) Loads and looks at random moments; the moments and the lists are the same."""
    drawn = random.Random(seed)
    steps, starts = drawn_steps(drawn), {kind: drawn.randint(0, 3) for kind in KINDS}
    simulation = Simulation(steps)
    with make_world("sqlite") as world:
        travel, start = Travel(world), world.clock.now
        make_task(travel.core)
        spare = [timed(f"t{at}", 0, f"s{at}") for at in range(4)]  # every step is reached
        ways = [rule("kind", kind, f"s{starts[kind]}") for kind in KINDS]
        reach = [rule("kind", f"t{at}", f"t{at}") for at in range(4)]
        other = [*defined(steps), *spare, manual("check", "Check", "done"), END]
        travel.define(routes(*ways, *reach, other="s0"), *other)
        now, dates, made = 0.0, list(range(60)), 0
        drawn.shuffle(dates)
        for _ in range(8):
            now += drawn.choice((0, 0.5, 1, 3, 10))
            world.clock.now = plus(start, now)
            if drawn.random() < 0.5:
                assert len(travel.list()) <= made
                continue
            rows: list[tuple[str, str, str]] = []
            for _ in range(drawn.randint(1, 5)):
                moment = datetime(2020, 1, 1) + timedelta(seconds=dates[made])  # noqa: DTZ001
                rows.append((f"r{made}", drawn.choice(KINDS), moment.isoformat() + ".000"))
                made += 1
            text = "".join(",".join(row) + "\n" for row in rows)
            travel.load(f"name,kind,record_date\n{text}")
            simulation.watch(now)
            for name, kind, date in sorted(rows, key=lambda row: row[2]):
                simulation.enter(now, date, name, kind, starts[kind])
        simulation.watch(10_000)
        world.clock.now = plus(start, 10_000)
        listed = travel.list()
        core = travel.core
        found = {travel.name_of(core, one): hit for one, hit in travel.hits(core)}
        comes = {name: hit.visible_from for name, hit in found.items()}
        assert comes == {name: plus(start, at) for name, at in simulation.comes.items()}
        assert listed == sorted(found, key=lambda name: found[name].hit_order_date)
        world.verify()
