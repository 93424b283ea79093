"""A server on SQLite for the clients of the SWF service."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.local.serving import Server, serving

POLL_SECONDS = 1
"""How long a poll is held here: a client that asks an empty list gets its answer soon."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`workledger serve`, as anybody would start it."""
    folder = tmp_path_factory.mktemp("swf")
    with serving(folder, "--poll-seconds", str(POLL_SECONDS)) as served:
        yield served


@pytest.fixture(scope="session")
def names() -> Callable[[str], str]:
    """Names that no other test of this server has."""
    numbers = count(1)
    return lambda base: f"{base}-{next(numbers)}"
