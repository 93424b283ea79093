"""`workledger task` at a real server: settings, the work, what requesters do (M20 to M62)."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, invoke
from tests.client.manual import FIVE
from tests.client.running import Running, fresh_name


@pytest.fixture
def task(cli: Run) -> str:
    name = fresh_name("task")
    assert cli("task", "create", name, "--deadline", "600").code == 0
    return name


@pytest.fixture
def ann(server: Running) -> Run:
    return person(server)


@pytest.fixture
def bob(server: Running) -> Run:
    return person(server)


def person(server: Running) -> Run:
    """Somebody else at the same server."""
    who = ("--url", server.url, "--actor", fresh_name("w"))
    return lambda *arguments, stdin=b"": invoke(*who, "task", *arguments, stdin=stdin)


def names(run: Run, task: str) -> list[str]:
    return [one["data"]["name"] for one in json.loads(run("list", task, "--json").out)["items"]]


def test_m60_the_next_goes_down_a_pipe_to_submit(cli: Run, ann: Run, task: str) -> None:
    """M60: submit takes exactly what `next --json` printed."""
    assert "5 records loaded (5 without a date)" in cli("task", "load", task, stdin=FIVE).out
    taken = ann("next", task, "--json")
    done = ann("submit", "--answer", '{"verdict": "pay", "total": 1.50}', stdin=taken.out)
    assert (done.code, done.out) == (0, f"{json.loads(taken.out)['id']} submitted\n")
    assert ann("submit", "-a", '{"total": 1.5, "verdict": "pay"}', stdin=taken.out).code == 0
    refused = ann("submit", "-a", "2", stdin=taken.out)
    assert refused.code == 1
    assert "already_submitted" in refused.err
    assert '{"verdict": "pay", "total": 1.50}' in cli("task", "results", task).out


def test_m60_an_answer_is_json_a_file_standard_input_or_in_what_was_printed(
    cli: Run, ann: Run, task: str, tmp_path: Path
) -> None:
    """M60: whichever is at hand; a script may put it into what `next` printed."""
    cli("task", "load", task, stdin=FIVE)
    ids = [json.loads(ann("next", task, "--json").out)["id"] for _ in range(4)]
    (tmp_path / "answer.json").write_text('"of a file"')
    assert ann("submit", ids[0], "--answer", '"of an option"').code == 0
    assert ann("submit", ids[1], "--answer-file", str(tmp_path / "answer.json")).code == 0
    assert ann("submit", ids[2], stdin='"of standard input"').code == 0
    printed = json.dumps({"id": ids[3], "answer": "put into it"})
    (tmp_path / "taken.json").write_text(printed)
    assert ann("submit", str(tmp_path / "taken.json"), "--json").code == 0
    page = json.loads(cli("task", "results", task, "--json").out)
    answers = [one["answers"][0]["answer"] for one in page["items"] if one["answers"]]
    assert answers == ["of an option", "of a file", "of standard input", "put into it"]


def test_m33_nothing_to_take_is_3_also_down_a_pipe(ann: Run, task: str) -> None:
    """M33: and why."""
    done = ann("next", task)
    assert (done.code, done.err) == (3, "nothing to take: empty\n")
    printed = ann("next", task, "--json")
    assert (printed.code, json.loads(printed.out)["found"]) == (3, False)
    assert ann("submit", "-a", "1", stdin=printed.out).code == 3
    assert ann("skip", stdin=printed.out).code == 3


def test_m34_m35_skip_return_extend_active_sign_out(
    cli: Run, ann: Run, bob: Run, task: str
) -> None:
    """M34, M35: by the id, or by what was printed."""
    cli("task", "load", task, stdin=FIVE)
    first = json.loads(ann("next", task, "--json").out)["id"]
    assert first in ann("active").out
    assert f"{first} accepted until " in ann("extend", first).out
    assert ann("return", first).out == f"{first} returned\n"
    assert (names(ann, task), names(bob, task)[0]) == (["r2", "r3", "r4", "r5"], "r1")
    assert "skipped" in ann("skip", stdin=ann("next", task, "--json").out).out
    assert names(ann, task) == ["r3", "r4", "r5"]
    hit = bob("list", task).lines[-1].split("\t")[0]
    assert json.loads(bob("take", hit, "--json").out)["data"] == {"name": "r5"}
    ann("next", task)
    held = ann("active", "--json").out
    assert "accepted until" in ann("extend", stdin=held).out
    assert ann("sign-out").out == "1 assignment given up\n"
    assert ann("active").out == ""
    assert "not_yours" in ann("skip", bob("active").lines[0].split("\t")[0]).err


def test_m60_approve_reject_abandon(cli: Run, ann: Run, bob: Run, task: str) -> None:
    """M60, M25: by assignments' ids; the hit says what became of it."""
    cli("task", "load", task, stdin=FIVE)
    ids = [json.loads(ann("next", task, "--json").out)["id"] for _ in range(3)]
    for one in ids[:2]:
        ann("submit", one, "-a", '{"verdict": "pay"}')
    hit = f"h_{ids[0][2:].split('.')[0]}"
    assert cli("task", "approve", ids[0]).out == f"{ids[0]} approved: {hit} is done\n"
    assert "is waiting" in cli("task", "reject", ids[1], "--reason", "a typo").out
    assert "abandoned" in cli("task", "abandon", ids[2]).out
    assert "already_approved" in cli("task", "reject", ids[0], "--reason", "too late").err
    shown = cli("task", "hit", f"h_{ids[1][2:].split('.')[0]}").out
    assert "rejected" in shown
    assert "(a typo)" in shown
    assert "AnswerApproved" in cli("task", "history", hit, "--all").out
    assert names(bob, task) == ["r2", "r3", "r4", "r5"]
    (row,) = cli("task", "hits", task, "--status", "done").lines
    assert row.split("\t")[0] == hit
    assert row.split("\t")[7] == '{"verdict": "pay"}'


