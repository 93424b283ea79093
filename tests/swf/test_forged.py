"""Tokens that somebody made who knows how they are made: the right fault, no event (W6, W22)."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.races.world import World
from tests.support import START
from tests.swf.wire import ACCOUNT, DOMAIN, REGION, Wire, decision, schedule
from workledger import keys

INTEGERS = st.integers(-2, 12) | st.integers()
NAMES = st.sampled_from([
    "", "decision", "history", "domains", "workflow types", "open", "closed", "closed_by_close",
    "head", "a.1.x", "decision.1", "g1", START, "x.1", "execution/x", "queue/x", "x/y", "nonsense",
    keys.execution_stream(f"{REGION}/{ACCOUNT}", DOMAIN, "w"),
    keys.domain_stream(f"{REGION}/{ACCOUNT}", DOMAIN),
    keys.type_stream(f"{REGION}/{ACCOUNT}", DOMAIN, "workflow", "order", "1"),
])  # fmt: skip
PARTS = st.lists(INTEGERS | NAMES | st.none() | st.booleans() | st.lists(INTEGERS), max_size=12)
VALUES = st.one_of(
    PARTS.map(lambda parts: ["t", *parts]),
    PARTS.map(lambda parts: ["p", START, *parts]),
    PARTS,
    st.none() | INTEGERS | NAMES | st.dictionaries(NAMES, INTEGERS),
)
SINCE = {"startTimeFilter": {"oldestDate": 0}}

ASKED: Mapping[str, Mapping[str, Any]] = {
    "ListDomains": {"registrationStatus": "REGISTERED"},
    "ListWorkflowTypes": {"domain": DOMAIN, "registrationStatus": "REGISTERED"},
    "ListActivityTypes": {"domain": DOMAIN, "registrationStatus": "REGISTERED"},
    "ListOpenWorkflowExecutions": {"domain": DOMAIN, **SINCE},
    "ListClosedWorkflowExecutions": {"domain": DOMAIN, **SINCE},
    "PollForDecisionTask": {"domain": DOMAIN, "taskList": {"name": "main"}},
    "RespondDecisionTaskCompleted": {},
    "RespondActivityTaskCompleted": {},
    "RespondActivityTaskFailed": {},
    "RespondActivityTaskCanceled": {},
    "RecordActivityTaskHeartbeat": {},
}


def sealed(value: Any) -> str:
    """A token as the service would have sealed it."""
    text = json.dumps(value, separators=(",", ":"))
    return urlsafe_b64encode(f"{keys.digest('token', text)[:8]}{text}".encode()).decode()


@pytest.fixture
def wire(world: World) -> Wire:
    """An execution with an activity that is started and a decision task that is too."""
    wire = Wire(world.process()).begin()
    wire.start("w")
    wire.decide(schedule("a"), decision("StartTimer", timerId="t", startToFireTimeout="60"))
    wire.take()
    wire("SignalWorkflowExecution", domain=DOMAIN, workflowId="w", signalName="s")
    wire.poll()
    return wire


@given(operation=st.sampled_from(sorted(ASKED)), value=VALUES)
@settings(
    max_examples=1_500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_w6_a_forged_token_is_a_fault_and_no_event(
    world: World, wire: Wire, operation: str, value: Any
) -> None:
    """Whatever stands in it: never a 500. What it would have to know it can only guess."""
    name = "nextPageToken" if "Token" not in operation and ASKED[operation] else "taskToken"
    before = len(world.store.commits(keys.execution_stream(f"{REGION}/{ACCOUNT}", DOMAIN, "w")))
    body = json.dumps({**ASKED[operation], name: sealed(value)}).encode()
    answer = wire.ask(operation, body)
    assert answer.status in (200, 400), answer
    assert answer.status == 200 or answer.code in ("ValidationException", "UnknownResourceFault")
    after = len(world.store.commits(keys.execution_stream(f"{REGION}/{ACCOUNT}", DOMAIN, "w")))
    guessed = value[:4] if isinstance(value, list) else None
    if guessed is None or guessed[:1] != ["t"]:
        assert after == before
