"""The commands at a real server (Q102)."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.client.running import fresh_name

SAMPLE = [
    {"data": {"invoiceNo": "A-17", "total": 120}, "reference": "A-17"},
    {"data": {"invoiceNo": "A-18", "total": 80}, "reference": "A-18", "priority": 5},
]


def test_q102_the_documented_verbs(cli: Run, queue: str, tmp_path: Path) -> None:
    """Q102, Q86: add, next, complete, fail, count."""
    assert cli("add", queue, stdin=json.dumps(SAMPLE)).out == "added 2, skipped 0\n"
    assert cli("add", queue, stdin=json.dumps(SAMPLE)).out == "added 0, skipped 2\n"
    taken = cli("next", queue, "--json")
    assert json.loads(taken.out)["reference"] == "A-18"
    file = tmp_path / "taken.json"
    file.write_text(taken.out)
    assert "completed (attempt 1)" in cli("complete", str(file), "--result", '{"t": 1.50}').out
    taken = cli("next", queue, "--json")
    assert "back in the queue" in cli("fail", "--reason", "later", stdin=taken.out).out
    taken = cli("next", queue, "--json")
    assert "failed (attempt 2)" in cli("fail", "-", "--final", stdin=taken.out).out
    assert cli("count", queue).out == "2\n"
    assert cli("count", queue, "--status", "in-progress").out == "0\n"
    assert cli("next", queue).code == 3


def test_q102_next_tells_why_there_is_nothing(cli: Run, queue: str) -> None:
    """Q102, Q22: exit code 3, also down a pipe."""
    done = cli("next", queue)
    assert (done.code, done.err) == (3, "nothing to take: empty\n")
    printed = cli("next", queue, "--json")
    assert (printed.code, json.loads(printed.out)["found"]) == (3, False)
    assert cli("complete", stdin=printed.out).code == 3
    cli("add", queue, "1", "--not-before", "2099-01-01T00:00:00Z")
    assert "deferred until 2099-01-01T00:00:00.000Z" in cli("next", queue).err


def test_q102_what_a_script_put_into_it_counts(cli: Run, queue: str) -> None:
    """Q102: a result, or reason, retry, notBefore, set in the JSON that `next` printed."""
    cli("add", queue, "[1, 2]")
    taken = json.loads(cli("next", queue, "--json").out)
    text = json.dumps(taken)[:-1] + ', "result": {"t": 1.50}}'
    assert json.loads(cli("complete", "--json", stdin=text).out)["outcome"]["result"] == {"t": 1.5}
    assert '{"t": 1.50}' in cli("items", queue, "--status", "completed").out
    taken = json.loads(cli("next", queue, "--json").out) | {"reason": "no", "retry": False}
    assert json.loads(cli("fail", "--json", stdin=json.dumps(taken)).out)["status"] == "failed"


def test_q27_several_are_closed_together(cli: Run, queue: str) -> None:
    """Q27: what --max-items printed is taken too."""
    cli("add", queue, "[1, 2, 3]")
    taken = cli("next", queue, "--max-items", "3", "--json")
    assert len(cli("complete", stdin=taken.out).lines) == 3
    assert cli("count", queue, "--status", "completed").out == "3\n"


@pytest.mark.parametrize("text", ["1", "[]", '{"id": "i_1"}', "nonsense", "[" * 100_000])
def test_q102_anything_else_is_wrong_usage(cli: Run, text: str) -> None:
    """Q102: nothing is sent."""
    assert cli("complete", stdin=text).code == 2


def test_q1_q4_q8_queues(cli: Run) -> None:
    """Q1, Q4, Q5, Q8: a queue's life."""
    name = fresh_name("of the cli")
    created = json.loads(cli("queue", "create", name, "--description", "x", "--json").out)
    assert json.loads(cli("queue", "show", name, "--json").out)["id"] == created["id"]
    cli("queue", "edit", name, "--retries", "7", "--retry-delay", "60")
    assert cli("queue", "edit", name, "--retries", "8", "--version", "1").code == 1
    assert "paused          yes" in cli("queue", "pause", name).out
    assert "paused          no" in cli("queue", "resume", name).out
    listed = [line.split("\t") for line in cli("queue", "list", "--all").lines]
    assert [row[5] for row in listed if row[0] == name] == ["7"]
    assert cli("queue", "delete", name, stdin="n\n").code == 1
    assert cli("queue", "show", name).code == 0
    deleted = cli("queue", "delete", name, "--yes")
    assert created["id"] in deleted.err
    assert cli("queue", "show", name).code == 1


