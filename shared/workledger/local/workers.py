"""Threads for the functions, which are not asynchronous.

As many as there are requests at once, up to a limit: a `next` that waits for work (Q28) keeps its
thread and costs nothing else. The threads are daemons, so a function that hangs cannot keep the
process from ending.
"""

import time
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Condition, Thread

Job = Callable[[], None]
"""Must not raise."""


class Workers:
    """Runs jobs side by side. `submit` is for one thread only: that of the event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._threads = 0
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._idle: deque[None] = deque()
        self._running = 0
        self._ended = Condition()

    def submit(self, job: Job) -> None:
        """Run a job as soon as a thread is free."""
        with self._ended:
            self._running += 1
        self._jobs.put(job)
        try:
            self._idle.pop()
        except IndexError:
            if self._threads < self._limit:
                self._threads += 1
                Thread(target=self._work, name=f"function-{self._threads}", daemon=True).start()

    def drain(self, seconds: float) -> int:
        """Wait until all jobs have ended, but no longer; how many have not."""
        end = time.monotonic() + seconds
        with self._ended:
            self._ended.wait_for(lambda: not self._running, max(0.0, end - time.monotonic()))
            return self._running

    def _work(self) -> None:
        while True:
            job = self._next()
            try:
                job()
            finally:
                with self._ended:
                    self._running -= 1
                    if not self._running:
                        self._ended.notify_all()

    def _next(self) -> Job:
        try:
            return self._jobs.get_nowait()
        except Empty:
            self._idle.append(None)
            return self._jobs.get()
