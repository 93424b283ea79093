"""What a handler costs by itself: CPU of a warm request without the store, and its import.

Budgets: 1.5 ms a request, 0.4 s an import with compiled code. `python -m tests.bench.handlers`.
"""

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from functions.queues import routes_runs, routes_work
from functions.queues.app import handler
from tests.bench.table import Figure, lines
from workledger import bootstrap
from workledger.api import logs
from workledger.queues.loads import AddedItem
from workledger.queues.run import Run
from workledger.service.adding import Added
from workledger.service.core import Page
from workledger.service.runs import RunShown

ROOT = Path(__file__).parents[2]
FUNCTIONS = ("queues", "authorizer", "projector", "timekeeper")
REQUEST_MS, IMPORT_MS = 1.5, 400.0
REQUESTS, IMPORTS = 2_000, 5

_NOW = "2026-03-11T10:15:55.935Z"
_RUN = RunShown("r_" + "a" * 26, Run("robot", "ada", 300, _NOW), _NOW, overdue=False, holding=1)
_BODY = '{"reference":"A-17","priority":1,"data":{"text":"' + "x" * 800 + '"}}'


class _Runs:
    """Use cases that need no store."""

    start = staticmethod(lambda *_: _RUN)
    show = staticmethod(lambda *_: _RUN)
    page = staticmethod(lambda *_: Page([_RUN] * 50))


class _Adding:
    add = staticmethod(lambda *_: Added([AddedItem(0, "i_" + "a" * 26 + ".1", True, "new")]))


def _event(method: str, template: str, body: str | None = None, **params: str) -> dict[str, Any]:
    event: dict[str, Any] = {
        "routeKey": f"{method} {template}",
        "rawPath": template,
        "rawQueryString": "",
        "headers": {"accept": "*/*", "content-type": "application/json", "user-agent": "bench"},
        "requestContext": {
            "http": {"method": method, "path": template},
            "requestId": "bench",
            "stage": "$default",
            "authorizer": {"lambda": {"actor": "ada", "role": "developer"}},
        },
        "isBase64Encoded": False,
    }
    return event | ({"body": body} if body else {}) | ({"pathParameters": params} if params else {})


CASES = {
    "POST /runs": _event("POST", "/runs", '{"name":"robot","leaseSeconds":60}'),
    "GET /runs/{run}": _event("GET", "/runs/{run}", run=_RUN.id),
    "GET /runs, 50 of them": _event("GET", "/runs"),
    "POST items, one of 900 bytes": _event("POST", "/queues/{queue}/items", _BODY, queue="x"),
}


@contextmanager
def _without_a_store() -> Iterator[None]:
    """The routes, with use cases that answer at once; what is logged goes nowhere."""
    runs, adding = vars(routes_runs)["runs"], vars(routes_work)["adding"]
    out = logs.logger.registered_handler.setStream(io.StringIO())
    store: Any = None
    bootstrap.override(bootstrap.build(store))
    vars(routes_runs)["runs"], vars(routes_work)["adding"] = _Runs, _Adding
    try:
        yield
    finally:
        vars(routes_runs)["runs"], vars(routes_work)["adding"] = runs, adding
        logs.logger.registered_handler.setStream(out)
        bootstrap.override(None)


def request_ms() -> dict[str, float]:
    """Milliseconds of CPU of a warm request, by kind."""
    with _without_a_store():
        return {
            name: _each(lambda event=event: handler(event, None)) for name, event in CASES.items()
        }


def _each(call: Callable[[], Any]) -> float:
    for _ in range(100):
        assert call()["statusCode"] < 300
    before = time.process_time()
    for _ in range(REQUESTS):
        call()
    return (time.process_time() - before) / REQUESTS * 1_000


def import_ms() -> dict[str, float]:
    """Milliseconds of CPU of the import of each handler, the best of a few, with compiled code."""
    with TemporaryDirectory() as compiled:
        environ = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONPATH": str(ROOT)}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        return {name: _import(name, environ) for name in FUNCTIONS}


def _import(function: str, environ: dict[str, str]) -> float:
    code = (
        "import time; before = time.process_time(); "
        f"import functions.{function}.app; print(time.process_time() - before)"
    )
    command = [sys.executable, "-c", code]
    taken = [
        float(subprocess.run(command, env=environ, capture_output=True, check=True).stdout)
        for _ in range(IMPORTS + 1)
    ]
    return min(taken[1:]) * 1_000


def figures() -> Iterator[Figure]:
    """Both, beside their budgets."""
    for name, ms in request_ms().items():
        yield Figure(f"{name}, without the store", ms, "ms CPU", at_most=REQUEST_MS)
    for name, ms in import_ms().items():
        yield Figure(f"import of {name}", ms, "ms CPU", at_most=IMPORT_MS)


def main() -> None:
    """Print them."""
    for line in lines("handlers", figures()):
        print(line)


if __name__ == "__main__":
    main()
