"""The door: routes, methods, content types, bodies of any kind, faults; never a 500 (Q100)."""

import ast
import base64
import io
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from tests.functions.calling import OPERATIONS, ROOT, Caller, event_of, handler
from workledger import bootstrap
from workledger.api import logs
from workledger.api.permissions import permissions
from workledger.api.problems import TABLE
from workledger.api.resolver import Api
from workledger.errors import AnswerLost, NewerShape, StoreBusy, StoreError


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What the API logs."""
    stream, handler_ = io.StringIO(), logs.logger.registered_handler
    before = handler_.setStream(stream)
    yield stream
    handler_.setStream(before)


ITEMS = "/queues/{queue}/items"
WHO = {"actor": "ada", "role": "admin"}
WITH_BODY = sorted(key for key, one in OPERATIONS.items() if one.takes)


def params_of(path: str, value: str = "x") -> dict[str, str]:
    return {part[1:-1]: value for part in path.split("/") if part.startswith("{")}


def test_q100_an_unknown_address_is_a_404_problem(local: Caller) -> None:
    """Q100: with a code and advice, also without an identity."""
    for path in ("/nope", "/", "/queues/a/b/c", "/queues/x/items/"):
        event = event_of("GET", "/", {}, who=None) | {"routeKey": "$default", "rawPath": path}
        answer = local.send(event)
        assert (answer.status, answer.code) == (404, "not_found")


def test_q100_a_wrong_method_is_a_405_that_names_the_right_ones(local: Caller) -> None:
    """Q100: Allow says what there is."""
    answer = local.send(event_of("PUT", "/queues/{queue}", {"queue": "x"}, who=WHO))
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"


def test_head_and_options(local: Caller) -> None:
    """HEAD is GET without its body; OPTIONS says what is allowed."""
    local.queue()
    head = local.send(event_of("HEAD", "/queues/{queue}", {"queue": "Invoices"}, who=WHO))
    assert (head.status, head.headers["ETag"], head.text) == (200, '"1"', "")
    assert local.send(event_of("HEAD", "/queues/{queue}", {"queue": "x"}, who=WHO)).text == ""
    options = local.send(event_of("OPTIONS", ITEMS, {"queue": "x"}))
    assert (options.status, options.headers["Allow"]) == (204, "GET, HEAD, OPTIONS, POST")


def test_routes_are_found_without_the_gateways_help(local: Caller) -> None:
    """An event without routeKey and pathParameters: the path alone, behind a stage too."""
    local.queue("A b")
    for path, stage in (("/queues/A b", "$default"), ("/v1/queues/A b", "v1")):
        event = event_of("GET", "/queues/{queue}", {"queue": "A b"}, who=WHO)
        del event["routeKey"], event["pathParameters"]
        event["rawPath"] = path
        event["requestContext"]["stage"] = stage
        assert json.loads(handler(event, None)["body"])["name"] == "A b"


@pytest.mark.parametrize(
    "sent",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/problem+json",
        "x",
    ],
)
@pytest.mark.parametrize("operation", WITH_BODY, ids=" ".join)
def test_other_content_types_are_a_415(
    local: Caller, operation: tuple[str, str], sent: str
) -> None:
    """JSON, and for adding also lines of it."""
    method, path = operation
    body, headers = '{"name":"x"}', {"Content-Type": sent}
    answer = local.send(event_of(method, path, params_of(path), body, None, headers, WHO))
    assert (answer.status, answer.code) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "sent", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", None]
)
def test_json_and_no_content_type_at_all_are_understood(local: Caller, sent: str | None) -> None:
    """A gateway hands a body without a type over in base64."""
    headers = {"Content-Type": sent} if sent else {}
    body = '{"name":"\u00e9\U0001f600"}'
    answer = local.send(event_of("POST", "/queues", {}, body, None, headers, WHO))
    assert (answer.status, answer["name"]) == (201, "\u00e9\U0001f600")


@pytest.mark.parametrize("body", ["\ud800", "%%%", "a", "AAA"])
def test_a_body_that_does_not_decode_is_a_400(local: Caller, body: str) -> None:
    """Whether it says base64 or not."""
    for encoded in (True, False):
        event = event_of("POST", "/queues", {}, "{}", who=WHO)
        event |= {"body": body, "isBase64Encoded": encoded}
        assert local.send(event).code == "invalid_json"


BAD_BODIES = [
    "",
    "{",
    "[]",
    "null",
    "5",
    '"x"',
    "NaN",
    '{"a":NaN}',
    '{"unknown":1}',
    '{"claim":{}}',
    '{"name":"\\ud800"}',
    '{"name":"a","name":"b"}',
    '{"filter":5}',
    '{"name":{"a":[]}}',
    '{"priority":1e999}',
    "[" * 1_000,
    "\ufeff{}",
    '{"name":"' + "x" * 200_000 + '"}',
    '{"leaseSeconds":' + "9" * 400 + "}",
    '{"":1}',
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: body[:24])
@pytest.mark.parametrize("operation", WITH_BODY, ids=" ".join)
def test_q100_no_body_is_ever_a_500(local: Caller, operation: tuple[str, str], body: str) -> None:
    """Whatever arrives gets a 2xx or a 4xx problem with a code; the document knows the status."""
    method, path = operation
    queue = local.queue()
    params = params_of(path, queue)
    headers = {"Content-Type": "application/json", "If-Match": '"1"'}
    answer = local.send(event_of(method, path, params, body, None, headers, WHO))
    assert answer.status < 500, answer.text
    if answer.status >= 400:
        assert answer.code in TABLE


IDS = [
    "",
    "x",
    "i_x.1",
    "i_" + "a" * 26,
    "i_" + "a" * 26 + ".1",
    "i_" + "a" * 26 + ".999999999",
    "q_" + "a" * 26 + ".1",
    "r_" + "a" * 26,
    "../x",
    "\u0660",
    "a" * 3_000,
    "\x00",
    "\ud800",
    "%",
    "*",
    "i_" + "A" * 26 + ".1",
]


@pytest.mark.parametrize("value", IDS, ids=ascii)
@pytest.mark.parametrize("operation", sorted(OPERATIONS), ids=" ".join)
def test_q100_no_path_is_ever_a_500(local: Caller, operation: tuple[str, str], value: str) -> None:
    """What is no id of anything is not found, or its body is refused first."""
    method, path = operation
    if not params_of(path):
        return
    answer = local.send(
        event_of(
            method,
            path,
            params_of(path, value),
            "{}",
            None,
            {"Content-Type": "application/json"},
            WHO,
        )
    )
    assert 400 <= answer.status < 500, answer.text


QUERIES = [
    {"limit": "0"},
    {"limit": "101"},
    {"limit": "1.5"},
    {"limit": "x"},
    {"limit": ""},
    {"limit": "9" * 99},
    {"limit": "\u0665"},
    {"limit": " 5"},
    {"limit": "1_0"},
    {"limit": "5,6"},
    {"status": "x"},
    {"unknown": "1"},
    {"stauts": "failed"},
]


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("path", ["/queues", ITEMS, "/runs", "/audit"])
def test_q100_a_bad_query_is_a_400_that_names_the_parameter(
    local: Caller, path: str, query: dict[str, str]
) -> None:
    """A parameter that nobody reads is refused: `?stauts=failed` would show everything."""
    queue = local.queue()
    answer = local.send(event_of("GET", path, params_of(path, queue), None, query, {}, WHO))
    assert (answer.status, answer.code) == (400, "invalid_query")
    assert answer["errors"][0]["field"] == next(iter(query))


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"version": "2.0"},
        {"requestContext": None},
        {"requestContext": {}},
        {"requestContext": {"http": {"method": "GET"}}},
        {"requestContext": {"http": None}},
        {"requestContext": {"http": {"method": 5}}, "headers": 5},
    ],
    ids=str,
)
def test_a_malformed_event_is_answered_too(local: Caller, event: dict[str, Any]) -> None:
    """No event of the gateway's: still an answer with a code."""
    answer = handler(event, None)
    assert json.loads(answer["body"])["code"] in TABLE


