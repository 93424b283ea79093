"""Take and complete on SQLite with synchronous=FULL, beside the floor in the same moments."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.floor import Floor
from tests.bench.ours import Ours
from tests.bench.table import Figure

ROUNDS = 16
ITEMS = 400
"""In a round, of each. Rounds alternate: other load on the machine meets both alike."""


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
    for number in range(ROUNDS + 1):
        for rates, side in zip(both, (ours, floor), strict=True):
            rate = side.work(ITEMS).per_second
            if number:  # the first round warms up
                rates.append(rate)
    ours.close()
    floor.close()
    return both
