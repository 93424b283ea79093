"""Our own take and complete, in process on SQLite, as handlers call them."""

from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import Rate, spread
from workledger import bootstrap
from workledger.queues.item_commands import NewItem
from workledger.queues.queue import Settings
from workledger.service import adding, closing, queues, runs, taking
from workledger.service.core import Core
from workledger.stores.sqlite import SqliteStore

ACTOR = "ada.lovelace@example.org"
DATA = '{"invoice":"' + "x" * 886 + '"}'
PRIORITIES = 3


def entry(index: int) -> NewItem:
    """An entry of 900 bytes with a reference and one of three priorities."""
    return NewItem(DATA, f"INV-2026-{index:08d}", priority=index % PRIORITIES)


class Ours:
    """A queue with items on a file, and a run for each worker."""

    def __init__(self, folder: Path, workers: int, items: int) -> None:
        self.store = SqliteStore(str(folder / f"ours-{workers}.db"))
        self.core: Core = bootstrap.build(self.store).core
        self.queue = queues.create(self.core, ACTOR, "Invoices", Settings(retries=3)).id
        self._runs = [runs.start(self.core, ACTOR, None, 3_600).id for _ in range(workers)]
        self._added = 0
        self.add(items)

    def add(self, items: int) -> None:
        """Add so many items, a thousand at once."""
        for start in range(self._added, self._added + items, 1_000):
            end = min(start + 1_000, self._added + items)
            adding.add(self.core, ACTOR, self.queue, [entry(at) for at in range(start, end)])
        self._added += items

    def work(self, items: int) -> Rate:
        """Take and complete so many items, side by side."""
        share = items // len(self._runs)
        workers = [self._worker(run, share) for run in self._runs]
        return spread(share * len(workers), workers)

    def _worker(self, run: str, share: int) -> Callable[[], None]:
        def work() -> None:
            for _ in range(share):
                [item] = taking.take(self.core, ACTOR, self.queue, taking.Wanted(run=run)).items
                closing.complete(self.core, ACTOR, item.id, item.claim, None)

        return work

    def close(self) -> None:
        """Close the file."""
        self.store.close()
