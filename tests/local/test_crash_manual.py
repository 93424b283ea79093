"""kill -9 of the server in the middle of a load of records: all of them or none, each once."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.local.serving import Server, eventually, serving

RECORDS = 10_000
LOADS = "/manual-tasks/check/loads"
CSV = "name\n" + "".join(f"r{number}\n" for number in range(1, RECORDS + 1))


def load(server: Server) -> httpx.Response:
    """Send the file, always under the same key."""
    headers = {"idempotency-key": "monday", "content-type": "text/csv"}
    return server.ask("POST", LOADS, content=CSV, headers=headers)


def loads(server: Server) -> list[dict[str, Any]]:
    """The loads as they are."""
    return server.get(LOADS)["items"]


def names(server: Server) -> list[str]:
    """What all records are called."""
    found: list[str] = []
    path = cursor = "/manual-tasks/check/hits?limit=100"
    while cursor:
        page = server.get(path)
        found += [one["data"]["name"] for one in page["items"]]
        cursor = page["nextCursor"]
        path = f"/manual-tasks/check/hits?limit=100&cursor={cursor}"
    return found


def test_m54_kill_9_in_a_load_leaves_nothing_to_be_seen_and_its_repeat_is_all(
    tmp_path: Path,
) -> None:
    """(M54, M55) Nobody sees a part; the same key goes on, twice is once."""
    answers: list[httpx.Response] = []

    def send() -> None:
        with suppress(httpx.TransportError):
            answers.append(load(server))

    with serving(tmp_path) as server:
        server.post("/manual-tasks", {"name": "check"})
        sending = threading.Thread(target=send)
        sending.start()
        eventually(lambda: any(one["created"] for one in loads(server)))
        server.process.kill()
        sending.join()
    assert answers == []
    with serving(tmp_path) as server:
        (half,) = loads(server)
        assert half["state"] == "loading"
        assert 0 < half["created"] < RECORDS
        assert server.get("/manual-tasks/check/list")["items"] == []
        assert names(server) == []
        again = [load(server) for _ in range(2)]
        assert [one.status_code for one in again] == [201, 201]
        assert {one.json()["id"] for one in again} == {half["id"]}
        found = names(server)
        assert (len(found), len(set(found))) == (RECORDS, RECORDS)
        assert server.stop() == 0
        assert "Traceback" not in server.said()
