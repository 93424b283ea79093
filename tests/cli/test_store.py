"""Commands that work on the store itself: rebuild, token (Q94)."""

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import invoke
from tests.client.running import running
from workledger.client import Client, Forbidden, Unauthenticated


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store in which something has happened, whose server has been stopped."""
    with running(tmp_path) as server, server.client() as client:
        client.queues.create("Q", retries=1)
        client.queue("Q").add([1, 2])
        client.worker("Q").run(lambda item: item.data)
    return server.store


def test_q94_rebuild_and_check(store: str) -> None:
    """Q94: live rows equal rebuilt ones; rebuilding changes nothing."""
    assert invoke("rebuild", "--check", "--store", store).code == 0
    assert "rows made of the ledger" in invoke("rebuild", "--yes", "--store", store).out
    assert invoke("rebuild", "--check", "--store", store).code == 0


def test_q94_a_difference_is_1_and_named(store: str) -> None:
    """Q94: one corrupted row: exit 1 and its key."""
    where = "WHERE stream LIKE 'item/%' AND rank IS NOT NULL"
    with sqlite3.connect(store.removeprefix("sqlite:")) as file:
        (key,) = file.execute(f"SELECT min(stream || ' ' || thing) FROM views {where}").fetchone()
        file.execute(
            f"UPDATE views SET rank = rank - 1 {where} AND stream || ' ' || thing = ?", [key]
        )
    done = invoke("rebuild", "--check", "--store", store)
    assert done.code == 1
    assert done.lines == [key]


def test_q70_a_file_has_nothing_to_recount(store: str) -> None:
    """Q70: its lines are counted exactly."""
    done = invoke("recount", "--store", store)
    assert (done.code, done.out) == (0, "")
    assert "nothing to recount" in done.err


@pytest.mark.parametrize("spec", ["sqlite:/no/such/file.db", "moto", "mysql:x"])
def test_a_store_that_is_none_is_wrong_usage(spec: str) -> None:
    """Nothing is made by looking."""
    assert invoke("rebuild", "--check", "--store", spec).code == 2
    assert not Path("/no/such/file.db").exists()


def test_tokens_open_the_door_until_they_are_revoked(tmp_path: Path) -> None:
    """Made at the store, shown once; the owner is the actor."""
    spec = f"sqlite:{tmp_path / 'workledger.db'}"
    made = invoke("token", "create", "ann", "--role", "developer", "--store", spec, "--days", "1")
    token = made.out.strip()
    assert token.startswith("wl_")
    public = token.split("_")[1]
    assert token not in made.err
    with running(tmp_path, "--require-tokens") as server:
        with server.client(token=token) as client:
            assert client.queues.create("Q").created_by == "ann"
        with server.client() as client, pytest.raises(Unauthenticated):
            client.queues.create("R")
        (listed,) = invoke("token", "list", "--store", spec).lines
        assert listed.split("\t")[:3] == [public, "ann", "developer"]
        assert invoke("token", "revoke", token, "--store", spec).code == 0
        with Client(server.url, token) as client, pytest.raises((Unauthenticated, Forbidden)):
            client.queue("Q").count()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["create", "ann", "--role", "king"], 1),
        (["create", " ", "--role", "viewer"], 1),
        (
            [
                "create",
                "ann",
                "--role",
                "viewer",
                "--days",
                "1",
                "--expires",
                "2099-01-01T00:00:00Z",
            ],
            2,
        ),
        (["create", "ann"], 2),
        (["revoke", "nope"], 1),
    ],
    ids=str,
)
def test_what_is_no_token_is_refused(tmp_path: Path, arguments: list[str], code: int) -> None:
    """With a message, not a trace."""
    spec = f"sqlite:{tmp_path / 'w.db'}"
    invoke("token", "create", "root", "--role", "admin", "--store", spec)
    assert invoke("token", *arguments, "--store", spec).code == code
