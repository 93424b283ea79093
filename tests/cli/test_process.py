"""`workledger process` at a real server (M6, M13, M60)."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, invoke
from tests.client.running import fresh_name

CSV = "name,amount\nr1,50\nr2,200\n"


@pytest.fixture
def task(cli: Run) -> str:
    name = fresh_name("task")
    assert cli("task", "create", name).code == 0
    return name


def definition(task: str) -> str:
    big = {"field": "amount", "op": "gt", "value": 100, "step": "check"}
    steps = [
        {"name": "check", "kind": "manual", "task": task, "next": "wait"},
        {"name": "wait", "kind": "timed", "seconds": 0, "next": "paid"},
        {"name": "paid", "kind": "end"},
    ]
    return json.dumps({"start": {"rules": [big], "else": "wait"}, "steps": steps})


def test_m13_records_travel(cli: Run, task: str) -> None:
    """M13: where each is, and what the steps' results made of it."""
    name = fresh_name("process")
    shown = cli("process", "create", name, definition(task))
    assert "start       -> check if amount gt 100, else wait" in shown.lines
    assert f"step check  manual task {task} -> wait" in shown.lines
    loaded = cli("process", "load", name, "--key", "day-1", "--json", stdin=CSV)
    load = json.loads(loaded.out)["id"]
    assert cli("process", "loads", name).lines[0].split("\t")[0] == load
    assert "records     2" in cli("process", "loads", load).out
    (row,) = (one.split("\t") for one in cli("process", "records", name, "--step", "check").lines)
    assert row[1:4] == ["2", "moving", "check"]
    taken = cli("task", "next", task, "--json")
    assert cli("task", "submit", "-a", '{"verdict": "pay"}', stdin=taken.out).code == 0
    assert "finished" in cli("process", "record", row[0]).out
    assert cli("process", "history", row[0]).code == 0
    heading = cli("process", "results", name, "--load", load, "--csv").lines[0].split(",")
    assert heading[:4] == ["name", "amount", "verdict", "_sys_record_order"]
    assert {one.split("\t")[2] for one in cli("process", "results", name).lines} == {"finished"}


def test_m60_results_of_pages_with_different_columns_are_one_table(cli: Run, task: str) -> None:
    """M60: a record that has not answered yet lacks the answer's columns."""
    name = fresh_name("process")
    cli("process", "create", name, definition(task))
    cli("process", "load", name, stdin="name,amount\nr1,50\nr2,200\nr3,60\n")
    cli("task", "submit", "-a", '{"verdict": "pay"}', stdin=cli("task", "next", task, "--json").out)
    table = cli("process", "results", name, "--csv", "--all", "--limit", "1").lines
    assert table[0].split(",")[:4] == ["name", "amount", "verdict", "_sys_record_order"]
    assert [one.split(",")[:3] for one in table[1:]] == [
        ["r1", "50", ""],
        ["r2", "200", "pay"],
        ["r3", "60", ""],
    ]


def test_m13_what_show_printed_can_be_changed_and_sent(cli: Run, task: str, tmp_path: Path) -> None:
    """M13: as a file, or on standard input; with the version that it was."""
    name = fresh_name("process")
    (tmp_path / "process.json").write_text(definition(task))
    assert cli("process", "create", name, "--file", str(tmp_path / "process.json")).code == 0
    printed = json.loads(cli("process", "show", name, "--json").out)
    printed["start"] = "check"
    edited = cli("process", "edit", name, "--version", "1", stdin=json.dumps(printed))
    assert "start       -> check" in edited.lines
    assert (
        "version_mismatch"
        in cli("process", "edit", name, '{"start": "check"}', "--version", "1").err
    )
    bad = cli("process", "edit", name, '{"start": "nowhere"}')
    assert (bad.code, "invalid_value" in bad.err) == (1, True)
    assert name in [one.split("\t")[0] for one in cli("process", "list", "--all").lines]


@pytest.mark.parametrize(
    "arguments",
    [
        ["create", "x", "{}"],
        ["create", "x", "[]"],
        ["create", "x", '{"start": "a", "steps": {}}'],
        ["create", "x", '{"start": "a", "steps": [], "stepz": []}'],
        ["create", "x", "{}", "--file", "f"],
        ["create", "x", "--file", "/no/such/file"],
        ["edit", "x", "{}"],
    ],
)
def test_m13_a_definition_that_is_none_is_2(arguments: list[str]) -> None:
    """M13: said before anything is asked of a server."""
    assert invoke("--url", "http://127.0.0.1:9", "process", *arguments).code == 2
