"""Which module knows which kind of stream."""

from typing import cast

from workledger.access import swf_key, token
from workledger.ledger import feed
from workledger.ledger.aggregate import Aggregate
from workledger.ledger.fold import Aggregates
from workledger.manual_tasks import hit_folding, load, process, record, statistics, step, task
from workledger.queues import item, queue, run
from workledger.workflows import domain, folding
from workledger.workflows import type as types

AGGREGATES: Aggregates = {
    "item": cast("Aggregate", item),
    "queue": cast("Aggregate", queue),
    "run": cast("Aggregate", run),
    "token": cast("Aggregate", token),
    "key": cast("Aggregate", swf_key),
    "feed": cast("Aggregate", feed),
    "process": cast("Aggregate", process),
    "task": cast("Aggregate", task),
    "load": cast("Aggregate", load),
    "hit": cast("Aggregate", hit_folding),
    "record": cast("Aggregate", record),
    "step": cast("Aggregate", step),
    "stats": cast("Aggregate", statistics),
    "domain": cast("Aggregate", domain),
    "type": cast("Aggregate", types),
    "execution": cast("Aggregate", folding),
}
"""Kinds with rows. Streams of other kinds (`add/`, `take/`) are read from the ledger itself."""
