"""Manual tasks over `serve`: real HTTP, the deployed routes, tokens of the new roles (M60)."""

from pathlib import Path
from typing import Any

import pytest

from tests.local.serving import Server, serving
from workledger import bootstrap
from workledger.service import tokens

FILE = "name;record_date\r\nM\u00fcller;2020-03-11T10:15:55.935\r\nr2;2020-03-10\r\n"
CSV = {"content-type": "text/csv"}


def bearer(server: Server, role: str) -> dict[str, str]:
    """The headers of somebody with a token of this role."""
    opened: Any = bootstrap.open_store(server.store)
    text, _ = tokens.issue(bootstrap.build(opened).core, "local", role, role)
    opened.close()
    return {"authorization": f"Bearer {text}"}


def test_m60_each_role_does_its_part(tmp_path: Path) -> None:
    """M60: a requester loads a file, a worker works it, an adjudicator looks; nobody does more."""
    with serving(tmp_path, "--require-tokens") as server:
        rita, wim, judy = (bearer(server, one) for one in ("requester", "worker", "adjudicator"))
        made = server.ask("POST", "/manual-tasks", json={"name": "Checks"}, headers=rita)
        assert made.status_code == 201, made.text
        loads = "/manual-tasks/Checks/loads"
        loaded = server.ask("POST", loads, content=FILE.encode(), headers={**rita, **CSV})
        assert (loaded.status_code, loaded.json()["state"]) == (201, "complete"), loaded.text
        listed = server.ask("GET", "/manual-tasks/Checks/list", headers=wim).json()["items"]
        assert [one["data"]["name"] for one in listed] == ["r2", "M\u00fcller"]
        taken = server.ask("POST", "/manual-tasks/Checks/next", json={}, headers=wim).json()
        submit = f"/assignments/{taken['id']}/submit"
        done = server.ask("POST", submit, json={"answer": {"ok": True}}, headers=wim)
        assert done.json()["status"] == "SUBMITTED"
        hits = "/manual-tasks/Checks/hits"
        shown = server.ask("GET", hits, headers=judy).json()["items"]
        assert shown[1]["decision"]["answer"] == {"ok": True}
        assert server.ask("GET", hits, headers=wim).status_code == 403
        assert server.ask("POST", loads, json={}, headers=wim).status_code == 403
        assert server.ask("GET", "/feed", headers=wim).status_code == 403
        assert server.ask("POST", submit, json={"answer": 1}, headers=rita).status_code == 403


def test_m51_a_file_in_another_encoding_is_refused_over_http_too(tmp_path: Path) -> None:
    """M51: the bytes reach the function as they were sent; the answer names row and column."""
    with serving(tmp_path, "--as", "requester") as server:
        server.post("/manual-tasks", {"name": "Checks"})
        body = FILE.encode("cp1252")
        refused = server.ask("POST", "/manual-tasks/Checks/loads", content=body, headers=CSV)
        assert refused.status_code == 422
        (problem,) = refused.json()["problems"]
        assert (problem["code"], problem["record"], problem["column"]) == ("encoding", 1, "name")


@pytest.mark.parametrize("fifo", ["true", "false"])
def test_m40_fifo_is_set_where_it_is_served(tmp_path: Path, fifo: str) -> None:
    """M40: `--set core.task.queue.fifo.enabled=false` is the order of creation, for all tasks."""
    with serving(tmp_path, "--set", f"core.task.queue.fifo.enabled={fifo}") as server:
        server.post("/manual-tasks", {"name": "Checks"})
        body = FILE.encode()
        server.ask("POST", "/manual-tasks/Checks/loads", content=body, headers=CSV)
        listed = server.get("/manual-tasks/Checks/list")["items"]
        names = [one["data"]["name"] for one in listed]
        assert names == (["r2", "M\u00fcller"] if fifo == "true" else ["M\u00fcller", "r2"])
        kind = server.get("/manual-tasks/Checks")["ordering"]["kind"]
        assert kind == ("fifo" if fifo == "true" else "legacy")
