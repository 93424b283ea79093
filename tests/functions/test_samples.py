"""Every file in events/ is loaded and answered: they also serve `sam local invoke`."""

import json
from pathlib import Path
from typing import Any

import pytest

from functions.authorizer.app import handler as authorizer
from functions.lambdas.app import handler as lambdas
from functions.projector.app import ledger_handler, views_handler
from functions.purge.app import handler as purge
from functions.swf.app import handler as swf
from functions.timekeeper.app import handler as timekeeper
from tests.functions.calling import OPERATIONS, ROOT, Caller

EVENTS = sorted((ROOT / "events").rglob("*.json"))
EXPECTED = {
    "manual_tasks/create-process": (201, "id"),
    "manual_tasks/create-task": (201, "id"),
    "manual_tasks/list-work": (200, "items"),
    "manual_tasks/load-csv": (201, "complete"),
    "manual_tasks/load-csv-in-base64": (201, "complete"),
    "manual_tasks/load-records": (201, "complete"),
    "manual_tasks/load-refused": (422, "problems"),
    "manual_tasks/next-of-any": (200, "found"),
    "manual_tasks/next-of-task": (200, "found"),
    "manual_tasks/read-hits-forbidden": (403, "code"),
    "manual_tasks/read-results-as-csv": (200, "_sys_record_order"),
    "manual_tasks/set-roster": (200, "workers"),
    "manual_tasks/submit-answer": (404, "code"),
    "queues/add-items": (200, "added"),
    "queues/add-items-ndjson": (200, "added"),
    "queues/change-queue": (200, "version"),
    "queues/complete-item": (404, "code"),
    "queues/create-queue": (201, "id"),
    "queues/get-queue-with-a-space": (200, "name"),
    "queues/list-items-as-csv": (200, "id"),
    "queues/list-queues": (200, "items"),
    "queues/next-item": (200, "found"),
    "queues/read-audit-forbidden": (403, "code"),
}
OTHERS: dict[str, tuple[Any, Any]] = {
    "authorizer/request": (authorizer, {"isAuthorized": False}),
    "lambdas/reaction": (lambdas, {}),
    "projector/ledger": (ledger_handler, {"batchItemFailures": []}),
    "projector/views": (views_handler, {"batchItemFailures": [], "state": {}}),
    "purge/schedule": (purge, {"purged": 0}),
    "timekeeper/schedule": (timekeeper, {"batchItemFailures": []}),
    "timekeeper/wake": (timekeeper, {"batchItemFailures": []}),
}


SWF = {"swf/list-domains": "UnrecognizedClientException"}
"""Samples for Amazon SWF: nobody knows the key that they were signed with."""


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def test_every_sample_is_expected() -> None:
    """A new file in events/ needs a line here."""
    assert {name_of(file) for file in EVENTS} == {*EXPECTED, *OTHERS, *SWF}


@pytest.mark.parametrize("file", EVENTS, ids=name_of)
def test_a_sample_is_answered(caller: Caller, file: Path) -> None:
    """As the deployed function would."""
    event = json.loads(file.read_text())
    name = name_of(file)
    if name in OTHERS:
        handler, answer = OTHERS[name]
        assert handler(event, None) == answer
        return
    if name in SWF:
        made = swf(event, None)
        assert (made["statusCode"], SWF[name] in made["body"]) == (400, True)
        return
    assert tuple(event["routeKey"].split(" ")) in OPERATIONS
    if name != "queues/create-queue":
        caller.queue()
        caller.queue("EU Invoices 100%")
        caller.post("/manual-tasks", {"name": "Invoices"})
    answer = caller.send(event)
    status, member = EXPECTED[name]
    assert answer.status == status, answer.text
    assert member in answer.text
