"""Which module knows which kind of stream."""

from typing import cast

from workledger.access import token
from workledger.ledger import feed
from workledger.ledger.aggregate import Aggregate
from workledger.ledger.fold import Aggregates
from workledger.queues import item, queue, run

AGGREGATES: Aggregates = {
    "item": cast(Aggregate, item),
    "queue": cast(Aggregate, queue),
    "run": cast(Aggregate, run),
    "token": cast(Aggregate, token),
    "feed": cast(Aggregate, feed),
}
"""Kinds with rows. Streams of other kinds (`add/`, `take/`) are read from the ledger itself."""