def test_m23_adjudicate(cli: Run, server: Running) -> None:
    """M23: a hit by its id, or as `hit --json` printed it."""
    task = fresh_name("task")
    cli("task", "create", task, "--adjudication", "2+1", "--compare", "verdict")
    cli("task", "load", task, stdin="name\nr1\nr2\n")
    for verdict in ("pay", "refuse", "ask"):
        someone = person(server)
        for _ in range(2):
            taken = someone("next", task, "--json").out
            someone("submit", "-a", json.dumps({"verdict": verdict}), stdin=taken)
    first, second = (row.split("\t")[0] for row in cli("task", "hits", task).lines)
    assert cli("task", "adjudicate", first, "-a", '{"verdict": "pay"}').out == f"{first} is done\n"
    printed = cli("task", "hit", second, "--json").out
    assert cli("task", "adjudicate", "--answer", '{"verdict": "ask"}', stdin=printed).code == 0
    assert "by adjudicator, " in cli("task", "hit", second).out
    assert "not_unresolved" in cli("task", "adjudicate", first, "-a", "1").err


def test_m43_m63_settings(cli: Run) -> None:
    """M40 to M43, M60, M63: set when it is created, changed, taken away."""
    name = fresh_name("task")
    options = ["--sort", "amount:number:desc:first", "--column", "amount", "--dtr"]
    more = ["--sla", "3600", "--schema", '{"type": "object"}', "--priority", "-5"]
    made = json.loads(cli("task", "create", name, *options, *more, "--json").out)
    assert made["comparator"] == [
        {"field": "amount", "type": "number", "direction": "desc", "missing": "first"}
    ]
    assert (made["dtr"], made["slaSeconds"], made["priority"]) == (True, 3600, -5)
    gone = ["--fifo", "--sort", "none", "--sla", "none", "--schema", "none"]
    changed = json.loads(cli("task", "edit", name, *gone, "--version", "1", "--json").out)
    assert [changed[one] for one in ("dtr", "comparator", "slaSeconds", "schema")] == [
        False,
        None,
        None,
        None,
    ]
    assert "version_mismatch" in cli("task", "edit", name, "--pause", "--version", "1").err
    shown = cli("task", "edit", name, "--pause", "--adjudication", "3+2", "--compare", "a").out
    assert "adjudication  3+2 by a" in shown.splitlines()
    row = next(one for one in cli("task", "list", "--all").lines if one.split("\t")[0] == name)
    assert row.split("\t")[7] == "paused"
    assert "archived      yes" in cli("task", "edit", name, "--archive", "--resume").out
    refused = cli("task", "edit", name, "--dtr")
    assert (refused.code, refused.err.split(":")[1]) == (1, " comparator_needed")


