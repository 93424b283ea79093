"""What a purge removes: commits, rows, tombstones, beats; twice is harmless."""

from tests.stores.fresh import fresh
from tests.stores.writes import AT, LINE, added, row, standing
from workledger.keys import BEAT
from workledger.stores.port import Store
from workledger.times import plus


def test_w31_commits_are_removed_and_the_others_stay(store: Store) -> None:
    """A stream then begins with a later commit, and goes on as before."""
    stream, other = fresh("execution"), fresh("execution")
    for number in range(1, 6):
        store.append([added(stream, number), added(other, number)])
    store.remove_commits([(stream, number) for number in (1, 2, 3)])
    store.remove_commits([(stream, 1), (stream, 9), (stream, 9)])
    assert [one.number for one in store.commits(stream)] == [4, 5]
    assert [one.number for one in store.commits(stream, limit=1)] == [4]
    assert [one.number for one in store.commits(other)] == [1, 2, 3, 4, 5]
    found = [one.number for one in store.all_commits() if one.stream == stream]
    assert found == [4, 5]
    assert store.append([added(stream, 6)]) == [None]


def test_w31_rows_and_tombstones_are_removed(store: Store) -> None:
    """From their lines too; the names of all that is left are told, tombstones among them."""
    stream, line = fresh("execution"), fresh(LINE)
    others = (
        row(stream, 1, "a.1.x", standing(1, line)),
        row(stream, 1, "a.1.y", state="null"),
        row(stream, 1, "a.2.x", standing(2, line)),
        row(stream, 1, "a.2.y", state="null"),
    )
    store.append([added(stream, others=others, due=AT)])
    assert sorted(store.names_of(stream)) == ["a.1.x", "a.1.y", "a.2.x", "a.2.y", "head"]
    gone = [(stream, "a.1.x"), (stream, "a.1.y"), (stream, "a.1.z")]
    store.remove_rows(gone)
    store.remove_rows(gone)
    assert sorted(store.names_of(stream)) == ["a.2.x", "a.2.y", "head"]
    assert [one.thing for one in store.read_line(line, limit=9)] == ["a.2.x"]
    assert sorted(store.things(stream)) == ["a.2.x", "head"]
    due = store.due(stream)
    assert due is not None
    assert due.at == AT


def test_w31_beats_are_removed(store: Store) -> None:
    """A beat is no row: the first one after it is a first one again."""
    stream, other = fresh("execution"), fresh("execution")
    for one in (stream, other):
        assert store.beat(one, plus(AT, 10), AT, {"at": AT})
    store.remove_rows([(stream, BEAT)])
    _, beats = store.heads_and_beats([stream, other])
    assert list(beats) == [other]
    assert store.beat(stream, plus(AT, 1), AT, {})


def test_w31_nothing_to_remove_is_no_fault(store: Store) -> None:
    """Empty lists are."""
    store.remove_commits([])
    store.remove_rows([])
    assert store.names_of(fresh("execution")) == []
