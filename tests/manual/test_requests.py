"""What each step of the work sends to DynamoDB: requests, round trips, write units."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest

from tests.manual.people import load_records, make_task
from tests.support import Surroundings, make_core
from workledger.jsontext import Raw
from workledger.manual import answering, assigning, worklist
from workledger.manual.assigning import Assigned
from workledger.manual_tasks.answers import Adjudication
from workledger.service.core import Core
from workledger.stores.moto import moto_client
from workledger.stores.recording import Recorder, recorded
from workledger.stores.tables import create_tables

TABLES = ("ledger-requests", "views-requests")

pytestmark = pytest.mark.xdist_group("manual-requests")


@dataclass
class Here:
    """A task with adjudication 2+1 and 100 records, on watched tables."""

    core: Core
    recorder: Recorder

    def cost(self, call: Callable[[], object]) -> tuple[int, int, int, int]:
        """(reads, writes, write units, round trips) of a call."""
        self.recorder.clear()
        call()
        seen = self.recorder
        return seen.reads, seen.writes, seen.units, seen.trips

    def next(self, worker: str) -> Assigned:
        """The next one of a worker."""
        found = assigning.next_of(self.core, worker, "Check")
        assert isinstance(found, Assigned)
        return found


@pytest.fixture(scope="module")
def here() -> Iterator[Here]:
    """One for all of these tests."""
    with moto_client() as client:
        create_tables(client, *TABLES)
        store, recorder = recorded(client, *TABLES)
        core = make_core(store, Surroundings())
        task = make_task(core, rule=Adjudication(2, 1))
        load_records(core, task, [f"r{n}" for n in range(100)])
        assigning.next_of(core, "first", "Check")
        yield Here(core, recorder)


def test_m33_next_is_a_few_reads_and_three_writes(here: Here) -> None:
    """(M33) The commit, the assignment, the head; and the due row, for the deadline."""
    reads, writes, units, trips = here.cost(lambda: here.next("W1"))
    assert (reads, writes, units, trips) == EXPECTED["next"]


def test_m36_a_key_costs_one_write_more(here: Here) -> None:
    """(M36) Its choice; the repeat writes nothing."""
    keyed = partial(assigning.next_of, here.core, "W2", "Check", None, "k")
    reads, writes, _, _ = here.cost(keyed)
    assert writes == EXPECTED["next"][1] + 1
    assert reads <= EXPECTED["next"][0] + 2
    reads, writes, _, _ = here.cost(keyed)
    assert (reads <= 8, writes) == (True, 0)


def test_m60_an_answer_that_does_not_decide(here: Here) -> None:
    """(M60) Three writes."""
    one = here.next("W3")
    cost = here.cost(lambda: answering.submit(here.core, "W3", one.id, Raw('{"a":1}')))
    assert cost == EXPECTED["submit"]


def test_m60_an_answer_that_decides(here: Here) -> None:
    """(M60) The rows of all who met the record leave their lines."""
    core = here.core
    last = worklist.page(core, "W4", "Check", None, None, 100).items[-1].hit
    for worker, answer in (("W6", "2"), ("W5", "1")):
        answering.submit(core, worker, assigning.take(core, worker, last).id, Raw(answer))
    one = assigning.take(core, "W4", last)
    cost = here.cost(lambda: answering.submit(core, "W4", one.id, Raw("1")))
    assert cost == EXPECTED["deciding"]


def test_m33_a_page_of_the_list_is_read_in_a_few_requests(here: Here) -> None:
    """(M33) However many records it shows."""
    page = partial(worklist.page, here.core, "W9", "Check", None, None, 50)
    assert here.cost(page) == EXPECTED["list"]


def test_m35_what_one_holds_is_read_in_a_few_requests(here: Here) -> None:
    """(M35) However much it is."""
    here.next("W5")
    active = partial(assigning.active, here.core, "W5", None, 50)
    assert here.cost(active) == EXPECTED["active"]


EXPECTED = {
    "next": (6, 4, 8, 6),
    "submit": (4, 3, 7, 6),
    "deciding": (4, 6, 12, 6),
    "list": (6, 0, 0, 4),
    "active": (6, 0, 0, 5),
}
"""(reads, writes, write units, round trips)."""
