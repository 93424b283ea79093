"""`world`: an empty store and the processes that use it."""

from collections.abc import Iterator

import pytest

from tests.races.world import World, engine
from tests.races.world import world as make_world


@pytest.fixture(scope="module", autouse=True)
def _engine() -> Iterator[None]:
    with engine():
        yield


@pytest.fixture
def world() -> Iterator[World]:
    """An empty world on the embedded store."""
    with make_world("sqlite") as made:
        yield made