class Failing:
    """A store that fails at everything."""

    def __init__(self, error: Exception) -> None:
        self.lag, self.error = 0.0, error

    def __getattr__(self, name: str) -> Any:
        def fail(*_: Any, **__: Any) -> Any:
            raise self.error

        return fail


def failing(local: Caller, error: Exception) -> Caller:
    store: Any = Failing(error)
    core = replace(local.core, store=store)
    core.executor.store = store
    bootstrap.override(bootstrap.App(core, permissions()))
    return local


@pytest.mark.parametrize("error", [StoreBusy("x"), AnswerLost("x")])
def test_a_busy_store_is_a_503_with_retry_after(local: Caller, error: Exception) -> None:
    """Nothing is known to have failed: the same request can be sent again."""
    answer = failing(local, error).get("/queues")
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (503, "busy", "1")


def test_a_newer_shape_is_a_503(local: Caller) -> None:
    """A deployment is under way: this code does not know what the newer one wrote."""
    answer = failing(local, NewerShape("x")).get("/queues")
    assert (answer.status, answer.code) == (503, "upgrading")


@pytest.mark.parametrize(
    "error", [RuntimeError("secret 4711"), StoreError("secret 4711"), KeyError("secret 4711")]
)
def test_an_unexpected_error_is_a_500_with_an_id_and_nothing_else(
    local: Caller, error: Exception, logged: io.StringIO
) -> None:
    """The log has the same id and where it happened; neither repeats what it was about."""
    answer = failing(local, error).get("/queues")
    assert (answer.status, answer.code) == (500, "internal")
    assert answer["id"] in logged.getvalue()
    assert type(error).__name__ in logged.getvalue()
    assert "4711" not in answer.text + logged.getvalue()


