"""boto3's `swf` client against a running server: nothing but its endpoint is changed (W1, W2, W7)."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.local.serving import serving

W = {"name": "order", "version": "1"}
A = {"name": "post", "version": "1"}
ACCOUNT = "000000000000"
REGION = "eu-west-1"
EVER = datetime(2001, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)

COMPLETE: dict[str, Any] = {"decisionType": "CompleteWorkflowExecution"}


def client_of(url: str, **config: Any) -> Any:
    """A client that knows nothing of us but the address."""
    return boto3.client(
        "swf",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="any",
        config=Config(retries={"total_max_attempts": 1}, **config),
    )


@pytest.fixture(scope="module", params=["sqlite", "moto"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on each kind of store; its polls are held for a second."""
    folder = tmp_path_factory.mktemp("swf")
    given = {"store": "moto"} if request.param == "moto" else {}
    with serving(folder, "--poll-seconds", "1", **given) as server:
        yield server.url


_numbers = count(1)


def decision(kind: str, **attrs: Any) -> dict[str, Any]:
    """A decision."""
    return {"decisionType": kind, f"{kind[0].lower()}{kind[1:]}DecisionAttributes": attrs}


@dataclass
class Domain:
    """A domain of one test, with a type of each kind."""

    client: Any
    name: str = field(default_factory=lambda: f"domain-{next(_numbers)}")

    def __post_init__(self) -> None:
        days = {"workflowExecutionRetentionPeriodInDays": "30"}
        self.client.register_domain(name=self.name, **days)
        self.client.register_workflow_type(
            domain=self.name,
            **W,
            defaultTaskList={"name": "main"},
            defaultExecutionStartToCloseTimeout="86400",
            defaultTaskStartToCloseTimeout="60",
            defaultChildPolicy="TERMINATE",
        )
        self.client.register_activity_type(
            domain=self.name,
            **A,
            defaultTaskList={"name": "work"},
            defaultTaskScheduleToStartTimeout="NONE",
            defaultTaskScheduleToCloseTimeout="NONE",
            defaultTaskStartToCloseTimeout="NONE",
            defaultTaskHeartbeatTimeout="NONE",
        )

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """The client's operation, in this domain."""
        call = getattr(self.client, operation)
        return lambda **params: call(domain=self.name, **params)

    @property
    def arn(self) -> str:
        return f"arn:aws:swf:{REGION}:{ACCOUNT}:/domain/{self.name}"

    def start(self, workflow_id: str = "w", **params: Any) -> str:
        return self.start_workflow_execution(workflowId=workflow_id, workflowType=W, **params)[
            "runId"
        ]

    def poll(self, **params: Any) -> Any:
        return self.poll_for_decision_task(taskList={"name": "main"}, **params)

    def decide(self, *decisions: Any) -> Any:
        task = self.poll()
        self.client.respond_decision_task_completed(
            taskToken=task["taskToken"], decisions=list(decisions)
        )
        return task

    def schedule(self, *ids: str) -> None:
        self.decide(
            *(
                decision("ScheduleActivityTask", activityId=one, activityType=A, input=one)
                for one in ids
            )
        )

    def take(self) -> Any:
        return self.poll_for_activity_task(taskList={"name": "work"})


@pytest.fixture
def domain(url: str) -> Domain:
    return Domain(client_of(url))


