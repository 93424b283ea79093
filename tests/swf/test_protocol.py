"""The wire: what comes in, what goes out, whatever it is (W1, W2, W6; table 1.0)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.swf.app import handler
from tests.functions.calling import event_of
from tests.stores.kinds import sqlite
from tests.support import make_core
from tests.swf.wire import ACCOUNT, DOMAIN, Fault, Wire, nobody, read, schedule
from workledger import bootstrap
from workledger.api.permissions import permissions
from workledger.errors import AnswerLost, NewerShape, StoreBusy
from workledger.service.core import Core
from workledger.swf import protocol, shapes
from workledger.swf.entering import AnyKey
from workledger.swf.operations import OPERATIONS


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Core]:
    """A core on SQLite: what is tested here is decided before any store is asked."""
    with sqlite(tmp_path) as store:
        yield make_core(store)


@pytest.fixture
def wire(core: Core) -> Wire:
    return Wire(core)


def test_w1_all_39_operations_of_the_model_are_served() -> None:
    """1.1: no more, no less; those that have no output answer nothing."""
    assert set(OPERATIONS) == set(shapes.operations())
    assert len(OPERATIONS) == 39
    assert sum(of.output is None for of in shapes.operations().values()) == 20


LOOKS = {name for name in OPERATIONS if name.startswith(("Describe", "List", "Count", "Get"))}


def test_w30_reading_is_looking_and_a_poll_is_not() -> None:
    """What a key that only reads may do: 15 operations."""
    assert {name for name, one in OPERATIONS.items() if not one.writes} == LOOKS
    assert len(LOOKS) == 15
    assert OPERATIONS["PollForDecisionTask"].writes


@pytest.mark.parametrize(
    "target",
    [
        "SimpleWorkflowService.ListDomains",
        "com.amazonaws.swf.service.model.SimpleWorkflowService.ListDomains",
        "ListDomains",
    ],
)
def test_w1_the_last_part_of_the_target_decides(wire: Wire, target: str) -> None:
    """1.0, request: boto 2 sends a longer one."""
    body = b'{"registrationStatus": "REGISTERED"}'
    answer = wire.ask("", body, headers={"x-amz-target": target})
    assert (answer.status, json.loads(answer.body)) == (200, {"domainInfos": []})


@pytest.mark.parametrize("target", ["", "SimpleWorkflowService.", "X.Fly", "listDomains", "."])
def test_w1_an_unknown_operation(wire: Wire, target: str) -> None:
    """1.0: UnknownOperationException, 400."""
    answer = wire.ask("", headers={"x-amz-target": target})
    assert answer.status == 400
    assert json.loads(answer.body)["__type"].endswith("#UnknownOperationException")


def test_w1_answers_are_json_1_0_with_a_request_id_and_void_ones_are_empty(wire: Wire) -> None:
    """1.0, success: not even `{}`."""
    body = json.dumps({"name": "d", "workflowExecutionRetentionPeriodInDays": "1"})
    answer = wire.ask("RegisterDomain", body.encode())
    assert (answer.status, answer.body) == (200, "")
    answer = wire.ask("DescribeDomain", b'{"name": "d"}')
    assert answer.headers == {
        "Content-Type": "application/x-amz-json-1.0",
        "x-amzn-RequestId": "id",
    }
    assert json.loads(answer.body) == {
        "domainInfo": {
            "name": "d",
            "status": "REGISTERED",
            "arn": f"arn:aws:swf:eu-west-1:{ACCOUNT}:/domain/d",
        },
        "configuration": {"workflowExecutionRetentionPeriodInDays": "1"},
    }


def test_w1_timestamps_are_numbers_to_the_millisecond(wire: Wire) -> None:
    """1.0, timestamps."""
    wire.begin()
    asked = {"domain": DOMAIN, "workflowType": {"name": "order", "version": "1"}}
    assert wire("DescribeWorkflowType", **asked)["typeInfo"]["creationDate"] == 1773224155.935
    body = wire.ask("DescribeWorkflowType", json.dumps(asked).encode()).body
    assert '"creationDate":1773224155.935}' in body


@pytest.mark.parametrize(
    ("operation", "params", "kind"),
    [
        ("DescribeDomain", {"name": "x"}, "com.amazonaws.swf.base.model#UnknownResourceFault"),
        ("DescribeDomain", {}, "com.amazon.coral.validate#ValidationException"),
        ("DescribeDomain", {"name": 1}, "com.amazon.coral.service#SerializationException"),
        ("Fly", {}, "com.amazon.coral.service#UnknownOperationException"),
    ],
)
def test_w1_faults_have_their_namespace(wire: Wire, operation: str, params: Any, kind: str) -> None:
    """1.0, fault: 400, and the type as the service writes it."""
    answer = wire.ask(operation, json.dumps(params).encode())
    assert (answer.status, json.loads(answer.body)["__type"]) == (400, kind)
    assert answer.headers["x-amzn-RequestId"] == "id"


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"{", b"nope", b"[]", b"null", b"1", b'"x"', b"{}{}", b"\xff", b"\xef\xbb\xbf",
        b'{"name": NaN}', b'{"name": 1e999}', b'{"name": ' + b"9" * 5_000 + b"}",
        b"[" * 100_000, b'{"name": ' + b"[" * 70 + b"]" * 70 + b"}", b'{"name": "\\ud800"}',
        b'{"\\udc00": 1, "name": "x"}', b"{'name': 'x'}",
    ],
    ids=range(19),
)  # fmt: skip
def test_w1_a_body_that_is_no_json_object_is_a_serialization_exception(
    wire: Wire, body: bytes
) -> None:
    """Never a 500."""
    answer = wire.ask("DescribeDomain", body)
    assert (answer.status, answer.code) == (400, "SerializationException")


@pytest.mark.row("1.10 request size")
def test_w26_a_request_has_at_most_a_megabyte(wire: Wire) -> None:
    """1.10, request size: 400."""
    body = b'{"name": "d"' + b" " * 1024 * 1024 + b"}"
    answer = wire.ask("DescribeDomain", body)
    assert (answer.status, answer.code) == (400, "ValidationException")
    body = body.replace(b" " * 13, b"", 1)
    assert len(body) == 1024 * 1024
    assert wire.ask("DescribeDomain", body).code == "UnknownResourceFault"


@pytest.mark.parametrize("error", [StoreBusy("busy"), AnswerLost("lost"), NewerShape("newer")])
@pytest.mark.row("1.10 throttling")
def test_w1_what_cannot_be_done_now_is_a_503(core: Core, error: Exception) -> None:
    """Every SDK takes that for a passing fault and tries again."""

    class Shut(AnyKey):
        def enter(self, core: Any, request: Any) -> Any:
            raise error

    answer = Wire(core, Shut()).ask("ListDomains")
    assert (answer.status, answer.code) == (503, "ServiceUnavailableException")
    assert json.loads(answer.body)["message"] == str(error)


def test_w26_the_region_is_that_of_the_signature(wire: Wire) -> None:
    """1.0, scope: names are unique in a region and account."""
    wire.begin()
    other = wire.in_region("us-east-1").begin()
    assert wire.start("w") != other.start("w")
    arn = other("DescribeDomain", name=DOMAIN)["domainInfo"]["arn"]
    assert arn == f"arn:aws:swf:us-east-1:{ACCOUNT}:/domain/{DOMAIN}"
    with pytest.raises(Fault, match="Unknown domain: orders"):
        Wire(wire.core, account="000000000001")("DescribeDomain", name=DOMAIN)


@pytest.mark.row("1.8 a client that has gone")
def test_w28_a_poll_whose_client_has_gone_takes_nothing(wire: Wire) -> None:
    """The task stays for somebody who is there."""
    wire.begin().start("w")
    body = json.dumps({"domain": DOMAIN, "taskList": {"name": "main"}}).encode()
    answer = wire.ask("PollForDecisionTask", body, connected=nobody)
    assert json.loads(answer.body) == {"startedEventId": 0, "previousStartedEventId": 0}
    assert "taskToken" in wire.poll()


@pytest.mark.parametrize(
    ("operation", "empty"),
    [
        ("PollForDecisionTask", {"previousStartedEventId": 0, "startedEventId": 0}),
        ("PollForActivityTask", {"startedEventId": 0}),
    ],
)
@pytest.mark.row("1.8 the empty answer")
def test_w2_an_empty_poll_has_no_token_and_no_events(
    wire: Wire, operation: str, empty: dict[str, int]
) -> None:
    """1.8, empty answer."""
    wire.begin()
    body = json.dumps({"domain": DOMAIN, "taskList": {"name": "nothing"}}).encode()
    assert json.loads(wire.ask(operation, body).body) == empty


def test_w6_a_batch_wrong_in_form_leaves_nothing_and_the_token_is_good(wire: Wire) -> None:
    """Refused whole: the history is as it was."""
    run_id = wire.begin().start("w")
    token = wire.poll()["taskToken"]
    before = wire.history("w", run_id)
    wrong: list[list[Any]] = [
        [schedule("a"), {"decisionType": "StartTimer"}],
        [schedule("a"), {"decisionType": "Fly"}],
        [{"decisionType": "CompleteWorkflowExecution"}, schedule("a")],
        [schedule("a", taskPriority="2147483648")],
        [schedule("a", input="x" * 32_769)],
    ]
    for decisions in wrong:
        with pytest.raises(Fault) as fault:
            wire("RespondDecisionTaskCompleted", taskToken=token, decisions=decisions)
        assert fault.value.code == "ValidationException"
        assert wire.history("w", run_id) == before
    wire("RespondDecisionTaskCompleted", taskToken=token, decisions=[schedule("a")])
    assert wire.history("w", run_id)[len(before) :] == [
        "DecisionTaskCompleted",
        "ActivityTaskScheduled",
    ]


# --- whatever is sent ---
BODIES = st.one_of(
    st.binary(max_size=200),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(lambda value: json.dumps(value).encode()),
)
FUZZED = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CODES = {
    "SerializationException", "ValidationException", "UnknownOperationException",
    "UnknownResourceFault", "DomainAlreadyExistsFault", "TypeAlreadyExistsFault",
    "DefaultUndefinedFault", "TooManyTagsFault", "TypeDeprecatedFault", "DomainDeprecatedFault",
    "TypeNotDeprecatedFault", "WorkflowExecutionAlreadyStartedFault", "LimitExceededFault",
}  # fmt: skip


@given(operation=st.sampled_from(sorted(OPERATIONS)), body=BODIES)
@FUZZED
def test_w1_no_body_is_a_500(wire: Wire, operation: str, body: bytes) -> None:
    """Raw bodies and any JSON to every operation: an answer, or a fault that it may give."""
    answer = wire.ask(operation, body)
    assert answer.status in (200, 400)
    assert answer.status == 200 or answer.code in CODES


def _values(shape: shapes.Shape) -> st.SearchStrategy[Any]:
    """Values of a shape, and some of any other."""
    if shape.kind == "structure":
        members = {name: _values(of) for name, of in shape.members.items()}
        required = {name: members[name] for name in shape.required}
        optional = {name: members[name] for name in members if name not in required}
        return st.fixed_dictionaries(required, optional=optional)
    if shape.item is not None:
        return st.lists(_values(shape.item), max_size=4)
    if shape.enum:
        return st.sampled_from(shape.enum) | st.text(max_size=5)
    if shape.kind in ("integer", "long"):
        return st.integers(-1, 1_001)
    if shape.kind == "boolean":
        return st.booleans()
    if shape.kind == "timestamp":
        return st.floats(allow_nan=False, allow_infinity=False) | st.integers()
    texts = ["", "0", "1", "a", "NONE", DOMAIN, "arn:aws:swf:eu-west-1:123456789012:/domain/orders"]
    return st.sampled_from(texts) | st.text(max_size=10)


@given(data=st.data(), operation=st.sampled_from(sorted(OPERATIONS)))
@FUZZED
def test_w1_no_request_of_the_right_shape_is_a_500(
    wire: Wire, data: st.DataObject, operation: str
) -> None:
    """Any values where they belong: an answer that the model knows, or a fault."""
    params = data.draw(_values(shapes.operations()[operation].input))
    answer = wire.ask(operation, json.dumps(params).encode())
    assert answer.status in (200, 400)
    assert answer.code in CODES if answer.status == 400 else read(answer, operation) is not ...


@given(token=st.text(max_size=40) | st.binary(max_size=60).map(lambda raw: raw.hex()))
@FUZZED
def test_w6_tokens_that_were_never_given_out_are_invalid(wire: Wire, token: str) -> None:
    """1.2, token that was never issued."""
    for operation in ("RespondActivityTaskCompleted", "RespondDecisionTaskCompleted"):
        with pytest.raises(Fault) as fault:
            wire(operation, taskToken=token)
        assert fault.value.code == "ValidationException"
    with pytest.raises(Fault) as fault:
        wire("ListDomains", registrationStatus="REGISTERED", nextPageToken=token or "x")
    assert fault.value.code == "ValidationException"


# --- the function ---
@pytest.fixture
def deployed(core: Core, monkeypatch: pytest.MonkeyPatch) -> Iterator[Core]:
    """The function's surroundings."""
    monkeypatch.setenv("POLL_SECONDS", "0")
    bootstrap.override(bootstrap.App(core, permissions(), AnyKey()))
    yield core
    bootstrap.override(None)


