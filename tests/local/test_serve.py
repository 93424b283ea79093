"""`workledger serve` as people start, stop and misuse it. Each server is a process of its own."""

import json
import signal
import socket
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.local.serving import DEADLINE, Server, eventually, serving
from workledger import bootstrap
from workledger.service import tokens

NAMES = ["A#", "ü 100%", "..", '"\\`', "a;b,c", "  inside  out ".strip(), "%2F", "+", "a&b=c"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve")) as found:
        yield found


def token(store: str, role: str = "operator", owner: str = "anna") -> str:
    opened: Any = bootstrap.open_store(store)
    text, _ = tokens.issue(bootstrap.build(opened).core, "local", owner, role)
    opened.close()
    return text


def failing(folder: Path, *options: str, store: str | None = None) -> tuple[int, str]:
    """The exit code and the message of a server that cannot start."""
    server = Server(folder, *options, store=store)
    code, said = server.ended(), server.said()
    assert "Traceback" not in said
    return code, said


# --- a round through everything ---
def test_q60_an_item_is_added_taken_completed_over_http(server: Server) -> None:
    queue = server.post("/queues", {"name": "invoices"})
    added = server.post("/queues/invoices/items", {"data": {"n": 30.40}, "reference": "A-17"})
    assert added["added"] == 1
    taken = server.post("/queues/invoices/next")
    assert (taken["found"], taken["reference"], taken["attempt"]) == (True, "A-17", 1)
    done = server.post(f"/items/{taken['id']}/complete", {"claim": taken["claim"], "result": "ok"})
    assert done["status"] == "completed"
    shown = server.get("/queues/invoices")
    assert shown["counts"] == {"new": 0, "inProgress": 0, "completed": 1, "failed": 0}
    assert shown["id"] == queue["id"]


def test_q93_the_ledger_is_played_to_the_projector_which_feeds(server: Server) -> None:
    server.post("/queues", {"name": "fed"})
    server.post("/queues/fed/items", {"data": 1, "reference": "first"})
    after = ""

    def fed() -> bool:
        nonlocal after
        page = server.get(f"/feed?limit=1000&after={after}")
        after = page["nextCursor"]
        return any(event["data"].get("reference") == "first" for event in page["items"])

    eventually(fed)


@pytest.mark.parametrize("name", NAMES)
def test_q2_a_queue_of_any_name_is_reached_by_it(server: Server, name: str) -> None:
    made = server.post("/queues", {"name": name})
    encoded = "".join(f"%{byte:02X}" for byte in name.encode())
    # As it stands: an HTTP client would take dots for steps in the path.
    host = server.url.removeprefix("http://")
    asked = f"GET /queues/{encoded} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(tuple(host.split(":")), timeout=30) as connection:  # type: ignore[arg-type]
        connection.sendall(asked.encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), answer
    assert json.loads(body)["id"] == made["id"]


@pytest.mark.parametrize("name", ["EU/Invoices 2024", "what?"])
def test_q2_a_name_with_a_slash_is_reached_by_its_id(server: Server, name: str) -> None:
    made = server.post("/queues", {"name": name})
    encoded = name.replace("/", "%2F").replace("?", "%3F").replace(" ", "%20")
    refused = server.ask("GET", f"/queues/{encoded}")
    assert refused.status_code == 404
    assert "use the id" in refused.json()["detail"]
    found = server.ask("GET", "/queues", params={"name": name}).json()["items"]
    assert [each["id"] for each in found] == [made["id"]]
    assert server.get(f"/queues/{made['id']}")["name"] == name


def test_q28_a_next_that_waits_is_answered_as_soon_as_something_is_added(server: Server) -> None:
    server.post("/queues", {"name": "awaited"})
    answers: list[Any] = []
    waiting = threading.Thread(
        target=lambda: answers.append(server.post("/queues/awaited/next", {"waitSeconds": 20}))
    )
    waiting.start()
    eventually(lambda: server.get("/runs?status=active")["items"])
    server.post("/queues/awaited/items", {"data": "now"})
    waiting.join(DEADLINE)
    assert answers[0]["data"] == "now"


def test_q52_a_lost_run_is_released_at_its_time_by_a_wake(server: Server) -> None:
    server.post("/queues", {"name": "lost", "retries": 1})
    server.post("/queues/lost/items", {"data": 1})
    taken = server.post("/queues/lost/next", {"leaseSeconds": 5})
    item = eventually(lambda: released(server, taken["id"]))
    assert (item["status"], item["attempt"]) == ("new", 1)


def released(server: Server, item: str) -> Any:
    found = server.get(f"/items/{item}")
    return found if found["status"] == "new" and not found["claimOverdue"] else None


def test_the_log_tells_of_requests_without_query_and_body(server: Server) -> None:
    server.ask("GET", "/queues?name=secret-name", headers={"x-workledger-actor": "anna"})
    line = eventually(lambda: [x for x in server.said().splitlines() if x.endswith(" anna")])[0]
    assert " 200 GET /queues " in line
    assert "secret" not in server.said()


# --- who may come in ---
def test_the_hello_says_where_and_who_one_is(server: Server) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    assert "local" in server.hello
    assert "developer" in server.hello


def test_q73_the_role_of_requests_without_a_token_is_that_of_as(tmp_path: Path) -> None:
    with serving(tmp_path, "--as", "viewer") as server:
        assert server.get("/queues")["items"] == []
        assert server.ask("POST", "/queues", json={"name": "x"}).status_code == 403


def test_tokens_are_checked_by_the_deployed_authorizer(tmp_path: Path) -> None:
    with serving(tmp_path, "--require-tokens") as server:
        assert server.ask("GET", "/queues").status_code == 401
        good = {"authorization": f"Bearer {token(server.store, 'developer')}"}
        made = server.ask("POST", "/queues", json={"name": "x"}, headers=good)
        assert made.json()["createdBy"] == "anna"
        assert (
            server.ask("GET", "/queues", headers={"authorization": "Bearer wl_x"}).status_code
            == 403
        )


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_any_other_address_needs_a_token_first(host: str, tmp_path: Path) -> None:
    code, said = failing(tmp_path, "--host", host)
    assert code == 1
    assert "token create" in said


def test_any_other_address_is_for_tokens_only(tmp_path: Path) -> None:
    given = token(f"sqlite:{tmp_path / 'workledger.db'}")
    with serving(tmp_path, "--host", "0.0.0.0") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        assert "tokens only" in server.hello
        assert httpx.get(f"{url}/queues").status_code == 401
        with_token = httpx.get(f"{url}/queues", headers={"authorization": f"Bearer {given}"})
        assert with_token.status_code == 200


# --- what goes wrong at the start ---
def test_a_port_in_use_is_said_so(server: Server, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    code, said = failing(tmp_path, "--port", port)
    assert code == 1
    assert f"port {port}: Address already in use" in said
    assert not (tmp_path / "workledger.db").exists()


def test_a_file_that_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "workledger.db").write_text("a letter to my mother, which is no database" * 100)
    code, said = failing(tmp_path)
    assert code == 1
    assert "is not a Workledger database" in said


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "workledger.db")
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    other.close()
    code, said = failing(tmp_path)
    assert code == 1
    assert "is not a Workledger database" in said


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    code, said = failing(tmp_path, store=f"sqlite:{tmp_path}/no/such/workledger.db")
    assert code == 1
    assert "cannot open" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--as", "king"], "a role is one of"),
        (["--endpoint-url", "http://127.0.0.1:1"], "--endpoint-url goes with --store dynamodb"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1"),
    ],
)
def test_options_that_do_not_fit_are_said_so(
    options: list[str], message: str, tmp_path: Path
) -> None:
    code, said = failing(tmp_path, *options)
    assert code == 1
    assert message in said


