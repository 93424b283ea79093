"""`workledger task load`: files, records, what is wrong in them (M8, M50 to M55)."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, invoke, scripted
from tests.cli.test_terminal import at_terminal
from tests.client.manual import LOAD, LOAD_ID, PROBLEM
from tests.client.running import Running, fresh_name
from tests.client.scripted import problem, reply

BAD = "name,record_date\nr1,2020-03-11\nr2,11/03/2020\nr3,N/A\n"


@pytest.fixture
def task(cli: Run) -> str:
    name = fresh_name("task")
    assert cli("task", "create", name).code == 0
    return name


def test_m54_a_bad_file_is_a_table_of_problems_and_1(cli: Run, task: str) -> None:
    """M54: record, line, column, value, code, hint; nothing is created."""
    done = cli("task", "load", task, stdin=BAD)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: invalid_records: nothing was loaded: 2 problems")
    heading, first, second = (line.split("\t") for line in done.err.splitlines() if "\t" in line)
    assert heading == ["RECORD", "LINE", "COLUMN", "VALUE", "CODE", "HINT"]
    assert first[:4] == ["2", "3", "record_date", "11/03/2020"]
    assert second[:4] == ["3", "4", "record_date", "N/A"]
    assert cli("task", "hits", task).out == ""


def test_m54_more_problems_than_are_listed_are_counted() -> None:
    """M54: an answer lists up to 100."""
    run, _ = scripted(problem(422, "invalid_records", problems=[PROBLEM] * 100, total=157))
    done = run("process", "load", "Claims", stdin=BAD)
    assert (done.code, done.err.splitlines()[-1]) == (1, "and 57 more")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.csv", "name\nr1\nr2\n"),
        ("a.json", '[{"name": "r1"}, {"name": "r2"}]'),
        ("b.json", '{"records": [{"name": "r1"}, {"name": "r2"}]}'),
        ("c.json", '{"csv": "name\\nr1\\nr2\\n"}'),
        ("a.ndjson", '{"name": "r1"}\n\n{"name": "r2"}\n'),
    ],
)
def test_m50_files_of_every_kind(cli: Run, task: str, tmp_path: Path, name: str, body: str) -> None:
    """M50: by their names; from standard input by their beginning."""
    (tmp_path / name).write_text(body)
    assert "2 records loaded" in cli("task", "load", task, str(tmp_path / name)).out
    if not name.endswith("ndjson"):
        assert "2 records loaded" in cli("task", "load", task, "-", stdin=body).out
    assert (
        "2 records"
        in cli("task", "load", task, "--format", "ndjson", stdin='{"a":1}\n{"a":2}\n').out
    )


def test_m50_json_goes_digit_for_digit() -> None:
    """M50: as it was written."""
    run, script = scripted(reply(LOAD, 201), reply(LOAD, 201))
    run("task", "load", "x", stdin='[{"a": 1.50}]')
    run("task", "load", "x", "--hits", stdin='{"data": {"a": 1.50}}')
    assert [one.content for one in script.requests] == [
        b'{"records":[{"a": 1.50}]}',
        b'[{"data": {"a": 1.50}}]',
    ]


def test_m51_a_delimiter_is_told() -> None:
    """M51: else it is found."""
    run, script = scripted(*[reply(LOAD, 201)] * 3)
    for word in ("tab", "semicolon", ","):
        run("task", "load", "x", "--delimiter", word, stdin="a\n1\n")
    assert [one.url.params["delimiter"] for one in script.requests] == ["\t", ";", ","]
    assert run("task", "load", "x", "--delimiter", "|", stdin="a\n1\n").code == 2


def test_m8_hits_with_custom_attributes(cli: Run, task: str) -> None:
    """M8: created directly."""
    order = {"hitOrder": 7, "hitOrderDate": "2020-03-11T10:15:55.935"}
    hits = [{"data": {"name": "r7"}, "customAttributes": order}, {"data": {"name": "r2"}}]
    done = cli("task", "load", task, "--hits", stdin=json.dumps(hits))
    assert "2 records loaded" in done.out
    assert cli("task", "list", task).lines[0].split("\t")[1:3] == [order["hitOrderDate"], "7"]
    assert cli("task", "load", task, "--hits", stdin='{"data": 1}').code == 1


def test_m55_the_same_key_is_the_same_load(cli: Run, task: str) -> None:
    """M55: the command can be given again."""
    first = cli("task", "load", task, "--key", "day-1", "--json", stdin="name\nr1\n")
    again = cli("task", "load", task, "--key", "day-1", "--json", stdin="name\nr1\n")
    assert json.loads(first.out)["id"] == json.loads(again.out)["id"]
    assert len(cli("task", "loads", task).lines) == 1
    other = cli("task", "load", task, "--key", "day-1", stdin="name\nr2\n")
    assert (other.code, "key_reused" in other.err) == (1, True)
    assert "undated     1" in cli("task", "loads", json.loads(first.out)["id"]).out


def test_m54_a_load_that_goes_on_is_waited_for_or_told() -> None:
    """M54: --no-wait says where to look."""
    going = LOAD | {"state": "loading", "created": 100}
    run, _ = scripted(reply(going, 202), reply(LOAD), reply(going, 202))
    assert "300 records loaded" in run("task", "load", "x", stdin="a\n1\n").out
    told = run("task", "load", "x", "--no-wait", stdin="a\n1\n").out
    assert told == f"{LOAD_ID} goes on: 100 of 300 records so far\n"


def test_m50_a_file_that_is_not_there_is_2() -> None:
    """M50: the command line is wrong."""
    assert invoke("--url", "http://127.0.0.1:9", "task", "load", "x", "/no/such.csv").code == 2


def test_m54_at_a_terminal_the_problems_are_a_table(
    server: Running, task: str, tmp_path: Path
) -> None:
    """M54: with headings, a line each, nothing cut; a value cannot move the cursor."""
    file = tmp_path / "bad.csv"
    file.write_text("name,record_date\nr1,\x1b[2J11/03/2020\n")
    seen = at_terminal(server, "task", "load", task, str(file), code=1)
    assert "RECORD" in seen
    assert "\t" not in seen
    assert "\x1b[2J" not in seen
    assert "record_date" in seen
