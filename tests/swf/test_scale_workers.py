"""Many workers on one execution: none refused, none lost (W29).

Threads of one process share its commits; processes race for each number, in virtual time, on a
store as far away as DynamoDB.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import Any

from tests.bench.virtual import Simulation
from tests.races.world import quick_folder
from tests.swf.service import (
    Service,
    check_counts,
    check_history,
    register,
    runs,
    schedule,
    stream,
)
from workledger import bootstrap
from workledger.service import projecting, rebuilding
from workledger.stores.faults import FaultyStore
from workledger.stores.faults_plan import Crash
from workledger.stores.port import Store
from workledger.stores.sqlite import SqliteStore
from workledger.times import seconds_between

RESULT = "r" * 32_768


@dataclass
class Work:
    """What workers did."""

    done: list[str] = field(default_factory=list[str])
    faults: list[BaseException] = field(default_factory=list[BaseException])
    waits: list[float] = field(default_factory=list[float])
    """Seconds that each answer took."""

    def worker(self, service: Service) -> None:
        """Take and complete until there is nothing more."""
        clock = service.core.clock
        try:
            while "taskToken" in (task := service.take()):
                token, begun = task["taskToken"], clock()
                service("RespondActivityTaskCompleted", taskToken=token, result=RESULT)
                self.waits.append(seconds_between(begun, clock()))
                self.done.append(task["activityId"])
        except Exception as error:
            self.faults.append(error)

    def is_all(self, service: Service, count: int) -> None:
        """Every activity was completed once, and its result is in the history, whole."""
        assert self.faults == []
        assert sorted(self.done, key=int) == [f"{number}" for number in range(count)]
        head = service.head("w")
        assert head.activities == 0
        assert head.next_id - 1 == 4 + 3 * count + 1
        events = service.history("w")
        ended = [one for one in events if one["eventType"] == "ActivityTaskCompleted"]
        assert len(ended) == count
        assert {one["activityTaskCompletedEventAttributes"]["result"] for one in ended} == {RESULT}


@contextmanager
def file() -> Iterator[SqliteStore]:
    """An empty store."""
    with quick_folder() as folder:
        store = SqliteStore(str(folder / "workledger.db"))
        yield store
        store.close()


def test_w29_many_threads_end_the_activities_of_one_execution() -> None:
    """What waits for one stream becomes one commit: far fewer of them than answers."""
    threads, count = 100, 1_000
    with file() as store:
        service = Service(bootstrap.build(store).core)
        register(service)
        service.start("w")
        service.decide(*(schedule(f"{number}") for number in range(count)))
        work = Work()
        workers = [Thread(target=work.worker, args=(service,)) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        work.is_all(service, count)
        assert len(store.commits(stream("w"))) < count
        assert rebuilding.check(service.core) == []


# --- processes, in virtual time -----------------------------------------------------------------

SECONDS = {"append": 0.012, "place": 0.0, "append.rows": 0.008, "append.head": 0.008}
READ_SECONDS = 0.005


def far_away(
    store: Store, simulation: Simulation, dies: Callable[[], bool], put: Callable[[], None]
) -> FaultyStore:
    """A store whose every step takes as long as a request to DynamoDB, and whose lines lag."""

    def take_time(step: str, args: tuple[Any, ...]) -> None:
        simulation.sleep(SECONDS.get(step, READ_SECONDS))
        if step == "append":
            put()
        if dies():
            raise Crash(step)

    return FaultyStore(store, clock=simulation.clock, lag=0.05, before_each_step=take_time)


@dataclass
class Crowd:
    """Processes that end the activities of one execution; now and then one dies."""

    store: SqliteStore
    mortality: float = 0.0
    simulation: Simulation = field(default_factory=Simulation)
    work: Work = field(default_factory=Work)
    deaths: int = 0
    puts: int = 0
    """How often somebody tried to put a commit."""

    def alone(self) -> Service:
        """A process that nobody races."""
        return Service(bootstrap.build(self.store, clock=self.simulation.clock).core)

    def process(self, number: int) -> Service:
        """A process as it is wired in truth, but for its clock and its luck."""
        drawn = random.Random(number)
        app = bootstrap.build(
            far_away(
                self.store, self.simulation, lambda: drawn.random() < self.mortality, self._put
            ),
            clock=self.simulation.clock,
            sleep=self.simulation.sleep,
            choose=drawn.randrange,
        )
        return Service(app.core)

    def _put(self) -> None:
        self.puts += 1

    def live(self, number: int) -> None:
        """Work until there is nothing more; whoever dies has a successor."""
        while True:
            try:
                self.work.worker(self.process(number))
            except Crash:
                self.deaths += 1
                number += 1_000
            else:
                return

    def run(self, processes: int, count: int) -> None:
        """So many processes, so many activities."""
        service = self.alone()
        register(service)
        service.start("w")
        service.decide(*(schedule(f"{number}") for number in range(count)))
        self.simulation.run([partial(self.live, number) for number in range(processes)])


def test_w29_many_processes_end_the_activities_of_one_execution() -> None:
    """Each is its own writer: they conflict, catch up, and none gives up."""
    with file() as store:
        crowd = Crowd(store)
        crowd.run(processes=30, count=100)
        crowd.work.is_all(crowd.alone(), 100)
        assert rebuilding.check(crowd.alone().core) == []


def test_w29_a_hundred_processes_end_a_thousand_activities() -> None:
    """None is refused, however often it loses; each answer within what a client waits for."""
    with file() as store:
        crowd = Crowd(store)
        crowd.run(processes=100, count=1_000)
        crowd.work.is_all(crowd.alone(), 1_000)
        assert max(crowd.work.waits) < 25


def test_w29_processes_that_die_among_many_lose_nothing() -> None:
    """What a dead one left unplaced is placed by who comes after it; what it held stays open."""
    with file() as store:
        crowd = Crowd(store, mortality=0.01)
        crowd.run(processes=20, count=100)
        assert crowd.deaths > 20
        assert crowd.work.faults == []
        core = crowd.alone().core
        assert projecting.moved(core, [stream("w")]) == []
        assert rebuilding.check(core) == []
        (events,) = runs(core, "w")
        check_history(events)
        check_counts(crowd.alone().head("w"), events)
        completed = sum(event.type == "ActivityTaskCompleted" for event in events)
        assert completed >= len(set(crowd.work.done)) == len(crowd.work.done)
        assert crowd.alone().take() == {"startedEventId": 0}
