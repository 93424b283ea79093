"""Amazon SWF: executions through boto3, long histories, many workers, latency of polls."""

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from tests.bench import swf_client
from tests.bench.table import Figure
from tests.client.running import running
from workledger import bootstrap, keys
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Event
from workledger.service.core import Core
from workledger.stores.sqlite import SqliteStore
from workledger.workflows import commands
from workledger.workflows.commands import Asking, Start

OPEN = (0, 1_000, 50_000)
MOTO_OPEN = (0, 1_000)
EXECUTIONS = 120
ROUNDS = 3
CALM_LOOKS = 4
MOTO_EXECUTIONS = 8
CLIENTS = (1, 4)
LATENCIES = 200
SCOPE = "eu-west-1/000000000000"
SETTINGS: dict[str, Any] = {
    "taskList": {"name": "other"},
    "taskStartToCloseTimeout": "600",
    "executionStartToCloseTimeout": "86400",
    "childPolicy": "TERMINATE",
    "taskPriority": None,
    "lambdaRole": None,
}
DONE = {"decisionType": "CompleteWorkflowExecution"}
MOTO = Path(".venv-client-moto/bin/python")
MOTO_PORT = 5_963


def figures() -> Iterator[Figure]:
    """Executions a second, beside moto's server; polls that wait."""
    with ExitStack() as servers:
        urls = {waiting: servers.enter_context(serving(waiting)) for waiting in OPEN}
        rates = _rates(urls)
        yield from latencies(urls[0])
    for (waiting, clients), rate in rates.items():
        name = f"{clients} client{'s' * (clients > 1)}, {waiting:,} others open"
        yield Figure(name, rate, "executions/s", at_least={1: 35, 4: 60}[clients])
    for clients in CLIENTS:
        slowest = max(rates[0, clients] / rates[waiting, clients] for waiting in OPEN)
        name = f"{clients} client{'s' * (clients > 1)}: with none open, to the slowest"
        yield Figure(name, slowest, "", at_most=1.5)
    if MOTO.exists():
        yield from moto()


def _rates(urls: Mapping[int, str]) -> dict[tuple[int, int], float]:
    """(others open, clients) -> executions a second: the best of rounds, in each of which all
    servers have their turn, so that other load on the machine meets all alike."""
    best: dict[tuple[int, int], float] = {}
    for _ in range(ROUNDS):
        for waiting, url in urls.items():
            for clients in CLIENTS:
                rate = executions(url, clients, EXECUTIONS)
                best[waiting, clients] = max(rate, best.get((waiting, clients), 0))
    return best


# --- servers ------------------------------------------------------------------------------------


@contextmanager
def serving(waiting: int) -> Iterator[str]:
    """Our server, on a file with so many open executions besides."""
    folder = Path(tempfile.mkdtemp())
    try:
        with running(folder) as server:
            swf_client.prepare(swf_client.client(server.url))
        fill(folder / "workledger.db", waiting)
        with running(folder) as server:
            _follow(folder / "workledger.db")
            yield server.url
    finally:
        shutil.rmtree(folder)


def _follow(file: Path) -> None:
    """Wait until the server has fed all that was written before it began."""
    store = SqliteStore(str(file))
    before, calm = None, 0
    while calm < CALM_LOOKS:
        cursor = store.cursor("projector")
        calm = calm + 1 if cursor == before else 0
        before = cursor
        time.sleep(1)
    store.close()


def fill(file: Path, count: int, scope: str = SCOPE, domain: str = swf_client.DOMAIN) -> None:
    """Open executions on a list of their own, started without HTTP."""
    store = SqliteStore(str(file))
    core = bootstrap.build(store).core
    for first in range(0, count, 1_000):
        numbers = range(first, min(first + 1_000, count))
        core.executor.run_all([_start(core, scope, domain, number) for number in numbers])
    store.close()


def _start(core: Core, scope: str, domain: str, number: int) -> Command:
    new = Start(
        scope=scope,
        domain=domain,
        workflow_id=f"open {number}",
        run_id=core.new_id(),
        type_name=swf_client.TYPE["name"],
        type_version=swf_client.TYPE["version"],
        settings=SETTINGS,
        retention="1",
    )
    stream = keys.execution_stream(scope, new.domain, new.workflow_id)
    asking = Asking(core.clock(), core.new_id(), "bench")

    def decide(seen: Seen) -> list[Event]:
        return commands.start(seen, new, asking)

    return core.command(stream, "bench", decide, (), asking.command)


@contextmanager
def moto_serving() -> Iterator[str]:
    """moto's server, empty."""
    command = [str(MOTO.absolute()), "-m", "moto.server", "-p", str(MOTO_PORT)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{MOTO_PORT}"
        _listens(MOTO_PORT)
        swf_client.prepare(swf_client.client(url))
        yield url
    finally:
        process.terminate()
        process.wait(60)


def _listens(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError(f"nobody listens on {port}")


def moto() -> Iterator[Figure]:
    """The same client against moto: none open, then some."""
    for waiting in MOTO_OPEN:
        with moto_serving() as url:
            swf = swf_client.client(url)
            for number in range(waiting):
                swf_client.start(swf, f"open {number}", "other")
            rate = executions(url, 1, MOTO_EXECUTIONS)
            yield Figure(f"moto's server, 1 client, {waiting:,} open", rate, "executions/s")


# --- clients ------------------------------------------------------------------------------------


def executions(url: str, clients: int, count: int) -> float:
    """Executions a second of so many processes side by side, their imports behind them."""
    program = Path(swf_client.__file__)
    stamp = time.monotonic_ns()
    asked = [
        [sys.executable, str(program), url, f"{stamp} {one}", str(count // clients)]
        for one in range(clients)
    ]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(one, **pipe) for one in asked]
    for one in processes:
        if one.stdout is None or one.stdout.readline() != "ready\n":
            raise RuntimeError("a client failed")
    begun = time.perf_counter()
    for one in processes:
        if one.stdin is not None:
            one.stdin.write("go\n")
            one.stdin.flush()
    for one in processes:
        if one.wait(600):
            raise RuntimeError("a client failed")
    return count // clients * clients / (time.perf_counter() - begun)


def latencies(url: str) -> Iterator[Figure]:
    """Milliseconds from a start to the answer of the decider that waits for it."""
    waits: list[float] = []
    begun: dict[str, float] = {}
    swf, starter = swf_client.client(url), swf_client.client(url)

    def decider() -> None:
        where = {"domain": swf_client.DOMAIN, "taskList": {"name": "waited for"}}
        for _ in range(LATENCIES):
            task = swf.poll_for_decision_task(**where)
            waits.append(time.perf_counter() - begun[task["workflowExecution"]["workflowId"]])
            swf.respond_decision_task_completed(taskToken=task["taskToken"], decisions=[DONE])

    waiting = Thread(target=decider)
    waiting.start()
    for number in range(LATENCIES):
        while len(waits) < number:
            time.sleep(0.001)
        time.sleep(0.02)
        begun[f"w {number}"] = time.perf_counter()
        swf_client.start(starter, f"w {number}", "waited for")
    waiting.join()
    ordered = sorted(waits)
    yield Figure("start to a waiting poll's answer, p50", statistics.median(waits) * 1_000, "ms")
    p99 = ordered[int(len(ordered) * 0.99)] * 1_000
    yield Figure("start to a waiting poll's answer, p99", p99, "ms", at_most=100)
