"""`make bench-peers`: take and complete beside two other queues, on this machine, one after the other.

huey keeps no history and has no lease; procrastinate runs on a PostgreSQL of its own, which listens
on a socket file only. Both run in the environment of the peers; PostgreSQL must be installed.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench import sqlite_speed
from tests.bench.table import Figure, lines

PEERS = Path(".venv-peers/bin/python")
WORKERS = (1, 8)


def figures() -> Iterator[Figure]:
    """Ours, then theirs."""
    for one in sqlite_speed.figures():
        if one.unit:
            yield one
    yield from _peer("huey on SQLite", "peer_huey.py")
    with postgresql() as url:
        yield from _peer("procrastinate on PostgreSQL", "peer_procrastinate.py", url)


def _peer(name: str, script: str, *arguments: str) -> Iterator[Figure]:
    command = [str(PEERS), str(Path(__file__).with_name(script)), *arguments, *map(str, WORKERS)]
    told = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, timeout=300
    ).stdout
    for line in told.splitlines():
        workers, rate = line.split()
        yield Figure(f"{name}, {workers} workers", float(rate), "items/s")


@contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL in a folder of its own, on a socket file; gone at the end."""
    found = shutil.which("initdb") or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None
    )
    if found is None:
        raise SystemExit("install PostgreSQL first (Debian: apt-get install postgresql)")
    programs = Path(found).parent
    with tempfile.TemporaryDirectory() as folder:
        as_owner = _owned(folder)
        data = f"{folder}/data"

        def run(program: str, *arguments: str) -> None:
            command = [*as_owner, str(programs / program), *arguments]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)

        run("initdb", "-D", data, "-U", "peer", "--auth=trust")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        run("pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"host={folder} user=peer dbname=postgres"
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "fast", "stop")


def _owned(folder: str) -> list[str]:
    """PostgreSQL refuses to run as root: then the folder is its own user's."""
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwnam("postgres")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return ["runuser", "-u", "postgres", "--"]


if __name__ == "__main__":
    for line in lines("Take and complete", figures()):
        print(line, flush=True)
    sys.exit(0)
