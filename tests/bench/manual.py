"""Manual tasks: a load through HTTP, `next` whatever stands on the list, another order."""

import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.bench.desk import Desk
from tests.bench.table import Figure
from tests.bench.timing import memory_folder
from tests.client.running import running
from workledger.manual import reordering, tasks
from workledger.manual_tasks.answers import Adjudication
from workledger.times import plus

RECORDS = 10_000
FEW, MANY = 1_000, 100_000
ANSWERED = 5_000
TAKES, ROUNDS = 20, 6
"""Rounds alternate between those that are compared: other load on the machine meets all alike."""

ONCE, TWO_AND_ONE = Adjudication(1, 0), Adjudication(2, 1)
BY_NAME = [{"field": "name", "type": "text", "direction": "desc"}]


def figures() -> Iterator[Figure]:
    """All of them."""
    yield from through_http(RECORDS)
    yield from lengths(FEW, MANY)
    yield from answered(ANSWERED)
    yield from hidden(RECORDS)
    yield from another_order(RECORDS)


@contextmanager
def _folder(memory: str | None = None) -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(dir=memory))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


# --- through HTTP -------------------------------------------------------------------------------


def through_http(records: int) -> Iterator[Figure]:
    """One upload, until the load is complete; then a page of the list."""
    with _folder() as folder, running(folder) as server, httpx.Client(base_url=server.url) as http:
        http.post("/manual-tasks", json={"name": "Check"}).raise_for_status()
        begun = time.perf_counter()
        _load(http, _csv(records))
        yield Figure(
            f"load of {records:,} records through HTTP, seconds",
            time.perf_counter() - begun, "s", at_most=30,
        )  # fmt: skip
        page = http.get("/manual-tasks/Check/list").raise_for_status().json()["items"]
        assert page[0]["data"]["invoice"] == "A-0000001"


def _csv(records: int) -> str:
    rows = (
        f"A-{number:07d},Supplier {number % 97},{number * 7 % 1000}.50,EUR,"
        f"2026-03-{1 + number * 27 // records:02d}T10:15:55\n"
        for number in range(1, records + 1)
    )
    return "invoice,supplier,total,currency,record_date\n" + "".join(rows)


def _load(http: httpx.Client, csv: str) -> None:
    headers = {"Content-Type": "text/csv", "Idempotency-Key": "bench"}
    path = "/manual-tasks/Check/loads"
    load = http.post(path, content=csv, headers=headers, timeout=60).raise_for_status().json()
    while load["state"] != "complete":
        time.sleep(0.1)
        load = http.get(f"/loads/{load['id']}").raise_for_status().json()


# --- next ---------------------------------------------------------------------------------------


def lengths(few: int, many: int) -> Iterator[Figure]:
    """`next` where few and where many records wait."""
    with _folder(memory_folder()) as folder:
        desks = {size: Desk(folder / str(size), ONCE, size) for size in (few, many)}
        for _ in range(ROUNDS):
            for desk in desks.values():
                for _ in range(TAKES):
                    desk.next("ada")
        for size, desk in desks.items():
            yield Figure(f"next, {size:,} waiting", desk.milliseconds(), "ms")
            desk.close()
        ratio = desks[many].milliseconds() / desks[few].milliseconds()
        yield Figure(f"next, {many:,} waiting: to the first", ratio, "", at_most=1.5)


def answered(count: int) -> Iterator[Figure]:
    """`next` for who has answered many records that are open still, and once they are finished."""
    with _folder(memory_folder()) as folder:
        desk = Desk(folder / "answered", TWO_AND_ONE, count + FEW)
        desk.answer_all("ada", count)
        _beside(desk, "ada", "open")
        fresh = desk.milliseconds("beside open")
        yield Figure("next, fresh worker", fresh, "ms")
        yield Figure(f"next, {count:,} of one's own still open", desk.milliseconds("open"), "ms")
        yield Figure("... to a fresh worker", desk.milliseconds("open") / fresh, "", at_most=10)
        desk.answer_all("bob", count)
        _beside(desk, "ada", "finished")
        ratio = desk.milliseconds("finished") / desk.milliseconds("beside finished")
        yield Figure(f"next, {count:,} of one's own finished", desk.milliseconds("finished"), "ms")
        yield Figure("... to a fresh worker", ratio, "", at_most=1.5)
        desk.close()


def _beside(desk: Desk, worker: str, name: str) -> None:
    """A worker takes; in between somebody takes who never came before."""
    for number in range(ROUNDS * TAKES):
        desk.next(worker, name)
        desk.next(f"{name} {number}", f"beside {name}")


def hidden(count: int) -> Iterator[Figure]:
    """`next` while the hits of a load that is not complete stand in front."""
    with _folder(memory_folder()) as folder:
        desk = Desk(folder / "hidden", ONCE, FEW, hidden=count)
        for _ in range(TAKES):
            desk.next("ada")
        name = f"next behind {count:,} of a load that is not complete"
        yield Figure(name, desk.milliseconds(), "ms")
        desk.close()


# --- another order ------------------------------------------------------------------------------


def another_order(count: int) -> Iterator[Figure]:
    """Placing anew what waits after a change of the comparator, until readers have switched."""
    with _folder() as folder:
        desk = Desk(folder / "order", ONCE, count)
        begun = time.perf_counter()
        changed = {"dtr": True, "comparator": BY_NAME, "columns": ["name"]}
        tasks.change(desk.core, "kai", "Check", 1, changed)
        until = plus(desk.core.clock(), 3_600)
        task = reordering.carry_on(desk.core, desk.stream, until)
        seconds = time.perf_counter() - begun
        assert task.coming is None
        yield Figure(f"placing {count:,} hits anew after another comparator", seconds, "s")
        desk.close()
