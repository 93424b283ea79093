"""`kind` and `world`: every test that takes one of them runs on both stores."""

from collections.abc import Iterator

import pytest

from tests.races.world import MAKERS, World, engine
from tests.races.world import world as make_world


@pytest.fixture(scope="module", autouse=True)
def _engine() -> Iterator[None]:
    with engine():
        yield


@pytest.fixture(params=MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    """One of the stores."""
    return request.param


@pytest.fixture
def world(kind: str) -> Iterator[World]:
    """An empty store and the processes that use it."""
    with make_world(kind) as made:
        yield made
