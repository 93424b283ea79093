"""huey on SQLite, in the environment of the peers: take and complete per second. No history."""

import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from huey import SqliteHuey  # pyright: ignore[reportMissingImports]

TASKS = 2_000


def rate(workers: int) -> float:
    """Tasks taken and carried out per second by so many threads."""
    with tempfile.TemporaryDirectory() as folder:
        huey = SqliteHuey(filename=str(Path(folder) / "huey.db"), fsync=True)

        @huey.task()
        def work(data: str) -> int:
            return len(data)

        for number in range(TASKS):
            work(f"{number}" + "x" * 890)

        def worker() -> None:
            while (task := huey.dequeue()) is not None:
                huey.execute(task)

        begun = time.perf_counter()
        with ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(worker) for _ in range(workers)]:
                done.result()
        return TASKS / (time.perf_counter() - begun)


for count in map(int, sys.argv[1:]):
    print(count, rate(count), flush=True)