def refused(call: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(ClientError) as error:
        call()
    response = error.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert response["ResponseMetadata"]["RequestId"]
    return response["Error"]["Code"], response["Error"]["Message"]


# --- every operation ---
def test_w1_every_operation_of_the_client(url: str) -> None:
    """Each of the 39 at least once, in the life of a domain."""
    client = client_of(url)
    called: set[str] = set()
    client.meta.events.register(
        "before-call.swf.*", lambda model, **_: called.add(model.name), unique_id="called"
    )
    domain = Domain(client)
    _of_domains(domain)
    _of_types(domain)
    _of_executions(domain)
    assert called == set(client.meta.service_model.operation_names)
    assert len(called) == 39


def _of_domains(domain: Domain) -> None:
    client = domain.client
    assert client.describe_domain(name=domain.name)["domainInfo"]["arn"] == domain.arn
    client.tag_resource(resourceArn=domain.arn, tags=[{"key": "a", "value": "b"}, {"key": "c"}])
    client.untag_resource(resourceArn=domain.arn, tagKeys=["c"])
    tags = client.list_tags_for_resource(resourceArn=domain.arn)["tags"]
    assert tags == [{"key": "a", "value": "b"}]
    other = f"{domain.name}-other"
    client.register_domain(name=other, workflowExecutionRetentionPeriodInDays="NONE")
    client.deprecate_domain(name=other)
    pages = client.get_paginator("list_domains").paginate(
        registrationStatus="DEPRECATED", PaginationConfig={"PageSize": 1}
    )
    assert other in [one["name"] for page in pages for one in page["domainInfos"]]
    client.undeprecate_domain(name=other)


def _of_types(domain: Domain) -> None:
    for kind in ("workflow", "activity"):
        named = {f"{kind}Type": {"name": "extra", "version": "1"}}
        getattr(domain, f"register_{kind}_type")(
            name="extra", version="1", defaultTaskPriority="10"
        )
        described = getattr(domain, f"describe_{kind}_type")(**named)
        assert described["configuration"]["defaultTaskPriority"] == "10"
        assert isinstance(described["typeInfo"]["creationDate"], datetime)
        getattr(domain, f"deprecate_{kind}_type")(**named)
        getattr(domain, f"undeprecate_{kind}_type")(**named)
        getattr(domain, f"deprecate_{kind}_type")(**named)
        listed = getattr(domain, f"list_{kind}_types")(registrationStatus="DEPRECATED")
        assert [one[f"{kind}Type"]["name"] for one in listed["typeInfos"]] == ["extra"]
        getattr(domain, f"delete_{kind}_type")(**named)


def _of_executions(domain: Domain) -> None:
    client, run_id = domain.client, domain.start(taskPriority="7", tagList=["t"])
    counted = domain.count_pending_decision_tasks(taskList={"name": "main"})
    assert counted["count"] == 1
    domain.schedule("done", "failed", "canceled")
    assert domain.count_pending_activity_tasks(taskList={"name": "work"})["count"] == 3
    tasks = {task["activityId"]: task["taskToken"] for task in (domain.take() for _ in range(3))}
    beat = client.record_activity_task_heartbeat(taskToken=tasks["done"], details="half")
    assert beat["cancelRequested"] is False
    client.respond_activity_task_completed(taskToken=tasks["done"], result="ok")
    client.respond_activity_task_failed(taskToken=tasks["failed"], reason="r", details="d")
    client.respond_activity_task_canceled(taskToken=tasks["canceled"], details="d")
    domain.signal_workflow_execution(workflowId="w", signalName="s", input="x")
    domain.request_cancel_workflow_execution(workflowId="w", runId=run_id)
    since = {"startTimeFilter": {"oldestDate": datetime.now(UTC) - DAY}}
    assert domain.count_open_workflow_executions(**since)["count"] == 1
    (info,) = domain.list_open_workflow_executions(**since)["executionInfos"]
    assert info["execution"] == {"workflowId": "w", "runId": run_id}
    assert info["cancelRequested"] is True
    execution = {"workflowId": "w", "runId": run_id}
    described = domain.describe_workflow_execution(execution=execution)
    assert described["executionConfiguration"]["taskPriority"] == "7"
    domain.terminate_workflow_execution(workflowId="w", reason="r", childPolicy="ABANDON")
    assert domain.count_closed_workflow_executions(**since)["count"] == 1
    (info,) = domain.list_closed_workflow_executions(**since, tagFilter={"tag": "t"})[
        "executionInfos"
    ]
    assert (info["closeStatus"], info["tagList"]) == ("TERMINATED", ["t"])
    pages = client.get_paginator("get_workflow_execution_history").paginate(
        domain=domain.name, execution=execution, PaginationConfig={"PageSize": 4}
    )
    events = [event for page in pages for event in page["events"]]
    assert [event["eventId"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["eventType"] == "WorkflowExecutionTerminated"


# --- table 1.2 ---
def _stale_activity(domain: Domain) -> Any:
    domain.start()
    domain.schedule("a")
    token = domain.take()["taskToken"]
    domain.client.respond_activity_task_completed(taskToken=token)
    return domain.client.respond_activity_task_completed(taskToken=token)


def _stale_decision(domain: Domain) -> Any:
    domain.start()
    task = domain.decide()
    return domain.client.respond_decision_task_completed(taskToken=task["taskToken"])


def _of_closed(domain: Domain) -> Any:
    """A token of an execution that has closed meanwhile."""
    domain.start()
    task = domain.poll()
    domain.terminate_workflow_execution(workflowId="w")
    return domain.client.respond_decision_task_completed(taskToken=task["taskToken"])


def _deprecated_type(domain: Domain) -> Any:
    domain.deprecate_workflow_type(workflowType=W)
    return domain.start()


def _twice(domain: Domain) -> Any:
    domain.start()
    return domain.start()


def _deprecated_domain(domain: Domain) -> Any:
    domain.client.deprecate_domain(name=domain.name)
    return domain.client.deprecate_domain(name=domain.name)


def _no_default(domain: Domain) -> Any:
    domain.register_workflow_type(name="bare", version="1")
    bare = {"name": "bare", "version": "1"}
    return domain.start_workflow_execution(workflowId="w", workflowType=bare)


def _both_filters(domain: Domain) -> Any:
    return domain.count_open_workflow_executions(
        startTimeFilter={"oldestDate": EVER}, tagFilter={"tag": "t"}, typeFilter={"name": "n"}
    )


TOO_MANY = (
    "1 validation error detected: Value '1001' at 'maximumPageSize' failed to satisfy constraint: "
    "Member must have value less than or equal to 1000"
)
EXCLUSIVE = (
    "Cannot specify more than one exclusive filters in the same query: "
    "[WorkflowTypeFilter, TagFilter]"
)

ROWS: Mapping[str, tuple[Callable[[Domain], Any], str, str]] = {
    "UR domain": (
        lambda d: d.client.describe_domain(name="no-such"),
        "UnknownResourceFault",
        "Unknown domain: no-such",
    ),
    "UR activity type": (
        lambda d: d.describe_activity_type(activityType={"name": "a", "version": "1"}),
        "UnknownResourceFault",
        "Unknown type: ActivityType=[name=a, version=1]",
    ),
    "UR workflow type": (
        lambda d: d.deprecate_workflow_type(workflowType={"name": "a", "version": "1"}),
        "UnknownResourceFault",
        "Unknown type: WorkflowType=[name=a, version=1]",
    ),
    "UR execution with runId": (
        lambda d: d.terminate_workflow_execution(workflowId="w", runId="r"),
        "UnknownResourceFault",
        "Unknown execution: WorkflowExecution=[workflowId=w, runId=r]",
    ),
    "UR execution without runId": (
        lambda d: d.signal_workflow_execution(workflowId="w", signalName="s"),
        "UnknownResourceFault",
        "Unknown execution, workflowId = w",
    ),
    "UR closed activity token": (
        _stale_activity,
        "UnknownResourceFault",
        "Unknown activity, scheduledEventId = 5",
    ),
    "UR closed decision token": (
        _stale_decision,
        "UnknownResourceFault",
        "Unknown decision task, scheduledEventId = 2",
    ),
    "UR token of a closed execution": (
        _of_closed,
        "UnknownResourceFault",
        "Unknown execution: WorkflowExecution=[workflowId=w, runId=",
    ),
    "token never issued": (
        lambda d: d.client.respond_activity_task_completed(taskToken="not a token"),
        "ValidationException",
        "Invalid token",
    ),
    "TAE": (
        lambda d: d.register_activity_type(**A),
        "TypeAlreadyExistsFault",
        "ActivityType=[name=post, version=1]",
    ),
    "TD": (_deprecated_type, "TypeDeprecatedFault", "WorkflowType=[name=order, version=1]"),
    "DAE": (
        lambda d: d.client.undeprecate_domain(name=d.name),
        "DomainAlreadyExistsFault",
        "domain-",
    ),
    "DD": (_deprecated_domain, "DomainDeprecatedFault", "domain-"),
    "WEAS": (_twice, "WorkflowExecutionAlreadyStartedFault", "Already Started"),
    "DU": (_no_default, "DefaultUndefinedFault", "executionStartToCloseTimeout"),
    "TND": (
        lambda d: d.delete_activity_type(activityType=A),
        "TypeNotDeprecatedFault",
        "The type is currently registered and cannot be deleted in its current state",
    ),
    "bad page token": (
        lambda d: d.client.list_domains(registrationStatus="REGISTERED", nextPageToken="x"),
        "ValidationException",
        "Invalid token",
    ),
    "page > 1000": (
        lambda d: d.client.list_domains(registrationStatus="REGISTERED", maximumPageSize=1_001),
        "ValidationException",
        TOO_MANY,
    ),
    "two filters": (
        _both_filters,
        "ValidationException",
        EXCLUSIVE,
    ),
    "no time filter": (
        lambda d: d.list_closed_workflow_executions(),
        "ValidationException",
        "Must specify time filter",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_w25_table_1_2_faults_and_messages(domain: Domain, row: str) -> None:
    """What clients parse: each row of table 1.2 (an expired page token: with a clock that moves)."""
    call, code, message = ROWS[row]
    found = refused(lambda: call(domain))
    assert found[0] == code
    exact = not message.endswith(("runId=", "domain-"))
    assert found[1] == message if exact else found[1].startswith(message)


# --- table 1.8 ---
@pytest.mark.parametrize(
    ("operation", "empty"),
    [
        ("poll_for_decision_task", {"previousStartedEventId": 0, "startedEventId": 0}),
        ("poll_for_activity_task", {"startedEventId": 0}),
    ],
)
@pytest.mark.row("1.8 a poll is held")
def test_w2_table_1_8_an_empty_poll_after_the_hold(
    domain: Domain, operation: str, empty: dict[str, int]
) -> None:
    """Held for the time that was asked for on the command line, then 200 without a token."""
    start = time.monotonic()
    answer = getattr(domain, operation)(taskList={"name": "nothing"}, identity="me")
    assert 0.9 < time.monotonic() - start < 5
    assert answer.pop("ResponseMetadata")["HTTPStatusCode"] == 200
    assert answer == empty


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose polls are held as long as `serve` does."""
    with serving(tmp_path_factory.mktemp("swf")) as server:
        yield server.url


@pytest.mark.row("1.8 a poll is answered at once")
def test_w7_table_1_8_a_poll_answers_as_soon_as_a_task_is_there(patient: str) -> None:
    """Within 100 ms on one machine, in the median of some; a decision and an activity task."""
    domain = Domain(client_of(patient))
    other = client_of(patient)
    waits: list[float] = []
    for number in range(7):
        placed: list[float] = []

        def later(number: int = number, placed: list[float] = placed) -> None:
            time.sleep(0.3)
            placed.append(time.monotonic())
            other.start_workflow_execution(
                domain=domain.name, workflowId=f"w{number}", workflowType=W
            )

        thread = threading.Thread(target=later)
        thread.start()
        task = domain.poll()
        waits.append(time.monotonic() - placed[0])
        thread.join()
        assert task["workflowExecution"]["workflowId"] == f"w{number}"
    assert sorted(waits)[3] < 0.1, waits


def test_w28_table_1_8_the_next_task_is_not_given_to_a_client_that_has_gone(patient: str) -> None:
    """Its connection is looked at before the claim; the task goes to the next who asks."""
    domain = Domain(client_of(patient))
    host, port = httpx.URL(patient).host, httpx.URL(patient).port
    assert port is not None
    body = f'{{"domain": "{domain.name}", "taskList": {{"name": "main"}}}}'
    with socket.create_connection((host, port)) as connection:
        connection.sendall(
            f"POST / HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\n"
            "X-Amz-Target: SimpleWorkflowService.PollForDecisionTask\r\n\r\n"
            f"{body}".encode()
        )
        time.sleep(0.3)
    time.sleep(0.2)
    domain.start()
    start = time.monotonic()
    task = domain.poll()
    assert "taskToken" in task
    assert time.monotonic() - start < 2


def test_w8_tasks_come_by_priority(domain: Domain) -> None:
    """An activity of 15 on a list full of default ones."""
    domain.start()
    many = [
        decision("ScheduleActivityTask", activityId=f"d{one}", activityType=A) for one in range(20)
    ]
    urgent = decision(
        "ScheduleActivityTask", activityId="urgent", activityType=A, taskPriority="15"
    )
    late = decision("ScheduleActivityTask", activityId="late", activityType=A, taskPriority="-1")
    domain.decide(late, *many, urgent)
    order = [domain.take()["activityId"] for _ in range(22)]
    assert order == ["urgent", *(f"d{one}" for one in range(20)), "late"]


# --- table 1.9 ---
def test_w19_table_1_9_what_describe_shows(domain: Domain) -> None:
    """Closed, with something that was open, after a cancel request."""
    run_id = domain.start(tagList=["t"])
    domain.schedule("a")
    domain.take()
    domain.request_cancel_workflow_execution(workflowId="w")
    domain.decide(decision("CancelWorkflowExecution", details="d"))
    execution = {"workflowId": "w", "runId": run_id}
    described = domain.describe_workflow_execution(execution=execution)
    info = described["executionInfo"]
    assert (info["executionStatus"], info["closeStatus"]) == ("CLOSED", "CANCELED")
    assert info["cancelRequested"] is True
    assert described["openCounts"]["openActivityTasks"] == 1
    assert described["openCounts"]["openDecisionTasks"] == 0
    assert isinstance(described["latestActivityTaskTimestamp"], datetime)


# --- table 1.10 ---
LIMITS: Mapping[str, tuple[Callable[[Domain], Any], str]] = {
    "request size": (
        lambda d: d.client.respond_decision_task_completed(
            taskToken="t", decisions=[decision("RecordMarker", markerName="m" * 250)] * 5_000
        ),
        "ValidationException",
    ),
    "tags per domain": (
        lambda d: d.client.tag_resource(
            resourceArn=d.arn, tags=[{"key": str(one)} for one in range(51)]
        ),
        "TooManyTagsFault",
    ),
    "execution time": (
        lambda d: d.start(executionStartToCloseTimeout="31536001"),
        "ValidationException",
    ),
    "retention": (
        lambda d: d.client.register_domain(name="x", workflowExecutionRetentionPeriodInDays="91"),
        "ValidationException",
    ),
    "tags per execution": (lambda d: d.start(tagList=[*"abcdef"]), "ValidationException"),
    "input": (lambda d: d.start(input="x" * 32_769), "ValidationException"),
    "page size": (
        lambda d: d.poll(maximumPageSize=1_001),
        "ValidationException",
    ),
}


@pytest.mark.parametrize("row", LIMITS)
def test_w26_table_1_10_limits(domain: Domain, row: str) -> None:
    """Each limit that a request alone can break."""
    call, code = LIMITS[row]
    assert refused(lambda: call(domain))[0] == code


def test_w26_table_1_10_the_largest_input_comes_back_whole(domain: Domain) -> None:
    """32,768 characters of any alphabet."""
    text = 'x\u00e4\u4e16\U0001f4a9"\\\n' * 4_681 + "z"
    assert len(text) == 32_768
    domain.start(input=text)
    event = domain.poll()["events"][0]
    assert event["workflowExecutionStartedEventAttributes"]["input"] == text


def test_w30_a_page_of_another_site_cannot_call_the_service(url: str) -> None:
    """On a loopback address every signature is believed: so it must come from this machine."""
    headers = {"X-Amz-Target": "SimpleWorkflowService.ListDomains"}
    body = '{"registrationStatus": "REGISTERED"}'
    assert httpx.post(url, content=body, headers=headers).status_code == 200
    for foreign in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        answer = httpx.post(url, content=body, headers={**headers, **foreign})
        assert answer.status_code == 403


def test_w30_serve_believes_issued_keys_only_when_it_requires_tokens(tmp_path: Path) -> None:
    """The credentials of `swf-key create` are what boto3 signs with."""
    from tests.cli.conftest import invoke  # noqa: PLC0415 - the command line of this process

    store = f"sqlite:{tmp_path / 'workledger.db'}"
    made = invoke("swf-key", "create", "ann", "--store", store)
    credentials = dict(line.split("=") for line in made.out.split())
    with serving(tmp_path, "--require-tokens") as server:
        signed = boto3.client(
            "swf",
            endpoint_url=server.url,
            region_name=REGION,
            aws_access_key_id=credentials["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=credentials["AWS_SECRET_ACCESS_KEY"],
        )
        signed.register_domain(name="d", workflowExecutionRetentionPeriodInDays="1")
        asked = {"registrationStatus": "REGISTERED"}
        assert [one["name"] for one in signed.list_domains(**asked)["domainInfos"]] == ["d"]
        assert refused(lambda: client_of(server.url).list_domains(**asked))[0] == (
            "UnrecognizedClientException"
        )
        revoked = invoke("swf-key", "revoke", credentials["AWS_ACCESS_KEY_ID"], "--store", store)
        assert revoked.code == 0
        assert refused(lambda: signed.list_domains(**asked))[0] == "UnrecognizedClientException"
