"""Whatever is sent, the API answers as its OpenAPI document says, and never with a 5xx (Q100)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import GenerationMode

from tests.contract import manual_world
from tests.contract.wsgi import TOKEN, Gateway
from tests.functions.calling import DOCUMENT, Caller, handler
from tests.support import Surroundings, make_core
from workledger import bootstrap, keys
from workledger.api.http import CSV, NDJSON
from workledger.api.permissions import permissions
from workledger.service import runs
from workledger.stores.sqlite import SqliteStore

QUEUE = "Invoices"
document = json.loads(json.dumps(DOCUMENT))
del document["paths"]["/queues/{queue}/items"]["post"]["requestBody"]["content"][NDJSON]
gateway = Gateway(document, handler)
STATED = {
    "negative_data_rejection": [400, 401, 404, 405, 409, 412, 413, 415, 428],
    "positive_data_acceptance": ["2xx", 404, 409, 412, 413, 422],
    "missing_required_header": [401, 428],
}
"""What else than 400 refuses bad data; what the state of things may refuse of good data."""

PEOPLE = "^/(manual-tasks|hits|assignments|loads|processes|records)"
STATED_OF_PEOPLE = {
    "negative_data_rejection": [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428],
    "positive_data_acceptance": ["2xx", 400, 403, 404, 409, 412, 413, 422],
}
"""Besides: not one's own, on no roster; rules and files whose faults no JSON Schema knows."""


def checks(stated: dict[str, list[Any]]) -> dict[str, Any]:
    return {name: {"expected-statuses": statuses} for name, statuses in stated.items()}


BESIDE_A_PARAMETER = "^/(manual-tasks/next|assignments/sign-out)$"
"""Where what is allowed at `{task}` is allowed too: GET shows a task that is called `next`."""

config = schemathesis.Config.from_dict(
    {
        "checks": checks(STATED),
        "operations": [
            {
                "include-path-regex": BESIDE_A_PARAMETER,
                "checks": {
                    **checks(STATED_OF_PEOPLE),
                    "allow_header_conformance": {"enabled": False},
                },
            },
            {"include-path-regex": PEOPLE, "checks": checks(STATED_OF_PEOPLE)},
        ],
    }
)


@schemathesis.serializer(CSV)
def as_it_is(_: Any, value: Any) -> bytes:
    """A file is its text."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


schema = schemathesis.openapi.from_wsgi("/openapi.json", gateway, config=config)


KNOWN = {
    "queue": QUEUE,
    "id": keys.item_id(keys.item_stream(keys.queue_id(keys.queue_stream(QUEUE), 1), "R0"), 1),
    "run": "r_" + "a" * 26,
}


@pytest.fixture(autouse=True)
def filled(tmp_path: Path) -> Iterator[None]:
    """A store with a queue, a run that holds an item, one that waits, one that failed."""
    store = SqliteStore(str(tmp_path / "workledger.db"))
    around = Surroundings()
    core = make_core(store, around)
    bootstrap.override(bootstrap.App(core, permissions()))
    caller = Caller(core, around)
    queue = caller.queue(QUEUE, retries=1)
    items = caller.add(queue, *[{"data": n, "reference": f"R{n}"} for n in range(4)])
    assert items[0] == KNOWN["id"]
    caller.fail(caller.take(queue), retry=False)
    runs.start(core, "ada", None, 300, KNOWN["run"])
    caller.take(queue, run=KNOWN["run"])
    KNOWN.update(manual_world.filled(caller))
    yield
    bootstrap.override(None)
    store.close()


@schema.hook
def map_path_parameters(_: Any, path_parameters: dict[str, Any] | None) -> Any:
    """Most requests are about things that exist."""
    return {
        name: KNOWN[name] if len(str(value)) % 4 else value
        for name, value in (path_parameters or {}).items()
    }


OPAQUE = ("cursor", "after")


@schema.hook
def map_query(_: Any, query: dict[str, Any] | None) -> Any:
    """Cursors are given out, not made up; a blank reference is none."""
    return {
        name: value
        for name, value in (query or {}).items()
        if name not in OPAQUE and (name != "reference" or str(value).strip())
    }


def prepare(case: schemathesis.Case) -> None:
    """Claims are of the item that is asked about; names are printable; cursors are left out."""
    if not isinstance(case.body, dict):
        return
    body = {member: of for member, of in case.body.items() if member != "cursor"}
    if case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE:
        body = manual_world.made_valid(body)
    claim, name = body.get("claim"), body.get("name")
    if isinstance(claim, str) and keys.claim_of(claim):
        body["claim"] = f"{(case.path_parameters or {})['id']}:{claim.rpartition(':')[2]}"
    if isinstance(name, str) and name and not name.isprintable():
        body["name"] = "".join(one if one.isprintable() else "x" for one in name)
    case.body = body


@schema.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_q100_every_answer_is_as_documented(case: schemathesis.Case) -> None:
    """Q100: positive and negative data, missing and odd headers, other methods: no 5xx."""
    prepare(case)
    case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"})
