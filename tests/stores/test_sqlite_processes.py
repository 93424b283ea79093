"""Several processes on one file, and a process that is killed while it writes (Q9)."""

from pathlib import Path

from tests.stores.processes import append, fill, process, race
from tests.stores.writes import added, standing
from workledger.errors import AnswerLost
from workledger.stores.sqlite import SqliteStore


def test_q23_of_four_processes_exactly_one_wins_each_number(tmp_path: Path):
    """Q23: two writers on one file are as safe as two Lambdas on one table."""
    path, rounds = str(tmp_path / "workledger.db"), 150
    with (
        process(race, path, "p0", rounds) as (_, pipe0),
        process(race, path, "p1", rounds) as (_, pipe1),
        process(race, path, "p2", rounds) as (_, pipe2),
        process(race, path, "p3", rounds) as (_, pipe3),
    ):
        pipes = [pipe0, pipe1, pipe2, pipe3]
        assert [pipe.recv() for pipe in pipes] == ["ready"] * 4
        for pipe in pipes:
            pipe.send("go")
        answers = [pipe.recv() for pipe in pipes]

    won = sorted(number for numbers, _ in answers for number in numbers)
    assert won == list(range(1, rounds + 1))
    taken = sorted(number for _, numbers in answers for number in numbers)
    assert taken == list(range(1, 4 * rounds + 1))
    store = SqliteStore(path)
    names = {commit.number: commit.id for commit in store.commits("item/raced")}
    assert names == {n: f"p{p}" for p, (numbers, _) in enumerate(answers) for n in numbers}
    assert store.load("item/raced")["head"].commit == rounds
    store.close()


def test_q9_what_was_acknowledged_survives_kill_9(tmp_path: Path):
    """Q9: three lives on one file, each killed in the middle of its writes."""
    path = str(tmp_path / "workledger.db")
    acknowledged: set[str] = set()
    for life in range(3):
        with process(append, path, life) as (victim, pipe):
            acknowledged |= {pipe.recv() for _ in range(150)}
            victim.kill()
            while True:
                try:
                    acknowledged.add(pipe.recv())
                except EOFError:
                    break
        store = SqliteStore(path)
        commits = {commit.stream for commit in store.all_commits()}
        assert acknowledged <= commits
        rows = {row.stream: row for row in store.all_rows()}
        assert set(rows) == commits, "a commit and its rows are one transaction"
        spots = store.read_line(f"line {life}", limit=100_000)
        assert {spot.stream for spot in spots} == {
            s for s in commits if s[5:].startswith(f"{life}.")
        }
        assert all(store.due(stream) for stream in commits)
        assert store.append([added(f"item/after {life}", place=standing(1))]) == [None]
        acknowledged.add(f"item/after {life}")
        store.append([added(f"item/after {life}", 2, due="2026-01-01T00:00:00.000Z")])
        store.close()


def test_a_disk_that_fails_while_committing_leaves_a_doubt_which_the_same_write_ends(
    tmp_path: Path,
):
    path = str(tmp_path / "workledger.db")
    with process(fill, path) as (_, pipe):
        refused, again = pipe.recv()
    assert {type(outcome) for outcome in refused} == {AnswerLost}
    assert len(refused) == 49
    assert all(outcome is None or outcome.id == "c1" for outcome in again)
    store = SqliteStore(path)
    assert len(list(store.all_commits())) == len(list(store.all_rows())) == 50
    store.close()
