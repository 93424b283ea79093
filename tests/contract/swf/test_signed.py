"""Clients whose signatures are verified: keys that were issued, as each SDK signs with them (W30)."""

import sys
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.contract.swf.environments import (
    HERE,
    REGION,
    ROOT,
    command,
    installed,
    pointed_at,
    program,
    python_of,
)
from tests.local.serving import COMMAND, Server, serving


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that lets in only who has a key."""
    folder = tmp_path_factory.mktemp("signed")
    with serving(folder, "--require-tokens", "--poll-seconds", "1") as server:
        yield server


def issued(server: Server, owner: str, *options: str) -> dict[str, str]:
    """A key as environment variables, as the command line prints them."""
    create = ("swf-key", "create", owner, "--store", server.store, *options)
    said = program((*COMMAND, *create), pointed_at(server.url), server.folder)
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def client(server: Server, key: dict[str, str], **config: Any) -> Any:
    """boto3's client with a key."""
    return boto3.client(
        "swf",
        endpoint_url=server.url,
        region_name=REGION,
        aws_access_key_id=key["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=key["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"total_max_attempts": 1}, **config),
    )


def test_w30_every_sdk_signs_as_it_is_verified(strict: Server) -> None:
    """W30: Python's and JavaScript's: long bodies, empty ones, characters beyond ASCII."""
    env = pointed_at(strict.url) | issued(strict, "ann")
    program((python_of("swf_typed"), "program.py", "typed"), env, HERE / "swf_typed")
    folder = {"AWS_REGION": REGION, "CLIENT_FOLDER": str(installed("javascript"))}
    program((command("node"), "scenario.mjs", "script"), env | folder, HERE / "javascript")
    program((sys.executable, str(ROOT / "samples" / "swf_priorities.py")), env)


def code(call: Any, **params: Any) -> str:
    """By which code a call is refused."""
    with pytest.raises(ClientError) as refused:
        call(**params)
    return refused.value.response["Error"]["Code"]


def test_w30_who_has_no_key_or_a_wrong_one_is_refused(strict: Server) -> None:
    """W30: the service's own errors."""
    key = issued(strict, "bob")
    wrong = key | {"AWS_SECRET_ACCESS_KEY": key["AWS_SECRET_ACCESS_KEY"][:-1] + "?"}
    asked = {"registrationStatus": "REGISTERED"}
    assert code(client(strict, wrong).list_domains, **asked) == "InvalidSignatureException"
    other = key | {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"}
    assert code(client(strict, other).list_domains, **asked) == "UnrecognizedClientException"
    unsigned = client(strict, key, signature_version=UNSIGNED)
    assert code(unsigned.list_domains, **asked) == "MissingAuthenticationTokenException"
    assert client(strict, key).list_domains(**asked)["domainInfos"] is not None


def test_w30_a_key_is_bound_to_its_domain_and_to_reading(strict: Server) -> None:
    """W30: least privilege, as it was issued."""
    all_of = client(strict, issued(strict, "ann"))
    for name in ("orders", "letters"):
        all_of.register_domain(name=name, workflowExecutionRetentionPeriodInDays="1")
    bound = client(strict, issued(strict, "eve", "--domain", "orders", "--read-only"))
    assert bound.describe_domain(name="orders")["domainInfo"]["name"] == "orders"
    assert code(bound.describe_domain, name="letters") == "AccessDeniedException"
    start = {"domain": "orders", "workflowId": "w", "workflowType": {"name": "n", "version": "1"}}
    assert code(bound.start_workflow_execution, **start) == "AccessDeniedException"
