"""swf-typed: every event decoded strictly, the state of an execution built out of its history."""

import json

from tests.contract.swf.environments import HERE, pointed_at, program, python_of
from tests.local.serving import Server


def test_w1_swf_typed_decodes_everything_that_it_is_answered(server: Server) -> None:
    """W1, W8, W18 to W21, W23, W25: as a client sees it that knows every member."""
    command = (python_of("swf_typed"), "program.py", "typed")
    said = program(command, pointed_at(server.url), HERE / "swf_typed")
    assert json.loads(said.splitlines()[-1]) == {
        "domain": [3, False],
        "tags": {"team": "shipping"},
        "again": "ActivityType=[name=step, version=1]",
        "workflows": ["order", "packing"],
        "activity": False,
        "started twice": "Already Started",
        "work": [3, "high", "default", "low"],
        "child": "packing-7",
        "open": 1,
        "configuration": [4, "order", 1, ["urgent", "seven"]],
        "state": {
            "status": "cancelled",
            "asked to cancel": True,
            "tasks": {"low": "cancelled", "high": "completed", "default": "failed"},
            "timers": {"far": "cancelled"},
            "children": {"packing-7": "packed"},
            "signals": {"hurry": "please"},
            "markers": ["begun", "end"],
            "failures": ["timer_in_use"],
        },
        "last": ["WorkflowExecutionCanceled", "as asked"],
        "closed": [["order-7", "cancelled"]],
    }