def test_q80_ways_to_add(cli: Run, queue: str, tmp_path: Path) -> None:
    """Q80: an argument, a file, standard input; JSON, lines; one with options."""
    assert cli("add", queue, '{"a": 1}').out.startswith("added i_")
    cli("add", queue, "[1, 2]", "--reference", "R", "--priority", "9")
    assert "exists as i_" in cli("add", queue, "3", "--reference", "R").out
    file = tmp_path / "more.NDJSON"
    file.write_text('{"reference": "L-1", "data": 1.50}\n\n"two"\n')
    assert cli("add", queue, "--file", str(file)).out == "added 2, skipped 0\n"
    assert cli("add", queue, "--ndjson", "--json", stdin="5\n").out.startswith('{"added":1')
    rows = [line.split("\t") for line in cli("items", queue).lines]
    assert [row[-1] for row in rows] == ['{"a": 1}', "[1, 2]", "1.50", '"two"', "5"]
    assert rows[0][1] == "#1"
    assert rows[1][1] == "R"
    taken = json.loads(cli("next", queue, "--json").out)
    assert (taken["data"], taken["priority"]) == ([1, 2], 9)


def test_q84_a_large_file_under_a_key(cli: Run, queue: str, tmp_path: Path) -> None:
    """Q84: 7,000 lines are two requests; again under the same key: nothing twice."""
    file = tmp_path / "large.jsonl"
    file.write_text("".join(f'{{"n": {number}}}\n' for number in range(7_000)))
    first = cli("add", queue, "--file", str(file), "--key", "k", "--json")
    assert len(first.lines) == 2
    assert cli("add", queue, "--file", str(file), "--key", "k", "--json").out == first.out
    assert cli("count", queue).out == "7000\n"


def test_q71_q75_lists(cli: Run, queue: str) -> None:
    """Q71, Q75: pages, all of them, JSON exactly, CSV with one heading."""
    cli(
        "add",
        queue,
        json.dumps([{"data": number, "reference": f"r{number}"} for number in range(5)]),
    )
    first = cli("items", queue, "--limit", "2")
    assert len(first.lines) == 2
    assert "There is more: --cursor " in first.err
    cursor = first.err.split()[4]
    assert [
        line.split("\t")[1]
        for line in cli("items", queue, "--limit", "2", "--cursor", cursor).lines
    ] == ["r2", "r3"]
    pages = [
        json.loads(line) for line in cli("items", queue, "--limit", "2", "--all", "--json").lines
    ]
    assert [len(page["items"]) for page in pages] == [2, 2, 1]
    table = cli("items", queue, "--limit", "2", "--all", "--csv").lines
    assert len(table) == 6
    assert table[0].startswith("id,number,reference,")
    assert len(cli("items", queue, "--reference", "r4").lines) == 1
    assert cli("items", queue, "--status", "failed").out == ""


