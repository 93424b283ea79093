"""A real server: `workledger serve` on a file of its own, on a free port of this machine."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from workledger.client import Client

_HELLO = re.compile(r"(http://127\.0\.0\.1:\d+)")
_names = count(1)


def fresh_name(word: str = "queue") -> str:
    """The name of a queue that no other test has."""
    return f"{word}-{os.getpid()}-{next(_names)}"


@dataclass(frozen=True)
class Running:
    url: str
    store: str

    def client(self, **options: object) -> Client:
        return Client(self.url, **options)


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Running]:
    """Serve until the block ends."""
    store = f"sqlite:{folder / 'workledger.db'}"
    command = [sys.executable, "-c", "from workledger.cli.main import app; app()", "serve"]
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--port", "0", "--store", store, *options],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        assert process.stdout
        found = _HELLO.search(process.stdout.readline())
        assert found, (folder / "serve.log").read_text()
        yield Running(found[1], store)
    finally:
        process.terminate()
        assert process.wait(timeout=60) is not None
