"""docs/manual_tasks.md, block by block: what it shows is what comes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.running import Running, running
from tests.test_readme import MARK, blocks, shows
from workledger.access.roles import ROLES
from workledger.api.permissions import TABLE, Permission

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "manual_tasks.md"

SHOWN = (
    (Permission.LOOK,),
    (Permission.ADD_ITEMS, Permission.WORK),
    (Permission.MANAGE_QUEUES,),
    (Permission.WORK_TASKS,),
    (Permission.MANAGE_TASKS,),
    (Permission.ADJUDICATE,),
    (Permission.READ_AUDIT,),
)
"""What the rows of the README's table of roles are about."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    """One of its own: names of tasks are the page's."""
    with running(tmp_path) as found:
        yield found


def test_m60_every_block_of_the_page_does_what_it_shows(server: Running, tmp_path: Path) -> None:
    """(M20, M43, M51, M54, M55, M60) A lead's first hour with manual tasks."""
    steps = [one for one in blocks(PAGE) if one.language == "sh"]
    parts = f"\necho '{MARK}'\n".join(one.text for one in steps)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\nexec 2>&1\n{parts}"],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "WORKLEDGER_URL": server.url},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout.split(f"{MARK}\n")
    assert len(said) == len(steps) > 5
    for step, output in zip(steps, said, strict=True):
        shows(output, step.shown)


def test_m62_the_table_of_roles_is_that_of_the_permissions() -> None:
    """(M62) What the README says a role may do, it may."""
    _, _, after = (ROOT / "README.md").read_text().partition("| | viewer |")
    head, _, *rows = f"| | viewer |{after.partition(chr(10) * 2)[0]}".splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in (head, *rows)]
    roles = cells[0][1:]
    assert sorted(roles) == sorted(ROLES)
    assert len(rows) == len(SHOWN)
    for permissions, (_, *marks) in zip(SHOWN, cells[1:], strict=True):
        may = {role for role, mark in zip(roles, marks, strict=True) if mark == "yes"}
        assert all(TABLE[one] == may for one in permissions), permissions
