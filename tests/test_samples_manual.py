"""samples/manual_tasks.py prints the lists of the WorkFusion documentation."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

BASIC = """\
  r1  hitOrder 1  2020-03-11T10:15:55.935
  r2  hitOrder 2  2020-03-11T10:15:55.935
  r3  hitOrder 3  2020-03-11T10:15:55.935
  r4  hitOrder 4  2020-03-11T10:15:55.935
  r5  hitOrder 5  2020-03-11T10:15:55.935
  W1 takes r1
    list(W2) = r2 r3 r4 r5
  W1 returns it: it stands where it stood, for others at once
    list(W1) = r2 r3 r4 r5
    list(W2) = r1 r2 r3 r4 r5
  W2 takes r1 and lets its ten minutes pass
    list(W1) = r1 r2 r3 r4 r5
    list(W2) = r1 r2 r3 r4 r5
  a day older and a day younger than the others, loaded later
    list(W1) = r0 r1 r2 r3 r4 r5 r9
"""
GATEWAY = """\
     9 s: -
    10 s: r1
    20 s: r1 r3
    30 s: r1 r2 r3 r5
    59 s: r1 r2 r3 r5
    60 s: r1 r2 r3 r4 r5
"""
ADJUDICATION = """\
    list(W1) = r1 r2 r3 r4 r5
    list(W2) = r1 r2 r3 r4 r5
  W1 takes r1
    list(W2) = r2 r3 r4 r5
  W2 takes r2, W1 answers r1
    list(W1) = r3 r4 r5
  W1 takes r3
    list(W1) = r4 r5
    list(W2) = r1 r4 r5
    list(W3) = r1 r4 r5
  W2 answers r2
    list(W1) = r2 r4 r5
  W2 answers r1 as W1 did: done
  W1 answers r2 otherwise: only W3 may decide
    list(W1) = r4 r5
    list(W2) = r3 r4 r5
    list(W3) = r2 r3 r4 r5
  W3 answers r2 as W1 did: two to one
    r1: {'pay': True} by agreement
    r2: {'pay': False} by majority
"""


@pytest.fixture(scope="module")
def flows() -> Mapping[str, str]:
    """The first word of each flow's title, and what was printed below it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WORKLEDGER", "PYTHON"))}
    command = [sys.executable, str(ROOT / "samples/manual_tasks.py")]
    done = subprocess.run(
        command, cwd=ROOT, env=kept, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    parts = (one.partition("\n") for one in done.stdout.rstrip("\n").split("\n\n"))
    return {title.split()[0]: f"{rest.rstrip()}\n" for title, _, rest in parts}


def test_m7_the_basic_flow_prints_the_documented_lists(flows: Mapping[str, str]) -> None:
    """(M1, M2, M3, M7) By date, then by number, whoever returns or lets time pass."""
    assert flows["Basic"] == BASIC


def test_m10_the_gateway_flow_prints_the_documented_lists(flows: Mapping[str, str]) -> None:
    """(M10, M11, M13) A file, a saved rule, a clock that alone moves time."""
    assert flows["Gateway"] == GATEWAY


def test_m22_the_adjudication_flow_prints_the_documented_lists(flows: Mapping[str, str]) -> None:
    """(M20 to M23) r2 comes back to W1 at its own place; two to one decides."""
    assert flows["Adjudication"] == ADJUDICATION
