"""What a program's end means for its item. Pure."""

import signal
from dataclasses import dataclass

from workledger import jsontext
from workledger.cli.program import Ran
from workledger.client.wire import UNSET, Raw, Unset
from workledger.errors import Refused

BUSINESS_FAILURE = 65
"""The exit code of a failure for good (EX_DATAERR): another try would not help (Q61)."""

LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class Completed:
    """Completed, with standard output as the result."""

    result: Raw | str | Unset


@dataclass(frozen=True, slots=True)
class Failed:
    """Failed; with a retry unless the program said that none would help."""

    reason: str
    retry: bool


def verdict(ran: Ran) -> Completed | Failed:
    """0 completes; 65 fails for good; any other code, a signal, a time-out fails with a retry."""
    if ran.cut is not None:
        reason = f"{ran.cut}: {ran.last_line}" if ran.last_line else ran.cut
        return Failed(reason[:LONGEST_REASON], retry=True)
    if ran.code == 0:
        return Completed(result_of(ran.stdout))
    reason = ran.last_line or _ending(ran.code)
    return Failed(reason[:LONGEST_REASON], retry=ran.code != BUSINESS_FAILURE)


def result_of(stdout: bytes) -> Raw | str | Unset:
    """JSON if it is JSON, digit for digit; else the text without its last line break."""
    text = stdout.decode("utf-8", "replace")
    if not text.strip():
        return UNSET
    try:
        jsontext.parse(text)
    except Refused:
        return text.rstrip("\r\n")
    return Raw(text.strip())


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
