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
    if ran.cut is None and ran.code == 0:
        return Completed(result_of(ran.stdout))
    return Failed(_reason(ran)[:LONGEST_REASON], retry=_retry(ran))


def _retry(ran: Ran) -> bool:
    return ran.cut is not None or ran.code != BUSINESS_FAILURE


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


def _reason(ran: Ran) -> str:
    """The last line of standard error; a program that was ended from outside did not choose it."""
    if ran.cut is None and ran.code >= 0:
        return ran.last_line or f"exit code {ran.code}"
    ending = ran.cut or f"ended by {_name(-ran.code)}"
    return f"{ending}: {ran.last_line}" if ran.last_line else ending


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