def test_no_secret_is_logged(caller: Caller, logged: io.StringIO) -> None:
    """Not what was sent, not what was answered, not the token, not the query."""
    token = {"Authorization": "Bearer wl_token-4711", "Idempotency-Key": "key-4711"}
    queue = caller.queue(description="description-4711")
    caller.post(ITEMS, [{"data": "data-4711", "reference": "ref-4711"}], token, queue=queue)
    taken = caller.post("/queues/{queue}/next", {"runName": "run-4711"}, token, queue=queue)
    caller.fail(taken.json, reason="reason-4711")
    caller.post(ITEMS, '{"data": "broken-4711', token, queue=queue)
    caller.post("/queues", {"name": "x", "secret-4711": 1, "retries": "retries-4711"})
    caller.get(ITEMS, token, queue=queue, reference="ref-4711")
    caller.get("/items/{id}", id="id-4711")
    assert "4711" not in logged.getvalue()
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert [line["operation"] for line in lines if line["message"] == "request"] == [
        "createQueue",
        "addItems",
        "nextItem",
        "failItem",
        "addItems",
        "createQueue",
        "listItems",
        "getItem",
    ]
    assert lines[4]["code"] == "invalid_json"


def test_no_answer_repeats_a_value_that_was_refused(local: Caller) -> None:
    """It may be secret, and what reads the answer may keep it."""
    answer = local.post("/queues", {"name": "x", "retries": "secret-4711"})
    assert answer.status == 400
    assert "4711" not in answer.text


def test_20_threads_do_not_see_each_others_requests(local: Caller) -> None:
    """`serve` calls the handler from many threads: each answer belongs to its own request."""
    queues = [local.queue(f"queue {n}") for n in range(20)]
    barrier = Barrier(20)

    def work(n: int) -> None:
        mine = local.as_(f"actor {n}", "admin")
        barrier.wait()
        for round_ in range(25):
            assert mine.get("/queues/{queue}", queue=f"queue {n}")["id"] == queues[n]
            (item,) = mine.add(queues[n], {"data": [n, round_], "reference": f"{n}/{round_}"})
            shown = mine.item(item)
            assert (shown["data"], shown["addedBy"]) == ([n, round_], f"actor {n}")
            refused = mine.post("/queues", {"name": f"queue {n}"})
            assert (refused.code, f"queue {n}" in refused["detail"]) == ("queue_exists", True)
            assert mine.get("/queues", nope=n)["errors"][0]["field"] == "nope"

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, range(20)))
    assert [local.counts(queue)["all"] for queue in queues] == [25] * 20


def test_the_first_requests_of_a_process_may_come_at_once(local: Caller) -> None:
    """A route's chain is built by one thread: a fresh resolver, 20 threads, the same route."""
    for _ in range(5):
        fresh = Api(permissions, logs.incident, logs.request)
        fresh.include(OPERATIONS.values())
        barrier = Barrier(20)

        def work(n: int, fresh: Api = fresh, barrier: Barrier = barrier) -> int:
            event = event_of(
                "POST",
                "/runs",
                {},
                json.dumps({"name": f"{n}"}),
                None,
                {"Content-Type": "application/json"},
                WHO,
            )
            barrier.wait()
            answer = fresh.answer(event, None)
            assert json.loads(answer["body"])["name"] == f"{n}", answer
            return answer["statusCode"]

        with ThreadPoolExecutor(20) as pool:
            assert list(pool.map(work, range(20))) == [201] * 20


PARTS = ("access", "api", "ledger", "manual", "manual_tasks", "queues", "service", "jsontext.py")


def test_q100_every_refusal_in_the_code_has_a_row_in_the_table() -> None:
    """One table maps codes to HTTP: a code without a row would be a 500."""
    used: set[str] = set()
    parts = [ROOT / "shared/workledger" / part for part in PARTS]
    for file in (file for part in parts for file in [part, *part.rglob("*.py")] if file.is_file()):
        for node in ast.walk(ast.parse(file.read_text())):
            named = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Refused"
            )
            if named and isinstance(node.args[0], ast.Constant):
                used.add(node.args[0].value)
    assert len(used) > 20
    assert used <= set(TABLE)


def test_bodies_in_base64_are_the_same_bodies(local: Caller) -> None:
    """What is text to one gateway is base64 to another."""
    event = event_of("POST", "/queues", {}, "{}", who=WHO)
    event |= {
        "body": base64.b64encode('{"name":"\u00e9"}'.encode()).decode(),
        "isBase64Encoded": True,
    }
    event["headers"]["content-type"] = "application/json"
    assert local.send(event)["name"] == "\u00e9"
