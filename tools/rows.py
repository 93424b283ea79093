"""Finds rows of docs/rules/workflows_tables.md that no test proves, and marks that name none.

A row is the first cell of a table there, in backticks. A test proves it that bears the mark
`row("1.2 unknown domain")`. Marks are where pytest collects them: many are made of lists.
"""

import contextlib
import io
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "docs" / "rules" / "workflows_tables.md"
WHERE = ("tests/swf", "tests/contract")

_ROW = re.compile(r"^\| `(1\.\d+ [^`]+)` \|", re.MULTILINE)


def rows(text: str) -> list[str]:
    """The rows of a document of tables."""
    return _ROW.findall(text)


class _Collected:
    """Hears of the tests that there are."""

    def __init__(self) -> None:
        self.marked: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note the rows that they name."""
        for item in items:
            for mark in item.iter_markers("row"):
                self.marked.update(mark.args)


def marked() -> set[str]:
    """The rows that tests name."""
    found, said = _Collected(), io.StringIO()
    asked = ["--collect-only", "-q", "-p", "no:cacheprovider", *(str(ROOT / one) for one in WHERE)]
    with contextlib.redirect_stdout(said):
        code = pytest.main(asked, plugins=[found])
    if code != pytest.ExitCode.OK:
        raise SystemExit(said.getvalue())
    return found.marked


def faults(text: str, named: set[str]) -> list[str]:
    """What is wrong with the tables, a line each."""
    known = rows(text)
    twice = sorted({row for row in known if known.count(row) > 1})
    return [
        *(f"there are two rows {row}" for row in twice),
        *(f"no test proves the row {row}" for row in known if row not in named),
        *(f"a test names the row {row}, which there is not" for row in sorted(named - {*known})),
    ]


def main() -> int:
    """1 when something is wrong."""
    wrong = faults(TABLES.read_text(encoding="utf-8"), marked())
    print(*(f"{TABLES.name}: {one}" for one in wrong), sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
