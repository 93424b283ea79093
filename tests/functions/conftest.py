"""`caller`: the API on every store, with a clock that only the test moves."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from tests.functions.calling import Caller
from tests.functions.manual import TWO_AND_ONE, Three, Worker, load, new_task, worker, workers
from tests.support import Surroundings, make_core
from workledger import bootstrap
from workledger.api.permissions import permissions
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.moto import moto_client
from workledger.stores.port import Store
from workledger.stores.sqlite import SqliteStore
from workledger.stores.tables import create_tables

MakeStore = Callable[[Path], Store]


@pytest.fixture(scope="session")
def makers() -> Iterator[dict[str, MakeStore]]:
    """Stores by name. DynamoDB is one engine in memory with two new tables each time."""
    with ExitStack() as stack:
        numbers = count()
        clients = []

        def sqlite(folder: Path) -> Store:
            return SqliteStore(str(folder / "workledger.db"))

        def dynamodb(_: Path) -> Store:
            if not clients:
                clients.append(stack.enter_context(moto_client()))
            ledger, views = (f"{name}-{next(numbers)}" for name in ("ledger", "views"))
            create_tables(clients[0], ledger, views)
            return DynamoStore(clients[0], ledger, views, threads=4)

        yield {"sqlite": sqlite, "dynamodb": dynamodb}


@pytest.fixture(params=["sqlite", "dynamodb"])
def store(
    request: pytest.FixtureRequest, makers: dict[str, MakeStore], tmp_path: Path
) -> Iterator[Store]:
    """A fresh store, of each kind."""
    made = makers[request.param](tmp_path)
    yield made
    close = getattr(made, "close", None)
    if close:
        close()


@pytest.fixture
def caller(store: Store) -> Iterator[Caller]:
    """The API on a fresh store; the caller is an admin."""
    around = Surroundings()
    core = make_core(store, around)
    bootstrap.override(bootstrap.App(core, permissions()))
    try:
        yield Caller(core, around)
    finally:
        bootstrap.override(None)


@pytest.fixture
def local(makers: dict[str, MakeStore], tmp_path: Path) -> Iterator[Caller]:
    """The API on SQLite alone: for what is decided before any store is asked."""
    store = makers["sqlite"](tmp_path)
    around = Surroundings()
    core = make_core(store, around)
    bootstrap.override(bootstrap.App(core, permissions()))
    try:
        yield Caller(core, around)
    finally:
        bootstrap.override(None)
        store.close()


@pytest.fixture
def one(caller: Caller) -> Worker:
    """W1 at a manual task without records."""
    return worker(caller, new_task(caller), "W1")


@pytest.fixture
def three(caller: Caller) -> Three:
    """W1, W2 and W3 at a manual task of five records, adjudication 2+1."""
    task = new_task(caller, adjudication=TWO_AND_ONE)
    load(caller, task)
    return workers(caller, task)
