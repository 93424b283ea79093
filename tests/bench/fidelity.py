"""`make fidelity`: the counts of tests/cost once more on a second DynamoDB engine, ministack.

The engine runs in an environment of its own and says what each write consumed, indexes included.
Exit code 1 if it disagrees with what the port computes.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import httpx

from tests.cost.operations import operations
from tests.tables import fresh_tables
from workledger.stores.dynamodb_requests import make_client

ENGINE = Path(".venv-fidelity/bin/ministack")


class Consuming:
    """A client that asks what each write consumed and remembers it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.units: list[float] = []

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._client, name)
        if name not in ("put_item", "update_item", "delete_item"):
            return member

        def consuming(**params: Any) -> Any:
            answer = member(**params, ReturnConsumedCapacity="INDEXES")
            self.units.append(answer["ConsumedCapacity"]["CapacityUnits"])
            return answer

        return consuming


@contextmanager
def engine() -> Iterator[Any]:
    """The engine on a free loopback port, until the block ends."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {**os.environ, "BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(port)}
    environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        process = subprocess.Popen(
            [ENGINE.resolve()], env=environ, cwd=folder, stdout=log, stderr=log
        )
        try:
            _until_it_answers(url, process)
            yield make_client(url, region="us-east-1")
        finally:
            process.terminate()
            process.wait(30)


def _until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            httpx.get(url, timeout=2)
        except httpx.HTTPError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the engine did not start")


def main() -> int:
    """Print computed and consumed write units side by side; 1 if they differ."""
    differing = 0
    with engine() as client:
        consuming = Consuming(client)
        fresh_tables(client)
        print("| operation | writes | units computed | units consumed |\n|---|---:|---:|---:|")
        for name, cost in operations(consuming):
            if cost.refused:  # a refused write says nothing of what it consumed
                continue
            consumed = sum(consuming.units[len(consuming.units) - cost.writes :])
            print(f"| {name} | {cost.writes} | {cost.units} | {consumed:g} |", flush=True)
            differing += consumed != cost.units
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
