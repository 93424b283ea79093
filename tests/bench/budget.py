"""What each operation sends to DynamoDB: the counts that tests/cost asserts."""

from collections.abc import Iterator

from tests.bench.table import Figure
from tests.cost import manual_tasks
from tests.cost.operations import Cost, operations
from tests.swf import costs
from tests.tables import fresh_tables


def figures() -> Iterator[Figure]:
    """Reads, writes and write units of every operation."""
    from workledger.stores.moto import moto_client  # noqa: PLC0415 - an extra

    with moto_client() as client:
        fresh_tables(client)
        for name, cost in operations(client):
            yield from shown(name, cost)


def swf_figures() -> Iterator[Figure]:
    """The same of an execution's life: the counts that tests/swf/test_costs.py asserts."""
    from workledger.stores.moto import moto_client  # noqa: PLC0415 - an extra

    with moto_client() as client:
        fresh_tables(client)
        for name, cost in costs.operations(client):
            yield from shown(name, cost)


def manual_figures() -> Iterator[Figure]:
    """The same of manual tasks: the counts that tests/cost/test_budget_manual.py asserts."""
    from workledger.stores.moto import moto_client  # noqa: PLC0415 - an extra

    with moto_client() as client:
        fresh_tables(client)
        for name, cost in manual_tasks.operations(client):
            yield from shown(name, cost)


def shown(name: str, cost: Cost) -> Iterator[Figure]:
    """One operation's counts."""
    yield Figure(f"{name}: reads", cost.reads, "")
    yield Figure(f"{name}: writes", cost.writes, "")
    yield Figure(f"{name}: write units", cost.units, "")
