"""The documents tell the truth: commands run, links lead somewhere, rules have tests.

A block of `sh` in README.md is run as it stands, on a server of its own; a block of `text` after it
must be found in its output, in order, where … stands for anything.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main

from tools import rules
from workledger.cli.main import app

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

NOT_RUN_HERE = {
    "make demo": "tests/test_demo.py runs it",
    "make test": "this is part of it",
    "make template": "part of `make check`",
    ".venv-sam/bin/sam deploy --guided": "needs an AWS account",
}

READING_LINES = 400
READING_FILES = 5

SERVE = "workledger serve"
MARK = "--- block"


@dataclass(frozen=True)
class Block:
    """A fenced block, and the text that must be found in its output."""

    language: str
    text: str
    shown: str = ""

    @property
    def commands(self) -> list[str]:
        """Its commands, continued lines joined."""
        return self.text.replace("\\\n", "").strip().splitlines()


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document that have a language."""
    found: list[Block] = []
    for language, text in re.findall(
        r"^```(\w+)\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL
    ):
        if language == "text" and found:
            found[-1] = Block(found[-1].language, found[-1].text, text)
        else:
            found.append(Block(language, text))
    return found


def tour() -> list[Block]:
    """The blocks that are run, besides those whose commands are run elsewhere."""
    shell = [block for block in blocks(README) if block.language == "sh"]
    return [one for one in shell if not any(known in one.text for known in (*NOT_RUN_HERE, SERVE))]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like a checkout in which `make setup` was called."""
    made = tmp_path_factory.mktemp("checkout")
    for name in (".venv", "samples"):
        (made / name).symlink_to(ROOT / name)
    return made


def environment(port: int) -> dict[str, str]:
    """That of a newcomer, but for the port."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WORKLEDGER", "PYTHON"))}
    return {**kept, "WORKLEDGER_URL": f"http://127.0.0.1:{port}"}


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    """The server that the README starts, on a port that is free."""
    (block,) = [one for one in blocks(README) if SERVE in one.text]
    found = free_port()
    script = block.text.replace(SERVE, f"exec {SERVE} --port {found}")
    said = (folder / "serve.log").open("wb")
    serving = subprocess.Popen(
        ["bash", "-c", script], cwd=folder, env=environment(found), stdout=said, stderr=said
    )
    until = time.monotonic() + 60
    while not listens(found):
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"ended with {serving.wait(0.05)}: {(folder / 'serve.log').read_text()}")
        assert time.monotonic() < until
    yield found
    serving.send_signal(signal.SIGINT)
    assert serving.wait(30) in {0, 130}, (folder / "serve.log").read_text()
    assert (folder / "workledger.db").exists()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def run(folder: Path, port: int, command: list[str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(port), capture_output=True, text=True, timeout=240,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shows(output: str, text: str) -> None:
    """Every line of the text is in the output, in this order."""
    at = 0
    flat = " ".join(output.split())
    for line in text.strip().splitlines():
        pattern = ".*?".join(re.escape(part) for part in " ".join(line.split()).split("…"))
        found = re.compile(pattern).search(flat, at)
        assert found, f"{line!r} is not in:\n{output}"
        at = found.end()


@pytest.mark.skipif(not shutil.which("curl"), reason="the tour ends with curl")
def test_the_tour_of_the_readme_does_what_it_shows(folder: Path, port: int) -> None:
    steps = tour()
    script = f"\necho '{MARK}'\n".join(block.text for block in steps)
    script = "set -euo pipefail\nexec 2>&1\n" + script.replace(
        "127.0.0.1:8080", f"127.0.0.1:{port}"
    )
    said = run(folder, port, ["bash", "-c", script]).split(f"{MARK}\n")
    assert len(said) == len(steps) > 4
    for block, output in zip(steps, said, strict=True):
        shows(output, block.shown)


def test_the_python_of_the_readme_runs(folder: Path, port: int) -> None:
    (block,) = [one for one in blocks(README) if one.language == "python"]
    said = run(folder, port, [str(ROOT / ".venv/bin/python"), "-c", block.text])
    assert "completed=1" in said
    assert "failed=1" in said


def test_every_command_of_the_readme_is_run_or_excused() -> None:
    ran = {command for block in tour() for command in block.commands}
    excused = {*NOT_RUN_HERE, SERVE}
    for block in blocks(README):
        if block.language == "sh":
            assert [one for one in block.commands if one not in ran | excused] in (
                [],
                ['export PATH="$PWD/.venv/bin:$PATH"'],
            )


@pytest.mark.parametrize("document", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_make_targets_that_are_named_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z0-9.-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z][a-z0-9.-]*)", document.read_text(), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("document", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_options_that_are_named_exist(document: Path) -> None:
    for line in re.findall(
        r"(?:^|`|\$\()workledger ([a-z][^`\n|)]*)", document.read_text(), re.MULTILINE
    ):
        words = line.split(" -- ")[0].split()
        command = typer.main.get_command(app)
        for word in words:
            command = getattr(command, "commands", {}).get(word, command)
        options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        used = {word for word in words if word.startswith("--")}
        assert not hasattr(command, "commands") or len(words) == 1, f"no command: workledger {line}"
        assert used <= options, f"workledger {line}"


@pytest.mark.parametrize("document", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not link.startswith(("http://", "https://")):
            assert (document.parent / link).exists(), link


def test_the_reading_path_is_five_files_under_400_lines() -> None:
    _, _, after = README.read_text().partition("<!-- reading path -->")
    files = re.findall(r"\]\(([^)]+)\)", after.partition("<!-- end -->")[0])
    lines = sum(len((ROOT / file).read_text().splitlines()) for file in files)
    assert len(set(files)) == READING_FILES
    assert lines < READING_LINES


def test_every_rule_names_tests_that_exist() -> None:
    found = rules.tests()
    for path in sorted(rules.RULES.glob("*.md")):
        if path.name != "README.md":
            assert rules.faults(path.read_text(), found) == []


def test_every_number_from_q1_to_q102_that_was_given_is_there() -> None:
    numbers = {int(rule[1:]) for rule in rules.named((rules.RULES / "workqueues.md").read_text())}
    tens = [range(1, 17), range(20, 29), range(30, 35), range(40, 49), range(50, 54), range(60, 65)]
    rest = [70, 71, 72, 73, 75, *range(80, 87), *range(90, 96), 100, 101, 102]
    assert numbers == {number for ten in tens for number in ten} | set(rest)


def test_the_rules_of_workflows_are_all_there() -> None:
    numbers = {int(rule[1:]) for rule in rules.named((rules.RULES / "workflows.md").read_text())}
    assert numbers == set(range(1, 33))


def test_the_rules_of_manual_tasks_are_all_there() -> None:
    numbers = {int(rule[1:]) for rule in rules.named((rules.RULES / "manualtasks.md").read_text())}
    tens = [range(1, 9), range(10, 15), range(20, 29), range(30, 39), range(40, 46)]
    rest = [*range(50, 56), *range(60, 64)]
    assert numbers == {number for ten in tens for number in ten} | set(rest)


def test_the_limits_tell_of_every_rule_without_a_test() -> None:
    _, _, limits = README.read_text().partition("## Honest limits")
    for path in rules.RULES.glob("*.md"):
        for rule in rules.untested(path.read_text()):
            assert re.search(rf"\b{rule}\b", limits), rule


def test_a_rule_may_say_that_it_has_no_test_until_it_has_one() -> None:
    text = "**W1** One.\n\nNo test yet: nobody wrote it.\n\n**W2** Two.\n\n*Not yet:* a part.\n"
    assert rules.untested(text) == ["W1"]
    assert rules.faults(text, {}) == ["W2 has no test"]
    filled = rules.written(text, {"W1": ["test_w1_a"], "W2": ["test_w2_a"]})
    assert filled == (
        "**W1** One.\n\nTest: `test_w1_a`\n\n**W2** Two.\n\n*Not yet:* a part.\n\nTest: `test_w2_a`\n"
    )


def test_a_rule_without_a_test_and_a_test_that_is_gone_are_told() -> None:
    text = (
        "**Q1** One.\n\nTest: `test_q1_a`\n\n**Q2** Two.\n\n**Q3** Three.\n\nTest: `test_q3_gone`\n"
    )
    found = {"Q1": ["test_q1_a"], "Q2": ["test_q2_b"]}
    assert rules.faults(text, found) == ["Q2 has no test", "Q3: there is no test_q3_gone"]
    filled = rules.written(text, found)
    assert rules.faults(filled, found) == ["Q3 has no test"]
    assert rules.written(filled, found) == filled
