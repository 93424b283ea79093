"""A take costs the same however much waits, and however much is finished."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.ours import ACTOR, Ours
from tests.bench.table import Figure
from tests.bench.timing import memory_folder
from workledger import keys
from workledger.queues import item_commands
from workledger.service import runs, taking

FEW, MANY = 1_000, 100_000
TAKES = 40
ROUNDS = 12
"""Rounds alternate between the queues: other load on the machine meets all alike."""


def figures() -> Iterator[Figure]:
    """Milliseconds of a take, and the ratio to that of a short queue."""
    folder = Path(tempfile.mkdtemp(dir=memory_folder()))
    try:
        sides = {name: _Side(folder / name, *size) for name, size in _SIZES.items()}
        for _ in range(ROUNDS):
            for side in sides.values():
                side.take()
        short = sides[_SHORT].milliseconds
        for name, side in sides.items():
            yield Figure(f"take, {name}", side.milliseconds, "ms")
            if name != _SHORT:
                ratio = side.milliseconds / short
                yield Figure(f"take, {name}: to the first", ratio, "", at_most=1.5)
            side.ours.close()
    finally:
        shutil.rmtree(folder)


_SHORT = f"{FEW:,} waiting"
_SIZES = {
    _SHORT: (FEW, 0),
    f"{MANY:,} waiting": (MANY, 0),
    f"{FEW:,} waiting behind {MANY:,} finished": (FEW, MANY),
}


class _Side:
    """A queue of its own in a file of its own."""

    def __init__(self, folder: Path, waiting: int, finished: int) -> None:
        folder.mkdir()
        self.ours = Ours(folder, 1, finished)
        self._times: list[float] = []
        self._finish(finished)
        self.ours.add(waiting)
        self._run = runs.start(self.ours.core, ACTOR, None, 3_600).id

    @property
    def milliseconds(self) -> float:
        """The median."""
        return median(self._times) * 1_000

    def take(self) -> None:
        """Take some."""
        for _ in range(TAKES):
            begun = time.perf_counter()
            wish = taking.Wanted(run=self._run)
            assert taking.take(self.ours.core, ACTOR, self.ours.queue, wish).items
            self._times.append(time.perf_counter() - begun)

    def _finish(self, count: int) -> None:
        """Take and complete all that waits, a thousand at once."""
        core, line = self.ours.core, keys.queue_line(self.ours.queue, "new")
        run = runs.start(core, ACTOR, None, 3_600).id
        take = partial(item_commands.take, run=run, ahead=0)
        complete = partial(item_commands.complete, generation=1, claim=2, result=None)
        for _ in range(0, count, 1_000):
            streams = [one.stream for one in core.store.read_line(line, limit=1_000)]
            for decide in (take, complete):
                commands = [core.command(stream, ACTOR, decide) for stream in streams]
                core.executor.run_all(commands)
