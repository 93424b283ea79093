"""What a person at a terminal sees: tables with headings, a progress bar."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Run
from tests.client.running import Running

COMMAND = [sys.executable, "-c", "from workledger.cli.main import app; app()"]


def at_terminal(server: Running, *arguments: str, code: int = 0) -> str:
    """Everything that appears on the terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "LINES": "50"}
    process = subprocess.Popen(
        [*COMMAND, "--url", server.url, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65_536):
            seen += chunk
    except OSError:
        pass  # Linux says EIO when the other side is closed
    os.close(ours)
    assert process.wait(timeout=60) == code
    return seen.decode()


def test_lists_are_tables(server: Running, cli: Run, queue: str) -> None:
    """With headings; in a pipe they are tab-separated lines without."""
    cli("add", queue, '{"a": 1}', "--reference", "A-17")
    seen = at_terminal(server, "items", queue)
    assert "REFERENCE" in seen
    assert "A-17" in seen
    assert "\t" not in seen
    assert "REFERENCE" not in cli("items", queue).out


def test_q71_text_cannot_move_the_cursor(server: Running, cli: Run, queue: str) -> None:
    """Q71: a reference is any text, also one that would clear the screen; nor is it markup."""
    cli("add", queue, "1", "--reference", "\x1b[2J[red]x")
    assert "\x1b[2J" not in at_terminal(server, "items", queue)
    assert "[2J[red]x" in at_terminal(server, "items", queue)
    assert "\x1b" not in cli("items", queue).out


def test_q84_a_large_load_shows_a_bar(server: Running, queue: str, tmp_path: Path) -> None:
    """Q84: how many of how many."""
    file = tmp_path / "large.ndjson"
    file.write_text("1\n" * 1_500)
    seen = at_terminal(server, "add", queue, "--file", str(file))
    assert "1500" in seen
    assert "added 1500, skipped 0" in seen


def test_a_pipe_that_is_closed_is_no_trace(server: Running, cli: Run, queue: str) -> None:
    """`workledger items Q --all | head -1`."""
    cli("add", queue, str(list(range(300))))
    shell = " ".join(
        f"'{part}'" for part in [*COMMAND, "--url", server.url, "items", queue, "--all"]
    )
    done = subprocess.run(
        ["sh", "-c", f"{shell} | head -1"], capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr
