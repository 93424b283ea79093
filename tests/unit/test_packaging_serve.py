"""An installed wheel serves: nothing of the source tree is needed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
UV = ROOT / ".venv-tools" / "bin" / "uv"

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.xdist_group("wheel"),
    pytest.mark.skipif(not UV.exists(), reason="needs uv: make setup"),
]


Server = tuple[str, "subprocess.Popen[bytes]"]


def run(*command: str | Path) -> None:
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment with the wheel and what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    needs, venv = folder / "needs.txt", folder / "venv"
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder)
    run(UV, "export", "--quiet", "--frozen", "--no-default-groups", "--no-emit-project",
        "--output-file", needs)  # fmt: skip
    run(UV, "venv", "--quiet", "--python", sys.executable, venv)
    (wheel,) = folder.glob("*.whl")
    run(UV, "pip", "install", "--quiet", "--python", venv, "--requirements", needs)
    run(UV, "pip", "install", "--quiet", "--python", venv, "--no-deps", wheel)
    return venv / "bin"


@pytest.fixture
def server(installed: Path, tmp_path: Path) -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    serving = subprocess.Popen(
        [installed / "workledger", "serve", "--port", port, "--store", "sqlite:queue.db"],
        cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}", serving
    finally:
        serving.kill()
        serving.wait()


def call(server: Server, path: str, body: object) -> dict[str, Any]:
    """One POST, repeated while nobody listens yet."""
    url, serving = server
    headers = {"Content-Type": "application/json", "Idempotency-Key": path}
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
    until = time.monotonic() + 20
    while True:
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            pytest.fail(f"{path}: {error.code} {error.read().decode()}")
        except OSError:
            if serving.poll() is not None or time.monotonic() > until:
                serving.kill()
                pytest.fail(f"does not serve: {serving.communicate()[1].decode()}")
            time.sleep(0.05)


def test_an_installed_wheel_serves_and_ends_cleanly(server: Server, tmp_path: Path) -> None:
    call(server, "/queues", {"name": "invoices"})
    call(server, "/queues/invoices/items", {"data": {"invoiceNo": "A-17"}})
    taken = call(server, "/queues/invoices/next", {})
    assert (taken["found"], taken["data"]) == (True, {"invoiceNo": "A-17"})
    assert (tmp_path / "queue.db").exists()
    serving = server[1]
    serving.send_signal(signal.SIGINT)
    assert serving.wait(timeout=15) in {0, 130}
