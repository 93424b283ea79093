"""`workledger swf` and `workledger swf-key` (W10, W19, W23, W24, W30)."""

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.cli.conftest import Done, invoke
from tests.client.running import Running, running

_numbers = count(1)

Cli = Callable[..., Done]


@pytest.fixture(scope="module")
def swf_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("swf"), "--poll-seconds", "1") as server:
        yield server


@pytest.fixture
def swf(swf_server: Running, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Commands to a local server, which believes any key."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    return lambda *arguments: invoke("--url", swf_server.url, "swf", *arguments)


@pytest.fixture
def client(swf_server: Running) -> Any:
    return boto3.client(
        "swf",
        endpoint_url=swf_server.url,
        region_name="eu-west-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )


@pytest.fixture
def domain(client: Any) -> str:
    """A domain with one open execution, `w`."""
    name = f"domain-{next(_numbers)}"
    client.register_domain(
        name=name, workflowExecutionRetentionPeriodInDays="30", description="of a test"
    )
    client.register_workflow_type(
        domain=name,
        name="order",
        version="1",
        defaultTaskList={"name": "main"},
        defaultExecutionStartToCloseTimeout="3600",
        defaultTaskStartToCloseTimeout="60",
        defaultChildPolicy="TERMINATE",
    )
    client.register_activity_type(domain=name, name="post", version="2")
    client.start_workflow_execution(
        domain=name,
        workflowId="w",
        workflowType={"name": "order", "version": "1"},
        taskPriority="-20",
        tagList=["one", "two"],
    )
    return name


def test_w25_domains_and_types_are_listed(swf: Cli, client: Any, domain: str) -> None:
    """Tab-separated in a pipe; the service's JSON exactly with --json."""
    lines = [line.split("\t") for line in swf("domains", "--all").lines]
    arn = f"arn:aws:swf:eu-west-1:000000000000:/domain/{domain}"
    assert [domain, "REGISTERED", "of a test", arn] in lines
    assert [line.split("\t")[:4] for line in swf("types", domain).lines] == [
        ["workflow", "order", "1", "REGISTERED"],
        ["activity", "post", "2", "REGISTERED"],
    ]
    client.deprecate_activity_type(domain=domain, activityType={"name": "post", "version": "2"})
    (line,) = swf("types", domain, "--kind", "activity", "--status", "deprecated").lines
    assert line.startswith("activity\tpost\t2\tDEPRECATED")
    assert swf("types", domain, "--name", "x").lines == []
    shown = json.loads(swf("types", domain, "--kind", "workflow", "--json").out)
    assert shown["typeInfos"][0]["workflowType"] == {"name": "order", "version": "1"}


def test_w23_executions_open_and_closed(swf: Cli, domain: str) -> None:
    """By id, type, tag, moment."""
    (line,) = swf("executions", domain).lines
    cells = line.split("\t")
    assert [cells[0], *cells[2:5], cells[7]] == ["w", "order", "1", "OPEN", "one, two"]
    for wanted in (["--id", "w"], ["--type", "order"], ["--tag", "two"]):
        assert len(swf("executions", domain, *wanted).lines) == 1
    for other in (
        ["--id", "x"],
        ["--type", "x"],
        ["--since", "2099-01-01T00:00:00Z"],
        ["--closed"],
    ):
        assert swf("executions", domain, *other).lines == []
    assert json.loads(swf("executions", domain, "--json").out)["executionInfos"]


def test_w19_w24_a_person_signals_and_terminates(swf: Cli, domain: str) -> None:
    """And sees both in the history."""
    done = swf("signal", domain, "w", "hurry", "--input", "please")
    assert (done.code, done.err) == (0, "w has the signal hurry\n")
    lines = [line.split("\t") for line in swf("history", domain, "w").lines]
    assert [cells[2] for cells in lines] == [
        "WorkflowExecutionStarted",
        "DecisionTaskScheduled",
        "WorkflowExecutionSignaled",
    ]
    assert "taskPriority -20" in lines[0][3]
    assert "signalName hurry, input please" in lines[2][3]
    done = swf("terminate", domain, "w", "--yes", "--reason", "enough", "--children", "abandon")
    assert (done.code, done.err) == (0, "w is terminated\n")
    (first, *_) = swf("history", domain, "w", "--reverse").lines
    assert "WorkflowExecutionTerminated" in first
    assert "reason enough, childPolicy ABANDON" in first
    events = json.loads(swf("history", domain, "w", "--json").out)["events"]
    assert [event["eventId"] for event in events] == [1, 2, 3, 4]
    assert "TERMINATED" in swf("executions", domain, "--closed").out


def test_w24_terminating_is_asked_about(swf: Cli, domain: str) -> None:
    """Nothing is done without --yes or a yes."""
    assert swf("terminate", domain, "w").code == 1
    assert len(swf("executions", domain).lines) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["types", "no-such"], "error: UnknownResourceFault: Unknown domain: no-such"),
        (["signal", "DOMAIN", "x", "s"], "error: UnknownResourceFault: Unknown execution, workflowId = x"),
        (["history", "DOMAIN", "x"], "error: UnknownResourceFault: Unknown execution, workflowId = x"),
        (
            ["history", "DOMAIN", "w", "--run-id", "r"],
            "error: UnknownResourceFault: Unknown execution: WorkflowExecution=[workflowId=w, ",
        ),
        (["signal", "DOMAIN", "w", "a" * 257], "error: ValidationException: 1 validation error"),
    ],
)  # fmt: skip
def test_w1_faults_are_told_as_the_service_words_them(
    swf: Cli, domain: str, arguments: list[str], message: str
) -> None:
    """Exit code 1."""
    done = swf(*(domain if one == "DOMAIN" else one for one in arguments))
    assert done.code == 1
    assert done.err.startswith(message)


def test_w1_a_server_that_is_none(tmp_path: Path) -> None:
    """69, as everywhere."""
    assert invoke("--url", "http://127.0.0.1:1", "swf", "domains").code == 69


# --- keys ---
def test_w30_keys_are_made_shown_once_and_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed is what AWS's tools read from the environment; the secret is not listed."""
    monkeypatch.delenv("SWF_KMS_KEY", raising=False)
    monkeypatch.delenv("SWF_KEY_FILE", raising=False)
    store = f"sqlite:{tmp_path / 'workledger.db'}"
    made = invoke("swf-key", "create", "ann", "--domain", "a", "--domain", "b", "--store", store)
    assert made.code == 0
    key, secret = (line.partition("=")[2] for line in made.lines)
    assert secret not in made.err
    assert key in made.err
    reader = invoke("swf-key", "create", "bob", "--read-only", "--store", store).lines[0]
    listed = invoke("swf-key", "list", "--store", store)
    assert secret not in listed.out
    cells = [line.split("\t")[:4] for line in listed.lines]
    assert cells == [
        [reader.partition("=")[2], "bob", "all", "read"],
        [key, "ann", "a, b", "read, write"],
    ]
    with running(tmp_path, "--require-tokens") as server:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
        missing = invoke("--url", server.url, "swf", "types", "a")
        assert missing.err == "error: UnknownResourceFault: Unknown domain: a\n"
        refused = invoke("--url", server.url, "swf", "domains")
        assert refused.err.startswith("error: AccessDeniedException")
        revoked = invoke("swf-key", "revoke", key, "--store", store)
        assert (revoked.code, revoked.err) == (0, f"key {key} is revoked\n")
        refused = invoke("--url", server.url, "swf", "types", "a")
        assert refused.err.startswith("error: UnrecognizedClientException")
    assert invoke("swf-key", "revoke", "WLX", "--store", store).code == 1