def test_m62_a_roster(cli: Run, ann: Run, task: str) -> None:
    """M62: shown, set, opened to every worker again."""
    shown = cli("task", "roster", task)
    assert (shown.out, shown.err) == ("", "every worker\n")
    assert cli("task", "roster", task, "eve", "dan").out.split() == ["eve", "dan"]
    assert "not_on_roster" in ann("next", task).err
    assert cli("task", "roster", task, "--everybody").code == 0
    assert ann("next", task).code == 3


def test_m44_any_work_by_priority(cli: Run, server: Running) -> None:
    """M44: `next` without a task."""
    name = fresh_name("task")
    cli("task", "create", name, "--priority", "20000")
    cli("task", "load", name, stdin="name\nr1\n")
    assert json.loads(person(server)("next", "--json").out)["taskName"] == name
    assert cli("task", "edit", name, "--archive").code == 0


def test_m60_results_as_a_table_over_all_pages(cli: Run, task: str) -> None:
    """M60: the heading once; it can be loaded again, in the same order."""
    cli("task", "load", task, stdin='name,"two\nlines"\nr1,1\nr2,"a\nb"\nr3,3\n')
    whole = cli("task", "results", task, "--csv")
    paged = cli("task", "results", task, "--csv", "--all", "--limit", "1")
    assert paged.out == whole.out
    assert whole.out.count("_sys_record_order") == 1
    first = cli("task", "results", task, "--csv", "--limit", "1")
    assert "There is more: --cursor" in first.err
    again = fresh_name("task")
    cli("task", "create", again)
    assert "3 with an order of their own" in cli("task", "load", again, stdin=whole.out).out


@pytest.mark.parametrize(
    "arguments",
    [
        ["edit", "x"],
        ["create", "x", "--adjudication", "two"],
        ["create", "x", "--compare", "a"],
        ["create", "x", "--sort", "a:asc:desc"],
        ["create", "x", "--sla", "soon"],
        ["create", "x", "--schema", "{"],
        ["create", "x", "--schema", "/no/such/file"],
        ["list", "--version", "1"],
        ["next", "--version", "1"],
        ["submit", "/no/such/file", "-a", "1"],
        ["submit", "a_" + "a" * 26 + ".2", "-a", "{"],
        ["submit", "a_" + "a" * 26 + ".2", "-a", "1", "--answer-file", "f"],
        ["submit", "-", "--answer-file", "-"],
        ["submit", "h_" + "a" * 26, "-a", "1"],
        ["hits", "x", "--status", "odd"],
        ["roster", "x", "ann", "--everybody"],
        ["approve"],
    ],
)
def test_m60_a_wrong_command_line_is_2(arguments: list[str]) -> None:
    """M60: before anything is asked of a server."""
    assert invoke("--url", "http://127.0.0.1:9", "task", *arguments).code == 2


@pytest.mark.parametrize("printed", ["", "[]", "{}", '{"id": "i_a.1"}', '{"items": [{}]}'])
def test_m60_what_next_did_not_print_is_2(printed: str) -> None:
    """M60: and said so."""
    done = invoke("--url", "http://127.0.0.1:9", "task", "submit", "-a", "1", stdin=printed)
    assert done.code == 2
    assert "not what --json prints" in done.err.replace("\n", " ")


def test_m60_nothing_is_submitted_before_every_answer_is_there(
    cli: Run, ann: Run, task: str
) -> None:
    """M60: of several that `active --json` printed, one without an answer is wrong usage."""
    cli("task", "load", task, stdin=FIVE)
    for _ in range(2):
        ann("next", task)
    page = json.loads(ann("active", "--json").out)
    page["items"][0]["answer"] = {"verdict": "pay"}
    assert ann("submit", stdin=json.dumps(page)).code == 2
    assert len(ann("active").lines) == 2
    page["items"][1]["answer"] = {"verdict": "refuse"}
    assert ann("submit", stdin=json.dumps(page)).code == 0
    assert ann("active").out == ""
