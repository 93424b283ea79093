"""Who may do what: Q73, and the authorizer before it."""

import json
from dataclasses import replace

import pytest

from functions.authorizer.app import handler as authorizer
from tests.functions.calling import OPERATIONS, Caller, event_of
from workledger import bootstrap
from workledger.api.permissions import TABLE, Permission, permissions
from workledger.errors import StoreBusy
from workledger.service import projecting, tokens

LOOKING = ("viewer", "operator", "developer", "admin")
PEOPLE = ("worker", "requester", "adjudicator")
EXPECTED = {
    ("POST", "/queues"): LOOKING[2:],
    ("GET", "/queues"): LOOKING,
    ("GET", "/queues/{queue}"): LOOKING,
    ("PATCH", "/queues/{queue}"): LOOKING[2:],
    ("DELETE", "/queues/{queue}"): LOOKING[2:],
    ("POST", "/queues/{queue}/restore"): LOOKING[2:],
    ("GET", "/queues/{queue}/count"): LOOKING,
    ("GET", "/queues/{queue}/history"): LOOKING,
    ("GET", "/queues/{queue}/items"): LOOKING,
    ("POST", "/queues/{queue}/items"): LOOKING[1:],
    ("POST", "/queues/{queue}/next"): LOOKING[1:],
    ("POST", "/queues/{queue}/requeue"): LOOKING[2:],
    ("POST", "/queues/{queue}/purge"): LOOKING[2:],
    ("GET", "/items/{id}"): LOOKING,
    ("PATCH", "/items/{id}"): LOOKING[2:],
    ("DELETE", "/items/{id}"): LOOKING[2:],
    ("POST", "/items/{id}/complete"): LOOKING[1:],
    ("POST", "/items/{id}/fail"): LOOKING[1:],
    ("POST", "/items/{id}/beat"): LOOKING[1:],
    ("POST", "/items/{id}/requeue"): LOOKING[2:],
    ("POST", "/items/{id}/restore"): LOOKING[2:],
    ("GET", "/items/{id}/history"): LOOKING,
    ("GET", "/items/{id}/explain"): LOOKING,
    ("POST", "/runs"): LOOKING[1:],
    ("GET", "/runs"): LOOKING,
    ("GET", "/runs/{run}"): LOOKING,
    ("POST", "/runs/{run}/heartbeat"): LOOKING[1:],
    ("POST", "/runs/{run}/end"): LOOKING[1:],
    ("GET", "/feed"): LOOKING,
    ("GET", "/audit"): LOOKING[3:],
}


@pytest.mark.parametrize("operation", sorted(EXPECTED), ids=" ".join)
def test_q73_each_operation_is_allowed_to_these_roles(
    local: Caller, operation: tuple[str, str]
) -> None:
    """Q73: without Manage queues look only; running tasks need none to add, take, close, count."""
    method, path = operation
    params = {name: "x" for name in ("queue", "id", "run") if "{" + name + "}" in path}
    looks = ("requester", "adjudicator") if EXPECTED[operation] == LOOKING else ()
    for role in (*LOOKING, *PEOPLE, "guest"):
        who = {"actor": "eve", "role": role}
        answer = local.send(event_of(method, path, params, "{}", None, {}, who))
        if role in (*EXPECTED[operation], *looks):
            assert answer.status != 403, answer.text
        else:
            assert (answer.status, answer.code) == (403, "forbidden")
            assert answer["context"]["permission"] == OPERATIONS[operation].needs.value