def ask_function(body: Any, content_type: str = protocol.CONTENT_TYPE) -> dict[str, Any]:
    headers = {"X-Amz-Target": "SimpleWorkflowService.DescribeDomain", "Content-Type": content_type}
    return handler(event_of("POST", "/", {}, json.dumps(body), {}, headers, None), None)


@pytest.mark.parametrize("content_type", [protocol.CONTENT_TYPE, "application/json"])
@pytest.mark.usefixtures("deployed")
def test_w1_the_function_takes_bodies_as_api_gateway_sends_them(content_type: str) -> None:
    """Base64 for this content type, text for others; its account is that of the API."""
    answer = ask_function({"name": "x"}, content_type)
    assert answer["statusCode"] == 400
    assert json.loads(answer["body"])["message"] == "Unknown domain: x"
    assert answer["headers"]["Content-Type"] == protocol.CONTENT_TYPE
    assert len(answer["headers"]["x-amzn-RequestId"]) == 36


def test_w1_what_nobody_foresaw_is_logged_and_answered(
    core: Core, caplog: pytest.LogCaptureFixture
) -> None:
    """The sender gets an answer in the service's form, the log an incident without the payload."""

    class Broken(AnyKey):
        def enter(self, core: Any, request: Any) -> Any:
            raise KeyError("secret")

    bootstrap.override(bootstrap.App(core, permissions(), Broken()))
    try:
        answer = ask_function({"name": "x"})
    finally:
        bootstrap.override(None)
    assert answer["statusCode"] == 500
    assert json.loads(answer["body"]) == {"__type": "com.amazon.coral.service#InternalFailure"}
    logged = [record for record in caplog.records if record.message == "unexpected error"]
    assert len(logged) == 1
    assert "secret" not in str(logged[0].__dict__)
