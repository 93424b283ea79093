"""Take and complete on SQLite with synchronous=FULL, beside the floor in the same moments."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.floor import Floor
from tests.bench.ours import Ours
from tests.bench.table import Figure

ROUNDS = 24
ITEMS = 240
"""In a round, of each. Rounds alternate: other load on the machine meets both alike."""

SECONDS = 25
"""No round begins later: a disk can be very slow."""


def figures() -> Iterator[Figure]:
    """The rates with one worker and with eight, and their ratio to the floor."""
    for workers, target in ((1, 0.5), (8, 0.8)):
        with tempfile.TemporaryDirectory() as folder:
            ours, floor = _alternate(Path(folder), workers)
        ratio = median(one / other for one, other in zip(ours, floor, strict=True))
        name = f"take+complete on SQLite, {workers} worker{'s' * (workers > 1)}"
        yield Figure(f"{name}: floor", max(floor), "items/s")
        yield Figure(name, max(ours), "items/s")
        yield Figure(f"{name}: of the floor", ratio, "", at_least=target)


def _alternate(folder: Path, workers: int) -> tuple[list[float], list[float]]:
    items = ITEMS * (ROUNDS + 1)
    ours, floor = Ours(folder, workers, items), Floor(folder, workers, items)
    both: tuple[list[float], list[float]] = ([], [])
    until = time.perf_counter() + SECONDS
    for number in range(ROUNDS + 1):
        if number > 2 and time.perf_counter() > until:
            break
        for rates, side in zip(both, (ours, floor), strict=True):
            rate = side.work(ITEMS).per_second
            if number:  # the first round warms up
                rates.append(rate)
    ours.close()
    floor.close()
    return both
