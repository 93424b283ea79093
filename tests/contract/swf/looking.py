"""What tests see of executions that some client has run: through boto3, as anybody would look."""

from typing import Any

import boto3
from botocore.config import Config

from tests.contract.swf.environments import REGION, SIGNING

Event = dict[str, Any]
Events = list[Event]


def client(url: str, region: str = REGION, read_timeout: float = 70) -> Any:
    """boto3's client of the server at a URL."""
    return boto3.client(
        "swf",
        endpoint_url=url,
        region_name=region,
        aws_access_key_id=SIGNING["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=SIGNING["AWS_SECRET_ACCESS_KEY"],
        config=Config(
            read_timeout=read_timeout, retries={"total_max_attempts": 1}, max_pool_connections=50
        ),
    )


def runs(swf: Any, domain: str, workflow_id: str) -> list[dict[str, Any]]:
    """Every run of a workflow id, the first one first."""
    asked = {
        "domain": domain,
        "startTimeFilter": {"oldestDate": 0},
        "executionFilter": {"workflowId": workflow_id},
        "reverseOrder": True,
    }
    closed = swf.list_closed_workflow_executions(**asked)["executionInfos"]
    return [*closed, *swf.list_open_workflow_executions(**asked)["executionInfos"]]


def history(swf: Any, domain: str, execution: dict[str, str]) -> Events:
    """All events of a run."""
    pages = swf.get_paginator("get_workflow_execution_history")
    found = pages.paginate(domain=domain, execution=execution)
    return [event for page in found for event in page["events"]]


def types(events: Events) -> list[str]:
    """The types of events, in order."""
    return [event["eventType"] for event in events]


def attrs(event: Event) -> dict[str, Any]:
    """The attributes of an event."""
    kind: str = event["eventType"]
    return event[f"{kind[0].lower()}{kind[1:]}EventAttributes"]


def of_type(events: Events, kind: str) -> list[dict[str, Any]]:
    """The attributes of all events of a type."""
    return [attrs(event) for event in events if event["eventType"] == kind]


def started_order(events: Events) -> list[str]:
    """The activity ids in the order in which workers got them."""
    by_id = {event["eventId"]: attrs(event) for event in events}
    started = of_type(events, "ActivityTaskStarted")
    return [by_id[one["scheduledEventId"]]["activityId"] for one in started]