def test_an_unknown_store_is_said_so(tmp_path: Path) -> None:
    code, said = failing(tmp_path, store="postgres")
    assert code == 1
    assert "sqlite:PATH" in said


# --- the end ---
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_cleanly(number: int, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.post("/queues", {"name": "x"})
        assert server.stop(number) == 0
        assert "Traceback" not in server.said()
    with serving(tmp_path) as server:
        assert [queue["name"] for queue in server.get("/queues")["items"]] == ["x"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_has_just_begun_ends_cleanly_too(number: int, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.stop(number) == 0
        assert "Traceback" not in server.said()


def test_ctrl_c_wakes_who_waits(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.post("/queues", {"name": "x"})
        answers: list[httpx.Response] = []
        asked = {"waitSeconds": 20}
        waiting = threading.Thread(
            target=lambda: answers.append(server.ask("POST", "/queues/x/next", json=asked))
        )
        waiting.start()
        eventually(lambda: server.get("/runs?status=active")["items"])
        assert server.stop(signal.SIGINT) == 0
        waiting.join(DEADLINE)
        assert [answer.status_code for answer in answers] == [503]


def test_moto_serves_with_streams_and_wakes(tmp_path: Path) -> None:
    with serving(tmp_path, store="moto") as server:
        server.post("/queues", {"name": "x"})
        server.post("/queues/x/items", [{"data": 1}, {"data": 2}])
        taken = eventually(lambda: found(server.post("/queues/x/next")))
        server.post(f"/items/{taken['id']}/complete", {"claim": taken["claim"]})
        eventually(lambda: len(server.get("/feed?limit=1000")["items"]) >= 4)
        assert server.stop() == 0
        assert "Traceback" not in server.said()


def found(answer: Any) -> Any:
    return answer if answer["found"] else None
