"""Real programs, run as `work` runs them."""

import io
from itertools import count

import pytest

from workledger.cli.program import Program, Ran


def sh(script: str, data: bytes = b"", **environment: str) -> Ran:
    return Program(["sh", "-c", script], stderr=io.BytesIO()).run(data, environment, lambda: False)


def test_data_goes_in_and_output_comes_out() -> None:
    """Larger than any pipe's buffer, both ways."""
    data = b"x" * 3_000_000
    assert sh("cat", data).stdout == data


def test_a_program_need_not_read_its_input() -> None:
    """No broken pipe is anybody's business."""
    assert sh("exit 3", b"x" * 3_000_000) == Ran(3, b"", "")


def test_the_environment_is_there() -> None:
    """Beside that of the worker."""
    assert sh('printf %s "$WORKLEDGER_ITEM_ID$HOME"', WORKLEDGER_ITEM_ID="i_1").stdout.startswith(
        b"i_1"
    )


def test_stderr_is_passed_on_as_it_comes() -> None:
    """A person watches the worker."""
    seen = io.BytesIO()
    ran = Program(["sh", "-c", "echo one >&2; echo two >&2"], stderr=seen).run(
        b"", {}, lambda: False
    )
    assert seen.getvalue() == b"one\ntwo\n"
    assert ran.last_line == "two"


def test_a_signal_is_its_code() -> None:
    """Negative, as subprocess has it."""
    assert sh("kill -9 $$").code == -9


def timed_out(script: str, **options: float) -> Ran:
    """Run a script whose time is over as soon as it has said something on stderr, not before."""
    said, looks = io.BytesIO(), count()

    def clock() -> float:
        # The first look is that at which the time begins.
        return 1.0 if next(looks) and said.getvalue() else 0.0

    program = Program(["sh", "-c", script], timeout=0.2, stderr=said, clock=clock, **options)
    return program.run(b"", {}, lambda: False)


def test_a_time_out_ends_the_program_and_its_children() -> None:
    """All of its session gets the signal."""
    ran = timed_out("echo started >&2; sleep 1000 & wait")
    assert ran == Ran(-15, b"", "started", "time-out after 0.2 s")


def test_who_ignores_sigterm_is_killed() -> None:
    """SIGKILL follows when the patience ends."""
    ran = timed_out("trap '' TERM; echo started >&2; sleep 1000", patience=0.05)
    assert ran == Ran(-9, b"", "started", "time-out after 0.2 s")


def test_a_lost_claim_ends_the_program() -> None:
    """Another works on the item by now."""
    ran = Program(["sleep", "1000"]).run(b"", {}, lambda: True)
    assert ran.cut == "the claim was lost"
    assert ran.code == -15


def test_what_a_program_leaves_behind_does_not_hold_the_worker() -> None:
    """A background process keeps the pipe open."""
    ran = sh("setsid sleep 5 & echo done")
    assert (ran.code, ran.stdout) == (0, b"done\n")


def test_a_program_that_cannot_start_is_an_error() -> None:
    """The round fails with it, like with any error."""
    with pytest.raises(OSError, match="No such file"):
        Program(["/no/such/program"]).run(b"", {}, lambda: False)
