"""Random plays of loads, changes of order and work, with faults and a lagging index (M43, M54)."""

import os
import random
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from tests.manual.office import BY_AMOUNT, DTR, Office, dying, legacy
from tests.races.world import World
from tests.races.world import world as make_world
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, tasks, worklist
from workledger.manual_tasks.hit import DONE, OPEN
from workledger.service.core import Core
from workledger.stores.faults_plan import at_random

SEEDS = int(os.environ.get("SEEDS", "30"))
STEPS = 40
ORDERS: list[Mapping[str, Any]] = [
    DTR,
    {"dtr": False},
    {"dtr": True, "comparator": [{**BY_AMOUNT[0], "direction": "asc", "missing": "first"}]},
    {"dtr": True, "comparator": [{"field": "name", "type": "text"}]},
]


class Play:
    """What people do with one task, each in a process that may fail or die."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.office = world, Office(world)
        self.office.create(columns=["name", "amount"])
        self.drawn = random.Random(seed)
        self.loads: dict[str, str] = {}

    def process(self) -> Core:
        """One that lags, and fails with one step in forty."""
        plan = at_random(self.drawn.randrange(1 << 30), 0.025)
        core = self.world.process(plan=plan, lag=0.4, seed=self.drawn.randrange(1 << 30))
        return legacy(core) if self.drawn.random() < 0.1 else core

    def step(self) -> None:
        """One more thing is done."""
        self.world.clock.tick(self.drawn.choice([0, 0.1, 1, 12]))
        what = self.drawn.choice([self.load, self.change, self.work, self.work, self.sweep])
        with dying(), suppress(Refused):
            what(self.process())

    def load(self, core: Core) -> None:
        """A further load, or an earlier one once more."""
        key = f"k{self.drawn.randrange(6)}"
        if key not in self.loads:
            lines = [f"{key}.{n},{self.drawn.choice(['', 1, 2, 10])}\n" for n in range(1, 8)]
            self.loads[key] = "name,amount\n" + "".join(lines)
        self.office.load(self.loads[key], key, core)

    def change(self, core: Core) -> None:
        """Another order."""
        version = tasks.show(core, self.office.name).task.version
        tasks.change(core, "kai", self.office.name, version, self.drawn.choice(ORDERS))

    def work(self, core: Core) -> None:
        """Somebody takes the next, and answers, returns, skips or keeps it."""
        worker = self.drawn.choice(["W1", "W2"])
        found = assigning.next_of(core, worker, self.office.name)
        if not isinstance(found, assigning.Assigned):
            return
        done = self.drawn.choice(["submit", "give_back", "skip", "keep", "submit"])
        if done == "submit":
            answering.submit(core, worker, found.id, Raw("1"))
        elif done != "keep":
            getattr(answering, done)(core, worker, found.id)

    def sweep(self, core: Core) -> None:
        """Projector and timekeeper come round."""
        self.world.heal()
        self.office.sweep(core)

    def end(self) -> None:
        """All loads are sent again, all calms down."""
        for key, text in self.loads.items():
            assert self.office.load(text, key).load.completed_at is not None
        for _ in range(5):
            self.office.later(120)
            self.office.show()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_m43_m54_whatever_happens_all_records_are_there_in_order(seed: int) -> None:
    """(M43, M54) Once each, in the order that is wanted in the end; rebuilt equals live (Q94)."""
    with make_world("sqlite") as world:
        play = Play(world, seed)
        for _ in range(STEPS):
            play.step()
        play.end()
        hits = play.office.hits()
        assert len(hits) == 7 * len(play.loads)
        assert all(len(hit.answers) == (hit.state == DONE) for hit in hits.values())
        task = play.office.show().task
        assert (task.coming, task.old) == (None, ())
        core = world.process()
        sight = worklist.look(core, "W9", play.office.name, None)
        listed = [one.spot.stream for one in worklist.candidates(core, sight, wanted=100)]
        now = world.clock()
        free = {
            stream: next(one for one in hit.places if one.ordering == task.current.version)
            for stream, hit in hits.items()
            if hit.state == OPEN and (hit.holder is None or hit.holder.deadline <= now)
        }
        assert listed == sorted(free, key=lambda one: (*free[one], hits[one].number))
        world.verify()
