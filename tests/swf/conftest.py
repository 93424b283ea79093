"""`world`: an empty store and the processes that use it.

The embedded store is the rule; a test that names `stores` runs on both.
"""

from collections.abc import Iterator

import pytest

from tests.races.world import MAKERS, World
from tests.races.world import world as make_world

stores = pytest.mark.parametrize("kind", MAKERS)
"""Marks a test that runs on both stores."""


@pytest.fixture
def kind() -> str:
    """The store that a test without the mark runs on."""
    return "sqlite"


@pytest.fixture
def world(kind: str) -> Iterator[World]:
    """An empty world."""
    with make_world(kind) as made:
        yield made
