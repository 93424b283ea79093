"""The ledger as a stream on one machine: positions in the order of commits, remembered cursors."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.stores.writes import added, standing
from workledger.stores.port import Address
from workledger.stores.sqlite import SqliteStore


def _play(store: SqliteStore, position: int, limit: int) -> tuple[list[Address], int]:
    met: list[Address] = []
    found, position = store.moved(position, limit)
    while found:
        met += [address for _, address in found]
        found, position = store.moved(position, limit)
    return met, position


def test_q93_every_commit_is_met_once_in_the_order_of_commits(tmp_path: Path):
    """Q93: every event from a position on; nothing lost over an outage."""
    store = SqliteStore(str(tmp_path / "workledger.db"))
    assert store.moved(0, 10) == ([], 0)

    def write(worker: int) -> None:
        for number in range(1, 31):
            store.append([added(f"item/{worker}", number), added("item/all", number)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    met, position = _play(store, 0, 7)
    assert len(met) == len(set(met)) == 5 * 30
    for stream in {stream for stream, _ in met}:
        assert [number for one, number in met if one == stream] == list(range(1, 31))

    assert store.moved(position, 10) == ([], position)
    store.append([added("item/new")])
    store.append([added("item/new")])
    assert _play(store, position, 10)[0] == [("item/new", 1)]
    store.close()


def test_a_cursor_is_remembered_by_name(tmp_path: Path):
    store = SqliteStore(str(tmp_path / "workledger.db"))
    assert store.cursor("projector") == 0
    store.set_cursor("projector", 12)
    store.set_cursor("feed", 3)
    store.set_cursor("projector", 10)
    assert (store.cursor("projector"), store.cursor("feed")) == (10, 3)
    store.close()


def test_q28_who_listens_is_told_on_which_lines_rows_were_placed(tmp_path: Path):
    """Q28: `next` can wait; it answers as soon as an item can be taken."""
    store = SqliteStore(str(tmp_path / "workledger.db"))
    heard: list[frozenset[str]] = []
    store.on_append.append(heard.append)
    x, y = standing(1, line="x"), standing(1, line="y")

    store.append([added("a", place=x), added("b", place=y)])
    store.append([added("a", place=y), added("c"), added("d", place=x)])
    store.append([added("e", place=x)], place=False)
    store.place([added("e", place=x)])
    store.append([added("f")])
    assert heard == [{"x", "y"}, {"x"}, {"x"}]
    store.close()
