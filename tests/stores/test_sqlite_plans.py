"""Every read by line or index is one range of one index, whatever its bounds."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from workledger.stores import sqlite_lines as lines
from workledger.stores.port import Found
from workledger.stores.sqlite_schema import open_writer
from workledger.views.order import Spot

SPOT = Spot(0, "2026", 1, "t", "item/a", "head")
LINE = "SEARCH views USING COVERING INDEX line (line=?"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    db = open_writer(str(tmp_path / "workledger.db"))
    yield db
    db.close()


def _plan(db: sqlite3.Connection, query: lines.Query) -> list[str]:
    steps = [step[3] for step in db.execute(f"EXPLAIN QUERY PLAN {query[0]}", query[1])]
    return [step for step in steps if step.startswith(("SEARCH", "SCAN views", "USE TEMP"))]


@pytest.mark.parametrize("after", [None, SPOT])
@pytest.mark.parametrize("until", [None, "2026"])
def test_a_page_of_a_line_begins_where_it_should_and_is_not_sorted(
    db: sqlite3.Connection, after: Spot | None, until: str | None
):
    whole = "(rank,date,seq,tie,stream,thing)"
    marks = "(?,?,?,?,?,?)"
    forwards = lines.line_query("l", after, 9, backwards=False, until=until)
    assert _plan(db, forwards) == [f"{LINE} AND {whole}>{marks} AND (rank,date)<(?,?))"]
    backwards = lines.line_query("l", after, 9, backwards=True, until=until)
    assert _plan(db, backwards) == [f"{LINE} AND rank>? AND {whole}<{marks})"]


@pytest.mark.parametrize("after", [None, SPOT])
def test_two_lines_are_walked_side_by_side_and_not_sorted(
    db: sqlite3.Connection, after: Spot | None
):
    whole = "(rank,date,seq,tie,stream,thing)>(?,?,?,?,?,?)"
    place = "(rank,date,seq,tie)>(?,?,?,?)"
    row = "rank=? AND date=? AND seq=? AND tie=? AND stream=?"
    assert _plan(db, lines.without_query("l", "m", after, 9)) == [
        f"{LINE} AND {whole})",
        f"{LINE} AND {place})",
        f"{LINE} AND {row})",
    ]


def test_counts_walk_only_what_they_count(db: sqlite3.Connection):
    assert _plan(db, lines.count_query("l", 9)) == [f"{LINE})"]
    assert _plan(db, lines.before_query("l", SPOT, 9)) == [
        f"{LINE} AND rank<?)",
        f"{LINE} AND rank=? AND (date,seq,tie,stream,thing)<(?,?,?,?,?))",
    ]


def test_index_pages_begin_where_they_should(db: sqlite3.Connection):
    found = {"number": Found(1, "s", "t"), "ref": Found("r", "s", "t"), "run": Found("s", "s", "t")}
    plans = {
        "number": "number (queue=? AND (number,stream,thing)>(?,?,?) AND number<?)",
        "ref": "ref (queue=? AND (ref,stream,thing)>(?,?,?) AND ref<?)",
        "run": "run (run=? AND (stream,thing)>(?,?) AND stream<?)",
    }
    for index in ("number", "ref", "run"):
        for after in (None, found[index]):
            query = lines.index_query(index, "q", after, 9, "")
            assert _plan(db, query) == [f"SEARCH views USING COVERING INDEX {plans[index]}"]


def test_until_reads_no_row_beyond_it(db: sqlite3.Connection):
    rows = ((f"s{n}", f"2026-{n // 100:02d}") for n in range(5000))
    db.execute("BEGIN")
    db.executemany(
        "INSERT INTO views VALUES (?, 'due', 0, NULL, 'l', 0, ?, 0, 't'" + ", NULL" * 4 + ")", rows
    )
    db.execute("COMMIT")
    steps = [0]

    def tick() -> None:
        steps[0] += 1

    for backwards in (False, True):
        db.set_progress_handler(tick, 100)
        query = lines.line_query("l", None, 1000, backwards=backwards, until="2026-00")
        assert len(db.execute(*query).fetchall()) == 100
        db.set_progress_handler(None, 0)
    assert steps[0] * 100 < 10_000, "virtual machine steps: far fewer than 5,000 rows take"
