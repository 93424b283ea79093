"""What a program's end means for its item (Q61)."""

import pytest

from workledger.cli.program import Ran, last_line
from workledger.cli.verdict import LONGEST_REASON, Completed, Failed, verdict
from workledger.client import UNSET, Raw


@pytest.mark.parametrize(
    ("stdout", "result"),
    [
        (b"", UNSET),
        (b" \n", UNSET),
        (b'{"total": 1.50}\n', Raw('{"total": 1.50}')),
        (b"30.40", Raw("30.40")),
        (b"null", Raw("null")),
        (b"done\n", "done"),
        (b"two\nlines\n", "two\nlines"),
        (b"NaN", "NaN"),
        (b"[" * 100 + b"]" * 100, "[" * 100 + "]" * 100),
        (b"\xff", "\ufffd"),
    ],
)
def test_q40_exit_0_completes_with_stdout(stdout: bytes, result: object) -> None:
    """Q40: JSON if it is JSON, digit for digit; else text; nothing is no result."""
    assert verdict(Ran(0, stdout, "")) == Completed(result)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("ran", "reason", "retry"),
    [
        (Ran(65, b"", "no such supplier"), "no such supplier", False),
        (Ran(65, b"", ""), "exit code 65", False),
        (Ran(1, b"", "boom"), "boom", True),
        (Ran(1, b'{"a": 1}', ""), "exit code 1", True),
        (Ran(-9, b"", ""), "ended by SIGKILL", True),
        (Ran(-15, b"", "working"), "ended by SIGTERM: working", True),
        (Ran(-250, b"", ""), "ended by signal 250", True),
        (Ran(0, b"1", "late", "time-out after 3 s"), "time-out after 3 s: late", True),
        (Ran(65, b"", "", "time-out after 3 s"), "time-out after 3 s", True),
    ],
)
def test_q61_all_else_fails(ran: Ran, reason: str, retry: bool) -> None:
    """Q61: 65 for good; any other code, a signal, a time-out with a retry."""
    assert verdict(ran) == Failed(reason, retry)


def test_q45_a_reason_is_cut() -> None:
    """Q45: a line may be of any length."""
    found = verdict(Ran(1, b"", "x" * 100_000))
    assert isinstance(found, Failed)
    assert len(found.reason) == LONGEST_REASON


@pytest.mark.parametrize(
    ("output", "line"),
    [(b"", ""), (b"a\n b \n\n \n", "b"), (b"one", "one"), (b"\xff\n", "\ufffd"), (b"a\rb", "b")],
)
def test_the_last_line_that_is_not_blank(output: bytes, line: str) -> None:
    """It is the reason."""
    assert last_line(output) == line
