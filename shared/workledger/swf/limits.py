"""How many executions of a domain may be open, and how many polls of a list (1.10).

Counting them for every start would cost more than the start itself. So each process counts a
domain's line when it first starts something there, adds what it starts itself, and counts again
after ten minutes or when it seems full: what has closed meanwhile makes room. The limit may be
exceeded by what other processes start in between. Polls are counted in each process.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

from workledger import keys
from workledger.errors import Refused
from workledger.service.core import Core
from workledger.stores.port import Store
from workledger.times import seconds_between

MOST_OPEN = 100_000
COUNTED_SECONDS = 600.0
MOST_POLLS = 1_000
FULL_SECONDS = 1.0
"""How long a full domain is believed to be full."""


@dataclass(slots=True)
class _Count:
    at: str
    open: int


_lock = Lock()
_counts: WeakKeyDictionary[Store, dict[str, _Count]] = WeakKeyDictionary()
_polls: WeakKeyDictionary[Store, Counter[str]] = WeakKeyDictionary()


@contextmanager
def polling(core: Core, line: str) -> Generator[None]:
    """One poll of a task list, which counts while it lasts. Raises LimitExceededFault."""
    with _lock:
        polls = _polls.setdefault(core.store, Counter())
        if polls[line] >= MOST_POLLS:
            raise Refused("LimitExceededFault", f"a task list has at most {MOST_POLLS} polls")
        polls[line] += 1
    try:
        yield
    finally:
        with _lock:
            polls[line] -= 1
            if not polls[line]:
                del polls[line]


def is_full(core: Core, scope: str, domain: str, more: int = 1) -> bool:
    """Whether so many more executions of a domain would be too many; else they are counted in."""
    line, now = keys.executions_line(scope, domain, "open"), core.clock()
    with _lock:
        counts = _counts.setdefault(core.store, {})
        known = counts.get(line)
    if known is None or not _believed(known, more, now):
        known = counts[line] = _Count(now, core.store.count_line(line, MOST_OPEN))
    with _lock:
        if known.open + more > MOST_OPEN:
            return True
        known.open += more
        return False


def _believed(known: _Count, more: int, now: str) -> bool:
    full = known.open + more > MOST_OPEN
    return seconds_between(known.at, now) < (FULL_SECONDS if full else COUNTED_SECONDS)
