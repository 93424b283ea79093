"""What a function costs besides its store: CPU of a warm request, imports, the layer's size."""

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, cast

from tests.bench.ours import DATA
from tests.bench.table import Figure
from tests.bench.timing import memory_folder
from tests.functions.calling import event_of
from workledger import bootstrap
from workledger.stores.port import Store
from workledger.stores.sqlite import SqliteStore

ROOT = Path(__file__).parents[2]
HANDLERS = ("queues", "manual_tasks", "authorizer", "projector", "timekeeper", "swf")
MEGABYTE = 1_000_000
REQUESTS = 400
WHO = {"actor": "ada.lovelace@example.org", "role": "operator"}


def figures() -> Iterator[Figure]:
    """Each with its budget."""
    for name, milliseconds in _in_a_process().items():
        yield Figure(f"CPU without the store: {name}", milliseconds, "ms", at_most=1.5)
    for handler in HANDLERS:
        seconds = _import_seconds(f"functions.{handler}.app")
        yield Figure(f"import functions.{handler}.app", seconds, "s", at_most=0.4)
    with_boto = _import_seconds("functions.queues.app, workledger.stores.dynamodb")
    yield Figure("... with boto3, which the first request brings", with_boto, "s")
    yield Figure("layer, zipped", _layer_bytes() / MEGABYTE, "MB", at_most=8)


class _Metered:
    """A store that knows how much CPU was spent in it. Calls made by its own calls count once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._inside = False
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._store, name)
        return self._metered(member) if callable(member) and name != "together" else member

    def together(self, calls: list[Callable[[], Any]]) -> list[Any]:
        """The calls meter themselves."""
        return [call() for call in calls]

    def _metered(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def metered(*args: Any, **named: Any) -> Any:
            begun = time.thread_time()
            try:
                return call(*args, **named)
            finally:
                self.seconds += time.thread_time() - begun

        return metered


def _in_a_process() -> dict[str, float]:
    """In one of its own: each request is logged to its output."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "tests.bench.handlers", str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return json.loads(answer.read_text())


def _requests() -> dict[str, float]:
    """Operation -> milliseconds of CPU, the median of many."""
    from functions.queues.app import handler  # noqa: PLC0415

    spent: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        store = _Metered(SqliteStore(f"{folder}/requests.db"))
        bootstrap.override(bootstrap.build(cast("Store", store)))

        def call(name: str, method: str, path: str, body: Any = None, **params: str) -> Any:
            text = None if body is None else json.dumps(body)
            headers = {"content-type": "application/json"}
            event = event_of(method, path, params, text, headers=headers, who=WHO)
            store.seconds, begun = 0.0, time.thread_time()
            answer = handler(event, None)
            spent.setdefault(name, []).append(time.thread_time() - begun - store.seconds)
            assert answer["statusCode"] < 300, answer
            return json.loads(answer["body"])

        queue = _make_queue(handler)
        run = call("", "POST", "/runs", {})["id"]
        for number in range(REQUESTS):
            entry = {"data": {"invoice": DATA}, "reference": f"INV-{number}", "priority": 5}
            call("add", "POST", "/queues/{queue}/items", entry, queue=queue)
            taken = call("next", "POST", "/queues/{queue}/next", {"run": run}, queue=queue)
            end = {"claim": taken["claim"], "result": {"booked": True}}
            call("complete", "POST", "/items/{id}/complete", end, id=taken["id"])
            call("show", "GET", "/items/{id}", id=taken["id"])
        bootstrap.override(None)
    del spent[""]
    return {name: median(seconds) * 1_000 for name, seconds in spent.items()}


def _make_queue(handler: Callable[..., dict[str, Any]]) -> str:
    headers = {"content-type": "application/json"}
    who = {**WHO, "role": "developer"}
    event = event_of("POST", "/queues", {}, '{"name": "Invoices"}', headers=headers, who=who)
    return json.loads(handler(event, None)["body"])["id"]


def _import_seconds(modules: str) -> float:
    """In a fresh interpreter, with .pyc, the best of several."""
    code = f"import time; t = time.perf_counter(); import {modules}; print(time.perf_counter() - t)"
    path = os.pathsep.join([str(ROOT), str(ROOT / "shared")])
    environment = {**os.environ, "PYTHONPATH": path}

    def once() -> float:
        command = [sys.executable, "-c", code]
        ran = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return float(ran.stdout)

    return min(once() for _ in range(6))


def _layer_bytes() -> int:
    """The layer as `sam deploy` would upload it."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made"
        make = ["make", "--no-print-directory", "build-SharedLayer", f"ARTIFACTS_DIR={made}"]
        subprocess.run(make, cwd=ROOT, check=True, capture_output=True)
        with zipfile.ZipFile(Path(folder) / "layer.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
            for path in made.rglob("*"):
                zipped.write(path, path.relative_to(made))
        return (Path(folder) / "layer.zip").stat().st_size


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(_requests()))
