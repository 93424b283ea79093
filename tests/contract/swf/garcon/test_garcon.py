"""garcon: activities that require others, instances out of a list, retries."""

import json

from tests.contract.swf import looking
from tests.contract.swf.environments import HERE, pointed_at, program, python_of
from tests.contract.swf.looking import attrs, of_type, types
from tests.local.serving import Server

DOMAIN = "garcon"


def test_w4_a_flow_whose_activity_fails_is_tried_again_and_ends(server: Server) -> None:
    """W4, W3: garcon counts failures in the whole history, under the same activity id."""
    said = program(
        (python_of("garcon"), "flow.py", DOMAIN), pointed_at(server.url), HERE / "garcon"
    )
    told = json.loads(said.splitlines()[-1])
    events = looking.history(looking.client(server.url), DOMAIN, told["execution"])
    assert types(events)[-1] == "WorkflowExecutionCompleted", attrs(events[-1])
    assert told["failed"] == ["ada-0", "ada-0"]
    failed = of_type(events, "ActivityTaskFailed")
    assert [one["reason"] for one in failed] == ["no answer from the bank for ada-0"] * 2
    order = [one["activityType"]["name"] for one in of_type(events, "ActivityTaskScheduled")]
    assert order == ["orders_find", *["orders_charge"] * 5, "orders_report"]
    results = [json.loads(one["result"]) for one in of_type(events, "ActivityTaskCompleted")]
    assert results[-1] == {"report": "3 orders charged"}
