"""The AWS SDK for JavaScript v3 (`@aws-sdk/client-swf`)."""

import json

from tests.contract.swf.environments import (
    HERE,
    REGION,
    command,
    installed,
    pointed_at,
    program,
)
from tests.local.serving import Server

DOMAIN = "javascript"


def fault(name: str, message: str) -> dict[str, object]:
    """An error as the SDK shows it."""
    return {"class": name, "status": 400, "message": message}


def test_w1_the_sdk_for_javascript_runs_a_workflow(server: Server) -> None:
    """W1, W2, W3, W8, W10, W22: times are dates, faults their classes, empty answers no errors."""
    env = pointed_at(server.url) | {
        "AWS_REGION": REGION,
        "CLIENT_FOLDER": str(installed("javascript")),
    }
    said = program((command("node"), "scenario.mjs", DOMAIN), env, HERE / "javascript")
    seen = json.loads(said.splitlines()[-1])
    batched = seen.pop("batched")
    assert batched[:2] == ["WorkflowExecutionStarted", "DecisionTaskScheduled"]
    assert batched.count("ActivityTaskCompleted") == 3
    assert batched.count("DecisionTaskScheduled") == 2
    assert seen.pop("priority")["class"] == "ValidationException"
    assert seen == {
        "arn": f"arn:aws:swf:{REGION}:000000000000:/domain/{DOMAIN}",
        "tags": [{"key": "team", "value": "web"}],
        "again": fault("DomainAlreadyExistsFault", DOMAIN),
        "created": True,
        "defaultPriority": "3",
        "empty": [None, 0],
        "nothing": [None, None, 0],
        "unknown": fault("UnknownResourceFault", "Unknown type: WorkflowType=[name=no, version=1]"),
        "input": "ü ✓",
        "first": [0, 3, 3],
        "order": ["soon", "default", "late"],
        "twice": fault("UnknownResourceFault", "Unknown activity, scheduledEventId = 7"),
        "previous": True,
        "closed": ["COMPLETED", True],
        "taskPriority": "3",
        "reversed": True,
        "stamped": True,
        "count": 1,
    }
