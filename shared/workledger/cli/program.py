"""A program that works one item: data in, result out (`workledger work`)."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, BinaryIO

LOOK_SECONDS = 0.5
"""How often it is looked whether the item is still ours."""

TERM_SECONDS = 5.0
"""From SIGTERM to SIGKILL, when a program must end."""

PIPE_SECONDS = 2.0
"""How long output is waited for after the end: what a program left behind may keep a pipe open."""

CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended. `code` is negative for a signal; `cut` says why it was ended early."""

    code: int
    stdout: bytes
    last_line: str
    cut: str | None = None


class Reader:
    """Reads a pipe to its end in a thread; passes it on as it comes, if asked to."""

    def __init__(self, pipe: IO[bytes], passed_on: BinaryIO | None = None) -> None:
        self._pipe, self._passed_on = pipe, passed_on
        self._chunks: list[bytes] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while chunk := os.read(self._pipe.fileno(), CHUNK):
                self._chunks.append(chunk)
                if self._passed_on is not None:
                    self._passed_on.write(chunk)
                    self._passed_on.flush()

    def read(self, seconds: float) -> bytes:
        """All of it, or what has come after so many seconds."""
        self._thread.join(max(0.0, seconds))
        return b"".join(self._chunks)


class Program:
    """A command that is run once per item, in a session of its own: Ctrl-C does not reach it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float | None = None,
        stderr: BinaryIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        patience: float = TERM_SECONDS,
    ) -> None:
        self._command, self._timeout = list(command), timeout
        self._stderr, self._clock = stderr, clock
        self._patience = patience

    def run(self, data: bytes, environment: Mapping[str, str], lost: Callable[[], bool]) -> Ran:
        """Run it to its end, to the time-out, or until `lost` is true.

        Raises OSError if it cannot be started. An exception from outside (Ctrl-C) kills it.
        """
        process = subprocess.Popen(  # noqa: S603 - running the user's command is the purpose
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
            start_new_session=True,
        )
        try:
            return self._watch(process, data, lost)
        except BaseException:
            _signal(process, signal.SIGKILL)
            process.wait()
            raise

    def _watch(
        self, process: subprocess.Popen[bytes], data: bytes, lost: Callable[[], bool]
    ) -> Ran:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("the program was started without pipes")
        threading.Thread(target=_feed, args=(process.stdin, data), daemon=True).start()
        out, err = Reader(process.stdout), Reader(process.stderr, self._stderr)
        ended = threading.Event()
        threading.Thread(target=_await, args=(process, ended), daemon=True).start()
        cut = self._await_end(ended, lost)
        if cut is not None:
            _signal(process, signal.SIGTERM)
            if not ended.wait(self._patience):
                _signal(process, signal.SIGKILL)
                ended.wait()
        until = self._clock() + PIPE_SECONDS
        stdout, stderr = (pipe.read(until - self._clock()) for pipe in (out, err))
        return Ran(process.returncode, stdout, last_line(stderr), cut)

    def _await_end(self, ended: threading.Event, lost: Callable[[], bool]) -> str | None:
        """Wait; answers why it must be ended, if it must."""
        until = None if self._timeout is None else self._clock() + self._timeout
        while True:
            left = LOOK_SECONDS if until is None else min(LOOK_SECONDS, until - self._clock())
            if ended.wait(max(0.0, left)):
                return None
            if lost():
                return "the claim was lost"
            if until is not None and self._clock() >= until:
                return f"time-out after {self._timeout:g} s"


def _feed(pipe: IO[bytes], data: bytes) -> None:
    # A program need not read its input.
    with suppress(OSError), pipe:
        pipe.write(data)


def _await(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    process.wait()
    ended.set()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """To the program and everything it started in its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def last_line(output: bytes) -> str:
    """The last line that is not blank; empty if there is none."""
    lines = output.decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
