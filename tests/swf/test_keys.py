"""Access keys: issued, sealed, bound, revoked (W30)."""

import json
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.races.world import World
from tests.swf.wire import DOMAIN, Fault, Wire, read, schedule
from workledger import bootstrap
from workledger.errors import Refused, StoreBusy
from workledger.service import audit
from workledger.service.core import Core
from workledger.stores.kms import KmsSealer
from workledger.swf import issuing, protocol, signing
from workledger.swf.entering import IssuedKeys
from workledger.swf.protocol import Asked
from workledger.swf.sealing import KeyFile, Sealer
from workledger.swf.signing import Request

ACCOUNT = "123456789012"


@pytest.fixture
def sealer(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "swf-key")


@dataclass(frozen=True)
class Signer:
    """A client with a key, at a service that lets in issued keys only."""

    core: Core
    sealer: Sealer
    key: str
    secret: str
    region: str = "eu-west-1"

    @property
    def door(self) -> IssuedKeys:
        return IssuedKeys(self.sealer)

    def __call__(self, operation: str, **params: Any) -> Any:
        """Call an operation. Raises Fault."""
        body = json.dumps(params).encode()
        headers = {"host": "h", "x-amz-target": f"SimpleWorkflowService.{operation}"}
        request = Request("POST", "/", "", headers, body)
        signed = signing.sign(request, self.key, self.secret, self.region, self.core.clock())
        request = replace(request, headers={**headers, **signed})
        return read(protocol.handle(self, Asked(request, ACCOUNT, "id"), 0), operation)


def signer(core: Core, sealer: Sealer, *domains: str, writes: bool = True) -> Signer:
    """A client with a fresh key."""
    secret, shown = issuing.issue(core, sealer, "root", "ann", domains or None, writes=writes)
    return Signer(core, sealer, shown.id, secret)


def code(call: Any, *arguments: Any, **params: Any) -> str:
    with pytest.raises(Fault) as fault:
        call(*arguments, **params)
    assert fault.value.status == 400
    return fault.value.code


# --- issuing ---
def test_w30_an_issued_key_opens_the_door_as_its_owner(world: World, sealer: KeyFile) -> None:
    """Who signed is the actor of what was done."""
    core = world.process()
    client = signer(core, sealer)
    client("RegisterDomain", name="d", workflowExecutionRetentionPeriodInDays="1")
    (commit,) = [one for one in world.store.all_commits() if one.stream.startswith("domain/")]
    assert commit.actor == "ann"
    world.verify()


def test_w30_the_secret_is_nowhere_in_the_store(world: World, sealer: KeyFile) -> None:
    """Only what it was sealed into; the audit log says who made which key for whom."""
    core = world.process()
    client = signer(core, sealer, "d", "e", writes=False)
    stored = [str(one) for one in world.store.all_commits()]
    stored += [str(row) for row in world.store.all_rows()]
    assert stored
    assert not [one for one in stored if client.secret in one]
    (entry,) = audit.page(core, None, 10).items
    assert (entry.action, entry.actor, entry.subject) == ("SwfKeyIssued", "root", client.key)
    assert entry.after == {"owner": "ann", "domains": ["d", "e"], "writes": False}


def test_w30_keys_are_listed_newest_first_and_revoked_for_good(
    world: World, sealer: KeyFile
) -> None:
    """A revoked key is refused with the next request."""
    core = world.process()
    first = signer(core, sealer)
    world.clock.tick(1)
    second = signer(core, sealer)
    assert first("ListDomains", registrationStatus="REGISTERED") == {"domainInfos": []}
    issuing.revoke(core, "root", first.key)
    issuing.revoke(core, "root", first.key)
    assert code(first, "ListDomains", registrationStatus="REGISTERED") == (
        "UnrecognizedClientException"
    )
    assert second("ListDomains", registrationStatus="REGISTERED") == {"domainInfos": []}
    listed = issuing.listed(core)
    assert [one.id for one in listed] == [second.key, first.key]
    assert [bool(one.key.revoked_at) for one in listed] == [False, True]
    with pytest.raises(Refused, match="no such key"):
        issuing.revoke(core, "root", "WL")


@pytest.mark.parametrize("owner", ["", "  ", "a\nb", "x" * 129])
def test_w30_a_key_has_an_owner(world: World, sealer: KeyFile, owner: str) -> None:
    """As a token has."""
    with pytest.raises(Refused, match="an owner"):
        issuing.issue(world.process(), sealer, "root", owner)
    with pytest.raises(Refused, match="all domains, or for some"):
        issuing.issue(world.process(), sealer, "root", "ann", [])


