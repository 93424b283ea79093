"""Commits that a process has read lately: they never change, so they need not be read again.

A decider's answer may be one commit of a thousand activities; each of their workers needs one event
of it.
"""

from collections import OrderedDict
from threading import Lock

from workledger.ledger.commit import Commit
from workledger.stores.port import Address, Store

MOST_EVENTS = 20_000
"""Events of all that is remembered; beyond it, what was not asked for longest is forgotten."""


class Recent:
    """What one process remembers. Safe under threads."""

    def __init__(self, store: Store, most: int = MOST_EVENTS) -> None:
        self._store = store
        self._most = most
        self._commits: OrderedDict[Address, Commit] = OrderedDict()
        self._events = 0
        self._lock = Lock()

    def at(self, address: Address) -> Commit:
        """The commit that stands at an address. Raises KeyError when there is none."""
        with self._lock:
            known = self._commits.get(address)
            if known is not None:
                self._commits.move_to_end(address)
                return known
        found = self._store.commits_at([address])[address]
        with self._lock:
            if address not in self._commits:
                self._commits[address] = found
                self._events += len(found.events)
            while self._events > self._most:
                _, oldest = self._commits.popitem(last=False)
                self._events -= len(oldest.events)
        return found
