"""`make demo`: as a newcomer runs it, and what it does when a number is wrong."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from samples import processes, tally

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
INVOICES = SAMPLES / "invoices.json"

MOST_SECONDS = 120


def run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    """A command as a newcomer calls it, without our variables."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WORKLEDGER", "PYTHON"))}
    return subprocess.run(
        command, cwd=ROOT, env=kept, capture_output=True, text=True, timeout=280, check=False
    )


def test_make_demo_works_the_invoices_and_recounts_them_in_under_two_minutes() -> None:
    began = time.monotonic()
    done = run("make", "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert time.monotonic() - began < MOST_SECONDS
    said = " ".join(done.stdout.split())
    for line in (
        "added 462 462",
        "skipped 38 38",
        "completed 448 448",
        "failed 14 14",
        "retried 25 25",
        "taken twice 0 0",
        "rebuilt = live yes",
        "killed by its invoice",
        "The run ended before the item was completed.",
        "of higher priority",
    ):
        assert line in said


def entry(reference: str, **data: Any) -> dict[str, Any]:
    return {"reference": reference, "data": {"net": 1, "tax": 1, "total": 2, **data}}


def test_the_demo_exits_with_1_when_the_ledger_does_not_say_what_the_file_implies(
    tmp_path: Path,
) -> None:
    file = tmp_path / "entries.json"
    # The worker knows no such trouble: nothing is retried, while the file implies that it is.
    other = entry("A-2", simulate="nothing that a worker knows")
    bad = entry("A-3", total=3)
    file.write_text(json.dumps([entry("A-1", simulate="kill"), entry("A-1"), other, bad]))
    done = run(ROOT / ".venv/bin/python", SAMPLES / "demo.py", "--file", file)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "retried 1 2 <- different" in " ".join(done.stdout.split())
    assert "DIFFERENT" in done.stdout


def test_the_demo_does_not_end_a_worker_that_has_not_begun(tmp_path: Path) -> None:
    # A signal before a slow worker has its handlers would end it as if something had gone wrong.
    looks: list[str] = []
    with processes.Processes(tmp_path) as some:
        slow = some.start(
            "slow", ["sh", "-c", "until [ -e $0 ]; do :; done; echo works", tmp_path / "go"]
        )

        def said() -> bool:
            looks.append(slow.said())
            if len(looks) == 2:
                (tmp_path / "go").touch()
            return bool(looks[-1])

        some.wait(slow, said)
        assert looks[:2] == ["", ""]
        assert looks[-1] == "works"
        with pytest.raises(processes.Broken, match="gone did not start"):
            some.wait(some.start("gone", ["false"]), lambda: False)


def test_the_invoices_are_what_their_generator_makes() -> None:
    made = run(sys.executable, SAMPLES / "make_invoices.py")
    assert made.stdout == INVOICES.read_text()


def test_the_invoices_have_what_the_demo_is_to_show() -> None:
    entries = json.loads(INVOICES.read_text())
    must = tally.implied(INVOICES.read_text())
    assert len(entries) == 500 == must.added + must.skipped
    assert len({one.get("priority", 0) for one in entries}) == 3
    trouble = Counter(
        one["data"].get("simulate") for one in {e["reference"]: e for e in entries}.values()
    )
    assert trouble["kill"] == 1
    assert trouble["timeout"] > 10 < must.failed
    assert must.skipped > 10


def ledger(path: Path, *events: tuple[str, str, dict[str, Any]]) -> Path:
    """A file with a ledger of (stream, type, data), a commit each."""
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE ledger (stream, n, events, payload)")
    for number, (stream, kind, data) in enumerate(events):
        stored = json.dumps([{"type": kind, "data": data}])
        db.execute("INSERT INTO ledger VALUES (?, ?, ?, NULL)", (stream, number, stored))
    db.commit()
    db.close()
    return path


def test_q23_an_item_that_was_taken_twice_is_counted(tmp_path: Path) -> None:
    added = ("item/a", "ItemAdded", {"reference": "A-1"})
    taken, back = ("item/a", "ItemTaken", {}), ("item/a", "ItemPutBack", {})
    done = ("item/a", "ItemCompleted", {})
    fine = tally.recounted(ledger(tmp_path / "fine.db", added, taken, back, taken, done))
    assert (fine.taken_twice, fine.retried, fine.endings) == (0, 1, {"A-1": "completed"})
    twice = tally.recounted(ledger(tmp_path / "twice.db", added, taken, taken, done))
    assert twice.taken_twice == 1


def test_endings_that_differ_are_named() -> None:
    one, other = (
        {"A": "completed", "B": "failed"},
        {"A": "completed", "B": "completed", "C": "failed"},
    )
    assert list(tally.unequal(one, other)) == ["B", "C"]


@pytest.mark.parametrize(
    ("invoice", "code", "out"),
    [
        ({"total": 120, "currency": "EUR"}, 0, '{"booked": "120 EUR"}\n'),
        ({"net": 1, "tax": 1, "total": 3}, 65, ""),
    ],
)
def test_the_sample_program_speaks_as_work_expects(
    invoice: dict[str, Any], code: int, out: str
) -> None:
    done = subprocess.run(
        [sys.executable, SAMPLES / "book_invoice.py"],
        input=json.dumps(invoice), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (code, out)
    assert bool(done.stderr) == bool(code)


def test_q86_the_bulk_sample_is_the_documented_one() -> None:
    assert json.loads((SAMPLES / "bulk.json").read_text()) == [
        {"data": {"invoiceNo": "A-17", "total": 120}, "reference": "A-17"},
        {"data": {"invoiceNo": "A-18", "total": 80}, "reference": "A-18", "priority": 5},
    ]
