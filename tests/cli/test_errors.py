"""Exit codes and messages (Q102)."""

import httpx
import pytest

from tests.cli.conftest import invoke, scripted
from tests.client.scripted import problem, reply


def test_q102_no_server_is_69_and_said_clearly() -> None:
    """Q102: a clear error on standard error; nothing is done on this machine instead."""
    run, script = scripted(*[httpx.ConnectError("refused")] * 3)
    done = run("count", "Invoices")
    assert done.code == 69
    assert "no answer from http://server: refused" in done.err
    assert "workledger serve" in done.err
    assert done.out == ""
    assert len(script.requests) == 3


def test_q102_a_refusal_is_1_with_code_detail_and_advice() -> None:
    """Q102: what the server said."""
    run, _ = scripted(problem(404, "queue_not_found", "there is no queue 'x'", advice="List them."))
    done = run("count", "x")
    assert done.code == 1
    assert done.err.splitlines() == ["error: queue_not_found: there is no queue 'x'", "List them."]


def test_q81_faults_are_listed_with_index_and_field() -> None:
    """Q81: the first bad entry is named."""
    faults = [{"index": 3, "field": "priority", "code": "invalid_value", "message": "no integer"}]
    run, _ = scripted(problem(400, "invalid_body", "the body has a fault", errors=faults))
    done = run("add", "Invoices", "[1, 2]")
    assert "  entry 3: priority: no integer" in done.err.splitlines()


def test_q1_a_fault_that_is_the_detail_is_said_once() -> None:
    """Q1: the field is named in the detail."""
    faults = [{"field": "retries", "code": "invalid_value", "message": "retries: 0 to 100"}]
    run, _ = scripted(problem(400, "invalid_value", "retries: 0 to 100", errors=faults))
    assert run("queue", "create", "x", "--retries", "101").err.count("0 to 100") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["count", "x", "--status", "odd"],
        ["count"],
        ["nonsense"],
        ["queue", "edit", "x"],
        ["change", "i_1"],
        ["requeue"],
        ["requeue", "i_1", "--queue", "x"],
        ["delete", "i_1", "--status", "failed"],
        ["add", "x", "1", "--file", "f.json"],
        ["add", "x", "--file", "/no/such/file.json"],
        ["add", "x", "--file", "/no/such/file.ndjson"],
        ["complete", "/no/such/file"],
        ["add", "x", "1", "--due", "tomorrow"],
        ["show", "i_1", "--as-of", "yesterday"],
        ["work", "x", "--", "no-such-program-here"],
        ["runs", "list", "--status", "odd"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_before_anything_is_asked(arguments: list[str]) -> None:
    """The command line itself is wrong."""
    run, script = scripted(*[reply({})] * 3)
    assert run(*arguments).code == 2
    assert script.requests == []


def test_a_bad_address_is_wrong_usage() -> None:
    """Not a server that does not answer."""
    done = invoke("--url", "localhost:8080", "count", "x")
    assert done.code == 2
    assert "--url" in done.err


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "NaN",
        '{"a": 1, "a": 2}',
        "",
        "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
    ],
)
def test_q10_what_is_no_json_is_refused_here(text: str) -> None:
    """Q10: nothing is sent."""
    run, script = scripted()
    done = run("add", "x", text)
    assert done.code == 1
    assert done.err.startswith("error: invalid_json: ")
    assert script.requests == []


def test_q10_a_bad_line_is_named() -> None:
    """Q10: by its index among the entries."""
    run, _ = scripted()
    done = run("add", "x", "--ndjson", stdin=b'1\n\n{"a":\n')
    assert done.code == 1
    assert "entry 1: " in done.err


def test_token_and_actor_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """From options or the environment."""
    run, script = scripted(reply({"count": 1}), reply({"count": 1}))
    run("--token", "wl_a_b", "--actor", "ann", "count", "x")
    monkeypatch.setenv("WORKLEDGER_TOKEN", "wl_c_d")
    run("count", "x")
    assert script.requests[0].headers["Authorization"] == "Bearer wl_a_b"
    assert script.requests[0].headers["X-Workledger-Actor"] == "ann"
    assert script.requests[1].headers["Authorization"] == "Bearer wl_c_d"


def test_version_and_help_need_no_server() -> None:
    """Every command describes itself."""
    assert invoke("--version").out.strip()
    for command in ([], ["queue"], ["add"], ["work"], ["token"], ["runs"], ["serve"]):
        assert "Usage" in invoke(*command, "--help").out
