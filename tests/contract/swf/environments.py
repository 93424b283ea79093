"""Where each client of the SWF service is installed (`make contract-envs`), and how it is run."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
REGION = "eu-west-1"
PATIENCE_SECONDS = 240

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
    """What a program printed; fails with all it said when it ended otherwise than it may."""
    ended = subprocess.run(
        command,
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert ended.returncode in ends, f"{ended.stdout[-6000:]}\n{ended.stderr[-6000:]}"
    return ended.stdout


def command(name: str) -> str:
    """A program that must be on this machine."""
    found = shutil.which(name)
    if found is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"{name} is not on this machine")
    return found
