"""Long histories and many workers of one execution (W29): in process, and in virtual time."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median
from threading import Thread

from tests.bench import workflows
from tests.bench.table import Figure
from tests.races.world import quick_folder
from tests.races.world import world as make_world
from tests.swf.service import DOMAIN, SCOPE, Service, complete, decision, register, schedule
from tests.swf.test_scale_workers import Crowd, Work, file
from workledger import bootstrap
from workledger.stores.sqlite import SqliteStore

OPEN = (0, 1_000, 50_000)
ROUNDS, WARM = 120, 20
EVENTS = 24_900
MEASURED = 300
"""Decisions at the start and at the end of a history."""
ACTIVITIES, WORKERS = 1_000, 100


def figures() -> Iterator[Figure]:
    """Milliseconds per decision as a history grows; what many workers need."""
    yield from _others()
    yield from _decisions()
    yield from _threads()
    yield from _processes()


def _others() -> Iterator[Figure]:
    """An execution from start to end, in process, with others open: rounds alternate between them,
    so that other load on the machine meets all alike."""
    times: dict[int, list[float]] = {count: [] for count in OPEN}
    with ExitStack() as folders:
        services = {count: _filled(folders, count) for count in OPEN}
        for number in range(ROUNDS):
            for count, service in services.items():
                begun = time.perf_counter()
                _whole(service, f"w{number}")
                times[count].append(time.perf_counter() - begun)
    medians = {count: median(found[WARM:]) * 1_000 for count, found in times.items()}
    for count, milliseconds in medians.items():
        yield Figure(f"an execution in process, {count:,} others open", milliseconds, "ms")
    slowest = max(medians.values()) / medians[0]
    yield Figure("the slowest to that with none", slowest, "", at_most=1.5)


def _filled(folders: ExitStack, count: int) -> Service:
    path = folders.enter_context(quick_folder()) / "workledger.db"
    store = SqliteStore(str(path))
    folders.callback(store.close)
    service = Service(bootstrap.build(store).core)
    register(service)
    workflows.fill(path, count, SCOPE, DOMAIN)
    return service


def _whole(service: Service, name: str) -> None:
    """Start, decide one activity, work, decide to complete."""
    service.start(name)
    service.decide(schedule("a"))
    service.work()
    service.decide(complete())


def _decisions() -> Iterator[Figure]:
    """A signal, a poll for the task with its last ten events, an answer that leaves a marker."""
    with make_world("sqlite") as world:
        service = Service(world.process())
        register(service)
        service.start("w")
        service.decide(*(schedule(f"{number}") for number in range(ACTIVITIES)))
        first = _milliseconds(service)
        while (left := EVENTS - 5 * MEASURED - service.head("w").next_id) > 0:
            service.signal("w")
            service.decide(*[_marker()] * min(left, 4_000))
        last = _milliseconds(service)
        yield Figure("a decision in a history that has begun", first, "ms")
        yield Figure(f"a decision in a history of {service.head('w').next_id - 1:,}", last, "ms")
        yield Figure("the one to the other", last / first, "", at_most=2)


def _milliseconds(service: Service) -> float:
    """The median of some decisions."""
    times: list[float] = []
    for _ in range(MEASURED):
        begun = time.perf_counter()
        service.signal("w")
        task = service.poll(maximumPageSize=10, reverseOrder=True)
        service.answer(task, _marker())
        times.append(time.perf_counter() - begun)
    return median(times) * 1_000


def _marker() -> dict[str, object]:
    return decision("RecordMarker", markerName="m")


def _threads() -> Iterator[Figure]:
    """Workers of one process: what waits for one stream becomes one commit."""
    with file() as store:
        service = Service(bootstrap.build(store).core)
        register(service)
        service.start("w")
        service.decide(*(schedule(f"{number}") for number in range(ACTIVITIES)))
        work = Work()
        workers = [Thread(target=work.worker, args=(service,)) for _ in range(WORKERS)]
        begun = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        seconds = time.perf_counter() - begun
        work.is_all(service, ACTIVITIES)
        yield Figure("1,000 activities, 100 workers, 32 KB results: one process", seconds, "s")


def _processes() -> Iterator[Figure]:
    """A hundred processes on a store as far away as DynamoDB, in virtual time."""
    with file() as store:
        crowd = Crowd(store)
        crowd.run(processes=WORKERS, count=ACTIVITIES)
        name = "... 100 processes, DynamoDB's latencies, virtual time"
        yield Figure(name, crowd.simulation.now, "s")
        attempts = crowd.puts / (2 * ACTIVITIES)
        yield Figure(f"{name}: puts for each start and end", attempts, "")
        yield Figure(f"{name}: refused", len(crowd.work.faults), "", at_most=0)
        waits = sorted(crowd.work.waits)
        yield Figure(f"{name}: p99 of an answer", waits[int(len(waits) * 0.99)], "s", at_most=25)
