"""`workledger serve` as a process that can be stopped, killed and started again on the same file."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

HELLO = re.compile(r"http://\S+:\d+")
COMMAND = (sys.executable, "-c", "from workledger.cli.main import app; app()")
DEADLINE = 60.0


class Server:
    """One process and its URL."""

    def __init__(
        self, folder: Path, *options: str, port: int = 0, store: str | None = None
    ) -> None:
        self.folder = folder
        self.store = store or f"sqlite:{folder / 'workledger.db'}"
        self.log = folder / "serve.log"
        given = ["serve", "--port", str(port), "--store", self.store, *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*COMMAND, *given], stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder
            )
        assert self.process.stdout
        self.hello = self.process.stdout.readline()
        found = HELLO.search(self.hello)
        self.url = found[0] if found else ""

    def ended(self) -> int:
        """The exit code; waits for the end."""
        return self.process.wait(DEADLINE)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; the exit code."""
        self.process.send_signal(number)
        return self.ended()

    def said(self) -> str:
        """What went to its log."""
        return self.log.read_text()

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        return httpx.request(method, f"{self.url}{path}", timeout=DEADLINE, **options)

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.ask("POST", path, json={} if body is None else body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()


@contextmanager
def serving(folder: Path, *options: str, **given: Any) -> Iterator[Server]:
    """A server that is gone after the block, whatever happens in it."""
    server = Server(folder, *options, **given)
    try:
        assert server.url, server.said()
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.ended()


def eventually(condition: Callable[[], Any], seconds: float = DEADLINE) -> Any:
    """What the condition gives, once it gives something; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)
    return found
