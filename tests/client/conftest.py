from collections.abc import Iterator

import pytest

from tests.client.running import Running, fresh_name, running
from workledger.client import Client, QueueHandle


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("serve")) as found:
        yield found


@pytest.fixture
def client(server: Running) -> Iterator[Client]:
    with server.client() as found:
        yield found


@pytest.fixture
def queue(client: Client) -> QueueHandle:
    return client.queue(client.queues.create(fresh_name(), retries=2).name)
