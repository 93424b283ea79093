"""The worker loop: takes one item per round until no New item is left (Q60 to Q64)."""

import logging
import time
from collections.abc import Callable, Iterator
from functools import update_wrapper
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from workledger.client.answers import Nothing, Taken
from workledger.client.beats import BEATS_PER_LEASE, Beats, Pause
from workledger.client.errors import NotFound, RunHasEnded, ServerUnreachable
from workledger.client.items import Items
from workledger.client.loop import Loop, Measured
from workledger.client.queue import QueueHandle
from workledger.client.rounds import Round, WorkItem
from workledger.client.runs import Runs
from workledger.errors import WorkledgerError

R = TypeVar("R")

IDLE_SECONDS = 1.0
"""Following, at least so long between two answers that found nothing."""

CONTENDED_SECONDS = 0.2

END_RETRIES = 2
"""Who wants to stop does not want to wait: what a run holds is released with its lease too."""

log = logging.getLogger("workledger")


class Worker:
    """Works a queue.

    for round in worker:
        with round as item:
            item.result = handle(item.data)

    or `worker.run(handle)`, or the decorator `worker.each`. Used as a context itself, its run is
    ended for sure at the end of the block; otherwise when the loop ends.
    """

    def __init__(
        self,
        queue: QueueHandle,
        items: Items,
        runs: Runs,
        loop: Loop,
        *,
        sleep: Callable[[float], object],
        clock: Callable[[], float] = time.monotonic,
        pause: Pause | None = None,
    ) -> None:
        self._queue, self._items, self._runs, self._loop = queue, items, runs, loop
        self._sleep, self._clock, self._pause = sleep, clock, pause
        self._own_run: str | None = None
        self._beats: Beats | None = None
        self._began: float | None = None
        self._stopping = False
        self.busy = False
        self.measured = Measured()

    # --- the three forms ----------------------------------------------------------------------

    def __iter__(self) -> Iterator[Round]:
        self._began = self._clock()
        try:
            while not self._stopping:
                taken = self._next()
                if taken is None:
                    continue
                if isinstance(taken, Nothing):
                    if not self._goes_on(taken):
                        break
                    continue
                yield from self._round(taken)
        except ServerUnreachable:
            self._forget_run()
            raise
        finally:
            self.close()

    def run(self, handler: Callable[[WorkItem], Any]) -> Measured:
        """Call `handler` for each item; what it returns is the item's result, None is none."""
        for round in self:  # noqa: A001 - it is one
            with round as item:
                result = handler(item)
                if result is not None:
                    item.result = result
        return self.measured

    def each(self, handler: Callable[[WorkItem], R]) -> "Handler[R]":
        """A decorator: the function stays callable, and `function.work()` runs the loop."""
        return Handler(handler, self)

    # --- ending -------------------------------------------------------------------------------

    def stop(self) -> None:
        """End after the current item. May be called from a signal handler or another thread."""
        self._stopping = True

    def close(self) -> None:
        """End the beats and the run, if this worker started it; what it holds is released."""
        if self._beats is not None:
            self._beats.close()
            self._beats = None
        run, self._own_run = self._own_run, None
        if run is not None:
            self._end(run)
        if self._began is not None:
            self._measure()
            self._began = None
            if self._loop.measure:
                log.info("%s: %s", self._queue.name, self.measured)

    def _forget_run(self) -> None:
        """Nobody is there to be told that it has ended: its lease ends it."""
        self._own_run = None

    def _end(self, run: str) -> None:
        try:
            self._runs.end(run, retries=END_RETRIES)
        except WorkledgerError as error:
            # Nothing is lost: the run ends with its lease.
            log.warning("the run %s could not be ended: %s", run, error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- one round ----------------------------------------------------------------------------

    def _next(self) -> Taken | Nothing | None:
        """What `next` answers; None when our run has ended meanwhile and another is started."""
        loop, asked = self._loop, self._clock()
        run = loop.run or self._own_run
        try:
            got = self._queue.next(
                run=run,
                run_name=None if run else loop.run_name,
                lease_seconds=None if run else loop.lease_seconds,
                wait_seconds=loop.wait_seconds,
            )
        except (RunHasEnded, NotFound) as error:
            if self._own_run is None or error.code not in {"run_ended", "run_not_found"}:
                raise
            log.warning("the run %s has ended, going on in another one", self._own_run)
            self._own_run = None
            return None
        if loop.run is None:
            self._own_run = got.run
        if not got and loop.follow and self._clock() - asked < IDLE_SECONDS:
            self._sleep(IDLE_SECONDS)
        return got

    def _goes_on(self, nothing: Nothing) -> bool:
        if nothing.reason == "contended":
            self._sleep(CONTENDED_SECONDS)
            return True
        return self._loop.follow

    def _round(self, taken: Taken) -> Iterator[Round]:
        beats = self._beats or self._new_beats()
        item_round = Round(WorkItem(self._items, taken), beats, self._ended)
        self._beats, self.busy = beats, True
        try:
            yield item_round
        finally:
            self.busy = False
        if not item_round.entered:
            raise RuntimeError("each round needs a block: for round in worker: with round as item:")

    def _new_beats(self) -> Beats:
        lease = self._runs.get(self._loop.run).lease_seconds if self._loop.run else None
        interval = (lease or self._loop.lease_seconds) / BEATS_PER_LEASE
        return Beats(interval, self._pause) if self._pause else Beats(interval)

    def _ended(self, ended: Round, fatal: BaseException | None) -> None:
        done = self.measured
        counts = {"completed": done.completed, "failed": done.failed, "lost": done.lost}
        if ended.ending in counts:
            counts[ended.ending] += 1
        self.measured = Measured(done.items + 1, **counts, seconds=done.seconds)
        self._measure()
        if isinstance(fatal, ServerUnreachable):
            self._forget_run()
        if fatal is not None:
            # A traceback may keep the loop alive for long: release the item now.
            self.close()

    def _measure(self) -> None:
        done, now = self.measured, self._clock()
        if self._began is not None:
            seconds = done.seconds + now - self._began
            self.measured = Measured(done.items, done.completed, done.failed, done.lost, seconds)
            self._began = now


class Handler(Generic[R]):
    """A function decorated by `worker.each`: call it as before, or `work()` the queue with it."""

    def __init__(self, function: Callable[[WorkItem], R], worker: Worker) -> None:
        update_wrapper(self, function)
        self._function = function
        self.worker = worker

    def __call__(self, item: WorkItem) -> R:
        return self._function(item)

    def work(self) -> Measured:
        """Work the queue until it is empty (or, following, until it is stopped)."""
        return self.worker.run(self._function)
