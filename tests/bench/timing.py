"""How to time things on a machine that others use: spread over threads, the best of several."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Rate:
    """So many things in so many seconds."""

    count: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Things a second."""
        return self.count / self.seconds


def memory_folder() -> str | None:
    """Where files cost no wait for a disk, where the machine has such a place."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def spread(count: int, workers: Sequence[Callable[[], None]]) -> Rate:
    """Run the workers side by side, each in a thread, and time them all; raises what they raise."""
    errors: list[BaseException] = []
    gate = threading.Barrier(len(workers) + 1)

    def run(work: Callable[[], None]) -> None:
        gate.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in workers]
    for thread in threads:
        thread.start()
    gate.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begun
    if errors:
        raise errors[0]
    return Rate(count, seconds)