@pytest.mark.parametrize("operation", sorted(OPERATIONS), ids=" ".join)
def test_without_an_identity_everything_is_a_401(local: Caller, operation: tuple[str, str]) -> None:
    """Closed by default: what the authorizer did not say is not assumed."""
    method, path = operation
    params = {part[1:-1]: "x" for part in path.split("/") if part.startswith("{")}
    for who in (None, {}, {"actor": "eve"}, {"role": "admin"}, {"actor": "", "role": "admin"}):
        answer = local.send(event_of(method, path, params, "{}", None, {}, who))
        assert (answer.status, answer.code) == (401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_q73_which_roles_manage_queues_is_a_setting(local: Caller) -> None:
    """Q73: MANAGE_QUEUES_ROLES; no other permission moves with it."""
    bootstrap.override(bootstrap.App(local.core, permissions(["operator", " admin "])))
    assert local.as_("eve", "operator").post("/queues", {"name": "A"}).status == 201
    assert local.as_("eve", "developer").post("/queues", {"name": "B"}).code == "forbidden"
    assert local.as_("eve", "developer").post("/queues/{queue}/items", [1], queue="A").status == 200
    with pytest.raises(ValueError, match="boss"):
        permissions(["boss"])


def test_q73_a_refusal_comes_before_any_look_at_the_body(local: Caller) -> None:
    """Q73: who may not, learns nothing of what would have been wrong."""
    assert local.as_("eve", "viewer").post("/queues", "{broken").code == "forbidden"
    assert (
        local.as_("eve", "viewer").post("/queues/{queue}/items", "{", queue="x").code == "forbidden"
    )


def test_q73_every_permission_is_in_the_table() -> None:
    """One table for the whole product."""
    assert set(TABLE) == set(Permission)
    assert {operation.needs for operation in OPERATIONS.values()} == set(Permission)


# --- the authorizer ---


def asked(authorization: str | None, name: str = "authorization") -> dict[str, object]:
    headers = {} if authorization is None else {name: authorization}
    return {"version": "2.0", "type": "REQUEST", "routeKey": "GET /queues", "headers": headers}


def test_a_valid_token_opens_the_door_as_its_owner(caller: Caller) -> None:
    """The actor of every event is the token's owner."""
    text, _ = tokens.issue(caller.core, "root", "Ada L.", "operator")
    allowed = {"isAuthorized": True, "context": {"actor": "Ada L.", "role": "operator"}}
    assert authorizer(asked(f"Bearer {text}"), None) == allowed
    assert authorizer(asked(f"bearer  {text} ", "Authorization"), None) == allowed


def test_revoked_and_expired_tokens_do_not(caller: Caller) -> None:
    """Revocable; optional expiry."""
    later = "2026-03-11T10:16:55.935Z"
    text, _ = tokens.issue(caller.core, "root", "ada", "viewer", later)
    other, shown = tokens.issue(caller.core, "root", "bob", "viewer")
    assert authorizer(asked(f"Bearer {text}"), None)["isAuthorized"] is True
    caller.around.clock.tick(61)
    assert authorizer(asked(f"Bearer {text}"), None) == {"isAuthorized": False}
    tokens.revoke(caller.core, "root", shown.id)
    assert authorizer(asked(f"Bearer {other}"), None) == {"isAuthorized": False}


@pytest.mark.parametrize(
    "sent",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "wl_x", "Bearer wl_x", "Bearer \u00e9", "Bearer a b", "Bearer " + "a" * 100_000, "Bearer wl_" + "a" * 16 + "_" + "b" * 52],
)  # fmt: skip
def test_anything_else_is_refused_without_an_error(local: Caller, sent: str | None) -> None:
    """Closed by default."""
    assert authorizer(asked(sent), None) == {"isAuthorized": False}


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"headers": None},
        {"headers": {}},
        {"headers": {"authorization": None}},
        {"headers": {"authorization": 5}},
    ],
)
def test_malformed_events_are_refused_without_an_error(
    local: Caller, event: dict[str, object]
) -> None:
    """It never raises over what it was sent."""
    assert authorizer(event, None) == {"isAuthorized": False}


def test_a_busy_store_is_no_refusal(local: Caller) -> None:
    """A refusal would be remembered by the gateway for a minute; an error is tried again."""
    text, _ = tokens.issue(local.core, "root", "ada", "viewer")
    calls = []

    class Busy:
        lag = 0.0

        def heads_and_beats(self, streams: list[str]) -> None:
            calls.append(streams)
            raise StoreBusy("throttled")

    core = replace(local.core, store=Busy())
    bootstrap.override(bootstrap.App(core, permissions()))
    with pytest.raises(StoreBusy):
        authorizer(asked(f"Bearer {text}"), None)
    assert len(calls) == 3


def test_q6_tokens_are_in_the_audit_log_and_the_feed_without_their_secrets(caller: Caller) -> None:
    """Q6: who was given access is a change too."""
    text, shown = tokens.issue(caller.core, "root", "ada", "viewer")
    answer = caller.get("/audit")
    assert answer["items"][0]["subject"] == shown.id
    assert answer["items"][0]["after"]["role"] == "viewer"
    assert text.rpartition("_")[2] not in answer.text
    assert shown.token.secret_hash not in json.dumps(answer.json)
    projecting.moved(caller.core, [f"token/{shown.id}"])
    feed = caller.get("/feed")
    assert [event["type"] for event in feed["items"]] == ["TokenIssued"]
    assert shown.token.secret_hash not in feed.text
