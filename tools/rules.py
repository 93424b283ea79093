"""Names tests beside the rules in docs/rules: `python tools/rules.py` writes, `--check` only looks.

A test belongs to a rule when the rule's number is in its name (`test_q42_...`). Names that stand
there and exist are kept; where there are none, some are chosen. Exits with 1, and lists them, when
rules have no test (or, with `--check`, when a named test does not exist), or rows of tables (see
tools/rows.py). A rule may say "No test yet: ..." itself; that goes when it has one.
"""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
RULES = ROOT / "docs" / "rules"
TESTS = ROOT / "tests"

MOST = 3
"""Tests named beside a rule where none were chosen by hand."""

NEAREST_FIRST = ("functions", "swf", "service", "unit", "client", "cli", "stores")
"""Which folder's tests say most about a rule."""

_RULE = re.compile(r"^\*\*([A-Z]\d+)\*\* .*?(?=^\*\*[A-Z]\d+\*\* |^#|\Z)", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"^Tests?: .*(?:\n(?!\n).*)*", re.MULTILINE)
_UNTESTED = re.compile(r"^No test yet: .*(?:\n(?!\n).*)*", re.MULTILINE)
_TEST = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
_NAME = re.compile(r"`(test_\w+)`")


def tests() -> dict[str, list[str]]:
    """Rule -> the names of its tests, the nearest first."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py"), key=_nearness):
        for name in _TEST.findall(path.read_text(encoding="utf-8")):
            for rule in re.findall(r"(?<=_)[a-z]\d+(?=_|$)", name):
                found.setdefault(rule.upper(), []).append(name)
    return found


def _nearness(path: Path) -> tuple[int, Path]:
    folder = path.relative_to(TESTS).parts[0]
    known = folder in NEAREST_FIRST
    return NEAREST_FIRST.index(folder) if known else len(NEAREST_FIRST), path


def named(text: str) -> dict[str, list[str]]:
    """Rule -> the tests that stand beside it."""
    return {rule[1]: _names(rule[0]) for rule in _RULE.finditer(text)}


def _names(rule: str) -> list[str]:
    line = _NAMED.search(rule)
    return _NAME.findall(line[0]) if line else []


def written(text: str, found: Mapping[str, Sequence[str]]) -> str:
    """The text with tests beside every rule that has some."""

    def rewrite(rule: re.Match[str]) -> str:
        there = list(dict.fromkeys(found.get(rule[1], ())))
        names = [name for name in _names(rule[0]) if name in there] or there[:MOST]
        bare = _NAMED.sub("", _UNTESTED.sub("", rule[0]) if names else rule[0])
        bare = re.sub(r"\n{3,}", "\n\n", bare).rstrip()
        line = f"\n\n{_line(names)}" if names else ""
        return f"{bare}{line}\n\n"

    return _RULE.sub(rewrite, text).rstrip() + "\n"


def _line(names: Sequence[str]) -> str:
    return "Test" + "s" * (len(names) > 1) + ": " + ",\n".join(f"`{name}`" for name in names)


def untested(text: str) -> list[str]:
    """The rules of which a file says that no test proves them."""
    return [rule[1] for rule in _RULE.finditer(text) if _UNTESTED.search(rule[0])]


def faults(text: str, found: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with a file of rules, a line each."""
    wrong: list[str] = []
    said = untested(text)
    for rule, names in named(text).items():
        if not names and rule not in said:
            wrong.append(f"{rule} has no test")
        missing = [name for name in names if name not in found.get(rule, ())]
        wrong += [f"{rule}: there is no {name}" for name in missing]
    return wrong


def main(check: bool) -> int:
    """All files of rules; 1 when something is wrong."""
    found, wrong = tests(), list[str]()
    for path in sorted(RULES.glob("*.md")):
        if path.name == "README.md":
            continue
        text = path.read_text(encoding="utf-8")
        if not check:
            text = written(text, found)
            path.write_text(text, encoding="utf-8")
        wrong += [f"{path.name}: {fault}" for fault in faults(text, found)]
    print(*wrong, sep="\n", end="\n" if wrong else "", flush=True)
    tables = subprocess.run([sys.executable, str(ROOT / "tools" / "rows.py")], check=False)
    return 1 if wrong or tables.returncode else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
