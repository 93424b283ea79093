"""moto is not safe under threads: with the lock around its calls, one of many puts wins."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.stores.writes import added, commit
from workledger.stores.dynamodb import DynamoStore
from workledger.stores.port import Write


def test_one_of_eight_threads_wins_each_commit(client: Any) -> None:
    """And each loser is told who did."""
    store = DynamoStore(client, "ledger", "views", threads=8)

    def put(thread: int) -> list[Any]:
        ids = [commit(f"item/{n}", id=f"by {thread}") for n in range(25)]
        return [store.append([Write(one, added(one.stream).rows)])[0] for one in ids]

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(put, range(8)))
    for n in range(25):
        of_one = [outcomes[thread][n] for thread in range(8)]
        [winner] = [thread for thread, outcome in enumerate(of_one) if outcome is None]
        assert {outcome.id for outcome in of_one if outcome} == {f"by {winner}"}


def test_calls_inside_calls_do_not_wait_for_each_other_for_ever(client: Any) -> None:
    """More nested calls than threads: who waits helps; a failure is told when all have ended."""
    store = DynamoStore(client, "ledger", "views", threads=2)

    def nested(depth: int) -> int:
        return 1 if depth == 0 else sum(store.together([lambda: nested(depth - 1)] * 3))

    assert nested(4) == 81
    ended: list[int] = []

    def failing() -> None:
        raise ValueError("told")

    try:
        store.together([failing, lambda: ended.append(1), lambda: ended.append(2)])
    except ValueError:
        ended.append(3)
    assert sorted(ended) == [1, 2, 3]
    assert ended[-1] == 3