def test_w30_unknown_keys_and_wrong_secrets_have_the_services_errors(
    world: World, sealer: KeyFile
) -> None:
    """UnrecognizedClientException, InvalidSignatureException, MissingAuthenticationToken."""
    client = signer(world.process(), sealer)
    asked = {"registrationStatus": "REGISTERED"}
    wrong = replace(client, secret="wrong")
    assert code(wrong, "ListDomains", **asked) == "InvalidSignatureException"
    for key in ("AKIDEXAMPLE", "WL" + "A" * 18, client.key.lower(), "../x"):
        unknown = replace(client, key=key)
        assert code(unknown, "ListDomains", **asked) in (
            "UnrecognizedClientException",
            "IncompleteSignatureException",
        )
    answer = Wire(client.core, client.door).ask("ListDomains", headers={"authorization": ""})
    assert answer.code == "MissingAuthenticationTokenException"


def test_w30_a_request_that_was_overheard_is_good_for_five_minutes(
    world: World, sealer: KeyFile
) -> None:
    """The service's clock is the one that counts."""
    client = signer(world.process(), sealer)

    class Late(Signer):
        """A client whose clock was right when it signed."""

    late = Late(client.core, sealer, client.key, client.secret)
    signed_at = client.core.clock()
    body = b'{"registrationStatus": "REGISTERED"}'
    headers = {"host": "h", "x-amz-target": "SimpleWorkflowService.ListDomains"}
    request = Request("POST", "/", "", headers, body)
    signed = signing.sign(request, late.key, late.secret, "eu-west-1", signed_at)
    asked = Asked(replace(request, headers={**headers, **signed}), ACCOUNT, "id")
    world.clock.tick(299)
    assert protocol.handle(late, asked, 0).status == 200
    world.clock.tick(3)
    assert protocol.handle(late, asked, 0).code == "InvalidSignatureException"


# --- what a key is good for ---
def test_w30_a_key_that_reads_may_look_and_nothing_else(world: World, sealer: KeyFile) -> None:
    """No start, no poll, no answer."""
    core = world.process()
    run_id = Wire(core).begin().start("w")
    reader = signer(core, sealer, writes=False)
    execution = {"workflowId": "w", "runId": run_id}
    reader("DescribeWorkflowExecution", domain=DOMAIN, execution=execution)
    reader("ListDomains", registrationStatus="REGISTERED")
    refused: list[tuple[str, Mapping[str, Any]]] = [
        ("PollForDecisionTask", {"domain": DOMAIN, "taskList": {"name": "main"}}),
        ("SignalWorkflowExecution", {"domain": DOMAIN, "workflowId": "w", "signalName": "s"}),
        ("RegisterDomain", {"name": "e", "workflowExecutionRetentionPeriodInDays": "1"}),
    ]
    for operation, params in refused:
        assert code(reader, operation, **params) == "AccessDeniedException"


def test_w30_a_key_is_bound_to_its_domains(world: World, sealer: KeyFile) -> None:
    """By name, by ARN, by task token, by the token of a page."""
    core = world.process()
    theirs = Wire(core).begin()
    theirs.start("w")
    mine = signer(core, sealer, "mine")
    mine("RegisterDomain", name="mine", workflowExecutionRetentionPeriodInDays="1")
    mine("DescribeDomain", name="mine")
    arn = "arn:aws:swf:eu-west-1:123456789012:/domain/"
    mine("TagResource", resourceArn=f"{arn}mine", tags=[{"key": "a"}])
    theirs.decide(schedule("a"))
    activity = theirs.take()["taskToken"]
    theirs("SignalWorkflowExecution", domain=DOMAIN, workflowId="w", signalName="s")
    task = theirs.poll(maximumPageSize=1)
    here = {"domain": "mine", "taskList": {"name": "main"}}
    refused: list[tuple[str, Mapping[str, Any]]] = [
        ("DescribeDomain", {"name": DOMAIN}),
        ("ListDomains", {"registrationStatus": "REGISTERED"}),
        ("RegisterDomain", {"name": "e", "workflowExecutionRetentionPeriodInDays": "1"}),
        ("TagResource", {"resourceArn": f"{arn}{DOMAIN}", "tags": []}),
        ("StartWorkflowExecution", {
            "domain": DOMAIN, "workflowId": "x", "workflowType": {"name": "order", "version": "1"},
        }),
        ("RespondActivityTaskCompleted", {"taskToken": activity}),
        ("RecordActivityTaskHeartbeat", {"taskToken": activity}),
        ("RespondDecisionTaskCompleted", {"taskToken": task["taskToken"]}),
        ("PollForDecisionTask", {**here, "nextPageToken": task["nextPageToken"]}),
    ]  # fmt: skip
    for operation, params in refused:
        assert code(mine, operation, **params) == "AccessDeniedException", operation
    theirs("RespondActivityTaskCompleted", taskToken=activity)
    assert "events" not in mine("PollForDecisionTask", **here)