def test_q16_q72_managing(cli: Run, queue: str) -> None:
    """Q16, Q72: change, requeue, delete, restore: by id and by filter."""
    cli("add", queue, "[1, 2, 3]")
    ids = [line.split("\t")[0] for line in cli("items", queue).lines]
    assert (
        "2099-01-01"
        in cli("change", ids[0], "--due", "2099-01-01T00:00:00Z", "--priority", "3").out
    )
    assert json.loads(cli("change", ids[0], "--due", "none", "--json").out)["due"] is None
    for _ in ids:
        cli("fail", "--final", "--reason", "time-out", stdin=cli("next", queue, "--json").out)
    assert cli("requeue", ids[0]).out == f"{ids[0]} back in the queue\n"
    assert cli("requeue", ids[0]).code == 1
    assert (
        cli("requeue", "--queue", queue, "--reason", "time", "--dry-run").out
        == "2 match; nothing was done\n"
    )
    assert (
        cli("requeue", "--queue", queue, "--reason", "other", "--json").out
        == '{"matched":0,"done":0,"skipped":0,"ids":[]}\n'
    )
    assert cli("requeue", "--queue", queue).out == "2 put back, 0 skipped\n"
    assert cli("delete", ids[0]).err == f"{ids[0]} deleted\n"
    assert cli("show", ids[0]).code == 1
    assert "status      new" in cli("restore", ids[0]).out
    asked = cli("delete", "--queue", queue, "--status", "new", stdin="n\n")
    assert asked.code == 1
    assert "Delete 3 items" in asked.out + asked.err
    assert (
        cli("delete", "--queue", queue, "--status", "new", "--yes").out == "3 deleted, 0 skipped\n"
    )


def test_q90_q91_why_and_what(cli: Run, queue: str) -> None:
    """Q90, Q91, Q92: explain, history, as of."""
    cli("add", queue, "[1, 2]")
    item = cli("items", queue).lines[1].split("\t")[0]
    assert cli("explain", item).out.startswith("place 2 of 2")
    assert json.loads(cli("explain", item, "--json").out)["place"] == 2
    history = cli("history", item).lines
    assert [line.split("\t")[1] for line in history] == ["ItemAdded"]
    assert cli("history", queue).lines[0].split("\t")[1] == "QueueCreated"
    shown = json.loads(cli("show", item, "--json").out)
    assert (
        json.loads(cli("show", item, "--as-of", "2099-01-01T00:00:00Z", "--json").out)["id"]
        == shown["id"]
    )
    assert cli("show", item, "--as-of", "2000-01-01T00:00:00Z").code == 1


def test_q6_audit(cli: Run, queue: str) -> None:
    """Q6: who, when, before and after; this server's local role is admin."""
    cli("queue", "edit", queue, "--retries", "5")
    newest = cli("audit", "--limit", "1")
    assert newest.out.rstrip().endswith("retries 2 -> 5")
    assert newest.out.split("\t")[3] == queue


def test_q50_runs(cli: Run, queue: str) -> None:
    """Q50, Q53: start, use, look at, end."""
    cli("add", queue, "1")
    run = cli("runs", "start", "--name", "nightly", "--lease", "60").out.strip()
    assert json.loads(cli("next", queue, "--run", run, "--json").out)["run"] == run
    assert "holding      1" in cli("runs", "show", run).out
    assert cli("runs", "heartbeat", run).code == 0
    assert run in cli("runs", "list", "--status", "active", "--all").out
    assert "enough" in cli("runs", "end", run, "--reason", "enough").out
    assert cli("count", queue, "--status", "new").out == "1\n"
    assert cli("next", queue, "--run", run).code == 1


def test_q93_tail_goes_on_from_its_file(cli: Run, queue: str, tmp_path: Path) -> None:
    """Q93: nothing twice, nothing left out, when the position is kept."""
    state = tmp_path / "position"
    created = ("QueueCreated", queue)
    seen: list[tuple[str, int, int]] = []
    names: list[tuple[str, str | None]] = []
    # The feed comes a moment later: other tests' queues may well be told before this one.
    while created not in names:
        got = cli("tail", "--json", "--state", str(state))
        events = [json.loads(line) for line in got.lines]
        seen += [(one["stream"], one["commit"], one["index"]) for one in events]
        names += [(one["type"], one["data"].get("name")) for one in events]
    assert len(set(seen)) == len(seen)
    assert state.read_text().strip()
    assert f"name {queue}" not in cli("tail", "--after", state.read_text().strip()).out
    assert "--after" in cli("tail").err
