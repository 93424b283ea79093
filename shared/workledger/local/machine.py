"""The moving parts of one machine, wired: streams, timekeeping, waiting."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from workledger import times
from workledger.local.alarm import Alarm, Every
from workledger.local.deployed import Stream, System
from workledger.local.events import Event
from workledger.local.following import Follower, Source
from workledger.local.ledger_file import File, LedgerFile
from workledger.local.loops import Loop, Step, earliest, monotonic
from workledger.local.shards import TableStream
from workledger.local.waiting import LineWaiter
from workledger.stores.streams import Streams

LINGER = 0.05
"""Seconds by which a stream lags, so that what is written together is played together."""

Call = Callable[[str, Event], Any]


class Machine:
    """What happens without a request: streams and messages are played, time is kept.

    `call` calls a function by its logical id; it is not used before `start`.
    """

    def __init__(self, system: System, call: Call, clock: times.Clock) -> None:
        self.waiter = LineWaiter()
        self._system = system
        self._call = call
        self._clock = clock
        self._alarms = [Alarm(queue, call, clock) for queue in system.queues]
        self._timekeeping = Loop("timekeeping", earliest(*self._steps()))
        self._streams: list[Loop] = []
        self._sources: list[Source] = []
        self._heard = self._known = 0

    def wake(self, at: str) -> None:
        """Have what waits for messages called at a moment (`core.waker`)."""
        for alarm in self._alarms:
            alarm.wake(at)

    def heard(self, lines: Mapping[str, int]) -> None:
        """This process wrote something: wake who waits for it (see `telling`)."""
        self._heard += 1
        self.waiter.placed(lines)
        for loop in self._streams:
            loop.poke()

    def follow_file(self, file: File) -> None:
        """Play the ledger in a SQLite file; its views have no stream, for they never lag."""
        for stream in self._system.streams:
            if stream.table == "LedgerTable":
                source = LedgerFile(file, monotonic, self._met)
                self._sources.append(source)
                self._stream(stream, self._follower(stream, source).step)

    def follow_tables(self, streams: Streams, tables: Mapping[str, str], poll: float) -> None:
        """Play the streams of DynamoDB tables; `tables`: logical id -> name."""
        for stream in self._system.streams:

            def follow(source: Source, stream: Stream = stream) -> Follower:
                return self._follower(stream, source)

            table = TableStream(streams, tables[stream.table], follow, monotonic, poll)
            self._stream(stream, table.step)

    def start(self) -> None:
        """Begin to play streams and to keep time; schedules run once at the start."""
        for loop in self._loops:
            loop.start()

    def stop(self, seconds: float) -> bool:
        """Let what runs end, remember what is done; whether all ended within the time."""
        end = time.monotonic() + seconds
        ended = [loop.stop(max(0.0, end - time.monotonic())) for loop in self._loops]
        for source in self._sources:
            source.tidy(ending=True)
        return all(ended)

    @property
    def _loops(self) -> list[Loop]:
        return [self._timekeeping, *self._streams]

    def _steps(self) -> list[Step]:
        for alarm in self._alarms:
            alarm.poke = self._poke_timekeeping
        schedules = [
            Every(schedule, self._call, self._clock, monotonic)
            for schedule in self._system.schedules
        ]
        return [each.step for each in (*self._alarms, *schedules)]

    def _poke_timekeeping(self) -> None:
        self._timekeeping.poke()

    def _met(self) -> None:
        """The stream brought something; if this process wrote nothing, another one did."""
        if self._known == self._heard:
            self.waiter.placed_elsewhere()
        self._known = self._heard

    def _follower(self, stream: Stream, source: Source) -> Follower:
        return Follower(stream, source, self._call, monotonic)

    def _stream(self, stream: Stream, step: Step) -> None:
        self._streams.append(Loop(f"stream of {stream.table}", step, LINGER))