# --- sealing ---
def test_w30_what_was_sealed_opens_again_and_says_nothing(sealer: KeyFile, tmp_path: Path) -> None:
    """The same text is sealed differently each time; its file is for its owner only."""
    sealed = [sealer.seal("a secret of some length, longer than a block", "WLX") for _ in range(2)]
    assert sealed[0] != sealed[1]
    assert b"secret" not in b64decode(sealed[0])
    again = KeyFile(tmp_path / "swf-key")
    assert {again.open(one, "WLX") for one in sealed} == {
        "a secret of some length, longer than a block"
    }
    assert stat.S_IMODE((tmp_path / "swf-key").stat().st_mode) == 0o600


@pytest.mark.parametrize("position", [0, 15, 16, 20, -33, -32, -1])
def test_w30_a_changed_bit_is_noticed(sealer: KeyFile, position: int) -> None:
    """Nonce, cipher text, tag; also what it belongs to."""
    raw = bytearray(b64decode(sealer.seal("secret", "WLX")))
    raw[position] ^= 1
    with pytest.raises(Refused, match="not the key"):
        sealer.open(b64encode(raw).decode(), "WLX")
    with pytest.raises(Refused, match="not the key"):
        sealer.open(sealer.seal("secret", "WLX"), "WLY")


def test_w30_another_key_file_opens_nothing(sealer: KeyFile, tmp_path: Path) -> None:
    """Nor one that others may read, nor none."""
    sealed = sealer.seal("secret", "WLX")
    other = KeyFile(tmp_path / "other")
    with pytest.raises(Refused, match="cannot be read"):
        other.open(sealed, "WLX")
    other.seal("x", "x")
    with pytest.raises(Refused, match="not the key"):
        other.open(sealed, "WLX")
    (tmp_path / "swf-key").chmod(0o640)
    with pytest.raises(Refused, match="chmod 600"):
        sealer.open(sealed, "WLX")
    (tmp_path / "other").write_text("c2hvcnQ=")
    with pytest.raises(Refused, match="no key file"):
        other.open(sealed, "WLX")


def test_w30_without_the_key_file_the_service_is_not_available(
    world: World, sealer: KeyFile, tmp_path: Path
) -> None:
    """That is no fault of the caller: 503, and nothing is believed."""
    client = signer(world.process(), sealer)
    (tmp_path / "swf-key").unlink()
    with pytest.raises(Fault) as fault:
        client("ListDomains", registrationStatus="REGISTERED")
    assert fault.value.status == 503


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[KmsSealer]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client = boto3.client("kms", region_name="eu-west-1")
        made = client.create_key(Description="seals")["KeyMetadata"]["KeyId"]
        yield KmsSealer(lambda: client, made)


def test_w30_a_kms_key_seals_as_well(world: World, kms: KmsSealer) -> None:
    """On AWS: the context of the encryption is the access key's id."""
    client = signer(world.process(), kms)
    assert client("ListDomains", registrationStatus="REGISTERED") == {"domainInfos": []}
    sealed = kms.seal("secret", "WLX")
    assert kms.open(sealed, "WLX") == "secret"
    with pytest.raises(Refused, match="KMS does not open it"):
        kms.open(sealed, "WLY")


def test_w30_kms_that_does_not_answer_is_a_503() -> None:
    """Throttled, or away: tried again by the client."""
    client = boto3.client(
        "kms",
        region_name="eu-west-1",
        endpoint_url="http://127.0.0.1:9",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=boto3.session.Config(retries={"total_max_attempts": 1}),
    )
    with pytest.raises(StoreBusy):
        KmsSealer(lambda: client, "key").open(b64encode(b"x").decode(), "WLX")


def test_w30_key_files_lie_beside_the_store_unless_told_otherwise() -> None:
    """SWF_KMS_KEY, SWF_KEY_FILE, or a name beside the file of the store."""
    assert isinstance(bootstrap.sealer_of({"SWF_KMS_KEY": "arn"}), KmsSealer)
    assert bootstrap.sealer_of({"SWF_KEY_FILE": "/x/y"}).__dict__["_path"] == Path("/x/y")
    found = bootstrap.sealer_of({"WORKLEDGER_STORE": "sqlite:/x/w.db"})
    assert found.__dict__["_path"] == Path("/x/w.db.swf-key")
    assert isinstance(bootstrap.door_of({}), IssuedKeys)
    assert os.environ.get("SWF_KEYS") is None
