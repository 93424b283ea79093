"""Whether the client that a function works for is still there (W28).

Lambda cannot tell; here the thread that runs a function knows the connection.
"""

from collections.abc import Callable
from contextvars import ContextVar

Connected = Callable[[], bool]


def _always() -> bool:
    return True


connected: ContextVar[Connected] = ContextVar("connected", default=_always)
"""Of the request that this thread answers."""
