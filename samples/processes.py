"""The demo's processes: one server, some workers. All of them end with the demo."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
WORKLEDGER = Path(sys.executable).parent / "workledger"

START_SECONDS = 60
END_SECONDS = 15


class Broken(Exception):
    """The demo cannot go on; the text says why, for people."""


@dataclass
class Process:
    """A process that was started here; what it says goes into a file."""

    name: str
    popen: "subprocess.Popen[bytes]"
    log: Path

    @property
    def killed(self) -> bool:
        """Whether it died of SIGKILL."""
        return self.popen.poll() == -signal.SIGKILL

    def said(self, lines: int = 20) -> str:
        """The end of what it said."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])


@dataclass
class Processes:
    """The processes of one demo. Used as a context: none of them is left behind."""

    folder: Path
    running: list[Process] = field(default_factory=list)
    url: str = ""

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.running:
            if process.popen.poll() is None:
                process.popen.kill()
                process.popen.wait()

    def start(self, name: str, command: Sequence[str | Path]) -> Process:
        """Start a process that finds the server by WORKLEDGER_URL."""
        log = self.folder / f"{name}.log"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("WORKLEDGER_")}
        environment |= {"WORKLEDGER_URL": self.url, "PYTHONUNBUFFERED": "1"}
        with log.open("wb") as output:
            popen = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        process = Process(name, popen, log)
        self.running.append(process)
        return process

    def serve(self, database: Path) -> Process:
        """Start the backend on a free port; answers when it listens. Raises Broken."""
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        server = self.start(
            "serve", [WORKLEDGER, "serve", "--port", str(port), "--store", f"sqlite:{database}"]
        )
        self.wait(server, lambda: _listens(port))
        return server

    def workers(self, count: int, queue: str, lease_seconds: int) -> list[Process]:
        """Start workers in Python; answers when all of them work. Raises Broken."""
        started: list[Process] = []
        for number in range(1, count + 1):
            name = f"worker-{number}"
            options = ["--name", name, "--lease", str(lease_seconds)]
            script = [sys.executable, HERE / "invoice_worker.py", queue]
            started.append(self.start(name, [*script, *options]))
        for worker in started:
            self.wait(worker, lambda worker=worker: worker.killed or bool(worker.said()))
        return started

    def wait(self, process: Process, began: Callable[[], bool]) -> None:
        """Until a process has begun. Raises Broken when it ends before, or takes too long."""
        until = time.monotonic() + START_SECONDS
        while not began():
            if process.popen.poll() is not None or time.monotonic() > until:
                raise Broken(f"{process.name} did not start:\n{process.said()}")
            time.sleep(0.05)

    def end(self, process: Process) -> int:
        """Ask a process to end, and wait. Raises Broken when it does not."""
        if process.popen.poll() is None:
            process.popen.send_signal(signal.SIGTERM)
        try:
            return process.popen.wait(END_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise Broken(f"{process.name} does not end:\n{process.said()}") from late


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
