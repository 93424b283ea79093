"""`workledger work`: a program per item (Q60 to Q63)."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.client.running import Running

WORKLEDGER = [sys.executable, "-c", "from workledger.cli.main import app; app()"]


def items(cli: Run, queue: str) -> list[dict[str, object]]:
    return json.loads(cli("items", queue, "--json").out)["items"]


def test_q60_q61_exit_codes(cli: Run, queue: str) -> None:
    """Q60, Q61: 0 completes with stdout; 65 fails for good; all else is tried again."""
    cli("add", queue, '[{"exit": 0}, {"exit": 65}, {"exit": 7}]')
    script = """
        data=$(cat)
        echo "working $data" >&2
        case "$data" in *65*) echo 'no such supplier' >&2; exit 65;; *7*) exit 7;; esac
        echo "{\\"attempt\\": $WORKLEDGER_ITEM_ATTEMPT, \\"was\\": $data}"
    """
    done = cli("work", queue, "--measure", "--run-name", "nightly", "--", "sh", "-c", script)
    assert done.code == 0
    assert done.out.startswith("5 items in ")
    assert "items in" in done.out
    assert "per minute" in done.out
    outcomes = [(one["status"], one["attempt"], one["outcome"]) for one in items(cli, queue)]
    assert outcomes == [
        ("completed", 1, {"kind": "result", "result": {"attempt": 1, "was": {"exit": 0}}}),
        ("failed", 1, {"kind": "error", "reason": "no such supplier"}),
        ("failed", 3, {"kind": "error", "reason": 'working {"exit": 7}'}),
    ]
    assert "#2 (attempt 1) failed: no such supplier" in done.err.splitlines()


def test_q64_the_environment(cli: Run, queue: str) -> None:
    """Q64: Id, Reference, Attempt, Priority, and the queue."""
    cli("add", queue, "1", "--reference", "A-17", "--priority", "5")
    cli("work", queue, "-q", "--", "sh", "-c", "env | grep ^WORKLEDGER_ITEM_ | sort | tr '\\n' ' '")
    (item,) = items(cli, queue)
    assert item["outcome"] == {
        "kind": "result",
        "result": f"WORKLEDGER_ITEM_ATTEMPT=1 WORKLEDGER_ITEM_ID={item['id']} "
        f"WORKLEDGER_ITEM_PRIORITY=5 WORKLEDGER_ITEM_QUEUE={queue} "
        "WORKLEDGER_ITEM_REFERENCE=A-17 ",
    }


def test_q10_the_data_is_there_digit_for_digit(cli: Run, queue: str) -> None:
    """Q10: in on standard input, out as the result."""
    cli("add", queue, '{"total": 1.50}')
    cli("work", queue, "-q", "--", "cat")
    assert '"result":{"total": 1.50}' in cli("items", queue, "--json").out


def test_q61_a_time_out_is_a_system_error(cli: Run, queue: str) -> None:
    """Q61: a retry; here until none is left."""
    cli("add", queue, "1")
    cli("work", queue, "--timeout", "0.2", "--", "sleep", "1000")
    (item,) = items(cli, queue)
    assert (item["attempt"], item["outcome"]) == (
        3,
        {"kind": "error", "reason": "time-out after 0.2 s"},
    )


def test_q63_an_empty_queue_is_no_error(cli: Run, queue: str) -> None:
    """Q63: zero rounds."""
    done = cli("work", queue, "--measure", "--", "true")
    assert (done.code, done.out[:8]) == (0, "0 items ")


def test_q102_no_such_queue(cli: Run) -> None:
    """Q5: until a queue of that name exists."""
    assert cli("work", "no-such-queue", "--", "true").code == 1


@contextmanager
def working(
    server: Running, folder: Path, *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A worker in a process of its own, whose program waits until the fifo is written to."""
    fifos = [folder / "started", folder / "go"]
    for fifo in fifos:
        os.mkfifo(fifo)
    script = f"echo $$ > {fifos[0]}; read answer < {fifos[1]}; echo $answer"
    process = subprocess.Popen(
        [*WORKLEDGER, "--url", server.url, "work", *arguments, "--", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, folder
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_q62_the_first_signal_ends_after_the_item(
    server: Running, cli: Run, queue: str, tmp_path: Path, number: int
) -> None:
    """Q62: the item is completed, the next one is not taken."""
    cli("add", queue, "[1, 2]")
    with working(server, tmp_path, queue) as (worker, folder):
        assert (folder / "started").read_text()
        worker.send_signal(number)
        assert worker.stderr
        assert "Ends after this item" in worker.stderr.readline()
        (folder / "go").write_text("done\n")
        assert worker.wait(timeout=60) == 0
    assert [one["status"] for one in items(cli, queue)] == ["completed", "new"]
    assert items(cli, queue)[0]["outcome"] == {"kind": "result", "result": "done"}


def test_q50_the_second_signal_ends_the_program_and_the_run(
    server: Running, cli: Run, queue: str, tmp_path: Path
) -> None:
    """Q50: the item goes back, its round counts as an attempt."""
    cli("add", queue, "[1, 2]")
    with working(server, tmp_path, queue) as (worker, folder):
        program = int((folder / "started").read_text())
        worker.send_signal(signal.SIGINT)
        assert worker.stderr
        worker.stderr.readline()
        worker.send_signal(signal.SIGINT)
        assert worker.wait(timeout=60) == 130
    with pytest.raises(ProcessLookupError):
        os.kill(program, 0)
    assert [(one["status"], one["attempt"]) for one in items(cli, queue)] == [
        ("new", 1),
        ("new", 0),
    ]


def test_q28_following_ends_at_once_when_idle(
    server: Running, cli: Run, queue: str, tmp_path: Path
) -> None:
    """Q28: a signal while it waits for items ends it in order."""
    cli("add", queue, "1")
    with working(server, tmp_path, queue, "--follow", "--measure") as (worker, folder):
        assert (folder / "started").read_text()
        (folder / "go").write_text("1\n")
        assert worker.stderr
        assert "completed" in worker.stderr.readline()
        worker.send_signal(signal.SIGINT)
        assert worker.wait(timeout=60) == 0
        assert worker.stdout
        assert worker.stdout.read().startswith("1 items in ")
