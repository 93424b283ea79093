"""Who may come in without a token: this machine, and no web page shown on it."""

import json

import pytest

from workledger.local import access
from workledger.local.events import Request
from workledger.local.problems import Problem


def ask(*headers: tuple[str, str], host: str = "127.0.0.1:8080") -> Request:
    return Request("POST", "/queues", "", [("host", host), *headers])


def refused(request: Request) -> tuple[int, str]:
    with pytest.raises(Problem) as refusal:
        access.anonymous(request, "developer")
    body = json.loads(refusal.value.answer().body)
    assert body["status"] == refusal.value.status
    return refusal.value.status, body["code"]


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "LOCALHOST"]
)
def test_loopback_addresses(host: str) -> None:
    assert access.is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "10.0.0.1", "example.com", "localhost.evil.com"]
)
def test_all_others_can_be_reached_by_others(host: str) -> None:
    assert not access.is_loopback(host)


def test_q73_without_a_token_one_is_local_with_the_role_of_serve() -> None:
    assert access.anonymous(ask(), "viewer") == {"actor": "local", "role": "viewer"}


@pytest.mark.parametrize("host", ["localhost:8080", "localhost", "[::1]:8080", "127.0.0.1"])
def test_the_host_may_be_any_loopback_name(host: str) -> None:
    assert access.anonymous(ask(host=host), "operator")["actor"] == "local"


@pytest.mark.parametrize("actor", ["anna", "Jörg Müller", "a" * 128])
def test_several_people_can_be_tried(actor: str) -> None:
    sent = actor.encode().decode("latin-1")
    context = access.anonymous(ask(("x-workledger-actor", sent)), "operator")
    assert context == {"actor": actor, "role": "operator"}


@pytest.mark.parametrize("actor", ["", " ", "a" * 129, "a\tb", "J\xf6rg"])
def test_an_actor_that_is_none_is_refused(actor: str) -> None:
    assert refused(ask(("x-workledger-actor", actor))) == (400, "invalid_header")


@pytest.mark.parametrize(
    "host", ["evil.com", "evil.com:8080", "localhost.evil.com", "127.0.0.1.evil.com", "", "a:b:c"]
)
def test_dns_rebinding_is_refused(host: str) -> None:
    assert refused(ask(host=host)) == (403, "forbidden")


@pytest.mark.parametrize(
    "header",
    [
        ("origin", "https://evil.com"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:3000"),
        ("origin", "http://localhost:8080"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("x-forwarded-for", "203.0.113.7"),
        ("forwarded", "for=203.0.113.7"),
    ],
)
def test_pages_of_other_sites_and_proxies_are_refused(header: tuple[str, str]) -> None:
    assert refused(ask(header)) == (403, "forbidden")


def test_a_page_that_this_server_shows_may_ask() -> None:
    page = ask(("origin", "http://127.0.0.1:8080"), ("sec-fetch-site", "same-origin"))
    assert access.anonymous(page, "viewer")["role"] == "viewer"
    typed = ask(("sec-fetch-site", "none"))
    assert access.anonymous(typed, "viewer")["role"] == "viewer"
