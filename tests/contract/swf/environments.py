"""Where each client of the SWF service is installed (`make contract-envs`), and how it is run."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
REGION = "eu-west-1"
PATIENCE_SECONDS = 120

SIGNING = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "any: serve on a loopback address believes every signature",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""What every AWS SDK wants to have before it asks anybody anything."""


def installed(client: str) -> Path:
    """The environment of a client; a test whose client is not installed is skipped, but not in CI."""
    folder = ROOT / f".venv-client-{client}"
    if not (folder / ".made").exists():
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"{folder.name} is not there: make contract-envs")
    return folder


def python_of(client: str) -> str:
    """The Python in which a client is installed."""
    return str(installed(client) / "bin" / "python")


def pointed_at(url: str) -> dict[str, str]:
    """The environment by which every AWS SDK finds the server: all that a program needs changed."""
    return os.environ | SIGNING | {"AWS_ENDPOINT_URL_SWF": url}


def program(
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path = HERE,
    ends: Sequence[int] = (0,),
) -> str:
    """What a program printed; fails with all it said when it ended otherwise than it may.

    It has a session of its own, so that nothing it started outlives it.
    """
    with TemporaryFile("w+") as out, TemporaryFile("w+") as log:
        running = subprocess.Popen(
            command, env=env, cwd=folder, stdout=out, stderr=log, start_new_session=True
        )
        try:
            code: int | str = running.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            code = f"still running after {PATIENCE_SECONDS} seconds"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        said, told = _all(out), _all(log)
    assert code in ends, f"{code}\n{said[-6000:]}\n{told[-6000:]}"
    return said


def _all(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def command(name: str) -> str:
    """A program that must be on this machine."""
    found = shutil.which(name)
    if found is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"{name} is not on this machine")
    return found
